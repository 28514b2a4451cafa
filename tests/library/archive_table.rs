//! What damage to an entry of a zip's table costs: nothing, as long as the entry's own header is right.

use std::sync::{Arc, Mutex};

use memchr::memmem;
use rawzip::CompressionMethod;
use sgf_stream::archive::{Opener, Picks};

use crate::archive::{Log, assert_log};
use crate::archive_damage::{members, three, told_zip};
use crate::support::archives::zip;

const METHODS: [CompressionMethod; 2] = [CompressionMethod::STORE, CompressionMethod::DEFLATE];

/// Where the entries of the table begin.
fn entries(zip: &[u8]) -> Vec<usize> {
    memmem::find_iter(zip, b"PK\x01\x02").collect()
}

fn is_trouble((_, text): &(String, String)) -> bool {
    text.ends_with('>')
}

/// Writes bytes over an entry of the table.
fn damaged(zip: &[u8], entry: usize, places: &[(usize, &[u8])]) -> Vec<u8> {
    let mut wrong = zip.to_vec();
    for (at, bytes) in places {
        wrong[entry + at..][..bytes.len()].copy_from_slice(bytes);
    }
    wrong
}

/// The places: 10 method, 16 checksum, 20 packed and 24 unpacked length, 42 offset, 46 name.
#[test]
fn a_damaged_entry_of_the_table_of_a_zip_costs_nothing() {
    let three = three();
    let three = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let missing = "the table of contents does not have it";
    let length = "the table of contents has a wrong length for it";
    let place = "the table of contents has a wrong place for it";
    let name = "the table of contents has another name for it";
    for method in METHODS {
        for whole in [told_zip(&three, method), zip(&three, method)] {
            for (at, &entry) in entries(&whole).iter().enumerate() {
                for (what, places, said) in [
                    ("offset and name zero", &[(42, &[0; 9][..])][..], missing),
                    ("offset and name", &[(42, &[0xFF; 9])], missing),
                    ("offset of the first, other name", &[(42, b"\0\0\0\0b.txt")], missing),
                    ("offset and name of a directory", &[(42, b"\0\0\0\0b/c/d")], missing),
                    ("all zero, and a directory", &[(10, &[0; 18]), (46, b"b/c/d")], missing),
                    ("offset", &[(42, &[0xFF; 4])], place),
                    ("checksum and lengths", &[(16, &[0; 12])], length),
                    ("method, checksum and lengths", &[(10, &[0; 18])], length),
                    ("packed length", &[(20, &[0; 4])], length),
                    ("name of a directory", &[(50, b"/")], name),
                    ("another name of a directory", &[(46, b"b/c/d")], name),
                ] {
                    let found = Log::of(&Opener::new(), &damaged(&whole, entry, places)).0;
                    let context = format!("{method}, {what}, entry {at}: {found:?}");
                    let mut read: Vec<_> = found.iter().filter(|one| !is_trouble(one)).cloned().collect();
                    read.sort();
                    assert_eq!(read, members(&[0, 1, 2]), "{context}");
                    let told: Vec<_> =
                        found.iter().filter(|one| is_trouble(one)).map(|(_, text)| text.as_str()).collect();
                    // Where the zeros are the right place, only the name was wrong.
                    let is_first = at == 0 && (said == missing && !what.starts_with("all"));
                    let is_name = is_first && *told == [format!("<damaged archive: {name}>")];
                    assert!(is_name || *told == [format!("<damaged archive: {said}>")], "{context}");
                }
            }
        }
    }
}

/// Its own header stands in none of the places where others are.
#[test]
fn entries_that_a_table_has_lost_are_picked_like_others() {
    let files = [("a.sgf", &b"(;B[aa])"[..]), ("b.txt", b"no"), ("c.sgf", b"(;B[cc])"), ("d/", b"")];
    let whole = told_zip(&files, CompressionMethod::STORE);
    let lost = entries(&whole).into_iter().skip(1).fold(whole, |zip, entry| damaged(&zip, entry, &[(42, &[0xFF; 6])]));
    let said = "<damaged archive: the table of contents does not have it>";
    assert_log(&lost, &[("x!a.sgf", "(;B[aa])"), ("x!c.sgf", said), ("x!c.sgf", "(;B[cc])")]);
    let not = Opener::new().picks(Picks::new().not(["c.*"]).unwrap());
    assert_eq!(Log::of(&not, &lost).0, [("x!a.sgf".to_owned(), "(;B[aa])".to_owned())]);
    let named = Opener::new().member("c.sgf");
    assert_eq!(
        Log::of(&named, &lost).0,
        [("x!c.sgf", said), ("x!c.sgf", "(;B[cc])")].map(|(a, b)| (a.into(), b.into()))
    );
}

/// Nothing that was deleted comes back: a table without an entry is right as long as the others are.
#[test]
fn what_the_table_of_a_zip_was_written_without_is_not_read() {
    let three = three();
    let three = three.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    for method in METHODS {
        for whole in [told_zip(&three, method), zip(&three, method)] {
            for at in 0..3 {
                let (mut table, end) = (entries(&whole), whole.len() - 22);
                table.push(end);
                let (from, to) = (table[at], table[at + 1]);
                let mut end = whole[end..].to_vec();
                (end[8], end[10]) = (2, 2);
                end[12] -= (to - from) as u8;
                let without = [&whole[..from], &whole[to..whole.len() - 22], &end].concat();
                let others: Vec<_> = (0..3).filter(|other| *other != at).collect();
                assert_eq!(Log::of(&Opener::new(), &without).0, members(&others), "{method}, {at}");
                // If another entry is damaged, both may be meant.
                let wrong = damaged(&without, entries(&without)[1], &[(42, &[0xFF; 9])]);
                let found = Log::of(&Opener::new(), &wrong).0;
                assert!(members(&[0, 1, 2]).iter().all(|member| found.contains(member)), "{found:?}");
            }
        }
    }
}

#[test]
fn a_sound_zip_is_read_in_silence() {
    let empty = ("e.sgf", &b""[..]);
    let inner = told_zip(&[("n.sgf", b"(;B[nn])"), ("d/", b""), empty], CompressionMethod::STORE);
    let files =
        [("d/", &b""[..]), ("d/a.sgf", b"(;B[aa])"), ("in.zip", &inner), empty, ("d/b.txt", b"no"), ("e/", b"")];
    let expected = [("x!d/a.sgf", "(;B[aa])"), ("x!in.zip!n.sgf", "(;B[nn])"), ("x!in.zip!e.sgf", ""), ("x!e.sgf", "")];
    for method in METHODS {
        for whole in [told_zip(&files, method), zip(&files, method)] {
            let skipped = Arc::new(Mutex::new(Vec::new()));
            let names = Arc::clone(&skipped);
            let opener = Opener::new().skipped(move |name, _| names.lock().unwrap().push(name.to_string()));
            let found = Log::of(&opener, &whole).0;
            assert_eq!(found, expected.map(|(name, text)| (name.to_owned(), text.to_owned())), "{method}");
            // By both faces.
            assert_eq!(*skipped.lock().unwrap(), ["x!d/b.txt"; 2]);
            // In another order, and with a program in front.
            let [first, second] = [0, 1].map(|at| entries(&whole)[entries(&whole).len() - 6 + at]);
            let last = whole.len() - 22;
            let turned =
                [b"MZ\0\0", &whole[..first], &whole[second..last], &whole[first..second], &whole[last..]].concat();
            assert_log(&turned, &expected);
        }
    }
}
