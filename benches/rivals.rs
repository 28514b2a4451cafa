//! The other SGF readers on crates.io, on the games of `corpora/pro` that all of them accept, one game per call.
//!
//! Both build a tree of typed values, so sgf-stream is measured in three ways: counting events, copying everything, and
//! skipping games.

mod support;
#[path = "support/timing.rs"]
mod timing;

use std::convert::Infallible;
use std::hint::black_box;
use std::ops::ControlFlow::{self, Continue};
use std::panic::catch_unwind;

use criterion::{Criterion, criterion_group, criterion_main};
use sgf_stream::{Deliver, Event, Node, Property, Step, Value, Visitor, events};
use support::{Count, Over, PRO, push};

/// The games, each by itself.
fn games() -> Vec<&'static str> {
    let text = std::str::from_utf8(PRO.bytes()).expect("the corpus is UTF-8");
    let mut games = Vec::new();
    let mut start = 0;
    for event in events(text.as_bytes()) {
        match event.expect("lenient reading goes on") {
            Event::Enter(tree) if tree.depth() == 1 => start = tree.position().offset as usize,
            Event::Exit(end) if end.depth() == 1 => games.push(&text[start..=end.position().offset as usize]),
            _ => {}
        }
    }
    games
}

fn all_accept(game: &str) -> bool {
    let sgf_parse = catch_unwind(|| sgf_parse::go::parse(game).is_ok()).unwrap_or(false);
    let sgf_parser = catch_unwind(|| sgf_parser::parse(game).is_ok()).unwrap_or(false);
    sgf_parse && sgf_parser
}

/// A node: its properties, each with its values.
type Copied = Vec<(String, Vec<String>)>;

/// Copies everything, as the others do.
#[derive(Default)]
struct Collect(Vec<Copied>);

impl Visitor for Collect {
    type Break = Infallible;

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        self.0.push(Vec::new());
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        if let Some(node) = self.0.last_mut() {
            node.push((property.ident().to_string(), Vec::new()));
        }
        Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        if let Some((_, values)) = self.0.last_mut().and_then(|node| node.last_mut()) {
            values.push(value.text().into_owned());
        }
        Continue(())
    }
}

fn rivals(c: &mut Criterion) {
    let all = games();
    assert_eq!(all.len() as u64, PRO.tally.games);
    let games: Vec<&str> = all.iter().copied().filter(|game| all_accept(game)).collect();
    let bytes = games.concat();
    println!("{} of {} games ({} bytes) are accepted by all", games.len(), all.len(), bytes.len());
    assert!(games.len() > 100);

    let nodes = |game: &str| push(game.as_bytes(), Count::default()).0.nodes;
    for &game in &games {
        let tree = sgf_parser::parse(game).expect("it was accepted");
        assert_eq!(tree.count_max_nodes() as u64, nodes(game), "the readers count different nodes");
    }

    let mut group = timing::group(c, "rivals", bytes.as_bytes());
    group.bench_function("sgf-stream, counting", |b| {
        b.iter(|| games.iter().map(|game| nodes(black_box(game))).sum::<u64>());
    });
    group.bench_function("sgf-stream, copying everything", |b| {
        b.iter(|| games.iter().map(|game| push(black_box(game.as_bytes()), Collect::default()).0.len()).sum::<usize>());
    });
    group.bench_function("sgf-stream, skipping", |b| {
        b.iter(|| games.iter().map(|game| push(black_box(game.as_bytes()), Over::default()).0).sum::<u64>());
    });
    group.bench_function("sgf-parse", |b| {
        b.iter(|| games.iter().filter(|game| sgf_parse::go::parse(black_box(game)).is_ok()).count());
    });
    group.bench_function("sgf-parser", |b| {
        b.iter(|| games.iter().filter(|game| sgf_parser::parse(black_box(game)).is_ok()).count());
    });
    group.finish();
}

criterion_group!(benches, rivals);
criterion_main!(benches);
