//! The cells of a row.
//!
//! Owns what stands in each column. Invariant: what several columns are read from is read once for a row, since reading results
//! and dates takes longer than to find them in the source. Refuses to know how a cell is written.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;

use crate::record::typed::{self, Days};
use crate::record::{Cell, Column, Row, Signature};
use crate::semantics::Color;
use crate::semantics::info::{Margin, Outcome, Rank, Reading, Score, TimeLimit, Winner};
use crate::syntax::Ident;

/// The cells of a [`Row`], as they are asked for. What is read for one column is kept for others.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    row: Row<'a>,
    outcome: OnceCell<Reading<Outcome>>,
    days: OnceCell<Option<Days>>,
    time_limit: OnceCell<Reading<TimeLimit>>,
    /// What is stated of Black's and of White's rank.
    ranks: [OnceCell<Option<Cow<'a, str>>>; 2],
}

impl<'a> Cells<'a> {
    pub(super) const fn new(row: Row<'a>) -> Self {
        Self {
            row,
            outcome: OnceCell::new(),
            days: OnceCell::new(),
            time_limit: OnceCell::new(),
            ranks: [OnceCell::new(), OnceCell::new()],
        }
    }

    /// The contents of a column; null if that was not [wanted](Column::wants) of the game.
    pub fn cell(&self, column: Column) -> Cell<'a> {
        let Row { file, member, game, record } = self.row;
        if let Some(ident) = column.ident() {
            // A text of white space says no more than a missing one.
            let stated = match ident {
                Ident::BR => self.rank(Color::Black).cloned(),
                Ident::WR => self.rank(Color::White).cloned(),
                Ident::OT if record.text(ident).is_none_or(|text| text.is_empty()) => {
                    let overtime = record.overtime_beside(self.time_limit()).value();
                    overtime.map(|overtime| Cow::Owned(overtime.to_string()))
                }
                ident => record.stated(ident),
            };
            let stated = stated.filter(|text| !text.chars().all(char::is_whitespace));
            return stated.map_or(Cell::Null, Cell::Text);
        }
        if column.wants() | record.wants() != record.wants() {
            return Cell::Null;
        }
        let word = |text: &'a str| Cell::Text(Cow::Borrowed(text));
        let text = |text: Option<String>| text.map_or(Cell::Null, |text| Cell::Text(Cow::Owned(text)));
        let count = |count: Option<u64>| count.map_or(Cell::Null, Cell::Count);
        // One that has none of its moves would be equal in all short games.
        let signature = |moves: Option<Signature>| text(moves.filter(|it| !it.is_empty()).map(|it| it.to_string()));
        let number = |number: Option<f64>| number.filter(|it| it.is_finite()).map_or(Cell::Null, Cell::Number);
        match column {
            Column::File => word(file),
            Column::Member => member.map_or(Cell::Null, word),
            Column::Game => Cell::Count(game),
            Column::Offset => Cell::Count(record.offset()),
            Column::Length => Cell::Count(record.len()),
            Column::Gm => count(record.board().game().number().map(u64::from)),
            Column::Size => match record.board().size() {
                Some(size) if size.columns == size.rows => Cell::Count(size.columns.into()),
                size => text(size.map(|size| size.to_string())),
            },
            Column::Charset => word(record.charset().name()),
            Column::Winner => match self.outcome().value() {
                Some(Outcome::Win { winner: Winner::Black, .. }) => word("B"),
                Some(Outcome::Win { winner: Winner::White, .. }) => word("W"),
                Some(Outcome::Draw) => word("draw"),
                _ => Cell::Null,
            },
            Column::Margin => {
                let margin = self.outcome().value().and_then(Outcome::margin).and_then(Margin::to_points);
                number(margin.map(Score::to_f64))
            }
            Column::Komi => number(record.komi().value().map(|komi| komi.points().to_f64())),
            Column::Handicap => count(record.handicap().value().map(|handicap| handicap.stones().into())),
            Column::Time => {
                let main = self.time_limit().value().and_then(TimeLimit::main);
                number(main.map(|main| main.as_secs_f64()))
            }
            Column::Moves => count(record.moves()),
            Column::Nodes => count(record.nodes()),
            Column::Variations => count(record.variations()),
            Column::Comments => count(record.comments()),
            Column::Problems => count(record.problems()),
            Column::Signature => signature(Some(record.signature())),
            Column::SecondSignature => signature(Some(record.second_signature())),
            Column::Symmetric => signature(record.symmetric()),
            Column::MainLine => {
                text(Some(record.main_line()).filter(|&hash| hash != 0).map(|hash| format!("{hash:016x}")))
            }
            Column::Year => count(self.days().and_then(|days| days.year).map(Into::into)),
            Column::Ending => {
                let outcome = self.outcome();
                record.ending_of(outcome).map_or(Cell::Null, word)
            }
            Column::DateFrom => text(self.days().and_then(|days| days.ends).map(|(first, _)| first.to_string())),
            Column::DateTo => text(self.days().and_then(|days| days.ends).map(|(_, last)| last.to_string())),
            Column::BlackLevel => self.level(Color::Black),
            Column::WhiteLevel => self.level(Color::White),
            Column::Players => {
                let mut seen = HashSet::new();
                let is_new = |name: &Cow<'a, str>| !name.trim().is_empty() && seen.insert(name.clone());
                let names: Vec<_> = record.players().filter(is_new).collect();
                text(Some(names.join("; ")).filter(|names| !names.is_empty()))
            }
            // The others are texts of properties.
            _ => Cell::Null,
        }
    }

    fn outcome(&self) -> Reading<Outcome> {
        let record = self.row.record;
        *self.outcome.get_or_init(|| record.outcome())
    }

    fn time_limit(&self) -> Reading<TimeLimit> {
        let record = self.row.record;
        *self.time_limit.get_or_init(|| record.time_limit())
    }

    fn rank(&self, color: Color) -> Option<&Cow<'a, str>> {
        let record = self.row.record;
        let (place, ident) = match color {
            Color::Black => (0, Ident::BR),
            Color::White => (1, Ident::WR),
        };
        self.ranks[place].get_or_init(|| record.stated(ident)).as_ref()
    }

    fn level(&self, color: Color) -> Cell<'a> {
        let rank = self.rank(color).and_then(|text| Rank::parse(text).value());
        rank.and_then(typed::level).map_or(Cell::Null, |level| Cell::Integer(level.into()))
    }

    fn days(&self) -> Option<Days> {
        let record = self.row.record;
        *self.days.get_or_init(|| record.days_of_date())
    }
}
