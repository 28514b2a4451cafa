//! What damage costs besides what it hits.
//!
//! Files are damaged in the ways below and read with all repairs. What was not touched should read as before: each value with the
//! same property and text, in a node under the same parent. What does not is lost, and if there are no more problems than
//! before, it is lost in silence. The table has the means of a kind of damage, and how many mutants lose something. Files that
//! have a problem before they are damaged are left out.
//!
//! ```sh
//! cargo bench --bench damage -- --seed 1 --times 20 corpora
//! ```
//!
//! Without arguments, it fails if something is lost in silence where mail, pages, programs or editors have left their marks.

#[path = "support/damage.rs"]
mod damage;
mod support;

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow::{self, Continue};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io, iter};

use damage::{CARRIERS, Carry, Damaged, HITS, Hit, INSERTED};
use sgf_stream::semantics::definition;
use sgf_stream::{Deliver, Ident, Node, Problem, Property, Step, Tree, TreeEnd, Value, Visitor};
use support::{Rng, repair};

/// Where a value stands, with its identifier, and what it is.
struct Fact {
    name: Range<usize>,
    value: Range<usize>,
    ident: Ident,
    text: u64,
}

/// What a file has. The parent of a node is the one before it, or the last one before its variation.
#[derive(Default)]
struct Facts {
    values: Vec<Fact>,
    parents: HashMap<usize, Option<usize>>,
    trees: Vec<(usize, usize)>,
    problems: usize,
    grammar_problems: usize,
    open: Vec<(usize, Option<usize>)>,
    node: Option<usize>,
    property: Option<(Range<usize>, Ident)>,
}

