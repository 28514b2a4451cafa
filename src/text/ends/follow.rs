//! What comes after a value that ends where it seems to.
//!
//! Owns [`followed`], which looks at the bytes after a `]`. Readings of a value are told apart by it. Of the grammar it
//! knows only which bytes may stand there. Refuses to know what the value holds.

use memchr::{memchr, memchr_iter, memchr2};

use crate::text::ends::stray::Stray;
use crate::text::white::{is_white, past_white, trim_start, white_len};

/// How many bytes behind a `]` are examined.
pub(crate) const FOLLOW_WINDOW: usize = 64;

/// The longest identifier, in bytes.
pub(crate) const MAX_IDENTIFIER: usize = 32;

/// What comes after a value that seems to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Something that cannot follow a value.
    Text,
    /// Another value, a node, a tree, or the end.
    Legal,
    /// A tree without its `;`, which a text may have too.
    Tree,
    /// A property, in this node or the next. No text resembles that by chance.
    Property,
}

/// Classifies the bytes behind a `]`.
///
/// `None` asks for more bytes, of which [`FOLLOW_WINDOW`] are always enough; `last`: no more come. White space may stand
/// between any two tokens. A `]` inside a text passes for its end only if the text goes on as SGF would.
pub(crate) fn followed(after: &[u8], last: bool) -> Option<Follow> {
    let window = &after[..after.len().min(FOLLOW_WINDOW)];
    let end = match (last, after.len() >= FOLLOW_WINDOW) {
        // White space that fills the window is taken for the indentation of the next line.
        (_, true) => Some(Follow::Legal),
        (true, false) => Some(Follow::Text),
        (false, false) => None,
    };
    let window = past_escaped_ends(window);
    if begins_escape(window) {
        return end;
    }
    let Some((first, rest)) = trim_start(window).split_first() else {
        return if last { Some(Follow::Legal) } else { end };
    };
    match first {
        b'[' => Some(Follow::Legal),
        b';' | b'(' | b')' => match (first, past_escaped_ends(rest)) {
            (b';' | b')', []) if last => Some(Follow::Legal),
            (_, []) => end,
            (_, rest) if begins_escape(rest) => end,
            (b';' | b')', [b';' | b'(' | b')', ..]) | (b'(', [b';', ..]) => Some(Follow::Legal),
            // Whole archives write their moves so; in 8,166 files, no text does.
            (b';', node @ [b'a'..=b'z', ..]) => small_property(node).or(end),
            // After `)` that is not well-formed, but it is not text either.
            (b';' | b')', node) => property(node).or(end),
            (b'(', node @ [b'A'..=b'Z', ..]) => tree_property(node).or(end),
            _ => Some(Follow::Text),
        },
        _ => property(trim_start(window)).or(end),
    }
}

/// Whether the bytes behind a `]` are, at first sight, what nearly always follows one. Then [`followed`] would not say
/// [`Follow::Text`].
#[inline]
pub(crate) fn is_plainly_followed(after: &[u8]) -> bool {
    after.first_chunk().is_some_and(begins_plainly) || is_legible(after)
}

/// Whether a property or another value begins, behind no or little white space and perhaps a `;`: which is nearly
/// always so. Without branches, as these would be hard to predict.
#[expect(clippy::needless_bitwise_bool, reason = "the lazy operator is a branch")]
#[inline(always)]
fn begins_plainly(window: &[u8; 8]) -> bool {
    // Behind the last byte are zeros, which begin nothing.
    let behind_white = u64::from_le_bytes(*window).unbounded_shr(8 * white_len(window) as u32);
    let is_value = behind_white as u8 == b'[';
    let node = if behind_white as u8 == b';' { behind_white >> 8 } else { behind_white };
    let [first, second, third, ..] = node.to_le_bytes();
    let is_property = first.is_ascii_uppercase() & ((second == b'[') | (second.is_ascii_uppercase() & (third == b'[')));
    is_value | is_property
}

/// [`is_plainly_followed`], step by step.
fn is_legible(after: &[u8]) -> bool {
    match past_white(after) {
        [b'[', ..] => true,
        [b'(', after @ ..] => matches!(past_white(after), [b';', ..]),
        [b')', after @ ..] => matches!(past_white(after), [b'(' | b')' | b';', ..]),
        [b';', node @ ..] => begins_named(past_white(node)),
        node => begins_named(node),
    }
}

/// Whether [a property begins](begins_property), or one of those with a digit that players of Hive have.
fn begins_named(node: &[u8]) -> bool {
    begins_property(node) || matches!(node, [b'A'..=b'Z', b'0'..=b'9', b'[', ..])
}

