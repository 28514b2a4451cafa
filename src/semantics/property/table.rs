//! The rows of the table, by identifier; for one identifier, the most current row first.
//!
//! Sources: the property indexes of FF\[1\] to FF\[4\] and the pages of single games at red-bean.com, Pentobi's
//! document on its files, the CWI notes on SGF, and private properties in archives whose meaning is known.
//!
//! Owns the table, and refuses to know how it is searched.

use crate::semantics::GameType;
use crate::syntax::Ident;

use super::ValueForm::{self, Composed, Either, Single};
use super::{Count, Definition, Group as G, PropertyType as P, Scope, Source, ValueType as V, Versions};

/// A property of the standard; `versions` has a digit for each version that has it.
const fn ff(
    ident: &str,
    versions: u16,
    property_type: P,
    group: G,
    value: ValueForm,
    meaning: &'static str,
) -> Definition {
    let mut set = 0;
    let mut rest = versions;
    while rest > 0 {
        set |= 1 << (rest % 10);
        rest /= 10;
    }
    row(ident, Source::Standard(Versions(set)), property_type, group, value, meaning)
}

/// A property of a program or a proposal.
const fn by(
    program: &'static str,
    ident: &str,
    property_type: P,
    group: G,
    value: ValueForm,
    meaning: &'static str,
) -> Definition {
    row(ident, Source::Program(program), property_type, group, value, meaning)
}

const fn row(
    ident: &str,
    source: Source,
    property_type: P,
    group: G,
    value: ValueForm,
    meaning: &'static str,
) -> Definition {
    Definition {
        ident: Ident::literal(ident),
        source,
        property_type,
        group,
        inherited: false,
        count: Count::One,
        value,
        range: None,
        scope: Scope::Any,
        meaning,
    }
}

impl Definition {
    const fn list(mut self) -> Self {
        self.count = Count::List;
        self
    }

    const fn list_or_empty(mut self) -> Self {
        self.count = Count::ListOrEmpty;
        self
    }

    const fn inherited(mut self) -> Self {
        self.inherited = true;
        self
    }

    const fn range(mut self, least: i64, greatest: i64) -> Self {
        self.range = Some((least, greatest));
        self
    }

    const fn only(mut self, game: GameType) -> Self {
        self.scope = Scope::Game(game);
        self
    }

    const fn blokus(mut self) -> Self {
        self.scope = Scope::Blokus;
        self
    }
}

