//! The bytes of a sidecar.
//!
//! All numbers are little-endian. A file is a head of 64 bytes and the reading; an entry of 40 bytes for each game, in
//! order; 24 bytes for each member; the names of the members. Everything has a place that can be computed, so that
//! nothing has to be read to find it, and a hash of its own, so that nothing else has to be read to trust it.
//!
//! | head | |
//! | --- | --- |
//! | 0 | `SGFoffs4` |
//! | 8, 16, 24 | the archive's [`Stamp`]: length, time, hash of the ends |
//! | 32, 40 | games, members |
//! | 48 | bytes of the reading, behind the head |
//! | 56 | a hash of the 56 bytes before and of the reading |
//!
//! | entry | |
//! | --- | --- |
//! | 0, 8 | offset and length of the game, in its member |
//! | 16 | the number of the member, 4 bytes, from 1; 0 where the archive is no container |
//! | 20 | the signature: 4 bytes for each of its three moves, cut short or filled up with zeros |
//! | 32 | a hash of the game's number, from 1, and of the 32 bytes before |
//!
//! | member | |
//! | --- | --- |
//! | 0 | where its name ends, in the names |
//! | 8 | where its bytes begin in the archive, plus 1; 0 where they do not lie there as they are |
//! | 16 | a hash of the member's number, from 1, the 16 bytes before and its name |

use crate::index::Stamp;
use crate::stable::hash;

pub(super) const HEAD: usize = 64;
pub(super) const ENTRY: usize = 40;
pub(super) const MEMBER: usize = 24;
/// The longest reading, in bytes. It is what somebody has typed.
pub(super) const READING: usize = 1 << 20;

/// The first bytes of sidecars of all versions.
pub(super) const KIND: [u8; 7] = *b"SGFoffs";
const VERSION: u8 = b'4';

/// The head of a sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) stamp: Stamp,
    pub(super) games: u64,
    pub(super) members: u64,
    /// How the archive was read.
    pub(super) reading: String,
}

/// The entry of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) member: u32,
    pub(super) signature: [u8; 12],
}

impl Head {
    /// Where the entries begin.
    pub(super) const fn entries_at(&self) -> u64 {
        (HEAD + self.reading.len()) as u64
    }

    /// Where the members begin.
    pub(super) const fn members_at(&self) -> u64 {
        self.entries_at().saturating_add(self.games.saturating_mul(ENTRY as u64))
    }

    /// Where the names begin.
    pub(super) const fn names_at(&self) -> u64 {
        self.members_at().saturating_add(self.members.saturating_mul(MEMBER as u64))
    }

    /// The bytes of the head, with the reading.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        let Stamp { len, modified, ends } = self.stamp;
        let numbers = [len, modified.cast_unsigned(), ends, self.games, self.members, self.reading.len() as u64];
        bytes[..7].copy_from_slice(&KIND);
        bytes[7] = VERSION;
        for (place, number) in bytes[8..56].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let check = check(0, &[&bytes[..56], self.reading.as_bytes()]);
        bytes[56..].copy_from_slice(&check.to_le_bytes());
        bytes.extend_from_slice(self.reading.as_bytes());
        bytes
    }

    /// The length of the reading behind this head; `None` if it is no head.
    pub(super) fn reading_len(bytes: &[u8; HEAD]) -> Option<usize> {
        let len = usize::try_from(long(bytes, 48)).ok()?;
        (bytes[..7] == KIND && bytes[7] == VERSION && len <= READING).then_some(len)
    }

    /// The head; `None` if it is none.
    pub(super) fn from_bytes(bytes: &[u8; HEAD], reading: Vec<u8>) -> Option<Self> {
        let stamp = Stamp { len: long(bytes, 8), modified: long(bytes, 16).cast_signed(), ends: long(bytes, 24) };
        let is_one =
            Self::reading_len(bytes) == Some(reading.len()) && long(bytes, 56) == check(0, &[&bytes[..56], &reading]);
        let reading = String::from_utf8(reading).ok().filter(|_| is_one)?;
        Some(Self { stamp, games: long(bytes, 32), members: long(bytes, 40), reading })
    }
}

