//! Hashes that are stored: in databases, in sidecars, and in the cells of tables.
//!
//! Owns the promise that each is the same on all machines and in all versions. Refuses to know what is hashed. It is for this
//! crate and its command; nothing here is promised to others.

/// The finaliser of `SplitMix64`: every bit of the input turns about half of the output's.
pub const fn mix(input: u64) -> u64 {
    let mut word = input.wrapping_add(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// A hash of bytes.
pub fn hash(raw: &[u8]) -> u64 {
    hash_from(mix(raw.len() as u64), raw, |byte| byte)
}

/// One that goes on from another, of bytes that are changed first.
pub fn hash_from(start: u64, raw: &[u8], fold: impl Fn(u8) -> u8) -> u64 {
    raw.chunks(8).fold(start, |hash, chunk| {
        let word = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(fold(byte)));
        mix(hash ^ word)
    })
}

/// The hash of nothing by [`fnv`].
pub const FNV: u64 = 0xCBF2_9CE4_8422_2325;

/// The hash of Fowler, Noll and Vo (FNV-1a) of bytes behind those of which this is the hash. Names of pipes have it.
pub fn fnv(hash: u64, raw: &[u8]) -> u64 {
    raw.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that exist have these.
    #[test]
    fn a_hash_is_the_same_for_ever() {
        assert_eq!((mix(0), mix(1)), (0xE220_A839_7B1D_CDAF, 0x910A_2DEC_8902_5CC1));
        assert_eq!((hash(b""), hash(b"twelve bytes")), (0xE220_A839_7B1D_CDAF, 0x9B55_DB5E_5E51_DA5C));
        assert_eq!((fnv(FNV, b"a"), fnv(fnv(FNV, b"foo"), b"bar")), (0xAF63_DC4C_8601_EC8C, 0x8594_4171_F739_67E8));
    }
}
