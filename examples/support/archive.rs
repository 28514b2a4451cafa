//! Archives of any size, made from a seed: the corpora that benches and large tests read.
//!
//! Owns what such archives look like. An archive is a sequence of blocks of some 10 to 100 KB, so that 300 GB take no more
//! memory than 300 MB; it ends with the first whole game at or after the requested size.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::rng::Rng;

/// What an archive stresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Games as servers write them: a header and dense moves.
    Moves,
    /// Annotated games: most bytes are prose.
    Comments,
    /// Trees that are deep, wide and both.
    Variations,
    /// A single game.
    Giant,
    /// Whatever is slowest per byte: escapes, parentheses, empty nodes, junk and damage.
    Pathological,
}

impl Kind {
    pub(crate) const ALL: [Self; 5] = [Self::Moves, Self::Comments, Self::Variations, Self::Giant, Self::Pathological];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Comments => "comments",
            Self::Variations => "variations",
            Self::Giant => "giant",
            Self::Pathological => "pathological",
        }
    }
}

/// Writes at least `len` bytes and returns how many.
pub(crate) fn write(kind: Kind, len: u64, seed: u64, out: &mut impl Write) -> io::Result<u64> {
    const BLOCK: usize = 64 << 10;
    let mut maker = Maker { rng: Rng::new(seed), text: String::new() };
    let mut written = 0;
    if kind == Kind::Giant {
        maker.header();
    }
    while written < len {
        while maker.text.len() < BLOCK && written + (maker.text.len() as u64) < len {
            match kind {
                Kind::Moves => maker.moves_game(),
                Kind::Comments => maker.comments_game(),
                Kind::Variations => maker.variations_game(),
                Kind::Giant => maker.giant_branch(),
                Kind::Pathological => maker.pathological_game(),
            }
        }
        out.write_all(maker.text.as_bytes())?;
        written += maker.text.len() as u64;
        maker.text.clear();
    }
    if kind == Kind::Giant {
        out.write_all(b")\n")?;
        written += 2;
    }
    Ok(written)
}

/// The archive in memory.
#[allow(dead_code, reason = "the generator writes to a stream; benches and tests read from memory")]
pub(crate) fn bytes(kind: Kind, len: usize, seed: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len + (1 << 17));
    write(kind, len as u64, seed, &mut bytes).expect("memory takes all bytes");
    bytes
}

struct Maker {
    rng: Rng,
    text: String,
}

const NAMES: [&str; 12] = [
    "goldfish",
    "Tengen19",
    "hane_nobi",
    "Ko Threat",
    "aji",
    "moyo42",
    "ladder breaker",
    "tesuji",
    "Nadare",
    "kikashi",
    "sabaki9",
    "Dango",
];
const RANKS: [&str; 6] = ["9d", "5d", "1d", "2k", "8k", "?"];
const RESULTS: [&str; 6] = ["B+R", "W+R", "W+0.5", "B+12.5", "W+T", "0"];
const WORDS: [&str; 24] = [
    "the", "black", "white", "stone", "corner", "is", "too", "late", "for", "this", "ladder", "works", "moyo", "a",
    "good", "shape", "but", "heavy", "and", "side", "invasion", "must", "answer", "here",
];

impl Maker {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// `(;` and the properties of a root node.
    fn header(&mut self) {
        let rng = &mut self.rng;
        let (black, white) = (rng.pick(&NAMES), rng.pick(&NAMES));
        let (black_rank, white_rank) = (rng.pick(&RANKS), rng.pick(&RANKS));
        let (year, month, day) = (rng.between(1996, 2025), rng.between(1, 13), rng.between(1, 29));
        let result = rng.pick(&RESULTS);
        let _ = write!(
            self.text,
            "(;GM[1]FF[4]CA[UTF-8]AP[server:3]SZ[19]KM[6.5]\nPB[{black}]PW[{white}]BR[{black_rank}]WR[{white_rank}]\
             DT[{year}-{month:02}-{day:02}]RE[{result}]RU[Japanese]TM[1800]\n",
        );
    }

    fn point(&mut self) {
        for _ in 0..2 {
            let line = b'a' + self.rng.below(19) as u8;
            self.text.push(char::from(line));
        }
    }

    fn play(&mut self, number: usize) {
        self.push(if number.is_multiple_of(2) { ";B[" } else { ";W[" });
        self.point();
        self.text.push(']');
    }

    fn words(&mut self, count: usize) {
        for i in 0..count {
            if i > 0 {
                // A line of prose has some 12 words.
                self.text.push(if self.rng.one_in(12) { '\n' } else { ' ' });
            }
            let word = self.rng.pick(&WORDS);
            self.push(word);
        }
    }

