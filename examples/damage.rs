//! What damage costs: real games are damaged at random places; how many of them are lost with and without resynchronising?
//!
//! ```sh
//! cargo run --release --example damage -- corpora/pro
//! ```
//!
//! One of every ten games is damaged. A game is lost if it reads differently from the same game alone and undamaged, as the
//! damaged ones usually do. So 1.00 means that damage costs only what it hits. Games are on lines of their own, or one right
//! behind the other, as when truncated files are joined.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;

use sgf_stream::{Config, Descend, GameStarts, Node, Parser, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};

#[path = "../tests/support/rng.rs"]
mod rng;

use rng::Rng;

/// One in this many games is damaged.
const APART: usize = 10;

/// How often everything is read, each time with other damage.
const ROUNDS: usize = 20;

/// What separates two games.
const JOINTS: [(&str, &[u8]); 2] = [("a line each", b"\n"), ("joined", b"")];

const KINDS: [(&str, Damage); 5] = [
    ("cut off", cut_off),
    ("cut off before a line end", cut_off_line),
    ("some bytes gone", delete),
    ("a byte replaced", flip),
    ("part of another game over it", splice),
];

/// Damages a game; some kinds of damage take bytes of another one.
type Damage = fn(&mut Vec<u8>, &[u8], &mut Rng);

fn cut_off(game: &mut Vec<u8>, _: &[u8], rng: &mut Rng) {
    game.truncate(2 + rng.below(game.len() - 2));
}

fn cut_off_line(game: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    cut_off(game, other, rng);
    game.push(b'\n');
}

fn delete(game: &mut Vec<u8>, _: &[u8], rng: &mut Rng) {
    let from = rng.below(game.len());
    let to = game.len().min(from + 1 + rng.below(200));
    game.drain(from..to);
}

#[expect(clippy::ptr_arg, reason = "all damage is done alike")]
fn flip(game: &mut Vec<u8>, _: &[u8], rng: &mut Rng) {
    let at = rng.below(game.len());
    game[at] = rng.below(256) as u8;
}

fn splice(game: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let from = rng.below(game.len());
    let tail = &other[rng.below(other.len())..];
    game.truncate(from);
    game.extend_from_slice(tail);
}

/// Hashes of all games, made from all events except positions.
#[derive(Default)]
struct Games {
    hasher: DefaultHasher,
    found: HashMap<u64, usize>,
    problems: u64,
}

impl Visitor for Games {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, Descend> {
        if tree.depth() == 1 {
            self.hasher = DefaultHasher::new();
        }
        b'('.hash(&mut self.hasher);
        Continue(Descend::Into)
    }

    fn node(&mut self, _: Node) -> ControlFlow<Infallible, Step> {
        b';'.hash(&mut self.hasher);
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, sgf_stream::Deliver> {
        property.raw().hash(&mut self.hasher);
        Continue(sgf_stream::Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        value.raw().hash(&mut self.hasher);
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        b')'.hash(&mut self.hasher);
        if end.depth() == 1 {
            *self.found.entry(self.hasher.finish()).or_default() += 1;
        }
        Continue(())
    }

    fn problem(&mut self, _: &Problem) -> ControlFlow<Infallible> {
        self.problems += 1;
        Continue(())
    }
}

fn read(config: Config, bytes: &[u8]) -> Result<Games, sgf_stream::Error> {
    let mut games = Games::default();
    let Continue(()) = Parser::with_config(config).read_slice(bytes, &mut games)?;
    Ok(games)
}

/// The games of a file, unless one of them has a problem.
fn split(bytes: &[u8]) -> Result<Vec<Vec<u8>>, sgf_stream::Error> {
    if read(Config::new(), bytes)?.problems > 0 {
        return Ok(Vec::new());
    }
    let mut starts = GameStarts::new(bytes);
    let mut places = Vec::new();
    while let Some(start) = starts.nth(0)? {
        places.push(start.offset as usize);
    }
    let ends = places.iter().skip(1).copied().chain([bytes.len()]);
    Ok(places.iter().zip(ends).map(|(&start, end)| bytes[start..end].trim_ascii_end().to_vec()).collect())
}

/// How many games of the original are not found again.
fn lost(config: Config, originals: &HashMap<u64, usize>, bytes: &[u8]) -> Result<usize, sgf_stream::Error> {
    let found = read(config, bytes)?.found;
    Ok(originals.iter().map(|(game, count)| count.saturating_sub(found.get(game).copied().unwrap_or(0))).sum())
}

fn collect(path: &Path, games: &mut Vec<Vec<u8>>) -> Result<(), Box<dyn std::error::Error>> {
    if path.is_dir() {
        let mut entries: Vec<_> =
            fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        entries.sort();
        for entry in entries {
            collect(&entry, games)?;
        }
    } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")) {
        games.extend(split(&fs::read(path)?)?);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut games = Vec::new();
    for path in std::env::args_os().skip(1) {
        collect(Path::new(&path), &mut games)?;
    }
    // Too short to be damaged.
    games.retain(|game| game.len() > 20);
    let originals = read(Config::new(), &games.join(&b'\n'))?.found;
    let mut out = io::stdout().lock();
    writeln!(out, "{} games, games lost for each damaged one", games.len())?;
    writeln!(out, "{:<30} {:<12} {:>8} {:>8}", "damage", "games", "plain", "resync")?;
    for (name, damage) in KINDS {
        for (joint, between) in JOINTS {
            let [plain, resync] = cost(&games, &originals, damage, between)?;
            writeln!(out, "{name:<30} {joint:<12} {plain:>8.2} {resync:>8.2}")?;
        }
    }
    Ok(())
}

/// How many games are lost per damaged one: by the letter of the standard, and with resync.
fn cost(
    games: &[Vec<u8>],
    originals: &HashMap<u64, usize>,
    damage: Damage,
    between: &[u8],
) -> Result<[f64; 2], sgf_stream::Error> {
    let mut rng = Rng::new(1);
    let (mut plain, mut resync, mut damaged) = (0, 0, 0_u32);
    for round in 0..ROUNDS {
        let mut bytes = Vec::new();
        for (number, game) in games.iter().enumerate() {
            let mut game = game.clone();
            if (number + round).is_multiple_of(APART) {
                let other = &games[rng.below(games.len())];
                damage(&mut game, other, &mut rng);
                damaged += 1;
            }
            bytes.extend_from_slice(&game);
            bytes.extend_from_slice(between);
        }
        plain += lost(Config::new(), originals, &bytes)?;
        resync += lost(Config::new().resync(true).cap_values(true), originals, &bytes)?;
    }
    Ok([plain, resync].map(|lost| f64::from(u32::try_from(lost).unwrap_or(u32::MAX)) / f64::from(damaged.max(1))))
}
