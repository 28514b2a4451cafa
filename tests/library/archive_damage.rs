//! What damage to an archive costs, and how it is reported: of many members, the damaged one is lost.

use std::fs;
use std::io::{Read, Write as _};
use std::ops::ControlFlow;

use memchr::memmem;
use rawzip::CompressionMethod;
use sevenz_rust2::EncoderMethod;
use sgf_stream::archive::{Name, Opener, Skip, Source, Trouble, Visit};

use crate::archive::{Log, assert_log, folder, limits};
use crate::support::archives::{COMPRESSIONS, compress, pack, tar_entry, with_window, zip};

/// Three games, the first of which takes more than one block of a tar archive.
fn three() -> [(&'static str, Vec<u8>); 3] {
    [("a.sgf", b"(;B[aa])".repeat(100)), ("b.sgf", b"(;B[bb])".to_vec()), ("c.sgf", b"(;B[cc])".to_vec())]
}

fn packed(ending: &str) -> Vec<u8> {
    let three = three();
    pack(ending, &three.each_ref().map(|(name, bytes)| (*name, &bytes[..])))
}

/// What is reported of the members with these numbers.
fn members(numbers: &[usize]) -> Vec<(String, String)> {
    let three = three();
    let log = |&at: &usize| (format!("x!{}", three[at].0), String::from_utf8(three[at].1.clone()).unwrap());
    numbers.iter().map(log).collect()
}

fn message(text: &str) -> (String, String) {
    ("x".to_owned(), format!("<damaged archive: {text}>"))
}

#[test]
fn a_damaged_header_of_a_tar_costs_one_member() {
    let whole = packed("tar");
    // After the first member: its header and its two blocks.
    let second = 512 + 1024;
    let lost = "no valid entry at byte 1536; skipped 1024 bytes, resumed at byte 2560 with c.sgf";
    let expected = [members(&[0]), vec![message(lost)], members(&[2])].concat();
    for at in second..second + 512 {
        let mut wrong = whole.clone();
        wrong[at] ^= 0x55;
        assert_eq!(Log::of(&Opener::new(), &wrong).0, expected, "byte {}", at - second);
    }
    let mut zeros = whole.clone();
    zeros[second..second + 512].fill(0);
    let lost = "no valid entry at byte 2048; skipped 512 bytes, resumed at byte 2560 with c.sgf";
    assert_eq!(Log::of(&Opener::new(), &zeros).0, [members(&[0]), vec![message(lost)], members(&[2])].concat());

    let mut first = whole.clone();
    first[3] ^= 1;
    let lost = "no valid entry at byte 0; skipped 1536 bytes, resumed at byte 1536 with b.sgf";
    assert_eq!(Log::of(&Opener::new(), &first).0, [vec![message(lost)], members(&[1, 2])].concat());

    let mut third = whole.clone();
    third[2560] ^= 1;
    let lost = "no valid entry at byte 2560; skipped 1024 bytes, no other entry follows";
    assert_eq!(Log::of(&Opener::new(), &third).0, [members(&[0, 1]), vec![message(lost)]].concat());
    // In a compressed tar, places are those of the unpacked bytes.
    assert_eq!(Log::of(&Opener::new(), &compress("zst", &third)).0, [members(&[0, 1]), vec![message(lost)]].concat());

    let mut cut = whole;
    cut.truncate(2560 + 100);
    let cut_off = ("x".to_owned(), "<the archive is cut off>".to_owned());
    assert_eq!(Log::of(&Opener::new(), &cut).0, [members(&[0, 1]), vec![cut_off]].concat());
}

#[test]
fn a_tar_that_has_lost_or_gained_bytes_has_its_other_members() {
    let whole = packed("tar");
    let place = |at: usize, lost: usize| {
        let lost = match lost {
            0 => String::new(),
            1 => "skipped 1 byte, ".to_owned(),
            _ => format!("skipped {lost} bytes, "),
        };
        message(&format!("no valid entry at byte 1536; {lost}resumed at byte {at} with b.sgf"))
    };
    for count in [1, 10, 223, 400, 511] {
        let lost = [&whole[..600], &whole[600 + count..]].concat();
        let found = Log::of(&Opener::new(), &lost).0;
        assert_eq!(found[1..], [vec![place(1536 - count, 0)], members(&[1, 2])].concat(), "{count} bytes lost");
        let gained = [&whole[..600], &vec![b'x'; count], &whole[600..]].concat();
        let found = Log::of(&Opener::new(), &gained).0;
        assert_eq!(found[1..], [vec![place(1536 + count, count)], members(&[1, 2])].concat(), "{count} bytes gained");
    }
    for count in [700, 40_000] {
        let gained = [&whole[..600], &vec![b'x'; count], &whole[600..]].concat();
        let found = Log::of(&Opener::new(), &gained).0;
        assert_eq!(found[1..], [vec![place(1536 + count, count)], members(&[1, 2])].concat(), "{count} bytes gained");
    }
    // As many as the first entry has, so that the second header goes with it.
    let found = Log::of(&Opener::new(), &[&whole[..600], &whole[1500..]].concat()).0;
    assert_eq!(found.last(), members(&[2]).last());
}

/// Of a header that is right, but that the library does not take, nothing is read twice.
#[test]
fn a_tar_header_of_no_use_is_passed_once() {
    let mut header = tar::Header::new_gnu();
    header.set_path("a.sgf").unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    header.set_size(8);
    let places = &mut header.as_gnu_mut().unwrap().sparse;
    places[0].set_offset(5);
    places[0].set_length(8);
    places[1].set_offset(3);
    places[1].set_length(8);
    header.set_cksum();
    let bytes = [header.as_bytes(), &[b'x'; 512][..], &packed("tar")].concat();
    let found = Log::of(&Opener::new(), &bytes).0;
    assert_eq!((found.len(), &found[1..]), (4, &members(&[0, 1, 2])[..]), "{found:?}");
}

#[test]
fn no_header_is_searched_for_inside_a_tar_member() {
    let inner = packed("tar");
    let whole = pack("tar", &[("a.bin", &inner), ("b.sgf", b"(;B[bb])")]);
    assert_log(&whole, &[("x!b.sgf", "(;B[bb])")]);
}

/// The header of an entry that is not a file, with an empty size field.
fn label(kind: u8) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..5].copy_from_slice(b"label");
    header.as_mut_bytes()[156] = kind;
    header.as_mut_bytes()[124..136].fill(0);
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn tar_entries_that_are_not_files_are_skipped_and_counted() {
    use std::sync::{Arc, Mutex};

    let mut builder = tar::Builder::new(label(b'V'));
    for kind in [b'V', b'M', b'N', b'D', b'g', b'x', b'K', b'L', b'3', b'6', b'Z'] {
        let mut header = tar::Header::new_gnu();
        header.set_path("special").unwrap();
        header.as_mut_bytes()[156] = kind;
        // Contents of the right form for a pax header or a long name.
        let bytes: &[u8] = if matches!(kind, b'x' | b'g') { b"15 comment=abc\n" } else { b"name\0" };
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        builder.append(&header, bytes).unwrap();
        tar_entry(&mut builder, &format!("{kind}.txt"), b"no");
    }
    tar_entry(&mut builder, "a.sgf", b"(;B[aa])");
    let bytes = builder.into_inner().unwrap();
    let skipped = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&skipped);
    let opener = Opener::new().skipped(move |name, why| list.lock().unwrap().push((name.to_string(), why)));
    assert_eq!(Log::of(&opener, &bytes).0, [("x!a.sgf".to_owned(), "(;B[aa])".to_owned())]);
    // Once by each face.
    let skipped = skipped.lock().unwrap();
    assert_eq!(skipped.iter().filter(|(name, _)| name == "x!label").count(), 2, "{skipped:?}");
    assert!(skipped.iter().any(|(name, why)| name == "x!special" && *why == Skip::Kind), "{skipped:?}");
}

