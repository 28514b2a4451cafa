//! The next `(` that might begin more than a variation, 64 bytes at a time.
//!
//! Owns the cheap half of a question that each `(` of an archive raises, wherever it stands. It is answered here
//! because two windows of 64 bytes, before and after the `(`, are enough, and a kernel has these as masks for one
//! comparison each.

use super::block::{self, BLOCK, Block, Task, white};
use super::{MOVE_LEN, is_move};

/// The first `(` for which `is_it`, given its index, is true; it is called only for those that, judged by the bytes
/// around them, may begin a game or stand behind a `[` that nothing closed.
pub(in crate::syntax) fn find_tree(bytes: &[u8], is_it: impl FnMut(usize) -> bool) -> Option<usize> {
    block::run(Find { bytes, is_it })
}

/// The last `(` for which `is_it`, given its index, is true.
pub(in crate::syntax) fn rfind_tree(bytes: &[u8], is_it: impl FnMut(usize) -> bool) -> Option<usize> {
    block::run(FindLast { bytes, is_it })
}

struct FindLast<'a, F> {
    bytes: &'a [u8],
    is_it: F,
}

impl<F: FnMut(usize) -> bool> Task for FindLast<'_, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Option<usize> {
        let Self { bytes, mut is_it } = self;
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        let behind = bytes.len() - tail.len();
        let in_tail = (behind..bytes.len()).rev().find(|&at| bytes[at] == b'(' && is_it(at));
        if in_tail.is_some() {
            return in_tail;
        }
        for (number, block) in blocks.iter().enumerate().rev() {
            let mut rest = kernel.eq(block, b'(');
            while let Some(bit) = rest.checked_ilog2() {
                let at = number * BLOCK + bit as usize;
                if is_it(at) {
                    return Some(at);
                }
                rest ^= 1 << bit;
            }
        }
        None
    }
}

/// In how many blocks all `(` are found before the first is examined: how many one block has, the branch
/// predictor cannot learn.
const ROW: usize = 4;

struct Find<'a, F> {
    bytes: &'a [u8],
    is_it: F,
}

impl<F: FnMut(usize) -> bool> Task for Find<'_, F> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<B: Block>(self, kernel: B) -> Option<usize> {
        let Self { bytes, mut is_it } = self;
        let (blocks, tail) = bytes.as_chunks::<BLOCK>();
        let mut found = [0; ROW * BLOCK + 2];
        for (number, row) in blocks.chunks(ROW).enumerate() {
            let mut masks = [0; ROW];
            // Comparing the array would load all of it at once, and wait until each mask was stored.
            let mut all = 0;
            for (mask, block) in masks.iter_mut().zip(row) {
                *mask = kernel.eq(block, b'(');
                all |= *mask;
            }
            // This is so in most of a main line, and of long texts.
            if all == 0 {
                continue;
            }
            let mut count = 0;
            for (place, mut rest) in masks.into_iter().enumerate() {
                let end = count + rest.count_ones() as usize;
                let mut next = count;
                // Most blocks have at most two, so this branch can be predicted.
                loop {
                    for tree in &mut found[next..next + 2] {
                        // If there is none left, the value is never read.
                        *tree = ((place * BLOCK) as u8).wrapping_add(rest.trailing_zeros() as u8);
                        rest &= rest.wrapping_sub(1);
                    }
                    next += 2;
                    if next >= end {
                        break;
                    }
                }
                count = end;
            }
            for &tree in &found[..count] {
                let at = number * ROW * BLOCK + usize::from(tree);
                if !is_plain_at(kernel, bytes, at) && is_it(at) {
                    return Some(at);
                }
            }
        }
        (bytes.len() - tail.len()..bytes.len()).find(|&at| bytes[at] == b'(' && is_it(at))
    }
}

// A function, because a closure is not compiled with the instructions that a kernel needs.
#[inline(always)]
fn is_plain_at<B: Block>(kernel: B, bytes: &[u8], at: usize) -> bool {
    let (before, from) = bytes.split_at(at);
    match (before.last_chunk(), from[1..].first_chunk()) {
        (Some(before), Some(after)) if B::IS_CHEAP => is_plain(kernel, before, after),
        _ => false,
    }
}

