//! What format something has, worked out from its first bytes.
//!
//! Owns the marks by which formats are told from each other and from text. Refuses to know names, and to read further: whether
//! the rest is right shows when it is unpacked.

use std::io::{self, Read};

use encoding_rs::Encoding;

use crate::archive::Unsupported;

/// The number of first bytes that are enough to [detect](Format::detect) a [`Format`].
pub const HEAD_LEN: usize = 512;

/// What a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Nothing that has to be unpacked.
    Plain,
    /// One stream after another, compressed by gzip.
    Gzip,
    /// Frames of zstd.
    Zstd,
    /// Streams of xz.
    Xz,
    /// Streams of bare LZMA, the predecessor of xz.
    Lzma,
    /// Members of lzip.
    Lzip,
    /// Streams of bzip2.
    Bzip2,
    /// Frames of lz4.
    Lz4,
    /// tar, which is not compressed by itself.
    Tar,
    /// zip.
    Zip,
    /// 7z.
    SevenZip,
    /// Known, but not supported.
    Unsupported(Unsupported),
}

const MAGICS: [(&[u8], Format); 21] = [
    (b"\x1F\x8B\x08", Format::Gzip),
    (b"\x28\xB5\x2F\xFD", Format::Zstd),
    (b"\xFD7zXZ\0", Format::Xz),
    (b"BZh", Format::Bzip2),
    (b"\x04\x22\x4D\x18", Format::Lz4),
    (b"\x02\x21\x4C\x18", Format::Lz4),
    (b"PK\x03\x04", Format::Zip),
    (b"PK\x05\x06", Format::Zip),
    (b"PK\x07\x08", Format::Zip),
    (b"7z\xBC\xAF\x27\x1C", Format::SevenZip),
    (b"Rar!\x1A\x07", Format::Unsupported(Unsupported::Rar)),
    (b"\x1F\x9D", Format::Unsupported(Unsupported::Compress)),
    (b"LZIP\0", Format::Lzip),
    (b"LZIP\x01", Format::Lzip),
    (b"MSCF\0\0\0\0", Format::Unsupported(Unsupported::Cabinet)),
    (b"\x60\xEA", Format::Unsupported(Unsupported::Arj)),
    (b"\x89LZO\0", Format::Unsupported(Unsupported::Lzop)),
    (b"!<arch>\n", Format::Unsupported(Unsupported::Ar)),
    (b"\xED\xAB\xEE\xDB", Format::Unsupported(Unsupported::Rpm)),
    (b"xar!\0\x1C\0\x01", Format::Unsupported(Unsupported::Xar)),
    (b"MSWIM\0\0\0", Format::Unsupported(Unsupported::Wim)),
];

/// What follows `BZh` and a digit: the first block, or the end.
const BZIP2_BLOCKS: [&[u8]; 2] = [b"1AY&SY", b"\x17rE8P\x90"];

impl Format {
    /// Detects the format from the first [`HEAD_LEN`] bytes of a source, or from all of them if there are fewer.
    pub fn detect(head: &[u8]) -> Self {
        if let Some(len) = skippable_len(head) {
            return after_skippable(head, len);
        }
        match MAGICS.iter().find(|(magic, _)| head.starts_with(magic)) {
            Some((_, Self::Bzip2)) if !is_bzip2(head) => Self::Plain,
            Some((_, format)) => *format,
            None if is_lzma(head) => Self::Lzma,
            None if is_tar(head) || has_tar_magic(head) => Self::Tar,
            None if is_lha(head) => Self::Unsupported(Unsupported::Lha),
            None if is_cpio(head) => Self::Unsupported(Unsupported::Cpio),
            None if is_zlib(head) => Self::Unsupported(Unsupported::Zlib),
            None => Self::Plain,
        }
    }

    /// True if these first bytes, fewer than [`HEAD_LEN`], do not show the format yet: for pipes, which may bring few at a time.
    pub fn needs_more(head: &[u8]) -> bool {
        if head.len() >= HEAD_LEN {
            return false;
        }
        // A game may begin with anything, except a zero; a tar archive has many of those after its first name.
        match Self::detect(head) {
            Self::Plain => !has_game(head) || head.contains(&0),
            Self::Zstd => skippable_len(head).is_some(),
            _ => false,
        }
    }

