//! Tables of texts and their readings.

use std::fmt::Display;

use sgf_stream::semantics::info::Reading;

/// The reading after `=` if exact, after `~` if lenient; `-` for raw.
pub(crate) fn describe<T: Display>(reading: Reading<T>) -> String {
    match reading {
        Reading::Exact(value) => format!("={value}"),
        Reading::Lenient(value) => format!("~{value}"),
        Reading::Raw => "-".to_owned(),
    }
}

/// Fails with all rows whose reading differs from the table.
#[track_caller]
pub(crate) fn check(read: impl Fn(&'static str) -> String, table: &[(&'static str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .map(|&(text, expected)| (text, expected, read(text)))
        .filter(|(_, expected, read)| expected != read)
        .map(|(text, expected, read)| format!("{text:?}: read {read:?}, expected {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