#[test]
fn a_damaged_table_of_a_zip_costs_at_most_one_member() {
    let no_table = "its table of contents makes no sense, and entries were read without it";
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let three = three();
        let whole = zip(&three.each_ref().map(|(name, bytes)| (*name, &bytes[..])), method);
        for table in memmem::find_iter(&whole, b"PK\x01\x02") {
            let mut wrong = whole.clone();
            wrong[table + 1] ^= 1;
            let found = Log::of(&Opener::new(), &wrong).0;
            assert_eq!(found[..3], members(&[0, 1, 2]), "{method}");
            assert_eq!(found.last(), Some(&message(no_table)));
            // A damaged first record does not show that it belongs to the table.
            assert!((4..=5).contains(&found.len()), "{found:?}");
        }
        let second = memmem::find_iter(&whole, b"PK\x01\x02").nth(1).unwrap();
        let mut wrong = whole.clone();
        wrong[second + 28] = 0xFF;
        assert_eq!(Log::of(&Opener::new(), &wrong).0, [members(&[0, 1, 2]), vec![message(no_table)]].concat());
        // No byte of the table costs more than one member.
        let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
        for at in table..whole.len() {
            for bits in [0x01, 0x80, 0xFF] {
                let mut wrong = whole.clone();
                wrong[at] ^= bits;
                let found = Log::of(&Opener::new(), &wrong).0;
                let whole_ones = members(&[0, 1, 2]).into_iter().filter(|one| found.contains(one)).count();
                assert!(whole_ones >= 2, "byte {} of the table: {found:?}", at - table);
            }
        }
    }
}

/// As Info-ZIP writes it beside a name in another charset.
#[test]
fn an_entry_of_a_zip_may_have_a_second_name_in_utf8() {
    let raw = "??.s\u{DF}?";
    let whole = told_zip(&[(raw, b"(;)"), ("b.sgf", b"(;B[bb])")], CompressionMethod::STORE);
    for (crc, names) in [(rawzip::crc32(raw.as_bytes()), &["x!十.sgf", "x!b.sgf"][..]), (0, &["x!b.sgf"])] {
        let utf8 = "十.sgf".as_bytes();
        let field = [&[0x75, 0x70, 5 + utf8.len() as u8, 0, 1][..], &crc.to_le_bytes(), utf8].concat();
        let mut named = whole.clone();
        let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
        let insert = |named: &mut Vec<u8>, len_at: usize, at: usize| {
            named[len_at] = field.len() as u8;
            named.splice(at..at, field.iter().copied());
        };
        // From the end to the beginning, so that places stay.
        let second = memmem::rfind(&whole, b"PK\x01\x02").unwrap();
        let (offset, end) = (second + 42, whole.len() - 22);
        let add = |named: &mut [u8], at: usize| {
            let number = u32::from_le_bytes(named[at..at + 4].try_into().unwrap()) + field.len() as u32;
            named[at..at + 4].copy_from_slice(&number.to_le_bytes());
        };
        add(&mut named, offset);
        add(&mut named, end + 12);
        add(&mut named, end + 16);
        insert(&mut named, table + 30, table + 46 + raw.len());
        insert(&mut named, 28, 30 + raw.len());
        for bytes in [&named[..], &named[..table + field.len()]] {
            let found: Vec<_> = Log::of(&Opener::new(), bytes).0.into_iter().map(|(name, _)| name).collect();
            assert_eq!(found[..names.len()], *names, "{crc}");
        }
    }
}

/// What an entry's own header says, or what is in it, shows that the table is wrong.
#[test]
fn a_wrong_bit_in_the_table_of_a_zip_hides_no_member() {
    let three = three();
    let three = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        for whole in [told_zip(&three, method), zip(&three, method)] {
            let second = memmem::find_iter(&whole, b"PK\x01\x02").nth(1).unwrap();
            for bit in 0..32 {
                let mut wrong = whole.clone();
                wrong[second + 46 + 1 + bit / 8] ^= 1 << (bit % 8);
                let found = Log::of(&Opener::new(), &wrong).0;
                let texts: Vec<_> =
                    found.iter().filter(|(_, text)| !text.ends_with('>')).map(|(_, text)| text.as_bytes()).collect();
                assert_eq!(texts, three.map(|(_, bytes)| bytes), "{method}, bit {bit}: {found:?}");
                let is_said = found.len() == 4 && found[1].1.contains("the table of contents has another name for it");
                // `.sgF` and the like are as good.
                assert!(is_said || found[1].0.eq_ignore_ascii_case("x!b.sgf"), "bit {bit}: {found:?}");
            }
            let mut link = whole.clone();
            link[second + 5] = 3;
            link[second + 38..second + 42].copy_from_slice(&(0o120_644_u32 << 16).to_le_bytes());
            let said = "<damaged archive: the table of contents says that it is a link>";
            let said = vec![("x!b.sgf".to_owned(), said.to_owned())];
            assert_eq!(Log::of(&Opener::new(), &link).0, [members(&[0]), said, members(&[1, 2])].concat());
        }
        let mut link = told_zip(&[("a.sgf", b"(;)"), ("b.sgf", b"a.sgf")], method);
        let second = memmem::find_iter(&link, b"PK\x01\x02").nth(1).unwrap();
        link[second + 5] = 3;
        link[second + 38..second + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
        assert_log(&link, &[("x!a.sgf", "(;)")]);
    }
}

