//! Archives of every kind, made by the libraries that read them or by others.

use std::io::{Cursor, Write};

/// The compressions, by their file extensions.
pub(crate) const COMPRESSIONS: [&str; 5] = ["gz", "zst", "xz", "bz2", "lz4"];

/// The containers, by their file extensions.
pub(crate) const CONTAINERS: [&str; 3] = ["tar", "zip", "7z"];

/// Compresses into one frame.
pub(crate) fn compress(ending: &str, bytes: &[u8]) -> Vec<u8> {
    match ending {
        "gz" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "zst" => zstd::encode_all(bytes, 1).unwrap(),
        "xz" => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "bz2" => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "lz4" => {
            let blocks = lz4_flex::frame::FrameInfo::new().block_size(lz4_flex::frame::BlockSize::Max64KB);
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(blocks, Vec::new());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => panic!("{ending}"),
    }
}

/// Compresses into one frame that takes a window of this many bytes, a power of two.
pub(crate) fn with_window(ending: &str, window: u32, bytes: &[u8]) -> Vec<u8> {
    match ending {
        "zst" => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window.ilog2()).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "xz" => {
            let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
            options.dict_size(window);
            let mut filters = liblzma::stream::Filters::new();
            filters.lzma2(&options);
            let stream = liblzma::stream::Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32).unwrap();
            let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => panic!("{ending}"),
    }
}

/// Packs members in this order.
pub(crate) fn pack(ending: &str, members: &[(&str, &[u8])]) -> Vec<u8> {
    match ending {
        "tar" => {
            let mut builder = tar::Builder::new(Vec::new());
            for (name, bytes) in members {
                tar_entry(&mut builder, name, bytes);
            }
            builder.into_inner().unwrap()
        }
        "zip" => zip(members, rawzip::CompressionMethod::DEFLATE),
        "7z" => {
            let mut writer = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
            for (name, bytes) in members {
                let entry = sevenz_rust2::ArchiveEntry::new_file(name);
                writer.push_archive_entry(entry, Some(*bytes)).unwrap();
            }
            writer.finish().unwrap().into_inner()
        }
        _ => panic!("{ending}"),
    }
}

pub(crate) fn tar_entry(builder: &mut tar::Builder<Vec<u8>>, name: &str, bytes: &[u8]) {
    let mut header = tar::Header::new_gnu();
    // The libraries refuse `..` in a name; an attacker does not.
    let field = &mut header.as_gnu_mut().unwrap().name;
    let len = name.len().min(field.len());
    field[..len].copy_from_slice(&name.as_bytes()[..len]);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    builder.append(&header, bytes).unwrap();
}

pub(crate) fn zip(members: &[(&str, &[u8])], method: rawzip::CompressionMethod) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, bytes) in members {
        let path = rawzip::path::EntryPath::verbatim(name.as_bytes());
        let (mut entry, config) = archive.new_file(path).compression_method(method).start().unwrap();
        let packed = match method {
            rawzip::CompressionMethod::STORE => bytes.to_vec(),
            rawzip::CompressionMethod::DEFLATE => {
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            rawzip::CompressionMethod::BZIP2 => compress("bz2", bytes),
            rawzip::CompressionMethod::ZSTD => compress("zst", bytes),
            rawzip::CompressionMethod::XZ => compress("xz", bytes),
            _ => panic!("{method}"),
        };
        let mut writer = config.wrap(std::io::sink());
        writer.write_all(bytes).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.write_all(&packed).unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}
