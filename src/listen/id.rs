//! What a game is called: a hash of its bytes.
//!
//! Owns [`GameId`], and which hash it is. That is a part of the protocol: a changed hash would store every game again.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// The name of a game: the first 128 bits of the SHA-256 of its bytes, from its first to its last.
///
/// Strangers choose the games, so the hash has to resist those who look for two games with one name. Fast hashes do
/// not; with 128 bits of SHA-256 that takes some 2^64 tries. Of the hashes that resist, it is the one that every
/// language has, so a client can know a game's name before it has sent it: `head -c 32` of what `sha256sum` prints.
///
/// ```
/// use sgf_stream::listen::GameId;
///
/// let id = GameId::of(b"(;B[pd])");
/// assert_eq!(id.to_string(), "44bec11a0f2c2a84625ed30d055e929b");
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GameId(u128);

/// A text that is not 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameIdError;

impl GameId {
    /// The name of a game.
    pub fn of(game: &[u8]) -> Self {
        let digest: [u8; 32] = Sha256::digest(game).into();
        let [first, ..] = digest.as_chunks().0 else { unreachable!("half of 32 bytes are 16") };
        Self(u128::from_be_bytes(*first))
    }
}

/// 32 hexadecimal digits, in small letters.
impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for GameId {
    type Err = GameIdError;

    fn from_str(text: &str) -> Result<Self, GameIdError> {
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(GameIdError);
        }
        u128::from_str_radix(text, 16).map(Self).map_err(|_| GameIdError)
    }
}

impl fmt::Display for GameIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of a game is 32 hexadecimal digits")
    }
}

impl std::error::Error for GameIdError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_32_digits() {
        for text in [
            "",
            "+3ebde83c6ba6f07d64e57fb4d5a0fb2",
            "44bec11a0f2c2a84625ed30d055e929",
            "44bec11a0f2c2a84625ed30d055e929b0",
        ] {
            assert_eq!(text.parse::<GameId>(), Err(GameIdError), "{text}");
        }
        let id: GameId = "000000000000000000000000000000ff".parse().unwrap();
        assert_eq!(id.to_string(), "000000000000000000000000000000ff");
    }
}
