//! Draws where the first moves of games are played: a board as an SVG picture, on standard output.
//!
//! What it shows: from bytes to a picture in one pass, keeping only a count for each point.
//!
//! ```sh
//! cargo run --release --example heatmap > target/heatmap.svg
//! cargo run --release --example heatmap -- --moves 30 corpora/pro > target/heatmap.svg
//! cat corpora/pro/*.sgf | cargo run --release --example heatmap -- - > target/heatmap.svg
//! ```

#[path = "support/opening.rs"]
mod opening;
#[path = "support/sources.rs"]
mod sources;

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

use opening::Opening;
use sgf_stream::MainLine;
use sgf_stream::semantics::Point;

const USAGE: &str = "usage: heatmap [--moves N] [--size 9|13|19] [PATH|-]...";

/// The distance between two lines of the board, in pixels.
const STEP: f64 = 36.0;
const MARGIN: f64 = 58.0;
/// The height of the scale below the board.
const FOOT: f64 = 62.0;

/// From few to many: dark violet, red, orange, yellow.
const SCALE: [(f64, f64, f64); 6] = [
    (59.0, 15.0, 112.0),
    (114.0, 31.0, 129.0),
    (183.0, 55.0, 121.0),
    (241.0, 96.0, 93.0),
    (254.0, 159.0, 109.0),
    (252.0, 237.0, 160.0),
];

/// The colour for a share of the greatest count, 0 to 1.
#[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "six colors")]
fn color(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let index = (place as usize).min(SCALE.len() - 2);
    let (from, to) = (SCALE[index], SCALE[index + 1]);
    let mix = |a: f64, b: f64| (a + (b - a) * (place - index as f64)).round();
    format!("rgb({},{},{})", mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

fn hoshi(size: u16) -> Vec<(u16, u16)> {
    let edge = if size < 13 { 2 } else { 3 };
    let (middle, far) = (size / 2, size - 1 - edge);
    let lines = if size < 19 { vec![edge, far] } else { vec![edge, middle, far] };
    let mut points: Vec<_> = lines.iter().flat_map(|&x| lines.iter().map(move |&y| (x, y))).collect();
    if size < 19 {
        points.push((middle, middle));
    }
    points
}

fn at(line: u16) -> f64 {
    MARGIN + STEP * f64::from(line)
}

fn board(svg: &mut String, size: u16) {
    let (first, last) = (at(0), at(size - 1));
    for line in 0..size {
        let (place, width) = (at(line), if line == 0 || line == size - 1 { 1.8 } else { 0.9 });
        let _ = writeln!(
            svg,
            "<path d=\"M{first} {place}H{last}M{place} {first}V{last}\" stroke=\"#4a3618\" stroke-width=\"{width}\"/>"
        );
        let letter = char::from(b"ABCDEFGHJKLMNOPQRST"[usize::from(line)]);
        let number = size - line;
        for (x, y, label) in [
            (place, first - 32.0, letter.to_string()),
            (place, last + 32.0, letter.to_string()),
            (first - 36.0, place, number.to_string()),
            (last + 36.0, place, number.to_string()),
        ] {
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" dy=\"0.35em\">{label}</text>");
        }
    }
    for (x, y) in hoshi(size) {
        let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"{}\" r=\"3.6\" fill=\"#4a3618\"/>", at(x), at(y));
    }
}

fn scale(svg: &mut String, size: u16, most: u64) {
    let (left, top, cell) = (at(0), at(size - 1) + 62.0, 16.0);
    for step in 0..10_u8 {
        let x = left + cell * f64::from(step);
        let color = color(f64::from(step) / 9.0);
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{top}\" width=\"{cell}\" height=\"12\" fill=\"{color}\"/>");
    }
    let end = left + cell * 10.0 + 10.0;
    let _ = writeln!(
        svg,
        "<text class=\"note\" x=\"{end}\" y=\"{}\" dy=\"0.35em\">up to {most} on a point</text>",
        top + 6.0
    );
}

#[expect(clippy::cast_precision_loss, reason = "a picture")]
fn picture(counts: &[u64], size: u16, moves: usize, games: u64) -> String {
    let (width, most) = (2.0 * MARGIN + STEP * f64::from(size - 1), counts.iter().copied().max().unwrap_or(0));
    let height = width + FOOT;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n\
         <title>Where the first {moves} moves of {games} games fall</title>\n\
         <style>text{{font:13px Helvetica,Arial,sans-serif;fill:#6b5127;text-anchor:middle}}\
         .note{{text-anchor:start}}.sum{{text-anchor:end}}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#f1e2c0\"/>\n\
         <rect x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\" rx=\"4\" fill=\"#e3be78\"/>\n",
        MARGIN - 21.0,
        STEP * f64::from(size - 1) + 42.0,
    );
    board(&mut svg, size);
    // A few points have most of the moves, so colours and sizes are logarithmic.
    let share = |count: u64| if most > 1 { (count as f64).ln() / (most as f64).ln() } else { 1.0 };
    for y in 0..size {
        for x in 0..size {
            let count = counts[usize::from(y) * usize::from(size) + usize::from(x)];
            if count > 0 {
                let (share, name) = (share(count), char::from(b"ABCDEFGHJKLMNOPQRST"[usize::from(x)]));
                let radius = 5.0 + 12.0 * share;
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{radius:.1}\" fill=\"{}\" fill-opacity=\"0.93\">\
                     <title>{name}{}: {count}</title></circle>",
                    at(x),
                    at(y),
                    color(share),
                    size - y,
                );
            }
        }
    }
    scale(&mut svg, size, most);
    let _ = writeln!(
        svg,
        "<text class=\"sum\" x=\"{}\" y=\"{}\" dy=\"0.35em\">first {moves} moves of {games} games</text>\n</svg>",
        at(size - 1),
        at(size - 1) + 68.0,
    );
    svg
}

fn run(wanted: usize, size: u16, paths: &[String]) -> Result<(), Box<dyn Error>> {
    let mut counts = vec![0_u64; usize::from(size) * usize::from(size)];
    let mut games = 0;
    let count = |moves: &[Option<Point>]| {
        games += 1;
        for point in moves.iter().flatten() {
            counts[usize::from(point.y) * usize::from(size) + usize::from(point.x)] += 1;
        }
    };
    sources::read(paths, &mut MainLine::new(Opening::new(wanted, size, count)))?;
    Ok(sources::print(&picture(&counts, size, wanted, games))?)
}

fn main() -> ExitCode {
    let (mut moves, mut size) = (20, 19);
    let paths = sources::arguments(&mut [("--moves", &mut moves), ("--size", &mut size)]);
    let paths = paths.filter(|_| matches!(size, 9 | 13 | 19));
    sources::exit(USAGE, paths.map(|paths| run(moves, size as u16, &paths)))
}
