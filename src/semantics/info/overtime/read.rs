//! Overtime as people write it: the numbers and their units are collected first, and interpreted together.
//!
//! Owns [`Told`]. Invariant: a number that has no place is not dropped: the text is not read then.

use std::time::Duration;

use super::super::duration::seconds;
use super::super::scan::Scan;
use super::super::score::Score;
use super::Overtime;
use super::words::{Method, WORDS, Word};

const DAY: Duration = Duration::from_secs(86_400);

/// What the text has stated so far.
#[derive(Clone, Copy, Default)]
struct Told {
    method: Option<Method>,
    /// What stood before a `+`.
    main: Option<Duration>,
    /// How many moves.
    moves: Option<i64>,
    /// How many periods.
    periods: Option<i64>,
    /// Lengths of time with a unit.
    durations: [Option<Duration>; 2],
    /// Numbers with no unit.
    numbers: [Option<i64>; 2],
    times: bool,
    per: bool,
    /// Added to the main time.
    plus: bool,
}

/// The result of reading a word.
enum Step {
    Told,
    Filler,
    End,
}

impl Scan<'_> {
    /// Reads overtime up to a word that has nothing to do with it.
    pub(in crate::semantics::info) fn eat_overtime(&mut self) -> Option<Overtime> {
        self.eat_told(Told::default())?.overtime()
    }

    /// The same with the main time, if that is stated before it.
    pub(in crate::semantics::info) fn eat_main_time_and_overtime(&mut self) -> Option<(Option<Duration>, Overtime)> {
        let told = self.eat_told(Told::default())?;
        Some((told.main(), told.overtime()?))
    }

    /// Reads overtime behind a main time and a `+`. A length of time alone may be a period or an increment, so it
    /// counts as neither.
    pub(in crate::semantics::info) fn eat_overtime_behind_plus(&mut self) -> Option<Overtime> {
        let told = self.eat_told(Told { plus: true, ..Told::default() })?;
        let alone =
            told.method.is_none() && told.moves.is_none() && told.periods.is_none() && told.numbers[0].is_none();
        if alone { None } else { told.overtime() }
    }

    /// Reads days that nothing counts: `8 hours, two days` says how long the game took, and has no overtime.
    pub(in crate::semantics::info) fn eat_days(&mut self) -> bool {
        let mut next = *self;
        let is_days = next.eat_told(Told::default()).is_some_and(|told| told.is_days());
        if is_days {
            next.eat_one(&["制"]);
            *self = next;
        }
        is_days
    }

    fn eat_told(&mut self, mut told: Told) -> Option<Told> {
        let mut next = *self;
        // A filler belongs to what follows it.
        let mut end = next;
        loop {
            match told.word(&mut next)? {
                Step::Told => end = next,
                Step::Filler => {}
                Step::End => break,
            }
        }
        *self = end;
        Some(told)
    }
}

impl Told {
    /// Reads a word or number. `None` if it contradicts what was stated.
    fn word(&mut self, scan: &mut Scan<'_>) -> Option<Step> {
        scan.skip_spaces();
        let mut next = *scan;
        if let Some(duration) = next.eat_duration() {
            put(&mut self.durations, duration)?;
            *scan = next;
            return Some(Step::Told);
        }
        if let Some(number) = next.eat_count() {
            self.number(number, &mut next)?;
            *scan = next;
            return Some(Step::Told);
        }
        if let Some(word) = next.eat_word(&WORDS) {
            match word {
                // `fischer` is more specific than what `extra` may say about periods.
                Word::Method(method) if self.method.is_none_or(|before| before == Method::ByoYomi) => {
                    self.method = Some(method);
                }
                Word::Method(_) | Word::Periods | Word::Filler => {}
                Word::Moves => self.moves = self.moves.or(Some(1)),
                Word::Times => self.times = true,
                Word::Per => self.per = true,
                Word::Plus => *self = Self { method: self.method, ..self.behind_main() },
                // What is counted is neither a main time nor nothing.
                Word::Without if self.is_counted() => return None,
                Word::Without => *self = Self { method: Some(Method::Absolute), ..self.behind_main() },
            }
            *scan = next;
            return Some(if matches!(word, Word::Filler) { Step::Filler } else { Step::Told });
        }
        // `per minute`.
        let unit = if self.per { next.eat_one_unit() } else { None };
        if let Some(duration) = unit {
            put(&mut self.durations, duration)?;
            *scan = next;
        }
        Some(if unit.is_some() { Step::Told } else { Step::End })
    }

