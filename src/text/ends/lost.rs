//! Values whose `]` is missing, so that they go on through what comes next, up to the first `]` there.
//!
//! Owns [`lost_end`], for a value that has a `]`, and [`cut_end`], for one that has none before the input ends or a game may
//! begin. No value contains `;`, a property and its `[` unless somebody quotes a game in a text, and then the quotation has
//! more brackets; and no line of a header contains the name of a property and its `[`. Refuses to know what comes behind the
//! value, and which names are those of properties.

use memchr::{memchr, memchr_iter, memchr2, memrchr2};

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

/// The most capitals that may be those of a property: its name, and what has become of the `]` before it.
const CAPITALS: usize = 3;

/// What the values of a property are, as far as that says how a lost `]` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    /// A name, a place, a date.
    Line,
    /// A move, a point or a number.
    Short,
    /// A point in a list: another value may follow at once.
    List,
    /// Anything else. It is read as it stands.
    Other,
}

impl Form {
    /// The longest value that is examined, in bytes.
    fn longest(self) -> usize {
        if matches!(self, Self::Text | Self::Line) { MAX_TEXT } else { MAX_SHORT_VALUE }
    }
}

/// Where a value should have ended that by the rules has these bytes. `is_known`: whether these two letters are the name of a
/// property.
pub(crate) fn lost_end(raw: &[u8], form: Form, is_known: impl Fn(u8, u8) -> bool + Copy) -> Option<usize> {
    if raw.len() > form.longest() {
        return None;
    }
    match form {
        Form::List if are_points(raw) => {
            return memchr(b'[', raw).map(|open| point_len(&raw[..open]));
        }
        Form::List | Form::Short => return short_end(raw, is_known),
        Form::Other => return None,
        Form::Line | Form::Text => {}
    }
    let mut end = None;
    for _ in 0..CHAIN {
        let Some(earlier) = text_end(&raw[..end.unwrap_or(raw.len())], form, is_known) else { break };
        end = Some(earlier);
    }
    end
}

/// Whether a value that by the rules has these bytes ends like a property of one or two letters, or like the next of several
/// labels, so that it may have lost its `]` all the same. Nobody knows where, if a tree may have ended or begun in between, if no
/// program has such a property, or if the value may be anything.
pub(crate) fn ends_in_property(raw: &[u8], form: Form, is_known: impl Fn(u8, u8) -> bool) -> bool {
    if raw.len() > form.longest() {
        return false;
    }
    let Some(open) = last_open(raw, form) else { return false };
    let (before, behind) = (&raw[..open], &raw[open + 1..]);
    let last = |is_of_name: fn(&u8) -> bool| {
        before.iter().rev().take(CAPITALS + 1).take_while(|&byte| is_of_name(byte)).count()
    };
    let is_name = match before[open - last(u8::is_ascii_alphanumeric)..] {
        [first] => first.is_ascii_uppercase(),
        [first, second] => first.is_ascii_uppercase() && (second.is_ascii_uppercase() || second.is_ascii_digit()),
        _ => false,
    };
    let capitals = last(u8::is_ascii_uppercase);
    // Before it stands what has become of the `]`, and perhaps a result.
    let is_known_name = || capitals >= CAPITALS && is_known(before[open - 2], before[open - 1]);
    // In what is written for others to read, words may end in capitals, and names may have nothing else.
    let may_be_glued = || match (form, capitals) {
        (Form::Text, _) | (_, 0) | (Form::Line, CAPITALS..) => false,
        (Form::Line | Form::Short | Form::List | Form::Other, _) => true,
    };
    is_name || is_known_name() || may_be_glued() || (form == Form::Other && is_label(raw) && is_label(behind))
}

/// Whether these bytes begin like a point with a label: `aa:1`.
fn is_label(bytes: &[u8]) -> bool {
    matches!(bytes, [column, row, b':', ..] if column.is_ascii_alphabetic() && row.is_ascii_alphabetic())
}

/// Where it should have ended: it has no `[`, whatever comes behind that, and no backslash but in place of its `]` or before it.
fn short_end(bytes: &[u8], is_known: impl Fn(u8, u8) -> bool) -> Option<usize> {
    if let [b'[', rest @ ..] = bytes
        && memchr(b'[', rest).is_none()
    {
        return Some(0);
    }
    let end = memchr_iter(b'[', bytes).take(CHAIN).find_map(|open| {
        let (before, is_node) = before_name(&bytes[..open], &is_known)?;
        match before.strip_suffix(b";").map(trim_end) {
            Some([.., b'(']) => None,
            Some(own) => Some(own.len()),
            None if is_node => None,
            None => Some(before.len()),
        }
    })?;
    let escape = memchr(b'\\', &bytes[..end]);
    escape.is_none_or(|escape| escape + 2 >= end).then_some(end)
}

