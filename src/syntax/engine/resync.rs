//! Games that begin where another has not ended: a truncated game must cost one game, not the rest of the archive.
//!
//! Owns the places where reading stops to ask whether what comes is a new game, and the answer. Invariant: between two
//! such places the engine does what it always does. It is fed up to the place, and none of its states knows about this.
//!
//! A place is a `(`, white space and `;` before a node that looks like a root, or before any node after a `[` that
//! nothing closed. Such a `(` is searched for in all bytes, whatever they are, which is cheap because there are
//! few. The state of the engine when it comes there decides the rest. Asking at every `(` and in every value instead
//! would cost something for each of them.

use std::ops::ControlFlow;

use super::{Engine, Flow, State};
use crate::syntax::lists::Lists;
use crate::syntax::root::{self, RootInfo};
use crate::syntax::scan;
use crate::syntax::{Ident, ProblemKind, Visitor, ident, kinds};
use crate::text::cut_end;
use crate::text::white::{ends_with_line_break, is_white, last_other, past_white, trim_end};

/// How many bytes before a place are examined.
const BEFORE: usize = 64;

/// How many bytes of a node are read in passing, without a look. A text in which something like a node begins every few
/// bytes is left to looks, which remember what they have read.
const PASSING: usize = 512;

/// How many bytes of a game may be kept: those of its root, of an empty node before it, and white space before either.
const FIRST: usize = 3 * root::REACH + 1;

/// What is known between two places.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    /// The last bytes that came.
    tail: [u8; BEFORE],
    /// The game that has a child tree with root properties. What has happened once may happen again, so in that game
    /// the beginning of a line proves nothing any more, unless a node that begins there shows a whole game: then that
    /// child was itself a game that began where another was cut off.
    rooted: Option<u64>,
    /// The last game that began at a place.
    opening: Option<Opening>,
    /// The first bytes of that game, if it began in an earlier chunk. Not in `opening`, so that the buffer is kept.
    first: Vec<u8>,
    /// The game in progress is being ended early.
    cutting: bool,
    /// The held bytes begin with a `(` that needs more bytes to be judged.
    is_open: bool,
    /// No place is before this offset, so that held bytes are not searched again whenever more come.
    searched: u64,
    /// The last place.
    last: Option<u64>,
    /// The last place before which a value was given up.
    cut: Option<u64>,
    pub(super) lists: Lists,
}

impl Watch {
    pub(super) fn new() -> Self {
        Self {
            tail: [0; BEFORE],
            rooted: None,
            opening: None,
            first: Vec::new(),
            cutting: false,
            is_open: false,
            searched: 0,
            last: None,
            cut: None,
            lists: Lists::default(),
        }
    }
}

/// What is known about the root of a game.
#[derive(Clone, Copy, Debug)]
struct Opening {
    /// Where the game begins.
    game: u64,
    /// Whether the root looks like one.
    has_header: Option<bool>,
    /// Whether it shows a whole game.
    is_whole: Option<bool>,
}

/// Bytes that have come, and the offset of the first of them. They are held until they are read, so a place in them is
/// told by its index.
#[derive(Clone, Copy)]
struct Stretch<'a> {
    bytes: &'a [u8],
    start: u64,
}

impl<'a> Stretch<'a> {
    fn offset(self, at: usize) -> u64 {
        self.start + at as u64
    }

    /// The bytes from an offset on, if that is not before them or behind them.
    fn since(self, offset: u64) -> Option<&'a [u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..)
    }
}

/// Where reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutPlace {
    /// Before a root, or what looks like one.
    Root { is_strong: bool },
    /// In a value that nothing closed: on a new line, perhaps a game, and otherwise a variation.
    OpenValue,
    /// More bytes are needed to know.
    NeedMore,
}

impl Engine {
    /// Whether the engine watches for games that begin inside others.
    pub(super) fn is_watching(&self) -> bool {
        self.config.resync || self.config.cap_values
    }

    /// Whether more of the chunk is needed before the held bytes can be read.
    pub(super) fn waits(&self) -> bool {
        self.state == State::Look || self.watch.is_open
    }

    /// Whether a child tree of the game in progress looks like a root.
    pub(super) fn is_rooted(&self) -> bool {
        self.watch.rooted == Some(self.game)
    }

    /// Whether the root of the game in progress may show a whole game, and stands not far back.
    pub(super) fn may_be_whole(&self) -> bool {
        self.opening(self.offset()).is_some()
    }