/// The first `;` in these bytes at which a node with a property begins.
pub(crate) fn find_node(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b';', bytes).find(|&at| {
        let node = past_white(&bytes[at + 1..]);
        begins_property(node) || small_property(node) == Some(Follow::Legal)
    })
}

/// The bytes behind white space, and behind line ends and tabs that were written as escapes of another format, `\n` or even `\\n`:
/// programs that read JSON badly leave them, and some save the games of Fox as they found them in a page.
pub(crate) fn past_escaped_ends(mut bytes: &[u8]) -> &[u8] {
    loop {
        bytes = trim_start(bytes);
        let len = bytes.iter().take_while(|&&byte| byte == b'\\').count();
        match &bytes[len..] {
            [b'r' | b'n' | b't', rest @ ..] if len > 0 => bytes = rest,
            _ => return bytes,
        }
    }
}

/// Whether these bytes may be the beginning of such an escape.
fn begins_escape(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| byte == b'\\')
}

/// Whether an identifier of one or two capital letters stands there, directly followed by a value.
#[inline]
pub(super) fn begins_property(bytes: &[u8]) -> bool {
    matches!(bytes, [b'A'..=b'Z', b'[', ..] | [b'A'..=b'Z', b'A'..=b'Z', b'[', ..])
}

/// Whether a property begins on this line or the next, behind bytes that are not brackets: marks of a quotation, a tag,
/// a comma. A text of one line does not continue like that; other texts do (`C[=] but B[aa] is better]`). On another line, a
/// long name is one, too.
///
/// `None` as in [`followed`].
pub(crate) fn property_behind_junk(after: &[u8], last: bool) -> Option<bool> {
    let window = &after[..after.len().min(FOLLOW_WINDOW)];
    let Some(at) = window.iter().position(|byte| matches!(byte, b'[' | b']' | b'(' | b')' | b';')) else {
        return if last || window.len() == FOLLOW_WINDOW { Some(false) } else { None };
    };
    let (junk, bracket) = window.split_at(at);
    let len = junk.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let is_long =
        || junk[at - len..].first().is_some_and(u8::is_ascii_uppercase) && memchr2(b'\n', b'\r', junk).is_some();
    Some(bracket[0] == b'[' && (begins_property(&window[at - len..]) || is_long()))
}

/// Whether a property begins behind a few bytes with which no sentence goes on: [`Stray`], with no blanks among them unless a mark
/// is. If there is a mark, nodes and trees may begin and end among them, and the input may be over behind those. A `;` or `)` alone
/// would not be enough: they are the mouths of smileys, too.
///
/// `None` as in [`followed`].
pub(crate) fn property_behind_stray(after: &[u8], last: bool) -> Option<bool> {
    let window = &after[..after.len().min(FOLLOW_WINDOW)];
    let is_all = window.len() < FOLLOW_WINDOW;
    let last = last || !is_all;
    let (mut stray, mut rest) = Stray::at(window, last)?;
    let mut is_enough = stray.len > 0 && (stray.has_mark || !stray.has_blank);
    let (mut has_mark, mut is_open) = (stray.has_mark, false);
    while let [token @ (b';' | b'(' | b')'), behind @ ..] = rest
        && (!is_open || *token == b';')
    {
        is_open = *token == b'(';
        (stray, rest) = Stray::at(behind, last)?;
        if stray.are_too_many() {
            return Some(false);
        }
        has_mark |= stray.has_mark;
        is_enough = has_mark;
        if rest.is_empty() {
            return Some(has_mark && is_all);
        }
    }
    if is_enough && !is_open && !stray.are_too_many() { property_at_once(rest, last) } else { Some(false) }
}

/// How many stray bytes stand there before a value whose name stands right before them: the line was wrapped, or a byte
/// was damaged. 0 if no value comes.
///
/// `None` as in [`followed`].
pub(crate) fn value_behind_stray(after: &[u8], last: bool) -> Option<usize> {
    let window = &after[..after.len().min(FOLLOW_WINDOW)];
    let (stray, rest) = Stray::at(window, last || window.len() == FOLLOW_WINDOW)?;
    Some(if rest.first() == Some(&b'[') { stray.len } else { 0 })
}

/// Whether all of these bytes are such as [`value_behind_stray`] passes.
pub(crate) fn are_stray(bytes: &[u8]) -> bool {
    Stray::at(bytes, true).is_some_and(|(stray, rest)| rest.is_empty() && !stray.are_too_many())
}

/// Whether a property of one or two letters begins there; `None` if the bytes end too early to know.
fn property_at_once(bytes: &[u8], last: bool) -> Option<bool> {
    let may_begin = bytes.len() < 3 && bytes.iter().all(u8::is_ascii_uppercase);
    if may_begin && !last { None } else { Some(begins_property(bytes)) }
}

