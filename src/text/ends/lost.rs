//! Values whose `]` is missing, so that they go on through what comes next, up to the first `]` there.
//!
//! Owns [`lost_end`], for a value that has a `]`, and [`cut_end`], for one that has none before the input ends or a game may
//! begin. No value contains `;`, a property and its `[` unless somebody quotes a game in a text, and then the quotation has
//! more brackets. Refuses to know what comes behind the value.

use memchr::{memchr, memrchr2};

use crate::text::white::{is_white, trim_end};

/// The longest move, point or number that is examined, in bytes.
pub(crate) const MAX_SHORT_VALUE: usize = 256;

/// This many values in a row may have lost their `]`: each of them is examined from the same `]` back.
const CHAIN: usize = 8;

/// The longest text that is examined, as many may end at the same `]`.
const MAX_TEXT: usize = 4 << 10;

/// How far before the `]` of a text the `[` is sought that it belongs to: nearly always, a move comes next.
const NEAR: usize = 16;

/// The longest rectangle of points, in bytes: `a10:b12`.
const POINT: usize = 7;

/// What the values of a property are, as far as that says how a lost `]` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A move, a point or a number.
    Short,
    /// A point in a list: another value may follow at once.
    List,
}

/// Where a value should have ended that by the rules has these bytes.
pub(crate) fn lost_end(raw: &[u8], form: Form) -> Option<usize> {
    if raw.len() > if form == Form::Text { MAX_TEXT } else { MAX_SHORT_VALUE } {
        return None;
    }
    if form != Form::Text {
        let open = memchr(b'[', raw)?;
        if form == Form::List && raw.split(|&byte| byte == b'[').all(is_point) {
            return Some(open);
        }
    }
    let mut end = None;
    for _ in 0..CHAIN {
        let Some(earlier) = last_end(&raw[..end.unwrap_or(raw.len())], form) else { break };
        end = Some(earlier);
    }
    // The damaged byte may be any; behind it, nothing is text.
    end.filter(|&end| form == Form::Text || raw[end..].iter().skip_while(|byte| !byte.is_ascii()).all(u8::is_ascii))
}

/// Where it should have ended if what comes next has one value.
fn last_end(raw: &[u8], form: Form) -> Option<usize> {
    let is_short = form != Form::Text;
    let from = if is_short { 0 } else { raw.len().saturating_sub(NEAR) };
    let open = from + memrchr2(b'[', b']', &raw[from..]).filter(|&at| raw[from + at] == b'[')?;
    if raw[open..].contains(&b'\\') {
        return None;
    }
    let (before, is_node) = before_name(&raw[..open])?;
    if is_node && !is_short {
        return None;
    }
    let own = match before.strip_suffix(b";").map(trim_end) {
        None if is_node => return None,
        Some([.., b'\\' | b'(']) => return None,
        Some(own) if !is_short && ends_in_entity(own) => return None,
        Some(own) => own,
        None if is_short => before,
        None => return None,
    };
    Some(own.len())
}

/// The bytes before an identifier, and whether only a `;` before it shows that it is one: games other than Go have names with digits.
fn before_name(bytes: &[u8]) -> Option<(&[u8], bool)> {
    let len = bytes.iter().rev().take(3).take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
    let (before, name) = bytes.split_at(bytes.len() - len);
    let letters = name.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    match (trim_end(before), name) {
        (before @ [.., b';'], [_] | [_, _]) => Some((before, letters < len)),
        _ if (1..=2).contains(&letters) => Some((trim_end(&bytes[..bytes.len() - letters]), false)),
        _ => None,
    }
}

/// Whether a value, or what is left of one, has the form of a point or a rectangle of points, or is empty.
fn is_point(value: &[u8]) -> bool {
    value.len() <= POINT && value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b':')
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
    let is_plain = || value.len() <= MAX_SHORT_VALUE && value.is_ascii() && memchr(b']', value).is_none();
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
        let cases: [(&[u8], bool, Option<usize>); 27] = [
            (b"pd;W[dd", true, Some(2)),
            (b"5\n; P0[2 pick", true, Some(1)),
            (b"a1;2[b2", true, Some(2)),
            (b"5 P0[2", true, None),
            (b"cc\xAC;W[ce", true, Some(3)),
            (b"pd\n ; W[dd", true, Some(2)),
            (b"pd;W[dd;B[qq", true, Some(2)),
            (b";W[dd", true, Some(0)),
            (b"9AB[aa", true, Some(1)),
            (b"9\nAB[aa", true, Some(1)),
            (b"9PB[Cho Chikun", true, Some(1)),
            (b"9ABC[aa", true, None),
            (b"9ab[aa", true, None),
            (b"9AB[a\\", true, None),
            (b"9\xFFAB[aa", true, Some(2)),
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
            let form = if is_short { Form::Short } else { Form::Text };
            assert_eq!(lost_end(raw, form), expected, "{}", raw.escape_ascii());
        }
        for (len, form) in [(MAX_SHORT_VALUE, Form::Short), (MAX_TEXT, Form::Text)] {
            let long = [&vec![b'a'; len - 5], b";W[dd".as_slice()].concat();
            assert_eq!(lost_end(&long, form), Some(len - 5));
            assert_eq!(lost_end(&[b"a", &long[..]].concat(), form), None);
        }
    }

    #[test]
    fn in_a_list_the_next_value_may_begin_at_once() {
        for (raw, expected) in [
            ("bb[cc", Some(2)),
            ("[bb", Some(0)),
            ("a1:b2[c3", Some(5)),
            ("bb[cc[dd", Some(2)),
            ("bb ][cc", None),
            ("see [cc", None),
            ("bb[a point", None),
            ("bb[c\\", None),
        ] {
            assert_eq!(lost_end(raw.as_bytes(), Form::List), expected, "{raw}");
            assert_eq!(lost_end(raw.as_bytes(), Form::Short), None, "{raw}");
        }
    }
}
