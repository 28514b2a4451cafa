//! One source while it is read: from its bytes to its members, however formats are nested.
//!
//! Owns [`Opening`], how each format is handled, and how deep nesting goes. Each container has a file of its own. Refuses to know
//! what the visitor does with a member.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::archive::behind::behind_file;
use crate::archive::buffered::Buffered;
use crate::archive::format::{Format, HEAD_LEN, head_of, may_begin_game, skippable_len};
use crate::archive::frames::{After, Frames};
use crate::archive::limits::{Meter, Metered};
use crate::archive::picks::{Pick, is_apple_double, is_misnamed};
use crate::archive::seekable::{Seekable, Volume, is_volume, last_of_split_zip, missing_volume};
use crate::archive::source::{Rest, Source};
use crate::archive::{Error, Name, Opener, Skip, Trouble, Visit, tar, window_size};

/// Bytes in some stage of unpacking.
pub(crate) type Input<'a> = Buffered<Box<dyn Read + 'a>>;

/// What is known of bytes from what they lie in.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// In how many archives and compressions they lie.
    pub(crate) depth: usize,
    pub(crate) pick: Pick,
}

impl Level {
    /// That of what is packed in them.
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// That of an entry which is picked like this.
    pub(crate) fn with(self, pick: Pick) -> Self {
        Self { pick, ..self }
    }
}

/// One source while it is read. A break ends all of its reading.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own; together they are no state")]
pub(crate) struct Opening<'o, 'v> {
    pub(crate) opener: &'o Opener,
    /// The only member that is read, if one was named.
    member: Option<Arc<str>>,
    pub(crate) meter: Rc<Meter>,
    visit: &'v mut dyn Visit,
    pub(crate) name: Name,
    /// Where in the input the bytes begin that are read, if they lie there unchanged.
    pub(crate) start: Option<u64>,
    /// Makes the input itself go on from another place, if it can.
    pub(crate) jump: Option<Rc<Cell<Option<u64>>>>,
    /// In how many archives and compressions the thing lies that has this name.
    named_at: usize,
    /// The visitor stopped.
    stopped: bool,
    /// The visitor received a member or a report.
    has_delivered: bool,
    /// The member that was named has come, or an error that may be in its place.
    is_answered: bool,
    /// It was reported that what follows the last damage is not read.
    rest_is_reported: bool,
}

impl<'o, 'v> Opening<'o, 'v> {
    /// `member`: the only one that is wanted.
    pub(super) fn new(
        opener: &'o Opener,
        name: Name,
        member: Option<Arc<str>>,
        meter: Meter,
        visit: &'v mut dyn Visit,
    ) -> Self {
        Self {
            opener,
            member,
            meter: Rc::new(meter),
            visit,
            name,
            start: None,
            jump: None,
            named_at: 0,
            stopped: false,
            has_delivered: false,
            is_answered: false,
            rest_is_reported: false,
        }
    }
}