    /// True for plain first bytes with which no text begins, or which begin a script: an archive may follow them.
    pub fn is_doubtful(head: &[u8]) -> bool {
        /// White space is allowed, as are the end-of-file character and the beginning of an escape sequence of Japanese.
        fn is_control(byte: u8) -> bool {
            byte < b' ' && !matches!(byte, b'\t'..=b'\r' | 0x1A | 0x1B)
        }
        let head = &head[..head.len().min(HEAD_LEN)];
        let is_wide = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
        // Some together, without a branch for each.
        let has_control = |bytes: &[u8]| bytes.iter().fold(false, |any, &byte| any | is_control(byte));
        let is_odd = || head.starts_with(b"#!") || head.chunks(64).any(has_control);
        !is_wide && is_odd() && Self::detect(head).is_plain()
    }

    /// Whether these are the first bytes of a program.
    pub(crate) fn is_program(head: &[u8]) -> bool {
        head.starts_with(b"MZ") || head.starts_with(b"\x7FELF") || head.starts_with(b"#!")
    }

    /// Whether no text begins like this, so that only an archive behind these bytes can contain games.
    pub(crate) fn is_machine_code(head: &[u8]) -> bool {
        Self::is_program(head) && !head.starts_with(b"#!") && Self::is_doubtful(head)
    }

    /// Whether the format is one compressed stream and nothing else.
    pub(crate) fn is_compression(self) -> bool {
        matches!(self, Self::Gzip | Self::Zstd | Self::Xz | Self::Lzma | Self::Lzip | Self::Bzip2 | Self::Lz4)
    }

    /// True for a source that is read as it stands.
    pub fn is_plain(self) -> bool {
        self == Self::Plain
    }
}