impl Visitor for Facts {
    type Break = Infallible;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Infallible, sgf_stream::Descend> {
        self.open.push((tree.position().offset as usize, self.node));
        Continue(sgf_stream::Descend::Into)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Infallible, Step> {
        let at = node.position().offset as usize;
        self.parents.insert(at, self.node.replace(at));
        Continue(Step::Read)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Infallible, Deliver> {
        let start = property.position().offset as usize;
        self.property = Some((start..start + property.raw().len(), property.ident()));
        Continue(Deliver::Whole)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Infallible> {
        if let (Some((name, ident)), Some(span)) = (self.property.clone(), value.span()) {
            let mut hasher = DefaultHasher::new();
            value.text().hash(&mut hasher);
            let value = span.start as usize..span.end as usize;
            self.values.push(Fact { name, value, ident, text: hasher.finish() });
        }
        Continue(())
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
        if let Some((start, node)) = self.open.pop() {
            self.trees.push((start, end.position().offset as usize));
            self.node = node;
        }
        Continue(())
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        self.problems += 1;
        self.grammar_problems += usize::from(problem.number() < 200);
        Continue(())
    }
}

/// A file, and what is read from it.
struct Original {
    bytes: Vec<u8>,
    facts: Facts,
}

impl Original {
    /// Line ends are alike in all files, so that every kind of damage finds them.
    fn of(file: &[u8]) -> Option<Self> {
        let mut bytes = file.to_vec();
        bytes.retain(|&byte| byte != b'\r');
        let facts = repair(&bytes, Facts::default());
        let can_be_damaged = facts.grammar_problems == 0 && !facts.values.is_empty();
        can_be_damaged.then_some(Self { bytes, facts })
    }

    /// The bytes of each kind, by what they are to a reader.
    fn classes(&self) -> Vec<(&'static str, Vec<usize>)> {
        let mut of = vec!["between tokens"; self.bytes.len()];
        for &(start, end) in &self.facts.trees {
            (of[start], of[end]) = ("( of a tree", ") of a tree");
        }
        for &node in self.facts.parents.keys() {
            of[node] = "; of a node";
        }
        for Fact { name, value, ident, .. } in &self.facts.values {
            let is_text = definition(*ident).is_some_and(|definition| definition.value.has_text());
            of[name.clone()].fill("a name of a property");
            of[value.clone()].fill(if is_text { "in a text" } else { "in another value" });
            of[value.start - 1] = "[ of a value";
            of[value.end] = if is_text { "] of a text" } else { "] of another value" };
        }
        let mut classes: Vec<(&str, Vec<usize>)> = Vec::new();
        for (at, class) in of.into_iter().enumerate() {
            match classes.iter_mut().find(|(name, _)| *name == class) {
                Some((_, places)) => places.push(at),
                None => classes.push((class, vec![at])),
            }
        }
        classes
    }
}

/// The sums of a kind of damage.
#[derive(Default)]
struct Cost {
    mutants: usize,
    values: usize,
    nodes: usize,
    /// In how many of the mutants something is lost, and in how many of those in silence.
    lossy: usize,
    silent: usize,
}

impl Cost {
    fn add(&mut self, original: &Original, damaged: &Damaged) {
        let mut places = vec![None; original.bytes.len()];
        for (place, from) in damaged.from.iter().enumerate() {
            if let Some(from) = *from {
                places[from] = Some(place);
            }
        }
        // Where these bytes stand, if they are still together.
        let place = |range: Range<usize>| {
            let first = places[range.start]?;
            range.clone().all(|at| places[at] == Some(first + at - range.start)).then_some(first)
        };
        let read = repair(&damaged.bytes, Facts::default());
        let found: HashMap<usize, &Fact> = read.values.iter().map(|fact| (fact.value.start, fact)).collect();
        let is_lost = |fact: &&Fact| {
            let (Some(_), Some(start)) = (place(fact.name.clone()), place(fact.value.start - 1..fact.value.end + 1))
            else {
                return false;
            };
            found.get(&(start + 1)).is_none_or(|it| (it.ident, it.text) != (fact.ident, fact.text))
        };
        let is_moved = |(node, parent): &(usize, Option<usize>)| {
            let (Some(node), Some(parent)) = (places[*node], parent.map_or(Some(None), |at| places[at].map(Some)))
            else {
                return false;
            };
            read.parents.get(&node) != Some(&parent)
        };
        let values = original.facts.values.iter().filter(is_lost).count();
        let nodes = original.facts.parents.iter().map(|(node, parent)| (*node, *parent)).filter(is_moved).count();
        self.mutants += 1;
        self.values += values;
        self.nodes += nodes;
        self.lossy += usize::from(values + nodes > 0);
        // What is lost with its game has no wrong bytes in its texts any more. The file had nothing else.
        let is_told = read.grammar_problems > 0 || read.problems > original.facts.problems;
        self.silent += usize::from(values + nodes > 0 && !is_told);
    }

    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    fn print(&self, name: &str) {
        let Self { mutants, lossy, silent, .. } = self;
        let mean = |sum: usize| sum as f64 / (*mutants).max(1) as f64;
        println!("{name:46} {mutants:>8} {:>9.2} {:>9.2} {lossy:>8} {silent:>8}", mean(self.values), mean(self.nodes));
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf")) {
        files.push(path.to_owned());
    }
    Ok(())
}

type Row = (String, Cost);

/// One byte of each kind, `times` times in each file.
fn bytes(files: &[Original], rng: &mut Rng, times: usize) -> Vec<Row> {
    let mut rows: BTreeMap<String, Cost> = BTreeMap::new();
    for (file, (class, places)) in
        files.iter().flat_map(|file| file.classes().into_iter().map(move |class| (file, class)))
    {
        for (how, change) in ["gone", "with one bit changed", "with another before it"].into_iter().zip(0..) {
            let cost = rows.entry(format!("{class}, {how}")).or_default();
            for _ in 0..times {
                let at = rng.pick(&places);
                let new = match change {
                    0 => Vec::new(),
                    1 => vec![file.bytes[at] ^ 1 << rng.below(8)],
                    _ => vec![rng.pick(INSERTED), file.bytes[at]],
                };
                let start = Damaged::default().keep(&file.bytes, 0..at).add(&new);
                cost.add(file, &start.keep(&file.bytes, at + 1..file.bytes.len()));
            }
        }
    }
    rows.into_iter().collect()
}

fn hits(files: &[Original], rng: &mut Rng, times: usize) -> Vec<Row> {
    let row = |&(name, hit): &(&str, Hit)| {
        let mut cost = Cost::default();
        for file in files.iter().flat_map(|file| iter::repeat_n(file, times)) {
            let other = &files[rng.below(files.len())].bytes;
            if let Some(damaged) = hit(&file.bytes, other, rng) {
                cost.add(file, &damaged);
            }
        }
        (name.to_owned(), cost)
    };
    HITS.iter().map(row).collect()
}

fn carriers(files: &[Original]) -> Vec<Row> {
    let row = |&(name, carry): &(&str, Carry)| {
        let mut cost = Cost::default();
        for file in files {
            cost.add(file, &carry(&file.bytes));
        }
        (name.to_owned(), cost)
    };
    CARRIERS.iter().map(row).collect()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (seed, times, folder) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => (Ok(1), Ok(1), concat!(env!("CARGO_MANIFEST_DIR"), "/corpora")),
        ["--seed", seed, "--times", times, folder] => (seed.parse(), times.parse(), folder),
        _ => {
            eprintln!("usage: damage [--seed NUMBER --times NUMBER FOLDER]");
            return ExitCode::from(2);
        }
    };
    let mut paths = Vec::new();
    let (Ok(seed), Ok(times), Ok(())) = (seed, times, collect(Path::new(folder), &mut paths)) else {
        eprintln!("damage: a seed and times are whole numbers, and the folder must be readable");
        return ExitCode::from(2);
    };
    paths.sort();
    let files: Vec<_> = paths.iter().filter_map(|path| Original::of(&fs::read(path).ok()?)).collect();
    println!("{} of {} files have no problem", files.len(), paths.len());
    let mut rng = Rng::new(seed);
    let kinds = [bytes(&files, &mut rng, times), hits(&files, &mut rng, times), carriers(&files)];
    println!("{:46} {:>8} {:>9} {:>9} {:>8} {:>8}", "damage", "mutants", "values", "nodes", "lossy", "silent");
    for rows in &kinds {
        println!();
        for (name, cost) in rows {
            cost.print(name);
        }
    }
    let [.., carriers] = kinds;
    let is_told = carriers.iter().all(|(_, cost)| cost.silent == 0);
    if is_told || !args.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
