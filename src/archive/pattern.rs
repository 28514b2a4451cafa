//! A pattern for paths: what it matches, and which folders lead to that.
//!
//! Owns how a pattern is cut into parts. Refuses to look at files.

use std::path::{Path, PathBuf};

use globset::GlobMatcher;

use crate::archive::PatternError;
use crate::archive::picks::path_glob;

/// What the whole path of a file, or of a directory around it, must match.
#[derive(Debug)]
pub(crate) struct Pattern {
    whole: GlobMatcher,
    /// Its parts below the root: the first is for the names in the root, the next for those a folder deeper. Behind braces
    /// with a `/` in them, names may be any.
    parts: Vec<GlobMatcher>,
    /// How many folders deep it leads at the most, before a `**`.
    depth: usize,
    /// Whether a `**` follows, and whether that is a part of its own, so that whatever is below is read by any name of the
    /// directory there.
    is_open: bool,
    is_free: bool,
}

/// Where a directory is that a pattern leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// On the way to what the pattern matches: other names of the same directory may lead to other files.
    Way,
    /// It matches, or a `**` begins there: all that is read of it is read by this name.
    Top,
    /// In such a directory.
    Within,
}

/// True if a path that does not exist may be meant as a pattern.
pub fn is_pattern(path: &str) -> bool {
    // On Windows, a full path may begin with this.
    let path = if cfg!(windows) { path.trim_start_matches(r"\\?\") } else { path };
    path.contains(['*', '?', '[', '{'])
}

impl Pattern {
    /// A pattern, and its root: the directory in which all that it matches lies.
    pub(crate) fn new(text: &str) -> Result<(PathBuf, Self), PatternError> {
        let whole = path_glob(text)?.compile_matcher();
        let (mut root, mut parts, mut depth) = (PathBuf::new(), Vec::new(), 0);
        let (mut is_open, mut is_free) = (false, false);
        let mut components = Path::new(text).components().map(|part| part.as_os_str().to_string_lossy()).peekable();
        while let Some(part) = components.next_if(|part| !is_pattern(part)) {
            root.push(&*part);
        }
        for part in components {
            let is_named = parts.len() == depth;
            // Beside other characters `**` stays within a name, but not in braces.
            if part == "**" || part.contains("**") && (part.contains('{') || !is_named) {
                (is_open, is_free) = (true, is_named && part == "**");
                break;
            }
            // Of braces that a `/` cuts in two, neither half is a pattern.
            if is_named && let Ok(glob) = path_glob(&part) {
                parts.push(glob.compile_matcher());
            }
            depth += 1;
        }
        Ok((root, Self { whole, parts, depth, is_open, is_free }))
    }

    /// Where a directory is that it leads to. The root's depth is 0.
    pub(crate) fn stage(&self, dir: &Path, depth: usize) -> Stage {
        if self.is_inside(dir) || depth > self.depth {
            Stage::Within
        } else if self.matches(dir) || depth == self.depth && self.is_free {
            Stage::Top
        } else {
            Stage::Way
        }
    }

    /// Whether a path matches, or something around it does.
    pub(crate) fn takes(&self, path: &Path) -> bool {
        self.matches(path) || self.is_inside(path)
    }

    pub(crate) fn matches(&self, path: &Path) -> bool {
        self.whole.is_match(bare(path))
    }

    /// Whether a directory around it matches.
    pub(crate) fn is_inside(&self, path: &Path) -> bool {
        bare(path).ancestors().skip(1).any(|around| self.whole.is_match(around))
    }

    /// Whether a part of the pattern says what a directory of this depth is called.
    pub(crate) fn names(&self, depth: usize) -> bool {
        depth <= self.parts.len()
    }

    /// Whether something in a directory may match, if that is so for the one around it. The root's depth is 0.
    pub(crate) fn leads_into(&self, dir: &Path, depth: usize) -> bool {
        let Some(at) = depth.checked_sub(1) else { return true };
        let leads = match self.parts.get(at) {
            Some(part) => dir.file_name().is_some_and(|name| part.is_match(name)),
            None => depth < self.depth || self.is_open,
        };
        leads || self.takes(dir)
    }
}

/// The path in the form that patterns match.
fn bare(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_on_the_way_to_a_match_lead_there() {
        for (pattern, root, led, not_led) in [
            ("a/[bc]*/?.sgf", "a", &["a/b", "a/c1"][..], &["a/d", "a/b/x"][..]),
            ("./a*", ".", &["./a", "./a1/x/y"], &["./b"]),
            ("a*/**/d/*", "", &["./a", "./a/b", "./a/b/c"], &["./b"]),
            ("*/{b/c,d}/*.sgf", "", &["./a", "./a/b", "./a/b/c", "./a/e"], &[]),
            ("*/{b/c,d}/*.sgf", "", &[], &["./a/b/c/d", "./a/b/c/d/e"]),
            ("{a,b/**/c}/*", "", &["./a", "./b/c/d/e"], &[]),
            ("a**/*.sgf", "", &["./a", "./ab"], &["./b", "./a/b"]),
            ("{**,a}/*.sgf", "", &["./b/c/d"], &[]),
            ("../a*/x.sgf", "..", &["../a1"], &["../b", "../a1/x"]),
        ] {
            let (found, matcher) = Pattern::new(pattern).unwrap();
            assert_eq!(found, Path::new(root), "{pattern}");
            let start = if root.is_empty() { "." } else { root };
            let leads = |path: &&str| {
                let depth = Path::new(path).strip_prefix(start).unwrap().components().count();
                matcher.leads_into(Path::new(path), depth)
            };
            assert!(leads(&start) && led.iter().all(leads), "{pattern}");
            assert!(!not_led.iter().any(leads), "{pattern}");
        }
    }
}
