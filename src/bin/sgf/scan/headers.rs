//! What a game's root node says about the game.
//!
//! Owns the names of charsets and game types that are counted, game by game, and how a value becomes such a name; and
//! which charset the game's text turned out to be in. Refuses to know which node is the root.

use sgf_stream::Ident;
use sgf_stream::text::{self, Charset};

use crate::scan::Ranking;
use crate::tally::Tally;

/// How many names of a kind are distinguished. The standard knows 40 games.
const NAMES: usize = 1_000;

/// A part with more than this many names is handed on.
const PART: usize = 100;

/// The names in the roots of many games.
#[derive(Debug)]
pub(crate) struct Headers {
    pub(crate) charsets: Names,
    pub(crate) game_types: Names,
    /// The charsets of text that is more than ASCII.
    pub(crate) texts: Names,
    /// Games whose text is in another charset than they declare.
    pub(crate) lies: u64,
    root: Root,
}

/// What was seen of the current game's root.
#[derive(Debug, Default)]
struct Root {
    charset: bool,
    game_type: bool,
    lies: bool,
    /// The charset of the value in progress, which is the first that is not ASCII.
    text: Option<Charset>,
    /// The property whose first value is collected.
    reading: Option<Field>,
    value: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum Field {
    Charset,
    GameType,
}

impl Headers {
    /// How many bytes of a value are looked at.
    const LIMIT: usize = 64;

    pub(crate) fn new() -> Self {
        Self::with(Names::new(NAMES))
    }

    /// For a part of the input, which is merged into what came before it. A part must be handed on when it is
    /// [full](Self::is_full).
    pub(crate) fn partial() -> Self {
        Self::with(Names::new(usize::MAX))
    }

    fn with(names: Names) -> Self {
        Self { charsets: names.clone(), game_types: names.clone(), texts: names, lies: 0, root: Root::default() }
    }

    /// Whether there are too many names to go on counting in little memory.
    pub(crate) fn is_full(&self) -> bool {
        self.charsets.tally.len() > PART || self.game_types.tally.len() > PART
    }

    /// Splits off the headers that continue from zero in the same game.
    pub(crate) fn rest(&mut self) -> Self {
        Self { root: std::mem::take(&mut self.root), ..Self::partial() }
    }

    pub(crate) fn merge(&mut self, later: Self) {
        self.charsets.merge(later.charsets);
        self.game_types.merge(later.game_types);
        self.texts.merge(later.texts);
        self.lies += later.lies;
    }

    /// A game begins.
    pub(crate) fn game(&mut self) {
        self.root.charset = false;
        self.root.game_type = false;
        self.root.lies = false;
        self.root.text = None;
        self.root.reading = None;
    }

    /// Whether nothing more can come of the game's root.
    pub(crate) fn are_known(&self) -> bool {
        self.root.charset && self.root.game_type
    }

    /// The game's text is not in the charset that it declares.
    pub(crate) fn lie(&mut self) {
        self.lies += u64::from(!std::mem::replace(&mut self.root.lies, true));
    }

    /// A piece of a value, in a game whose values were all ASCII so far. Returns its charset, at its end, if it is not ASCII.
    pub(crate) fn text(&mut self, raw: &[u8], charset: Charset, is_last: bool) -> Option<Charset> {
        if self.root.text.is_none() && !is_ascii(raw) {
            self.root.text = Some(charset);
        }
        self.root.text.take_if(|_| is_last)
    }

    /// A piece of the value in progress was not ASCII.
    #[inline]
    pub(crate) fn is_in_text(&self) -> bool {
        self.root.text.is_some()
    }

    /// Text of a game is in this charset.
    pub(crate) fn add_text(&mut self, charset: Charset) {
        self.texts.add(charset.name().as_bytes(), |_| charset.name().to_owned());
    }

    /// A property of the root.
    pub(crate) fn property(&mut self, ident: Ident) {
        let root = &mut self.root;
        root.reading = match ident {
            Ident::CA if !root.charset => Some(Field::Charset),
            Ident::GM if !root.game_type => Some(Field::GameType),
            _ => None,
        };
        root.value.clear();
    }

    /// A piece of a value of the root's last property.
    pub(crate) fn part(&mut self, raw: &[u8], is_last: bool) {
        let root = &mut self.root;
        let Some(field) = root.reading else { return };
        // One byte more than is looked at shows that there are more.
        let space = Self::LIMIT + 1 - root.value.len();
        root.value.extend_from_slice(&raw[..raw.len().min(space)]);
        if !is_last {
            return;
        }
        root.reading = None;
        match field {
            Field::Charset => {
                root.charset = true;
                // `utf-8` and `UTF-8` are the same to every program.
                self.charsets.add(&root.value, |raw| shown(raw).to_ascii_uppercase());
            }
            Field::GameType => {
                root.game_type = true;
                self.game_types.add(&root.value, shown);
            }
        }
    }
}

/// Like [`slice::is_ascii`], which goes byte by byte through anything as short as most values are.
fn is_ascii(raw: &[u8]) -> bool {
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    if raw.len() > 16 {
        return raw.is_ascii();
    }
    // The first and the last bytes together are all bytes, some of them twice.
    if let (Some(first), Some(last)) = (raw.first_chunk::<8>(), raw.last_chunk::<8>()) {
        (u64::from_le_bytes(*first) | u64::from_le_bytes(*last)) & HIGH == 0
    } else if let (Some(first), Some(last)) = (raw.first_chunk::<4>(), raw.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first) | u32::from_le_bytes(*last)) & HIGH == 0
    } else {
        raw.iter().all(u8::is_ascii)
    }
}

/// A value as a name.
fn shown(value: &[u8]) -> String {
    let raw = &value[..value.len().min(Headers::LIMIT)];
    let text = text::simple_text(raw);
    let mut name = String::from_utf8_lossy(&text).trim().to_owned();
    if value.len() > Headers::LIMIT {
        name.push('…');
    }
    name
}

/// Counts of names, nearly every one of which is that of the game before.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    tally: Tally<String>,
    /// The last value, its name, and how often it came in a row, which is not in the tally yet.
    raw: Vec<u8>,
    name: String,
    count: u64,
}

impl Names {
    fn new(capacity: usize) -> Self {
        Self { tally: Tally::new(capacity), raw: Vec::new(), name: String::new(), count: 0 }
    }

    fn add(&mut self, raw: &[u8], name: impl Fn(&[u8]) -> String) {
        if self.count == 0 || raw != self.raw {
            self.settle();
            self.raw.clear();
            self.raw.extend_from_slice(raw);
            self.name = name(raw);
        }
        self.count += 1;
    }

    fn settle(&mut self) {
        if self.count > 0 {
            self.tally.add(self.name.as_str(), self.count);
            self.count = 0;
        }
    }

    fn merge(&mut self, mut later: Self) {
        self.settle();
        later.settle();
        self.tally.merge(later.tally);
    }

    /// The names of `games` games, the commonest first.
    pub(crate) fn ranking(mut self, games: u64) -> Ranking<String> {
        self.settle();
        let names = self.tally.ranking();
        let stated: u64 = names.iter().map(|(_, count)| count).sum();
        Ranking { names, others: self.tally.others(), not_stated: games - stated - self.tally.others() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_that_is_not_ascii_is_found_anywhere() {
        for len in 0..40 {
            let mut raw = vec![0x7F; len];
            assert!(is_ascii(&raw), "{len}");
            for at in 0..len {
                raw[at] = 0x80;
                assert!(!is_ascii(&raw), "{at} of {len}");
                raw[at] = 0x7F;
            }
        }
    }
}