    /// A number counts what is named behind it: moves, periods, or something yet to be found out.
    fn number(&mut self, number: i64, scan: &mut Scan<'_>) -> Option<()> {
        let mut unit = *scan;
        unit.skip_spaces();
        match unit.eat_word(&WORDS) {
            Some(Word::Moves) => self.moves = Some(number),
            Some(Word::Periods) => self.periods = Some(number),
            _ => return put(&mut self.numbers, number),
        }
        *scan = unit;
        Some(())
    }

    /// Whether a time is for some moves or periods.
    fn is_counted(&self) -> bool {
        self.moves.is_some() || self.periods.is_some() || self.per || self.numbers[0].is_some()
    }

    fn is_days(&self) -> bool {
        let is_alone = self.method.is_none() && !self.is_counted() && !self.plus && !self.times;
        is_alone && matches!(self.durations, [Some(days), None] if days >= DAY)
    }

    /// What stood before was the main time.
    fn behind_main(&self) -> Self {
        let main = match (self.durations, self.numbers) {
            ([main, None], [None, _]) if !self.is_counted() => main,
            _ => None,
        };
        Self { main, plus: true, ..Self::default() }
    }

    /// The main time. `14 days with 1 day extra per move` has no `+` behind it.
    fn main(&self) -> Option<Duration> {
        let [first, second] = self.durations;
        self.main.or(first.filter(|_| self.method == Some(Method::Fischer) && second.is_some()))
    }

    fn overtime(&self) -> Option<Overtime> {
        let of_seconds = |number: i64| seconds(Score::new(number, 1)?);
        let [duration, second_duration] = self.durations;
        let [number, second_number] = self.numbers;
        // A number of seconds, if no length of time is stated.
        let period = || duration.or_else(|| of_seconds(number?));
        match (self.method, self.moves, self.periods) {
            (Some(Method::Absolute), ..) => (duration.is_none() && number.is_none()).then_some(Overtime::Absolute),
            (Some(Method::Fischer), _, None) => {
                let last = second_duration.or(duration).or_else(|| of_seconds(second_number.or(number)?));
                last.map(|increment| Overtime::Fischer { increment })
            }
            // `5 mins Japanese style, 1 move / min`: the standard's example.
            (Some(Method::ByoYomi), Some(1), None) if second_duration.is_some() => {
                let (all, one) = (duration?.as_secs(), second_duration?.as_secs());
                let periods = all.checked_div(one).filter(|periods| periods * one == all)?;
                Overtime::byo_yomi(i64::try_from(periods).ok()?, second_duration?)
            }
            _ if second_duration.is_some() => None,
            (_, _, Some(periods)) => Overtime::byo_yomi(periods, period()?),
            // `+30 sec per move`.
            (None, Some(1), None) if self.plus => period().map(|increment| Overtime::Fischer { increment }),
            // `30 sec/move`, `20 per move`, `1手30秒`.
            (Some(Method::ByoYomi) | None, Some(1), None) => Overtime::byo_yomi(1, period()?),
            // `15 moves in 5`: very probably minutes.
            (_, Some(_), None) if duration.is_none() && number.is_some_and(|number| number < 60) => None,
            (_, Some(moves), None) => Overtime::canadian(moves, period()?),
            (Some(Method::Canadian), None, None) => match (duration, second_number) {
                (Some(period), None) => Overtime::canadian(number?, period),
                (None, Some(period)) => Overtime::canadian(number?, of_seconds(period)?),
                _ => None,
            },
            (method, None, None) => match (number, second_number, duration) {
                (Some(periods), None, Some(period)) if self.times || method.is_some() => {
                    Overtime::byo_yomi(periods, period)
                }
                // `30:00/25`.
                (Some(moves), None, Some(period)) if self.per => Overtime::canadian(moves, period),
                (Some(periods), Some(period), None) if self.times => Overtime::byo_yomi(periods, of_seconds(period)?),
                // `25/600`: seconds are likely only if they make up a minute.
                (Some(moves), Some(period @ 60..), None) if self.per => Overtime::canadian(moves, of_seconds(period)?),
                (Some(period), None, None) if method.is_some() => Overtime::byo_yomi(1, of_seconds(period)?),
                (None, None, Some(increment)) if self.plus && method.is_none() => Some(Overtime::Fischer { increment }),
                (None, None, Some(period)) => Overtime::byo_yomi(1, period),
                _ => None,
            },
        }
    }
}

/// Puts a value into the first free place; `None` if there is none.
fn put<T>(places: &mut [Option<T>; 2], value: T) -> Option<()> {
    let place = places.iter_mut().find(|place| place.is_none())?;
    *place = Some(value);
    Some(())
}
