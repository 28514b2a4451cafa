//! Standard output for games, whose bytes may be in any charset.
//!
//! Owns what becomes of bytes that a console of Windows refuses, as it takes only text: each is shown as U+FFFD. Everywhere else,
//! and in files and pipes, the bytes are written as they are.

use std::io;

#[cfg(not(windows))]
pub(crate) type Bytes = io::Stdout;

#[cfg(not(windows))]
pub(crate) fn bytes() -> Bytes {
    io::stdout()
}

#[cfg(windows)]
pub(crate) type Bytes = text::Text<io::Stdout>;

#[cfg(windows)]
pub(crate) fn bytes() -> Bytes {
    use std::io::IsTerminal;
    text::Text::new(io::stdout(), io::stdout().is_terminal())
}

#[cfg(any(windows, test))]
mod text {
    use std::io::{self, Write};

    /// Writes text, if what is no text is to be replaced, or else all bytes.
    pub(crate) struct Text<W> {
        out: W,
        replaces: bool,
        /// The beginning of a character.
        cut: Vec<u8>,
    }

    impl<W: Write> Text<W> {
        pub(crate) fn new(out: W, replaces: bool) -> Self {
            Self { out, replaces, cut: Vec::new() }
        }
    }

    impl<W: Write> Write for Text<W> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.replaces {
                return self.out.write(bytes);
            }
            let mut all = std::mem::take(&mut self.cut);
            all.extend_from_slice(bytes);
            let mut text = String::with_capacity(all.len());
            let mut chunks = all.utf8_chunks().peekable();
            while let Some(chunk) = chunks.next() {
                text.push_str(chunk.valid());
                let invalid = chunk.invalid();
                let may_go_on = || std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
                if chunks.peek().is_none() && may_go_on() {
                    self.cut = invalid.to_vec();
                } else if !invalid.is_empty() {
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
            self.out.write_all(text.as_bytes())?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.out.flush()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn bytes_become_text_however_they_are_cut() {
            let bytes = "(;PB[白]".as_bytes().iter().chain(b"PW[\xB0\xD7]C[\xE7\x99])").copied().collect::<Vec<u8>>();
            for cut in 0..bytes.len() {
                let mut text = Text::new(Vec::new(), true);
                text.write_all(&bytes[..cut]).unwrap();
                text.write_all(&bytes[cut..]).unwrap();
                assert_eq!(String::from_utf8(text.out).unwrap(), String::from_utf8_lossy(&bytes), "{cut}");
            }
            let mut plain = Text::new(Vec::new(), false);
            plain.write_all(&bytes).unwrap();
            assert_eq!(plain.out, bytes);
        }
    }
}
