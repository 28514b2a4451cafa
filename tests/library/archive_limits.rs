//! What an archive may take: hostile ones, which unpack to much inside and to little outside, or want many windows at once.

use std::io::{Cursor, Write as _};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use liblzma::stream::{Filters, LzmaOptions, Stream};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use rawzip::CompressionMethod;
use sgf_stream::archive::{Name, Opener, Source, Trouble, Visit};

use crate::archive::{Log, assert_log, limits};
use crate::support::archives::{compress, pack, with_window, zip};

const GAME: &[u8] = b"(;B[aa])";

/// A method of 7z: its number, its properties, and how much it says it unpacks to.
type Method<'a> = (&'a [u8], &'a [u8], usize);

/// LZMA2 with a dictionary of 8 MiB.
const LZMA2: (&[u8], &[u8]) = (b"\x21", b"\x16");
const DICTIONARY: usize = 8 << 20;

fn number(number: usize) -> Vec<u8> {
    [&b"\xFF"[..], &(number as u64).to_le_bytes()].concat()
}

/// A 7z of one file, packed with methods of which the first is undone last.
fn seven(packed: &[u8], methods: &[Method<'_>]) -> Vec<u8> {
    let place = [&b"\x01\x04\x06\0\x01\x09"[..], &number(packed.len()), b"\0\x07\x0B\x01\0", &number(methods.len())];
    let mut header = place.concat();
    for (id, properties, _) in methods {
        header.push(id.len() as u8 | if properties.is_empty() { 0 } else { 0x20 });
        header.extend_from_slice(id);
        if !properties.is_empty() {
            header.push(properties.len() as u8);
            header.extend_from_slice(properties);
        }
    }
    for at in 1..methods.len() {
        header.extend_from_slice(&[at as u8 - 1, at as u8]);
    }
    header.push(0x0C);
    header.extend(methods.iter().flat_map(|(_, _, len)| number(*len)));
    header.extend_from_slice(b"\0\0\x05\x01\x11\x0D\0a\0.\0s\0g\0f\0\0\0\0\0");
    let numbers = [(packed.len() as u64).to_le_bytes(), (header.len() as u64).to_le_bytes()].concat();
    let first = [&numbers[..], &rawzip::crc32(&header).to_le_bytes()].concat();
    [&b"7z\xBC\xAF\x27\x1C\0\x04"[..], &rawzip::crc32(&first).to_le_bytes(), &first, packed, &header].concat()
}

fn lzma2(bytes: &[u8]) -> Vec<u8> {
    let mut filters = Filters::new();
    filters.lzma2(LzmaOptions::new_preset(1).unwrap().dict_size(DICTIONARY as u32));
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), Stream::new_raw_encoder(&filters).unwrap());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[track_caller]
fn refuses(opener: &Opener, bytes: &[u8], message: &str) {
    let found = Log::of(opener, bytes).0;
    assert!(found.len() == 1 && found[0].1 == format!("<{message}>"), "{found:?}");
}

#[test]
fn what_methods_of_a_7z_give_each_other_counts_as_unpacked() {
    let message = "it unpacks to over 100000 bytes: the rest is not read";
    let few = limits(|limits| limits.bytes = 100_000);
    let empty_block = b"\0\0\0\xFF\xFF";
    let stored = [&b"\x01\x08\0\xF7\xFF"[..], GAME].concat();
    for (method, inside) in [
        (&b"\x04\x02\x02"[..], [&compress("bz2", b"").repeat(20_000)[..], &compress("bz2", GAME)].concat()),
        (b"\x04\xF7\x11\x01", [&compress("zst", b"").repeat(20_000)[..], &compress("zst", GAME)].concat()),
        (b"\x04\x01\x08", [&empty_block.repeat(40_000)[..], &stored].concat()),
    ] {
        let bytes = seven(&lzma2(&inside), &[(method, b"", GAME.len()), (LZMA2.0, LZMA2.1, inside.len())]);
        assert!(bytes.len() < 1000, "{method:?}: {} bytes", bytes.len());
        assert_log(&bytes, &[("x!a.sgf", "(;B[aa])")]);
        refuses(&few, &bytes, message);
    }
}

#[test]
fn windows_of_all_methods_of_a_block_are_added_up() {
    let packed = lzma2(&lzma2(&lzma2(GAME)));
    let bytes = seven(&packed, &[GAME.len(), DICTIONARY, DICTIONARY].map(|len| (LZMA2.0, LZMA2.1, len)));
    let needed = GAME.len() + 2 * DICTIONARY;
    let allow = |window| limits(|limits| limits.window = window as u64);
    assert_eq!(Log::of(&allow(needed), &bytes).0, [("x!a.sgf".to_owned(), "(;B[aa])".to_owned())]);
    let message = format!("unpacking takes {needed} bytes of memory, and {} are allowed", needed - 1);
    refuses(&allow(needed - 1), &bytes, &message);
}

