//! Reading of archives by the library: intact, damaged and hostile ones.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Cursor, Read, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rawzip::CompressionMethod;
use sgf_stream::archive::{Limits, Members, Name, Opener, Picks, Skip, Source, Trouble, Visit};

use crate::fuzz_replay::archive::hand_on;
use crate::support::archives::{COMPRESSIONS, CONTAINERS, compress, pack, tar_entry, with_window, zip};
use crate::support::scratch;

/// The compression methods of zip entries.
const METHODS: [CompressionMethod; 5] = [
    CompressionMethod::STORE,
    CompressionMethod::DEFLATE,
    CompressionMethod::BZIP2,
    CompressionMethod::ZSTD,
    CompressionMethod::XZ,
];

/// What a visit reports, in order: names and contents of members, and messages.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Log(pub(crate) Vec<(String, String)>);

impl Visit for Log {
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let mut text = Vec::new();
        let end = bytes.read_to_end(&mut text);
        // Damaged data may unpack to any bytes.
        let mut text = String::from_utf8_lossy(&text).into_owned();
        if let Err(error) = end {
            write!(text, "<{error}>").unwrap();
        }
        self.0.push((name.to_string(), text));
        ControlFlow::Continue(())
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.0.push((name.to_string(), format!("<{trouble}>")));
        ControlFlow::Continue(())
    }
}

impl Log {
    pub(crate) fn by(members: Members) -> Self {
        let mut log = Self::default();
        hand_on(members, &mut log);
        log
    }

    /// What both faces report, which must be the same.
    #[track_caller]
    pub(crate) fn of(opener: &Opener, bytes: &[u8]) -> Self {
        let source = || Source::stream(Cursor::new(bytes.to_vec()));
        let mut log = Self::default();
        let _ = opener.visit("x", source(), &mut log);
        assert_eq!(Self::by(opener.members("x", source())), log);
        log
    }
}

#[track_caller]
pub(crate) fn assert_log(bytes: &[u8], expected: &[(&str, &str)]) {
    assert_log_by(&Opener::new(), bytes, expected);
}

#[track_caller]
fn assert_log_by(opener: &Opener, bytes: &[u8], expected: &[(&str, &str)]) {
    let found = Log::of(opener, bytes).0;
    let found: Vec<_> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
}

/// An empty directory of this test's own.
#[track_caller]
pub(crate) fn folder(name: &str) -> PathBuf {
    scratch::folder("archive", name)
}

pub(crate) fn limits(set: impl FnOnce(&mut Limits)) -> Opener {
    let mut limits = Limits::new();
    set(&mut limits);
    Opener::new().limits(limits)
}

#[test]
fn members_come_in_order_with_their_names() {
    let members = [("a.sgf", &b"(;B[aa])"[..]), ("readme", b"no"), ("d/b.mgt", b""), ("c.sgf", b"(;W[cc])")];
    let expected = [("x!a.sgf", "(;B[aa])"), ("x!d/b.mgt", ""), ("x!c.sgf", "(;W[cc])")];
    for container in CONTAINERS {
        assert_log(&pack(container, &members), &expected);
        for compression in COMPRESSIONS {
            assert_log(&compress(compression, &pack(container, &members)), &expected);
        }
    }
    for method in METHODS {
        assert_log(&zip(&members, method), &expected);
    }
    assert_log(b"(;B[aa])", &[("x", "(;B[aa])")]);
    assert_log(b"", &[("x", "")]);
}

#[test]
fn bare_lzma_is_recognised_by_its_header() {
    let options = liblzma::stream::LzmaOptions::new_preset(6).unwrap();
    let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(&pack("tar", &[("a.sgf", b"(;B[aa])")])).unwrap();
    let bytes = encoder.finish().unwrap();
    assert_log(&bytes, &[("x!a.sgf", "(;B[aa])")]);
    assert_log(&[&bytes[..], &bytes].concat(), &[("x!a.sgf", "(;B[aa])"), ("x!a.sgf", "(;B[aa])")]);
    assert_log(b"]\0\0 (;B[aa])", &[("x", "]\0\0 (;B[aa])")]);
}

#[test]
fn lzip_members_are_concatenated() {
    let lzip = |bytes: &[u8]| {
        let mut filters = liblzma::stream::Filters::new();
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        options.dict_size(1 << 16);
        filters.lzma1(&options);
        let stream = liblzma::stream::Stream::new_raw_encoder(&filters).unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(b"LZIP\x01\x10".to_vec(), stream);
        encoder.write_all(bytes).unwrap();
        let mut member = encoder.finish().unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        member.extend(crc.sum().to_le_bytes());
        member.extend((bytes.len() as u64).to_le_bytes());
        member.extend((member.len() as u64 + 8).to_le_bytes());
        member
    };
    let packed = lzip(&pack("tar", &[("a.sgf", b"(;B[aa])")]));
    assert_log(&packed, &[("x!a.sgf", "(;B[aa])")]);
    let [one, two] = [lzip(b"(;B[aa])"), lzip(b"(;B[bb])")];
    assert_log(&[&one[..], &two].concat(), &[("x", "(;B[aa])(;B[bb])")]);
    assert_log(
        &[&one[..], b"more"].concat(),
        &[("x", "(;B[aa])"), ("x", "<4 bytes after the end of the archive were ignored>")],
    );
    let small = limits(|limits| limits.window = 1 << 15);
    assert_log_by(&small, &one, &[("x", "<unpacking takes 65536 bytes of memory, and 32768 are allowed>")]);
    // As much as 7-Zip takes at its highest level, and twice that.
    let wide = |bits| [&one[..5], &[bits], &one[6..]].concat();
    assert_log(&wide(28), &[("x", "(;B[aa])")]);
    assert!(Log::of(&Opener::new(), &wide(29)).0[0].1.starts_with("<unpacking takes 536870912 bytes"));
}

/// A source that fails.
struct Torn;

impl Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("torn"))
    }
}

