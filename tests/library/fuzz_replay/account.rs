//! Every byte is accounted for.
//!
//! Owns the property of the fuzz target `account`: the figures of `AccountingParser` equal those of a painter that marks each
//! byte, add up to the input's length, and do not depend on how the input is cut. Refuses to know what is in an input.

use std::collections::BTreeMap;
use std::ops::ControlFlow::{self, Break, Continue};

use sgf_stream::text::{self, EscapeUnit};
use sgf_stream::{
    AccountingParser, ByteAccount, Charsets, Config, Deliver, Descend, Error, Node, Part, Problem, ProblemKind,
    Property, Step, Tree, TreeEnd, Value, Visitor,
};

use super::properties::{Answers, Control, Cuts};

/// Every byte is accounted for once, whatever the configuration, the visitor's answers and the cuts.
pub(crate) fn account(input: &[u8], control: &Control) {
    let mut control = control.clone();
    let cut = Cuts::Control(control.clone());
    let config = config(&mut control);
    let limited = config.clone().limits(control.limits());
    for (config, answers) in [
        (&config, Answers::Read(Deliver::Whole)),
        (&config, Answers::Read(Deliver::Parts)),
        (&config, Answers::Control(control.clone())),
        (&limited, Answers::Control(control.clone())),
    ] {
        let whole = read(config, &Cuts::Nowhere, input, Painter::new(input, answers.clone()));
        let how = || format!("{config:?}, {answers:?}, of {}", input.escape_ascii());
        assert!(whole.account.is_balanced(), "{:?}, {}", whole.account, how());
        assert_eq!((whole.account.bytes, whole.account.undecided), (input.len() as u64, 0), "{}", how());
        if matches!(answers, Answers::Read(_)) {
            assert_eq!((whole.account.passed_over, whole.account.unreported), (0, 0), "{}", how());
        }
        if let Some(painted) = whole.painted {
            let figures = (whole.account.figures().collect(), whole.account.skipped().collect());
            assert_eq!(painted, figures, "painted byte by byte, {}", how());
        }
        for cuts in [&Cuts::Everywhere, &cut] {
            let got = read(config, cuts, input, Painter::new(input, answers.clone()));
            assert_eq!(whole.account, got.account, "{cuts:?}, {}", how());
        }
    }
    let breaking = Painter { breaks: Some(control.clone()), ..Painter::new(input, Answers::Read(Deliver::Whole)) };
    let whole = read(&config, &Cuts::Nowhere, input, Painter::new(input, Answers::Read(Deliver::Whole)));
    let got = read(&config, &cut, input, breaking);
    assert_eq!(whole.account, got.account, "breaking, {cut:?}, {config:?}, of {}", input.escape_ascii());
    strictly(&config.strict(true), &cut, input);
}

fn config(control: &mut Control) -> Config {
    let charsets = [Charsets::Raw, Charsets::Once, Charsets::Declared, Charsets::Auto][usize::from(control.next() % 4)];
    let unit = [EscapeUnit::Byte, EscapeUnit::Character, EscapeUnit::Auto][usize::from(control.next() % 3)];
    let bits = control.next();
    Config::new()
        .charsets(charsets)
        .escape_unit(unit)
        .repair_brackets(bits & 1 > 0)
        .resync(bits & 2 > 0)
        .cap_values(bits & 4 > 0)
        .check_text(bits & 8 > 0)
}

struct Reading {
    account: ByteAccount,
    /// Counted by painting, if offsets are those of the source.
    painted: Option<Figures>,
}

