//! The bytes of a sidecar.
//!
//! All numbers are little-endian. A head of 64 bytes; an entry of 32 bytes for each game, in order; 16 bytes for each member;
//! the names of the members. Everything has its place, so that nothing has to be read to find it.
//!
//! | head | |
//! | --- | --- |
//! | 0 | `SGFoffs2` |
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
//!
//! | member | |
//! | --- | --- |
//! | 0 | where its name ends, in the names |
//! | 8 | where its bytes begin in the archive, plus 1; 0 where they do not lie there as they are |

use crate::index::Stamp;
use crate::record::hash;

pub(super) const HEAD: usize = 64;
pub(super) const ENTRY: usize = 32;
pub(super) const MEMBER: usize = 16;
const MAGIC: [u8; 8] = *b"SGFoffs2";

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
    pub(super) fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.len.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.member.to_le_bytes());
        bytes[20..].copy_from_slice(&self.signature);
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; ENTRY]) -> Self {
        let number = |at: usize| bytes[at..].first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        let mut signature = [0; 12];
        signature.copy_from_slice(&bytes[20..]);
        let member = bytes[16..].first_chunk().map_or(0, |number| u32::from_le_bytes(*number));
        Self { offset: number(0), len: number(8), member, signature }
    }
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
        assert_eq!(Entry::from_bytes(&entry.to_bytes()), entry);
    }
}
