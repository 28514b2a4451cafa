//! The little that the engine must know of what properties mean.
//!
//! Owns which of them hold text, a line of text, or something short: whether brackets in a value are repaired, and how far a
//! value without an end may go, depends on that. Invariant: an answer is a few instructions, as it is asked for each property.
//! Refuses to know anything else about properties, which is for `semantics`.

/// The first three letters or digits of a property's identifier, which tell what is asked here; zeros where it has fewer.
pub(crate) type Head = [u8; 3];

/// No property.
pub(crate) const NONE: Head = [0; 3];

/// A move of either colour: which makes no difference to its values.
pub(crate) const MOVE: Head = *b"B\0\0";

/// The label of a charset.
pub(crate) const CA: Head = *b"CA\0";

/// The name of a program, a colon and its version.
pub(crate) const AP: Head = *b"AP\0";

/// A list, where it is not known which: values without a `]` are not repaired in it.
pub(crate) const SOME_LIST: Head = *b"LB\0";

const _: () = assert!(is_list(SOME_LIST) && !is_short(SOME_LIST) && !is_text(SOME_LIST));

/// Whether the values of the property whose identifier begins so are Text or SimpleText by the table of FF\[4\] or Pentobi's, and
/// written by people.
///
/// A function in the configuration instead would have had one caller and one answer.
#[inline]
pub(crate) const fn is_text(head: Head) -> bool {
    TEXTS.contains(head)
}

/// [`is_text`] for an upper-case letter and another or a digit; if there is only one, the second is 0.
#[inline(always)]
pub(crate) const fn is_text_of_letters(first: u8, second: u8) -> bool {
    TEXTS.contains_letters(first, second)
}

/// Whether such a text is a line of a header by the standard: a name, a date, a place.
pub(crate) const fn is_line(head: Head) -> bool {
    is_text(head) && !is_prose(head)
}

/// Whether it is a text of any length.
#[inline]
pub(crate) const fn is_prose(head: Head) -> bool {
    matches!(&head, b"C\0\0" | b"GC\0" | b"N\0\0")
}

/// Whether a property, given its head, has moves, points or numbers for values by the standard, in any version: none of
/// them is ever longer than a line.
pub(crate) const fn is_short(head: Head) -> bool {
    SHORTS.contains(head)
}

/// Whether a property, given its head, has a list of points or labels for values by the standard.
pub(crate) const fn is_list(head: Head) -> bool {
    LISTS.contains(head)
}

/// Whether nobody writes text in a property, given its head: lists of points, and FF. What is not ASCII there is damage, and shows
/// no charset. People do write words for games, sizes, moves and numbers: `GM[围棋]`, `W[认输]`, `HA[吴先二先]`.
pub(crate) const fn is_never_text(head: Head) -> bool {
    (is_list(head) && !matches!(&head, b"LB\0")) || matches!(&head, b"FF\0")
}

/// Whether two letters are the name of a property with short values or text, or of another that a header has.
pub(crate) const fn is_known(first: u8, second: u8) -> bool {
    let head = [first, second, 0];
    is_short(head) || is_list(head) || is_text(head) || matches!(head, AP | CA)
}

/// The last four are the names of up to four players.
const TEXTS: Set = Set::of("AN BR BT C CP DT EV GC GN N ON OT PB PC PW RE RO RU SO US WR WT P1 P2 P3 P4");

const SHORTS: Set = Set::of(
    "B W V L M 1 2 3 4 A1 A2 A3 A4 AB AE AR AW BL BM BS CH CR DD DM DO FF GB GM GW HA HO IT KM KO LN MA MN OB OW PL PM RG SC SE SL SQ ST SZ TB TE TM TR TW UC VW WL WS",
);

const LISTS: Set = Set::of("AB AE AR AW CR DD LB LN MA SL SQ TB TR TW VW");

/// Identifiers of one or two capital letters or digits: for each first one a bit for each second, and one for none. A table,
/// because many properties are looked up.
struct Set([u64; 64]);

impl Set {
    const fn of(names: &str) -> Self {
        let mut rows = [0; 64];
        let mut rest = names.as_bytes();
        while let [first, more @ ..] = rest {
            let second = match more {
                [b' ', ..] | [] => 0,
                [second, ..] => *second,
            };
            rows[(*first & 0x3F) as usize] |= 1 << (second & 0x3F);
            rest = more;
            while let [byte, more @ ..] = rest {
                rest = more;
                if *byte == b' ' {
                    break;
                }
            }
        }
        Self(rows)
    }

    const fn contains(&self, [first, second, third]: [u8; 3]) -> bool {
        third == 0
            && matches!(first, b'0'..=b'9' | b'A'..=b'Z')
            && matches!(second, 0 | b'0'..=b'9' | b'A'..=b'Z')
            && self.contains_letters(first, second)
    }

    #[inline(always)]
    const fn contains_letters(&self, first: u8, second: u8) -> bool {
        (self.0[(first & 0x3F) as usize] >> (second & 0x3F)) & 1 != 0
    }
}