/// Whether a property begins directly behind a `]`, or on the next line, of whose two letters the second is damaged. (If it is the
/// first, that is a stray byte.)
///
/// `None` as in [`followed`].
pub(crate) fn is_damaged_property(after: &[u8], last: bool) -> Option<bool> {
    let window = &after[..after.len().min(FOLLOW_WINDOW)];
    let ends = window.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let is_damaged = |byte: u8| byte.is_ascii_punctuation() && !matches!(byte, b'[' | b']');
    match window[ends..] {
        [b'A'..=b'Z', second, b'[', ..] if is_damaged(second) => Some(true),
        [b'A'..=b'Z', second] if is_damaged(second) => last.then_some(false),
        [] | [b'A'..=b'Z'] => (last || after.len() >= FOLLOW_WINDOW).then_some(false),
        _ => Some(false),
    }
}

/// Whether an identifier with a value begins there; `None` if the bytes end too early to know.
fn property(bytes: &[u8]) -> Option<Follow> {
    let len = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    // A word all in lower case is more likely a word of a text.
    if len == 0 || len > MAX_IDENTIFIER || (bytes.len() > len && bytes[..len].iter().all(u8::is_ascii_lowercase)) {
        return Some(Follow::Text);
    }
    let byte = trim_start(&bytes[len..]).first()?;
    Some(if *byte == b'[' { Follow::Property } else { Follow::Text })
}

/// Whether such an identifier begins there, or one or two small letters directly before a value. Behind white space, `[` is text.
fn small_property(bytes: &[u8]) -> Option<Follow> {
    let len = bytes.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    match bytes.get(len) {
        None if len <= 2 => None,
        Some(b'[') if (1..=2).contains(&len) => Some(Follow::Legal),
        _ => property(bytes),
    }
}

/// Whether a property begins there that stands directly behind a `(`: one or two letters are no word of a text only if a value
/// follows at once.
fn tree_property(bytes: &[u8]) -> Option<Follow> {
    let len = bytes.iter().take(2).take_while(|byte| byte.is_ascii_uppercase()).count();
    Some(if *bytes.get(len)? == b'[' { Follow::Tree } else { Follow::Text })
}

/// Finds, byte by byte in what may be text, where one tree ends and another begins: `)`, `(`, and a `;` or a property.
/// In texts these hardly ever stand together by chance.
///
/// Where characters may hide brackets, the end of a text without one would otherwise be searched for through the games
/// to come, and again from each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meeting {
    #[default]
    Nothing,
    Closed,
    Opened,
    Named,
}

impl Meeting {
    /// The index of the byte that leaves no doubt. The next call continues after these bytes.
    pub(crate) fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            if *self == Self::Nothing {
                at += memchr(b')', &bytes[at..])?;
            }
            let byte = *bytes.get(at)?;
            *self = match (*self, byte) {
                (_, b')') => Self::Closed,
                (Self::Closed | Self::Opened, byte) if is_white(byte) => *self,
                (Self::Closed, b'(') => Self::Opened,
                (Self::Opened, b';') | (Self::Named, b'[') => return Some(at),
                (Self::Opened, b'A'..=b'Z') => Self::Named,
                (Self::Named, byte) if byte.is_ascii_alphanumeric() => Self::Named,
                _ => Self::Nothing,
            };
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sequences;

    #[test]
    fn what_is_seen_at_a_glance_is_seen_step_by_step() {
        let parts = ["B[", "AB", "[", ";", "\n", "   ", "a", "(", ")", "1[", "\u{E9}", "\0"];
        let mut seen = 0;
        for parts in sequences::<_, 5>(&parts) {
            let after = parts.concat() + "........";
            if begins_plainly(after.as_bytes().first_chunk().unwrap()) {
                seen += 1;
                assert!(is_legible(after.as_bytes()), "{after:?}");
            }
        }
        assert!(seen > 50_000, "{seen}");
    }

    #[test]
    fn what_may_follow_a_value() {
        let long = format!("{}[", "A".repeat(32));
        for after in
            ["B[", ")B[", "AB\n[", "5A[", "5[", "Long[", &long, ";B[", "; W [", "\x0B\x0C;B[", "\x0BB[", ";\x0BB["]
        {
            assert_eq!(followed(after.as_bytes(), true), Some(Follow::Property), "{after:?}");
        }
        for after in [
            "", " \n", "[", " [aa]", ";", ";;", "; (", ";)", "(;", "( ;", ")", "))", ")(", ");", ")\r\n", ") )", ";a[",
            "; rb[",
        ] {
            assert_eq!(followed(after.as_bytes(), true), Some(Follow::Legal), "{after:?}");
        }
        for after in ["(B[", "( AB["] {
            assert_eq!(followed(after.as_bytes(), true), Some(Follow::Tree), "{after:?}");
        }
        let too_long = format!("{}[", "A".repeat(33));
        for after in [
            ":", "]", "a", "a[", ";abc[", ";a [", ")a[", "hi there", ", ", "B", "B;", &too_long, ";hi", "; hi ]", ";]",
            ";[", "(", "(a", "(a[", "(ABC[", "(B [", ")a", ")]", "\u{E9}", "\\",
        ] {
            assert_eq!(followed(after.as_bytes(), true), Some(Follow::Text), "{after:?}");
        }
    }

