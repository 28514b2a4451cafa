//! Archives, intact or damaged, read the same however they are opened, and within their limits.
//!
//! Owns the property of the fuzz target `archive`. Refuses to know what is in an archive.

use std::fs::File;
use std::io::{Cursor, Read, Seek, Write};
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;

use sgf_stream::archive::{Limits, Members, Name, Opener, Source, Trouble, Visit};

use super::properties::Control;

/// Since archives are full of NULs, the last eight bytes are the control, if there are more than eight.
pub(crate) fn split(data: &[u8]) -> (&[u8], Control) {
    let (input, control) = data.split_at(if data.len() > 8 { data.len() - 8 } else { data.len() });
    (input, Control::new(input, control))
}

/// However bytes are opened, the same members come out, and no more than the limits allow.
pub(crate) fn archive(input: &[u8], control: &Control) {
    let mut control = control.clone();
    let limits = limits(&mut control);
    let opener = Opener::new().limits(limits.clone());
    let whole = opened(&opener, Source::stream(input));
    whole.assert_within(&limits, input.len());
    assert_eq!(whole, opened(&opener, Source::stream(input)), "twice, {limits:?}");
    assert_eq!(whole, opened(&opener, Source::stream(Drops { rest: input, control: control.clone() })), "{limits:?}");
    let head = &input[..input.len().min(usize::from(control.next()))];
    let rest = &input[head.len()..];
    assert_eq!(whole, opened(&opener, Source::stream(rest).with_head(head)), "with its head, {limits:?}");

    // The limit on spooled bytes does not apply to files.
    if input.len() as u64 <= limits.spool {
        let mut file: File = tempfile::tempfile().expect("a temporary file");
        file.write_all(input).and_then(|()| file.rewind()).expect("it can be written");
        let from_file = opened(&opener, Source::file(file, Path::new("x")));
        assert_eq!(whole, from_file, "from a file, {limits:?}");
    }
    if control.next().is_multiple_of(4) {
        let members = opener.members("x", Source::stream(Cursor::new(input.to_vec())));
        let mut pulled = Log::default();
        hand_on(members, &mut pulled);
        assert_eq!(whole, pulled, "pulled, {limits:?}");
    }
}

/// Limits so small that some archives exceed them.
fn limits(control: &mut Control) -> Limits {
    let mut limits = Limits::untrusted();
    limits.nesting = 1 + usize::from(control.next() % 4);
    limits.members = 1 + u64::from(control.next() % 32);
    limits.bytes = 1 << (8 + control.next() % 12);
    limits.window = 1 << (12 + control.next() % 12);
    limits.spool = 1 << (8 + control.next() % 12);
    limits
}

fn opened(opener: &Opener, source: Source<'_>) -> Log {
    let mut log = Log::default();
    let flow = opener.visit("x", source, &mut log);
    assert!(flow.is_continue(), "it broke unasked");
    log
}

/// Hands on what is pulled as a visit would get it.
pub(crate) fn hand_on(mut members: Members, visit: &mut impl Visit) {
    while let Some(next) = members.next_member() {
        let _ = match next {
            Ok(mut member) => visit.member(&member.name().clone(), &mut member),
            Err(report) => visit.trouble(&report.name, report.trouble),
        };
    }
}

/// What a visit reports, in order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Log {
    entries: Vec<(String, String)>,
    members: u64,
    bytes: u64,
}

impl Log {
    fn assert_within(&self, limits: &Limits, input: usize) {
        // The input itself, and members stored in it unpacked, do not count as unpacked.
        assert!(self.bytes <= limits.bytes + input as u64, "{} bytes, {limits:?}", self.bytes);
        assert!(self.members <= limits.members.max(1), "{} members, {limits:?}", self.members);
        // Messages for each member, which may be a damaged archive in a truncated one, and for the archives around them.
        let most = 4 * limits.members + limits.nesting as u64 + 4;
        assert!(self.entries.len() as u64 <= self.members + most, "{} messages, {limits:?}", self.entries.len());
    }
}

impl Visit for Log {
    fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
        let mut text = Vec::new();
        let end = bytes.read_to_end(&mut text);
        self.members += 1;
        self.bytes += text.len() as u64;
        let end = end.err().map(|error| error.to_string());
        self.entries.push((name.to_string(), format!("{} {end:?}", text.escape_ascii())));
        Continue(())
    }

    fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
        self.entries.push((name.to_string(), format!("<{trouble}>")));
        Continue(())
    }
}

/// A pipe that gives a few bytes at a time.
struct Drops<'a> {
    rest: &'a [u8],
    control: Control,
}

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = 1 + usize::from(self.control.next());
        let len = most.min(buffer.len()).min(self.rest.len());
        let (now, later) = self.rest.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.rest = later;
        Ok(len)
    }
}