#[test]
fn a_file_named_as_packed_that_is_not_is_reported_unless_it_begins_with_a_game() {
    let message = "<named like a compressed file, but the contents are not: empty, cut off, or another kind>";
    let log = |name: &str, bytes: &[u8]| {
        let mut log = Log::default();
        let _ = Opener::new().visit(name, Source::stream(Cursor::new(bytes.to_vec())), &mut log);
        log.0.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    for (name, bytes) in [("a.zip", ""), ("a.sgf.gz", "\x1F"), ("a.7z.001", "7z"), ("june.tar", "<html>")] {
        assert_eq!(log(name, bytes.as_bytes()), [message], "{name}");
    }
    assert_eq!(log("a.sgf.gz", b"(;B[aa])"), ["(;B[aa])"]);
    assert_eq!(log("a.zip", b"PKxx(;B[aa])"), ["PKxx(;B[aa])"], "printable text");
    assert_eq!(log("a.zip", b"PK\x03\x05\x14\0(;"), [message], "binary");
    assert_eq!(log("a.sgf", b""), [""]);
    assert_eq!(log("a.sgf.gz", &compress("gz", b"")), [""], "compressed and empty");
    assert_eq!(log("-", &pack("tar", &[("b.sgf.xz", b"\x1F"), ("c.sgf", b"(;)")])), [message, "(;)"]);
    // What could not be read may have been anything.
    let mut failing = Log::default();
    let _ = Opener::new().visit("a.zip", Source::stream(b"PK".chain(Torn)), &mut failing);
    assert_eq!(failing.0, [("a.zip".to_owned(), "<torn>".to_owned())]);
}

#[test]
fn volumes_in_an_archive_are_reported() {
    let whole = pack("7z", &[("a.sgf", &b"(;B[aa])".repeat(100))]);
    let (first, second) = whole.split_at(whole.len() / 2);
    assert_log(
        &pack("tar", &[("g.7z.001", first), ("g.7z.002", second)]),
        &[("x!g.7z.001", "<a volume inside an archive, which is not joined to the others: unpack them first>")],
    );
}

#[test]
fn a_tar_without_its_end_mark_is_reported() {
    let whole = pack("tar", &[("a.sgf", b"1"), ("b.sgf", b"2")]);
    let message = "<the mark that ends the archive is missing: it may have been cut off>";
    assert_log(&whole[..1024], &[("x!a.sgf", "1"), ("x", message)]);
    assert_log(&whole[..2048], &[("x!a.sgf", "1"), ("x!b.sgf", "2"), ("x", message)]);
    assert_log(&whole[..2560], &[("x!a.sgf", "1"), ("x!b.sgf", "2")]);
}

#[test]
fn legacy_lz4_frames_are_concatenated() {
    let frame = |bytes: &[u8]| {
        let block = lz4_flex::block::compress(bytes);
        [&b"\x02\x21\x4C\x18"[..], &(block.len() as u32).to_le_bytes(), &block].concat()
    };
    let [one, two] = [frame(&b"(;B[aa])".repeat(9)), frame(b"(;)")];
    let all = format!("{}(;)(;)(;W[bb])", "(;B[aa])".repeat(9));
    assert_log(&[&one[..], &two, &two, &compress("lz4", b"(;W[bb])")].concat(), &[("x", &all)]);
}

#[test]
fn members_behind_damage_in_a_7z_are_counted() {
    let games: Vec<(String, Vec<u8>)> = (0..30_u32)
        .map(|number| {
            let text =
                (0..200_u32).flat_map(|at| (number * 200 + at).wrapping_mul(0x9E37_79B9).to_string().into_bytes());
            (format!("{number}.sgf"), text.collect())
        })
        .collect();
    let mut writer = sevenz_rust2::ArchiveWriter::new(Cursor::new(Vec::new())).unwrap();
    let entries = games.iter().map(|(name, _)| sevenz_rust2::ArchiveEntry::new_file(name)).collect();
    let readers = games.iter().map(|(_, bytes)| sevenz_rust2::SourceReader::new(&bytes[..])).collect();
    writer.push_archive_entries(entries, readers).unwrap();
    let mut packed = writer.finish().unwrap().into_inner();
    let middle = packed.len() / 2;
    packed[middle..middle + 20].fill(b'X');
    let skipped = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let counted = std::sync::Arc::clone(&skipped);
    let opener = Opener::new().skipped(move |name, why| counted.lock().unwrap().push((name.to_string(), why)));
    let mut log = Log::default();
    let _ = opener.visit("x", Source::stream(Cursor::new(packed)), &mut log);
    let skipped = skipped.lock().unwrap();
    assert!(skipped.iter().all(|(_, why)| *why == Skip::Behind) && skipped.len() > 5, "{skipped:?}");
    let (_, last) = log.0.pop().unwrap();
    assert_eq!(last, format!("<{} members are not read because of that>", skipped.len()));
    assert_eq!(skipped.len() + log.0.len(), 30, "each member is read, begun or counted as skipped");
}

#[test]
fn a_hard_link_in_a_tar_is_reported_and_not_read() {
    let mut builder = tar::Builder::new(Vec::new());
    tar_entry(&mut builder, "a.sgf", b"(;)");
    for name in ["b.sgf", "b.txt"] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Link);
        header.set_size(0);
        builder.append_link(&mut header, name, "a.sgf").unwrap();
    }
    let packed = builder.into_inner().unwrap();
    assert_log(&packed, &[("x!a.sgf", "(;)"), ("x!b.sgf", "<a hard link to a.sgf, and not read a second time>")]);
    // The entry was read, though the header after it is lost.
    let damaged = [&packed[..1024], &[7; 512], &packed[1024..]].concat();
    let lost = "<damaged archive: no valid entry at byte 1024; skipped 512 bytes, \
                resumed at byte 1536 with b.sgf>";
    let link = ("x!b.sgf", "<a hard link to a.sgf, and not read a second time>");
    assert_log(&damaged, &[("x!a.sgf", "(;)"), ("x", lost), link]);
}

#[test]
fn a_hard_link_to_what_is_not_read_is_an_error() {
    let mut builder = tar::Builder::new(Vec::new());
    tar_entry(&mut builder, "a.bak", b"(;)");
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Link);
    header.set_size(0);
    builder.append_link(&mut header, "b.sgf", "./a.bak").unwrap();
    builder.append_link(&mut header, "c.sgf", "gone.sgf").unwrap();
    builder.append_link(&mut header, "d.sgf", "b.sgf").unwrap();
    let packed = builder.into_inner().unwrap();
    let unread = [
        ("x!b.sgf", "<a hard link to ./a.bak, which is not read>"),
        ("x!c.sgf", "<a hard link to gone.sgf, which is not read>"),
        ("x!d.sgf", "<a hard link to b.sgf, which is not read>"),
    ];
    assert_log(&packed, &unread);
}

#[test]
fn concatenated_tars_are_all_read() {
    let tars = [pack("tar", &[("a.sgf", b"1")]), pack("tar", &[("b.sgf", b"2")])].concat();
    assert_log(&tars, &[("x!a.sgf", "1"), ("x!b.sgf", "2")]);
}

#[test]
fn bytes_behind_a_7z_are_read_or_reported() {
    let [a, b] = [pack("7z", &[("a.sgf", b"1")]), pack("7z", &[("b.sgf", b"2")])];
    assert_log(&[&a[..], &b, &a].concat(), &[("x!a.sgf", "1"), ("x!b.sgf", "2"), ("x!a.sgf", "1")]);
    assert_log(
        &[&a[..], b"more"].concat(),
        &[("x!a.sgf", "1"), ("x", "<4 bytes after the end of the archive were ignored>")],
    );
    assert_log(&[&a[..], &b[..20]].concat(), &[("x!a.sgf", "1"), ("x", "<damaged archive: it is cut off>")]);
}

#[test]
fn skipped_members_are_reported_and_counted() {
    use std::sync::{Arc, Mutex};

    let root = folder("passed");
    let long = vec![b' '; 300_000];
    let members = [("a.sgf", &b"(;)"[..]), ("readme", &long), ("d/old.sgf", b"(;)"), ("d/c.mgt", b"")];
    for container in CONTAINERS {
        let bytes = pack(container, &members);
        let path = root.join(format!("x.{container}"));
        fs::write(&path, &bytes).unwrap();
        let (read, skipped) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (counter, list) = (Arc::clone(&read), Arc::clone(&skipped));
        let opener = Opener::new()
            .picks(Picks::new().not(["old*"]).unwrap())
            .counted(move |len| *counter.lock().unwrap() += len)
            .skipped(move |name, why| list.lock().unwrap().push((name.member().unwrap().to_owned(), why)));
        let names =
            Log::by(opener.open(&path)).0.into_iter().map(|(name, _)| name.rsplit_once('!').unwrap().1.to_owned());
        assert_eq!(names.collect::<Vec<_>>(), ["a.sgf", "d/c.mgt"]);
        assert_eq!(*read.lock().unwrap(), bytes.len() as u64, "{container}: every byte counts");
        let expected = [("readme".to_owned(), Skip::Name), ("d/old.sgf".to_owned(), Skip::Excluded)];
        assert_eq!(*skipped.lock().unwrap(), expected, "{container}");
    }
}

/// Waits, once so much of it was read, until it is let go, and counts how often it is read after that.
struct Gate {
    bytes: Cursor<Vec<u8>>,
    wait: Option<mpsc::Receiver<()>>,
    reads: Arc<AtomicUsize>,
    _gone: mpsc::Sender<()>,
}

impl Read for Gate {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.position() >= 100_000 {
            if let Some(wait) = self.wait.take() {
                wait.recv().unwrap();
            }
            self.reads.fetch_add(1, Ordering::Relaxed);
        }
        let most = buffer.len().min(16 << 10);
        self.bytes.read(&mut buffer[..most])
    }
}