/// A name, a place or lengths, or two of these at once, so that nothing in the table says that a game was there.
#[test]
fn what_is_lost_with_a_stretch_of_the_table_of_a_zip_is_reported() {
    let files: [(&str, &[u8]); 5] =
        [("readme", b"of no use"), ("d/", b""), ("d/a.sgf", b"(;B[aa])"), ("d/b.sgf", b""), ("d/c.sgf", b"(;B[cc])")];
    let games = ["(;B[aa])", "(;B[cc])"];
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        for whole in [told_zip(&files, method), zip(&files, method)] {
            let texts = |found: &[(String, String)], text: &str| found.iter().filter(|one| one.1 == text).count();
            let found = Log::of(&Opener::new(), &whole).0;
            assert_eq!(found.len(), 3, "{found:?}");
            assert!(games.iter().all(|game| texts(&found, game) == 1), "{found:?}");
            let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
            for len in [4, 8, 16] {
                for (at, fill) in (table..whole.len() - len).flat_map(|at| [(at, 0), (at, 0xFF), (at, b'~')]) {
                    let mut wrong = whole.clone();
                    wrong[at..at + len].fill(fill);
                    let found = Log::of(&Opener::new(), &wrong).0;
                    let is_said = found.iter().any(|(_, text)| text.ends_with('>'));
                    for game in games {
                        let count = texts(&found, game);
                        let is_right = count == 1 || is_said;
                        assert!(is_right, "{method}, {len} bytes at {}: {found:?}", at - table);
                    }
                }
            }
        }
    }
}

/// Of what would not be read, one message says that nothing is there, and none says so if other members were asked for.
#[test]
fn entries_of_a_zip_that_lead_nowhere_are_reported_once() {
    let mut wrong = plain_zip(&[("readme", &b"a"[..]), ("notes", b"b"), ("a.sgf", b"(;B[aa])")]);
    for header in [0, 30 + 6 + 1] {
        wrong[header..header + 4].fill(0);
    }
    let said = "nothing is where its table of contents has some entries, and what they were is not known";
    assert_log(&wrong, &[("x!a.sgf", "(;B[aa])"), ("x", &format!("<damaged archive: {said}>"))]);
    let found = Log::of(&Opener::new().member("a.sgf"), &wrong).0;
    assert_eq!(found, [("x!a.sgf".to_owned(), "(;B[aa])".to_owned())]);
}

/// The length leads to another header, or to where a checksum and lengths would stand before it.
#[test]
fn a_wrong_length_in_a_zip_without_its_table_hides_no_member() {
    let names: Vec<_> = (0..30).map(|n| format!("{n:02}.sgf")).collect();
    let games: Vec<_> = (0..30_u64)
        .map(|n| {
            format!(
                "(;C[{}])",
                (0..n % 5 + 2).map(|m| (n * 7 + m).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_string()).collect::<String>()
            )
        })
        .collect();
    let files: Vec<_> = names.iter().zip(&games).map(|(name, game)| (name.as_str(), game.as_bytes())).collect();
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let whole = told_zip(&files, method);
        let headers: Vec<_> = memmem::find_iter(&whole, b"PK\x03\x04").collect();
        let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
        for gap in [0, 12, 20, 7] {
            for fields in [&[18][..], &[18, 22]] {
                let mut wrong = whole[..table].to_vec();
                let start = headers[5] + 30 + 6;
                let len = ((headers[15] - gap - start) as u32).to_le_bytes();
                for field in fields {
                    wrong[headers[5] + field..][..4].copy_from_slice(&len);
                }
                let found = Log::of(&Opener::new(), &wrong).0;
                for (name, game) in names.iter().zip(&games).filter(|(name, _)| *name != "05.sgf") {
                    let is_it = |one: &&(String, String)| one.0 == format!("x!{name}") && one.1 == *game;
                    assert_eq!(found.iter().filter(is_it).count(), 1, "{method}, {gap} {fields:?}, {name}");
                }
                assert!(found.iter().any(|(name, text)| name == "x!05.sgf" && text.contains(&games[5])), "{found:?}");
            }
        }
    }
}

/// A zip of stored entries whose own headers have their lengths, as most programs write them.
fn plain_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    told_zip(files, CompressionMethod::STORE)
}

/// A zip of stored or deflated entries whose own headers have their lengths.
fn told_zip(files: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let (mut zip, mut table) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let packed = if method == CompressionMethod::STORE {
            bytes.to_vec()
        } else {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        };
        let offset = (zip.len() as u32).to_le_bytes();
        let [packed_len, len] = [packed.len(), bytes.len()].map(|len| (len as u32).to_le_bytes());
        let crc = rawzip::crc32(bytes).to_le_bytes();
        let name_len = (name.len() as u16).to_le_bytes();
        let method = method.as_u16() as u8;
        let common = [&[20, 0, 0, 0, method, 0, 0, 0, 0, 0][..], &crc, &packed_len, &len, &name_len, &[0; 2]].concat();
        zip.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        table.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &offset, name.as_bytes()].concat());
    }
    let counts = [(files.len() as u16).to_le_bytes(); 2].concat();
    let [len, offset] = [table.len(), zip.len()].map(|number| (number as u32).to_le_bytes());
    [&zip[..], &table, b"PK\x05\x06\0\0\0\0", &counts, &len, &offset, &[0; 2]].concat()
}

#[test]
fn a_zip_with_more_entries_than_it_says_has_them_all() {
    let three = three();
    let mut wrong = plain_zip(&three.each_ref().map(|(name, bytes)| (*name, &bytes[..])));
    let end = wrong.len() - 22;
    (wrong[end + 8], wrong[end + 10]) = (1, 1);
    let more = message("there are more entries than it says");
    assert_eq!(Log::of(&Opener::new(), &wrong).0, [members(&[0, 1, 2]), vec![more]].concat());
}