/// Where a text should have ended if what comes next has one value.
fn text_end(raw: &[u8], form: Form, is_known: impl Fn(u8, u8) -> bool + Copy) -> Option<usize> {
    let open = last_open(raw, form)?;
    before_property(&raw[..open], is_known).or_else(|| before_node(&raw[..open], is_known))
}

/// The `[` in a value, near the end of a text, that the `]` behind it belongs to.
fn last_open(raw: &[u8], form: Form) -> Option<usize> {
    let from = if form == Form::Text { raw.len().saturating_sub(NEAR) } else { 0 };
    let open = from + memrchr2(b'[', b']', &raw[from..]).filter(|&at| raw[from + at] == b'[')?;
    (!raw[open..].contains(&b'\\')).then_some(open)
}

/// The length of a text before the name of a property, with which these bytes end. People write words in capitals, too.
fn before_property(bytes: &[u8], is_known: impl Fn(u8, u8) -> bool) -> Option<usize> {
    let capitals = bytes.iter().rev().take(CAPITALS + 1).take_while(|byte| byte.is_ascii_uppercase()).count();
    let is_in_word = || {
        let last = bytes[..bytes.len() - capitals].last();
        last.is_some_and(|last| matches!(last, b'a'..=b'z' | b'0'..=b'9' | b':' | b'+' | 0x80..))
    };
    let name_len = match bytes {
        [.., b'C'] if capitals == 1 && is_in_word() => 1,
        [.., first, second] if is_known(*first, *second) && (capitals == 2 || capitals == 3 && is_in_word()) => 2,
        _ => return None,
    };
    let own = &bytes[..bytes.len() - name_len];
    let own = trim_end(own);
    // It quotes a node, or has a bracket that was not escaped, and may have more.
    let is_quoted = own.ends_with(b";") || memchr(b']', own).is_some();
    (!is_quoted).then_some(own.len())
}

/// The length of a text before a node, with whose first name these bytes end.
fn before_node(bytes: &[u8], is_known: impl Fn(u8, u8) -> bool) -> Option<usize> {
    let (before, false) = before_name(bytes, is_known)? else { return None };
    let own = trim_end(before.strip_suffix(b";")?);
    let is_quoted = matches!(own, [.., b'\\' | b'(']) || ends_in_entity(own);
    (!is_quoted).then_some(own.len())
}

/// The bytes before an identifier, and whether only a `;` before it shows that it is one: games other than Go have names with
/// digits.
fn before_name(bytes: &[u8], is_known: impl Fn(u8, u8) -> bool) -> Option<(&[u8], bool)> {
    let len = bytes.iter().rev().take(3).take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
    let (before, name) = bytes.split_at(bytes.len() - len);
    let letters = name.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    match (trim_end(before), name) {
        (before @ [.., b';'], [_] | [_, _]) => Some((before, letters < len)),
        _ if (1..=2).contains(&letters) => Some((trim_end(&bytes[..bytes.len() - letters]), false)),
        (_, [_, first, second]) if letters == CAPITALS && is_known(*first, *second) => {
            Some((&bytes[..bytes.len() - 2], false))
        }
        _ => None,
    }
}

/// The length of the first point of a list, in which these bytes stand for one. If capitals stand behind what may be a point, they
/// are the name of the next property.
fn point_len(bytes: &[u8]) -> usize {
    let capitals = bytes.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    let point = &bytes[..bytes.len() - capitals];
    let is_point = point.len() >= 2 && !point.ends_with(b":");
    if is_point && capitals <= CAPITALS { bytes.len() - capitals.min(2) } else { bytes.len() }
}