/// What is skipped has nobody who would refuse it.
#[test]
fn dropping_the_members_ends_what_unpacks_them() {
    let random = (0..500_000_u64).flat_map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes()).collect::<Vec<_>>();
    let tar = pack("tar", &[("a.sgf", b"(;B[aa])"), ("b.bin", &random), ("c.sgf", b"(;)")]);
    for bytes in [compress("gz", &tar), tar] {
        let (reads, (open, wait), (gone, is_gone)) = (Arc::default(), mpsc::channel(), mpsc::channel());
        let bytes = Cursor::new(bytes);
        let gate = Gate { bytes, wait: Some(wait), reads: Arc::clone(&reads), _gone: gone };
        let mut members = Opener::new().members("x", Source::stream(gate));
        assert_eq!(members.next_member().unwrap().unwrap().name().as_str(), "x!a.sgf");
        drop(members);
        open.send(()).unwrap();
        assert!(is_gone.recv().is_err());
        // There are hundreds.
        assert!(reads.load(Ordering::Relaxed) < 20, "{reads:?}");
    }
}

/// Manual pages and change logs are not full of games.
#[test]
fn what_is_only_compressed_is_read_if_a_game_begins_in_it() {
    use std::sync::{Arc, Mutex};

    let page = compress("gz", b".TH A 1\n(;B[no])");
    let wide = compress("xz", b"\xFF\xFE(\0;\0C\0[\0]\0)\0");
    let members = [
        ("1998.06.xz", &wide[..]),
        ("a.3pm.gz", &page),
        ("b.sgf.gz", &compress("gz", b"x(;)")),
        ("c.1.gz", &compress("gz", b"")),
        ("changelog.gz", &compress("gz", b"(see [1])\n(;B[no])")),
        ("cut.1.gz", &page[..11]),
        ("d.1.gz", &compress("gz", &pack("tar", &[("e.sgf", b"(;W[ee])"), ("f.gz", &page)]))),
        ("games.gz", &compress("gz", b"\r\n ( ;B[aa])")),
        ("h.1.gz", b"(see [1])\n(;B[no])"),
    ];
    let expected = [
        "1998.06.xz \u{FFFD}\u{FFFD}(\0;\0C\0[\0]\0)\0",
        "b.sgf.gz x(;)",
        "c.1.gz ",
        "cut.1.gz <incomplete gzip stream>",
        "d.1.gz!e.sgf (;W[ee])",
        "games.gz \r\n ( ;B[aa])",
    ];
    let root = folder("only_compressed");
    for (name, bytes) in members {
        fs::create_dir_all(root.join("files")).unwrap();
        fs::write(root.join("files").join(name), bytes).unwrap();
    }
    for container in CONTAINERS {
        fs::write(root.join(container), pack(container, &members)).unwrap();
    }
    for name in [&["files"][..], &CONTAINERS].concat() {
        let skipped = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&skipped);
        let opener = Opener::new().skipped(move |name, why| list.lock().unwrap().push((name.to_string(), why)));
        let path = root.join(name);
        let bare = |name: &str| name[path.to_str().unwrap().len() + 1..].to_owned();
        let found = Log::by(opener.open(&path)).0;
        let found: Vec<_> = found.into_iter().map(|(name, text)| format!("{} {text}", bare(&name))).collect();
        assert_eq!(found, expected, "{name}");
        let left = skipped.lock().unwrap().iter().map(|(name, why)| (bare(name), *why)).collect::<Vec<_>>();
        let names = ["a.3pm.gz", "changelog.gz", "d.1.gz!f.gz", "h.1.gz"];
        assert_eq!(left, names.map(|name| (name.to_owned(), Skip::Name)), "{name}");
        // What a caller names, or a pattern chooses, is read whatever it is.
        let picked = Opener::new().picks(Picks::new().only(["a.*"]).unwrap());
        let found = Log::by(picked.open(&path)).0;
        assert_eq!((bare(&found[0].0).as_str(), found[0].1.as_str()), ("a.3pm.gz", ".TH A 1\n(;B[no])"), "{name}");
    }
    let found = Log::by(Opener::new().open(root.join("files/a.3pm.gz"))).0;
    assert_eq!(found[0].1, ".TH A 1\n(;B[no])");
}

#[test]
fn a_pattern_holds_for_game_files_with_names_of_archives() {
    let root = folder("as_archives");
    for (name, bytes) in [
        ("a.sgf", &b"(;B[aa])"[..]),
        ("b.zip", b"(;B[bb])"),
        ("c.tgz", &compress("gz", b"(;B[cc])")),
        ("d.tgz", &compress("gz", &pack("tar", &[("a.sgf", b"(;B[dd])"), ("e.zip", b"(;B[ee])")]))),
        ("f.zip", b""),
    ] {
        fs::write(root.join(name), bytes).unwrap();
    }
    let opener = Opener::new().picks(Picks::new().only(["a.sgf"]).unwrap());
    let texts =
        |path: &str| Log::by(opener.open(root.join(path))).0.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    let empty = "<named like a compressed file, but the contents are not: empty, cut off, or another kind>";
    assert_eq!(texts(""), ["(;B[aa])", "(;B[dd])", empty]);
    // Whoever names one means it.
    assert_eq!(texts("b.zip"), ["(;B[bb])"]);
    assert_eq!(texts("c.tgz"), ["(;B[cc])"]);
}

#[test]
fn one_member_of_an_archive_can_be_read() {
    let log = |opener: &Opener, bytes: &[u8], member: &str| {
        let mut log = Log::default();
        let _ = opener.visit("x", Source::stream(Cursor::new(bytes.to_vec())).member(member), &mut log);
        log.0
    };
    for (outer, inner) in CONTAINERS.iter().flat_map(|outer| CONTAINERS.map(|inner| (*outer, inner))) {
        let inside = pack(inner, &[("c.sgf", b"(;B[cc])"), ("d.txt", b"(;B[dd])"), ("e.sgf", b"(;B[ee])")]);
        let members = [("a.sgf", &b"(;B[aa])"[..]), ("b", &inside), ("b!c.sgf", b"(;)"), ("f.1.gz", b"no")];
        let bytes = pack(outer, &members);
        for (member, expected) in [
            ("a.sgf", &[("x!a.sgf", "(;B[aa])")][..]),
            ("b!c.sgf", &[("x!b!c.sgf", "(;B[cc])"), ("x!b!c.sgf", "(;)")]),
            ("b!d.txt", &[("x!b!d.txt", "(;B[dd])")]),
            ("b", &[("x!b!c.sgf", "(;B[cc])"), ("x!b!e.sgf", "(;B[ee])")]),
            ("g.sgf", &[("x", "<no such SGF member: g.sgf>")]),
            ("a.sgf!c", &[("x", "<no such SGF member: a.sgf!c>")]),
            ("*.sgf", &[("x", "<no such SGF member: *.sgf>")]),
        ] {
            let found = log(&Opener::new(), &bytes, member);
            let found: Vec<_> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            assert_eq!(found, expected, "{outer} of {inner}, {member}");
        }
        // Of an archive that is named, patterns choose; a file that is named is read.
        let picked = Opener::new().picks(Picks::new().only(["d.*"]).unwrap());
        assert_eq!(log(&picked, &bytes, "b"), [("x!b!d.txt".to_owned(), "(;B[dd])".to_owned())]);
        assert_eq!(log(&picked, &bytes, "a.sgf"), [("x!a.sgf".to_owned(), "(;B[aa])".to_owned())]);
    }
    let message = "<no such SGF member: a.sgf>".to_owned();
    assert_eq!(log(&Opener::new(), b"(;B[aa])", "a.sgf"), [("x".to_owned(), message)]);
}

