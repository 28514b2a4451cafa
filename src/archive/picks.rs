//! Which names are read, in directories and archives.
//!
//! Owns the extensions of game files and archives, and the patterns that override them.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use memchr::memrchr;

use crate::archive::format::has_game;
use crate::archive::name::entry_text;
use crate::archive::{Format, Skip};

/// Which files of a directory and which members of an archive are read.
///
/// Without patterns: those that end in `.sgf`, `.sgfs`, `.mgt`, `.blksgf`, `.ggf`, `.hsgf`, `.hgf` or `.tsgf`, in any case,
/// and archives; also with the extension of a compression after it (`.sgf.gz`), or alone (`games.xz`) if a game is the first thing
/// in it. What a caller names itself is always read.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    only: Option<GlobSet>,
    not: Option<GlobSet>,
    /// What the two sets are made of: further patterns join them.
    only_globs: Vec<Glob>,
    not_globs: Vec<Glob>,
    /// What `not` matches, and all that lies in it: no walk leaves out the folders on the way to a name in an archive.
    not_members: Option<GlobSet>,
}

/// A pattern that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

const GAMES: [&[u8]; 8] = [b"sgf", b"sgfs", b"mgt", b"blksgf", b"ggf", b"hsgf", b"hgf", b"tsgf"];
const COMPRESSIONS: [&[u8]; 9] = [b"gz", b"zst", b"zstd", b"xz", b"lzma", b"lz", b"bz2", b"lz4", b"z"];
// Also those that can't be read, so that this is reported.
const ARCHIVES: [&[u8]; 17] = [
    b"tar", b"tgz", b"tbz", b"tbz2", b"txz", b"tlz", b"tzst", b"tzs", b"tlz4", b"taz", b"zip", b"7z", b"rar", b"lzh",
    b"lha", b"arj", b"cab",
];

impl Picks {
    /// Chooses by the extension.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads only what one of these patterns matches, whatever its extension. Of an archive that matches, what is in it
    /// is chosen by its extension. All archives are opened, since what they hold may match. A further call adds patterns.
    ///
    /// A pattern without `/` is matched against the last part of a name. One with `/` is matched against the whole
    /// path, or the name in the archive; a `./` before either says nothing, and a `\` in a name in an archive, where
    /// Windows puts it, counts as `/`. `*`, `?` and `[a-z]` stop at `/`, `**` does not; `{a,b}` is either of the two.
    /// Case counts. On Windows, a `\` in a pattern or a path is a `/`; elsewhere, one in a pattern takes its meaning from
    /// the character after it.
    ///
    /// # Errors
    ///
    /// A pattern that is empty or can't be understood.
    pub fn only<'a>(mut self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        self.only_globs.extend(globs(patterns)?);
        self.only = set(&self.only_globs)?;
        Ok(self)
    }

    /// Does not read what one of these patterns matches, nor anything in it: a file, an archive or a folder. A further
    /// call adds patterns.
    ///
    /// # Errors
    ///
    /// A pattern that is empty or can't be understood.
    pub fn not<'a>(mut self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        // A `/` behind a folder's name says nothing.
        let bare = |pattern: &'a str| if pattern.len() > 1 { pattern.trim_end_matches(is_slash) } else { pattern };
        self.not_globs.extend(globs(patterns.into_iter().map(bare))?);
        let mut globs = self.not_globs.clone();
        self.not = set(&globs)?;
        let inside: Result<Vec<_>, _> = globs.iter().map(|glob| path_glob(&format!("{}/**", glob.glob()))).collect();
        globs.extend(inside?);
        self.not_members = set(&globs)?;
        Ok(self)
    }

    /// How a name in a directory or archive is treated, if what is around it is treated as `outer`.
    pub(crate) fn pick(&self, name: &[u8], outer: Pick) -> Pick {
        if self.excludes(name) { Pick::Leave } else { self.choose(name, outer) }
    }

    /// The same in an archive.
    pub(crate) fn pick_member(&self, name: &[u8], outer: Pick) -> Pick {
        if self.excludes_member(name) {
            return Pick::Leave;
        }
        readings(name).map(|name| self.choose(&name, outer)).find(|pick| *pick != Pick::Leave).unwrap_or(Pick::Leave)
    }

    fn choose(&self, name: &[u8], outer: Pick) -> Pick {
        match &self.only {
            Some(only) if is_in(only, name) => Pick::Read,
            Some(_) if outer == Pick::LookInto => {
                if is_container(name) {
                    Pick::LookInto
                } else {
                    Pick::Leave
                }
            }
            _ if is_game(name) => Pick::Read,
            _ => match packed(name) {
                Some(Packed::Told) => Pick::Read,
                Some(Packed::Untold) => Pick::IfGame,
                None => Pick::Leave,
            },
        }
    }

    /// Why a name in an archive is left.
    pub(crate) fn why_not_member(&self, name: &[u8]) -> Skip {
        if self.excludes_member(name) { Skip::Excluded } else { Skip::Name }
    }

    fn excludes_member(&self, name: &[u8]) -> bool {
        self.not_members.as_ref().is_some_and(|not| readings(name).any(|name| is_in(not, &name)))
    }

    /// Why a name is [left](Pick::Leave).
    pub(crate) fn why_not(&self, name: &[u8]) -> Skip {
        if self.excludes(name) { Skip::Excluded } else { Skip::Name }
    }

    /// Whether a pattern excludes a name, so that not even its contents make it count.
    pub(crate) fn excludes(&self, name: &[u8]) -> bool {
        self.not.as_ref().is_some_and(|not| is_in(not, name))
    }

    /// Whether patterns choose or exclude anything.
    pub(crate) fn have_patterns(&self) -> bool {
        self.only.is_some() || self.not.is_some()
    }

    /// How a directory is treated.
    pub(crate) fn outermost(&self) -> Pick {
        if self.only.is_some() { Pick::LookInto } else { Pick::Read }
    }

    /// How an input is treated if it is an archive.
    pub(crate) fn pick_input(&self, name: &str) -> Pick {
        match &self.only {
            Some(only) if !matches(only, name.as_bytes()) => Pick::LookInto,
            _ => Pick::Read,
        }
    }

    /// False for a directory that a pattern excludes.
    pub(crate) fn enters(&self, name: &[u8]) -> bool {
        !self.not.as_ref().is_some_and(|set| matches(set, name))
    }
}