/// Whether these bytes around a `(` show that it only begins a variation, or is text. That is so if no node begins
/// there; or if the node ends in sight, is not empty (a header may follow an empty one, unless a parenthesis does), and
/// has at most one name of more than one letter, where a header has two. (Behind white space, that one may be CA, and the header
/// comes next.) Unless a value or node stands right before the `(`, or a `)` between it and a value, or something other than a
/// node right behind it, a value must also have ended before.
#[inline(always)]
fn is_plain<B: Block>(kernel: B, before: &[u8; BLOCK], after: &[u8; BLOCK]) -> bool {
    match after {
        // Most headers. These must be examined.
        [b';', b'A'..=b'Z', b'A'..=b'Z', ..] => return false,
        [b';', ..] => {}
        [byte, ..] if !is_white(*byte) => return true,
        _ => {}
    }
    if !matches!(before[BLOCK - 2..], [b']', b')'] | [_, b']' | b';' | b'(']) {
        let others = !(white(kernel, before) | kernel.eq(before, b')'));
        let closes = kernel.eq(before, b']');
        // The one that comes last has the greater number.
        if closes <= others & !closes {
            return false;
        }
    }
    if matches!(after, [b';', b'(' | b')', ..]) {
        return true;
    }
    // Most variations, with fewer comparisons.
    if after.first_chunk().is_some_and(is_move) && (ends_node(after, MOVE_LEN) || has_one_more(kernel, after)) {
        return true;
    }
    let white = white(kernel, after);
    let nodes = kernel.eq(after, b';');
    let first = !white & (white.wrapping_add(1));
    if first & nodes == 0 {
        return first != 0;
    }
    let (opens, closes) = (kernel.eq(after, b'['), kernel.eq(after, b']'));
    // A carry runs from each `[` to its `]`, which counts as inside here; `skip` does not care.
    let stay = !closes;
    let inside = opens.wrapping_add(stay) ^ opens ^ stay;
    let outside = !inside & !(first | (first - 1));
    let ends = (nodes | kernel.eq(after, b'(') | kernel.eq(after, b')')) & outside;
    let node = (ends & ends.wrapping_neg()).wrapping_sub(1);
    let letters = kernel.is_upper(after) & outside;
    let names = letters & !(letters << 1) & letters >> 1 & node;
    // A backslash that escapes no `]` changes nothing here.
    let escaped = closes & kernel.eq(after, b'\\') << 1;
    let wrong = escaped | (outside & !(letters | opens | white));
    ends != 0
        && opens & outside & node != 0
        && wrong & node == 0
        && (first == 1 || names == 0)
        && names & names.wrapping_sub(1) == 0
}

/// Whether a move is followed by one property with one value, and then the node's end.
#[inline(always)]
fn has_one_more<B: Block>(kernel: B, after: &[u8; BLOCK]) -> bool {
    let open = match after[MOVE_LEN..MOVE_LEN + 3] {
        [b'A'..=b'Z', b'[', _] => MOVE_LEN + 1,
        [b'A'..=b'Z', b'A'..=b'Z', b'['] => MOVE_LEN + 2,
        _ => return false,
    };
    let closes = kernel.eq(after, b']') & u64::MAX << open;
    let close = closes & closes.wrapping_neg();
    close & kernel.eq(after, b'\\') << 1 == 0 && ends_node(after, closes.trailing_zeros() as usize + 1)
}

/// Whether a node ends there, after at most two bytes of white space.
#[inline(always)]
fn ends_node(after: &[u8; BLOCK], at: usize) -> bool {
    let Some(&[first, second, third]) = after.get(at..).and_then(|rest| rest.first_chunk()) else { return false };
    let next = if !is_white(first) {
        first
    } else if !is_white(second) {
        second
    } else {
        third
    };
    matches!(next, b';' | b'(' | b')')
}

