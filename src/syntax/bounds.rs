//! Where games begin by the byte rules alone, at skip speed: for guesses.
//!
//! Owns the search for such a place in bytes that begin with a game. Refuses to know charsets, and how damaged games
//! are handled: the caller has to find out whether the answer is right.

use memchr::memchr;

use super::scan::{Skip, rfind_tree, skip};
use crate::text::white::trim_start;

/// More trees than any bytes can close.
const FAR: u64 = 1 << 63;

/// The last `(` of the bytes for which `is_it`, given its index, is true.
pub(crate) fn last_tree(bytes: &[u8], is_it: impl FnMut(usize) -> bool) -> Option<usize> {
    rfind_tree(bytes, is_it)
}

/// The last place where a game begins behind another's end, in bytes that begin with a game's `(`.
///
/// Skipping small games one by one costs more than skipping all of them at once. So that is done only in the last
/// eighth if a game begins there, or else in the last quarter, the last half, or everything.
pub(crate) fn last_game(bytes: &[u8]) -> Option<usize> {
    let mut state = Skip { depth: FAR, ..Skip::default() };
    let mut at = 0;
    let marks = [0, 4, 6, 7].map(|eighths| {
        let mark = bytes.len() / 8 * eighths;
        let _ = skip(&bytes[at..mark], &mut state, false);
        at = mark;
        (mark, Skip { depth: state.depth.saturating_sub(FAR), ..state })
    });
    marks.into_iter().rev().find_map(|(mark, state)| last_from(bytes, mark, state))
}

/// The same from `at` on, where `state` is known.
fn last_from(bytes: &[u8], mut at: usize, mut state: Skip) -> Option<usize> {
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
        is_behind_game = false;
        at += 1;
    }
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
            assert_eq!(last_game(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn the_last_game_is_found_at_any_offset() {
        let long = "(;C[long \\] (;]".to_owned() + &";B[aa](;W[bb])".repeat(20) + ")";
        for before in 1..20 {
            for after in 0..20 {
                let text = "(;B[aa]) ".repeat(before) + &long + &"(;AW[a][b])".repeat(after);
                let expected = 9 * before + if after == 0 { 0 } else { long.len() + 11 * (after - 1) };
                assert_eq!(last_game(text.as_bytes()), Some(expected), "{before}, {after}");
            }
        }
    }
}