#[test]
fn names_are_escaped_and_never_used_as_paths() {
    let mut builder = tar::Builder::new(Vec::new());
    for name in ["../../etc/a.sgf", "/b.sgf", "\u{1b}[31m\n.sgf", "C:\\c.sgf"] {
        tar_entry(&mut builder, name, b"");
    }
    let expected = [("x!../../etc/a.sgf", ""), ("x!/b.sgf", ""), ("x!\\u{1b}[31m\\n.sgf", ""), ("x!C:\\c.sgf", "")];
    assert_log(&builder.into_inner().unwrap(), &expected);
    let members = [("../a.sgf", &b"1"[..]), ("b\u{202E}.sgf", b"2")];
    assert_log(&zip(&members, CompressionMethod::STORE), &[("x!../a.sgf", "1"), ("x!b\\u{202e}.sgf", "2")]);
}

#[test]
fn unsupported_and_broken_archives_are_reported() {
    for (bytes, message) in [
        (&b"Rar!\x1A\x07\x01\0"[..], "<a RAR archive is not read>"),
        (b"7z\xBC\xAF\x27\x1C\0\x04", "<damaged archive: it is cut off>"),
        (b"PK\x03\x04", "<damaged archive: it is cut off>"),
        (b"!<arch>\ndebian-binary   (;B[pd])", "<an ar archive or a Debian package is not read>"),
        (b"\xED\xAB\xEE\xDB\x03\0\0\0(;B[pd])", "<an RPM package is not read>"),
        (&[&b"070701"[..], &[b'0'; 104], b"a.sgf\0(;B[pd])"].concat(), "<a cpio archive is not read>"),
    ] {
        assert_log(bytes, &[("x", message)]);
    }
    assert_log(&pack("tar", &[("readme", b"no")]), &[("x", "<no .sgf file in it>")]);
}

#[test]
fn damage_costs_one_member_of_a_zip() {
    let mut bytes = zip(&[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])")], CompressionMethod::STORE);
    let at = bytes.windows(4).position(|bytes| bytes == b"[aa]").unwrap();
    bytes[at + 1] = b'z';
    assert_log(&bytes, &[("x!a.sgf", "(;B[za])<the checksum is wrong>"), ("x!b.sgf", "(;B[bb])")]);
}

#[test]
fn a_zip_without_its_table_is_read_by_its_local_headers() {
    let inner = zip(&[("x.sgf", b"(;C[inside])")], CompressionMethod::STORE);
    let members = [("a.sgf", &b"(;B[aa])"[..]), ("readme", b"no"), ("c.zip", &inner), ("b.sgf", b"(;B[bb])")];
    let entry = |(name, text): (&str, &str)| (format!("x!{name}"), text.to_owned());
    let all = [("a.sgf", "(;B[aa])"), ("c.zip!x.sgf", "(;C[inside])"), ("b.sgf", "(;B[bb])")].map(entry);
    let cut_off = ("x".to_owned(), "<damaged archive: it is cut off>".to_owned());
    for method in METHODS {
        let whole = zip(&members, method);
        let table: Vec<usize> = memchr::memmem::find_iter(&whole, b"PK\x01\x02").collect();
        let table = table[table.len() - members.len()];
        let mut found = Log::of(&Opener::new(), &whole[..table]).0;
        assert_eq!(found.pop(), Some(cut_off.clone()));
        assert_eq!(found, all, "{method}");
        let mut found = Log::of(&Opener::new(), &whole[..table - 20]).0;
        assert_eq!(found.pop(), Some(cut_off.clone()));
        assert_eq!(found[..2], all[..2], "{method}, b.sgf cut off");
        assert_eq!(found.len(), 3, "{method}: the beginning of b.sgf");
    }
}

/// An entry as written by a program that knows the lengths beforehand.
fn stored(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut entry = b"PK\x03\x04\x0A\0\0\0\0\0\0\0\0\0".to_vec();
    entry.extend(rawzip::crc32(bytes).to_le_bytes());
    for len in [bytes.len(), bytes.len()] {
        entry.extend((len as u32).to_le_bytes());
    }
    entry.extend((name.len() as u16).to_le_bytes());
    entry.extend([0, 0]);
    [&entry, name.as_bytes(), bytes].concat()
}

/// A table of contents and its end, in which every entry is the one at the beginning.
fn table_of_one(count: u16, entry: &[u8]) -> Vec<u8> {
    let name = &entry[30..30 + usize::from(entry[26])];
    let mut table = Vec::new();
    for _ in 0..count {
        table.extend(b"PK\x01\x02\x0A\0");
        table.extend(&entry[4..30]);
        table.extend([0; 14]);
        table.extend(name);
    }
    let len = table.len() as u32;
    table.extend(b"PK\x05\x06\0\0\0\0");
    table.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    table.extend([len.to_le_bytes(), (entry.len() as u32).to_le_bytes()].concat());
    table.extend([0, 0]);
    table
}

#[test]
fn a_stored_entry_that_is_listed_again_counts_as_unpacked() {
    let game = "(;C[0123456789])";
    let entry = stored("a.sgf", game.as_bytes());
    let opener = limits(|limits| limits.bytes = 2 * game.len() as u64);
    let three = [&entry[..], &table_of_one(3, &entry)].concat();
    assert_log_by(&opener, &three, &[("x!a.sgf", game); 3]);
    let four = [&entry[..], &table_of_one(4, &entry)].concat();
    let refused = ("x!a.sgf", "<it unpacks to over 32 bytes: the rest is not read>");
    assert_log_by(&opener, &four, &[("x!a.sgf", game), ("x!a.sgf", game), ("x!a.sgf", game), refused]);
}