/// The first bytes of a source: as many as its format is [known](Format::detect) by, or all.
///
/// # Errors
///
/// That of the source.
pub fn head_of(source: impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    source.take(HEAD_LEN as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether a game seems to begin in these bytes.
pub(crate) fn has_game(head: &[u8]) -> bool {
    head.iter().position(|&byte| byte == b'(').is_some_and(|at| {
        let rest = &head[at + 1..];
        rest.contains(&b';') || rest.contains(&b'[')
    })
}

/// Whether a game is the first thing in these bytes, behind a byte order mark and white space; also if they end before that
/// shows.
pub(crate) fn may_begin_game(head: &[u8]) -> bool {
    let text = Encoding::for_bom(head).map_or(head, |(_, len)| &head[len..]);
    // In UTF-16, zeros stand between ASCII letters.
    let text: Vec<u8> = text.iter().copied().filter(|&byte| byte != 0).collect();
    let Some((first, rest)) = text.trim_ascii_start().split_first() else { return true };
    if *first != b'(' {
        return false;
    }
    match rest.trim_ascii_start() {
        [] | [b';', ..] => true,
        [b'A'..=b'Z', rest @ ..] => {
            let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            matches!(rest[len..].trim_ascii_start(), [] | [b'[', ..])
        }
        _ => false,
    }
}

/// Whether another frame follows, or something else that the same program continues with.
pub(crate) fn continues(format: Format, next: &[u8]) -> bool {
    match format {
        Format::Zstd | Format::Lz4 if skippable_len(next).is_some() => true,
        Format::Lzma => is_lzma(next),
        Format::Bzip2 => next.len() >= 10 && is_bzip2(next),
        _ => MAGICS.iter().any(|(magic, other)| *other == format && next.starts_with(magic)),
    }
}

/// The length of the skippable frame that zstd and lz4 share, if this is one.
pub(crate) fn skippable_len(head: &[u8]) -> Option<u64> {
    match *head.first_chunk::<8>()? {
        [0x50..=0x5F, 0x2A, 0x4D, 0x18, len @ ..] => Some(8 + u64::from(u32::from_le_bytes(len))),
        _ => None,
    }
}

/// The format behind skippable frames, with which both zstd and lz4 may begin.
fn after_skippable(head: &[u8], len: u64) -> Format {
    let mut rest = head;
    let mut len = Some(len);
    while let Some(skipped) = len {
        let Some(after) = usize::try_from(skipped).ok().and_then(|skipped| rest.get(skipped..)) else {
            return Format::Zstd;
        };
        rest = after;
        len = skippable_len(rest);
    }
    if rest.starts_with(b"\x04\x22\x4D\x18") { Format::Lz4 } else { Format::Zstd }
}

fn is_bzip2(head: &[u8]) -> bool {
    let Some((first, rest)) = head.split_at_checked(4) else { return false };
    first[3].is_ascii_digit() && BZIP2_BLOCKS.iter().any(|block| rest.starts_with(block))
}

/// Bare LZMA has no magic number. It is recognised by properties, a dictionary size and a
/// length that are possible, and the zero that all packed bytes begin with.
fn is_lzma(head: &[u8]) -> bool {
    let Some((start, packed)) = head.split_first_chunk::<13>() else { return false };
    let &[properties, a, b, c, d, ref len @ ..] = start;
    let dictionary = u32::from_le_bytes([a, b, c, d]);
    let is_usual = matches!((dictionary.count_ones(), (dictionary & dictionary >> 1) > 0), (1, _) | (2, true));
    let len = u64::from_le_bytes(*len);
    are_lzma_properties(properties)
        && dictionary >= 4096
        && is_usual
        && (len == u64::MAX || len < 1 << 38)
        && packed.first() == Some(&0)
}

/// Three numbers in one; nearly all programs write 0x5D.
fn are_lzma_properties(byte: u8) -> bool {
    byte < 225 && byte % 9 + byte / 9 % 5 <= 4
}

/// What follows the two bytes of its header is no text.
fn is_zlib(head: &[u8]) -> bool {
    let is_header = matches!(head, [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..]);
    is_header && head.len() > 2 && head[2..].iter().any(|byte| matches!(byte, 0..=8 | 14..=25))
}

fn is_lha(head: &[u8]) -> bool {
    head.get(2..7).is_some_and(|id| id.starts_with(b"-lh") && id[4] == b'-')
}

/// Text may begin like the marks of cpio, so the rest of the first header has to be right too: its numbers, or the name behind
/// binary ones.
fn is_cpio(head: &[u8]) -> bool {
    let is_text = |len, is_digit: fn(&u8) -> bool| head.get(6..len).is_some_and(|rest| rest.iter().all(is_digit));
    match head {
        [b'0', b'7', b'0', b'7', b'0', b'1' | b'2', ..] => is_text(110, u8::is_ascii_hexdigit),
        [b'0', b'7', b'0', b'7', b'0', b'7', ..] => is_text(76, u8::is_ascii_digit),
        [0xC7, 0x71, ..] => has_cpio_name(head, u16::from_le_bytes),
        [0x71, 0xC7, ..] => has_cpio_name(head, u16::from_be_bytes),
        _ => false,
    }
}

fn has_cpio_name(head: &[u8], number: fn([u8; 2]) -> u16) -> bool {
    let len = head.get(20..).and_then(|rest| rest.first_chunk()).map_or(0, |len| usize::from(number(*len)));
    let name = head.get(26..).and_then(|rest| rest.get(..len)).unwrap_or_default();
    name.len() > 1 && name.iter().position(|&byte| byte == 0) == Some(len - 1)
}

/// Whether this is a tar header with a right checksum; the oldest ones have no magic number.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    // A cheap check that no text passes.
    if !block[100..512].contains(&0) {
        return false;
    }
    let Some(stated) = octal(&block[148..156]) else { return false };
    let bytes = || block[..148].iter().chain(b"        ").chain(&block[156..]);
    let unsigned: u64 = bytes().map(|&byte| u64::from(byte)).sum();
    // Some old programs added signed bytes.
    let signed: i64 = bytes().map(|&byte| i64::from(byte.cast_signed())).sum();
    stated == unsigned || i64::try_from(stated) == Ok(signed)
}

/// Whether this has what nearly all tar headers have and no text has, even if the rest is damaged.
fn has_tar_magic(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<512>() else { return false };
    matches!(&block[257..263], b"ustar\0" | b"ustar ") && block[500..] == [0; 12]
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = str::from_utf8(field).ok()?;
    let digits = text.trim_matches(|c: char| c == '\0' || c == ' ');
    u64::from_str_radix(digits, 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_recognised_by_the_first_bytes() {
        for (head, format) in [
            (&b""[..], Format::Plain),
            (b"(;B[pd])", Format::Plain),
            (b"PK", Format::Plain),
            (b"PK\x03\x04", Format::Zip),
            (b"BZh", Format::Plain),
            (b"BZh91AY&SY", Format::Bzip2),
            (b"BZh Black is a bot", Format::Plain),
            (b"\x50\x2A\x4D\x18\0\0\0\0\x04\x22\x4D\x18", Format::Lz4),
            (b"\x50\x2A\x4D\x18\0\0\0\0\x28\xB5\x2F\xFD", Format::Zstd),
            (b"\x5F\x2A\x4D\x18\xFF\xFF\xFF\xFF", Format::Zstd),
            (b"..-lh5-...", Format::Unsupported(Unsupported::Lha)),
            (b"!<arch>\ndebian-binary   ", Format::Unsupported(Unsupported::Ar)),
            (b"!<arch> (;B[pd])", Format::Plain),
            (b"\xED\xAB\xEE\xDB\x03\0", Format::Unsupported(Unsupported::Rpm)),
            (b"xar!\0\x1C\0\x01\0", Format::Unsupported(Unsupported::Xar)),
            (b"xar! (;B[pd])", Format::Plain),
            (b"MSWIM\0\0\0\xD0", Format::Unsupported(Unsupported::Wim)),
            (b"x\x9C\xD3\xB0v\x8A.\x48\x01", Format::Unsupported(Unsupported::Zlib)),
            (b"x^ (;B[pd])", Format::Plain),
            (b"x\x9C (;B[pd])\r\n", Format::Plain),
            (b"\x5A\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\x14", Format::Lzma),
            (b"\x08\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\x14", Format::Plain),
        ] {
            assert_eq!(Format::detect(head), format, "{head:?}");
        }
    }

    #[test]
    fn cpio_is_recognised_by_its_first_header() {
        let binary = |magic: [u8; 2], len: [u8; 2]| [&magic[..], &[1; 18], &len, &[0; 4], b"a.sgf\0(;B[pd])"].concat();
        for head in [
            [&b"070701"[..], &[b'A'; 104], b"a.sgf\0"].concat(),
            [&b"070702"[..], &[b'0'; 104], b"a.sgf\0"].concat(),
            [&b"070707"[..], &[b'7'; 70], b"a.sgf\0"].concat(),
            binary([0xC7, 0x71], [6, 0]),
            binary([0x71, 0xC7], [0, 6]),
        ] {
            assert_eq!(Format::detect(&head), Format::Unsupported(Unsupported::Cpio), "{head:?}");
        }
        for head in [
            &b"070701"[..],
            b"070707 is a date (;B[pd])",
            b"\xC7\x71",
            b"\x71\xC7 est le jeu (;B[pd]C[deux joueurs])",
            &binary([0xC7, 0x71], [5, 0]),
            &binary([0xC7, 0x71], [0xFF, 0xFF]),
        ] {
            assert_eq!(Format::detect(head), Format::Plain, "{head:?}");
        }
    }

    #[test]
    fn a_game_may_begin_behind_a_mark_and_white_space() {
        for head in [
            &b""[..],
            b"\r\n ",
            b"\xEF\xBB\xBF",
            b"(;B[pd])",
            b"\xEF\xBB\xBF\n( \n;B[pd])",
            b"\xFF\xFE\n\0(\0;\0",
            b"\xFE\xFF\0(\0 \0;",
            b"\0(\0;",
            b"(GM[1]",
            b"( CoPyright [x",
            b"(",
            b"(G",
        ] {
            assert!(may_begin_game(head), "{head:?}");
        }
        for head in
            [&b".TH (;B[pd])"[..], b"(see [1])", b"(C) 1998", b"()", b"(See also [1])", b"foo (1.2)", b"\x1F\x8B"]
        {
            assert!(!may_begin_game(head), "{head:?}");
        }
    }

    #[test]
    fn more_bytes_of_a_pipe_are_read_until_the_format_is_clear() {
        for head in [&b""[..], b"\x1F", b"PK", b"(", b"junk", b"\xFF\xFE(\0;\0", b"7z\xBC\xAF\x27"] {
            assert!(Format::needs_more(head), "{head:?}");
        }
        for head in [&b"\x1F\x8B\x08"[..], b"(;", b"junk (;", b"(B["] {
            assert!(!Format::needs_more(head), "{head:?}");
        }
    }
}
