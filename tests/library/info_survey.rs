//! How much of the game information in real files is understood: those of the folder that `SGF_CORPORA` names.
//!
//! Prints the shares. The floors are lower than what was measured, to allow for other folders.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::ops::ControlFlow;

use sgf_stream::semantics::info::{
    Dates, GameResult, Handicap, Komi, Overtime, Rank, Reading, Round, Rules, Team, TimeLimit,
};
use sgf_stream::{Charsets, Config, Deliver, Ident, Parser, Property, Value, Visitor};

use crate::support::corpora;

/// The number of values by kind of reading.
#[derive(Clone, Copy, Default)]
struct Shares {
    exact: u32,
    lenient: u32,
    raw: u32,
}

#[derive(Default)]
struct Survey {
    ident: Option<Ident>,
    shares: BTreeMap<&'static str, Shares>,
}

type View = (Ident, &'static str, fn(&str) -> Reading<()>);

const VIEWS: &[View] = &[
    (Ident::RE, "RE", |text| GameResult::parse(text).map(drop)),
    (Ident::DT, "DT", |text| Dates::parse(text).map(drop)),
    (Ident::TM, "TM", |text| TimeLimit::parse(text).map(drop)),
    (Ident::OT, "OT", |text| Overtime::parse(text).map(drop)),
    (Ident::KM, "KM", |text| Komi::parse(text).map(drop)),
    (Ident::HA, "HA", |text| Handicap::parse(text).map(drop)),
    (Ident::BR, "BR", |text| Rank::parse(text).map(drop)),
    (Ident::WR, "WR", |text| Rank::parse(text).map(drop)),
    (Ident::RU, "RU", |text| Rules::parse(text).map(drop)),
    (Ident::RO, "RO", |text| Round::parse(text).map(drop)),
    (Ident::PB, "PB", |text| Team::parse(text, "").map(drop)),
    (Ident::PW, "PW", |text| Team::parse(text, "").map(drop)),
];

impl Visitor for Survey {
    type Break = Infallible;

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.ident = Some(property.ident());
        let wanted = VIEWS.iter().any(|&(ident, ..)| ident == property.ident());
        ControlFlow::Continue(if wanted { Deliver::Whole } else { Deliver::Skip })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let view = VIEWS.iter().find(|&&(ident, ..)| Some(ident) == self.ident);
        let text = value.simple_text();
        // An empty value means unknown.
        if let Some(&(_, name, read)) = view.filter(|_| !text.trim().is_empty()) {
            let shares = self.shares.entry(name).or_default();
            match read(&text) {
                Reading::Exact(()) => shares.exact += 1,
                Reading::Lenient(()) => shares.lenient += 1,
                Reading::Raw => shares.raw += 1,
            }
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn most_game_information_in_real_files_is_understood() {
    let Some(files) = corpora() else {
        eprintln!("NOT DONE: SGF_CORPORA is not set, so no game information of a real file was read");
        return;
    };
    let mut survey = Survey::default();
    for file in files {
        let input = fs::read(&file).unwrap();
        let mut parser = Parser::with_config(Config::new().charsets(Charsets::Auto));
        assert!(parser.read_slice(&input, &mut survey).unwrap().is_continue(), "{}", file.display());
    }
    assert!(!survey.shares.is_empty(), "no game information was read");
    let mut low = Vec::new();
    for (name, Shares { exact, lenient, raw }) in survey.shares {
        let all = f64::from(exact + lenient + raw);
        let percent = |part: u32| 100.0 * f64::from(part) / all;
        let (exact, lenient, raw) = (percent(exact), percent(lenient), percent(raw));
        eprintln!("{name}: {all:6} values, {exact:6.2} % exact, {lenient:6.2} % lenient, {raw:6.2} % raw");
        // Hangame has ranks of its own, LittleGolem puts its name into the rules, and a round may be anything; in many of
        // these files it is the number of moves.
        let floor = match name {
            "RO" => 50.0,
            "BR" | "WR" => 85.0,
            "RU" | "OT" => 90.0,
            _ => 98.0,
        };
        if exact + lenient < floor {
            low.push(name);
        }
    }
    assert!(low.is_empty(), "below their floors: {low:?}");
}
