//! Where games begin, and trees in them end, by the byte rules alone, at skip speed: for guesses.
//!
//! Owns the search for such a place in bytes that begin with a game, or right after a tree inside one. Refuses to know
//! charsets, and how damaged games are handled: the caller has to find out whether the answer is right.

use memchr::memchr;

use crate::syntax::Position;
use crate::syntax::position::Lines;
use crate::syntax::scan::{Skip, rfind_tree, skip};
use crate::text::white::{past_white, trim_start};

/// More trees than any bytes can close.
const FAR: u64 = 1 << 63;

/// The last `(` of the bytes for which `is_it`, given its index, is true.
pub(crate) fn last_tree(bytes: &[u8], is_it: impl FnMut(usize) -> bool) -> Option<usize> {
    rfind_tree(bytes, is_it)
}

/// The last place where a game begins behind another's end, in bytes that begin with a game's `(`.
///
/// Skipping small games one by one costs more than skipping all of them at once. So that is done only in the last
/// eighth if a game begins there, or else in the last quarter, the last half, or everything. It is given up, and `most`
/// is 0, after that many trees outside games, none of which is the one.
pub(crate) fn last_game(bytes: &[u8], most: &mut usize) -> Option<usize> {
    let mut state = Skip { depth: FAR, ..Skip::default() };
    let mut at = 0;
    let marks = [0, 4, 6, 7].map(|eighths| {
        let mark = bytes.len() / 8 * eighths;
        let _ = skip(&bytes[at..mark], &mut state, false);
        at = mark;
        (mark, Skip { depth: state.depth.saturating_sub(FAR), ..state })
    });
    marks.into_iter().rev().find_map(|(mark, state)| last_from(bytes, mark, state, most))
}

/// The last place where a game begins from `at` on, where `state` is known. At most `most` trees are searched for the first.
fn last_from(bytes: &[u8], mut at: usize, mut state: Skip, most: &mut usize) -> Option<usize> {
    let mut found = None;
    let mut is_behind_game = false;
    loop {
        if state.depth > 0 {
            state.depth -= 1;
            let Some(close) = skip(&bytes[at..], &mut state, false).0 else { return found };
            at += close + 1;
            is_behind_game = true;
        }
        let rest = trim_start(&bytes[at..]);
        let Some(open) = memchr(b'(', rest) else { return found };
        is_behind_game &= open == 0;
        at = bytes.len() - rest.len() + open;
        state = Skip::default();
        if trim_start(&bytes[at + 1..]).starts_with(b";") {
            if is_behind_game {
                found = Some(at);
            }
            state.depth = 1;
        }
        if found.is_none() {
            *most = most.checked_sub(1)?;
        }
        is_behind_game = false;
        at += 1;
    }
}

/// A boundary inside a game or right after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Right after a tree that ends there and leaves this many open.
    Tree(Position, u64),
    /// Where the next game begins.
    Game(Position),
}

