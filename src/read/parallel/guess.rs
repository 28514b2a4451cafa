//! Where a game seems to begin, without reading what comes before.
//!
//! Owns a guess that real archives hardly ever prove wrong, and whose cost does not depend on what it finds. Refuses to
//! know what happens if it is wrong.

use memchr::{memchr, memmem};

use crate::syntax::bounds::last_tree;
use crate::syntax::lists::Lists;
use crate::syntax::root::{Kind, kind};
use crate::text::Charset;
use crate::text::white::{past_white, trim_end};

/// How many bytes of a label are examined.
const LABEL: usize = 64;

/// How far from the end a label is searched for, in steps. Most archives have one in the first, if they have any. If
/// one was found before, it is worth searching everything that came since: a missed label costs the time of a block.
const TAILS: [usize; 4] = [4 << 10, 32 << 10, 128 << 10, usize::MAX];

/// How many of these steps are tried in any case.
const SHORT_TAILS: usize = 2;

/// How many labels are read in search of one that names a charset: text may be full of labels that name none, and all
/// threads wait for this.
const TRIES: usize = 16;

/// The last place behind the first `from` bytes where `)`, white space, `(`, white space and `;` stand before a node
/// that looks like a root.
///
/// A variation looks the same only if it has a root's properties, and text only if it contains a game. A node that
/// begins with a move is not examined: trees are full of them, and no program writes such a root. After `most` nodes
/// that are no roots, the search is given up.
pub(super) fn likely_game(bytes: &[u8], from: usize, most: usize) -> Option<usize> {
    let mut looks = 0;
    let mut lists = Lists::default();
    let is_game = |at: usize| {
        let (before, after) = bytes.split_at(from + at);
        // Most candidates are ruled out here.
        if matches!(after, [_, b';', b'B' | b'W', b'[', ..]) {
            return false;
        }
        let Some(node) = past_white(&after[1..]).strip_prefix(b";") else { return false };
        let is_variation = matches!(node, [b'B' | b'W', b'[', ..]);
        let offset = (bytes.len() - node.len()) as u64;
        if is_variation || !trim_end(before).ends_with(b")") {
            return false;
        }
        looks += 1;
        looks > most || matches!(kind(&mut lists, offset, node, false), Kind::Root { .. })
    };
    let game = last_tree(bytes.get(from..)?, is_game).map(|at| from + at);
    game.filter(|_| looks <= most)
}

/// The charset that the last game with a label seems to declare: the label of the next game is compared with it.
/// `before`: the same for everything before these bytes.
pub(super) fn last_label(bytes: &[u8], before: Option<Charset>) -> Option<Charset> {
    let tails = if before.is_some() { &TAILS[..] } else { &TAILS[..SHORT_TAILS] };
    let mut searched = bytes.len();
    let mut tries = TRIES;
    for &tail in tails {
        let from = bytes.len().saturating_sub(tail);
        // The first bytes of what was searched before may be the end of a `CA[`.
        let new = &bytes[from..bytes.len().min(searched + 2)];
        let (mut last, mut count) = ([0; TRIES], 0);
        for at in memmem::find_iter(new, b"CA[") {
            last[count % TRIES] = from + at + 3;
            count += 1;
        }
        let mut labels = (count.saturating_sub(tries)..count).rev().map(|number| label(&bytes[last[number % TRIES]..]));
        if let Some(found) = labels.find_map(|label| label) {
            return Some(found);
        }
        tries = tries.saturating_sub(count);
        if tries == 0 {
            break;
        }
        searched = from;
    }
    before
}

fn label(bytes: &[u8]) -> Option<Charset> {
    let bytes = &bytes[..bytes.len().min(LABEL)];
    Charset::for_label(&bytes[..memchr(b']', bytes)?]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_root_after_a_game_is_found() {
        for (text, expected) in [
            (&b"(;FF[4]GM[1])(;FF[4]GM[1])"[..], Some(13)),
            (b"(;FF[4]GM[1]) \n( ;FF[4]GM[1])(;B[pd])(;W[dd];", Some(15)),
            (b"(;FF[4]GM[1](;B[aa])(;FF[4]GM[1]))", Some(20)),
            (b"(;FF[4]GM[1])x(;FF[4]GM[1])", None),
            (b"(;FF[4]GM[1])(;FF[4]GM", None),
            (b"(;FF[4]GM[1])", None),
            (b")", None),
            (b"", None),
        ] {
            assert_eq!(likely_game(text, 1, 2), expected, "{}", text.escape_ascii());
        }
        assert_eq!(likely_game(b")(;FF[4]GM[1])", 2, 9), None);
        for (others, expected) in [(2, Some(13)), (3, None)] {
            let text = [&b"(;FF[4]GM[1])(;FF[4]GM[1])"[..], &b"(;AB[aa])(;B[aa])".repeat(others)].concat();
            assert_eq!(likely_game(&text, 1, 3), expected, "{others}");
        }
    }

    #[test]
    fn the_last_label_counts() {
        assert_eq!(last_label(b"(;CA[GBK])(;FF[4]CA[utf-8])(;B[aa])", None), Some(Charset::UTF_8));
        assert_eq!(last_label(b"(;CA[GBK])(;CA[none])(;CA[Big5", None), Some(Charset::GBK));
        for far in TAILS[..3].iter().flat_map(|tail| tail - 9..tail + 2) {
            let text = [b"(;CA[Big5])(;CA[GBK]".as_slice(), &b" ".repeat(far)].concat();
            let expected = (far + 7 <= TAILS[SHORT_TAILS - 1]).then_some(Charset::GBK);
            assert_eq!(last_label(&text, None), expected, "{far} bytes before the end");
            assert_eq!(last_label(&text, Some(Charset::UTF_8)), Some(Charset::GBK), "{far} bytes before the end");
        }
        for (others, expected) in [(TRIES - 1, Charset::GBK), (TRIES, Charset::UTF_8), (9999, Charset::UTF_8)] {
            let text = [b"(;CA[GBK])".as_slice(), &b"(;CA[none])".repeat(others)].concat();
            assert_eq!(last_label(&text, Some(Charset::UTF_8)), Some(expected), "{others} unknown labels");
        }
        assert_eq!(last_label(b"(;C[x])", None), None);
        assert_eq!(last_label(b"(;C[x])", Some(Charset::UTF_8)), Some(Charset::UTF_8));
    }
}
