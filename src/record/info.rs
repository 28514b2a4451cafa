//! The values of a game's header, kept in one buffer that is used again for the next game.
//!
//! Owns where they are, and which is the first value of its property that says something.

use std::borrow::Cow;

use crate::record::names;
use crate::semantics::go::KI;
use crate::syntax::{Ident, Position, Value};
use crate::text::Writing;

/// How many bytes the values of one game may take, including the memory for their places.
pub(super) const MOST: usize = 1 << 20;

/// The properties that a row is made of. Any other one is found by a search.
const ASKED: [Ident; 31] = [
    Ident::AP,
    Ident::BR,
    Ident::BT,
    Ident::DT,
    Ident::EV,
    Ident::GM,
    Ident::GN,
    Ident::HA,
    Ident::KM,
    Ident::OT,
    Ident::PB,
    Ident::PC,
    Ident::PW,
    Ident::RE,
    Ident::RO,
    Ident::RU,
    Ident::SO,
    Ident::SZ,
    Ident::TM,
    Ident::WR,
    Ident::WT,
    KI,
    HD,
    KO,
    RD,
    JD,
    TE,
    TC,
    TT,
    LC,
    LT,
];

/// What Korean sites write instead of HA, KM, DT and EV. KO and TE mean something else in the standard, and have no text.
pub(super) const HD: Ident = Ident::literal("HD");
pub(super) const KO: Ident = Ident::literal("KO");
pub(super) const RD: Ident = Ident::literal("RD");
pub(super) const TE: Ident = Ident::literal("TE");

/// The date by Japan's eras, which stands beside DT or instead of it.
pub(super) const JD: Ident = Ident::literal("JD");

/// The number of periods of overtime, and the seconds of one: what Fox writes, and what Sina and Korean sites do. TC is
/// about territory in FF\[3\], and LT about who loses.
pub(super) const TC: Ident = Ident::literal("TC");
pub(super) const TT: Ident = Ident::literal("TT");
pub(super) const LC: Ident = Ident::literal("LC");
pub(super) const LT: Ident = Ident::literal("LT");

/// The ratings of both players in GGF, and their time: what they start with, an increment, and what is granted once when
/// that is over. If it is not the same for both, it is in TB and TW, which are about territory in the standard.
pub(super) const RB: Ident = Ident::literal("RB");
pub(super) const RW: Ident = Ident::literal("RW");
pub(super) const TI: Ident = Ident::literal("TI");

/// The players' names, if there are more than two or their colours are not known. Some servers count from 0, and Boardspace has
/// games of six.
pub(crate) const P0_TO_P5: [Ident; 6] = [
    Ident::literal("P0"),
    Ident::literal("P1"),
    Ident::literal("P2"),
    Ident::literal("P3"),
    Ident::literal("P4"),
    Ident::literal("P5"),
];

/// How Boardspace begins the name of a player; what else it says of one begins with another word.
const ID: &str = "id \"";

/// Whether sites or old programs write a part of the header in it, though the standard has it for something else or not
/// at all.
pub(super) fn is_dialect(ident: Ident) -> bool {
    [OM, OP, HD, KO, RD, JD, TE, TC, TT, LC, LT, RB, RW, TI, Ident::TB, Ident::TW].contains(&ident)
}

/// Whether a property names a player or team.
pub(super) fn is_name(ident: Ident) -> bool {
    matches!(ident, Ident::PB | Ident::PW | Ident::BT | Ident::WT) || P0_TO_P5.contains(&ident)
}

/// Whether Boardspace wrote this value of one of P0 to P5.
pub(super) fn is_of_boardspace(raw: &[u8]) -> bool {
    raw.starts_with(ID.as_bytes())
}

/// The name in such a value: `id "bob"`.
pub(super) fn name_of_boardspace(text: &str) -> Option<&str> {
    let name = text.strip_prefix(ID)?.trim_end();
    Some(name.strip_suffix('"').unwrap_or(name))
}

