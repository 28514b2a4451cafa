//! The ways in which files are damaged.
//!
//! Owns the kinds of damage, and [`Damaged`], which knows of each byte where it was before. Knows nothing of games: which of
//! their tokens are hit, and what that costs, is for the bench.

use std::ops::Range;

use super::Rng;

/// Damages a file at one place, perhaps with a part of another file. Nothing if the file is too short.
pub(crate) type Hit = fn(&[u8], &[u8], &mut Rng) -> Option<Damaged>;

/// Damages all of a file.
pub(crate) type Carry = fn(&[u8]) -> Damaged;

/// What a sector of a disk holds.
const SECTOR: usize = 512;

/// Bytes that are put in.
pub(crate) const INSERTED: &[u8] = b"[](;)\\ A1:\n\0\xFF";

pub(crate) const HITS: &[(&str, Hit)] = &[
    ("a sector of zeros", |file, _, rng| sector(file, rng, |_, _| vec![0; SECTOR])),
    ("a sector of another file", |file, other, rng| {
        sector(file, rng, |_, rng| other.iter().cycle().skip(rng.below(other.len())).take(SECTOR).copied().collect())
    }),
    ("a sector of random bytes", |file, _, rng| {
        sector(file, rng, |_, rng| (0..SECTOR).map(|_| rng.next() as u8).collect())
    }),
    ("a sector that is gone", |file, _, rng| sector(file, rng, |_, _| Vec::new())),
    ("a sector that is there twice", |file, _, rng| sector(file, rng, |sector, _| sector.repeat(2))),
    ("behind the beginning of another file", |file, other, rng| Some(behind(&other[..rng.below(other.len())], file))),
    ("the same, on a line of its own", |file, other, rng| {
        Some(behind(&[&other[..rng.below(other.len())], b"\n"].concat(), file))
    }),
    ("behind the end of another file", |file, other, rng| Some(behind(&other[rng.below(other.len())..], file))),
];

/// What mail, pages, programs and editors leave in files.
pub(crate) const CARRIERS: &[(&str, Carry)] = &[
    ("`> ` before lines", |file| lines(file, b"> ")),
    ("`JS> ` before lines", |file| lines(file, b"JS> ")),
    ("numbers before lines", |file| lines(file, b"  12\t")),
    ("lines broken at 72", |file| broken(file, 72, b"\n")),
    ("lines broken at 72, `> ` before each", |file| broken(file, 72, b"\n> ")),
    ("lines broken by `=` as in mail", |file| broken(file, 75, b"=\n")),
    ("`<br>` for line ends", |file| replaced(file, &[(b'\n', b"<br>")])),
    ("in a page, with entities", |file| {
        let entities: [(_, &[u8]); 4] = [(b'&', b"&amp;"), (b'<', b"&lt;"), (b'>', b"&gt;"), (b'"', b"&quot;")];
        replaced(file, &entities).within(b"<p>[1]<script>for(;;){a[1];}</script><pre>\n", b"\n</pre>\n")
    }),
    ("`&nbsp;` for blanks", |file| replaced(file, &[(b' ', b"&nbsp;")])),
    ("U+00A0 for line ends", |file| replaced(file, &[(b'\n', "\u{A0}".as_bytes())])),
    ("U+200B before lines", |file| lines(file, "\u{200B}".as_bytes())),
    ("U+FF1B for `;`", |file| replaced(file, &[(b';', "\u{FF1B}".as_bytes())])),
    ("in a string of JSON", |file| {
        let escapes: [(_, &[u8]); 3] = [(b'\n', b"\\n"), (b'"', b"\\\""), (b'\\', b"\\\\")];
        replaced(file, &escapes).within(b"{\"a\":[1],\"sgf\":\"", b"\"}\n")
    }),
    ("in strings of C", |file| {
        let escapes: [(_, &[u8]); 3] = [(b'\n', b"\\n\"\n    \""), (b'"', b"\\\""), (b'\\', b"\\\\")];
        replaced(file, &escapes).within(b"char game[] = \"", b"\";\n")
    }),
    ("no line ends", |file| replaced(file, &[(b'\n', b"")])),
    ("CR CR LF", |file| replaced(file, &[(b'\n', b"\r\r\n")])),
    ("no backslashes", |file| replaced(file, &[(b'\\', b"")])),
    ("zeros behind it", |file| replaced(file, &[]).add(&[0; SECTOR])),
    ("Latin-1 to UTF-8, whatever it is", |file| {
        Damaged::of(file, |at| {
            (Vec::new(), (!file[at].is_ascii()).then(|| char::from(file[at]).to_string().into_bytes()))
        })
    }),
];

/// A damaged file, with the place before of each byte that was there before.
#[derive(Default)]
pub(crate) struct Damaged {
    pub(crate) bytes: Vec<u8>,
    pub(crate) from: Vec<Option<usize>>,
}

impl Damaged {
    /// For each byte: what is put before it, and what replaces it.
    fn of(file: &[u8], mut change: impl FnMut(usize) -> (Vec<u8>, Option<Vec<u8>>)) -> Self {
        (0..file.len()).fold(Self::default(), |damaged, at| match change(at) {
            (before, Some(new)) => damaged.add(&before).add(&new),
            (before, None) => damaged.add(&before).keep(file, at..at + 1),
        })
    }

    pub(crate) fn keep(mut self, file: &[u8], range: Range<usize>) -> Self {
        self.bytes.extend_from_slice(&file[range.clone()]);
        self.from.extend(range.map(Some));
        self
    }

    pub(crate) fn add(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self.from.resize(self.bytes.len(), None);
        self
    }

    fn within(self, before: &[u8], after: &[u8]) -> Self {
        let mut damaged = Self::default().add(before);
        damaged.bytes.extend(self.bytes);
        damaged.from.extend(self.from);
        damaged.add(after)
    }
}

fn sector(file: &[u8], rng: &mut Rng, new: impl Fn(&[u8], &mut Rng) -> Vec<u8>) -> Option<Damaged> {
    let start = SECTOR * rng.below((file.len() / SECTOR).max(1));
    let end = start + SECTOR;
    let new = new(file.get(start..end)?, rng);
    Some(Damaged::default().keep(file, 0..start).add(&new).keep(file, end..file.len()))
}

fn behind(before: &[u8], file: &[u8]) -> Damaged {
    Damaged::default().add(before).keep(file, 0..file.len())
}

fn replaced(file: &[u8], new: &[(u8, &[u8])]) -> Damaged {
    let of = |byte| new.iter().find(|new| new.0 == byte).map(|new| new.1.to_vec());
    Damaged::of(file, |at| (Vec::new(), of(file[at])))
}

fn lines(file: &[u8], mark: &[u8]) -> Damaged {
    let is_first = |at: usize| at == 0 || file[at - 1] == b'\n';
    Damaged::of(file, |at| (if is_first(at) { mark.to_vec() } else { Vec::new() }, None))
}

fn broken(file: &[u8], width: usize, end: &[u8]) -> Damaged {
    let mut column = 0;
    Damaged::of(file, |at| {
        column = if file[at] == b'\n' { 0 } else { column + 1 };
        let is_over = column > width;
        if is_over {
            column = 1;
        }
        (if is_over { end.to_vec() } else { Vec::new() }, None)
    })
}