    /// What is known about the root of the game in progress, if that stands not far before `at`. A large game can be read
    /// in parts by parsers that do not know how it began, so a root far back must not count.
    fn opening(&self, at: u64) -> Option<Opening> {
        self.watch.opening.filter(|opening| opening.game == self.game && !self.is_far(at))
    }

    /// Whether the root of the game in progress shows a whole game. `None` if more bytes are needed.
    fn is_whole(&mut self, at: u64, stretch: Stretch<'_>) -> Option<bool> {
        let Some(opening) = self.opening(at) else { return Some(false) };
        if opening.is_whole.is_some() {
            return opening.is_whole;
        }
        let first = stretch.since(self.game).unwrap_or(&self.watch.first);
        let is_whole = root::root_info(&mut Lists::default(), self.game, first, self.ended)? > RootInfo::Nothing;
        self.watch.opening = Some(Opening { is_whole: Some(is_whole), ..opening });
        Some(is_whole)
    }

    /// Whether the root of the game in progress looks like one. `None` as above.
    fn has_header(&mut self, at: u64, stretch: Stretch<'_>) -> Option<bool> {
        let Some(opening) = self.opening(at) else { return Some(false) };
        if opening.has_header.is_some() {
            return opening.has_header;
        }
        let first = stretch.since(self.game).unwrap_or(&self.watch.first);
        let has_header = root::is_root(&mut Lists::default(), self.game, first, self.ended)?;
        self.watch.opening = Some(Opening { has_header: Some(has_header), ..opening });
        Some(has_header)
    }

    /// The game that begins at this offset has been found by its root, which looks like one.
    pub(super) fn begin_with_header(&mut self, game: u64) {
        self.watch.opening = Some(Opening { game, has_header: Some(true), is_whole: Some(false) });
    }

    /// A value is given up before the place with this offset.
    pub(super) fn cut_before(&mut self, place: u64) {
        self.watch.cut = Some(place);
    }

    /// Whether a value had not ended before the place with this offset, at which the engine stands.
    fn is_in_value(&self, place: u64) -> bool {
        if self.watch.cut == Some(place) {
            return true;
        }
        match self.state {
            State::Value(_) => true,
            State::Skip(_) => self.skipped.quoted,
            _ => false,
        }
    }

    /// Keeps the part of the last game's root that is in these bytes.
    fn keep_first(&mut self, stretch: Stretch<'_>) {
        let Watch { opening: Some(opening), first, .. } = &mut self.watch else { return };
        let room = FIRST.saturating_sub(first.len());
        let new = stretch.since(opening.game + first.len() as u64).unwrap_or_default();
        first.extend_from_slice(&new[..new.len().min(room)]);
    }

    /// Whether none of the bytes since this offset, as far as they were read, is such a place.
    pub(in crate::syntax) fn is_without_place_since(&self, offset: u64) -> bool {
        self.watch.last.is_none_or(|last| last < offset)
    }

    /// Declares that no byte before this offset is one.
    pub(in crate::syntax) fn search_from(&mut self, offset: u64) {
        self.watch.searched = offset;
    }

