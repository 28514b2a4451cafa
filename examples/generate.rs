//! Writes an archive of any size to standard output, made from a seed: the same arguments always give the same bytes.
//!
//! It makes inputs for measurements and uses nothing of the library. `corpora/README.md` says what each kind stresses.
//!
//! ```sh
//! cargo run --release --example generate -- moves 300MB --seed 1 > moves.sgf
//! cargo run --release --example count -- moves.sgf
//! ```

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

#[path = "support/archive.rs"]
mod archive;
#[path = "../tests/support/rng.rs"]
mod rng;

use archive::Kind;

const USAGE: &str = "usage: generate moves|comments|variations|giant|pathological SIZE[kB|MB|GB] [--seed NUMBER]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((kind, len, seed)) = parse(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut out = io::stdout().lock();
    match archive::write(kind, len, seed, &mut out).and_then(|_| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("standard output: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: &[String]) -> Option<(Kind, u64, u64)> {
    let (kind, len, seed) = match args {
        [kind, len] => (kind, len, 1),
        [kind, len, flag, seed] if flag == "--seed" => (kind, len, seed.parse().ok()?),
        _ => return None,
    };
    let kind = Kind::ALL.into_iter().find(|it| it.name() == kind)?;
    Some((kind, size(len)?, seed))
}

/// `300MB` is 300 million bytes; a number alone counts bytes.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}