#[rustfmt::skip]
pub(super) const TABLE: &[Definition] = &[
    by("Pentobi", "1", P::Move, G::Move, Single(V::Move), "move of player or color 1").blokus(),
    by("Pentobi", "1L", P::Move, G::Timing, Single(V::Real), "time left of color 1, seconds").blokus(),
    by("Pentobi", "2", P::Move, G::Move, Single(V::Move), "move of player or color 2").blokus(),
    by("Pentobi", "2L", P::Move, G::Timing, Single(V::Real), "time left of color 2, seconds").blokus(),
    by("Pentobi", "3", P::Move, G::Move, Single(V::Move), "move of player or color 3").blokus(),
    by("Pentobi", "3L", P::Move, G::Timing, Single(V::Real), "time left of color 3, seconds").blokus(),
    by("Pentobi", "4", P::Move, G::Move, Single(V::Move), "move of player or color 4").blokus(),
    by("Pentobi", "4L", P::Move, G::Timing, Single(V::Real), "time left of color 4, seconds").blokus(),
    by("Pentobi", "A1", P::Setup, G::Setup, Single(V::Stone), "pieces of color 1").list().blokus(),
    by("Pentobi", "A2", P::Setup, G::Setup, Single(V::Stone), "pieces of color 2").list().blokus(),
    by("Pentobi", "A3", P::Setup, G::Setup, Single(V::Stone), "pieces of color 3").list().blokus(),
    by("Pentobi", "A4", P::Setup, G::Setup, Single(V::Stone), "pieces of color 4").list().blokus(),
    ff("AA", 4, P::Setup, G::Setup, Single(V::Point), "add arrows").list().only(GameType::Amazons),
    ff("AB", 1234, P::Setup, G::Setup, Single(V::Stone), "add black stones").list(),
    ff("AE", 1234, P::Setup, G::Setup, Single(V::Point), "clear points").list(),
    ff("AN", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "annotator"),
    ff("AP", 4, P::Root, G::Root, Composed(V::SimpleText, V::SimpleText), "application name and version"),
    ff("AR", 4, P::None, G::Markup, Composed(V::Point, V::Point), "arrow").list(),
    ff("AS", 4, P::None, G::Misc, Single(V::SimpleText), "who adds stones").only(GameType::LinesOfAction),
    ff("AW", 1234, P::Setup, G::Setup, Single(V::Stone), "add white stones").list(),
    ff("B", 1234, P::Move, G::Move, Single(V::Move), "black move"),
    ff("BL", 1234, P::Move, G::Timing, Single(V::Real), "black time left, seconds"),
    by("Pentobi<0.2", "BLUE", P::Move, G::Move, Single(V::Point), "old spelling of 1").list().blokus(),
    ff("BM", 1234, P::Move, G::Annotation, Single(V::Double), "bad move"),
    ff("BR", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "black rank"),
    ff("BS", 123, P::GameInfo, G::GameInfo, Single(V::Number), "black species; the values differ by version"),
    ff("BT", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "black team"),
    ff("C", 1234, P::None, G::Annotation, Single(V::Text), "comment"),
    ff("CA", 4, P::Root, G::Root, Single(V::SimpleText), "charset of text and simpletext values"),
    ff("CH", 123, P::None, G::Markup, Single(V::Double), "check mark"),
    ff("CO", 4, P::Setup, G::Setup, Single(V::SimpleText), "owner of the doubling cube").only(GameType::Backgammon),
    ff("CP", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "copyright"),
    ff("CR", 34, P::None, G::Markup, Single(V::Point), "circle").list(),
    ff("CV", 4, P::Setup, G::Setup, Single(V::Number), "value of the doubling cube").only(GameType::Backgammon),
    ff("DD", 4, P::None, G::Markup, Single(V::Point), "dimmed points").list_or_empty().inherited(),
    ff("DI", 4, P::Setup, G::Setup, Single(V::Number), "the dice").only(GameType::Backgammon),
    ff("DM", 34, P::None, G::Annotation, Single(V::Double), "even position"),
    ff("DO", 34, P::Move, G::Annotation, Single(V::None), "doubtful move"),
    ff("DT", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "date played"),
    by("CWI notes", "DTX", P::GameInfo, G::GameInfo, Single(V::SimpleText), "date in words where DT has no form"),
    ff("EL", 12, P::None, G::Misc, Single(V::Number), "evaluation of computer move"),
    ff("EV", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "event"),
    ff("EX", 12, P::None, G::Misc, Single(V::Move), "expected move"),
    ff("FF", 234, P::Root, G::Root, Single(V::Number), "file format").range(1, 4),
    ff("FG", 1234, P::None, G::Misc, Either(V::None, V::Number, V::SimpleText), "figure"),
    ff("GB", 1234, P::None, G::Annotation, Single(V::Double), "good for black"),
    ff("GC", 1234, P::GameInfo, G::GameInfo, Single(V::Text), "game comment"),
    ff("GM", 1234, P::Root, G::Root, Single(V::Number), "game type; Pentobi and others write a name").range(1, 40),
    ff("GN", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "game name"),
    by("Pentobi<0.2", "GREEN", P::Move, G::Move, Single(V::Point), "old spelling of 4, or of 2 of two").list().blokus(),
    ff("GW", 1234, P::None, G::Annotation, Single(V::Double), "good for white"),
    ff("HA", 1234, P::GameInfo, G::GameInfo, Single(V::Number), "handicap stones").only(GameType::Go),
    ff("HO", 34, P::None, G::Annotation, Single(V::Double), "hotspot"),
    ff("ID", 3, P::GameInfo, G::GameInfo, Single(V::SimpleText), "game identifier"),
    ff("IP", 4, P::GameInfo, G::GameInfo, Single(V::SimpleText), "initial position").only(GameType::LinesOfAction),
    ff("IP", 4, P::GameInfo, G::GameInfo, Single(V::SimpleText), "where the viewer begins").only(GameType::Hex),
    ff("IS", 4, P::Root, G::Root, Composed(V::SimpleText, V::SimpleText), "settings of the viewer").list().only(GameType::Hex),
    ff("IT", 34, P::Move, G::Annotation, Single(V::None), "interesting move"),
    ff("IY", 4, P::GameInfo, G::GameInfo, Single(V::SimpleText), "invert y axis").only(GameType::LinesOfAction),
    by("KGS", "KGSDE", P::None, G::Misc, Single(V::Point), "dead stones").list().only(GameType::Go),
    // Tables that say lists of points take them for KGSDE: the server writes one number, `KGSSB[30.5]`.
    by("KGS", "KGSSB", P::None, G::Misc, Single(V::Real), "score black").only(GameType::Go),
    by("KGS", "KGSSW", P::None, G::Misc, Single(V::Real), "score white").only(GameType::Go),
    by("SGB", "KI", P::GameInfo, G::GameInfo, Single(V::Number), "integer komi: KM is half of it").only(GameType::Go),
    ff("KM", 1234, P::GameInfo, G::GameInfo, Single(V::Real), "komi").only(GameType::Go),
    ff("KO", 34, P::Move, G::Move, Single(V::None), "execute move even if illegal"),
    ff("L", 12, P::None, G::Markup, Single(V::Point), "letters; becomes LB with a, b, c...").list(),
    ff("LB", 34, P::None, G::Markup, Composed(V::Point, V::SimpleText), "label").list(),
    ff("LN", 4, P::None, G::Markup, Composed(V::Point, V::Point), "line").list(),
    ff("LT", 3, P::None, G::Misc, Single(V::None), "lose on time enforced"),
    ff("M", 12, P::None, G::Markup, Single(V::Point), "mark; becomes MA").list(),
    ff("MA", 34, P::None, G::Markup, Single(V::Point), "mark with X").list(),
    ff("MI", 4, P::GameInfo, G::GameInfo, Composed(V::SimpleText, V::SimpleText), "match").list().only(GameType::Backgammon),
    ff("MN", 34, P::Move, G::Move, Single(V::Number), "set move number"),
    by("MultiGo", "MULTIGOGM", P::Root, G::Root, Single(V::Number), "seen in MultiGo files").only(GameType::Go),
    ff("N", 1234, P::None, G::Annotation, Single(V::SimpleText), "node name"),
    ff("OB", 34, P::Move, G::Timing, Single(V::Number), "black moves left in the period"),
    ff("OM", 3, P::None, G::Timing, Single(V::Number), "moves per overtime period"),
    ff("ON", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "opening"),
    ff("OP", 3, P::None, G::Timing, Single(V::Real), "overtime period length"),
    ff("OT", 4, P::GameInfo, G::GameInfo, Single(V::SimpleText), "overtime method"),
    ff("OV", 3, P::None, G::Timing, Single(V::Real), "operator overhead per move"),
    ff("OW", 34, P::Move, G::Timing, Single(V::Number), "white moves left in the period"),
    by("Pentobi", "P1", P::GameInfo, G::GameInfo, Single(V::SimpleText), "name of player 1; in Go of unknown color"),
    by("Pentobi", "P2", P::GameInfo, G::GameInfo, Single(V::SimpleText), "name of player 2; in Go of unknown color"),
    by("Pentobi", "P3", P::GameInfo, G::GameInfo, Single(V::SimpleText), "name of player 3").blokus(),
    by("Pentobi", "P4", P::GameInfo, G::GameInfo, Single(V::SimpleText), "name of player 4").blokus(),
    ff("PB", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "black player"),
    ff("PC", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "place"),
    ff("PL", 1234, P::Setup, G::Setup, Single(V::Color), "player to move"),
    ff("PM", 4, P::None, G::Misc, Single(V::Number), "print move mode").inherited(),
    ff("PW", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "white player"),
    ff("RE", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "result"),
    by("Pentobi<0.2", "RED", P::Move, G::Move, Single(V::Point), "old spelling of 3").list().blokus(),
    by("CWI notes", "REX", P::GameInfo, G::GameInfo, Single(V::SimpleText), "result in words where RE has no form"),
    ff("RG", 123, P::None, G::Markup, Single(V::Point), "region").list(),
    by("Tygem", "RL", P::None, G::Misc, Single(V::SimpleText), "seen in server archives").only(GameType::Go),
    ff("RO", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "round"),
    ff("RU", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "rules"),
    ff("SC", 123, P::None, G::Markup, Single(V::Point), "secure stones").list(),
    ff("SE", 4, P::None, G::Misc, Single(V::Point), "mark setup point").only(GameType::LinesOfAction),
    ff("SE", 3, P::None, G::Markup, Single(V::Point), "self-test moves").list().only(GameType::Othello),
    ff("SI", 3, P::None, G::Markup, Single(V::Double), "sigma"),
    ff("SL", 1234, P::None, G::Markup, Single(V::Point), "selected points").list(),
    ff("SO", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "source"),
    ff("SQ", 4, P::None, G::Markup, Single(V::Point), "square").list(),
    ff("ST", 4, P::Root, G::Root, Single(V::Number), "how variations are shown").range(0, 3),
    ff("SU", 4, P::GameInfo, G::GameInfo, Single(V::SimpleText), "setup type").only(GameType::LinesOfAction),
    ff("SZ", 1234, P::Root, G::Root, Either(V::Number, V::Number, V::Number), "board size"),
    ff("TB", 1234, P::None, G::Misc, Single(V::Point), "black territory").list_or_empty().only(GameType::Go),
    ff("TC", 3, P::None, G::Misc, Single(V::Number), "territory count").only(GameType::Go),
    ff("TE", 1234, P::Move, G::Annotation, Single(V::Double), "tesuji, good move"),
    ff("TM", 1234, P::GameInfo, G::GameInfo, Single(V::Real), "time limit, seconds"),
    ff("TR", 34, P::None, G::Markup, Single(V::Point), "triangle").list(),
    by("Tygem", "TT", P::GameInfo, G::GameInfo, Single(V::SimpleText), "byoyomi seconds a period").only(GameType::Go),
    ff("TW", 1234, P::None, G::Misc, Single(V::Point), "white territory").list_or_empty().only(GameType::Go),
    ff("UC", 34, P::None, G::Annotation, Single(V::Double), "unclear position"),
    ff("US", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "who entered the record"),
    ff("V", 1234, P::None, G::Annotation, Single(V::Real), "node value"),
    ff("VW", 1234, P::None, G::Markup, Single(V::Point), "visible part of the board").list_or_empty().inherited(),
    ff("W", 1234, P::Move, G::Move, Single(V::Move), "white move"),
    ff("WL", 1234, P::Move, G::Timing, Single(V::Real), "white time left, seconds"),
    ff("WR", 1234, P::GameInfo, G::GameInfo, Single(V::SimpleText), "white rank"),
    ff("WS", 123, P::GameInfo, G::GameInfo, Single(V::Number), "white species; the values differ by version"),
    ff("WT", 34, P::GameInfo, G::GameInfo, Single(V::SimpleText), "white team"),
    by("Pentobi<0.2", "YELLOW", P::Move, G::Move, Single(V::Point), "old spelling of 2").list().blokus(),
];
