//! Each file of `corpora/cases` gives the events in the `.events` file beside it.
//!
//! Owns a writer of the lines that `sgf events --raw --plain` prints, without the key `charset`. It uses the library alone, so
//! that the files serve any implementation. `corpora/README.md` describes the format.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::ops::ControlFlow::{self, Continue};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use sgf_stream::{
    Deliver, Descend, Ident, Node, Parser, Position, Problem, ProblemKind, Property, Step, Tree, TreeEnd, Value,
    Visitor,
};

#[test]
fn every_case_gives_its_events() {
    let mut wrong = Vec::new();
    for input in inputs() {
        let expected = fs::read_to_string(input.with_extension("events")).expect("every case has its events");
        let got = events(&fs::read(&input).expect("a readable case"), usize::MAX);
        if got != expected {
            wrong.push(format!("{}\nexpected:\n{expected}got:\n{got}", input.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_case_reads_the_same_in_pieces() {
    for input in inputs() {
        let bytes = fs::read(&input).expect("a readable case");
        let whole = events(&bytes, usize::MAX);
        for len in 1..=bytes.len().min(9) {
            assert_eq!(events(&bytes, len), whole, "{} in pieces of {len}", input.display());
        }
    }
}

#[test]
fn cases_and_events_files_come_in_pairs() {
    let stems = |extension: &str| -> BTreeSet<PathBuf> {
        files()
            .filter(|path| path.extension().is_some_and(|it| it == extension))
            .map(|it| it.with_extension(""))
            .collect()
    };
    let inputs = stems("sgf");
    assert!(inputs.len() >= 60, "only {} cases", inputs.len());
    assert_eq!(inputs, stems("events"));
}

#[test]
fn the_cases_show_every_problem_of_the_default_configuration() {
    let mut seen = BTreeSet::new();
    for input in inputs() {
        for line in events(&fs::read(&input).expect("a readable case"), usize::MAX).lines() {
            let line: Json = serde_json::from_str(line).expect("a line is one JSON object");
            seen.extend(line["number"].as_u64());
        }
    }
    let chosen = |kind: ProblemKind| {
        matches!(
            kind,
            ProblemKind::ValueTooLong
                | ProblemKind::EscapeUnitChanged
                | ProblemKind::UnescapedBracket
                | ProblemKind::TruncatedGame
                | ProblemKind::UnterminatedValue
                | ProblemKind::UnopenedGame
                | ProblemKind::SwallowedProperty
        ) || kind.number() > 300
    };
    for &kind in ProblemKind::ALL.iter().filter(|&&kind| !chosen(kind)) {
        assert!(seen.contains(&u64::from(kind.number())), "no case shows {kind}");
    }
}

fn files() -> impl Iterator<Item = PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/cases");
    fs::read_dir(dir).expect("the cases are part of the package").map(|entry| entry.expect("a readable entry").path())
}

fn inputs() -> BTreeSet<PathBuf> {
    files().filter(|path| path.extension().is_some_and(|extension| extension == "sgf")).collect()
}

/// The lines for an input that is fed in pieces of `len` bytes.
fn events(input: &[u8], len: usize) -> String {
    let mut lines = Lines::default();
    let mut parser = Parser::new();
    for chunk in input.chunks(len) {
        let _ = parser.feed(chunk, &mut lines).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut lines).expect("lenient reading goes on");
    lines.text
}

#[derive(Default)]
struct Lines {
    text: String,
    depth: u64,
    ident: Option<Ident>,
}

impl Lines {
    /// One line; the keys keep their order.
    fn line(&mut self, event: &str, at: Position, depth: u64, more: &[(&str, Json)]) {
        let common = [("event", Json::from(event)), ("offset", Json::from(at.offset)), ("depth", Json::from(depth))];
        let members: Vec<String> =
            common.iter().chain(more).map(|(key, value)| format!("{}:{value}", Json::from(*key))).collect();
        self.text.extend(["{", &members.join(","), "}\n"]);
    }
}

impl Visitor for Lines {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        self.depth = tree.depth();
        self.line("enter", tree.position(), self.depth, &[]);
        Continue(Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        let flags = [("implied", node.is_implied()), ("after_variation", node.is_after_variation())];
        let set: Vec<_> = flags.iter().filter(|flag| flag.1).map(|&(key, set)| (key, Json::from(set))).collect();
        self.line("node", node.position(), self.depth, &set);
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.ident = Some(property.ident());
        let ident = Json::from(property.ident().to_string());
        self.line("property", property.position(), self.depth, &[("ident", ident)]);
        Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        let ident = self.ident.expect("a value follows its property").to_string();
        let members = [("ident", Json::from(ident)), ("raw", Json::from(base64(value.raw())))];
        self.line("value", value.position(), self.depth, &members);
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        let implicit = [("implicit", Json::from(true))];
        self.line("exit", end.position(), end.depth(), if end.is_implicit() { &implicit } else { &[] });
        self.depth = end.depth() - 1;
        Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        let at = problem.position();
        let members = [
            ("number", Json::from(problem.number())),
            ("name", Json::from(problem.name())),
            ("line", Json::from(at.line)),
            ("column", Json::from(at.column)),
            ("len", Json::from(problem.span().len())),
            ("message", Json::from(problem.kind().meaning())),
        ];
        self.line("problem", at, self.depth, &members);
        Continue(())
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}
