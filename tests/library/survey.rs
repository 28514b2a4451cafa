//! How the values of real files read as their types: those of the folder that `SGF_CORPORA` names.
//!
//! Prints the shares. The floors are well below what was measured, to allow for other folders.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::{fmt, fs};

use sgf_stream::semantics::property::{ValueForm, ValueType};
use sgf_stream::semantics::{Board, Color, Double, GameType, Move, Number, Points, Real, Size, ValueError, definition};
use sgf_stream::{Deliver, Descend, FromValue, Ident, Property, Tree, Value, Visitor, read_slice};

use crate::support::corpora;

#[test]
fn the_values_of_real_files_read_as_their_types() {
    let Some(files) = corpora() else {
        eprintln!("NOT DONE: SGF_CORPORA is not set, so no value of a real file was read");
        return;
    };
    let mut survey = Survey::default();
    for file in files {
        let input = fs::read(&file).unwrap();
        // LittleGolem's games of Havannah have no GM.
        let havannah = file.extension().is_some_and(|extension| extension == "hgf");
        survey.unstated = if havannah { GameType::Havannah } else { GameType::Go };
        let flow = read_slice(&input, &mut survey).unwrap();
        assert!(flow.is_continue());
    }
    eprintln!("{survey}");

    assert!(survey.shares.contains_key("moves of Go"), "no move of Go was read");
    // Nearly all moves of Go follow the standard; the rest is damage that no reading should accept.
    survey.at_least("moves of Go", 0.999, 0.9995);
    survey.at_least("stones and points of Go", 0.999, 0.9995);
    survey.at_least("moves of Hex", 0.99, 1.0);
    survey.at_least("stones and points of Hex", 1.0, 1.0);
    survey.at_least("moves of Blokus", 1.0, 1.0);
    survey.at_least("stones and points of Blokus", 1.0, 1.0);
    survey.at_least("moves of Havannah", 1.0, 1.0);
    survey.at_least("moves of Othello", 0.0, 0.99);
    survey.at_least("colors", 0.8, 1.0);
    survey.at_least("sizes", 0.99, 0.999);
}

#[derive(Default)]
struct Survey {
    /// The game where GM is missing.
    unstated: GameType,
    board: Board,
    ident: Option<Ident>,
    shares: BTreeMap<String, Share>,
}

#[derive(Default)]
struct Share {
    all: u32,
    strict: u32,
    lenient: u32,
    /// A value that not even the lenient reading understood.
    example: Option<String>,
}

impl Survey {
    fn count(&mut self, what: String, value: Value<'_>, strict: bool, lenient: bool) {
        assert!(lenient || !strict, "[{}] reads strictly and not leniently", value.raw().escape_ascii());
        let share = self.shares.entry(what).or_default();
        share.all += 1;
        share.strict += u32::from(strict);
        share.lenient += u32::from(lenient);
        if !lenient && share.example.is_none() {
            share.example = Some(value.raw()[..value.raw().len().min(40)].escape_ascii().to_string());
        }
    }

    fn typed<'a, T: FromValue<'a, Err = ValueError> + PartialEq + fmt::Debug>(&mut self, what: &str, value: Value<'a>) {
        let (strict, lenient) = (value.parse::<T>(), value.parse_lenient::<T>());
        if strict.is_ok() {
            assert_eq!(strict, lenient, "strict and lenient readings differ");
        }
        self.count(what.to_owned(), value, strict.is_ok(), lenient.is_ok());
    }

    fn moved(&mut self, game: &str, value: Value<'_>) {
        // A raw move is not an error, but not understood either.
        let known = |it: Result<Move<'_>, ValueError>| match it {
            Ok(Move::Raw(_)) | Err(_) => None,
            Ok(it) => Some((it.point(), it.is_pass())),
        };
        let (strict, lenient) = (known(self.board.read_move(value)), known(self.board.read_move_lenient(value)));
        if strict.is_some() {
            assert_eq!(strict, lenient, "strict and lenient readings differ");
        }
        let (strict, lenient) = (strict.is_some(), lenient.is_some());
        self.count(format!("moves of {game}"), value, strict, lenient);
    }

    fn points(&mut self, game: &str, value: Value<'_>) {
        let read = |points: Result<Points<'_>, ValueError>| {
            points.is_ok_and(|points| {
                assert_eq!(points.len(), points.clone().count());
                true
            })
        };
        let strict = read(self.board.read_points(value));
        let lenient = read(self.board.read_points_lenient(value));
        self.count(format!("stones and points of {game}"), value, strict, lenient);
    }

    fn at_least(&self, what: &str, strict: f64, lenient: f64) {
        let Some(share) = self.shares.get(what) else { return };
        let of = |part: u32| f64::from(part) / f64::from(share.all);
        assert!(of(share.strict) >= strict && of(share.lenient) >= lenient, "{what}: {share}");
    }
}

impl Visitor for Survey {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.board = Board::new(self.unstated);
        }
        ControlFlow::Continue(Descend::Into)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.ident = Some(property.ident());
        ControlFlow::Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let Some(ident) = self.ident else { return ControlFlow::Continue(()) };
        self.board.learn(ident, value);
        if ident == Ident::SZ {
            self.typed::<Size>("sizes", value);
        }
        let game = match self.board.game() {
            GameType::Blokus(_) => "Blokus",
            game => game.name().unwrap_or("unknown games"),
        };
        match definition(ident).map(|row| row.value) {
            Some(ValueForm::Single(ValueType::Move)) => self.moved(game, value),
            Some(ValueForm::Single(ValueType::Point | ValueType::Stone)) if !value.raw().is_empty() => {
                self.points(game, value);
            }
            Some(ValueForm::Single(ValueType::Number)) if ident != Ident::GM => self.typed::<Number>("numbers", value),
            Some(ValueForm::Single(ValueType::Real)) => self.typed::<Real>("reals", value),
            Some(ValueForm::Single(ValueType::Double)) => self.typed::<Double>("doubles", value),
            Some(ValueForm::Single(ValueType::Color)) => self.typed::<Color>("colors", value),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u32| 100.0 * f64::from(part) / f64::from(self.all);
        let (strict, lenient) = (percent(self.strict), percent(self.lenient));
        write!(f, "{:8} values, {strict:7.3} % strictly, {lenient:7.3} % leniently", self.all)?;
        match &self.example {
            Some(example) => write!(f, "; not [{example}]"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shares.iter().try_for_each(|(what, share)| writeln!(f, "{what:36}{share}"))
    }
}