/// The place right after the tree that is the innermost behind the first `from` bytes, or where the next game begins if this
/// one ends before that. The bytes begin at `start`, after a `)` inside the game, with `depth` trees open.
pub(crate) fn boundary_inside(bytes: &[u8], start: Position, depth: u64, from: usize) -> Option<Boundary> {
    let mut lines = Lines::at(start);
    // The outermost tree is the game.
    let mut state = Skip { depth: depth - 1, ..Skip::default() };
    let (passed, rest) = bytes.split_at(from);
    let (close, ends) = skip(passed, &mut state, false);
    lines.apply(ends, passed, start.offset);
    let (close, is_game) = if let Some(close) = close {
        (close, true)
    } else {
        let at = start.offset + from as u64;
        let mut ahead = Skip { depth: 0, ..state };
        let (close, ends) = skip(rest, &mut ahead, lines.is_after_cr(at));
        lines.apply(ends, rest, at);
        (from + close?, state.depth == 0)
    };
    let place = |at: usize, lines: &Lines| lines.position(start.offset + at as u64);
    let after = &bytes[close + 1..];
    if !is_game {
        return Some(Boundary::Tree(place(close + 1, &lines), state.depth));
    }
    let next = past_white(after);
    let gap = &after[..after.len() - next.len()];
    let is_next = next.first() == Some(&b'(') && past_white(&next[1..]).first() == Some(&b';');
    lines.advance(gap, start.offset + close as u64 + 1);
    is_next.then(|| Boundary::Game(place(close + 1 + gap.len(), &lines)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_game_after_another_is_found() {
        for (text, expected) in [
            ("(;B[aa])(;B[bb](;W[cc])(;W[dd]))\n( ;B[ee](;W[ff])", Some(33)),
            ("(;C[(;])(;C[\\])(;])x(;A[a])", Some(8)),
            ("(;B[aa]))(;B[bb])", None),
            ("(;B[aa])x(;C[x", None),
            ("(;B[aa](;B[bb])(;B[cc])", None),
            ("(;B[aa])", None),
            ("(", None),
            ("", None),
        ] {
            assert_eq!(last_game(text.as_bytes(), &mut 99), expected, "{text}");
        }
    }

    #[test]
    fn the_search_for_a_game_behind_another_is_given_up() {
        let text = b"(;)x".repeat(100);
        for (most, is_given_up) in [(3, true), (1000, false)] {
            let mut left = most;
            assert_eq!(last_game(&text, &mut left), None);
            assert_eq!(left == 0, is_given_up, "{most}");
        }
        // One that was found is not forgotten.
        assert_eq!(last_game(b"(;)(;)(;)x", &mut 99), Some(6));
    }

    #[test]
    fn the_last_game_is_found_at_any_offset() {
        let long = "(;C[long \\] (;]".to_owned() + &";B[aa](;W[bb])".repeat(20) + ")";
        for before in 1..20 {
            for after in 0..20 {
                let text = "(;B[aa]) ".repeat(before) + &long + &"(;AW[a][b])".repeat(after);
                let expected = 9 * before + if after == 0 { 0 } else { long.len() + 11 * (after - 1) };
                assert_eq!(last_game(text.as_bytes(), &mut 99), Some(expected), "{before}, {after}");
            }
        }
    }

    #[test]
    fn places_inside_a_game_are_found() {
        let start = Position { offset: 100, line: 7, column: 3 };
        let at = |offset, line, column| Position { offset: 100_u64 + offset, line, column };
        let tree = |place, depth| Some(Boundary::Tree(place, depth));
        for (text, depth, from, expected) in [
            (";B[aa](;W[bb])(;W[cc]))", 2, 0, tree(at(23, 7, 26), 1)),
            (";B[aa](;W[bb])(;W[cc]))", 2, 8, tree(at(14, 7, 17), 2)),
            (";B[aa](;W[bb])(;W[cc]))", 2, 14, tree(at(23, 7, 26), 1)),
            (";C[(;)\\](;W[bb\r]\n)", 2, 4, tree(at(18, 9, 2), 1)),
            ("\r\n;B[aa]\r\n(\n;W[bb]\n\r)", 2, 12, tree(at(21, 12, 2), 2)),
            (";C[(;])\\](;W[bb])", 1, 4, None),
            (";C[\\](;W[bb\\])]", 1, 4, None),
            ("(;B[aa]", 1, 0, None),
            ("", 1, 0, None),
            // The game ends.
            (";B[aa](;W[bb])) (;", 1, 0, Some(Boundary::Game(at(16, 7, 19)))),
            (";B[aa](;W[bb]))\r\n( ;B[aa])(;", 1, 22, Some(Boundary::Game(at(17, 8, 1)))),
            (";B[aa])\n)(;W[bb])", 2, 12, Some(Boundary::Game(at(9, 8, 2)))),
            (";B[aa])x(;W[bb])", 1, 8, None),
            (";B[aa]) (W[bb])", 1, 8, None),
            (";B[aa]) (", 1, 8, None),
            (";B[aa]) ", 1, 7, None),
        ] {
            assert_eq!(boundary_inside(text.as_bytes(), start, depth, from), expected, "{text}, {depth}, {from}");
        }
    }
}
