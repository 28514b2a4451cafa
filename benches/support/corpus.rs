//! The corpora.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use super::archive::{self, Kind};
use super::visitors::Tally;

/// The size of a generated corpus, larger than most caches.
const LEN: usize = 16 << 20;

/// The size of a sample: enough to count instructions, and little enough to simulate.
pub(crate) const SAMPLE: usize = 1 << 20;

/// A corpus, and the counts of its events.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    /// Was compared once with a reader that shares no code with this one. A new seed or generator changes it.
    pub(crate) tally: Tally,
    kind: Option<Kind>,
    bytes: OnceLock<Vec<u8>>,
}

impl Corpus {
    const fn new(name: &'static str, kind: Option<Kind>, tally: Tally) -> Self {
        Self { name, tally, kind, bytes: OnceLock::new() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get_or_init(|| match self.kind {
            Some(kind) => archive::bytes(kind, LEN, 1),
            None => professional(),
        })
    }

    /// Exactly [`SAMPLE`] bytes: the last game is truncated, and a smaller corpus is repeated.
    pub(crate) fn sample(&self) -> Vec<u8> {
        let bytes = self.kind.map_or_else(professional, |kind| archive::bytes(kind, SAMPLE, 1));
        bytes.iter().copied().cycle().take(SAMPLE).collect()
    }
}

/// Dense moves, as game servers write them.
pub(crate) static MOVES: Corpus = Corpus::new("moves", Some(Kind::Moves), MOVES_TALLY);
/// Mostly prose.
pub(crate) static COMMENTS: Corpus = Corpus::new("comments", Some(Kind::Comments), COMMENTS_TALLY);
/// Deep and wide trees.
pub(crate) static VARIATIONS: Corpus = Corpus::new("variations", Some(Kind::Variations), VARIATIONS_TALLY);
/// A single tree.
pub(crate) static GIANT: Corpus = Corpus::new("giant", Some(Kind::Giant), GIANT_TALLY);
/// Whatever is slowest per byte.
pub(crate) static PATHOLOGICAL: Corpus = Corpus::new("pathological", Some(Kind::Pathological), PATHOLOGICAL_TALLY);
/// The games of `corpora/pro`, one after another.
pub(crate) static PRO: Corpus = Corpus::new("pro", None, PRO_TALLY);

pub(crate) static GENERATED: [&Corpus; 5] = [&MOVES, &COMMENTS, &VARIATIONS, &GIANT, &PATHOLOGICAL];

const MOVES_TALLY: Tally = Tally::new(9_605, 9_605, 2_119_676, 2_608_797, 2_608_797, 0);
const COMMENTS_TALLY: Tally = Tally::new(749, 749, 114_120, 162_166, 162_166, 0);
const VARIATIONS_TALLY: Tally = Tally::new(2_345, 693_717, 1_377_952, 1_580_389, 1_666_365, 0);
const GIANT_TALLY: Tally = Tally::new(1, 461_162, 1_153_001, 1_383_094, 1_498_134, 0);
const PATHOLOGICAL_TALLY: Tally = Tally::new(5_082, 1_195_334, 3_429_954, 389_389, 352_049, 362_206);
const PRO_TALLY: Tally = Tally::new(365, 365, 77_607, 81_685, 81_692, 0);

fn professional() -> Vec<u8> {
    // The instructions are counted by a package further down.
    let mut dirs = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|dir| dir.join("corpora/pro"));
    let mut files: Vec<_> = dirs
        .find_map(|dir| fs::read_dir(dir).ok())
        .expect("the games are part of the package")
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    files.sort();
    files.iter().flat_map(|path| fs::read(path).expect("a readable file")).collect()
}