#[test]
fn windows_around_each_other_are_added_up() {
    let allow = |mib: u64| limits(|limits| limits.window = mib << 20);
    // Packed too long for a buffer: what is around it must not be over when it begins.
    let games = (0..30_000_u32).map(|number| format!("(;GN[{}])", number.wrapping_mul(0x9E37_79B9)));
    let text = games.collect::<Vec<_>>().concat();
    let log = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), text.clone())).collect::<Vec<_>>();
    let inner = with_window("zst", 2 << 20, text.as_bytes());
    assert!(inner.len() > 100_000);
    for ending in ["zst", "xz"] {
        let bytes = with_window(ending, 4 << 20, &inner);
        assert!(Log::of(&allow(6), &bytes).0 == log(&["x"]));
        refuses(&allow(5), &bytes, "unpacking takes 6291456 bytes of memory, and 5242880 are allowed");
    }
    // Little is always allowed.
    let bytes = with_window("xz", 192 << 20, &compress("bz2", GAME));
    assert_eq!(Log::of(&allow(192), &bytes).0, [("x".to_owned(), "(;B[aa])".to_owned())]);
    // One behind the other takes no more than each.
    assert!(Log::of(&allow(2), &inner.repeat(2)).0 == [("x".to_owned(), text.repeat(2))]);
    let bytes = zip(&[("a.sgf.zst", &inner[..]), ("b.sgf.zst", &inner)], CompressionMethod::XZ);
    let members = log(&["x!a.sgf.zst", "x!b.sgf.zst"]);
    assert!(Log::of(&allow(3), &bytes).0 == members);
    let found = Log::of(&allow(2), &bytes).0;
    let message = "<unpacking takes 3145728 bytes of memory, and 2097152 are allowed>";
    assert!(found.len() == 2 && found.iter().all(|(_, text)| text == message), "{found:?}");
    // A zip is read from its end: what it was packed in has done its work by then.
    assert!(Log::of(&allow(3), &with_window("zst", 2 << 20, &bytes)).0 == members);
}

/// A dictionary of 1 MiB, and then one of 192 MiB, which nobody was told of.
#[test]
fn a_later_block_of_xz_takes_little_more_memory_than_the_first() {
    let first = b"\xFD7zXZ\0\0\x01i\x22\xDE6\x02\0!\x01\x12\0\0\0#\xB8\x87,\x01\0\x07(;B[aa])\0\x9B\x88\xAEo";
    let second = b"\x02\0!\x01\x1F\0\0\0\xFE`\xED\xDE\x01\0\x07(;B[aa])\0\x9B\x88\xAEo";
    let end = b"\0\x02\x1C\x08\x1C\x08\0\0\xFE\xFE\x05\xA2>0\x0D\x8B\x02\0\0\0\0\x01YZ";
    let message = "a block of xz that takes more memory than the first is not read";
    assert_log(&[&first[..], second, end].concat(), &[("x", &format!("(;B[aa])<{message}>"))]);
}

/// The least that must be allowed to read it.
fn least(bytes: &[u8]) -> u64 {
    let is_read = |window: u64| {
        let mut log = Log::default();
        let opener = limits(|limits| limits.window = window);
        let _ = opener.visit("x", Source::stream(Cursor::new(bytes.to_vec())), &mut log);
        log.0.len() == 1 && log.0[0].1 == "(;B[aa])"
    };
    (0..10_000).find(|&window| is_read(window)).unwrap()
}

#[test]
fn tables_around_each_other_are_added_up() {
    let inner = pack("7z", &[("a.sgf", GAME)]);
    let outer = pack("7z", &[("a.7z", &inner)]);
    let (one, two) = (least(&inner), least(&outer));
    assert!(two > one * 3 / 2, "{one} and {two}");
}

/// Frames that are alike take the same buffers.
#[test]
fn frames_of_lz4_may_be_of_several_kinds() {
    let frame = |mode, size, sum, game: &[u8]| {
        let info = FrameInfo::new().block_mode(mode).block_size(size).content_checksum(sum);
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(game).unwrap();
        encoder.finish().unwrap()
    };
    let (mut frames, mut games) = (Vec::new(), String::new());
    for number in 0..60_usize {
        let mode = if number % 7 < 4 { BlockMode::Linked } else { BlockMode::Independent };
        let size = if number % 11 < 5 { BlockSize::Max64KB } else { BlockSize::Max4MB };
        let game = format!("(;GN[{number}])").repeat(if number % 5 == 0 { 20_000 } else { number % 3 });
        frames.push(frame(mode, size, number % 2 == 0, game.as_bytes()));
        games += &game;
    }
    assert_log(&frames.concat(), &[("x", &games)]);
    let three = [GAME, b"(;B[bb])", b"(;B[cc])"].map(|game| frame(BlockMode::Linked, BlockSize::Max4MB, true, game));
    let mut damaged = three.concat();
    let second = three[0].len() + three[1].len();
    damaged[second - 1] ^= 1;
    let found = Log::of(&Opener::new(), &damaged).0;
    assert!(found[0].1.starts_with("(;B[aa])(;B[bb])<") && found[1].1.contains("after the damage"), "{found:?}");
    // Before the mark at its end.
    let found = Log::of(&Opener::new(), &three.concat()[..second - 8]).0;
    assert_eq!(found, [("x".to_owned(), "(;B[aa])(;B[bb])<the last frame is cut off>".to_owned())]);
}

#[test]
fn unpacking_stops_even_where_nothing_is_wanted() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let tar = pack("tar", &[("a.txt", &vec![b' '; 4 << 20]), ("a.sgf", GAME)]);
    let bytes = compress("gz", &tar);
    let mut found = Vec::new();
    let opener = Opener::new().stopped_by(|| ASKED.fetch_add(1, Ordering::Relaxed) == 5);
    let _ = opener.visit("x", Source::stream(Cursor::new(bytes)), &mut Said(&mut found));
    assert_eq!(found, ["stopped"]);
    assert_eq!(ASKED.load(Ordering::Relaxed), 6, "once it is said, nobody asks");
}

/// What is reported, and that there are members.
struct Said<'a>(&'a mut Vec<String>);

impl Visit for Said<'_> {
    fn member(&mut self, name: &Name, _: &mut dyn std::io::Read) -> ControlFlow<()> {
        self.0.push(name.to_string());
        ControlFlow::Continue(())
    }

    fn trouble(&mut self, _: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.0.push(trouble.to_string());
        ControlFlow::Continue(())
    }
}
