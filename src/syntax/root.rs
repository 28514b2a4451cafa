//! Which nodes look like a game's root.
//!
//! Owns a rule of thumb, by the byte rules alone: it may be applied anywhere in a text, before anything is known of
//! that. Refuses to know what the answer is used for.

use crate::syntax::ident::{TABLE_LEN, table_index};
use crate::syntax::lists::Lists;
use crate::syntax::{Ident, kinds, scan};
use crate::text::white::{ends_with_line_break, is_white, past_white, trim_start};

/// How many bytes of a node are examined.
pub(crate) const REACH: usize = 4 << 10;

/// Two of this many first properties must be header properties.
const PROPERTIES: u32 = 6;

/// After this many other properties a node is no root.
pub(crate) const OTHERS: u32 = PROPERTIES - 1;

/// How many bytes that belong to no property are passed in a header: the rest of a name in which somebody has forgotten
/// to escape a bracket, or a word.
const STRAY: usize = 64;

/// A root property that has a node to itself has fewer bytes.
const SHORT: usize = 32;

/// How many properties of a root are searched for who played, and when.
const WHOLE: u32 = 16;

/// What a property of a header says about the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    /// A root property, which stands nowhere else.
    Root,
    /// Who played, when, and with what result: no root of a variation has that.
    Game,
    Other,
}

/// The header property that a name stands for. A node with two of them counts as a root, though many a root has none.
/// Properties that the standard's own examples have inside games (`N`, `C`, `AB`) are not among them.
fn header(name: &[u8]) -> Option<Header> {
    match name {
        [b'A'..=b'Z'] => None,
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z'] => upper_case(*first, *second),
        _ => {
            let (ident, 2) = Ident::pack(name) else { return None };
            let [first @ b'A'..=b'Z', second @ b'A'..=b'Z', _] = ident.head() else { return None };
            upper_case(first, second)
        }
    }
}

/// Whether these letters are those of a property that a root has.
#[inline]
pub(crate) fn is_header(first: u8, second: u8) -> bool {
    upper_case(first, second).is_some()
}

/// The header property that these two upper-case letters stand for. A table answers, because each name of each node that
/// may be a root is looked up here.
#[inline]
fn upper_case(first: u8, second: u8) -> Option<Header> {
    HEADERS[table_index(first, second)]
}

static HEADERS: [Option<Header>; TABLE_LEN] = {
    let kinds: [(Header, &[&[u8; 2]]); 3] = [
        (Header::Root, &[b"FF", b"GM", b"SZ", b"CA", b"AP", b"ST"]),
        (Header::Game, &[b"PB", b"PW", b"DT", b"RE"]),
        (Header::Other, &[b"EV", b"KM", b"BR", b"WR", b"GN", b"SO", b"RO", b"PC", b"US", b"CP", b"RU", b"TM", b"HA"]),
    ];
    let mut headers = [None; TABLE_LEN];
    let mut kind = 0;
    while kind < kinds.len() {
        let (header, names) = kinds[kind];
        let mut name = 0;
        while name < names.len() {
            let [first, second] = *names[name];
            headers[table_index(first, second)] = Some(header);
            name += 1;
        }
        kind += 1;
    }
    headers
};

/// What a node looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its properties are those of a root.
    Root {
        /// One of them is a root property, which stands nowhere else; otherwise they are game information.
        is_strong: bool,
    },
    Other,
    /// More bytes are needed to know.
    NeedMore,
}

/// Whether a node begins with a move of Go, and no property of a header comes next: so most do inside games, and no root does.
/// False if more bytes are needed to know.
#[inline(always)]
pub(crate) fn begins_with_move(node: &[u8]) -> bool {
    let [b'B' | b'W', b'[', b'a'..=b'z', b'a'..=b'z', b']', after @ ..] = node else { return false };
    match past_white(after) {
        [] | [b'A'..=b'Z'] => false,
        [first @ b'A'..=b'Z', second @ b'A'..=b'Z', ..] => !is_header(*first, *second),
        _ => true,
    }
}