#[test]
fn a_zip_that_has_lost_or_gained_bytes_has_its_other_members() {
    let three = three();
    let three = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    assert_eq!(Log::of(&Opener::new(), &plain_zip(&three)).0, members(&[0, 1, 2]));
    let packed = [CompressionMethod::STORE, CompressionMethod::DEFLATE].map(|method| zip(&three, method));
    for (kind, whole) in packed.into_iter().chain([plain_zip(&three)]).enumerate() {
        let others = |bytes: &[u8], what: &str| {
            let found = Log::of(&Opener::new(), bytes).0;
            let others: Vec<_> = found.iter().filter(|one| one.0 != "x" && one.0 != "x!a.sgf").cloned().collect();
            assert_eq!(others, members(&[1, 2]), "{what}, zip {kind}: {found:?}");
            assert!(found.iter().any(|one| one.1.ends_with('>')), "{what}, zip {kind}");
            found
        };
        for count in [1, 5, 10] {
            let lost = [&whole[..38], &whole[38 + count..]].concat();
            let found = others(&lost, &format!("{count} bytes lost"));
            // What the table says is still used.
            assert!(found.iter().all(|one| one.0 != "x"), "{found:?}");
            others(&lost[..lost.len() - 30], &format!("{count} bytes lost, and the end"));
            others(&[&whole[..38], &vec![0; count], &whole[38..]].concat(), &format!("{count} bytes gained"));
        }
        others(&whole[20..], "the beginning lost");
        // Entries in front of the damage are not where they seem to be if something stands in front of them all.
        let program = [&b"MZ\0"[..], &[0; 100], &whole[..38], &whole[40..]].concat();
        others(&program, "behind a program");
    }
    // More than the table has, so that it is not found.
    let found = Log::of(&Opener::new(), &[&plain_zip(&three)[..100], &plain_zip(&three)[400..]].concat()).0;
    assert!(members(&[1, 2]).iter().all(|member| found.contains(member)), "{found:?}");
}

/// Those that are gone must not use up what is searched for the others, nor be mistaken for them.
#[test]
fn a_zip_that_has_lost_many_entries_has_all_others() {
    let game = |n: usize| format!("(;N[{n}]{})", format!(";C[{}]", n * n).repeat(n % 7 + 12));
    let texts: Vec<String> = (0..300).map(game).collect();
    let names: Vec<String> = (0..300).map(|n| format!("{n}.sgf")).collect();
    let files: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        for whole in [told_zip(&files, method), zip(&files, method)] {
            let headers: Vec<usize> = memmem::find_iter(&whole, b"PK\x03\x04").collect();
            // Whole ones, and so that of two only a part is there.
            for (count, more) in [(18, 0), (18, 45), (60, 0), (150, 45)] {
                let (start, end) = (headers[100] + more, headers[100 + count] + more);
                let found = Log::of(&Opener::new(), &[&whole[..start], &whole[end..]].concat()).0;
                let left = (0..300).filter(|n| *n < 100 || *n >= 100 + count + usize::from(more > 0));
                let left: Vec<_> = left.map(|n| (format!("x!{}", names[n]), texts[n].clone())).collect();
                let right: Vec<_> = found.into_iter().filter(|(_, text)| !text.ends_with('>')).collect();
                assert!(right == left, "{method}, {count} lost: {} of {} came", right.len(), left.len());
            }
        }
    }
}

#[test]
fn a_byte_added_to_a_header_of_a_zip_costs_one_member() {
    let three = three();
    let three = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let methods = [CompressionMethod::STORE, CompressionMethod::DEFLATE];
    for whole in methods.into_iter().flat_map(|method| [told_zip(&three, method), zip(&three, method)]) {
        for (damaged, header) in memmem::find_iter(&whole, b"PK\x03\x04").enumerate() {
            for at in header + 4..header + 30 {
                let found = Log::of(&Opener::new(), &[&whole[..at], b"\x01", &whole[at..]].concat()).0;
                let others: Vec<usize> = (0..3).filter(|&n| n != damaged).collect();
                let (messages, read): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, text)| text.ends_with('>'));
                assert_eq!(read, members(&others), "byte {} of header {damaged}: {messages:?}", at - header);
                assert!(messages.iter().any(|(_, text)| text.contains("does not fit its entries")), "{messages:?}");
                assert!(messages.iter().all(|(_, text)| !text.contains("cut off")), "{messages:?}");
            }
        }
    }
}

#[test]
fn an_entry_of_a_zip_that_is_not_read_takes_none_along() {
    let three = three();
    let [_, b, c] = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let whole = told_zip(&[("readme", &b"nothing to be read".repeat(20)), b, c], method);
        let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
        let mut longer = whole[..table].to_vec();
        longer[20] ^= 0x40;
        let shorter = [&whole[..40], &whole[45..table]].concat();
        // Not unpacked.
        let mut unknown = told_zip(&[("a.sgf", b"(;B[aa])"), b, c], method);
        unknown.truncate(memmem::find(&unknown, b"PK\x01\x02").unwrap());
        (unknown[8], unknown[20]) = (97, 0x40);
        for bytes in [longer, shorter, unknown] {
            let found = Log::of(&Opener::new(), &bytes).0;
            assert!(members(&[1, 2]).iter().all(|member| found.contains(member)), "{method}: {found:?}");
        }
    }
}

/// The damaged one claims more bytes than there are.
#[test]
fn a_zip_that_has_lost_bytes_and_its_end_has_its_other_members() {
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let large = (0..500).map(|n| format!("(;GN[{}])", random(n))).collect::<Vec<_>>().concat();
    let three = three();
    let [a, _, c] = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let whole = told_zip(&[a, ("b.sgf", large.as_bytes()), c], method);
        let second = memmem::find_iter(&whole, b"PK\x03\x04").nth(1).unwrap();
        let lost = [&whole[..second + 1000], &whole[second + 3000..whole.len() - 81]].concat();
        let found = Log::of(&Opener::new(), &lost).0;
        assert!(members(&[0, 2]).iter().all(|member| found.contains(member)), "{method}: {found:?}");
    }
}

/// What its bytes unpack to by chance may be short, or take everything up to the end of the zip along.
#[test]
fn a_deflated_entry_that_claims_too_much_costs_no_other() {
    let three = three();
    let mut whole = told_zip(&three.each_ref().map(|(name, bytes)| (*name, &bytes[..])), CompressionMethod::DEFLATE);
    let second = memmem::find_iter(&whole, b"PK\x03\x04").nth(1).unwrap();
    let table = memmem::find(&whole, b"PK\x01\x02").unwrap();
    whole[table + 1] = 0;
    (whole[second + 20], whole[second + 24]) = (1, 1);
    let short = whole[..table].to_vec();
    // A block that is not packed.
    let block = second + 35;
    let len = (whole.len() - 22 + 8 - block - 5) as u16;
    whole[block] = 0;
    whole[block + 1..block + 3].copy_from_slice(&len.to_le_bytes());
    whole[block + 3..block + 5].copy_from_slice(&(!len).to_le_bytes());
    for bytes in [short, whole] {
        let found = Log::of(&Opener::new(), &bytes).0;
        assert!(members(&[0, 2]).iter().all(|member| found.contains(member)), "{found:?}");
    }
}