    #[test]
    fn a_node_begins_with_a_name() {
        for (text, begins) in [
            ("a ;B[", true),
            ("; AB[", true),
            (";b[", true),
            (" ;rb[", true),
            (";[", false),
            (";abc[", false),
            (";b [", false),
        ] {
            assert_eq!(find_node(text.as_bytes()).is_some(), begins, "{text}");
        }
    }

    #[test]
    fn the_quick_check_is_never_wrong() {
        let alphabet = b"[](;)BwC\n\x0B ";
        let mut plain = 0;
        for after in sequences::<_, 5>(alphabet) {
            if is_plainly_followed(&after) {
                plain += 1;
                assert_ne!(followed(&after, true), Some(Follow::Text), "{:?}", after.escape_ascii().to_string());
            }
        }
        assert!(plain > 1000);
        for after in [";B[pd]", ")(;B[", ");W[aa", "\nKO[]", "\r\n;AB[dd]", "[aa]", "C[", "(;W[", "))"] {
            assert!(is_plainly_followed(after.as_bytes()), "{after:?}");
        }
    }

    #[test]
    fn more_bytes_are_requested_until_they_decide() {
        for after in ["", " ", "A", "AB ", ";", "; ", ";B", ";b", ";bw", "(", "( ", ")", ") "] {
            assert_eq!(followed(after.as_bytes(), false), None, "{after:?}");
        }
        for after in ["[aa]", "B[", ";B [", ";;", "(;", "))", "word]", ":", ";]", "B ;", "a-", ";b[", ";bc-", ";bcd["] {
            let decided = followed(after.as_bytes(), true);
            assert!(decided.is_some());
            assert_eq!(followed(after.as_bytes(), false), decided, "{after:?}");
            let longer = format!("{after} and so on");
            assert_eq!(followed(longer.as_bytes(), true), decided, "{after:?}");
        }
    }

    #[test]
    fn what_fewer_bytes_decide_more_do_not_change() {
        let mut found = [0; 4];
        let mut check = |after: &[u8]| {
            let is_value = |after: &[u8], last| value_behind_stray(after, last).map(|len| len > 0);
            let behind = [property_behind_stray, property_behind_junk, is_damaged_property, is_value];
            for (junk, behind) in behind.into_iter().enumerate() {
                let decided = behind(after, true);
                found[junk] += usize::from(decided == Some(true));
                for len in 0..after.len() {
                    let early = behind(&after[..len], false);
                    assert!(early.is_none() || early == decided, "{} {junk}", after.escape_ascii());
                }
            }
        };
        sequences::<_, 7>(b": \nAB[").for_each(|after| check(&after));
        let pieces =
            ["\n", "<br>", "&#10;", "\\\\n", "\u{200B}", "========================", ";", "(", ")", "C[", "]", "x"];
        sequences::<_, 4>(&pieces).for_each(|pieces| check(pieces.concat().as_bytes()));
        assert!(found.into_iter().all(|found| found > 1000), "{found:?}");
    }

    #[test]
    fn a_window_is_always_enough() {
        for start in ["", ";", ")", "(", "AB", ";AB"] {
            let after = format!("{start}{}", " ".repeat(FOLLOW_WINDOW));
            assert_eq!(followed(after.as_bytes(), false), Some(Follow::Legal), "{start:?}");
        }
    }

    #[test]
    fn adjacent_trees_are_found_at_every_cut() {
        let cases: [(&[u8], Option<usize>); 9] = [
            (b"a)(;", Some(3)),
            (b") \n( ;B[aa]", Some(5)),
            (b"))(CoPyright[", Some(12)),
            (b"a)(b)(c[", None),
            (b")x(;", None),
            (b")(A b[", None),
            (b"(;", None),
            (b")(", None),
            (b")()(A[", Some(5)),
        ];
        for (bytes, expected) in cases {
            for cut in 0..=bytes.len() {
                let mut meeting = Meeting::default();
                let first = meeting.find(&bytes[..cut]);
                let found = first.or_else(|| meeting.find(&bytes[cut..]).map(|at| cut + at));
                assert_eq!(found, expected, "{} cut at {cut}", bytes.escape_ascii());
            }
        }
    }
}