/// What the node looks like whose `;` these bytes follow. `last`: no more bytes come. `offset`: that of the first of
/// them, in the text that `lists` is about.
pub(crate) fn kind(lists: &mut Lists, offset: u64, bytes: &[u8], last: bool) -> Kind {
    if begins_with_move(bytes) {
        return Kind::Other;
    }
    let (mut headers, mut is_strong) = (0, false);
    let seen = properties(lists, offset, bytes, |header, number| {
        headers += u32::from(header.is_some());
        is_strong |= header == Some(Header::Root);
        (headers >= 2 && is_strong) || number == PROPERTIES || headers + (PROPERTIES - number) < 2
    });
    match seen {
        None if !last && bytes.len() < REACH => Kind::NeedMore,
        _ if headers >= 2 => Kind::Root { is_strong },
        _ => Kind::Other,
    }
}

/// Whether a node begins as that of nearly every game does: with header properties of one plain value each, two or more, up to
/// one of a root. [`kind`] says the same, and more, but later.
#[inline]
pub(crate) fn is_plainly_root(node: &[u8]) -> bool {
    let mut rest = past_white(node);
    let mut is_strong = false;
    for number in 1..=PROPERTIES {
        let [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', value @ ..] = rest else { return false };
        let Some(header) = upper_case(*first, *second) else { return false };
        is_strong |= header == Header::Root;
        if number >= 2 && is_strong {
            return true;
        }
        let Some((len, _)) = value.first_chunk().and_then(scan::plain_value) else { return false };
        if kinds::is_short([*first, *second, 0]) && value[..len].contains(&b'(') {
            // It may be one that was never closed.
            return false;
        }
        rest = past_white(&value[len + 1..]);
    }
    false
}

/// What the root of a game says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RootInfo {
    /// Neither players nor date nor result; or it is no root.
    Nothing,
    /// Some of these.
    Names,
    /// These, and two root properties; no variation has both.
    All,
}

/// What the root of the game says that these bytes begin with, `(` included. `None` if more bytes are needed; `last`:
/// no more come. `offset` as for [`kind`].
pub(crate) fn root_info(lists: &mut Lists, offset: u64, bytes: &[u8], last: bool) -> Option<RootInfo> {
    let Some(node) = skip_white(bytes.get(1..).unwrap_or_default()) else { return last.then_some(RootInfo::Nothing) };
    let Some(node) = node.strip_prefix(b";").map(past_empty) else { return Some(RootInfo::Nothing) };
    if begins_with_move(node) {
        return Some(RootInfo::Nothing);
    }
    let (mut headers, mut roots, mut names) = (0, 0, false);
    let offset = offset + (bytes.len() - node.len()) as u64;
    let seen = properties(lists, offset, node, |header, number| {
        headers += u32::from(header.is_some() && number <= PROPERTIES);
        roots += u32::from(header == Some(Header::Root));
        names |= header == Some(Header::Game);
        (headers >= 2 && roots >= 2 && names) || number == WHOLE || (number >= PROPERTIES && headers < 2)
    });
    let info = match (headers >= 2 && names, roots >= 2) {
        (false, _) => RootInfo::Nothing,
        (true, false) => RootInfo::Names,
        (true, true) => RootInfo::All,
    };
    (info == RootInfo::All || seen.is_some() || last || node.len() >= REACH).then_some(info)
}

/// Whether the game that these bytes begin with has a node that looks like a root. `None`, `last` and `offset` as for
/// [`root_info`].
pub(crate) fn is_root(lists: &mut Lists, offset: u64, bytes: &[u8], last: bool) -> Option<bool> {
    let Some(node) = skip_white(bytes.get(1..).unwrap_or_default()) else { return last.then_some(false) };
    let Some(node) = node.strip_prefix(b";").map(past_empty) else { return Some(false) };
    match kind(lists, offset + (bytes.len() - node.len()) as u64, node, last) {
        Kind::Root { .. } => Some(true),
        Kind::Other => Some(false),
        Kind::NeedMore => None,
    }
}

/// The bytes behind the second `;`, if a game's first node is empty, as it is in some games, or has nothing but one root
/// property: the CA that was put there when the text was recoded, or the FF that some programs begin with. Otherwise all bytes.
pub(crate) fn past_empty(bytes: &[u8]) -> &[u8] {
    // Not further, or a root would be looked for in bytes that are not kept.
    let near = &bytes[..bytes.len().min(REACH)];
    match trim_start(past_declaration(near).unwrap_or(near)) {
        [b';', node @ ..] => &bytes[near.len() - node.len()..],
        _ => bytes,
    }
}