/// Whether all values with a `[` between them have the form of points, or what is left of them, but for a line end or a byte before
/// the `[`, which may be what has become of a `]`.
fn are_points(values: &[u8]) -> bool {
    let mut values = values.rsplit(|&byte| byte == b'[');
    let last = values.next().unwrap_or_default();
    // In labels, signs are text.
    let is_damaged = |value: &[u8]| match value {
        [point @ .., end] => !is_white(*end) && is_point(point) && memchr(b':', value).is_none(),
        [] => false,
    };
    // A list may go on in the next line.
    let of_line = |value| {
        let own = trim_end(value);
        if memchr2(b'\n', b'\r', &value[own.len()..]).is_some() { own } else { value }
    };
    is_point(last) && values.map(of_line).all(|value| is_point(value) || is_damaged(value))
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
        let cases: [(&[u8], bool, Option<usize>); 33] = [
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
            (b"9AB[a\\", true, Some(1)),
            (b"pd\\;W[dd", true, Some(3)),
            (b"pd\\];W[dd", true, Some(4)),
            (b"19\\]AB[aa", true, Some(4)),
            (b"p\\dd;W[dd", true, None),
            (b"[pd", true, Some(0)),
            (b"9\nC[\xE9\\", true, Some(1)),
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
            assert_eq!(lost_end(raw, form, is_known), expected, "{}", raw.escape_ascii());
        }
        for (len, form) in [(MAX_SHORT_VALUE - 5, Form::Short), (MAX_TEXT - 5, Form::Text)] {
            let long = [&vec![b'a'; len], b";W[dd".as_slice()].concat();
            assert_eq!(lost_end(&long, form, is_known), Some(len));
            assert_eq!(lost_end(&[b"a", &long[..]].concat(), form, is_known), None);
        }
    }

    fn is_known(first: u8, second: u8) -> bool {
        [b"AB", b"PW", b"RE"].contains(&&[first, second])
    }

    #[test]
    fn a_line_ends_where_the_name_of_a_property_stands() {
        for (raw, expected) in [
            ("JoePW[Ann", Some(3)),
            ("Joe\nPW[Ann", Some(3)),
            ("PW[Ann", Some(0)),
            ("JoeYPW[Ann", Some(4)),
            ("W+RPW[Ann", Some(3)),
            ("李世石PW[古力", Some(9)),
            ("Joe 9dC[see here", Some(6)),
            ("Joe;W[dd", Some(3)),
            ("Joe;PW[dd", Some(3)),
            ("JoePW[AnnRE[B+3", Some(3)),
            ("see (;PW[Ann", None),
            ("Joe C[1", None),
            ("vitaminB[1", None),
            ("JOEPW[Ann", None),
            ("Joe XPW[Ann", None),
            ("JoePX[Ann", None),
            ("Joe [1", None),
            ("Joe [1] PW[2", None),
            ("JoePW[An\\n", None),
        ] {
            assert_eq!(lost_end(raw.as_bytes(), Form::Line, is_known), expected, "{raw}");
            let long = [vec![b'x'; MAX_TEXT], raw.as_bytes().to_vec()].concat();
            assert_eq!(lost_end(&long, Form::Line, is_known), None);
        }
    }

    #[test]
    fn a_move_that_runs_into_a_text_ends_before_it() {
        for (raw, expected) in [
            ("ccC[x [1k\\]: y", Some(2)),
            ("cc\n;C[x", Some(2)),
            ("6.5UAB[x", Some(4)),
            ("6.5ABC[x", None),
            ("cc[x", None),
            ("c\\cc;C[x", None),
        ] {
            assert_eq!(lost_end(raw.as_bytes(), Form::Short, is_known), expected, "{raw}");
        }
    }

    #[test]
    fn in_a_list_the_next_value_may_begin_at_once() {
        for (raw, expected) in [
            ("bb[cc", Some(2)),
            ("bb\n[cc", Some(3)),
            ("a1:b2[c3", Some(5)),
            ("bb[cc[dd", Some(2)),
            ("bb ][cc", None),
            ("see [cc", None),
            ("aa:x-[cc", None),
            ("bb[a point", None),
            ("bb[c\\", None),
        ] {
            assert_eq!(lost_end(raw.as_bytes(), Form::List, is_known), expected, "{raw}");
            assert_eq!(lost_end(raw.as_bytes(), Form::Short, is_known), None, "{raw}");
        }
        for (raw, expected) in [
            ("[bb", 0),
            ("aA[bb", 2),
            ("aa}[bb", 3),
            ("aa\\[bb_[cc", 3),
            ("AA[BB", 2),
            ("bbAW[cc", 2),
            ("a10AW[cc", 3),
            ("bbUAW[cc", 3),
            ("bbC[x", 2),
            ("a:bbAW[cc", 4),
        ] {
            assert_eq!(lost_end(raw.as_bytes(), Form::List, is_known), Some(expected), "{raw}");
        }
    }
}