/// The system takes no place beyond 2^63, and calls it an error of its own. It is damage like any other.
#[test]
fn a_place_that_no_file_has_is_damage() {
    let root = folder("far");
    let game = stored("a.sgf", b"(;B[aa])");
    let log = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::write(&path, bytes).unwrap();
        let log = Log::by(Opener::new().open(&path)).0;
        let front = path.display().to_string();
        log.into_iter().map(|(name, text)| (name.replace(&front, "x"), text)).collect::<Vec<_>>()
    };
    let message = |name: &str| (name.to_owned(), "<damaged archive: it is cut off>".to_owned());

    // The table has the entry there.
    let mut table = b"PK\x01\x02\x2D\0\x2D\0".to_vec();
    table.extend(&game[6..28]);
    table.extend([12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    table.extend([0xFF; 4]);
    table.extend(b"a.sgf\x01\0\x08\0");
    table.extend(((1_u64 << 63) + 5).to_le_bytes());
    let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
    end.extend([table.len() as u32, game.len() as u32].map(u32::to_le_bytes).concat());
    end.extend([0, 0]);
    assert_eq!(log("table.zip", &[&game[..], &table, &end].concat()), [message("x!a.sgf")]);

    // There is no table, and the next entry would be there.
    let mut large = game[..18].to_vec();
    large.extend([0xFF; 8]);
    large.extend(b"\x05\0\x14\0a.sgf\x01\0\x10\0");
    large.extend([(u64::MAX - 1).to_le_bytes(); 2].concat());
    large.extend(b"(;B[aa])");
    let read = ("x!a.sgf".to_owned(), "(;B[aa])<it is cut off>".to_owned());
    assert_eq!(log("entry.zip", &large), [read, message("x")]);
}

/// Entries that state no length, each with what looks like the end of another. If each searched to the end, this would take
/// minutes.
#[test]
fn entries_without_an_end_take_linear_time() {
    let mut entry = stored("a.sgf", b"");
    entry[6] = 8;
    for followed in [0, 50] {
        let one = [&entry[..], &b"PK\x07\x08".repeat(followed)].concat();
        let bytes = one.repeat(2_000_000 / one.len());
        let mut count = 0;
        let _ = Opener::new().visit("x", Source::stream(&bytes[..]), &mut Count(&mut count));
        assert!(count as usize > bytes.len() / one.len());
    }
}

#[test]
fn a_damaged_entry_of_a_zip_without_a_table_costs_no_other() {
    let nested = stored("inner.sgf", b"(;not an entry of its own)");
    let mut bytes = [stored("a.sgf", b"(;B[aa])"), stored("readme", &nested), stored("b.sgf", b"(;B[bb])")].concat();
    let message = ("x", "<damaged archive: it is cut off>");
    assert_log(&bytes, &[("x!a.sgf", "(;B[aa])"), ("x!b.sgf", "(;B[bb])"), message]);
    let text = memchr::memmem::find(&bytes, b"[aa]").unwrap();
    bytes[text + 1] = b'z';
    let log = [("x!a.sgf", "(;B[za])<the checksum is wrong>"), ("x!b.sgf", "(;B[bb])"), message];
    assert_log(&bytes, &log);
    // Garbage between two entries, and a broken header after the last.
    let header = memchr::memmem::rfind(&bytes, b"PK").unwrap();
    let damaged = [&bytes[..header], &vec![0; 70_000], &bytes[header..], b"PK\x03\x04 and so on"].concat();
    let lost = ("x", "<damaged archive: skipped 70000 bytes between its entries>");
    assert_log(&damaged, &[log[0], log[1], lost, message]);
    let cut = &bytes[..bytes.len() - 3];
    assert_log(cut, &[log[0], ("x!b.sgf", "(;B[b<it is cut off>"), message]);
}

/// The end of a zip with a zip64 record that it does not need: every number also stands in the old record.
fn with_large_end(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.len() - 22;
    let (body, old) = bytes.split_at(end);
    let [len, offset] = [12, 16].map(|at| u32::from_le_bytes(old[at..at + 4].try_into().unwrap()));
    let count = u64::from(u16::from_le_bytes([old[10], old[11]]));
    let mut large = b"PK\x06\x06".to_vec();
    large.extend(44_u64.to_le_bytes());
    large.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for number in [count, count, len.into(), offset.into(), 0x0706_4B50] {
        large.extend(number.to_le_bytes());
    }
    large.extend((end as u64).to_le_bytes());
    large.extend(1_u32.to_le_bytes());
    [body, &large, old].concat()
}

#[test]
fn a_zip_may_have_a_zip64_end_that_it_does_not_need() {
    let members = [("a.sgf", &b"(;B[aa])"[..]), ("b.sgf", b"(;B[bb])")];
    let all = [("x!a.sgf", "(;B[aa])"), ("x!b.sgf", "(;B[bb])")];
    let whole = with_large_end(&zip(&members, CompressionMethod::DEFLATE));
    assert_log(&whole, &all);
    // Only the number of entries does not fit the old record.
    let mut many = whole.clone();
    let end = many.len() - 22;
    many[end + 8..end + 12].fill(0xFF);
    assert_log(&many, &all);
}

#[test]
fn a_zip_may_stand_behind_other_bytes_or_another_zip() {
    let root = folder("behind");
    let small = zip(&[("a.sgf", b"(;B[aa])")], CompressionMethod::DEFLATE);
    for own in [small.clone(), with_large_end(&small)] {
        for front in [&b"MZ\0 a program"[..], b"#!/bin/sh\nunzip $0\n", b"\0\x01\x02", b"(;not a game\0\0"] {
            let path = root.join("x");
            fs::write(&path, [front, &own].concat()).unwrap();
            let name = format!("{}!a.sgf", path.display());
            assert_eq!(Log::by(Opener::new().open(&path)).0, [(name, "(;B[aa])".to_owned())], "{front:?}");
        }
        // A pipe finds a zip behind a program; behind a script it is plain text.
        assert_log(&[b"MZ\0 a program", &own[..]].concat(), &[("x!a.sgf", "(;B[aa])")]);
        assert_log(b"#!/bin/sh\n(;B[aa])", &[("x", "#!/bin/sh\n(;B[aa])")]);
        let other = zip(&[("b.sgf", b"(;B[bb])")], CompressionMethod::STORE);
        assert_log(
            &[&other[..], &own, &other].concat(),
            &[("x!b.sgf", "(;B[bb])"), ("x!a.sgf", "(;B[aa])"), ("x!b.sgf", "(;B[bb])")],
        );
    }
    // Text before a zip header is text.
    assert_log(&[b"(;B[aa])", &small[..4]].concat(), &[("x", "(;B[aa])PK\x03\x04")]);
}

#[test]
fn one_part_of_a_split_zip_is_not_read() {
    let root = folder("parts");
    let message = "<a zip in several files: join them first>";
    let whole = zip(&[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])")], CompressionMethod::DEFLATE);
    let table = memchr::memmem::find(&whole, b"PK\x01\x02").unwrap();
    let mut last = whole[table - 9..].to_vec();
    let end = last.len() - 22;
    last[end + 4..end + 8].copy_from_slice(&[1, 0, 1, 0]);
    let first = [b"PK\x07\x08", &whole[..table - 9]].concat();
    // The last part may begin with an entry, and then its table is where it says.
    let second = memchr::memmem::find_iter(&whole, b"PK\x03\x04").nth(1).unwrap();
    let mut even = whole[second..].to_vec();
    let end = even.len() - 22;
    even[end + 4..end + 8].copy_from_slice(&[1, 0, 1, 0]);
    even[end + 16..end + 20].copy_from_slice(&((table - second) as u32).to_le_bytes());
    let entry = memchr::memmem::rfind(&even, b"PK\x01\x02").unwrap();
    even[entry + 34] = 1;
    even[entry + 42..entry + 46].fill(0);
    let missing = format!("<the volume {} is missing>", root.join("x.zip").display());
    let of_all = "<a part of {}, a zip in several files: join them first>";
    let of_all = of_all.replace("{}", &root.join("x.zip").display().to_string());
    for (name, bytes, message) in [
        ("x.z01", &first, &missing[..]),
        ("x.z02", &last[..9].to_vec(), &missing),
        ("x.zip", &last, message),
        ("x.z01", &first, &of_all),
        ("y", &last[9..].to_vec(), message),
        ("even.zip", &even, message),
    ] {
        let path = root.join(name);
        fs::write(&path, bytes).unwrap();
        let expected = [(path.display().to_string(), message.to_owned())];
        assert_eq!(Log::by(Opener::new().open(&path)).0, expected, "{name}");
    }
    // Of a game with such a name nothing is missing.
    fs::write(root.join("game.z01"), "(;B[aa])").unwrap();
    assert_eq!(Log::by(Opener::new().open(root.join("game.z01"))).0[0].1, "(;B[aa])");
}

/// In a directory they are found, so that this is said.
#[test]
fn a_later_volume_without_the_first_is_an_error() {
    let root = folder("orphans");
    let path = |name: &str| root.join(name).display().to_string();
    for name in ["g.7z.002", "g.7z.003", "s.z02"] {
        fs::write(root.join(name), b"\x01\x02(;B[aa])\xFF").unwrap();
    }
    for name in ["g.txt.002", "1985.002"] {
        fs::write(root.join(name), b"nothing").unwrap();
    }
    let missing = |name: &str, first: &str| (path(name), format!("<the volume {} is missing>", path(first)));
    let expected = [missing("g.7z.002", "g.7z.001"), missing("g.7z.003", "g.7z.001"), missing("s.z02", "s.zip")];
    assert_eq!(Log::by(Opener::new().open(&root)).0, expected);
}

/// `._a.sgf` beside `a.sgf`.
#[test]
fn what_a_mac_writes_beside_a_game_is_skipped() {
    use std::sync::Mutex;

    let beside = [&b"\0\x05\x16\x07\0\x02\0\0Mac OS X        "[..], &[0; 40], b"(;B[no])"].concat();
    let members = [
        ("d/a.sgf", &b"(;B[aa])"[..]),
        ("__MACOSX/d/._a.sgf", &beside),
        ("d/._b.sgf.gz", &beside),
        ("d/._c.sgf", b"(;B[cc])"),
    ];
    let root = folder("mac");
    for container in CONTAINERS {
        fs::write(root.join(format!("x.{container}")), pack(container, &members)).unwrap();
    }
    for (name, bytes) in members {
        fs::create_dir_all(root.join("plain").join(name).parent().unwrap()).unwrap();
        fs::write(root.join("plain").join(name), bytes).unwrap();
    }
    for input in ["x.tar", "x.zip", "x.7z", "plain"] {
        let skipped = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&skipped);
        let opener = Opener::new().skipped(move |_, why| list.lock().unwrap().push(why));
        let mut texts: Vec<_> = Log::by(opener.open(root.join(input))).0.into_iter().map(|(_, text)| text).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["(;B[aa])", "(;B[cc])"], "{input}");
        assert_eq!(*skipped.lock().unwrap(), [Skip::Kind; 2], "{input}");
    }
    // What is named is read.
    assert_eq!(Log::by(Opener::new().open(root.join("plain/__MACOSX/d/._a.sgf"))).0.len(), 1);
}