#[test]
fn a_stored_entry_that_has_lost_bytes_ends_before_the_next() {
    let three = three();
    let whole = plain_zip(&three.each_ref().map(|(name, bytes)| (*name, &bytes[..])));
    for count in [1, 40, 700] {
        let lost = [&whole[..50], &whole[50 + count..]].concat();
        for bytes in [&lost[..], &lost[..lost.len() - 30]] {
            let found = Log::of(&Opener::new(), bytes).0;
            assert_eq!(found[1..3], members(&[1, 2]), "{count} bytes lost");
            assert!(found[0].0 == "x!a.sgf" && found[0].1.ends_with("<it is cut off>"), "{found:?}");
            assert!(!found[0].1.contains("PK"), "{count} bytes lost: {found:?}");
        }
    }
    // In an archive, headers are its own.
    let outer = plain_zip(&[("in.zip", &whole), ("d.sgf", b"(;B[dd])")]);
    for lost in [&outer[..], &outer[..outer.len() - 30]].map(|bytes| [&bytes[..200], &bytes[210..]].concat()) {
        let found = Log::of(&Opener::new(), &lost).0;
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).filter(|name| name.contains(".sgf")).collect();
        assert_eq!(names, ["x!in.zip!a.sgf", "x!in.zip!b.sgf", "x!in.zip!c.sgf", "x!d.sgf"], "{found:?}");
    }
}

/// Its checksum is right, and it leads to other bytes.
#[test]
fn a_torn_copy_of_a_header_is_not_taken_for_the_entry() {
    let names = ["a.sgf", "b.sgf", "c.sgf"];
    let games = names.map(|name| format!("(;GN[{name}]C[{}])", "0123456789".repeat(30)));
    let files: Vec<_> = names.iter().zip(&games).map(|(name, game)| (*name, game.as_bytes())).collect();
    let whole = told_zip(&files, CompressionMethod::STORE);
    let headers: Vec<_> = memmem::find_iter(&whole, b"PK\x03\x04").collect();
    let last = headers[2];
    let torn = [&whole[last..last + 26], &[0xFF; 14]].concat();
    let bytes = [&whole[..50], &whole[90..last], &torn, &whole[last..]].concat();
    assert_eq!(bytes.len(), whole.len());
    let found = Log::of(&Opener::new(), &bytes).0;
    for (name, game) in names.iter().zip(&games).skip(1) {
        assert!(found.contains(&(format!("x!{name}"), game.clone())), "{name}: {found:?}");
    }
}

/// What follows it was once read as its own, and again by itself.
#[test]
fn a_stored_zip_that_has_lost_bytes_ends_with_its_own_end() {
    let inner = plain_zip(&[("n1.sgf", &b"(;B[aa])".repeat(100)), ("n2.sgf", b"(;B[bb])")]);
    let games = [("g1.sgf", &b"(;W[aa])"[..]), ("g2.sgf", b"(;W[bb])"), ("g3.sgf", b"(;W[cc])")];
    let files: Vec<_> = [("n.zip", &inner[..])].into_iter().chain(games).collect();
    let whole = plain_zip(&files);
    let start = memmem::find(&whole, &inner).unwrap();
    for from in [0, 10, 60] {
        let bytes = [&whole[..start + from], &whole[start + from + 500..]].concat();
        let found = Log::of(&Opener::new(), &bytes).0;
        for (name, game) in games {
            let count = found.iter().filter(|(_, text)| text.as_bytes() == game).count();
            assert_eq!(count, 1, "{from} {name}: {found:?}");
        }
    }
}

#[test]
fn entries_of_a_zip_in_a_damaged_one_come_once() {
    let three = three();
    let inner = plain_zip(&three.each_ref().map(|(name, bytes)| (*name, &bytes[..])));
    let outer = plain_zip(&[("in.zip", &inner), ("d.sgf", b"(;B[dd])")]);
    let cut = outer.len() - 30;
    let found = Log::of(&Opener::new(), &[&outer[..200], &outer[210..cut]].concat()).0;
    assert!(found.iter().all(|(name, _)| name != "x!b.sgf") && found.iter().any(|(name, _)| name == "x!in.zip!b.sgf"));
}

/// Each claims all bytes to the end, and is damaged.
#[test]
fn many_zip_entries_in_each_other_are_not_all_read() {
    let entry =
        [b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0", &[7; 4][..], &[0, 0, 4, 0, 0, 0, 4, 0, 5, 0, 0, 0], b"a.sgf "].concat();
    let bytes = entry.repeat(5_000);
    let found = Log::of(&Opener::new(), &bytes).0;
    let delivered: usize = found.iter().map(|(_, text)| text.len()).sum();
    assert!(delivered < 10 * bytes.len(), "{delivered} of {}", bytes.len());
}

#[test]
fn a_zip_in_a_truncated_stream_gives_the_members_before_the_cut() {
    let random = |n: u32| n.wrapping_mul(0x9E37_79B9);
    let game = |n: u32| (0..200).fold("(;".to_owned(), |game, at| game + &format!("N[{}]", random(n * 200 + at))) + ")";
    let texts: Vec<String> = (0..400).map(game).collect();
    let names: Vec<String> = (0..400).map(|n| format!("{n}.sgf")).collect();
    let entries: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        let whole = zip(&entries, method);
        for compression in ["gz", "zst", "xz"] {
            let packed = compress(compression, &whole);
            let found = Log::of(&Opener::new(), &packed[..packed.len() * 2 / 3]).0;
            let right = found
                .iter()
                .zip(&entries)
                .take_while(|((name, text), (own, bytes))| name[2..] == **own && text.as_bytes() == *bytes);
            let count = right.count();
            assert!(count > 200, "{method} in {compression}: {count} members");
            assert!((count + 1..=count + 3).contains(&found.len()), "{:?}", &found[count..]);
            assert_eq!(found.last().unwrap().0, "x", "why some are missing");
        }
    }
}

#[test]
fn bytes_unpacked_before_a_cut_are_delivered() {
    use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text: Vec<u8> = (0..80_000).flat_map(|n| format!("(;GN[{}];B[aa];W[bb])\n", random(n)).into_bytes()).collect();
    let lz4 = |frame: FrameInfo| {
        let mut encoder = FrameEncoder::with_frame_info(frame, Vec::new());
        encoder.write_all(&text).unwrap();
        encoder.finish().unwrap()
    };
    let one_block = FrameInfo::new().block_size(BlockSize::Max4MB);
    let linked = FrameInfo::new().block_size(BlockSize::Max1MB).block_mode(BlockMode::Linked);
    let checked = FrameInfo::new().block_size(BlockSize::Max4MB).block_checksums(true).content_checksum(true);
    let mut all: Vec<(String, Vec<u8>)> =
        COMPRESSIONS.iter().map(|&ending| (ending.to_owned(), compress(ending, &text))).collect();
    for (name, frame) in [
        ("one block", one_block),
        ("linked blocks", linked),
        ("checksums", checked),
        ("old frames", FrameInfo::new().legacy_frame(true)),
    ] {
        all.push((format!("lz4, {name}"), lz4(frame)));
    }
    for (name, packed) in all {
        let found = Log::of(&Opener::new(), &packed[..packed.len() * 2 / 3]).0;
        let [(_, found)] = &found[..] else { panic!("{name}: one member") };
        let (found, error) = found.split_once('<').unwrap();
        assert!(text.starts_with(found.as_bytes()) && !error.is_empty(), "{name}");
        // Blocks of bzip2 have 900 kB, of zstd 128 kB; part of a block cannot be unpacked.
        let least = if name == "bz2" { 900_000 } else { text.len() / 2 };
        assert!(found.len() >= least, "{name}: {} of {}", found.len(), text.len());
    }
}