impl Opening<'_, '_> {
    /// Breaks if the visitor does.
    pub(super) fn read(&mut self, source: Source<'_>) -> ControlFlow<()> {
        // A break may be due to a limit, which ends only this source.
        let _ = self.source(source);
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn source(&mut self, source: Source<'_>) -> ControlFlow<()> {
        let Source { mut head, rest, member } = source;
        let pick = if self.is_named() { self.opener.picks.pick_input(self.name.input()) } else { Pick::LookInto };
        let level = Level { depth: 0, pick };
        match rest {
            Rest::Stream(stream) => self.counted(head, stream, level)?,
            Rest::File(mut file, path) => {
                if head.is_empty() {
                    head = match head_of(&mut file) {
                        Ok(head) => head,
                        Err(error) => return self.failed(error),
                    };
                }
                self.file(head, file, &path, level)?;
            }
        }
        match member {
            Some(member) if !self.is_answered => self.failed(Error::NoMember(member.to_string())),
            _ if !self.has_delivered => self.trouble(self.opener.nothing()),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Whether the caller has named what has the present name: the input, or a member of it.
    fn is_named(&self) -> bool {
        self.name.member() == self.member.as_deref()
    }

    /// Reads a file of which `head` was read already.
    fn file(&mut self, head: Vec<u8>, mut file: File, path: &Path, level: Level) -> ControlFlow<()> {
        let volume = Volume::of(path);
        if let Some(first) = volume.as_ref().and_then(Volume::first) {
            return self.failed(Error::NotTheFirstVolume(first.to_string_lossy().into_owned()));
        }
        if let Some(last) = last_of_split_zip(path) {
            return self.failed(Error::NotTheLastVolume(last.to_string_lossy().into_owned()));
        }
        if let Some(missing) = missing_volume(path, &head) {
            return self.failed(Error::MissingVolume(missing.to_string_lossy().into_owned()));
        }
        let format = match Format::is_doubtful(&head).then(|| behind_file(&mut file, &head)) {
            Some(Format::Plain) | None => Format::detect(&head),
            Some(Format::Unsupported(what)) => {
                self.opener.count(head.len() as u64);
                return self.failed(Error::Unsupported(what));
            }
            Some(format) => format,
        };
        self.start = volume.is_none().then_some(0);
        if !matches!(format, Format::Zip | Format::SevenZip) && volume.is_none() {
            return self.jumping(head, file, level);
        }
        let whole = match Seekable::file(file, path, self.opener) {
            Ok(whole) => whole,
            Err(error) => return self.failed(error),
        };
        self.meter.add_input(whole.len());
        let flow = self.seekable(format, &whole, level);
        if !self.stopped {
            whole.count_rest();
        }
        flow
    }

    /// Reads a source from its beginning to its end, which may be told to go on from another place.
    fn jumping(&mut self, head: Vec<u8>, source: impl Read + Seek, level: Level) -> ControlFlow<()> {
        let to = Rc::default();
        self.jump = Some(Rc::clone(&to));
        self.counted(head, Box::new(Jumping { source, to }), level)
    }

    /// Reads the source itself from its beginning to its end.
    fn counted(&mut self, head: Vec<u8>, stream: Box<dyn Read + '_>, level: Level) -> ControlFlow<()> {
        self.opener.count(head.len() as u64);
        self.meter.add_input(head.len() as u64);
        let counted = Counted { stream, opener: self.opener, meter: Rc::clone(&self.meter) };
        self.stream(Buffered::with_head(head, Box::new(counted) as Box<dyn Read + '_>), level)
    }

    pub(crate) fn seekable(&mut self, format: Format, source: &Seekable<'_>, level: Level) -> ControlFlow<()> {
        match format {
            Format::Zip | Format::SevenZip if level.depth == self.opener.limits.nesting => {
                self.failed(Error::TooDeep(level.depth))
            }
            Format::Zip => self.zip(source, level.deeper()),
            Format::SevenZip => self.seven(source, level.deeper()),
            _ => {
                let bytes = source.span(0, source.len());
                self.stream(Buffered::new(Box::new(bytes) as Box<dyn Read + '_>), level)
            }
        }
    }

    pub(crate) fn trouble(&mut self, trouble: Trouble) -> ControlFlow<()> {
        self.has_delivered = true;
        self.is_answered |= matches!(trouble, Trouble::Error(_));
        if self.visit.trouble(&self.name, trouble).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.unless_over()
    }

    pub(crate) fn failed(&mut self, error: impl Into<Error>) -> ControlFlow<()> {
        self.trouble(Trouble::Error(error.into()))
    }

    /// Trouble with an entry of the archive that is read.
    pub(crate) fn entry_trouble(&mut self, entry: &[u8], trouble: Trouble) -> ControlFlow<()> {
        let parent = self.name.push(entry);
        let flow = self.trouble(trouble);
        self.name.pop(parent);
        flow
    }

    /// Breaks once a limit was passed.
    fn unless_over(&self) -> ControlFlow<()> {
        if self.meter.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// How an entry of this name is treated.
    pub(crate) fn pick(&self, name: &[u8], outer: Pick) -> Pick {
        match &self.member {
            Some(wanted) if !self.name.is_in(wanted) => match self.name.way_to(wanted, name) {
                Some("") => self.opener.picks.pick_input(wanted),
                Some(_) => Pick::LookInto,
                None => Pick::Leave,
            },
            _ => self.opener.picks.pick_member(name, outer),
        }
    }

    /// Counts one more entry of an archive.
    pub(crate) fn add_member(&mut self) -> ControlFlow<()> {
        match self.meter.add_member() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => self.failed(error),
        }
    }

    /// Reports an entry of an archive that is not read.
    pub(crate) fn skipped(&mut self, name: &[u8], why: Skip) {
        if self.opener.skipped.is_some() {
            let parent = self.name.push(name);
            self.left(why);
            self.name.pop(parent);
        }
    }

    /// Reports that what has the present name is not read. If a member was named, those beside it are not reported.
    fn left(&self, why: Skip) {
        if let Some(skipped) = self.opener.skipped.as_ref().filter(|_| self.is_asked_for()) {
            skipped(&self.name, why);
        }
    }

    /// Whether all of what has the present name is to be read, and not only a member of it that was named.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.member.as_deref().is_none_or(|wanted| self.is_named() || self.name.is_in(wanted))
    }

    /// Reports an entry that was not picked.
    pub(crate) fn not_picked(&mut self, name: &[u8]) {
        if self.opener.skipped.is_some() {
            self.skipped(name, self.opener.picks.why_not_member(name));
        }
    }

    /// Reads an entry of an archive.
    pub(crate) fn entry(&mut self, name: &[u8], bytes: &mut dyn Read, level: Level) -> ControlFlow<()> {
        self.entry_at(name, bytes, None, level)
    }

    /// Reads an entry that begins at `start` in the input, if it lies there unchanged.
    pub(crate) fn entry_at(
        &mut self,
        name: &[u8],
        bytes: &mut dyn Read,
        start: Option<u64>,
        level: Level,
    ) -> ControlFlow<()> {
        let parent = self.name.push(name);
        let around = (self.start, self.named_at);
        (self.start, self.named_at) = (start, level.depth);
        self.is_answered |= self.is_named();
        let flow = self.stream(Buffered::new(Box::new(bytes) as Box<dyn Read + '_>), level);
        (self.start, self.named_at) = around;
        self.name.pop(parent);
        flow
    }

    /// Reads bytes whose format shows in the first of them.
    fn stream(&mut self, mut input: Input<'_>, level: Level) -> ControlFlow<()> {
        let head = input.head(HEAD_LEN);
        if is_apple_double(self.name.last().as_bytes(), head) && !self.is_named() {
            self.left(Skip::Kind);
            return ControlFlow::Continue(());
        }
        let format = Format::detect(head);
        if level.depth < self.opener.limits.nesting && Format::is_doubtful(head) {
            return self.doubtful(&mut input, level);
        }
        self.told_stream(format, input, level)
    }

    /// Reads bytes whose format is known.
    pub(crate) fn told_stream(&mut self, format: Format, mut input: Input<'_>, level: Level) -> ControlFlow<()> {
        if format.is_plain() {
            let is_named = self.is_named();
            if level.pick == Pick::LookInto && !is_named {
                self.left(Skip::Name);
                return ControlFlow::Continue(());
            }
            let head = input.head(HEAD_LEN);
            if level.depth == self.named_at && is_misnamed(self.name.last().as_bytes(), head) {
                return self.misnamed(&mut input);
            }
            if level.pick == Pick::IfGame && !is_named && !may_begin_game(head) {
                self.left(Skip::Name);
                return ControlFlow::Continue(());
            }
            return self.member(&mut input);
        }
        if let Format::Unsupported(what) = format {
            return self.failed(Error::Unsupported(what));
        }
        if level.depth == self.opener.limits.nesting {
            return self.failed(Error::TooDeep(level.depth));
        }
        match format {
            Format::Tar => self.tar(input, level.deeper()),
            format if format.is_compression() => self.compressed(format, input, level.deeper()),
            _ => match Seekable::spool(&mut input, self.opener.limits.spool) {
                Ok((spooled, None)) => {
                    let is_volume = level.depth > 0 && is_volume(Path::new(self.name.last()));
                    self.seekable(format, &spooled.of_several(is_volume), level)
                }
                // The table that says where entries are is at the end; but the entries of a zip also have headers of their own.
                Ok((spooled, Some(error))) if format == Format::Zip && !self.meter.is_over() => {
                    self.salvage(&spooled, (0, spooled.len()), level.deeper())?;
                    self.failed(error)
                }
                Ok((_, Some(error))) | Err(error) => self.failed(error),
            },
        }
    }

    /// Has what its name says only if that is a tar without entries, which no first bytes tell from other zeros.
    fn misnamed(&mut self, input: &mut Input<'_>) -> ControlFlow<()> {
        let ending = Path::new(self.name.last()).extension();
        let is_tar = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("tar"));
        match if is_tar { tar::is_empty(input) } else { input.peek(HEAD_LEN).map(|_| false) } {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => self.failed(Error::NotAsNamed),
            // If the source has failed, nobody knows what stands there.
            Err(error) => self.failed(error),
        }
    }

    fn compressed(&mut self, format: Format, mut input: Input<'_>, level: Level) -> ControlFlow<()> {
        let head = input.head(window_size::START_LEN);
        // What a skippable frame stands before is not in sight.
        if window_size::window(format, head) > window_size::SMALL || skippable_len(head).is_some() {
            self.heavy()?;
        }
        let after = Rc::new(Cell::new(After::Nothing));
        let frames = match Frames::new(format, input, &self.meter, Rc::clone(&after)) {
            Ok(frames) => frames,
            Err(error) => return self.failed(error),
        };
        let unpacked = Metered::new(frames, Rc::clone(&self.meter));
        let around = self.start.take();
        self.rest_is_reported = false;
        let flow = self.stream(Buffered::new(Box::new(unpacked) as Box<dyn Read + '_>), level);
        self.start = around;
        flow?;
        match after.get() {
            After::Bytes(count) if count > 0 => self.trouble(Trouble::BytesAfterEnd(count)),
            After::Packed(count) => self.failed(Error::PackedAfterEnd(count)),
            After::Damage if !self.rest_is_reported => self.rest_lost(),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Reports that the packed bytes continue after damage.
    pub(crate) fn rest_lost(&mut self) -> ControlFlow<()> {
        self.rest_is_reported = true;
        self.trouble(Trouble::RestLost)
    }

    /// Announces that more than a little memory is needed.
    pub(crate) fn heavy(&mut self) -> ControlFlow<()> {
        if self.visit.heavy().is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn member(&mut self, bytes: &mut dyn Read) -> ControlFlow<()> {
        self.has_delivered = true;
        self.name.set_start(self.start);
        if self.visit.member(&self.name, bytes).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.unless_over()
    }
}

/// A source that goes on from another place when it is told to.
struct Jumping<R> {
    source: R,
    to: Rc<Cell<Option<u64>>>,
}

impl<R: Read + Seek> Read for Jumping<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(to) = self.to.take() {
            self.source.seek(SeekFrom::Start(to))?;
        }
        self.source.read(buffer)
    }
}

/// The source itself; counts what is read.
struct Counted<'a> {
    stream: Box<dyn Read + 'a>,
    opener: &'a Opener,
    meter: Rc<Meter>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Bytes that nothing unpacks are not asked about elsewhere.
        if self.opener.is_closed() {
            return Err(io::Error::other("nobody reads it"));
        }
        let len = self.stream.read(buffer)?;
        self.meter.add_input(len as u64);
        self.opener.count(len as u64);
        Ok(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::Limits;

    /// A file of which some bytes can't be read, as on a disk that fails.
    struct Bad {
        bytes: io::Cursor<Vec<u8>>,
        bad: std::ops::Range<u64>,
    }

    impl Read for Bad {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let at = self.bytes.position();
            if self.bad.contains(&at) {
                return Err(io::Error::from_raw_os_error(5));
            }
            let most = self.bad.start.checked_sub(at).map_or(buffer.len(), |most| buffer.len().min(most as usize));
            self.bytes.read(&mut buffer[..most])
        }
    }

    impl Seek for Bad {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.bytes.seek(to)
        }
    }

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Visit for Log {
        fn member(&mut self, name: &Name, bytes: &mut dyn Read) -> ControlFlow<()> {
            let mut all = Vec::new();
            let end = if bytes.read_to_end(&mut all).is_ok() { "whole" } else { "failed" };
            self.0.push(format!("{name} {end} {} {:?}", all.len(), name.start()));
            ControlFlow::Continue(())
        }

        fn trouble(&mut self, name: &Name, trouble: Trouble) -> ControlFlow<()> {
            self.0.push(format!("{name} {trouble}"));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn what_cannot_be_read_of_a_tar_file_costs_one_member() {
        let mut tar = ::tar::Builder::new(Vec::new());
        for (name, len) in [("a.sgf", 700), ("b.sgf", 100_000), ("c.sgf", 8)] {
            let mut header = ::tar::Header::new_gnu();
            header.set_path(name).unwrap();
            header.set_size(len);
            header.set_cksum();
            tar.append(&header, &b"(;B[aa])".repeat(12_500)[..len as usize]).unwrap();
        }
        let bytes = tar.into_inner().unwrap();
        let second = 512 + 1024 + 512;
        let third = second + 100_352 + 512;
        let visit = |bad| {
            let opener = Opener::new();
            let mut log = Log::default();
            let mut opening = Opening::new(&opener, Name::new("x"), None, Meter::new(Limits::new()), &mut log);
            opening.start = Some(0);
            let (head, mut source) = (bytes[..HEAD_LEN].to_vec(), Bad { bytes: io::Cursor::new(bytes.clone()), bad });
            source.bytes.set_position(HEAD_LEN as u64);
            assert!(opening.jumping(head, source, Level { depth: 0, pick: Pick::Read }).is_continue());
            log.0
        };
        let first = "x!a.sgf whole 700 Some(512)".to_owned();
        let last = format!("x!c.sgf whole 8 Some({third})");
        let failed = format!("x!b.sgf failed 4096 Some({second})");
        assert_eq!(visit(second + 4096..second + 8192), [first.clone(), failed, last]);
        // What a header would have said is not known.
        let found = visit(second - 512..second);
        assert_eq!((found.len(), &found[0]), (3, &first), "{found:?}");
    }
}
