//! Events as lines with their text in its charset, for tests of what a text is and where it ends.
//!
//! Owns [`check`], which reads an input whole, at every cut, in parts, and skipping trees, and through every face. Refuses to
//! know charsets: a test states the text.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::text::{self, Charset, EscapeUnit};
use sgf_stream::{
    Charsets, Config, Deliver, Descend, Ident, Parser, Part, Problem, ProblemKind, Property, Step, Tree, TreeEnd,
    Value, Visitor,
};

use super::compare_with;

/// What a visitor takes of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Takes {
    #[default]
    Whole,
    Parts,
    NoValues,
    /// The first node of each tree, without its properties.
    FirstNodes,
    /// Games without what is inside.
    Games,
}

impl Takes {
    const SOME: [Self; 4] = [Self::Parts, Self::NoValues, Self::FirstNodes, Self::Games];
}

/// The events as lines: `PB=text`, `!problem`; a value that is not ASCII has its charset, too.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) lines: Vec<String>,
    ident: Option<Ident>,
    parts: String,
    /// The raw bytes of each value, whole or joined from its parts.
    raws: Vec<Vec<u8>>,
    joined: Vec<u8>,
    takes: Takes,
}

impl Recorder {
    pub(crate) fn taking(takes: Takes) -> Self {
        Self { takes, ..Self::default() }
    }
}

impl Visitor for Recorder {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.lines.push(format!("( {}", tree.position()));
        ControlFlow::Continue(if self.takes == Takes::Games { Descend::Over } else { Descend::Into })
    }

    fn node(&mut self, node: sgf_stream::Node) -> ControlFlow<Infallible, Step> {
        self.lines.push(format!("; {}", node.position()));
        ControlFlow::Continue(if self.takes == Takes::FirstNodes { Step::SkipTree } else { Step::Read })
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.ident = Some(property.ident());
        ControlFlow::Continue(match self.takes {
            Takes::Parts => Deliver::Parts,
            Takes::NoValues => Deliver::Skip,
            _ => Deliver::Whole,
        })
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.raws.push(value.raw().to_vec());
        let ident = self.ident.expect("a property comes first");
        let charset = if value.raw().is_ascii() { String::new() } else { format!(" {}", value.charset()) };
        self.lines.push(format!("{ident}={}{charset} {}", value.text(), value.position()));
        ControlFlow::Continue(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Infallible> {
        self.parts.push_str(&part.writing().text(part.raw()));
        self.joined.extend_from_slice(part.raw());
        if part.is_last() {
            self.raws.push(std::mem::take(&mut self.joined));
            let ident = self.ident.expect("a property comes first");
            self.lines.push(format!("{ident}={}", std::mem::take(&mut self.parts)));
        }
        ControlFlow::Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.lines.push(format!(") {}", end.position()));
        ControlFlow::Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        if matches!(problem.kind(), ProblemKind::UnexpectedEof | ProblemKind::UnterminatedValue) {
            self.joined.clear();
        }
        self.lines.push(format!("!{} {}", problem.name(), problem.position()));
        ControlFlow::Continue(())
    }
}

pub(crate) fn record(config: &Config, mut recorder: Recorder, chunks: &[&[u8]]) -> Vec<String> {
    let mut parser = Parser::with_config(config.clone());
    for chunk in chunks {
        let _ = parser.feed(chunk, &mut recorder).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut recorder).expect("lenient reading goes on");
    recorder.lines
}

/// The beginnings and ends of games.
fn games(lines: &[String]) -> Vec<&String> {
    let mut depth = 0;
    let trees = lines.iter().filter(|line| line.starts_with("( ") || line.starts_with(") "));
    trees
        .filter(|line| {
            let opens = line.starts_with('(');
            depth += if opens { 1 } else { -1 };
            depth == i32::from(opens)
        })
        .collect()
}

/// Reads through every face, by visitors that skip, and by each of these at every cut; returns the events of the whole.
pub(crate) fn read(config: &Config, input: &[u8]) -> Vec<String> {
    let show = input.escape_ascii();
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    let cut_anywhere = |takes: Takes| {
        let whole = record(config, Recorder::taking(takes), &[input]);
        assert_eq!(
            record(config, Recorder::taking(takes), &bytes),
            whole,
            "{takes:?}, byte by byte: {show}, {config:?}"
        );
        for at in 0..=input.len() {
            let (first, second) = input.split_at(at);
            let cut = record(config, Recorder::taking(takes), &[first, second]);
            assert_eq!(cut, whole, "{takes:?}, cut at {at}: {show}, {config:?}");
        }
        whole
    };
    let whole = cut_anywhere(Takes::Whole);
    for takes in Takes::SOME {
        assert_eq!(games(&cut_anywhere(takes)), games(&whole), "{takes:?}: {show}, {config:?}");
    }
    let raws = |takes| {
        let mut recorder = Recorder::taking(takes);
        let _ = Parser::with_config(config.clone()).read_slice(input, &mut recorder);
        recorder.raws
    };
    // A value over the limit comes in parts, but not whole.
    let is_whole = !whole.iter().any(|line| line.starts_with("!value-too-long"));
    assert!(!is_whole || raws(Takes::Parts) == raws(Takes::Whole), "values joined from parts: {show}, {config:?}");
    let mut parser = Parser::with_config(config.clone());
    let _ = parser.read_slice(input, &mut Recorder::default());
    // The events of a recoded source do not have its bytes.
    if parser.stream().charset().is_none_or(|charset| charset == Charset::UTF_8) {
        compare_with(config, input);
    }
    whole
}

/// The values and problems, without positions.
pub(crate) fn check(config: &Config, input: &[u8], expected: &[&str]) {
    let recorded = read(config, input);
    let found: Vec<&str> = recorded
        .iter()
        .filter(|line| line.contains('=') || line.starts_with('!'))
        .map(|line| line.rsplit_once(' ').expect("each has a place").0)
        .collect();
    assert_eq!(found, expected, "{}", input.escape_ascii());
}

pub(crate) fn encoded(charset: Charset, text: &str) -> Vec<u8> {
    text::Writing::by_character(charset).escape(text).expect("the charset has it").into_owned()
}

pub(crate) fn declared() -> Config {
    Config::new()
}

pub(crate) fn auto() -> Config {
    Config::new().charsets(Charsets::Auto).escape_unit(EscapeUnit::Auto)
}

pub(crate) fn repairing() -> Config {
    Config::new().repair_brackets(true)
}

/// The values, without problems and positions.
pub(crate) fn values(config: &Config, input: &[u8]) -> Vec<String> {
    let recorded = read(config, input);
    recorded.iter().filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned()).filter(|it| it.contains('='))).collect()
}
