//! What is known about one game.
//!
//! Owns [`GameRecord`] and the typed views of its header. How it is filled is for the recorder.

use std::borrow::Cow;

use crate::record::alike;
use crate::record::info::{self, Info, P0_TO_P5};
use crate::record::main_line::MainLine;
use crate::record::remarks::Remarks;
use crate::record::signature;
use crate::record::{Signature, Wants};
use crate::semantics::go::KI;
use crate::semantics::info::{
    Dates, GameResult, Handicap, Komi, Outcome, Overtime, Period, Rank, Reading, Rules, Score, Team, TimeLimit, WinBy,
    Winner, is_fox,
};
use crate::semantics::{Board, Color, GameType};
use crate::stable::{hash, mix};
use crate::syntax::{Ident, Moves, Position, Value};
use crate::text::{Charset, Writing};

/// One game: where it is, what its header says, counts of what is in it, and what tells it from others.
///
/// The header is the root node and the nodes after it, up to and including the first that has a move, or up to the
/// first variation. Of its properties those of type root or game-info are kept, raw; the typed views are made on
/// demand. They take 1 MiB at most, see [`is_cut`](Self::is_cut).
///
/// [`Recorder`](crate::record::Recorder) uses one record for all games, so after
/// a few games it allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct GameRecord {
    pub(super) wants: Wants,
    pub(super) position: Position,
    pub(super) len: u64,
    pub(super) is_complete: bool,
    /// P0 to P5 are players as Boardspace writes them.
    pub(super) is_of_boardspace: bool,
    pub(super) board: Board,
    pub(super) charset: Charset,
    pub(super) info: Info,
    pub(super) line: MainLine,
    pub(super) remarks: Remarks,
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    pub(super) comments: u64,
    pub(super) problems: u64,
    /// PL of the main line says that White moves next.
    white_to_play: bool,
}

impl GameRecord {
    /// A game begins.
    pub(super) fn begin(&mut self, wants: Wants, position: Position) {
        self.wants = wants;
        self.position = position;
        self.len = 0;
        self.is_complete = false;
        self.is_of_boardspace = false;
        self.board = Board::default();
        self.charset = Charset::default();
        self.info.clear();
        self.line.begin(wants.moves);
        self.remarks.clear();
        (self.nodes, self.leaves, self.comments, self.problems) = (0, 0, 0, 0);
        self.white_to_play = false;
    }

    /// A move on the main line. An empty one counts as a pass as older files write it, where that is no point of the board.
    #[inline]
    pub(super) fn play(&mut self, ident: Ident, raw: &[u8]) {
        let letters = unwrapped(raw);
        let written = letters.as_ref().map_or(raw, |letters| letters).trim_ascii();
        let spelled = self.spelled(written);
        self.line.play(self.board, ident, spelled, written);
        if let GameType::Blokus(_) = self.board.game() {
            self.line.begin_piece(spelled);
        }
    }

    /// Moves on the main line, which are not empty and have no white space. Returns the property of the last.
    #[inline]
    pub(super) fn play_all(&mut self, moves: Moves<'_>) -> Ident {
        if alike::depends_on_game(self.board) {
            for (_, property, value) in moves {
                self.play(if property.raw() == b"B" { Ident::B } else { Ident::W }, value.raw());
            }
        } else {
            self.line.play_all(moves);
        }
        let [.., last] = moves.raw().as_chunks().0 else { return Ident::B };
        let [_, color, _, _, _, _]: [u8; Moves::MOVE_LEN] = *last;
        if color == b'B' { Ident::B } else { Ident::W }
    }

    /// More values of the move: in Blokus, the other points of the piece, as Pentobi wrote them up to 0.2. In other
    /// games a move has one value.
    pub(super) fn play_more(&mut self, ident: Ident, raw: &[u8]) {
        if let GameType::Blokus(_) = self.board.game() {
            self.line.add_to_piece(self.board, ident, self.spelled(raw));
        }
    }