#[test]
fn what_is_packed_behind_the_end_is_read_or_an_error() {
    for (ending, zeros) in [("gz", 512), ("gz", 1), ("xz", 3), ("bz2", 100_000), ("zst", 7), ("lz4", 9)] {
        let [one, two] = [compress(ending, b"(;B[aa])"), compress(ending, b"(;B[bb])")];
        assert_log(&[&one[..], &vec![0; zeros], &two].concat(), &[("x", "(;B[aa])(;B[bb])")]);
        let ignored = format!("<{zeros} bytes after the end of the archive were ignored>");
        if zeros > 1 {
            assert_log(&[&one[..], &vec![0; zeros]].concat(), &[("x", "(;B[aa])"), ("x", &ignored)]);
        }
        for other in [compress(if ending == "xz" { "gz" } else { "xz" }, b"(;B[bb])"), pack("zip", &[("a.sgf", b"")])] {
            let len = zeros + other.len();
            let error = format!(
                "<{len} bytes after its end, which begin like another archive or compressed file, are not read>"
            );
            assert_log(&[&one[..], &vec![0; zeros], &other].concat(), &[("x", "(;B[aa])"), ("x", &error)]);
        }
    }
}

/// Reads `len` bytes at a time until an error.
struct Pieces {
    len: usize,
    read: usize,
    error: Option<String>,
}

impl Visit for Pieces {
    fn member(&mut self, _name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let mut buffer = vec![0; self.len];
        while self.error.is_none() {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(len) => self.read += len,
                Err(error) => self.error = Some(error.to_string()),
            }
        }
        ControlFlow::Continue(())
    }

    fn trouble(&mut self, _name: &Name, _trouble: Trouble) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

#[test]
fn bytes_before_damage_do_not_depend_on_the_size_of_reads() {
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let games: Vec<u8> = (0..2_000).flat_map(|n| format!("(;GN[{}])\n", random(n)).into_bytes()).collect();
    for method in [CompressionMethod::DEFLATE, CompressionMethod::BZIP2, CompressionMethod::XZ] {
        let mut packed = zip(&[("a.sgf", &games)], method);
        let half = packed.len() / 2;
        packed[half..half + 40].fill(0xFF);
        let read = |len: usize| {
            let mut pieces = Pieces { len, read: 0, error: None };
            let _ = Opener::new().visit("x", Source::stream(Cursor::new(packed.clone())), &mut pieces);
            (pieces.read, pieces.error.expect("damage"))
        };
        assert_eq!(read(1), read(1 << 20), "{method}");
    }
}

#[test]
fn a_damaged_block_of_xz_costs_what_comes_after_it() {
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let games: Vec<u8> = (0..2_000).flat_map(|n| format!("(;GN[{}])\n", random(n)).into_bytes()).collect();
    let mut packed = compress("xz", &games);
    let half = packed.len() / 2;
    packed[half..half + 16].fill(0xFF);
    let mut members = Opener::new().members("x", Source::stream(Cursor::new(packed)));
    let mut read = Vec::new();
    let end = members.next_member().unwrap().unwrap().read_to_end(&mut read);
    // The decompressor may go on past the damage for a while.
    let same = read.iter().zip(&games).take_while(|(read, game)| read == game).count();
    assert!(same > games.len() / 3 && same < games.len(), "{same} of {}", games.len());
    assert!(end.is_err());
}

#[test]
fn a_truncated_tar_is_reported_once() {
    let tar = pack("tar", &[("a.sgf", b"1"), ("b.sgf", &[b'2'; 600])]);
    let twos = "2".repeat(500);
    assert_log(&tar[..2036], &[("x!a.sgf", "1"), ("x!b.sgf", &format!("{twos}<the archive is cut off>"))]);
    let tar = pack("tar", &[("a.sgf", b"1"), ("readme", &[b'2'; 600])]);
    assert_log(&tar[..2036], &[("x!a.sgf", "1"), ("x", "<the archive is cut off>")]);
}

#[test]
fn limits_end_an_input() {
    let two = [("a.sgf", &b"(;B[aa])"[..]), ("b.sgf", b"(;B[bb])")];
    for container in CONTAINERS {
        let bytes = pack(container, &two);
        let message = "<over 1 entries: the rest is not read>";
        assert_log_by(&limits(|limits| limits.members = 1), &bytes, &[("x!a.sgf", "(;B[aa])"), ("x", message)]);
    }
    let nested = compress("gz", &compress("xz", &compress("gz", b"(;)")));
    assert_log(&nested, &[("x", "(;)")]);
    let message = "<nested more than 2 deep (.tar.gz counts as two)>";
    assert_log_by(&limits(|limits| limits.nesting = 2), &nested, &[("x", message)]);
    for compression in COMPRESSIONS {
        let packed = compress(compression, &vec![b' '; 100_000]);
        let message = "<it unpacks to over 99999 bytes: the rest is not read>";
        let all_before = " ".repeat(99_999) + message;
        assert_log_by(&limits(|limits| limits.bytes = 99_999), &packed, &[("x", &all_before)]);
        assert_log_by(&limits(|limits| limits.bytes = 100_000), &packed, &[("x", &" ".repeat(100_000))]);
    }
    let opener = limits(|limits| limits.spool = 1 << 20);
    let zip = zip(&[("a.sgf", &vec![b' '; 2 << 20])], CompressionMethod::STORE);
    let message = "<over 1048576 bytes from a pipe, which this kind of archive can't be read from: name a file>";
    assert_log_by(&opener, &zip, &[("x", message)]);
}

#[test]
fn decompression_windows_are_bounded() {
    let text: Vec<u8> = (0..4 << 20).map(|n: u32| (n.wrapping_mul(0x9E37_79B9) >> 24) as u8 | 0x20 & 0x7F).collect();
    let text: Vec<u8> = text.into_iter().map(|byte| byte & 0x7F).collect();
    let small = limits(|limits| limits.window = 1 << 20);
    for compression in ["zst", "xz"] {
        let bytes = with_window(compression, 4 << 20, &text);
        assert_eq!(Log::of(&Opener::new(), &bytes).0[0].1.len(), text.len());
        let log = Log::of(&small, &bytes).0;
        assert!(log.len() == 1 && log[0].1.len() < 200 && log[0].1.contains('<'), "{log:?}");
    }
}

#[test]
fn damaged_numbers_in_a_7z_header_do_no_harm() {
    let archive = pack("7z", &[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])"), ("empty.sgf", b"")]);
    // The header at the end, and its checksum in the one at the start, which is corrected.
    let number = |at: usize| u64::from_le_bytes(archive[at..at + 8].try_into().unwrap()) as usize;
    let (start, len) = (32 + number(12), number(20));
    for at in start..start + len {
        for value in [0, 1, 0x7F, 0x80, 0xFF, archive[at].wrapping_add(1)] {
            let mut bytes = archive.clone();
            bytes[at] = value;
            let crc = rawzip::crc32(&bytes[start..start + len]);
            bytes[28..32].copy_from_slice(&crc.to_le_bytes());
            let crc = rawzip::crc32(&bytes[12..32]);
            bytes[8..12].copy_from_slice(&crc.to_le_bytes());
            let mut count = 0;
            let _ = Opener::new().visit("x", Source::stream(Cursor::new(bytes)), &mut Count(&mut count));
            assert!(count <= 4, "{count}");
        }
    }
}

