//! Whole streams to UTF-8.
//!
//! Owns [`StreamRecoder`] and [`recode_stream`], for callers that want the bytes and not only the events. Readers do not need
//! them: they recode by themselves, with the recoder in `wide`, and `offsets` maps back where bytes stood. Invariant: how a
//! stream is cut into chunks changes no byte of the output. Refuses to know the grammar, and which charset the games are in
//! of a stream that can be read as it is.

pub(super) mod offsets;
pub(super) mod wide;

use std::borrow::Cow;
use std::fmt;

use crate::text::stream::wide::{Recoder, Taken};
use crate::text::{Charset, Charsets};

/// Converts a stream that can't be read in place to UTF-8, piece by piece. Any other stream stays as it is.
///
/// It recodes what [`Parser`](crate::Parser) recodes: UTF-16 and UTF-32, with a byte order mark or by their first four
/// bytes; and ISO-2022-JP, ISO-2022-KR or HZ by the first of their marks, if that comes within 64 KiB and before any
/// byte of 0x80 or more, and for HZ after a CA that names it. All of these are also recoded if they are
/// [forced](Charsets::Forced). Games in other charsets are not decoded; each may have its own.
///
/// Bytes that are no character become a byte 0xFF, which is not UTF-8 either.
///
/// ```
/// use sgf_stream::text::{Charset, StreamRecoder};
///
/// let source = b"\xFE\xFF\0(\0;\0C\0[\x56\xE0\0]\0)";
/// let mut recoder = StreamRecoder::new(Default::default());
/// let mut text = Vec::new();
/// for chunk in source.chunks(5) {
///     recoder.feed(chunk, &mut text);
/// }
/// recoder.finish(&mut text);
/// assert_eq!(text, "\u{FEFF}(;C[\u{56E0}])".as_bytes());
/// assert_eq!(recoder.charset(), Some(Charset::UTF_16BE));
/// // The bracket that closes the value.
/// assert_eq!((recoder.source_offset(10), recoder.output_offset(12)), (12, 10));
/// ```
#[derive(Clone)]
pub struct StreamRecoder {
    recoder: Recoder,
}

/// What it does, without what it holds: that may be megabytes.
impl fmt::Debug for StreamRecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamRecoder").field("charset", &self.charset()).finish_non_exhaustive()
    }
}

impl StreamRecoder {
    /// At the beginning of a stream.
    pub fn new(charsets: Charsets) -> Self {
        Self { recoder: Recoder::for_charsets(charsets) }
    }

    /// The charset that the stream is recoded from, as far as it is known.
    pub fn charset(&self) -> Option<Charset> {
        self.recoder.charset()
    }

    /// Takes all of a chunk, and appends it to `output` in UTF-8. A character that the end of the chunk cuts waits for
    /// the next chunk. Takes time linear in the chunk.
    pub fn feed(&mut self, mut chunk: &[u8], output: &mut Vec<u8>) {
        while !chunk.is_empty() {
            let len = self.recoder.take_into(chunk, output);
            chunk = &chunk[len..];
        }
    }

    /// Ends the stream: what is left of a character counts as none.
    pub fn finish(&mut self, output: &mut Vec<u8>) {
        self.recoder.finish(output);
    }

    /// The offset in the source of the character at this offset of the whole output; behind the output, that of its end.
    /// For an offset that was [forgotten](Self::forget), any. Takes time logarithmic in the changes that are mapped.
    pub fn source_offset(&self, output: u64) -> u64 {
        self.recoder.map().source(output)
    }

    /// The offset in the whole output of the character at this offset of the source, or of the next one if a mark or change of
    /// state stands there.
    pub fn output_offset(&self, source: u64) -> u64 {
        self.recoder.map().output(source)
    }

    /// Says that nothing before this offset of the whole output will be asked for. Mapping offsets takes memory: about
    /// 5 bytes for each change between characters of different lengths.
    pub fn forget(&mut self, output: u64) {
        self.recoder.map_mut().forget_but(&[], output);
    }
}

/// A whole input converted to UTF-8 if it can't be read as it stands. Made for [`events`](crate::events), whose values
/// are borrowed from a slice. Borrowed if nothing has to be recoded; see [`StreamRecoder`].
///
/// ```
/// use sgf_stream::{Event, events, text};
///
/// let source = b"(\0;\0C\0[\0\xE0\x56]\0)\0";
/// let text = text::recode_stream(source);
/// let values: Vec<_> = events(&text)
///     .filter_map(|event| match event {
///         Ok(Event::Value(value)) => Some(value.text().into_owned()),
///         _ => None,
///     })
///     .collect();
/// assert_eq!(values, ["\u{56E0}"]);
/// ```
pub fn recode_stream(source: &[u8]) -> Cow<'_, [u8]> {
    let mut recoder = StreamRecoder::new(Charsets::default());
    let (mut output, mut piece) = (Vec::new(), Vec::new());
    let mut rest = source;
    // A stream shows its charset in its first 64 KiB, and most need no recoding.
    loop {
        match recoder.recoder.take(rest, &mut piece) {
            Taken::Plain(len) if len < rest.len() => {
                recoder.recoder.pass(&rest[..len]);
                rest = &rest[len..];
            }
            Taken::Plain(_) => return Cow::Borrowed(source),
            Taken::Recoded(len) => {
                output.extend_from_slice(&source[..source.len() - rest.len()]);
                output.extend_from_slice(&piece);
                recoder.forget(output.len() as u64);
                rest = &rest[len..];
                break;
            }
        }
    }
    for piece in rest.chunks(1 << 16) {
        recoder.feed(piece, &mut output);
        recoder.forget(output.len() as u64);
    }
    recoder.finish(&mut output);
    if recoder.charset().is_some() { Cow::Owned(output) } else { Cow::Borrowed(source) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_stream_and_its_pieces_recode_the_same() {
        let long = [&b"(;"[..], &b"B[pd];".repeat(20_000), b"C[\x1B$B;3\x1B(B])"].concat();
        for (source, expected) in [
            (&b""[..], &b""[..]),
            (b"(", b"("),
            (b"(;C[\xB0\xD7])", b"(;C[\xB0\xD7])"),
            (b"(;C[\x1B$])", b"(;C[\x1B$])"),
            (b"(;C[\x1B$B;3\x1B(B])", "(;C[山])".as_bytes()),
            (b"\xFF\xFE(\0;\0)\0\x00\xD8", b"\xEF\xBB\xBF(;)\xFF"),
            (b"(\0\0\0;\0\0\0)\0\0\0", b"(;)"),
            (&long, &long),
        ] {
            assert_eq!(recode_stream(source), expected, "{}", source[..source.len().min(40)].escape_ascii());
            for len in [1, 2, 3, 5, 1000] {
                let mut recoder = StreamRecoder::new(Charsets::Auto);
                let mut output = Vec::new();
                source.chunks(len).for_each(|chunk| recoder.feed(chunk, &mut output));
                recoder.finish(&mut output);
                assert_eq!(output, expected, "in pieces of {len}");
            }
        }
    }
}
