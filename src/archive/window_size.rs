//! How much memory unpacking takes, worked out from the first bytes of the packed data.
//!
//! Owns the places where formats write down their windows and dictionaries. What cannot be known here is bounded by the
//! libraries.

use crate::archive::format::Format;

/// How many first bytes are enough to know.
pub(crate) const START_LEN: usize = 64;

/// Memory that needs no precautions: every thread may have as much at once.
pub(crate) const SMALL: u64 = 8 << 20;

/// The logarithm of the largest window that zstd is to allow; a window need not be a power of two.
pub(crate) fn zstd_log(window: u64) -> u32 {
    window.clamp(1 << 10, 1 << 31).next_power_of_two().ilog2()
}

/// The window of a frame or stream that begins with these bytes; 0 if it is small or not stated.
pub(crate) fn window(format: Format, start: &[u8]) -> u64 {
    match format {
        Format::Zstd => zstd(start),
        Format::Xz => xz(start),
        Format::Lzma => start.get(1..5).map_or(0, little_endian),
        Format::Lzip => start.get(5).map_or(0, |&byte| lzip(byte)),
        // Four bytes for each of a block.
        Format::Bzip2 => start.get(3).map_or(0, |&level| u64::from(level.saturating_sub(b'0').min(9)) * 400_000),
        _ => 0,
    }
}

/// Whether a frame of zstd that begins with these bytes was compressed with a dictionary, which is nowhere in it.
pub(crate) fn has_dictionary(start: &[u8]) -> bool {
    let Some([descriptor, rest @ ..]) = start.strip_prefix(b"\x28\xB5\x2F\xFD") else { return false };
    let at = usize::from(descriptor & 0x20 == 0);
    let len = [0, 1, 2, 4][usize::from(descriptor & 3)];
    rest.get(at..at + len).is_some_and(|number| number.iter().any(|byte| *byte != 0))
}

fn zstd(start: &[u8]) -> u64 {
    // A skippable frame has a length there.
    let Some([descriptor, rest @ ..]) = start.strip_prefix(b"\x28\xB5\x2F\xFD") else { return 0 };
    if *descriptor & 0x20 == 0 {
        // A power of two, plus some eighths of it.
        let &[window, ..] = rest else { return 0 };
        let base = 1_u64 << (10 + (window >> 3));
        return base + base / 8 * u64::from(window & 7);
    }
    // Everything is one segment; its length comes after the dictionary's number.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = 1 << (descriptor >> 6);
    let Some(bytes) = rest.get(dictionary..dictionary + len) else { return 0 };
    let size = little_endian(bytes);
    if len == 2 { size + 256 } else { size }
}

/// The dictionary of the first block; it is a property of the last filter.
fn xz(start: &[u8]) -> u64 {
    let Some(&[_, flags, ref rest @ ..]) = start.get(12..) else { return 0 };
    let mut at = 0;
    let mut number = || {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let &byte = rest.get(at)?;
            at += 1;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    for _ in 0..(flags >> 6 & 1) + (flags >> 7) {
        number();
    }
    for _ in 0..=flags & 3 {
        let (Some(filter), Some(len)) = (number(), number()) else { return 0 };
        if filter == 0x21 {
            return number().map_or(0, |bits| lzma2(bits as u8));
        }
        for _ in 0..len.min(START_LEN as u64) {
            number();
        }
    }
    0
}

/// The dictionary size that a byte stands for; for an invalid byte, more than anybody has.
pub(crate) fn lzma2(bits: u8) -> u64 {
    match bits {
        0..40 => u64::from(2 | bits & 1) << (bits / 2 + 11),
        40 => u32::MAX.into(),
        _ => u64::MAX,
    }
}

/// A power of two, less some sixteenths of it.
fn lzip(byte: u8) -> u64 {
    let base = 1_u64 << (byte & 0x1F);
    base - base / 16 * u64::from(byte >> 5)
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_sizes_are_known_before_allocation() {
        for (format, start, expected) in [
            (Format::Zstd, &b"\x28\xB5\x2F\xFD\0\x88"[..], 128 << 20),
            (Format::Zstd, b"\x28\xB5\x2F\xFD\0\x89", 144 << 20),
            (Format::Zstd, b"\x28\xB5\x2F\xFD\x20\x07", 7),
            (Format::Zstd, b"\x28\xB5\x2F\xFD\x60\x07\0", 263),
            (Format::Zstd, b"\x28\xB5\x2F\xFD\xA1\xFF\0\0\0\x20", 0x2000_0000),
            (Format::Xz, b"\xFD7zXZ\0\0\x04\xE6\xD6\xB4\x46\x02\0\x21\x01\x1C", 64 << 20),
            (Format::Xz, b"\xFD7zXZ\0\0\x04\xE6\xD6\xB4\x46\x03\xC1\x80\x01\x05\x03\x01\x00\x21\x01\x1F", 192 << 20),
            (Format::Lzma, b"\x5D\0\0\x80\0", 8 << 20),
            (Format::Lzip, b"LZIP\x01\xD3", 320 << 10),
            (Format::Bzip2, b"BZh9", 3_600_000),
            (Format::Gzip, b"\x1F\x8B", 0),
            (Format::Xz, b"\xFD7zXZ\0", 0),
            (Format::Zstd, b"\x28\xB5\x2F\xFD", 0),
            (Format::Zstd, b"\x50\x2A\x4D\x18\xE0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 0),
        ] {
            assert_eq!(window(format, start), expected, "{start:?}");
        }
    }
}
