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
    /// Its parts below the root: the first is for the names in the root, the next for those a folder deeper.
    parts: Vec<GlobMatcher>,
    /// Whether more follows that may match at any depth: `**`, or braces with a `/` in them.
    is_open: bool,
}

/// True if a path that does not exist may be meant as a pattern.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

impl Pattern {
    /// A pattern, and its root: the directory in which all that it matches lies.
    pub(crate) fn new(text: &str) -> Result<(PathBuf, Self), PatternError> {
        let whole = path_glob(text)?.compile_matcher();
        let (mut root, mut parts, mut is_open) = (PathBuf::new(), Vec::new(), false);
        let mut components = Path::new(text).components().map(|part| part.as_os_str().to_string_lossy()).peekable();
        while let Some(part) = components.next_if(|part| !is_pattern(part)) {
            root.push(&*part);
        }
        for part in components {
            // Of braces that a `/` cuts in two, neither half is a pattern.
            match path_glob(&part) {
                Ok(glob) if !part.contains("**") => parts.push(glob.compile_matcher()),
                _ => {
                    is_open = true;
                    break;
                }
            }
        }
        Ok((root, Self { whole, parts, is_open }))
    }

    /// How many folders deep below the root the pattern says what they are called. Below that, everything may match.
    pub(crate) fn depth(&self) -> usize {
        self.parts.len()
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

    /// Whether something in a directory may match, if that is so for the one around it. The root's depth is 0.
    pub(crate) fn leads_into(&self, dir: &Path, depth: usize) -> bool {
        let Some(part) = depth.checked_sub(1).map(|at| self.parts.get(at)) else { return true };
        part.map_or(self.is_open, |part| dir.file_name().is_some_and(|name| part.is_match(name))) || self.takes(dir)
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
