//! The result of `sgf scan` as one JSON object.
//!
//! Owns the names of the keys, which programs rely on: none is ever removed or given another meaning.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::scan::{Place, Summary};
use crate::session::whereabouts::Whereabouts;

#[derive(Serialize)]
struct Object<'a> {
    files: u64,
    bytes: u64,
    games: u64,
    trees: u64,
    nodes: u64,
    properties: u64,
    values: u64,
    value_bytes: u64,
    max_depth: u64,
    deepest: Option<At<'a>>,
    problems: Map<&'static str, u64>,
    first_problems: Map<&'static str, At<'a>>,
    idents: Map<String, u64>,
    idents_other: u64,
    charsets: Map<&'a str, u64>,
    charsets_other: u64,
    charsets_not_stated: u64,
    text_charsets: Map<&'a str, u64>,
    text_charsets_ascii: u64,
    charset_contradicted: u64,
    game_types: Map<&'a str, u64>,
    game_types_other: u64,
    game_types_not_stated: u64,
    not_read: Map<&'static str, u64>,
    not_read_examples: Map<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Account<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct At<'a> {
    file: &'a str,
    offset: u64,
    line: u64,
    column: u64,
}

/// Where every byte went: these figures and the skipped ones add up to `bytes`.
#[derive(Serialize)]
struct Account<'a> {
    bytes: u64,
    #[serde(flatten)]
    figures: Map<&'static str, u64>,
    skipped: Map<&'static str, u64>,
    twice: u64,
    first_lost: Option<Lost<'a>>,
}

#[derive(Serialize)]
struct Lost<'a> {
    file: &'a str,
    offset: u64,
}

impl<'a> From<&'a Whereabouts> for Account<'a> {
    fn from(Whereabouts { account, first_lost }: &'a Whereabouts) -> Self {
        Self {
            bytes: account.bytes,
            figures: Map(account.figures().collect()),
            skipped: Map(account.skipped().map(|(kind, bytes)| (kind.name(), bytes)).collect()),
            twice: account.twice,
            first_lost: first_lost.as_ref().map(|(file, offset)| Lost { file, offset: *offset }),
        }
    }
}

impl<'a> From<&'a Place> for At<'a> {
    fn from(place: &'a Place) -> Self {
        let position = place.position;
        Self { file: &place.file, offset: position.offset, line: position.line, column: position.column }
    }
}

/// Pairs as an object whose keys keep their order: the commonest first, and problems by number.
struct Map<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

pub(crate) fn write(summary: &Summary, out: &mut impl Write) -> io::Result<()> {
    let (counts, sums) = (&summary.counts, &summary.sums);
    let object = Object {
        files: counts.files,
        bytes: counts.bytes,
        games: counts.games,
        trees: counts.trees,
        nodes: sums.nodes,
        properties: sums.properties,
        values: sums.values,
        value_bytes: sums.value_bytes,
        max_depth: counts.max_depth,
        deepest: summary.deepest.as_ref().map(At::from),
        problems: Map(summary.problems.iter().map(|(kind, damage)| (kind.name(), damage.count)).collect()),
        first_problems: Map(summary
            .problems
            .iter()
            .map(|(kind, damage)| (kind.name(), At::from(&damage.first)))
            .collect()),
        idents: Map(summary.idents.names.iter().map(|(ident, count)| (ident.to_string(), *count)).collect()),
        idents_other: summary.idents.others,
        charsets: Map(borrowed(&summary.charsets.names)),
        charsets_other: summary.charsets.others,
        charsets_not_stated: summary.charsets.not_stated,
        text_charsets: Map(borrowed(&summary.text_charsets.names)),
        text_charsets_ascii: summary.text_charsets.not_stated,
        charset_contradicted: summary.charset_contradicted,
        game_types: Map(borrowed(&summary.game_types.names)),
        game_types_other: summary.game_types.others,
        game_types_not_stated: summary.game_types.not_stated,
        not_read: Map(summary.left.iter().map(|(reason, (count, _))| (reason.key(), *count)).collect()),
        not_read_examples: Map(summary.left.iter().map(|(reason, (_, name))| (reason.key(), &**name)).collect()),
        account: summary.whereabouts.as_ref().map(Account::from),
        seconds: summary.time.as_secs_f64(),
    };
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")
}

fn borrowed(names: &[(String, u64)]) -> Vec<(&str, u64)> {
    names.iter().map(|(name, count)| (name.as_str(), *count)).collect()
}