#[test]
fn bytes_unpacked_before_damage_are_delivered() {
    // Less than a buffer, as most files are.
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text: Vec<u8> = (0..90).flat_map(|n| format!(";GN[{}]\n", random(n)).into_bytes()).collect();
    let mut packed = compress("gz", &text);
    let middle = packed.len() * 3 / 4;
    packed[middle..][..8].fill(0xFF);
    let found = Log::of(&Opener::new(), &packed).0;
    let [(_, found)] = &found[..] else { panic!("one member") };
    let (found, error) = found.split_once('<').unwrap();
    let (whole, _) = text.split_at(text.len() / 2);
    assert!(found.as_bytes().starts_with(whole), "{} of {} bytes: {error}", found.len(), text.len());
}

/// Of a few bytes of tar the holes may be any length.
#[test]
fn holes_in_a_sparse_file_count_as_unpacked() {
    let sparse = |real_size: u64| {
        let text = b"(;B[aa])";
        let mut header = tar::Header::new_gnu();
        header.set_path("a.sgf").unwrap();
        header.set_entry_type(tar::EntryType::GNUSparse);
        header.set_size(text.len() as u64);
        let gnu = header.as_gnu_mut().unwrap();
        for (place, (offset, len)) in gnu.sparse.iter_mut().zip([(0, text.len() as u64), (real_size, 0)]) {
            place.set_offset(offset);
            place.set_length(len);
        }
        gnu.set_real_size(real_size);
        header.set_cksum();
        let mut tar = tar::Builder::new(Vec::new());
        tar.append(&header, &text[..]).unwrap();
        tar.into_inner().unwrap()
    };
    let text = |len: usize| format!("(;B[aa]){}", "\0".repeat(len - 8));
    let whole = Log::of(&limits(|limits| limits.bytes = 4096), &sparse(4096)).0;
    assert_eq!(whole, [("x!a.sgf".to_owned(), text(4096))]);
    let (name, found) = &Log::of(&limits(|limits| limits.bytes = 4096), &sparse(1 << 62)).0[0];
    assert!(name == "x!a.sgf" && found.contains('<') && found.len() < 10_000, "{name}: {} bytes", found.len());
}

/// A tar entry with pax headers, as GNU tar writes them.
fn pax(headers: &[(&str, &str)], name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_pax_extensions(headers.iter().map(|(key, value)| (*key, value.as_bytes()))).unwrap();
    tar_entry(&mut builder, name, bytes);
    tar_entry(&mut builder, "b.sgf", b"(;B[bb])");
    builder.into_inner().unwrap()
}