type Figures = (Vec<(&'static str, u64)>, Vec<(ProblemKind, u64)>);

fn read(config: &Config, cuts: &Cuts, input: &[u8], mut painter: Painter<'_>) -> Reading {
    let mut parser = AccountingParser::with_config(config.clone());
    let mut from = 0;
    for to in cuts.ends(input.len()) {
        while parser.feed(&input[from..to], &mut painter).expect("lenient reading goes on").is_break() {
            from = parser.position().offset as usize;
            assert_adds_up(&parser.account());
        }
        from = to;
        assert_adds_up(&parser.account());
        assert_eq!(parser.account().bytes, to as u64, "part of a chunk was left");
    }
    while parser.finish(&mut painter).expect("lenient reading goes on").is_break() {}
    let account = parser.account();
    let is_plain = text::recode_stream(input) == input;
    let by_bytes = (is_plain && matches!(painter.answers, Answers::Read(_)) && painter.breaks.is_none())
        .then(|| painter.figures());
    Reading { account, painted: by_bytes }
}

/// Strict reading ends with a problem, and the account with that problem's last byte.
fn strictly(config: &Config, cuts: &Cuts, input: &[u8]) {
    let mut parser = AccountingParser::with_config(config.clone());
    let mut painter = Painter::new(input, Answers::Read(Deliver::Parts));
    let mut from = 0;
    for to in cuts.ends(input.len()) {
        if let Err(error) = parser.feed(&input[from..to], &mut painter) {
            return assert_ended_with(&error, &parser.account());
        }
        from = to;
    }
    match parser.finish(&mut painter) {
        Ok(_) => assert!(parser.account().is_balanced(), "{:?}", parser.account()),
        Err(error) => assert_ended_with(&error, &parser.account()),
    }
}

fn assert_ended_with(error: &Error, account: &ByteAccount) {
    let Error::Strict(problem) = error else { panic!("{error}") };
    assert_adds_up(account);
    if problem.kind().skips() {
        assert_eq!((account.bytes, account.undecided), (problem.span().end, 0), "{problem}, {account:?}");
    } else {
        assert!(account.bytes >= problem.span().end, "{problem}, {account:?}");
    }
}

#[track_caller]
fn assert_adds_up(account: &ByteAccount) {
    assert_eq!((account.sum(), account.lost, account.twice), (account.bytes, 0, 0), "{account:?}");
}

/// Marks each byte of the input with the event that covers it.
struct Painter<'a> {
    input: &'a [u8],
    paint: Vec<Option<Paint>>,
    answers: Answers,
    breaks: Option<Control>,
    /// Parts of a value were delivered, but not the last one.
    open: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Tree,
    Node,
    Identifier,
    Value,
    Bracket,
    Skipped(ProblemKind),
}

impl<'a> Painter<'a> {
    fn new(input: &'a [u8], answers: Answers) -> Self {
        Self { input, paint: vec![None; input.len()], answers, breaks: None, open: false }
    }

    fn paint(&mut self, at: u64, len: usize, paint: Paint) {
        // Recoded values have other lengths; their paint is not used.
        let end = self.paint.len().min(at as usize + len);
        let start = end.min(at as usize);
        self.paint[start..end].fill(Some(paint));
    }

    fn value(&mut self, at: u64, len: usize, first: bool, last: bool) {
        if first {
            self.paint(at - 1, 1, Paint::Bracket);
        }
        self.paint(at, len, Paint::Value);
        let end = at + len as u64;
        // A text may have lost its own.
        if last && self.input.get(end as usize) == Some(&b']') {
            self.paint(end, 1, Paint::Bracket);
        }
    }

    fn flow<T>(&mut self, answer: T) -> ControlFlow<(), T> {
        let breaks = self.breaks.as_mut().is_some_and(|control| control.next() % 2 == 1);
        if breaks { Break(()) } else { Continue(answer) }
    }

    /// The painted bytes by kind. Unpainted ones are white space, a byte order mark or lost.
    fn figures(&self) -> Figures {
        let mut account = ByteAccount::default();
        let mut skipped = BTreeMap::new();
        for (at, paint) in self.paint.iter().enumerate() {
            let is_mark = (at.saturating_sub(2)..=at).any(|from| self.input[from..].starts_with(b"\xEF\xBB\xBF"));
            *match paint {
                Some(Paint::Tree) => &mut account.trees,
                Some(Paint::Node) => &mut account.nodes,
                Some(Paint::Identifier) => &mut account.identifiers,
                Some(Paint::Value) => &mut account.values,
                Some(Paint::Bracket) => &mut account.brackets,
                Some(Paint::Skipped(kind)) => skipped.entry(*kind).or_default(),
                None if matches!(self.input[at], b' ' | b'\t'..=b'\r') => &mut account.white_space,
                None if is_mark => &mut account.marks,
                None => &mut account.lost,
            } += 1;
        }
        (account.figures().collect(), skipped.into_iter().collect())
    }
}

impl Visitor for Painter<'_> {
    type Break = ();

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<(), Descend> {
        self.paint(tree.position().offset, 1, Paint::Tree);
        let answer = self.answers.enter();
        self.flow(answer)
    }

    fn node(&mut self, node: Node) -> ControlFlow<(), Step> {
        if !node.is_implied() {
            self.paint(node.position().offset, 1, Paint::Node);
        }
        let answer = self.answers.node();
        self.flow(answer)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<(), Deliver> {
        self.paint(property.position().offset, property.raw().len(), Paint::Identifier);
        let answer = self.answers.property();
        self.flow(answer)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<()> {
        self.value(value.position().offset, value.raw().len(), true, true);
        self.flow(())
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<()> {
        let at = part.position().offset;
        let first = !std::mem::replace(&mut self.open, !part.is_last());
        self.value(at, part.raw().len(), first, part.is_last());
        self.flow(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<()> {
        if !end.is_implicit() {
            self.paint(end.position().offset, 1, Paint::Tree);
        }
        self.flow(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<()> {
        if problem.kind().skips() {
            self.open = false;
            let span = problem.span();
            self.paint(span.start, span.len() as usize, Paint::Skipped(problem.kind()));
        }
        self.flow(())
    }
}