/// How a name is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// It is read; of an archive, the members that their extensions speak for.
    Read,
    /// An archive of which only what matches a pattern is read.
    LookInto,
    /// Something compressed whose name does not say what it is. An archive is read; anything else if a game is the first
    /// thing in it.
    IfGame,
    Leave,
}

/// A name without the ending of a compression.
fn uncompressed(name: &[u8]) -> Option<&[u8]> {
    extension(name).filter(|(_, ending)| is_one_of(ending, &COMPRESSIONS)).map(|(stem, _)| stem)
}

fn globs<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Vec<Glob>, PatternError> {
    patterns.into_iter().map(glob).collect()
}

fn set(globs: &[Glob]) -> Result<Option<GlobSet>, PatternError> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(glob.clone());
    }
    let set = set.build().map_err(|error| PatternError(error.to_string()))?;
    Ok((!globs.is_empty()).then_some(set))
}

/// A pattern without a slash matches names anywhere.
fn glob(pattern: &str) -> Result<Glob, PatternError> {
    if pattern.is_empty() || pattern.contains(is_slash) {
        path_glob(pattern)
    } else {
        path_glob(&format!("**/{pattern}"))
    }
}

/// What stands between the parts of a path, as people write it here.
fn is_slash(c: char) -> bool {
    c == '/' || cfg!(windows) && c == '\\'
}

/// A pattern for a whole path.
pub(crate) fn path_glob(pattern: &str) -> Result<Glob, PatternError> {
    let pattern = pattern.replace(is_slash, "/");
    // Paths are compared without a `./` before them, and with single slashes, but for the two of a server on Windows.
    let mut plain = pattern.trim_start_matches("./").to_owned();
    let server = if cfg!(windows) && plain.starts_with("//") { "/" } else { "" };
    while plain.contains("//") {
        plain = plain.replace("//", "/");
    }
    plain.insert_str(0, server);
    if plain.is_empty() {
        // With `**/` before it or `/**` after it, it would match everything.
        return Err(PatternError("an empty pattern".to_owned()));
    }
    GlobBuilder::new(&plain).literal_separator(true).build().map_err(|error| PatternError(error.to_string()))
}

/// Whether a name matches, with or without the extension of a compression.
fn is_in(set: &GlobSet, name: &[u8]) -> bool {
    matches(set, name) || uncompressed(name).is_some_and(|name| matches(set, name))
}

