//! The bytes of a sidecar.
//!
//! All numbers are little-endian. A head of 64 bytes; an entry of 40 bytes for each game, in order; 24 bytes for each member;
//! the names of the members. Everything has its place, so that nothing has to be read to find it, and its own hash, so that
//! nothing else has to be read to trust it.
//!
//! | head | |
//! | --- | --- |
//! | 0 | `SGFoffs3` |
//! | 8, 16, 24 | the archive's [`Stamp`]: length, time, hash of the ends |
//! | 32, 40 | games, members |
//! | 48 | where the members begin |
//! | 56 | a hash of the 56 bytes before |
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
use crate::record::hash;

pub(super) const HEAD: usize = 64;
pub(super) const ENTRY: usize = 40;
pub(super) const MEMBER: usize = 24;
const MAGIC: [u8; 8] = *b"SGFoffs3";

/// The head of a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) stamp: Stamp,
    pub(super) games: u64,
    pub(super) members: u64,
}

/// What a sidecar has of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) len: u64,
    pub(super) member: u32,
    pub(super) signature: [u8; 12],
}

impl Head {
    /// Where the members begin.
    pub(super) const fn names_at(&self) -> u64 {
        (HEAD as u64).saturating_add(self.games.saturating_mul(ENTRY as u64))
    }

    /// Where the names begin.
    pub(super) const fn text_at(&self) -> u64 {
        self.names_at().saturating_add(self.members.saturating_mul(MEMBER as u64))
    }

    pub(super) fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        let Stamp { len, modified, ends } = self.stamp;
        let numbers = [len, modified.cast_unsigned(), ends, self.games, self.members, self.names_at()];
        bytes[..8].copy_from_slice(&MAGIC);
        for (place, number) in bytes[8..56].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let check = hash(&bytes[..56]);
        bytes[56..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// `None` for anything else.
    pub(super) fn from_bytes(bytes: &[u8; HEAD]) -> Option<Self> {
        let number = |at: usize| bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        let stamp = Stamp { len: number(8), modified: number(16).cast_signed(), ends: number(24) };
        let head = Self { stamp, games: number(32), members: number(40) };
        let is_one = bytes[..8] == MAGIC && number(56) == hash(&bytes[..56]) && number(48) == head.names_at();
        is_one.then_some(head)
    }
}

impl Entry {
    /// That of the game with this number, from 1.
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

    /// `None` for anything else.
    pub(super) fn from_bytes(number: u64, bytes: &[u8; ENTRY]) -> Option<Self> {
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        let mut signature = [0; 12];
        signature.copy_from_slice(&bytes[20..32]);
        let member = bytes[16..].first_chunk().map_or(0, |number| u32::from_le_bytes(*number));
        let is_one = long(32) == check(number, &[&bytes[..32]]);
        is_one.then_some(Self { offset: long(0), len: long(8), member, signature })
    }
}

/// What a sidecar has of a member beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Where its name ends.
    pub(super) end: u64,
    /// Where it lies in the archive.
    pub(super) start: Option<u64>,
}

impl Place {
    /// That of the member with this number, from 1.
    pub(super) fn to_bytes(self, number: u64, name: &str) -> [u8; MEMBER] {
        let mut bytes = [0; MEMBER];
        bytes[..8].copy_from_slice(&self.end.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.start.map_or(0, |start| start.saturating_add(1)).to_le_bytes());
        let check = check(number, &[&bytes[..16], name.as_bytes()]);
        bytes[16..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// It counts only if it is [right](Self::is_right), which takes the name.
    pub(super) fn from_bytes(bytes: &[u8; MEMBER]) -> Self {
        let long = |at: usize| bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        Self { end: long(0), start: long(8).checked_sub(1) }
    }

    pub(super) fn is_right(bytes: &[u8; MEMBER], number: u64, name: &[u8]) -> bool {
        bytes[16..] == check(number, &[&bytes[..16], name]).to_le_bytes()
    }
}

/// A hash of a number, which is none of its neighbours', and of bytes.
fn check(number: u64, pieces: &[&[u8]]) -> u64 {
    let number = number.to_le_bytes();
    let all = std::iter::once(&number[..]).chain(pieces.iter().copied());
    all.fold(0, |sum: u64, piece| (sum ^ hash(piece)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let head = Head { stamp: Stamp { len: 1, modified: -2, ends: 3 }, games: 4, members: 5 };
        assert_eq!(Head::from_bytes(&head.to_bytes()), Some(head));
        for at in 0..HEAD {
            let mut bytes = head.to_bytes();
            bytes[at] ^= 1;
            assert_eq!(Head::from_bytes(&bytes), None, "{at}");
        }
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