/// Moves in a period of overtime, in FF\[3\].
pub(super) const OM: Ident = Ident::literal("OM");

/// The length of that period.
pub(super) const OP: Ident = Ident::literal("OP");

/// For each number of an identifier, its place in [`ASKED`].
const PLACES: [u8; names::COUNT] = {
    let mut places = [NOWHERE; names::COUNT];
    let mut place = 0;
    while place < ASKED.len() {
        if let Some(number) = names::number(ASKED[place]) {
            places[number] = place as u8;
        }
        place += 1;
    }
    places
};

const NOWHERE: u8 = u8::MAX;

/// Values of properties, in the order of the document.
#[derive(Clone, Debug, Default)]
pub(super) struct Info {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// For each place, the number of the entry that counts, from 1; 0 for none.
    counting: [u32; ASKED.len()],
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    ident: Ident,
    position: Position,
    writing: Writing,
    /// Where its bytes are.
    begin: usize,
    end: usize,
    in_header: bool,
}

impl Info {
    /// How many bytes it takes besides itself.
    pub(super) fn memory(&self) -> usize {
        self.bytes.len() + size_of_val(&self.entries[..])
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.counting = [0; ASKED.len()];
        self.is_cut = false;
    }

    /// A value is left out.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// `number` is that of the identifier, if the caller knows it.
    #[inline]
    pub(super) fn push(&mut self, ident: Ident, number: Option<usize>, value: Value<'_>, in_header: bool) {
        let begin = self.bytes.len();
        let end = begin + value.raw().len();
        if end + (self.entries.len() + 1) * size_of::<Entry>() > MOST {
            self.is_cut = true;
            return;
        }
        self.bytes.extend_from_slice(value.raw());
        let (position, writing) = (value.position(), value.writing());
        self.entries.push(Entry { ident, position, writing, begin, end, in_header });
        if let Some(place) = number.or_else(|| names::number(ident)).and_then(place)
            && in_header
        {
            let counting = &mut self.counting[place];
            let is_better = match counting.checked_sub(1) {
                Some(first) => self.entries[first as usize].is_empty() && begin < end,
                None => true,
            };
            if is_better {
                *counting = self.entries.len() as u32;
            }
        }
    }

    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// All values; the flag says whether each stands in the header.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (Ident, Value<'_>, bool)> {
        self.entries.iter().map(|entry| (entry.ident, self.value(entry), entry.in_header))
    }

    /// The first value of a property of the header that is not empty; an empty one if there is no other.
    pub(super) fn first(&self, ident: Ident) -> Option<Value<'_>> {
        if let Some(place) = names::number(ident).and_then(place) {
            let entry = self.entries.get(self.counting[place].checked_sub(1)? as usize)?;
            return Some(self.value(entry));
        }
        let mut all = self.entries.iter().filter(|entry| entry.in_header && entry.ident == ident);
        let first = all.clone().next()?;
        Some(self.value(all.find(|entry| !entry.is_empty()).unwrap_or(first)))
    }

    fn value(&self, entry: &Entry) -> Value<'_> {
        let raw = &self.bytes[entry.begin..entry.end];
        Value { position: entry.position, writing: entry.writing, raw }
    }
}

impl Entry {
    const fn is_empty(&self) -> bool {
        self.begin == self.end
    }
}

#[inline]
fn place(number: usize) -> Option<usize> {
    let place = PLACES[number];
    (place != NOWHERE).then_some(place.into())
}

/// A value's text, on one line.
pub(super) fn text(value: Value<'_>) -> Cow<'_, str> {
    // Nearly every value is the same in any charset, and on one line as it stands.
    let raw = value.raw();
    let is_plain = raw.iter().fold(true, |plain, &byte| plain & matches!(byte, b' '..=b'[' | b']'..=b'~'));
    let charset = value.charset();
    if is_plain
        && !charset.is_stateful()
        && !charset.is_wide()
        && let Ok(text) = str::from_utf8(raw)
    {
        return Cow::Borrowed(text);
    }
    value.simple_text()
}