    /// Half of the games have ten moves a line, a third have no line breaks, the others have clocks for both sides.
    fn moves_game(&mut self) {
        self.header();
        let style = self.rng.below(6);
        for number in 0..self.rng.between(120, 320) {
            self.play(number);
            if style == 5 {
                let _ =
                    write!(self.text, "{}[{}]", if number.is_multiple_of(2) { "BL" } else { "WL" }, 1800 - 5 * number);
            } else if style < 3 && number % 10 == 9 {
                self.text.push('\n');
            }
        }
        self.push(")\n");
    }

    fn comments_game(&mut self) {
        self.header();
        self.push("GC[");
        let count = self.rng.between(20, 200);
        self.words(count);
        self.push("]\n");
        for number in 0..self.rng.between(60, 240) {
            self.play(number);
            if self.rng.one_in(3) {
                self.push("C[");
                let count = self.rng.between(5, 150);
                self.words(count);
                if self.rng.one_in(4) {
                    self.push(" [12k\\]: see W\\\\B; (C) 本因坊");
                }
                self.push("]\n");
            }
        }
        self.push(")\n");
    }

    /// A third deep (each move opens a tree), a third wide (one fork after another), a third both.
    fn variations_game(&mut self) {
        self.header();
        match self.rng.below(3) {
            0 => {
                let depth = self.rng.between(50, 400);
                for number in 0..depth {
                    self.text.push('(');
                    self.play(number);
                }
                for _ in 0..depth {
                    self.text.push(')');
                }
            }
            1 => {
                for _ in 0..self.rng.between(50, 400) {
                    self.branch(4);
                }
            }
            _ => {
                for _ in 0..self.rng.between(2, 6) {
                    self.bush(6);
                }
            }
        }
        self.push(")\n");
    }

    fn branch(&mut self, moves: usize) {
        self.text.push('(');
        for number in 0..self.rng.between(1, moves) {
            self.play(number);
        }
        self.push(")\n");
    }

    /// A tree that forks again and again.
    fn bush(&mut self, depth: usize) {
        self.text.push('(');
        for number in 0..self.rng.between(1, 5) {
            self.play(number);
        }
        if self.rng.one_in(4) {
            self.push("C[");
            let count = self.rng.between(3, 20);
            self.words(count);
            self.push("]LB[pd:A][dd:B]");
        }
        if depth > 0 {
            for _ in 0..self.rng.between(1, 4) {
                self.bush(depth - 1);
            }
        }
        self.push(")\n");
    }

    /// The moves of a joseki dictionary.
    fn giant_branch(&mut self) {
        self.bush(7);
    }

    fn pathological_game(&mut self) {
        match self.rng.below(8) {
            0 => {
                // Nearly every byte is an escape.
                self.push("(;C[");
                for _ in 0..self.rng.between(500, 5_000) {
                    let escape = self.rng.pick(&["\\]", "\\\\", "\\:", "\\\n", "[", "\\[", ";"]);
                    self.push(escape);
                }
                self.push("])\n");
            }
            1 => {
                // Only parentheses.
                let depth = self.rng.between(100, 3_000);
                for _ in 0..depth {
                    self.push("(;");
                }
                for _ in 0..depth {
                    self.text.push(')');
                }
            }
            2 => {
                self.text.push('(');
                for _ in 0..self.rng.between(500, 5_000) {
                    self.text.push(';');
                }
                self.push(")\n");
            }
            3 => {
                // Parentheses without meaning.
                self.push("(;C[");
                for _ in 0..self.rng.between(100, 1_000) {
                    self.push("(;)[(");
                }
                self.push("])\n");
            }
            4 => {
                // Between games, what is almost a game.
                for _ in 0..self.rng.between(100, 1_000) {
                    let junk = self.rng.pick(&["(", "( \n", "(FF ", "(Ab[", ")", "x", "[]", "\u{FEFF}"]);
                    self.push(junk);
                }
            }
            5 => {
                // One-letter properties without values, stray words, stray bytes, orphaned values.
                self.push("(;");
                for _ in 0..self.rng.between(100, 1_000) {
                    let damage =
                        self.rng.pick(&["B", " W", "word ", "%", "[x]", "]", "()", "((;))", "A[]", "b[c]", ";"]);
                    self.push(damage);
                }
                self.push(")\n");
            }
            6 => {
                // Long identifiers, up to the limit and over it.
                self.push("(;");
                for _ in 0..self.rng.between(20, 200) {
                    let len = self.rng.between(1, 40);
                    for i in 0..len {
                        self.text.push(if i < 14 { 'A' } else { 'a' });
                    }
                    self.push("[x]");
                }
                self.push(")\n");
            }
            _ => {
                // White space wherever it is allowed.
                self.push("(");
                for number in 0..self.rng.between(50, 500) {
                    self.push("\n ;\t");
                    self.push(if number.is_multiple_of(2) { "B \r\n" } else { "W\n\n" });
                    self.text.push('[');
                    self.point();
                    self.push("] ");
                }
                self.push(" )\n");
            }
        }
    }
}