#[test]
fn a_sparse_file_of_pax_has_its_holes() {
    let list = |text: &str| [text.as_bytes(), &vec![0; 512 - text.len()]].concat();
    let whole = format!("(;B{}[aa])\0", "\0".repeat(3));
    let third = [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.name", "d/a.sgf")];
    let third = [&third[..], &[("GNU.sparse.realsize", "12")]].concat();
    let first = [("size", "12"), ("offset", "0"), ("numbytes", "3"), ("offset", "6"), ("numbytes", "5")];
    let first = first.map(|(key, value)| (format!("GNU.sparse.{key}"), value));
    let first: Vec<_> = first.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let second = [("GNU.sparse.size", "12"), ("GNU.sparse.name", "d/a.sgf"), ("GNU.sparse.map", "0,3,6,5,12,0")];
    for (headers, list, name) in [
        (&third[..], list("3\n0\n3\n6\n5\n12\n0\n"), "x!d/a.sgf"),
        (&second, Vec::new(), "x!d/a.sgf"),
        (&first, Vec::new(), "x!GNUSparseFile.0/a.sgf"),
    ] {
        let tar = pax(headers, "GNUSparseFile.0/a.sgf", &[&list, &b"(;B[aa])"[..]].concat());
        assert_log(&tar, &[(name, &whole), ("x!b.sgf", "(;B[bb])")]);
    }
    let message = "<damaged archive: the list of what is there of a sparse file makes no sense>";
    for text in ["2\n0\n3\n2\n5\n", "1\n0\n13\n", "1\n0\nx\n", "99999999999999999999\n", "9223372036854775808\n"] {
        let tar = pax(&third, "a.sgf", &[&list(text), &b"(;B[aa])"[..]].concat());
        assert_log(&tar, &[("x!d/a.sgf", message), ("x!b.sgf", "(;B[bb])")]);
    }
    // It ends with the entry.
    let tar = pax(&third, "a.sgf", &list("99999999999999\n"));
    assert_log(&tar, &[("x!d/a.sgf", message), ("x!b.sgf", "(;B[bb])")]);
    let endless = pax(&third, "a.sgf", "1\n".repeat(1 << 20).replacen('1', "999999", 1).as_bytes());
    assert_log(&endless, &[("x!d/a.sgf", message), ("x!b.sgf", "(;B[bb])")]);
    let tar = pax(&third, "a.sgf", &list("2\n0\n3\n6\n5\n"));
    assert_log(&tar, &[("x!d/a.sgf", "<it is cut off>"), ("x!b.sgf", "(;B[bb])")]);
}

/// The name in the header itself lacks its end then.
#[test]
fn a_damaged_pax_header_costs_no_game_in_silence() {
    let name = format!("{}.sgf", "d".repeat(120));
    for (text, is_read) in [("(;B[aa])", true), ("nothing to be read", false)] {
        let whole = pax(&[("path", &name), ("mtime", "1")], &name, text.as_bytes());
        assert_eq!(Log::of(&Opener::new(), &whole).0[0], (format!("x!{name}"), text.to_owned()));
        let record = memmem::find(&whole, b" path=").unwrap();
        let mut wrong = whole.clone();
        wrong[record - 1] = b'x';
        let short = format!("x!{}", "d".repeat(100));
        let message = "<damaged archive: its extended header makes no sense, and its name may be cut short>";
        let all = [(short.as_str(), message), (short.as_str(), text), ("x!b.sgf", "(;B[bb])")];
        let expected: Vec<_> = all.into_iter().filter(|(_, found)| is_read || *found != text).collect();
        assert_log(&wrong, &expected);
    }
    // A value may have more than one line, which is no damage.
    let lines = pax(&[("SCHILY.xattr.user.x", "a\nb"), ("mtime", "1")], "a.sgf", b"(;B[aa])");
    assert_log(&lines, &[("x!a.sgf", "(;B[aa])"), ("x!b.sgf", "(;B[bb])")]);
}

#[test]
fn a_stream_behind_a_damaged_one_is_reported_as_unread() {
    // The formats that always detect it.
    for ending in ["gz", "xz", "bz2"] {
        let one = compress(ending, &b"(;B[aa]C[one after the other])".repeat(40));
        let mut wrong = one.clone();
        let middle = wrong.len() / 2;
        wrong[middle..middle + 8].fill(0xFF);
        let found = Log::of(&Opener::new(), &[&one[..], &wrong, &one].concat()).0;
        let lost = ("x".to_owned(), "<everything after the damage is not read>".to_owned());
        assert!(found.len() == 2 && found[0].1.ends_with('>') && found[1] == lost, "{ending}: {found:?}");
    }
    // Nothing follows the damage.
    let mut last = compress("gz", b"(;B[aa])");
    let checksum = last.len() - 8;
    last[checksum] ^= 1;
    assert_eq!(Log::of(&Opener::new(), &last).0.len(), 1);
    // A tar in damaged gzip is reported once, too.
    let mut tar = compress("gz", &packed("tar"));
    let middle = tar.len() / 2;
    tar[middle..middle + 8].fill(0xFF);
    let found = Log::of(&Opener::new(), &tar).0;
    assert_eq!(found.iter().filter(|(_, message)| message.contains("after the damage")).count(), 1, "{found:?}");
}

#[test]
fn a_7z_may_stand_behind_a_program() {
    let root = folder("behind_program");
    let program = [&b"MZ\0\x01"[..], b"7z\xBC\xAF\x27\x1C is what it looks for", &vec![0; 200_000]].concat();
    let whole = [&program[..], &packed("7z")].concat();
    assert_eq!(Log::of(&Opener::new(), &whole).0, members(&[0, 1, 2]));
    let path = root.join("games.exe");
    for (bytes, count) in [(&whole, 3), (&program, 1)] {
        fs::write(&path, bytes).unwrap();
        let log = Log::by(Opener::new().open(&path)).0;
        assert_eq!(log.len(), count, "{log:?}");
    }
    assert_log(&program, &[("x", "<a program behind which no archive was found is not read>")]);
    assert_eq!(
        Log::by(Opener::new().open(&path)).0,
        [(path.display().to_string(), "<a program behind which no archive was found is not read>".to_owned())]
    );
    assert_log(b"MZ (;B[aa])", &[("x", "MZ (;B[aa])")]);
}

/// A zip of one entry with these packed bytes.
fn zip_of(method: CompressionMethod, bytes: &[u8], packed: &[u8]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    let (mut entry, config) = archive.new_file("a.sgf").compression_method(method).start().unwrap();
    let mut writer = config.wrap(std::io::sink());
    writer.write_all(bytes).unwrap();
    let (_, descriptor) = writer.finish().unwrap();
    entry.write_all(packed).unwrap();
    entry.finish(descriptor).unwrap();
    archive.finish().unwrap()
}

/// What a volume had of an entry was once all that was known of the memory that it takes.
#[test]
fn a_volume_may_end_anywhere_in_an_entry() {
    let root = folder("volumes_of_a_zip");
    let game = format!("(;C[{}])", "0123456789".repeat(30));
    for (method, ending) in [(CompressionMethod::XZ, "xz"), (CompressionMethod::ZSTD, "zst")] {
        let bytes = zip_of(method, game.as_bytes(), &with_window(ending, 16 << 20, game.as_bytes()));
        let path = |number| root.join(format!("{ending}.zip.00{number}"));
        for cut in 20..90 {
            fs::write(path(1), &bytes[..cut]).unwrap();
            fs::write(path(2), &bytes[cut..]).unwrap();
            let found = Log::by(Opener::new().open(path(1))).0;
            assert!(found.len() == 1 && found[0].1 == game, "{ending} {cut}: {found:?}");
        }
    }
}

#[test]
fn zip_entries_in_lzma_and_ppmd_are_read() {
    use liblzma::stream::{Filters, LzmaOptions, Stream};

    let text = "(;B[aa];W[bb])".repeat(1000);
    let mut options = LzmaOptions::new_preset(6).unwrap();
    options.dict_size(1 << 16);
    let mut filters = Filters::new();
    filters.lzma1(&options);
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), Stream::new_raw_encoder(&filters).unwrap());
    encoder.write_all(text.as_bytes()).unwrap();
    let lzma = [&[9, 20, 5, 0, 0x5D, 0, 0, 1, 0][..], &encoder.finish().unwrap()].concat();
    let mut encoder = ppmd_rust::Ppmd8Encoder::new(Vec::new(), 8, 1 << 20, ppmd_rust::RestoreMethod::Restart).unwrap();
    encoder.write_all(text.as_bytes()).unwrap();
    let ppmd = [&[7, 0][..], &encoder.finish(true).unwrap()].concat();
    for (method, packed) in [(CompressionMethod::LZMA, lzma), (CompressionMethod::PPMD, ppmd)] {
        assert_log(&zip_of(method, text.as_bytes(), &packed), &[("x!a.sgf", &text)]);
        for len in [0, 1, 5, packed.len() / 2] {
            let found = Log::of(&Opener::new(), &zip_of(method, text.as_bytes(), &packed[..len])).0;
            assert!(found.len() == 1 && found[0].1.ends_with('>'), "{method}, {len} bytes: {found:?}");
        }
    }
    let other = zip_of(CompressionMethod::new(97), b"(;)", b"?");
    assert_log(&other, &[("x!a.sgf", "<the method WavPack of zip is not read>")]);
}

/// A 7z of one block that is packed by these methods.
fn seven(methods: &[EncoderMethod], files: &[(&str, &[u8])]) -> Vec<u8> {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter, EncoderConfiguration, SourceReader};

    let mut writer = ArchiveWriter::new(std::io::Cursor::new(Vec::new())).unwrap();
    writer.set_content_methods(methods.iter().copied().map(EncoderConfiguration::new).collect());
    let entries = files.iter().map(|(name, _)| ArchiveEntry::new_file(name)).collect();
    let readers = files.iter().map(|(_, bytes)| SourceReader::new(*bytes)).collect();
    writer.push_archive_entries(entries, readers).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Changes the bytes from those on that name a method in the header of a 7z.
