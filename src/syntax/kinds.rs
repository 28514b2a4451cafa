//! The little that the engine must know of what properties mean.
//!
//! Owns which of them hold text, a line of text, or something short: whether brackets in a value are repaired, and how far a
//! value without an end may go, depends on that. Invariant: an answer is a few instructions, as it is asked for each property.
//! Refuses to know anything else about properties, which is for `semantics`.

use crate::syntax::Ident;

/// Whether the values of the property whose identifier begins so are Text or SimpleText by the table of FF\[4\] or Pentobi's, and
/// written by people.
///
/// A function in the configuration instead would have had one caller and one answer.
#[inline]
pub(crate) const fn is_text([first, second, third]: [u8; 3]) -> bool {
    let is_last = matches!(second, 0 | b'0'..=b'9' | b'A'..=b'Z');
    third == 0 && first.is_ascii_uppercase() && is_last && is_text_of_letters(first, second)
}

/// The same for an upper-case letter and another or a digit; if there is only one, the second is 0.
#[inline(always)]
pub(crate) const fn is_text_of_letters(first: u8, second: u8) -> bool {
    (TEXTS[(first & 0x1F) as usize] >> (second & 0x3F)) & 1 != 0
}

/// Whether such a text is a line of a header by the standard: a name, a date, a place.
pub(crate) const fn is_line(head: [u8; 3]) -> bool {
    is_text(head) && !matches!(&head, b"C\0\0" | b"GC\0" | b"N\0\0")
}

/// Whether a property, given its head, has moves, points or numbers for values by the standard, in any version: none of
/// them is ever longer than a line.
pub(crate) const fn is_short([first, second, third]: [u8; 3]) -> bool {
    matches!(
        &[first, second, third],
        b"B\0\0"
            | b"W\0\0"
            | b"V\0\0"
            | b"L\0\0"
            | b"M\0\0"
            | b"1\0\0"
            | b"2\0\0"
            | b"3\0\0"
            | b"4\0\0"
            | b"A1\0"
            | b"A2\0"
            | b"A3\0"
            | b"A4\0"
            | b"AB\0"
            | b"AE\0"
            | b"AR\0"
            | b"AW\0"
            | b"BL\0"
            | b"BM\0"
            | b"BS\0"
            | b"CH\0"
            | b"CR\0"
            | b"DD\0"
            | b"DM\0"
            | b"DO\0"
            | b"FF\0"
            | b"GB\0"
            | b"GM\0"
            | b"GW\0"
            | b"HA\0"
            | b"HO\0"
            | b"IT\0"
            | b"KM\0"
            | b"KO\0"
            | b"LN\0"
            | b"MA\0"
            | b"MN\0"
            | b"OB\0"
            | b"OW\0"
            | b"PL\0"
            | b"PM\0"
            | b"RG\0"
            | b"SC\0"
            | b"SE\0"
            | b"SL\0"
            | b"SQ\0"
            | b"ST\0"
            | b"SZ\0"
            | b"TB\0"
            | b"TE\0"
            | b"TM\0"
            | b"TR\0"
            | b"TW\0"
            | b"UC\0"
            | b"VW\0"
            | b"WL\0"
            | b"WS\0"
    )
}

/// For each first letter of the text properties, a bit for each second letter or digit, and one for none. A table, because many
/// properties are looked up.
const TEXTS: [u64; 32] = {
    let names = [
        Ident::AN,
        Ident::BR,
        Ident::BT,
        Ident::C,
        Ident::CP,
        Ident::DT,
        Ident::EV,
        Ident::GC,
        Ident::GN,
        Ident::N,
        Ident::ON,
        Ident::OT,
        Ident::PB,
        Ident::PC,
        Ident::PW,
        Ident::RE,
        Ident::RO,
        Ident::RU,
        Ident::SO,
        Ident::US,
        Ident::WR,
        Ident::WT,
        // The names of up to four players.
        Ident::literal("P1"),
        Ident::literal("P2"),
        Ident::literal("P3"),
        Ident::literal("P4"),
    ];
    let mut texts = [0; 32];
    let mut at = 0;
    while at < names.len() {
        let [first, second, _] = names[at].head();
        texts[(first & 0x1F) as usize] |= 1 << (second & 0x3F);
        at += 1;
    }
    texts
};
