//! Values whose `]` is missing, so that they go on through what comes next, up to the first `]` there.
//!
//! Owns [`lost_end`], for a value that has a `]`, and [`cut_end`], for one that has none before the input ends or a game may
//! begin. No value contains `;`, a property and its `[` unless somebody quotes a game in a text, and then the quotation has
//! more brackets. Refuses to know what comes behind the value.

use memchr::{memchr, memrchr2};

use super::white::{is_white, trim_end};

/// The longest move, point or number that is examined, in bytes.
pub(crate) const SHORT: usize = 256;

/// So many values in a row may have lost their `]`: each of them is examined from the same `]` back.
const CHAIN: usize = 8;

/// The longest text that is examined, as many may end at the same `]`.
const LONG: usize = 4 << 10;

/// So far before the `]` of a text the `[` is sought that it belongs to: nearly always, a move comes next.
const NEAR: usize = 16;

/// Where a value should have ended that by the rules has these bytes. `is_short`: a move, a point or a number.
pub(crate) fn lost_end(raw: &[u8], is_short: bool) -> Option<usize> {
    if raw.len() > if is_short { SHORT } else { LONG } || (is_short && !raw.is_ascii()) {
        return None;
    }
    let mut end = None;
    for _ in 0..CHAIN {
        let Some(earlier) = last_end(&raw[..end.unwrap_or(raw.len())], is_short) else { break };
        end = Some(earlier);
    }
    end
}

/// The same if what comes next has one value.
fn last_end(raw: &[u8], is_short: bool) -> Option<usize> {
    let from = if is_short { 0 } else { raw.len().saturating_sub(NEAR) };
    let open = from + memrchr2(b'[', b']', &raw[from..]).filter(|&at| raw[from + at] == b'[')?;
    let letters = raw[..open].iter().rev().take(3).take_while(|byte| byte.is_ascii_uppercase()).count();
    if !(1..=2).contains(&letters) || raw[open..].contains(&b'\\') {
        return None;
    }
    let before = trim_end(&raw[..open - letters]);
    let own = match before.strip_suffix(b";").map(trim_end) {
        Some([.., b'\\' | b'(']) => return None,
        Some(own) if !is_short && ends_in_entity(own) => return None,
        Some(own) => own,
        None if is_short => before,
        None => return None,
    };
    Some(own.len())
}

/// Whether a `;` behind this text ends an entity of HTML, as in `&amp;A[1]`.
fn ends_in_entity(text: &[u8]) -> bool {
    let name = text.iter().rev().take(8).position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#');
    name.is_some_and(|len| len > 0 && text[text.len() - 1 - len] == b'&')
}

/// Where a value should have ended that has no `]` before the next tree or the end of the input, if ends of trees stand there. In
/// texts, `)` are text; but of nothing else no text consists.
pub(crate) fn cut_end(value: &[u8], is_short: bool) -> Option<usize> {
    let own = value.iter().rposition(|&byte| byte != b')' && !is_white(byte)).map_or(0, |last| last + 1);
    let is_plain = || value.len() <= SHORT && value.is_ascii() && memchr(b']', value).is_none();
    let may_be_cut = if is_short { is_plain() } else { own == 0 };
    (may_be_cut && value[own..].contains(&b')')).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_before_a_tree_ends_before_the_ends_of_others() {
        let cases: [(&[u8], bool, Option<usize>); 9] = [
            (b"cc)\n", true, Some(2)),
            (b"cc\n) )\n", true, Some(2)),
            (b")", true, Some(0)),
            (b"cc", true, None),
            (b"cc)dd", true, None),
            (b"cc])", true, None),
            (b")\n", false, Some(0)),
            (b"\n", false, None),
            (b"hello :)\n", false, None),
        ];
        for (value, is_short, expected) in cases {
            assert_eq!(cut_end(value, is_short), expected, "{}", value.escape_ascii());
        }
    }

    #[test]
    fn a_value_ends_where_the_next_node_or_property_begins() {
        let cases: [(&[u8], bool, Option<usize>); 23] = [
            (b"pd;W[dd", true, Some(2)),
            (b"pd\n ; W[dd", true, Some(2)),
            (b"pd;W[dd;B[qq", true, Some(2)),
            (b";W[dd", true, Some(0)),
            (b"9AB[aa", true, Some(1)),
            (b"9\nAB[aa", true, Some(1)),
            (b"9PB[Cho Chikun", true, Some(1)),
            (b"9ABC[aa", true, None),
            (b"9ab[aa", true, None),
            (b"9AB[a\\", true, None),
            (b"9\xFFAB[aa", true, None),
            (b"9[aa", true, None),
            (b"pd(;W[dd", true, None),
            (b"hello;W[dd", false, Some(5)),
            (b"see c:\\games\\];W[bb", false, Some(14)),
            (b"hello;W[dd;B[qq", false, Some(5)),
            (b"hello W[dd", false, None),
            (b"hello (;W[dd", false, None),
            (b"hello \\;W[dd", false, None),
            (b"hello ;W[dd]", false, None),
            (b"this &amp;A[1", false, None),
            (b"this & that;A[1", false, Some(11)),
            (b"(;B[aa\\];W[bb\\])", false, None),
        ];
        for (raw, is_short, expected) in cases {
            assert_eq!(lost_end(raw, is_short), expected, "{}", raw.escape_ascii());
        }
        for (len, is_short) in [(SHORT, true), (LONG, false)] {
            let long = [&vec![b'a'; len - 5], b";W[dd".as_slice()].concat();
            assert_eq!(lost_end(&long, is_short), Some(len - 5));
            assert_eq!(lost_end(&[b"a", &long[..]].concat(), is_short), None);
        }
    }
}
