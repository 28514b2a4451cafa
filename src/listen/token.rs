//! The secret that a client sends first.
//!
//! Owns how it is kept and compared, so that neither a debug print nor the time of a comparison reveals it.

use std::fmt;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A secret that clients share: they send it as their first line.
#[derive(Clone)]
pub struct Token {
    /// Digests are of one length, so that the comparison does not tell that of the secret.
    digest: [u8; 32],
}

/// Why a secret cannot be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// It is empty or blank, so making it has failed.
    Empty,
    /// It is longer than [`Token::MAX_LEN`].
    TooLong,
    /// It has a line end, so it is not one line.
    LineEnd,
}

impl Token {
    /// The longest secret, in bytes.
    pub const MAX_LEN: usize = 1_024;

    /// Keeps a secret. A good one is random: `openssl rand -hex 32`.
    ///
    /// # Errors
    ///
    /// [`TokenError`] if it cannot be sent as a line.
    pub fn new(secret: &[u8]) -> Result<Self, TokenError> {
        if secret.trim_ascii().is_empty() {
            return Err(TokenError::Empty);
        }
        if secret.len() > Self::MAX_LEN {
            return Err(TokenError::TooLong);
        }
        if secret.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err(TokenError::LineEnd);
        }
        Ok(Self { digest: Sha256::digest(secret).into() })
    }

    /// True for the secret itself. The time it takes depends on the length of `given` alone.
    pub fn matches(&self, given: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(given).into();
        self.digest.ct_eq(&digest).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the token is empty or blank"),
            Self::TooLong => write!(f, "the token is longer than {} bytes", Token::MAX_LEN),
            Self::LineEnd => f.write_str("the token has more than one line"),
        }
    }
}

impl std::error::Error for TokenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_line_and_compared_exactly() {
        let token = Token::new(b"open sesame").unwrap();
        assert!(token.matches(b"open sesame"));
        for given in [&b""[..], b"open sesam", b"open sesame ", b"open sesame\r"] {
            assert!(!token.matches(given));
        }
        assert_eq!(format!("{token:?}"), "Token(..)");
        for (secret, error) in [
            (&b""[..], TokenError::Empty),
            (b" \t", TokenError::Empty),
            (b"a\nb", TokenError::LineEnd),
            (b"a\r", TokenError::LineEnd),
            (&[b'a'; 1_025], TokenError::TooLong),
        ] {
            assert_eq!(Token::new(secret).err(), Some(error));
        }
    }
}