impl Entry {
    /// The bytes of the entry of the game with this number, from 1.
    pub(super) fn to_bytes(self, number: u64) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.len.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.member.to_le_bytes());
        bytes[20..32].copy_from_slice(&self.signature);
        let check = check(number, &[&bytes[..32]]);
        bytes[32..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The entry; `None` if it is none.
    pub(super) fn from_bytes(number: u64, bytes: &[u8; ENTRY]) -> Option<Self> {
        let mut signature = [0; 12];
        signature.copy_from_slice(&bytes[20..32]);
        let member = bytes[16..].first_chunk().map_or(0, |number| u32::from_le_bytes(*number));
        let is_one = long(bytes, 32) == check(number, &[&bytes[..32]]);
        is_one.then_some(Self { offset: long(bytes, 0), len: long(bytes, 8), member, signature })
    }
}

/// The entry of a member, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where its name ends.
    pub(super) end: u64,
    /// Where it lies in the archive.
    pub(super) start: Option<u64>,
}

impl Place {
    /// The bytes of the entry of the member with this number, from 1.
    pub(super) fn to_bytes(self, number: u64, name: &str) -> [u8; MEMBER] {
        let mut bytes = [0; MEMBER];
        bytes[..8].copy_from_slice(&self.end.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.start.map_or(0, |start| start.saturating_add(1)).to_le_bytes());
        let check = check(number, &[&bytes[..16], name.as_bytes()]);
        bytes[16..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Valid only if the bytes are [right](Self::is_right), which takes the name to know.
    pub(super) fn from_bytes(bytes: &[u8; MEMBER]) -> Self {
        Self { end: long(bytes, 0), start: long(bytes, 8).checked_sub(1) }
    }

    pub(super) fn is_right(bytes: &[u8; MEMBER], number: u64, name: &[u8]) -> bool {
        bytes[16..] == check(number, &[&bytes[..16], name]).to_le_bytes()
    }
}

/// The number at this place.
fn long(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number))
}

/// A hash of bytes and of a number, so that an entry is not valid in the place of its neighbour.
fn check(number: u64, pieces: &[&[u8]]) -> u64 {
    let number = number.to_le_bytes();
    let all = std::iter::once(&number[..]).chain(pieces.iter().copied());
    all.fold(0, |sum: u64, piece| (sum ^ hash(piece)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_entries_read_back_and_damage_is_detected() {
        let stamp = Stamp { len: 1, modified: -2, ends: 3 };
        let head = Head { stamp, games: 4, members: 5, reading: "--plain".to_owned() };
        let read = |bytes: &[u8]| {
            let (start, reading) = bytes.split_first_chunk().unwrap();
            Head::from_bytes(start, reading.to_vec())
        };
        let bytes = head.to_bytes();
        assert_eq!(read(&bytes), Some(head));
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            assert_eq!(read(&bytes), None, "{at}");
        }
        assert_eq!(read(&bytes[..bytes.len() - 1]), None);
        let entry = Entry { offset: 1 << 40, len: 7, member: 9, signature: *b"pd\0\0dd\0\0??\0\0" };
        assert_eq!(Entry::from_bytes(7, &entry.to_bytes(7)), Some(entry));
        assert_eq!(Entry::from_bytes(8, &entry.to_bytes(7)), None);
        let place = Place { end: 3, start: Some(1) };
        let bytes = place.to_bytes(1, "a/b");
        assert_eq!(Place::from_bytes(&bytes), place);
        assert!(Place::is_right(&bytes, 1, b"a/b") && !Place::is_right(&bytes, 2, b"a/b"));
        assert!(!Place::is_right(&bytes, 1, b"a/c"));
        for at in 0..ENTRY * 8 {
            let mut bytes = entry.to_bytes(7);
            bytes[at / 8] ^= 1 << (at % 8);
            assert_eq!(Entry::from_bytes(7, &bytes), None, "{at}");
        }
        for at in 0..MEMBER * 8 {
            let mut bytes = place.to_bytes(1, "a/b");
            bytes[at / 8] ^= 1 << (at % 8);
            assert!(!Place::is_right(&bytes, 1, b"a/b"), "{at}");
        }
    }
}