    /// Stones put on or taken from the board.
    pub(super) fn set_up(&mut self, ident: Ident, raw: &[u8]) {
        self.line.set_up(self.board, ident, raw);
    }

    /// Whose turn it is.
    pub(super) fn set_turn(&mut self, raw: &[u8]) {
        self.white_to_play = matches!(raw.trim_ascii_start().first(), Some(b'W' | b'w'));
    }

    /// A move without the parts that do not matter.
    #[inline]
    fn spelled<'a>(&self, raw: &'a [u8]) -> &'a [u8] {
        let raw = raw.trim_ascii();
        if raw.is_empty() { self.pass() } else { raw }
    }

    /// How an empty move is spelled in signatures and tables.
    pub(crate) fn pass(&self) -> &'static [u8] {
        signature::pass(self.board.size())
    }

    /// What of the game was read.
    pub const fn wants(&self) -> Wants {
        self.wants
    }

    /// The offset of its `(`, or of its first `;` if [that was lost](crate::Tree::is_implied), in bytes from the beginning of
    /// the source.
    pub const fn offset(&self) -> u64 {
        self.position.offset
    }

    /// Where that stands.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Its length in bytes from there to its last `)`, or to where reading it ended; 0 while the game goes on.
    #[expect(clippy::len_without_is_empty, reason = "no game is empty")]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// True if the game has ended with a `)` of its own. False if it was cut off, because the input ended or the next game
    /// began ([`Config::resync`](crate::Config::resync)) while one of its trees was open; and while the game goes on.
    ///
    /// This is known whatever was wanted, and says nothing else about what is in the game: see
    /// [`problems`](Self::problems).
    pub const fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// How much memory a clone of it takes, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.info.memory() + self.line.memory() + self.remarks.memory()
    }

    /// The game and the board, from GM, SZ and AP of the header. Go if GM is missing, as in the standard, unless the game
    /// comes from a site of other games that never writes it: see [`Board::learn`].
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The charset of the header's text in the source, comments included, as its last value has it. For ASCII it is UTF-8, or
    /// what CA says if that is HZ or a form of ISO-2022.
    pub const fn charset(&self) -> Charset {
        self.charset
    }

    /// The header's properties of type root and game-info, and those that older formats and some sites have instead, each
    /// value in document order.
    pub fn info(&self) -> impl Iterator<Item = (Ident, Value<'_>)> {
        self.info.iter().filter(|&(.., in_header)| in_header).map(|(ident, value, _)| (ident, value))
    }

    /// True if some values are missing because all of them together exceed 1 MiB.
    pub const fn is_cut(&self) -> bool {
        self.info.is_cut()
    }

    /// The first non-empty value of a property of the header; an empty one if there is no other.
    pub fn value(&self, ident: Ident) -> Option<Value<'_>> {
        self.info.first(ident)
    }

    /// The text of that value, decoded, on one line.
    pub fn text(&self, ident: Ident) -> Option<Cow<'_, str>> {
        self.value(ident).map(info::text)
    }

    /// The same, or else what sites write in its place, if it is that. Of several programs in AP, Fox is the one that
    /// wrote the game: it leaves the name of GNU Go before its own. Little Golem writes `null` for an event that it has
    /// no name for.
    pub(super) fn stated(&self, ident: Ident) -> Option<Cow<'_, str>> {
        let is_of_little_golem = || self.sources().any(|source| source.contains("littlegolem"));
        let stated = self.text(ident).filter(|text| text != "null" || !is_of_little_golem());
        let stated = stated.filter(|text| !self.is_time_in_ggf(ident, text));
        if ident == Ident::AP {
            let programs = self.info().filter(|&(ident, _)| ident == Ident::AP).map(|(_, value)| info::text(value));
            return { programs }.find(|program| is_fox(program)).or(stated);
        }
        if stated.as_ref().is_some_and(|text| !text.is_empty()) {
            let day = if ident == Ident::DT { self.day_of_ggf() } else { None };
            return day.or(stated);
        }
        let instead = |ident, is_it: fn(&str) -> bool| self.text(ident).filter(|text| is_it(text));
        let found = match ident {
            Ident::EV => instead(info::TE, |text| !matches!(text, "" | "1" | "2")),
            Ident::DT => {
                [info::RD, info::JD].into_iter().find_map(|it| instead(it, |text| !Dates::parse(text).is_raw()))
            }
            Ident::KM => instead(info::KO, |text| !Komi::parse(text).is_raw()),
            Ident::HA => instead(info::HD, |text| !Handicap::parse(text).is_raw()),
            Ident::OT => self.overtime().value().map(|overtime| Cow::Owned(overtime.to_string())),
            Ident::BR => self.in_ggf(ident).or_else(|| self.rank_in_name(Ident::PB)),
            Ident::WR => self.in_ggf(ident).or_else(|| self.rank_in_name(Ident::PW)),
            Ident::TM => self.in_ggf(ident),
            _ => None,
        };
        found.or(stated)
    }

    /// The rank behind the name of the only player: `柯洁九段`.
    fn rank_in_name(&self, name: Ident) -> Option<Cow<'_, str>> {
        Team::rank_of_one(&self.text(name)?).map(|rank| Cow::Owned(rank.to_owned()))
    }

    /// Every name of a player or team: the values of PB, PW, BT and WT in the header, and of P0 to P5 (games of more
    /// than two, and players of unknown colours). If [names](Wants::names) were wanted, also those in the nodes below.
    pub fn players(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.info.iter().filter_map(|(ident, value, _)| self.name(ident, value))
    }

    /// The name in a property of the header.
    #[cfg(feature = "index")]
    pub(crate) fn player(&self, ident: Ident) -> Option<Cow<'_, str>> {
        if !self.is_of_boardspace {
            return self.text(ident).filter(|text| !self.is_time_in_ggf(ident, text));
        }
        self.names().find(|&(it, _)| it == ident).map(|(_, name)| name)
    }

    /// The names in the header, with the properties that they stand in.
    fn names(&self) -> impl Iterator<Item = (Ident, Cow<'_, str>)> {
        self.info().filter_map(|(ident, value)| Some((ident, self.name(ident, value)?)))
    }

    fn name<'a>(&self, ident: Ident, value: Value<'a>) -> Option<Cow<'a, str>> {
        let text = || info::text(value);
        if self.is_of_boardspace && P0_TO_P5.contains(&ident) {
            return info::name_of_boardspace(&text()).map(|name| Cow::Owned(name.to_owned()));
        }
        info::is_name(ident).then(text).filter(|text| !self.is_time_in_ggf(ident, text))
    }

    /// The player of that name.
    fn called(&self, name: &str) -> Option<Winner> {
        let seat = |ident| P0_TO_P5.iter().position(|&it| it == ident);
        let mut found = self.names().filter(|(_, it)| it.trim() == name.trim()).filter_map(|(ident, _)| match ident {
            Ident::PB => Some(Winner::Black),
            Ident::PW => Some(Winner::White),
            _ => Some(Winner::Player(u8::try_from(seat(ident)?).ok()?)),
        });
        let player = found.next()?;
        found.all(|other| other == player).then_some(player)
    }

    fn read<T>(&self, ident: Ident, parse: impl FnOnce(&str) -> Reading<T>) -> Reading<T> {
        self.stated(ident).map_or(Reading::Raw, |text| parse(&text))
    }

    /// How the game ended, from RE. A player may be called there by the name in PB or PW, or in P0 to P5 if the text is `Game
    /// won by NAME`. Where GM is a name, it may be only a number. A margin of Fox is of stones if the rules are Chinese, and
    /// left out if it is a code, such as `W+0.02`. [`GameResult`] of the text has the remark after it, too.
    pub fn outcome(&self) -> Reading<Outcome> {
        let between = |text: &str| match GameResult::parse(text) {
            Reading::Raw if !text.is_empty() => {
                let name = |ident| self.text(ident).unwrap_or_default();
                GameResult::parse_between(text, &name(Ident::PB), &name(Ident::PW)).map(|result| result.outcome)
            }
            reading => reading.map(|result| result.outcome),
        };
        self.read(Ident::RE, |text| match text.strip_prefix("Game won by ").map(|name| self.called(name)) {
            Some(Some(winner)) => Reading::Lenient(Outcome::Win { winner, by: WinBy::Unstated }),
            // A colour is only a part of a name there.
            Some(None) if self.is_of_boardspace => Reading::Raw,
            _ => self.of_fox(self.win_of_ggf(text).map_or_else(|| between(text), Reading::Lenient)),
        })
    }

    /// The points by which it was won.
    pub fn margin(&self) -> Option<Score> {
        self.outcome().value()?.margin()?.to_points()
    }

    /// The first day of DT, which GGF may give in seconds; or of RD or JD, which some write instead. [`Dates`] of the text has
    /// the others.
    pub fn date(&self) -> Reading<Period> {
        self.read(Ident::DT, |text| Dates::parse(text).map(|dates| dates.first()))
    }

    /// The year of that day, unless DT says only in which decade or century it is.
    pub fn year(&self) -> Option<u16> {
        self.days_of_date()?.year
    }

    /// Points for White, from KM; or if that is missing, from KI, or from KO or HA, as Korean sites write it. AP, SO, PC
    /// and RU show whether a program writes it in another unit. Raw if Fox leaves it out: it writes 0 then, in games without a
    /// handicap.
    pub fn komi(&self) -> Reading<Komi> {
        let Some(text) = self.stated(Ident::KM).filter(|text| !text.is_empty()) else {
            let twice = self.read(KI, Komi::parse_ki);
            return if twice.is_raw() { self.read(Ident::HA, Komi::parse_ha) } else { twice };
        };
        let komi = Komi::parse_among(&text, self.sources(), &self.text(Ident::RU).unwrap_or_default());
        if komi.value().is_some_and(|komi| self.leaves_out(komi)) { Reading::Raw } else { komi }
    }

    /// The rules, from RU.
    pub fn rules(&self) -> Reading<Rules> {
        self.read(Ident::RU, Rules::parse)
    }

    /// Handicap stones, from HA, or from HD, as Korean sites write it.
    pub fn handicap(&self) -> Reading<Handicap> {
        self.read(Ident::HA, Handicap::parse)
    }

    /// The players' time, from TM; from TI in GGF, or TB and TW; or from OT if DGS states it there. Where LC is written, as by
    /// gokifu.com, Sina and Korean sites, less than 600 in TM are minutes, and one to nine are Raw, since they may be hours.
    pub fn time_limit(&self) -> Reading<TimeLimit> {
        let Some(text) = self.stated(Ident::TM).filter(|text| !text.is_empty()) else {
            return self.text(Ident::OT).map_or(Reading::Raw, |text| TimeLimit::parse_ot(&text));
        };
        let limit = TimeLimit::parse(text.trim());
        if let Reading::Exact(TimeLimit::Each { main, .. }) = limit
            && self.value(info::LC).is_some()
        {
            return match main.as_secs() {
                1..10 => Reading::Raw,
                10..600 => Reading::Lenient(TimeLimit::each(main * 60)),
                _ => limit,
            };
        }
        limit
    }

    /// The overtime: from OT; from TM if it is written there; from OM and OP, which FF\[3\] had; or from TC and TT, or LC
    /// and LT, as some sites write it, or from TI in GGF.
    pub fn overtime(&self) -> Reading<Overtime> {
        let written = self.text(Ident::OT).map_or(Reading::Raw, |text| Overtime::parse(&text));
        if !written.is_raw() {
            return written;
        }
        self.overtime_beside(self.time_limit())
    }

    /// The overtime that OT does not say, with the time limit, which has been read.
    pub(super) fn overtime_beside(&self, limit: Reading<TimeLimit>) -> Reading<Overtime> {
        if let Some(overtime) = limit.value().and_then(TimeLimit::overtime) {
            return Reading::Lenient(overtime);
        }
        let from_both = |number, period, parse: fn(&str, &str) -> Reading<Overtime>| {
            let both = self.text(number).zip(self.text(period));
            both.map(|(number, period)| parse(&number, &period)).filter(|reading| !reading.is_raw())
        };
        from_both(info::OM, info::OP, Overtime::parse_om)
            .or_else(|| from_both(info::TC, info::TT, Overtime::parse_periods))
            .or_else(|| from_both(info::LC, info::LT, Overtime::parse_periods))
            .or_else(|| self.increment_of_ggf().map(Reading::Lenient))
            .unwrap_or(Reading::Raw)
    }

    /// How strong a player is, from BR or WR; from RB or RW in GGF; or from behind the name in PB or PW.
    pub fn rank(&self, color: Color) -> Reading<Rank> {
        let ident = match color {
            Color::Black => Ident::BR,
            Color::White => Ident::WR,
        };
        self.read(ident, Rank::parse)
    }

    /// The number of moves in the main line, passes included; `None` if [the line](Wants::main_line) was not wanted. B and W
    /// are moves, also in small letters and whatever their value, in Blokus the numbers and names of colours, and in `ConHex` R.
    /// In `A (B) C` the main line is A and C, as the CWI notes read it.
    pub fn moves(&self) -> Option<u64> {
        self.wants.main_line.then(|| self.line.moves())
    }

    /// The moves and the setup of the main line, in order and as they are written: `B` and `pd`, `AB` and `dd:dp`; if [the
    /// moves](Wants::moves) were wanted. A pass of Go is empty, also if it is `tt` in small letters, and R of `ConHex` is `W`.
    /// (In a [`Signature`] and in the tables of an index, an empty move is `tt`, and `--` on boards larger than 19 by 19, where
    /// `tt` is a point.) A piece of Blokus that is a list of points is one move, with commas between the points. In `A (B) C`
    /// the line is A and C, while [`MainLine`](crate::MainLine) leaves A and B. Whose turn it is (PL) is not among the setup.
    ///
    /// They take 1 MiB at most, some 30,000 moves, see [`line_is_cut`](Self::line_is_cut).
    ///
    /// [`Value::new`] makes values of them, which the game's [board](Self::board) can read:
    ///
    /// ```
    /// use std::convert::Infallible;
    /// use std::ops::ControlFlow;
    /// use sgf_stream::record::{GameRecord, Recorder, Wants};
    /// use sgf_stream::semantics::Point;
    /// use sgf_stream::{Position, Value, Writing, read_slice};
    ///
    /// let mut points = Vec::new();
    /// let mut recorder = Recorder::new(Wants::ALL, |game: &GameRecord| {
    ///     for (_, raw) in game.line() {
    ///         let value = Value::new(raw, Writing::default(), Position::START);
    ///         points.push(game.board().read_move_lenient(value).map(|it| it.point()));
    ///     }
    ///     ControlFlow::<Infallible>::Continue(())
    /// });
    /// let _ = read_slice(b"(;SZ[9];B[cd];W[])", &mut recorder)?;
    /// assert_eq!(points, [Ok(Some(Point { x: 2, y: 3 })), Ok(None)]);
    /// # Ok::<(), sgf_stream::Error>(())
    /// ```
    pub fn line(&self) -> impl Iterator<Item = (Ident, &[u8])> {
        let old_pass = Value::new(b"tt", Writing::default(), Position::START);
        let is_old =
            old_pass.raw() == self.pass() && self.board.read_move_lenient(old_pass).is_ok_and(|it| it.is_pass());
        self.line.line().iter().map(move |(ident, raw)| {
            let is_pass = is_old && raw == old_pass.raw() && self.board.plays(ident).is_some();
            (ident, if is_pass { &[][..] } else { raw })
        })
    }

    /// True if [`line`](Self::line) ends early, because it exceeds 1 MiB.
    pub const fn line_is_cut(&self) -> bool {
        self.line.line().is_cut()
    }

    /// The comments (C) that are not blank, decoded, each with the number of its node in document order; the root is 1.
    /// If [texts](Wants::texts) were wanted.
    ///
    /// They take 4 MiB at most, see [`comments_are_cut`](Self::comments_are_cut).
    pub fn comment_texts(&self) -> impl Iterator<Item = (u64, Cow<'_, str>)> {
        self.remarks.iter().map(|(node, value)| (node, value.text()))
    }

    /// True if [`comment_texts`](Self::comment_texts) ends early, perhaps within one, because all together exceed 4
    /// MiB.
    pub const fn comments_are_cut(&self) -> bool {
        self.remarks.is_cut()
    }

    /// The signature: moves 20, 40 and 60 of the main line.
    pub fn signature(&self) -> Signature {
        self.line.signature()
    }

    /// The second signature: moves 31, 51 and 71.
    pub fn second_signature(&self) -> Signature {
        self.line.second_signature()
    }

    /// The signature that this game shares with all games that differ from it by turning or mirroring the board.
    pub fn symmetric(&self) -> Option<Signature> {
        self.signature().symmetric(self.board)
    }

    /// A hash of the moves and the setup of the main line. It is the same on all machines, and for games that were
    /// annotated differently. It does not depend on the order of AB, AW and AE within a node, on points or rectangles,
    /// on the case of moves of Hex, or on how a piece of Blokus is written: its points may be in any order and case,
    /// its colour a letter, number or name. What the game and its board are has to stand before the first of them, as
    /// all programs write it.
    pub const fn main_line(&self) -> u64 {
        self.line.hash()
    }

    /// What tells the game from all others, as a number that is the same on all machines and in all versions, if [the
    /// line](Wants::main_line) was wanted. It is made of both signatures, or of the main line if the game is too short for
    /// these, and of the game and its board; without a move, also of whether PL gives the turn to White. Two games that share
    /// it are copies of each other, or differ only where nobody looks. `None` for a game without a move or stone, which is like
    /// no other.
    pub fn identity(&self) -> Option<u64> {
        let (first, second) = (self.signature(), self.second_signature());
        let size = self.board.size().map_or(0, |size| u64::from(size.columns) << 16 | u64::from(size.rows));
        let board = mix(size << 8 | u64::from(self.board.game().number().unwrap_or(0)));
        let board = mix(board ^ self.board.game().name().map_or(0, |name| hash(name.as_bytes())));
        if first.is_full() && second.is_full() {
            return Some(mix(board ^ hash(format!("{first} {second}").as_bytes())));
        }
        // A problem for White is another one for Black.
        let turn = u64::from(self.white_to_play && self.line.moves() == 0) << 63;
        (self.main_line() != 0).then(|| mix(mix(board ^ turn ^ self.line.moves()) ^ self.main_line()))
    }

    /// The number of nodes, including those of variations; `None` if [counts](Wants::counts) were not wanted.
    pub fn nodes(&self) -> Option<u64> {
        self.wants.counts.then_some(self.nodes)
    }

    /// The number of paths from the root to a leaf, minus one; `None` if [counts](Wants::counts) were not wanted.
    pub fn variations(&self) -> Option<u64> {
        self.wants.counts.then(|| self.leaves.saturating_sub(1))
    }

    /// The number of comments (C) that are not blank; `None` if [counts](Wants::counts) were not wanted.
    pub fn comments(&self) -> Option<u64> {
        self.wants.counts.then_some(self.comments)
    }

    /// The number of problems in the game, not of those before or after it; `None` if [counts](Wants::counts) were not wanted.
    pub fn problems(&self) -> Option<u64> {
        self.wants.counts.then_some(self.problems)
    }
}

/// The two letters of a point with white space between them: mailers have broken lines wherever the line was full.
#[inline]
fn unwrapped(raw: &[u8]) -> Option<[u8; 2]> {
    if raw.len() <= 2 {
        return None;
    }
    let mut letters = raw.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    let both = [letters.next()?, letters.next()?];
    letters.next().is_none().then_some(both)
}