fn past_declaration(bytes: &[u8]) -> Option<&[u8]> {
    let [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', value @ ..] = bytes else { return None };
    let len = value.iter().take(SHORT).position(|&byte| byte == b']')?;
    (upper_case(*first, *second) == Some(Header::Root)).then(|| &value[len + 1..])
}

/// Shows `see` the first properties of a node and their numbers, from 1 on, until it has seen enough. `None` if the
/// bytes within reach end before that, or before it is clear that there are no more properties.
///
/// Stray bytes do not end a node, but only in a header, and words only up to a `]`: other text that `(;` begins is more
/// likely prose. A move or a point that has another tree in it was never closed, and what that tree has says nothing about
/// this node.
#[inline]
fn properties(
    lists: &mut Lists,
    offset: u64,
    bytes: &[u8],
    mut see: impl FnMut(Option<Header>, u32) -> bool,
) -> Option<()> {
    let bytes = &bytes[..bytes.len().min(REACH)];
    let mut rest = skip_white(bytes)?;
    let (mut number, mut in_header, mut stray) = (0, false, STRAY);
    // Words behind the last `]`, which are prose if a property follows them.
    let mut words = false;
    // The last property, if it is none of a header, or has no text.
    let mut other: Option<(&[u8], &[u8])> = None;
    loop {
        let (len, open) = match rest {
            [b'A'..=b'Z', open @ ..] if open.first() == Some(&b'[') => (1, open),
            [b'A'..=b'Z', b'A'..=b'Z', open @ ..] if open.first() == Some(&b'[') => (2, open),
            _ => {
                let len = rest.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
                (len, skip_white(&rest[len..])?)
            }
        };
        let name = &rest[..len];
        if len == 0 || open[0] != b'[' {
            let word = (rest.len() - open.len()).max(1);
            if !in_header || matches!(rest[0], b';' | b'(' | b')') || word > stray {
                return Some(());
            }
            words = rest[0] != b']' && (words || len > 0);
            stray -= word;
            rest = skip_white(&rest[word..])?;
            continue;
        }
        if words {
            return Some(());
        }
        let kind = header(name);
        number += 1;
        if let Some(header) = kind {
            in_header = true;
            if other.take().is_some_and(|(name, values)| is_unclosed(name, values, header)) {
                return Some(());
            }
        }
        if see(kind, number) {
            return Some(());
        }
        let at = bytes.len() - open.len();
        let end = lists.end(offset + at as u64, open)?;
        if kind.is_none() || kinds::is_short(Ident::pack(name).0.head()) {
            other = Some((name, &open[..end]));
        }
        rest = &open[end..];
    }
}

/// Whether a list of moves or points has run on into another tree, or any other value into a header: on another line, or as far as
/// the first value there, if the `next` property is of a root, too. Who quotes a game in a text escapes its brackets.
fn is_unclosed(name: &[u8], values: &[u8], next: Header) -> bool {
    let is_short = kinds::is_short(Ident::pack(name).0.head());
    // Found once: there may be a `(` every few bytes.
    let last_inner = values.split_last().and_then(|(_, inner)| memchr::memrchr(b']', inner));
    memchr::memchr_iter(b'(', values).any(|at| {
        let Some(node) = past_white(&values[at + 1..]).strip_prefix(b";") else { return false };
        let in_header = || {
            let [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', ..] = *past_white(node) else { return false };
            let Some(header) = upper_case(first, second) else { return false };
            let is_first = last_inner.is_none_or(|inner| inner < at);
            let is_root = header == Header::Root || next == Header::Root;
            ends_with_line_break(&values[..at]) || (is_root && is_first)
        };
        is_short || in_header()
    })
}

fn skip_white(bytes: &[u8]) -> Option<&[u8]> {
    let white = bytes.iter().position(|&byte| !is_white(byte))?;
    Some(&bytes[white..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sequences;

    fn kind(bytes: &[u8], last: bool) -> Kind {
        super::kind(&mut Lists::default(), 0, bytes, last)
    }

    fn is_strong(look: Kind) -> Option<bool> {
        if let Kind::Root { is_strong } = look { Some(is_strong) } else { None }
    }

    #[test]
    fn a_whole_game_has_players_a_date_or_a_result() {
        let long = format!("(;FF[4]GM[1]{}RE[z];", "EV[]".repeat(14));
        for (game, expected) in [
            ("( \n;FF[4]GM[1]PB[a];", Some(RootInfo::All)),
            ("(;FF[4]GM[1]PB[", Some(RootInfo::All)),
            ("(; ;FF[4]GM[1]PB[", Some(RootInfo::All)),
            ("(;;;FF[4]GM[1]PB[", Some(RootInfo::Nothing)),
            ("(;CA[UTF-8]\n;FF[4]GM[1]PB[", Some(RootInfo::All)),
            ("(;CA[UTF-8];;FF[4]GM[1]PB[", Some(RootInfo::Nothing)),
            ("(;FF[4];DT[2010-02-05]PB[a];", Some(RootInfo::Names)),
            ("(;B[aa];DT[2010-02-05]PB[a];", Some(RootInfo::Nothing)),
            ("(;B[aa]FF[4]GM[1]PB[a];", Some(RootInfo::All)),
            ("(;B[aa]C[x]FF[4]GM[1]PB[a];", Some(RootInfo::Nothing)),
            ("(;PB[Joe [9p]]PW[Al (1)]GM[1]FF[4];", Some(RootInfo::All)),
            ("(;FF[4]GM[1]SZ[19]AP[x]CA[y]RE[z];", Some(RootInfo::All)),
            ("(;FF[4]GM[1]SZ[19]AP[x]CA[y]ST[1]EV[a]RO[b]RE[z];", Some(RootInfo::All)),
            ("(;PB[a]PW[b];", Some(RootInfo::Names)),
            ("(;PB[a]PW[b]SZ[9];", Some(RootInfo::Names)),
            ("(;PB[a]PW[b]SZ[9]GM[1];", Some(RootInfo::All)),
            ("(;PB[a];", Some(RootInfo::Nothing)),
            ("(;B[aa]C[]C[]C[]C[]C[]C[]PB[a]PW[b];", Some(RootInfo::Nothing)),
            (&long, Some(RootInfo::Nothing)),
            ("(;FF[4]GM[1]AB[aa];", Some(RootInfo::Nothing)),
            ("(FF[4]GM[1]PB[a];", Some(RootInfo::Nothing)),
            ("(;PB[a]PW[b]", None),
            ("(;FF[4]GM[1]", None),
            ("(;", None),
            ("( ", None),
            ("(", None),
            ("", None),
        ] {
            let info = |last| root_info(&mut Lists::default(), 0, game.as_bytes(), last);
            assert_eq!(info(false), expected, "{game}");
            assert!(info(true).is_some() && expected.is_none_or(|it| info(true) == Some(it)), "{game}");
        }
        assert_eq!(root_info(&mut Lists::default(), 0, b"(;PB[a]PW[b]", true), Some(RootInfo::Names));
        let far = format!("(;FF[4]GM[1]C[{}]PB[a]", "x".repeat(REACH));
        assert_eq!(root_info(&mut Lists::default(), 0, far.as_bytes(), false), Some(RootInfo::Nothing));
    }

    #[test]
    fn two_header_properties_among_six_make_a_root() {
        let root = |is_strong| Ok(is_strong);
        for (node, expected) in [
            (&b"FF[4]GM[1];"[..], root(true)),
            (b"FF[4]GM[1]", root(true)),
            (b"\r\n FF [4]\n GM\t[1]\n", root(true)),
            (b"FileFormat[1]GaMe[1];", root(true)),
            (b"PB[a]PW[b\\]]", Err(Kind::NeedMore)),
            (b"PB[a]PW[b\\]];", root(false)),
            (b"PB[a]PW[b]DT[c]RE[d]EV[e]FF[4]", root(true)),
            (b"PB[a]PW[b]DT[c]RE[d]EV[e]RO[f]FF[4];", root(false)),
            (b"B[pd]C[FF[4\\]GM[1\\]];", Err(Kind::Other)),
            (b"AB[aa][bb]AW[cc]PB[x];", Err(Kind::Other)),
            (b"AB[aa][bb]AW[cc]PB[x]GN[y](", root(false)),
            (b"B[pd]", Err(Kind::NeedMore)),
            (b"B[pd]N", Err(Kind::NeedMore)),
            (b"B[pd]N[x", Err(Kind::Other)),
            (b"B[pd]FF[4]GM[1];", root(true)),
            (b"B[pd]N[x]FF[4]GM[1];", Err(Kind::Other)),
            (b"B[pd", Err(Kind::NeedMore)),
            (b"FF[4]GM ", Err(Kind::NeedMore)),
            (b"FF GM[1]", Err(Kind::Other)),
            (b"[a]FF[4]GM[1]", Err(Kind::Other)),
            (b"FF[4]] GM[1]", root(true)),
            (b"PB[a]&PW[b];", root(false)),
            (b"EV[Cup [2020] in May]DT[2020-05-01];", root(false)),
            (b"PB[Joe [9p]]", Err(Kind::NeedMore)),
            (b"PB[a] x; PW[b]", Err(Kind::Other)),
            (b"PB[Lee] and PW[Cho].];", Err(Kind::Other)),
            (b"FF[4] and then GM[1] which says Go.];", Err(Kind::Other)),
            (b"so he said]PB[a]PW[b];", Err(Kind::Other)),
            (b"B[aa] a better move]PB[a]PW[b];", Err(Kind::Other)),
            (b"W[b\n(;FF[4]GM[1]SZ[19];", Err(Kind::Other)),
            (b"C[b\n(;FF[4]GM[1]SZ[19]FF[4]GM[1];", Err(Kind::Other)),
            (b"C[b\n (;B[aa\\]\\)]FF[4]GM[1];", root(true)),
            (b"B[aa]C[b(;GM[1]FF[4]PB[x];", Err(Kind::Other)),
            (b"C[b (;PB[x]FF[4]GM[1];", Err(Kind::Other)),
            (b"C[b (;PB[x]PW[y]DT[z];", root(false)),
            (b"C[b (;GM[1\\]FF[4\\]\\)]FF[4]GM[1];", root(true)),
            (b")", Err(Kind::Other)),
            (b"", Err(Kind::NeedMore)),
        ] {
            let found = kind(node, false);
            assert_eq!(is_strong(found).ok_or(found), expected, "{}", node.escape_ascii());
        }
    }

    #[test]
    fn what_is_plainly_a_root_is_one() {
        let parts =
            ["FF[4]", "PB[a]", "GM[(;SZ]", "EV[(;SZ]", "SZ[x[]", "B[aa]", "C[x]", "DT[]", "\n", "[y]", ";", "(", "a"];
        let mut plain = 0;
        for parts in sequences::<_, 5>(&parts) {
            let node = parts.concat() + &";B[aa]".repeat(7);
            if is_plainly_root(node.as_bytes()) {
                plain += 1;
                assert_eq!(kind(node.as_bytes(), false), Kind::Root { is_strong: true }, "{node}");
            }
        }
        assert!(plain > 10_000, "{plain}");
    }

    #[test]
    fn only_few_stray_bytes_and_short_labels_are_passed() {
        for (len, is) in [(STRAY, true), (STRAY + 1, false)] {
            let node = format!("PB[a]{}PW[b];", "&".repeat(len));
            assert_eq!(is_strong(kind(node.as_bytes(), false)).is_some(), is, "{len}");
        }
        for (len, expected) in [(SHORT - 1, RootInfo::All), (SHORT, RootInfo::Nothing)] {
            let game = format!("(;CA[{}];FF[4]GM[1]PB[a];", "x".repeat(len));
            assert_eq!(root_info(&mut Lists::default(), 0, game.as_bytes(), false), Some(expected), "{len}");
        }
    }

    #[test]
    fn at_the_end_of_input_an_open_node_is_judged() {
        assert_eq!(is_strong(kind(b"PB[a]PW[b]", true)), Some(false));
        assert_eq!(is_strong(kind(b"FF[4]GM[", true)), Some(true));
        assert_eq!(kind(b"FF[4]GM", true), Kind::Other);
    }

    #[test]
    fn a_node_is_examined_up_to_the_reach() {
        for (len, expected) in [(REACH - 10, Some(true)), (REACH, None)] {
            let node = [&b"C["[..], &vec![b'x'; len - 3], b"]FF[4]GM[1];"].concat();
            assert_eq!(is_strong(kind(&node, false)), expected, "{len}");
        }
    }
}