/// White space. The rule is repeated here, because the searches are to depend on no other module.
#[inline(always)]
pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Rng;

    struct IsPlain<'a>(&'a [u8]);

    impl Task for IsPlain<'_> {
        type Output = bool;

        #[inline(always)]
        fn run<B: Block>(self, kernel: B) -> bool {
            is_plain(kernel, self.0.first_chunk().unwrap(), self.0.last_chunk().unwrap())
        }
    }

    /// With plain loops.
    fn naive(before: &[u8], after: &[u8]) -> bool {
        let Some(first) = after.iter().position(|&byte| !is_white(byte)) else { return false };
        let has_ended = || before.iter().rfind(|&&byte| !is_white(byte) && byte != b')') == Some(&b']');
        if after[0] != b';' && first == 0 {
            return true;
        }
        if !b"];(".contains(&before[BLOCK - 1]) && !has_ended() {
            return false;
        }
        if after[first] != b';' {
            return true;
        }
        if first == 0 && after[1..3].iter().all(u8::is_ascii_uppercase) {
            return false;
        }
        let (mut inside, mut values, mut long_names, mut len) = (false, 0, 0, 0);
        for (at, &byte) in after.iter().enumerate().skip(first + 1) {
            match byte {
                b']' if inside && after[at - 1] == b'\\' => return false,
                b']' if inside => inside = false,
                _ if inside => {}
                b'(' | b')' if after[..2] == [b';', byte] => return true,
                b'(' | b')' | b';' => return values > 0 && long_names < if first == 0 { 2 } else { 1 },
                b'[' => (inside, values) = (true, values + 1),
                b'A'..=b'Z' => {}
                _ if is_white(byte) => {}
                _ => return false,
            }
            len = if byte.is_ascii_uppercase() && !inside { len + 1 } else { 0 };
            long_names += u32::from(len == 2);
        }
        false
    }

    #[test]
    fn every_kernel_agrees_with_plain_loops() {
        let mut plain = 0;
        for seed in 1..20_000 {
            let mut rng = Rng::new(seed);
            let mut text: Vec<u8> = (0..BLOCK).map(|_| rng.pick(b"])  \n\x0B(x;")).collect();
            text.push(b'(');
            let parts: [&[u8]; 12] = [
                b";",
                b"B[aa]",
                b"LB[aa:A]",
                b"C[(;x\\y]",
                b"[]",
                b" ",
                b"\n",
                b")",
                b"(",
                b"N[\\]]",
                b"\xB0",
                b"aB[]",
            ];
            while text.len() < 2 * BLOCK + 1 {
                let begins = text.len() == BLOCK + 1 && seed % 4 > 0;
                text.extend_from_slice(if begins { b";" } else { rng.pick(&parts) });
            }
            let expected = naive(&text[..BLOCK], &text[BLOCK + 1..][..BLOCK]);
            plain += u32::from(expected);
            for (kernel, found) in block::run_all(|| IsPlain(&text[..=2 * BLOCK])) {
                assert_eq!(found, expected, "{kernel} {}", text.escape_ascii());
            }
        }
        assert!(plain > 2000, "{plain}");
    }

    #[test]
    fn find_stops_at_every_tree_that_is_not_plain() {
        let game = |count| [&b"(;FF[4]GM[1]"[..], &b"(;B[aa]C[a(b)];W[bb])".repeat(count), b")"].concat();
        for count in 0..20 {
            let text = [game(20), game(count), game(20)].concat();
            let games: Vec<usize> = memchr::memmem::find_iter(&text, b"(;FF").collect();
            for wanted in games {
                let is_it = |at: usize| at >= wanted && text[at..].starts_with(b"(;FF");
                for (kernel, found) in block::run_all(|| Find { bytes: &text, is_it }) {
                    assert_eq!(found, Some(wanted), "{kernel} {count}");
                }
            }
            for (kernel, found) in block::run_all(|| Find { bytes: &text, is_it: |_| true }) {
                assert_eq!(found, Some(0), "{kernel} {count}: nothing precedes it");
            }
        }
    }

    #[test]
    fn the_last_tree_agrees_with_a_plain_loop() {
        let text = [&b"(a"[..], &b"x(yz((".repeat(60), &[b'.'; 200], b"(("].concat();
        for len in 0..text.len() {
            for wanted in [0, 1, 60, 200, len / 2, len] {
                let bytes = &text[..len];
                let is_it = |at: usize| at <= wanted;
                let expected = (0..len).rev().find(|&at| bytes[at] == b'(' && is_it(at));
                for (kernel, found) in block::run_all(|| FindLast { bytes, is_it }) {
                    assert_eq!(found, expected, "{kernel} {len} {wanted}");
                }
            }
        }
    }
}
