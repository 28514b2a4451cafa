//! The options about how bytes become games: how much memory unpacking may take, and how text is read.
//!
//! Owns those options and what they mean to the library. Refuses to know what is read.

use clap::{Args as Group, ValueEnum};
use sgf_stream::archive::Limits;
use sgf_stream::text::{Charset, EscapeUnit};
use sgf_stream::{Charsets, Config};

use crate::args::mebibytes;

/// How archives are unpacked.
#[derive(Clone, Copy, Debug, Group)]
pub(crate) struct UnpackingArgs {
    /// Memory that windows and dictionaries of archives may take, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::new().window >> 20, value_parser = mebibytes::<{ 1 << 20 }>)]
    archive_memory: u64,
}

impl UnpackingArgs {
    pub(crate) fn limits(self) -> Limits {
        let mut limits = Limits::new();
        limits.window = self.archive_memory << 20;
        limits
    }
}

/// How bytes are read.
#[derive(Clone, Debug, Group)]
pub(crate) struct ReadingArgs {
    /// The charset of text: auto (as declared, or else guessed), declared, raw (of no interest), or the name of the charset that
    /// everything is in, whatever it says [default: auto; with --plain declared]
    #[arg(long, value_name = "CHARSET", value_parser = charsets)]
    charset: Option<Charsets>,

    /// What a backslash escapes in GBK, GB18030, Big5 and Shift_JIS [default: auto; with --plain byte]
    #[arg(long, value_name = "UNIT")]
    escapes: Option<Escapes>,

    /// Guess nothing: charsets are as declared and a backslash escapes a byte, unless --charset and --escapes say otherwise; the
    /// first ] closes a value, and only its last ) ends a game. Without this option, a game that was cut off ends where another
    /// begins, and (except for listen) a ] belongs to a text if what comes after it may not follow a value
    #[arg(long)]
    plain: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Escapes {
    /// Whichever makes sense of a value
    Auto,
    /// A byte, by the letter of the standard
    Byte,
    /// A character
    Character,
}

impl ReadingArgs {
    /// What rows depend on, as it was given; nothing where it is as by default.
    #[cfg(feature = "index")]
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        match self.charset {
            None => {}
            Some(Charsets::Auto) if !self.plain => {}
            Some(Charsets::Forced(charset)) => options.push(format!("--charset {charset}")),
            Some(other) => options.push(format!("--charset {}", format!("{other:?}").to_lowercase())),
        }
        if let Some(escapes) = self.escapes.filter(|escapes| self.plain || !matches!(escapes, Escapes::Auto)) {
            options.push(format!("--escapes {}", format!("{escapes:?}").to_lowercase()));
        }
        options.extend(self.plain.then(|| "--plain".to_owned()));
        options
    }

    pub(crate) fn config(&self) -> Config {
        let config = if self.plain { Config::new() } else { Config::archives() };
        let config = match self.charset {
            None => config,
            Some(charsets) => config.charsets(charsets),
        };
        match self.escapes {
            None => config,
            Some(Escapes::Auto) => config.escape_unit(EscapeUnit::Auto),
            Some(Escapes::Byte) => config.escape_unit(EscapeUnit::Byte),
            Some(Escapes::Character) => config.escape_unit(EscapeUnit::Character),
        }
    }

    /// What was asked for as the charset of text.
    pub(crate) fn charsets(&self) -> Charsets {
        self.charset.unwrap_or(Charsets::Auto)
    }
}

fn charsets(name: &str) -> Result<Charsets, String> {
    match name {
        "auto" => Ok(Charsets::Auto),
        "declared" => Ok(Charsets::Declared),
        "raw" => Ok(Charsets::Raw),
        label => label
            .parse()
            .map(Charsets::Forced)
            .map_err(|error| format!("{error}\n\nKnown: auto, declared, raw, {}", all_names())),
    }
}

/// The name of the charset with this label, or the label itself if it is a part of the name: of `utf-16` there are two.
pub(crate) fn charset_name(label: &str) -> Result<String, String> {
    // For the standard of the web these are names of windows-1252.
    if ["ascii", "us-ascii", "ansi_x3.4-1968"].iter().any(|name| label.trim().eq_ignore_ascii_case(name)) {
        return Err("a header that is all ASCII counts as UTF-8: use --in-charset UTF-8".to_owned());
    }
    let is_part = |charset: Charset| charset.name().to_lowercase().contains(&label.to_lowercase());
    match label.parse::<Charset>() {
        Ok(charset) if !is_part(charset) => Ok(charset.name().to_owned()),
        Err(error) if label.is_empty() || !Charset::all().any(is_part) => {
            Err(format!("{error}\n\nKnown: {}", all_names()))
        }
        _ => Ok(label.to_owned()),
    }
}

fn all_names() -> String {
    let names: Vec<&str> = Charset::all().map(Charset::name).collect();
    format!("{} (and their other names)", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_charset_has_many_names() {
        for (label, name) in [
            ("utf8", "UTF-8"),
            ("cp936", "GBK"),
            ("gb2312", "GBK"),
            ("sjis", "Shift_JIS"),
            ("latin1", "windows-1252"),
            ("ISO-8859-1", "windows-1252"),
            ("big5", "big5"),
            ("utf-16", "utf-16"),
            ("euc", "euc"),
        ] {
            assert_eq!(charset_name(label).as_deref(), Ok(name), "{label}");
        }
        for label in ["klingon", "", "johab", "ascii", "US-ASCII"] {
            assert!(charset_name(label).is_err(), "{label}");
        }
    }
}