    /// The bytes up to the first place at which the game in progress may turn out to have ended.
    pub(super) fn unwatched<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if !self.is_watching() {
            return bytes;
        }
        let stretch = Stretch { bytes, start: self.offset() };
        let first = scan::find_tree(bytes, |at| self.place(stretch, at, true).is_some());
        &bytes[..first.unwrap_or(bytes.len())]
    }

    /// Reads bytes, and returns how many; the caller holds the others.
    pub(super) fn pass_watching<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> (Flow<V>, usize) {
        let stretch = Stretch { bytes, start: self.base };
        let flow = self.watch(stretch, visitor);
        self.keep_first(stretch);
        let read = self.read_of(stretch);
        self.keep_tail(&bytes[..read]);
        (flow, read)
    }

    fn watch<V: Visitor>(&mut self, stretch: Stretch<'_>, visitor: &mut V) -> Flow<V> {
        self.watch.is_open = false;
        if self.watch.cutting {
            self.cut(visitor)?;
        }
        self.keep_first(stretch);
        let Stretch { bytes, start } = stretch;
        let from = usize::try_from(self.watch.searched.saturating_sub(start))
            .map_or(bytes.len(), |from| from.min(bytes.len()));
        let mut stop = None;
        // A place is handled while the search waits. A search started anew there would look again at the trees behind it.
        scan::find_tree(&bytes[from..], |open| {
            let at = from + open;
            if let Some(place) = self.place(stretch, at, self.ended) {
                stop = self.stop_at(place, at, stretch, visitor);
            }
            stop.is_some()
        });
        if let Some(flow) = stop {
            return flow;
        }
        self.watch.searched = self.watch.searched.max(stretch.offset(bytes.len()));
        self.pass_to(bytes.len(), stretch, false, visitor)
    }

    /// At a place. Returns how reading ends there, unless it goes on.
    #[inline(never)]
    fn stop_at<V: Visitor>(
        &mut self,
        place: CutPlace,
        at: usize,
        stretch: Stretch<'_>,
        visitor: &mut V,
    ) -> Option<Flow<V>> {
        let offset = stretch.offset(at);
        self.watch.searched = self.watch.searched.max(offset);
        self.watch.last = Some(offset);
        let mut flow = self.pass_to(at, stretch, place != CutPlace::NeedMore, visitor);
        if flow.is_continue() && self.state != State::Between {
            if place == CutPlace::OpenValue
                && self.config.resync
                && self.is_in_value(offset)
                && let ControlFlow::Break(answer) = self.stop_at_open_value(at, stretch, visitor)
            {
                return answer;
            }
            match self.is_game(place, at, stretch) {
                Some(true) => flow = self.cut(visitor),
                Some(false) => return None,
                None => {
                    self.watch.is_open = true;
                    return Some(flow);
                }
            }
        }
        if flow.is_break() {
            return Some(flow);
        }
        self.watch.opening = Some(Opening { game: offset, has_header: None, is_whole: None });
        self.watch.first.clear();
        None
    }

    /// At a place in a value that nothing closed, where games are told from variations. Breaks with the answer of
    /// [`stop_at`](Self::stop_at), unless a game may begin there.
    fn stop_at_open_value<V: Visitor>(
        &mut self,
        at: usize,
        stretch: Stretch<'_>,
        visitor: &mut V,
    ) -> ControlFlow<Option<Flow<V>>> {
        let begins_line = ends_with_line_break(&self.before(&stretch.bytes[..at]));
        if !begins_line && !kinds::is_short(self.text.head) {
            // A text that quotes such a value.
            return ControlFlow::Break(None);
        }
        match self.has_header(stretch.offset(at), stretch) {
            // Where games have headers, a tree without one is a variation.
            Some(true) => {
                self.skipped.quoted = false;
                let flow = self.give_up_value(ProblemKind::UnterminatedValue, visitor);
                ControlFlow::Break(flow.is_break().then_some(flow))
            }
            // Games that follow one another on a line would be taken along.
            Some(false) if !begins_line => ControlFlow::Break(None),
            Some(false) => ControlFlow::Continue(()),
            None => {
                self.watch.is_open = true;
                ControlFlow::Break(Some(ControlFlow::Continue(())))
            }
        }
    }

    /// Reads up to the byte `at`. `fence`: from there on, nothing is part of a value that is open.
    fn pass_to<V: Visitor>(&mut self, at: usize, stretch: Stretch<'_>, fence: bool, visitor: &mut V) -> Flow<V> {
        let read = self.read_of(stretch);
        if read == at {
            return ControlFlow::Continue(());
        }
        self.text.fenced = fence;
        let (flow, _) = self.pass(&stretch.bytes[read..at], visitor);
        self.text.fenced = false;
        flow
    }

    /// How many bytes of the stretch were read.
    fn read_of(&self, stretch: Stretch<'_>) -> usize {
        (self.base - stretch.start) as usize
    }

    /// Whether no byte after the chunk can affect what is looked at.
    pub(super) fn is_last(&self) -> bool {
        self.ended || self.text.fenced
    }

    /// Which place the `(` at `at` is, if any. `last`: there are no more bytes.
    #[inline(always)]
    fn place(&mut self, stretch: Stretch<'_>, at: usize, last: bool) -> Option<CutPlace> {
        let (before, [_, after @ ..]) = stretch.bytes.split_at(at) else { return None };
        let after = if let [b';', ..] = after { after } else { past_white(after) };
        match after {
            [b';', node @ ..] => {
                let is_other = has_no_header(node);
                if is_other && ends_value(before) { None } else { self.place_at(stretch, at, last, is_other) }
            }
            [byte, ..] if !is_white(*byte) => None,
            _ => self.place_at(stretch, at, last, false),
        }
    }

    /// Which place it is if that cannot be said at once. `is_other`: its node is certainly no root.
    #[inline(never)]
    fn place_at(&mut self, stretch: Stretch<'_>, at: usize, last: bool, is_other: bool) -> Option<CutPlace> {
        let bytes = stretch.bytes;
        let rest = &bytes[at + 1..];
        let Some(white) = rest.iter().take(root::REACH).position(|&byte| !is_white(byte)) else {
            return (!last && rest.len() < root::REACH).then_some(CutPlace::NeedMore);
        };
        let node = rest[white..].strip_prefix(b";")?;
        let kind = if is_other {
            root::Kind::Other
        } else if root::is_plainly_root(node) {
            root::Kind::Root { is_strong: true }
        } else {
            let node = root::past_empty(node);
            root::kind(&mut self.watch.lists, stretch.offset(bytes.len() - node.len()), node, last)
        };
        match kind {
            root::Kind::Root { is_strong } if self.config.resync => Some(CutPlace::Root { is_strong }),
            root::Kind::NeedMore => Some(CutPlace::NeedMore),
            _ => (self.config.cap_values && self.is_in_open_value(&bytes[..at])).then_some(CutPlace::OpenValue),
        }
    }

    /// Whether what begins at `at` is the next game; the engine stands there, inside a game. `None` if more bytes are
    /// needed.
    fn is_game(&mut self, place: CutPlace, at: usize, stretch: Stretch<'_>) -> Option<bool> {
        let in_value = self.is_in_value(stretch.offset(at));
        let is_strong = match place {
            CutPlace::Root { is_strong } => is_strong,
            CutPlace::OpenValue => return Some(in_value),
            CutPlace::NeedMore => return None,
        };
        let (before, after) = stretch.bytes.split_at(at);
        let before = self.before(before);
        let mut words = trim_end(&before);
        while let [others @ .., b'\\', b'r' | b'n' | b't'] = words {
            words = trim_end(others);
        }
        let is_pending = words.last().is_some_and(u8::is_ascii_alphanumeric);
        let begins_line = is_strong && ends_with_line_break(&before);
        if in_value || is_pending || (begins_line && !self.is_rooted()) {
            return Some(true);
        }
        // By the standard, game information appears once on any way from the root to a leaf. So a variation of a game
        // that has named its players never names them again, wherever it stands. Nor does a variation have root
        // properties; some do have them in practice, but those name no players.
        let offset = stretch.offset(at);
        let is_game = match root::root_info(&mut self.watch.lists, offset, after, self.ended)? {
            RootInfo::Nothing => false,
            RootInfo::Names => begins_line || self.is_whole(offset, stretch)?,
            RootInfo::All => true,
        };
        if is_strong && !is_game {
            self.watch.rooted = Some(self.game);
        }
        Some(is_game)
    }

    /// Whether the bytes end in an unclosed value of a property whose values never contain a tree; or, where a line begins, in a
    /// text that consists of `)`.
    fn is_in_open_value(&self, bytes: &[u8]) -> bool {
        // What follows would say so too, but takes longer.
        if ends_value(bytes) {
            return false;
        }
        let before = self.before(bytes);
        let line = trim_end(&before);
        let is_new = ends_with_line_break(&before);
        // Within a line, nothing but a variation begins, which only resync tells from a game.
        if !is_new && !self.config.resync {
            return false;
        }
        let Some(mut open) = last_open(line) else { return false };
        let is_text_of_ends = is_new && cut_end(&before[open + 1..], false).is_some();
        // In a list of stones, other values come first.
        let mut values = 0;
        while let Some(other) = trim_end(&line[..open]).strip_suffix(b"]") {
            match last_open(other) {
                Some(at) if is_point(&other[at + 1..]) => open = at,
                // The list is longer than what is examined.
                None if values > 1 => return !other.contains(&b']'),
                _ => return false,
            }
            values += 1;
        }
        let (words, name) = ident::split_last(trim_end(&line[..open]));
        // Text may contain words and brackets too.
        let is_property = matches!(trim_end(words), [.., b';' | b']']);
        let head = Ident::pack(name).0.head();
        is_property && (kinds::is_short(head) || (is_text_of_ends && kinds::is_text(head)))
    }

    /// The last bytes of the source up to the end of `bytes`.
    fn before(&self, bytes: &[u8]) -> [u8; BEFORE] {
        let mut before = self.watch.tail;
        if let Some(last) = bytes.last_chunk() {
            return *last;
        }
        before.rotate_left(bytes.len());
        before[BEFORE - bytes.len()..].copy_from_slice(bytes);
        before
    }

    fn keep_tail(&mut self, bytes: &[u8]) {
        self.watch.tail = self.before(bytes);
    }

    /// Ends the game in progress before the next byte.
    fn cut<V: Visitor>(&mut self, visitor: &mut V) -> Flow<V> {
        self.watch.cutting = true;
        self.end_game([ProblemKind::UnterminatedValue, ProblemKind::TruncatedGame], visitor)?;
        self.watch.cutting = false;
        ControlFlow::Continue(())
    }
}