fn with_coder(mut bytes: Vec<u8>, coder: &[u8], change: impl FnOnce(&mut Vec<u8>, usize)) -> Vec<u8> {
    let header = 32 + u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
    let coder = header + memmem::find(&bytes[header..], coder).unwrap();
    change(&mut bytes, coder);
    let len = (bytes.len() - header) as u64;
    bytes[20..28].copy_from_slice(&len.to_le_bytes());
    let crc = rawzip::crc32(&bytes[header..]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
    let crc = rawzip::crc32(&bytes[12..32]);
    bytes[8..12].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// As py7zr writes it.
#[test]
fn ppmd_in_a_7z_may_have_more_properties() {
    let whole = seven(&[EncoderMethod::PPMD], &[("a.sgf", b"(;B[aa])")]);
    let bytes = with_coder(whole, b"\x23\x03\x04\x01\x05", |bytes, coder| {
        bytes.splice(coder + 10..coder + 10, [0, 0]);
        bytes[coder + 4] = 7;
    });
    assert_log(&bytes, &[("x!a.sgf", "(;B[aa])")]);
}

#[test]
fn the_members_of_a_7z_block_that_is_not_unpacked_are_counted() {
    let three = three();
    let whole = seven(&[EncoderMethod::LZMA2], &three.each_ref().map(|(name, bytes)| (*name, &bytes[..])));
    for (method, why) in [(0x7F, "an unknown method of 7z is not read"), (0x21, "it is encrypted")] {
        let bytes = with_coder(whole.clone(), b"\x21\x21\x01", |bytes, coder| {
            bytes[coder + 1] = method;
            if method == 0x21 {
                bytes.splice(coder..coder + 2, [0x24, 0x06, 0xF1, 0x07, 0x01]);
            }
        });
        let message = format!("<{why}>");
        assert_log(&bytes, &[("x", &message), ("x", "<3 members are not read because of that>")]);
    }
}

/// How much of the text a member has that is read with a large buffer.
fn right_bytes(archive: &[u8], text: &[u8]) -> usize {
    struct Large<'t>(&'t [u8], usize);

    impl Visit for Large<'_> {
        fn member(&mut self, _: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
            let mut buffer = vec![0; self.0.len()];
            while let Ok(len @ 1..) = bytes.read(&mut buffer) {
                let is_same = |(one, other): &(&u8, &u8)| one == other;
                let same = buffer[..len].iter().zip(&self.0[self.1..]).take_while(is_same).count();
                self.1 += same;
                if same < len {
                    break;
                }
            }
            ControlFlow::Continue(())
        }

        fn trouble(&mut self, _: &Name, _: Trouble) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    let mut large = Large(text, 0);
    let _ = Opener::new().visit("x", Source::stream(archive), &mut large);
    large.1
}

#[test]
fn what_stands_before_damage_in_a_7z_or_zip_is_read() {
    let random = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text = (0..40_000).flat_map(|n| format!("(;GN[{}])", random(n)).into_bytes()).collect::<Vec<_>>();
    let mut encoder = ppmd_rust::Ppmd8Encoder::new(Vec::new(), 8, 1 << 20, ppmd_rust::RestoreMethod::Restart).unwrap();
    encoder.write_all(&text).unwrap();
    let ppmd = [&[7, 0][..], &encoder.finish(true).unwrap()].concat();
    let mut archives: Vec<_> = [
        &[EncoderMethod::LZMA2][..],
        &[EncoderMethod::LZMA],
        &[EncoderMethod::PPMD],
        &[EncoderMethod::DEFLATE],
        &[EncoderMethod::DELTA_FILTER, EncoderMethod::LZMA2],
        &[EncoderMethod::BCJ_X86_FILTER, EncoderMethod::LZMA2],
    ]
    .into_iter()
    .map(|methods| (format!("{methods:?}"), seven(methods, &[("a.sgf", &text)])))
    .collect();
    archives.push(("zip and PPMd".to_owned(), zip_of(CompressionMethod::PPMD, &text, &ppmd)));
    archives.push(("zip and zstd".to_owned(), zip(&[("a.sgf", &text)], CompressionMethod::ZSTD)));
    for (what, mut bytes) in archives {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0xFF;
        bytes[middle + 1] ^= 0xFF;
        // Of zstd, a whole block is lost.
        let block = if what.ends_with("zstd") { 160 << 10 } else { 32 << 10 };
        let right = right_bytes(&bytes, &text);
        assert!(right + block > text.len() / 2, "{what}: {right} of {}", text.len());
    }
}

#[test]
fn a_link_in_a_7z_is_not_read() {
    use sevenz_rust2::{ArchiveEntry, ArchiveWriter};

    let mut writer = ArchiveWriter::new(std::io::Cursor::new(Vec::new())).unwrap();
    let kinds =
        [("a.sgf", 0x8000 | 0o100_644 << 16), ("b.sgf", 0x8000 | 0o120_777 << 16), ("c.sgf", 0x420), ("d.sgf", 0x20)];
    for (name, attributes) in kinds {
        let mut entry = ArchiveEntry::new_file(name);
        (entry.has_windows_attributes, entry.windows_attributes) = (true, attributes);
        writer.push_archive_entry(entry, Some(&b"(;)"[..])).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    assert_log(&bytes, &[("x!a.sgf", "(;)"), ("x!d.sgf", "(;)")]);
}

#[test]
fn filters_of_7z_are_undone() {
    let text = "(;B[aa];W[bb]\u{E8}\u{E9})".repeat(1000);
    for filter in [
        EncoderMethod::DELTA_FILTER,
        EncoderMethod::BCJ_X86_FILTER,
        EncoderMethod::BCJ_ARM_FILTER,
        EncoderMethod::BCJ_ARM_THUMB_FILTER,
        EncoderMethod::BCJ_ARM64_FILTER,
        EncoderMethod::BCJ_PPC_FILTER,
        EncoderMethod::BCJ_SPARC_FILTER,
        EncoderMethod::BCJ_IA64_FILTER,
    ] {
        for packer in [EncoderMethod::LZMA2, EncoderMethod::LZMA, EncoderMethod::PPMD] {
            let bytes = seven(&[filter, packer], &[("a.sgf", text.as_bytes())]);
            let found = Log::of(&Opener::new(), &bytes).0;
            assert!(found == [("x!a.sgf".to_owned(), text.clone())], "{filter:?} and {packer:?}");
        }
    }
}
