//! What is known, and not read.
//!
//! Owns the names of formats and methods that are not supported. Refuses to know how they are recognised.

use std::fmt;

/// A format of archives or compression, or a method in one of them, that is recognised and not supported. It displays its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unsupported {
    /// An archive of RAR.
    Rar,
    /// What the old `compress` has written.
    Compress,
    /// A cabinet file.
    Cabinet,
    /// An archive of ARJ.
    Arj,
    /// An archive of LHA.
    Lha,
    /// What lzop has written.
    Lzop,
    /// An archive of ar, such as a Debian package.
    Ar,
    /// An archive of cpio.
    Cpio,
    /// An RPM package.
    Rpm,
    /// An archive of xar.
    Xar,
    /// A WIM image.
    Wim,
    /// A stream of zlib without gzip around it.
    Zlib,
    /// A program behind which there is no archive.
    Program,
    /// A frame of zstd that needs a dictionary from elsewhere.
    ZstdDictionary,
    /// A frame of lz4 that needs a dictionary from elsewhere.
    Lz4Dictionary,
    /// A frame of lz4 of another version.
    Lz4Version,
    /// A block of xz that takes more memory than the first one.
    XzMemory,
    /// A block of 7z in several streams, as BCJ2 writes it.
    SevenZipStreams,
    /// A method of 7z: its number.
    SevenZipMethod(u64),
    /// A method of zip: its number.
    ZipMethod(u16),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rar => "a RAR archive",
            Self::Compress => "what compress has written (.Z)",
            Self::Cabinet => "a cabinet file",
            Self::Arj => "an ARJ archive",
            Self::Lha => "an LHA archive",
            Self::Lzop => "what lzop has written",
            Self::Ar => "an ar archive or a Debian package",
            Self::Cpio => "a cpio archive",
            Self::Rpm => "an RPM package",
            Self::Xar => "a xar archive",
            Self::Wim => "a WIM image",
            Self::Zlib => "a bare zlib stream",
            Self::Program => "a program behind which no archive was found",
            Self::ZstdDictionary => "what zstd has compressed with a dictionary",
            Self::Lz4Dictionary => "what lz4 has compressed with a dictionary",
            Self::Lz4Version => "this version of lz4",
            Self::XzMemory => "a block of xz that takes more memory than the first",
            Self::SevenZipStreams => "a block of 7z in several streams, as BCJ2 writes it,",
            Self::SevenZipMethod(0x02_0302) => "the method SWAP2 of 7z",
            Self::SevenZipMethod(0x02_0304) => "the method SWAP4 of 7z",
            Self::SevenZipMethod(0x04_0105) => "the method Implode of 7z",
            Self::SevenZipMethod(0x04F7_1102) => "the method Brotli of 7z",
            Self::SevenZipMethod(0x04F7_1104) => "the method LZ4 of 7z",
            Self::SevenZipMethod(0x04F7_1105) => "the method LZ5 of 7z",
            Self::SevenZipMethod(0x04F7_1106) => "the method Lizard of 7z",
            Self::SevenZipMethod(_) => "an unknown method of 7z",
            Self::ZipMethod(1) => "the method Shrink of zip",
            Self::ZipMethod(2..=5) => "the method Reduce of zip",
            Self::ZipMethod(6) => "the method Implode of zip",
            Self::ZipMethod(94) => "the method MP3 of zip",
            Self::ZipMethod(96) => "the method JPEG of zip",
            Self::ZipMethod(97) => "the method WavPack of zip",
            Self::ZipMethod(_) => "an unknown method of zip",
        })
    }
}
