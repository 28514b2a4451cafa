//! Counts how games of Go begin: the commonest lines of the first moves. Lines that differ only by a turn or a
//! reflection of the board count as one.
//!
//! What it shows: an indexer of your own. Each game is skipped after its opening, and memory grows with the number of
//! different openings, not with the archive.
//!
//! ```sh
//! cargo run --release --example opening_book
//! cargo run --release --example opening_book -- --moves 6 --top 20 corpora/pro
//! cat corpora/pro/*.sgf | cargo run --release --example opening_book -- -
//! ```

#[path = "support/opening.rs"]
mod opening;
#[path = "support/sources.rs"]
mod sources;

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use opening::Opening;
use sgf_stream::MainLine;
use sgf_stream::semantics::Point;

const USAGE: &str = "usage: opening_book [--moves N] [--top N] [PATH|-]...";
const SIZE: u16 = 19;

type Line = Vec<Option<Point>>;

/// This line in one of the eight symmetries of the board.
fn turned(line: &[Option<Point>], symmetry: u8) -> impl Iterator<Item = Option<Point>> {
    line.iter().map(move |point| {
        point.map(|Point { x, y }| {
            let x = if symmetry & 1 == 0 { x } else { SIZE - 1 - x };
            let y = if symmetry & 2 == 0 { y } else { SIZE - 1 - y };
            if symmetry & 4 == 0 { Point::new(x, y) } else { Point::new(y, x) }
        })
    })
}

/// Orders symmetric lines, to choose one: with the first move in the upper right, as is customary, and above the diagonal.
fn rank(point: Option<Point>) -> Option<(u16, u16)> {
    point.map(|Point { x, y }| (y, SIZE - 1 - x))
}

fn canonical(line: &[Option<Point>]) -> Line {
    let best = (0..8).min_by(|&a, &b| turned(line, a).map(rank).cmp(turned(line, b).map(rank)));
    turned(line, best.unwrap_or(0)).collect()
}

/// A move as players say it, `Q16`; a pass and the like is a dash.
fn name_of(point: Option<Point>) -> String {
    point.map_or("-".to_owned(), |Point { x, y }| {
        let column = b"ABCDEFGHJKLMNOPQRST"[usize::from(x)];
        format!("{}{}", char::from(column), SIZE - y)
    })
}

fn run(wanted: usize, top: usize, paths: &[String]) -> Result<(), Box<dyn Error>> {
    let mut book: HashMap<Line, u64> = HashMap::new();
    let mut games = 0_u64;
    let count = |line: &[Option<Point>]| {
        if line.len() == wanted {
            games += 1;
            *book.entry(canonical(line)).or_default() += 1;
        }
    };
    sources::read(paths, &mut MainLine::new(Opening::new(wanted, SIZE, count)))?;

    let mut lines: Vec<(Line, u64)> = book.into_iter().collect();
    lines.sort_unstable_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let mut text = format!("{games} games, {} openings of {} moves\n\n", lines.len(), wanted);
    for (line, count) in lines.iter().take(top) {
        let moves: Vec<String> = line.iter().map(|&point| format!("{:<3}", name_of(point))).collect();
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        let share = *count as f64 * 100.0 / games as f64;
        let _ = writeln!(text, "{count:>8} {share:>6.1} %   {}", moves.join(" ").trim_end());
    }
    Ok(sources::print(&text)?)
}

fn main() -> ExitCode {
    let (mut moves, mut top) = (4, 12);
    let paths = sources::arguments(&mut [("--moves", &mut moves), ("--top", &mut top)]);
    sources::exit(USAGE, paths.map(|paths| run(moves, top, &paths)))
}