/// Where the value begins in which these bytes end, if no `]` comes later.
fn last_open(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr2(b'[', b']', bytes).filter(|&at| bytes[at] == b'[')
}

/// Whether a value has the form of a point or a rectangle of points, in small or large letters.
fn is_point(value: &[u8]) -> bool {
    match value {
        [a, b] => a.is_ascii_alphabetic() && b.is_ascii_alphabetic(),
        [a, b, b':', c, d] => [a, b, c, d].iter().all(|byte| byte.is_ascii_alphabetic()),
        _ => false,
    }
}

/// Whether a value or a tree has ended (nearly always), or the line goes on.
#[inline(always)]
fn ends_value(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|byte| matches!(byte, b']' | b';' | b'('))
        || last_other(&bytes[bytes.len().saturating_sub(BEFORE)..], b')') == Some(b']')
}

/// Whether a node has nothing of a root's, as at the beginning of nearly every variation. A look at the node would say
/// the same, but later.
#[inline(always)]
fn has_no_header(node: &[u8]) -> bool {
    root::begins_with_move(node) || is_without_header(past_white(&node[..node.len().min(PASSING)]))
}

#[inline(never)]
fn is_without_header(mut rest: &[u8]) -> bool {
    for number in 0..root::OTHERS {
        let name = match rest {
            [b'A'..=b'Z', b'[', ..] => 1,
            [first @ b'A'..=b'Z', second @ b'A'..=b'Z', b'[', ..] if !root::is_header(*first, *second) => 2,
            [b'(' | b')', ..] => return true,
            [b';', ..] => return number > 0,
            _ => return false,
        };
        if number + 1 == root::OTHERS {
            return true;
        }
        rest = &rest[name..];
        while let [b'[', value @ ..] = rest {
            let Some(end) = scan::list_end(value) else { return false };
            rest = past_white(&value[end + 1..]);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sequences;

    #[test]
    fn nodes_passed_without_a_look_are_not_roots() {
        let parts = [
            "C[x]",
            "C[more than thirty-two bytes of text (;FF[4\\]GM[1\\]]",
            "FF[4]",
            "GM[1]",
            "PB[a]",
            "LB[aa:A][bb:B]",
            "[cc]",
            " \n",
            "N[\\]]",
            "ff[1]",
            "KoMi[1]",
            "B[FF[4\\]]",
            ";",
            "(",
            ")",
        ];
        let (mut passed, mut passed_at_once) = (0, 0);
        for (number, parts) in sequences::<_, 4>(&parts).enumerate() {
            let mut node = String::from(["W[pd]", "", "\n\t        AB[aa]"][number % 3]);
            node.extend(parts);
            // A node at the end of the bytes would be undecided.
            node.push_str(&";B[aa]".repeat(7));
            if has_no_header(node.as_bytes()) {
                passed += 1;
                assert_eq!(root::kind(&mut Lists::default(), 0, node.as_bytes(), false), root::Kind::Other, "{node}");
            }
            let before = ["[x]\n)\n  ", "x\n)", "(x [\n"][number % 3].repeat(20);
            let text = format!("{before}({};{node}", ["", " ", "\n\t"][number % 3]);
            if scan::find_tree(text.as_bytes(), |at| at == before.len()).is_none() {
                passed_at_once += 1;
                assert_eq!(root::kind(&mut Lists::default(), 0, node.as_bytes(), false), root::Kind::Other, "{node}");
                assert!(ends_value(before.as_bytes()), "{before}");
            }
        }
        assert!(passed > 5000, "{passed}");
        // The portable scanner does not pass any.
        assert!(passed_at_once == 0 || passed_at_once > 2000, "{passed_at_once}");
    }
}