/// A 7z of nothing but a header.
fn seven_of(header: &[u8]) -> Vec<u8> {
    let numbers = [0_u64.to_le_bytes(), (header.len() as u64).to_le_bytes()].concat();
    let first = [&numbers[..], &rawzip::crc32(header).to_le_bytes()].concat();
    [&b"7z\xBC\xAF\x27\x1C\0\x04"[..], &rawzip::crc32(&first).to_le_bytes(), &first, header].concat()
}

#[test]
fn a_7z_header_takes_bounded_time_and_memory() {
    // A million times which of a million files are empty.
    let header = [&b"\x01\x05\xE0\x40\x42\x0F"[..], &b"\x0F\0".repeat(1_000_000), b"\0\0"].concat();
    assert_log(&seven_of(&header), &[("x", "<damaged archive: the header of 7z>")]);
    // A million blocks, which take some bytes each.
    let (count, some) = (b"\xE0\x40\x42\x0F", vec![0; 1_000_000]);
    let places = [&b"\x01\x04\x06\0"[..], count, b"\x09", &some, b"\0"].concat();
    let folders = [&b"\x07\x0B"[..], count, b"\0", &b"\x01\0".repeat(1_000_000), b"\x0C", &some, b"\0"].concat();
    let bytes = seven_of(&[&places[..], &folders, b"\0\0"].concat());
    let log = Log::of(&limits(|limits| limits.window = 64 << 20), &bytes).0;
    assert!(log.len() == 1 && log[0].1.contains("bytes of memory, and 67108864 are allowed"), "{log:?}");
    // A block of a million files: some bytes of the header, a length and a checksum for each.
    let block = b"\x01\x04\x06\0\x01\x09\0\0\x07\x0B\x01\0\x01\0\x0C\0\0\x08\x0D";
    let header = [block, &count[..], b"\x09", &some[1..], b"\x0A\0", &some[..125_000], b"\0\0\0"].concat();
    for (window, expected) in [
        (25_000_000, "bytes of memory, and 25000000 are allowed"),
        // There are no names for so many.
        (27_000_000, "damaged archive: the header of 7z"),
    ] {
        let log = Log::of(&limits(|limits| limits.window = window), &seven_of(&header)).0;
        assert!(log.len() == 1 && log[0].1.contains(expected), "{log:?}");
    }
}

/// Reads members, and counts them and the reports.
struct Count<'a>(&'a mut u64);

impl Visit for Count<'_> {
    fn member(&mut self, _: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let _ = io::copy(bytes, &mut io::sink());
        *self.0 += 1;
        ControlFlow::Continue(())
    }

    fn trouble(&mut self, _: &Name, _: Trouble) -> ControlFlow<()> {
        *self.0 += 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn a_wrong_byte_or_a_cut_anywhere_is_survived() {
    let members = [("a.sgf", &b"(;B[aa];W[bb])"[..]), ("b.sgf", b"(;B[cc])")];
    let mut archives: Vec<Vec<u8>> = CONTAINERS.iter().map(|container| pack(container, &members)).collect();
    archives.extend(COMPRESSIONS.iter().map(|compression| compress(compression, b"(;B[aa];W[bb])")));
    for archive in archives {
        for at in 0..archive.len() {
            let cut = &archive[..at];
            let mut wrong = archive.clone();
            wrong[at] ^= 0xFF;
            for bytes in [cut, &wrong[..]] {
                let mut count = 0;
                let _ = Opener::new().visit("x", Source::stream(bytes), &mut Count(&mut count));
                assert!(count > 0, "nothing is reported of {} bytes, {at}", bytes.len());
            }
        }
    }
}

/// The error in which the last member ended.
struct Last(String);

impl Visit for Last {
    fn member(&mut self, _: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        self.0 = io::copy(bytes, &mut io::sink()).unwrap_err().to_string();
        ControlFlow::Continue(())
    }

    fn trouble(&mut self, _: &Name, trouble: Trouble) -> ControlFlow<()> {
        panic!("{trouble}");
    }
}

#[test]
fn frames_of_nothing_are_passed() {
    let skippable = |len: u32| [&b"\x50\x2A\x4D\x18"[..], &len.to_le_bytes(), &vec![0xFF; len as usize]].concat();
    let games = [&b"(;B[aa])"[..], b"(;B[bb])"];
    for ending in ["zst", "lz4"] {
        let [one, two] = games.map(|game| compress(ending, game));
        // The lengths of both look as if a frame of zstd followed that needs much memory.
        let bytes = [&skippable(0xE0)[..], &one, &skippable(0xA1), &skippable(0), &two, &skippable(0xA1)].concat();
        assert_log(&bytes, &[("x", "(;B[aa])(;B[bb])")]);
        let behind = [&bytes[..], b"no frame"].concat();
        assert_log(&behind, &[("x", "(;B[aa])(;B[bb])"), ("x", "<8 bytes after the end of the archive were ignored>")]);
        let cut = &bytes[..bytes.len() - 1];
        let found = Log::of(&Opener::new(), cut).0;
        assert!(found.len() == 1 && found[0].1.starts_with("(;B[aa])(;B[bb])<"), "{found:?}");
    }
    let empty = compress("bz2", b"");
    let bytes = [&empty.repeat(100_000)[..], &compress("bz2", b"(;B[aa])"), &empty.repeat(100_000), b"no"].concat();
    assert_log(&bytes, &[("x", "(;B[aa])"), ("x", "<2 bytes after the end of the archive were ignored>")]);
}

/// To make a decoder of zstd takes far longer than to unpack a small frame with it.
#[test]
fn frames_of_zstd_share_a_decoder() {
    const FRAMES: usize = 10_000;
    let frame = compress("zst", b"(;B[aa])");
    let bytes = frame.repeat(FRAMES);
    let expected = [("x".to_owned(), "(;B[aa])".repeat(FRAMES))];
    let time = |work: &dyn Fn()| {
        let begin = Instant::now();
        work();
        begin.elapsed()
    };
    let (mut together, mut one_by_one) = (Duration::MAX, Duration::ZERO);
    // Other programs may slow down one of the two, and now and then do.
    for _ in 0..20 {
        together = time(&|| assert_eq!(Log::of(&Opener::new(), &bytes).0, expected));
        one_by_one = time(&|| {
            for _ in 0..FRAMES {
                assert_eq!(zstd::decode_all(&frame[..]).unwrap().len(), 8);
            }
        });
        if together < one_by_one {
            break;
        }
    }
    assert!(together < one_by_one, "{together:?} in one stream, and {one_by_one:?} with a decoder for each");
}

#[test]
fn decompression_bombs_are_stopped() {
    // Ten gibibytes of zeros.
    let zeros = vec![0; 16 << 20];
    let mut zst = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    for _ in 0..(10 << 30) / zeros.len() {
        zst.write_all(&zeros).unwrap();
    }
    let bytes = zst.finish().unwrap();
    let mut last = Last(String::new());
    let _ = Opener::new().visit("x", Source::stream(&bytes[..]), &mut last);
    assert_eq!(last.0, "it unpacks to over 1000 times its length: the rest is not read");
}

#[test]
fn the_headers_of_a_tar_entry_are_bounded() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(1 << 40);
    header.set_cksum();
    let bytes = header.as_bytes().to_vec();
    let source = Cursor::new(bytes).chain(io::repeat(b'a'));
    let mut log = Log::default();
    let _ = Opener::new().visit("x", Source::stream(source), &mut log);
    assert_eq!(log.0, [("x".to_owned(), "<the headers of an entry are too long>".to_owned())]);
}

