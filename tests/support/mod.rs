//! What the tests share: `check(input, expected)` and the like.
//!
//! Owns the comparison of the reader with the oracle through every face and at every cut, so that no test can forget chunk
//! edges. A test states what an input means. Refuses to know the rules: the oracle does.

#[cfg(feature = "archive")]
pub(crate) mod archives;
mod chaos;
mod faces;
mod files;
#[cfg(feature = "tokio")]
mod frames;
mod oracle;
mod plan;
mod recorder;
mod rng;
#[cfg(any(feature = "archive", feature = "index", feature = "tokio"))]
pub(crate) mod scratch;
#[cfg(feature = "listen")]
pub(crate) mod service;
pub(crate) mod table;
pub(crate) mod texts;
mod tokens;
pub(crate) mod values;
#[cfg(feature = "listen")]
pub(crate) mod wait;
mod wide;
mod witness;

pub(crate) use faces::Case;
pub(crate) use files::corpora;
pub(crate) use oracle::{Lines, Record, read};
pub(crate) use plan::Plan;
pub(crate) use recorder::Recorder;
pub(crate) use rng::Rng;
pub(crate) use tokens::{HALVES, TOKENS};
pub(crate) use wide::{BAD, Wide};

use sgf_stream::{Charsets, Config, Parser};

/// Asserts what an input means, by the oracle and through every face.
///
/// `expected` has the records as the oracle prints them, separated by ` | ` or line breaks.
pub(crate) fn check(input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    let lines = Lines::of(input);
    let reading = read(input, &lines);
    assert_text(input, &reading.records, expected);
    Case::new(input, bytes_alone(), reading.records, reading.needs).every_face();
    if input.len() < 2_000 {
        compare_with(&Config::new(), input);
    }
}

/// Asserts that a text in UTF-16, UTF-32 and, if its characters allow that, ISO-2022-JP, reads through every face like the
/// text itself.
pub(crate) fn check_recoded(text: &str) {
    use sgf_stream::text::Charset;

    let mut charsets = vec![Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE];
    let in_pairs = |c: char| c.is_ascii() || ('\u{3041}'..='\u{9FFF}').contains(&c);
    if !text.is_ascii() && text.chars().all(in_pairs) {
        charsets.push(Charset::ISO_2022_JP);
    }
    for charset in charsets {
        Wide::new(text, charset).check(&Config::new());
    }
}

/// The configuration that the oracle knows: text is not interpreted.
pub(crate) fn bytes_alone() -> Config {
    Config::new().charsets(Charsets::Raw)
}

/// Like `check` with the oracle's reading as the expectation.
pub(crate) fn compare(input: &[u8]) {
    let lines = Lines::of(input);
    let reading = read(input, &lines);
    Case::new(input, bytes_alone(), reading.records, reading.needs).every_face();
}

/// Asserts what an input means under a configuration that the oracle does not know: the reading of one chunk is as expected,
/// and all other cuts and faces agree with it.
pub(crate) fn check_with(config: &Config, input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    let records = compare_with(config, input);
    assert_text(input, &records, expected);
}

/// The same without an expectation: all cuts and faces agree.
pub(crate) fn compare_with<'a>(config: &Config, input: &'a [u8]) -> Vec<Record<'a>> {
    let mut recorder = Recorder::new(input);
    let flow = Parser::with_config(config.clone()).read_slice(input, &mut recorder).expect("lenient reading goes on");
    assert!(flow.is_continue());
    Case::new(input, config.clone(), recorder.records.clone(), Vec::new()).every_face();
    recorder.records
}

/// Asserts what a visitor receives that answers by a plan, at every cut.
pub(crate) fn check_answering(config: &Config, plan: Plan, input: impl AsRef<[u8]>, expected: &str) {
    let input = input.as_ref();
    let mut recorder = Recorder::new(input).answering(plan);
    let flow = Parser::with_config(config.clone()).read_slice(input, &mut recorder).expect("lenient reading goes on");
    assert!(flow.is_continue());
    assert_text(input, &recorder.records, expected);
    Case::new(input, config.clone(), recorder.records, Vec::new()).answering(plan);
}

pub(crate) fn assert_text(input: &[u8], records: &[Record<'_>], expected: &str) {
    let expected: Vec<&str> =
        expected.lines().flat_map(|line| line.split(" | ")).map(str::trim).filter(|line| !line.is_empty()).collect();
    let got: Vec<String> = records.iter().map(Record::to_string).collect();
    assert!(
        expected == got,
        "wrong reading of {}\nexpected:\n    {}\ngot:\n    {}\n",
        input.escape_ascii(),
        expected.join("\n    "),
        got.join("\n    "),
    );
}