fn matches(set: &GlobSet, name: &[u8]) -> bool {
    let text = String::from_utf8_lossy(name);
    let text = text.strip_prefix('.').and_then(|rest| rest.strip_prefix(is_slash)).unwrap_or(&text);
    set.is_match(Path::new(text))
}

/// What a pattern may mean by a name in an archive, with `/` between its parts: the name as it is shown, and that of the bytes. Some
/// that Windows made have `\`. If one of these may be half of a character, a pattern may also mean the name in which it is not,
/// because it stands behind a letter such as `é`.
fn readings(name: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let shown = match entry_text(name) {
        Cow::Owned(text) => Some(all_slashed(&text)),
        Cow::Borrowed(_) => None,
    };
    let (bytes, other) = if name.contains(&b'\\') {
        let mut slashed = name.to_vec();
        separators(name).for_each(|at| slashed[at] = b'/');
        let other = all_slashed(name);
        let is_other = other != slashed;
        (slashed.into(), is_other.then_some(other))
    } else {
        (name.into(), None)
    };
    [shown.map(Cow::Owned), Some(bytes), other.map(Cow::Owned)].into_iter().flatten()
}

fn all_slashed(name: &[u8]) -> Vec<u8> {
    name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

fn last_part(name: &[u8]) -> &[u8] {
    let last = if name.contains(&b'\\') { separators(name).last() } else { memrchr(b'/', name) };
    &name[last.map_or(0, |at| at + 1)..]
}

/// Where the parts of a name end: at a `/`, or a `\` of Windows. In Shift_JIS, Big5 and GBK, whose first bytes are at least
/// 0x81, `\` is also the second byte of some characters, such as `十`.
fn separators(name: &[u8]) -> impl Iterator<Item = usize> {
    let is_utf8 = str::from_utf8(name).is_ok();
    let mut is_open = false;
    name.iter().enumerate().filter_map(move |(at, &byte)| {
        let is_second = std::mem::replace(&mut is_open, false);
        is_open = !is_utf8 && !is_second && byte >= 0x81;
        (byte == b'/' || byte == b'\\' && !is_second).then_some(at)
    })
}

/// What stands before and after the last dot of the last part of a name, if something stands before it.
fn extension(part: &[u8]) -> Option<(&[u8], &[u8])> {
    let dot = part.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
    Some((&part[..dot], &part[dot + 1..]))
}

fn is_one_of(extension: &[u8], known: &[&[u8]]) -> bool {
    known.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a name is that of a game file, by its extension.
pub fn is_game(name: &[u8]) -> bool {
    // Nearly all have this one.
    if let Some((stem, last)) = name.split_last_chunk::<4>()
        && last.eq_ignore_ascii_case(b".sgf")
    {
        return match stem.last() {
            None | Some(b'/') => false,
            Some(b'\\') => !last_part(stem).is_empty(),
            _ => true,
        };
    }
    extension(last_part(name)).is_some_and(|(_, extension)| is_one_of(extension, &GAMES))
}

/// What a name tells of what is packed under it.
enum Packed {
    /// An archive, or a game file.
    Told,
    Untold,
}

/// Whether it is, by its extensions, an archive, or something compressed that may be one or a game file.
pub(crate) fn is_archive(name: &[u8]) -> bool {
    packed(name).is_some()
}

fn packed(name: &[u8]) -> Option<Packed> {
    let (mut part, mut is_packed, mut is_volume) = (last_part(name), false, false);
    while let Some((stem, ending)) = extension(part) {
        if is_one_of(ending, &ARCHIVES) {
            return Some(Packed::Told);
        } else if is_one_of(ending, &COMPRESSIONS) {
            is_packed = true;
        } else if ending == b"001" && !is_packed {
            is_volume = true;
        } else {
            if (is_packed || is_volume) && is_one_of(ending, &GAMES) {
                return Some(Packed::Told);
            }
            // Letters would say that it is something else.
            is_packed &= !ending.iter().all(u8::is_ascii_alphabetic);
            break;
        }
        part = stem;
    }
    is_packed.then_some(Packed::Untold)
}

/// True for a file whose extension says that it is packed, but whose first bytes are those of nothing packed. A game
/// file is not among them if it was unpacked in passing, as browsers do, and has kept its name. A file with whose first
/// bytes no text begins is, because anything in it may look like a game.
pub fn is_misnamed(name: &[u8], head: &[u8]) -> bool {
    is_archive(name) && Format::detect(head).is_plain() && (!has_game(head) || Format::is_doubtful(head))
}

/// Whether it is what a Mac writes beside a file, under its name with `._` before it, for what other systems have no place for.
pub(crate) fn is_apple_double(name: &[u8], head: &[u8]) -> bool {
    head.starts_with(b"\0\x05\x16\x07") && last_part(name).starts_with(b"._")
}

/// Whether it is, by its extensions, something that contains names of its own.
fn is_container(name: &[u8]) -> bool {
    let mut part = last_part(name);
    while let Some((stem, ending)) = extension(part) {
        if is_one_of(ending, &ARCHIVES) {
            return true;
        }
        if ending != b"001" && !is_one_of(ending, &COMPRESSIONS) {
            return false;
        }
        part = stem;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a search of the whole name for each of its extensions, this would take minutes.
    #[test]
    fn many_extensions_are_looked_at_once() {
        let name = [&b"x"[..], &b".gz".repeat(300_000)].concat();
        assert!(is_archive(&name) && !is_container(&name));
    }

    #[test]
    fn games_are_recognised_by_their_extension() {
        for name in [
            "a.sgf", "d/a.SgF", "a.b.sgf", "..sgf", "d/-.sgf", "a.sgfs", "a.MGT", "a.blksgf", "a.ggf", "a.hsgf",
            "a.hgf", "a.TSGF",
        ] {
            assert!(is_game(name.as_bytes()), "{name}");
        }
        for name in ["", "sgf", ".sgf", "d/.sgf", "d\\.sgf", "a.sgf2", "a.sg", "asgf", "d.sgf/a", ".sgfs"] {
            assert!(!is_game(name.as_bytes()), "{name}");
        }
    }

    /// Or not: here it stands behind an `é` of Latin-1.
    #[test]
    fn patterns_mean_either_reading_of_a_backslash() {
        let name = b"Caf\xE9\\a.sgf";
        let picks = Picks::new().only(["a.sgf"]).unwrap();
        assert_eq!(picks.pick_member(name, Pick::Read), Pick::Read);
        let picks = Picks::new().not(["a.sgf"]).unwrap();
        assert_eq!(picks.pick_member(name, Pick::Read), Pick::Leave);
        assert_eq!(picks.why_not_member(name), Skip::Excluded);
    }

    #[test]
    fn patterns_mean_the_name_that_is_shown() {
        // A folder of old games, by Windows in Chinese.
        let name = b"\xC3\xFB\xBE\xD6\\\xBF\xC2\xBD\xE0.txt";
        for pattern in ["名局/*", "柯洁.txt", "*.txt"] {
            let picks = Picks::new().only([pattern]).unwrap();
            assert_eq!(picks.pick_member(name, Pick::Read), Pick::Read, "{pattern}");
            let picks = Picks::new().not([pattern]).unwrap();
            assert_eq!(picks.why_not_member(name), Skip::Excluded, "{pattern}");
        }
    }

    /// In Shift_JIS, Big5 and GBK.
    #[test]
    fn a_backslash_may_be_the_second_half_of_a_character() {
        let names: [&[u8]; 4] =
            [b"\x91\xE6\x93\xF1\x8F\\.sgf", b"\x83\\.sgf", b"\xA5\\.SGF", b"\x8A\xBB\x95\x88\\\x83\\.mgt"];
        for name in names {
            assert!(is_game(name), "{name:?}");
        }
        for name in [&b"\x8A\xBB\x95\x88\\.sgf"[..], "棋譜\\.sgf".as_bytes(), b"\x83\\/.sgf"] {
            assert!(!is_game(name), "{name:?}");
        }
        assert!(is_archive(b"\x83\\.zip") && is_archive(b"\x83\\.sgf.gz"));
        // A folder whose name ends with both bytes of one, and one with half of them.
        let picks = |pattern| Picks::new().only([pattern]).unwrap();
        let read = |pattern, name: &[u8]| picks(pattern).pick_member(name, Pick::LookInto) == Pick::Read;
        assert!(read("a.txt", b"\x8A\xBB\x95\x88\\a.txt") && read("*/a.txt", "棋譜\\a.txt".as_bytes()));
        assert!(read("a.txt", b"\x83\\a.txt") && read("*a.txt", b"\x83\\a.txt"));
    }

    #[test]
    fn archives_in_directories_are_recognised_by_their_names() {
        for name in [
            "a.zip",
            "a.tar",
            "a.tgz",
            "a.tar.ZST",
            "a.sgf.gz",
            "games.xz",
            "2019.05.bz2",
            "a.7z.001",
            "a.sgf.xz.001",
            "a.sgf.Z",
            "a.sgf.gz.xz",
            "a.tar.bz2.gz",
            "a.gz.gz",
        ] {
            assert!(is_archive(name.as_bytes()), "{name}");
        }
        for name in ["a.sgf", "a.txt.gz", "a.7z.002", "a.001", "zip", ".zip", "a.csv.zst", "a.txt.bz2.gz", "a.txt.001"]
        {
            assert!(!is_archive(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_is_only_compressed_may_be_a_game() {
        let picks = Picks::new();
        for name in ["games.gz", "1998.06.xz", "a.3pm.gz", "a.gz.gz", "x.001.gz"] {
            assert_eq!(picks.pick(name.as_bytes(), Pick::Read), Pick::IfGame, "{name}");
        }
        for name in ["a.sgf.gz", "a.tar.gz", "1998.06.tgz", "a.sgf.xz.001"] {
            assert_eq!(picks.pick(name.as_bytes(), Pick::Read), Pick::Read, "{name}");
        }
        let picks = Picks::new().only(["1998*"]).unwrap();
        assert_eq!(picks.pick(b"1998.06.gz", Pick::LookInto), Pick::Read);
        assert_eq!(picks.pick(b"1999.06.gz", Pick::LookInto), Pick::Leave);
        assert_eq!(picks.pick(b"1999.06.gz", Pick::Read), Pick::IfGame);
    }

    #[test]
    fn a_folder_is_excluded_with_all_that_is_in_it() {
        let picks = Picks::new().not(["sub", "./a/b", "x//*"]).unwrap();
        for (name, is_read) in [
            ("sub/1.sgf", false),
            ("./y/sub/z/1.sgf", false),
            ("y\\sub\\1.sgf", false),
            ("sub\\1.sgf", false),
            ("a/b/1.sgf", false),
            ("./a/b/1.sgf", false),
            ("y/a/b/1.sgf", true),
            ("x/1.sgf", false),
            ("subs/1.sgf", true),
        ] {
            let picked = picks.pick_member(name.as_bytes(), Pick::Read);
            assert_eq!(picked, if is_read { Pick::Read } else { Pick::Leave }, "{name}");
            let why = picks.why_not_member(name.as_bytes());
            assert_eq!(why == Skip::Excluded, !is_read, "{name}");
        }
    }

    #[test]
    fn patterns_add_up() {
        let picks = Picks::new().not(["a.sgf"]).unwrap().not(["b"]).unwrap().not([]).unwrap();
        let picks = picks.only(["?.sgf"]).unwrap().only(["x.txt"]).unwrap();
        for (name, is_read) in
            [("a.sgf", false), ("b/c.sgf", false), ("c.sgf", true), ("x.txt", true), ("y.txt", false)]
        {
            let pick = if is_read { Pick::Read } else { Pick::Leave };
            assert_eq!(picks.pick_member(name.as_bytes(), Pick::LookInto), pick, "{name}");
        }
    }

    #[test]
    fn a_folder_deep_in_a_name_is_excluded() {
        let picks = Picks::new().not(["sub"]).unwrap();
        let deep = "d/".repeat(10_000);
        assert_eq!(picks.pick_member(format!("{deep}sub/1.sgf").as_bytes(), Pick::Read), Pick::Leave);
        assert_eq!(picks.pick_member(format!("{deep}1.sgf").as_bytes(), Pick::Read), Pick::Read);
    }

    #[test]
    fn patterns_select_files_and_members() {
        let picks = Picks::new().only(["19*.sgf", "b.zip"]).unwrap().not(["d/**", "*x*"]).unwrap();
        for (name, outer, pick) in [
            ("a/1985.sgf", Pick::LookInto, Pick::Read),
            ("a/1985.sgf.gz", Pick::LookInto, Pick::Read),
            ("a/2085.sgf", Pick::LookInto, Pick::Leave),
            ("a/2085.sgf", Pick::Read, Pick::Read),
            ("a/b.zip", Pick::LookInto, Pick::Read),
            ("c.zip", Pick::LookInto, Pick::LookInto),
            ("x.zip", Pick::LookInto, Pick::Leave),
            ("d/1985.sgf", Pick::LookInto, Pick::Leave),
            ("readme", Pick::Read, Pick::Leave),
        ] {
            assert_eq!(picks.pick(name.as_bytes(), outer), pick, "{name}");
        }
    }
}