#[test]
fn volumes_are_one_archive() {
    let root = folder("volumes");
    let archive = pack("7z", &[("a.sgf", b"(;B[aa])"), ("b.sgf", b"(;B[bb])")]);
    let len = archive.len().div_ceil(3);
    let name = |number: usize| root.join(format!("games.7z.{number:03}"));
    for (number, part) in archive.chunks(len).enumerate() {
        fs::write(name(number + 1), part).unwrap();
    }
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let first = shown(&name(1));
    let members =
        [(format!("{first}!a.sgf"), "(;B[aa])".to_owned()), (format!("{first}!b.sgf"), "(;B[bb])".to_owned())];
    assert_eq!(Log::by(Opener::new().open(name(1))).0, members);
    assert_eq!(Log::by(Opener::new().open(&root)).0, members);
    let message = format!("<a later volume, read through the first one, {first}>");
    assert_eq!(Log::by(Opener::new().open(name(2))).0, [(shown(&name(2)), message)]);
    fs::remove_file(name(2)).unwrap();
    let message = format!("<the volume {} is missing>", shown(&name(2)));
    assert_eq!(Log::by(Opener::new().open(name(1))).0, [(first, message)]);
}

#[test]
fn directories_and_patterns_are_searched() {
    let root = folder("walk");
    for (path, bytes) in [
        ("b/2.sgf", &b"2"[..]),
        ("a.txt", b"no"),
        ("a/1.SGF", b"1"),
        ("c.tar", &pack("tar", &[("3.sgf", b"3"), ("4.txt", b"4")])),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), bytes).unwrap();
    }
    let texts = |opener: &Opener, path: &str| -> String {
        Log::by(opener.open(root.join(path))).0.into_iter().map(|(_, text)| text).collect()
    };
    assert_eq!(texts(&Opener::new(), ""), "123");
    assert_eq!(texts(&Opener::new(), "*.txt"), "no");
    assert_eq!(texts(&Opener::new(), "[ab]/*"), "12");
    assert_eq!(texts(&Opener::new(), "**/*.sgf"), "2");
    let only = |patterns: &[&str]| Opener::new().picks(Picks::new().only(patterns.iter().copied()).unwrap());
    assert_eq!(texts(&only(&["*.txt"]), ""), "no4");
    assert_eq!(texts(&only(&["c.tar"]), ""), "3");
    let not = Opener::new().picks(Picks::new().not(["c.*", "a"]).unwrap());
    assert_eq!(texts(&not, ""), "2");
    assert_eq!(texts(&only(&["*.mgt"]), "b"), "<no .sgf file in it that the patterns leave>");
}

#[test]
fn a_report_keeps_the_cause_of_its_error() {
    fn caused() -> std::ffi::IntoStringError {
        std::ffi::CString::new(b"\xFF").unwrap().into_string().unwrap_err()
    }

    /// Fails with an error that has a cause.
    struct Torn;

    impl Read for Torn {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other(caused()))
        }
    }

    let zip = b"PK\x03\x04".chain(Torn);
    let report = Opener::new().members("x", Source::stream(zip)).next_member().unwrap().unwrap_err();
    assert_eq!(report.to_string(), format!("x: {}", caused()));
    assert!(std::error::Error::source(&report).unwrap().is::<std::str::Utf8Error>());
}

#[test]
fn a_report_is_an_error_or_a_warning() {
    let bytes = [&pack("zip", &[("a.sgf", b"(;)"), ("b.rar", b"Rar!\x1A\x07\x01\0")])[..], b"more"].concat();
    let mut members = Opener::new().members("x", Source::stream(Cursor::new(bytes)));
    let mut reports = Vec::new();
    while let Some(member) = members.next_member() {
        if let Err(report) = member {
            reports.push((report.to_string(), report.is_error()));
        }
    }
    let expected = [
        ("x!b.rar: a RAR archive is not read".to_owned(), true),
        ("x: 4 bytes after the end of the archive were ignored".to_owned(), false),
    ];
    assert_eq!(reports, expected);
}

#[test]
fn members_may_be_left_unread() {
    for container in CONTAINERS {
        let long = vec![b'x'; 3 << 20];
        let bytes = pack(container, &[("a.sgf", &long), ("b.sgf", &long), ("c.sgf", b"3")]);
        let mut members = Opener::new().members("x", Source::stream(Cursor::new(bytes)));
        members.next_member().unwrap().unwrap();
        let mut second = members.next_member().unwrap().unwrap();
        assert_eq!(second.name().member(), Some("b.sgf"));
        second.read_exact(&mut [0; 10]).unwrap();
        let mut text = String::new();
        members.next_member().unwrap().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "3");
        assert!(members.next_member().is_none());
        // Dropping an iterator that was never used ends its thread.
        drop(Opener::new().members("x", Source::stream(io::repeat(b'('))));
    }
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn the_async_face_reports_the_same() {
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

    /// Gives a few bytes at a time and is pending before each.
    struct Slow(Cursor<Vec<u8>>, bool);

    impl AsyncRead for Slow {
        fn poll_read(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
            space: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.1 = !self.1;
            if self.1 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let mut few = [0; 999];
            let len = Read::read(&mut self.0, &mut few)?;
            space.put_slice(&few[..len]);
            Poll::Ready(Ok(()))
        }
    }

    let long = b"(;B[aa];W[bb])\n".repeat(100_000);
    for container in CONTAINERS {
        let bytes = pack(container, &[("a.sgf", &long), ("b.sgf", b"2"), ("c.sgf", &long)]);
        for bytes in [bytes.clone(), compress("zst", &bytes), bytes[..bytes.len() / 2].to_vec()] {
            let expected = Log::of(&Opener::new(), &bytes);
            let mut reported = Log::default();
            let mut members = Opener::new().members_async("x", Slow(Cursor::new(bytes), false));
            while let Some(next) = members.next_member().await {
                match next {
                    Ok(mut member) => {
                        let mut text = Vec::new();
                        let end = member.read_to_end(&mut text).await;
                        let mut text = String::from_utf8(text).unwrap();
                        if let Err(error) = end {
                            write!(text, "<{error}>").unwrap();
                        }
                        reported.0.push((member.name().to_string(), text));
                    }
                    Err(report) => {
                        let _ = reported.trouble(&report.name, report.trouble);
                    }
                }
            }
            assert!(reported == expected, "{container}");
        }
    }
    drop(Opener::new().members_async("x", tokio::io::repeat(b'(')));
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_member_goes_on_after_a_dropped_future() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    let long = b"(;B[aa];W[bb])\n".repeat(10_000);
    let bytes = pack("tar", &[("a.sgf", &long), ("b.sgf", b"2")]);
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    let open = Duration::from_millis(20);

    let (mut client, server) = tokio::io::duplex(1 << 20);
    client.write_all(half).await.unwrap();
    let mut members = Opener::new().members_async("x", server);
    assert!(members.current().is_none());
    let mut text = Vec::new();
    let mut member = members.next_member().await.unwrap().unwrap();
    let read = async { while member.read_buf(&mut text).await.unwrap() > 0 {} };
    timeout(open, read).await.expect_err("more may come");
    client.write_all(rest).await.unwrap();
    drop(client);
    let mut member = members.current().unwrap();
    assert_eq!(member.name().member(), Some("a.sgf"));
    member.read_to_end(&mut text).await.unwrap();
    assert!(text == long);
    assert!(members.current().is_none());

    // Once the next member was asked for, the rest of this one may be gone.
    let (mut client, server) = tokio::io::duplex(1 << 20);
    client.write_all(half).await.unwrap();
    let mut members = Opener::new().members_async("x", server);
    members.next_member().await.unwrap().unwrap();
    timeout(open, members.next_member()).await.expect_err("more may come");
    assert!(members.current().is_none());
    client.write_all(rest).await.unwrap();
    members.next_member().await.unwrap().unwrap();
    let mut text = String::new();
    members.current().unwrap().read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "2");
}
