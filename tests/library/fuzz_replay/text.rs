//! What holds for the text of any bytes, stated through the public interface alone.
//!
//! Owns the property of the fuzz target `text`. Refuses to know what a text should be: only that it does not depend on how it
//! was read.

use std::convert::Infallible;
use std::ops::ControlFlow::{self, Continue};

use sgf_stream::text::{Charset, EscapeUnit, Writing};
use sgf_stream::{Charsets, Config, Deliver, Node, Parser, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

use super::properties::Control;

/// However a stream is cut, its text is the same; a recoded value keeps its text; a text written as a value reads back.
pub(crate) fn text(input: &[u8], control: &Control) {
    let mut control = control.clone();
    let charset = Charset::all().nth(usize::from(control.next()) % Charset::all().count()).expect("in range");
    let charsets = match control.next() % 8 {
        0 => Charsets::Once,
        1 => Charsets::Forced(charset),
        2..5 => Charsets::Declared,
        _ => Charsets::Auto,
    };
    let unit = match control.next() % 4 {
        0 => EscapeUnit::Byte,
        1 => EscapeUnit::Character,
        _ => EscapeUnit::Auto,
    };
    let bits = control.next();
    let config = Config::new()
        .charsets(charsets)
        .escape_unit(unit)
        .repair_brackets(bits & 1 > 0)
        .check_text(bits & 2 > 0)
        .remember_charsets(bits & 4 > 0);
    let whole = read(&config, [input]);
    for writing in [Writing::by_byte(charset), Writing::by_character(charset)] {
        recoded(writing, input);
        if !charset.is_wide() {
            written(writing, input);
        }
    }

    let bytewise = read(&config, input.chunks(1));
    assert_eq!(whole, bytewise, "byte by byte, {config:?}, {}", input.escape_ascii());
    let cut = input.chunk_by(|_, _| !control.next().is_multiple_of(4));
    assert_eq!(whole, read(&config, cut), "cut, {config:?}, {}", input.escape_ascii());
}

/// A recoded value keeps its text.
fn recoded(writing: Writing, raw: &[u8]) {
    let (recoded, _) = writing.recode(raw);
    let utf_8 = Writing::default();
    assert_eq!(utf_8.text(&recoded), writing.text(raw), "{writing:?}, {}", raw.escape_ascii());
    assert_eq!(utf_8.simple_text(&recoded), writing.simple_text(raw), "{writing:?}, {}", raw.escape_ascii());
}

/// A text written as a value reads back, and ends where it should.
fn written(writing: Writing, raw: &[u8]) {
    let text = writing.text(raw);
    let Ok(value) = writing.escape(&text) else { return };
    assert_eq!(writing.text(&value), text, "{writing:?}, {}", raw.escape_ascii());
    let Ok(half) = writing.escape_compose(&text) else { return };
    let composed = [&*half, b":", &half].concat();
    let (left, right) = writing.split_compose(&composed).expect("there is a colon");
    assert_eq!((writing.text(left), writing.text(right)), (text.clone(), text.clone()), "{writing:?}");

    let unit = if writing.is_by_character() { EscapeUnit::Character } else { EscapeUnit::Byte };
    let config = Config::new().charsets(Charsets::Forced(writing.charset())).escape_unit(unit);
    let game = [b"(;C[", &*value, b"];B[aa])"].concat();
    let lines = read(&config, [&game[..]]);
    let values: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix('=')).collect();
    assert_eq!(values.len(), 2, "{writing:?}, {}", game.escape_ascii());
    assert!(values[0].starts_with(&format!("{text:?}")), "{writing:?}, {text:?}, {}", values[0]);
}

/// The events as lines.
fn read<'a>(config: &Config, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut lines = Lines(Vec::new());
    let mut parser = Parser::with_config(config.clone());
    for chunk in chunks {
        let _ = parser.feed(chunk, &mut lines).expect("lenient reading goes on");
    }
    let _ = parser.finish(&mut lines).expect("lenient reading goes on");
    lines.0
}

struct Lines(Vec<String>);

impl Visitor for Lines {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, sgf_stream::Descend> {
        self.0.push(format!("( {:?}", tree.position()));
        Continue(sgf_stream::Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        self.0.push(format!("; {:?}", node.position()));
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        self.0.push(format!("{} {:?}", property.ident(), property.position()));
        Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        self.0.push(format!("={:?} {:?} {}", value.text(), value.position(), value.charset()));
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        self.0.push(format!(") {:?}", end.position()));
        Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        self.0.push(format!("! {problem}"));
        Continue(())
    }
}
