//! The result of `sgf scan` as a table for people.
//!
//! Owns what is shown, in which order and in which words.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::time::Duration;

use sgf_stream::Ident;
use sgf_stream::semantics::GameType;

use crate::scan::{Place, Ranking, Summary};
use crate::session::whereabouts::Whereabouts;
use crate::terminal::layout::{Grid, Note, ratio, size, thousands, three_digits, time};
use crate::terminal::printable;

/// How many names of a section are shown one by one.
const SHOWN: usize = 12;

/// How many values of GM that mean the same game.
const VALUES: usize = 3;

pub(crate) fn write(summary: &Summary, colours: bool, out: &mut impl Write) -> io::Result<()> {
    let mut grid = Grid::default();
    counts(summary, &mut grid);
    let properties = summary.sums.properties;
    section("identifiers", "share of properties", &summary.idents.named(Ident::to_string), properties, &mut grid);
    let games = summary.counts.games;
    section("charsets", "share of games", &summary.charsets.named(|name| shown(name)), games, &mut grid);
    texts(summary, &mut grid);
    section("game types", "share of games", &game_types(&summary.game_types), games, &mut grid);
    problems(summary, &mut grid);
    whereabouts(summary, &mut grid);
    not_read(summary, &mut grid);
    grid.write(colours, out)
}

fn counts(summary: &Summary, grid: &mut Grid) {
    let (counts, sums) = (&summary.counts, &summary.sums);
    let each = |number: u64, of: u64, what: &str| match of {
        0 => Note::None,
        _ => Note::Text(format!("{} per {what}", three_digits(ratio(number, of)))),
    };
    grid.row("files", thousands(counts.files), Note::None);
    grid.row("bytes", thousands(counts.bytes), Note::Text(size(counts.bytes)));
    grid.row("time", time(summary.time), Note::Text(rate(counts.bytes, summary.time)));
    grid.blank();
    grid.row("games", thousands(counts.games), Note::None);
    grid.row("trees", thousands(counts.trees), each(counts.trees, counts.games, "game"));
    grid.row("nodes", thousands(sums.nodes), each(sums.nodes, counts.games, "game"));
    grid.row("properties", thousands(sums.properties), each(sums.properties, sums.nodes, "node"));
    grid.row("values", thousands(sums.values), each(sums.values, sums.properties, "property"));
    grid.row("value bytes", thousands(sums.value_bytes), each(sums.value_bytes, sums.values, "value"));
    let deepest = summary.deepest.as_ref().map_or(Note::None, |place| Note::Text(shown_place(place)));
    grid.row("deepest tree", thousands(counts.max_depth), deepest);
}

fn section(title: &str, caption: &str, ranking: &Ranking<String>, whole: u64, grid: &mut Grid) {
    if whole == 0 {
        return;
    }
    grid.heading(title, caption);
    // One more name fits into the line that would say that there is one more.
    let shown = if ranking.names.len() == SHOWN + 1 { SHOWN + 1 } else { ranking.names.len().min(SHOWN) };
    let (top, rest) = ranking.names.split_at(shown);
    let others = rest.iter().map(|(_, count)| count).sum::<u64>() + ranking.others;
    // If names had to be dropped, their number is not known.
    let more = if ranking.others > 0 { "over " } else { "" };
    let label = format!("{more}{} others", thousands(rest.len() as u64));
    shares(top, (&label, others), ("not stated", ranking.not_stated), whole, grid);
}

/// The shares of names, of the others, whose bar would be longer than all, and of what has no name.
fn shares(names: &[(String, u64)], others: (&str, u64), none: (&str, u64), whole: u64, grid: &mut Grid) {
    let longest = names.iter().map(|(_, count)| *count).chain([others.1, none.1]).max().unwrap_or(0);
    for (name, part) in names {
        grid.row(name.as_str(), thousands(*part), Note::Share { part: *part, whole, longest });
    }
    for ((name, part), longest) in [(others, 0), (none, longest)] {
        if part > 0 {
            grid.row(name, thousands(part), Note::Share { part, whole, longest });
        }
    }
}

/// The charsets of text, for archives that are not all ASCII.
fn texts(summary: &Summary, grid: &mut Grid) {
    let (texts, games) = (&summary.text_charsets, summary.counts.games);
    if texts.names.is_empty() {
        return;
    }
    grid.heading("charsets of text", "share of games");
    shares(&texts.names, ("", 0), ("ASCII alone", texts.not_stated), games, grid);
    let part = summary.charset_contradicted;
    grid.row("not as declared", thousands(part), Note::Share { part, whole: games, longest: 0 });
}

fn problems(summary: &Summary, grid: &mut Grid) {
    if summary.problems.is_empty() {
        grid.heading("problems", "");
        grid.row("none", "0", Note::None);
        return;
    }
    grid.heading("problems", "first at");
    let mut problems: Vec<_> = summary.problems.iter().collect();
    problems.sort_by_key(|(kind, damage)| (Reverse(damage.count), **kind));
    for (kind, damage) in problems {
        let label = format!("{} {}", kind.number(), kind.name());
        grid.row(label, thousands(damage.count), Note::Damage(shown_place(&damage.first)));
    }
}

/// Where every byte went. Figures of 0 are left out, except those that ought to be 0.
fn whereabouts(summary: &Summary, grid: &mut Grid) {
    let Some(Whereabouts { account, first_lost }) = &summary.whereabouts else { return };
    grid.heading("every byte", "share of bytes");
    let figures = account.figures().map(|(name, bytes)| (part_of_input(name).to_owned(), bytes));
    let (reported, lost): (Vec<_>, Vec<_>) = figures.partition(|(label, _)| label != "lost");
    let skipped = account.skipped().map(|(kind, bytes)| (format!("skipped: {kind}"), bytes));
    let rows: Vec<_> = reported.into_iter().chain(skipped).filter(|(_, bytes)| *bytes > 0).collect();
    let longest = rows.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
    for (label, bytes) in rows {
        grid.row(label, thousands(bytes), Note::Share { part: bytes, whole: account.bytes, longest });
    }
    for (label, bytes) in lost {
        let place = first_lost.as_ref().map(|(file, offset)| format!("{} at byte {offset}", printable(file)));
        grid.row(label, thousands(bytes), place.map_or(Note::None, Note::Damage));
    }
    if account.twice > 0 {
        grid.row("counted twice", thousands(account.twice), Note::None);
    }
    let sum = account.sum();
    let missing = account.bytes.abs_diff(sum);
    let note = if missing == 0 { Note::Text("all".to_owned()) } else { Note::Damage(format!("off by {missing}")) };
    grid.row("sum", thousands(sum), note);
}

/// The name of a figure for people.
fn part_of_input(name: &str) -> &str {
    match name {
        "brackets" => "[ ] of values",
        "nodes" => "; of nodes",
        "trees" => "( ) of trees",
        "white_space" => "white space",
        "marks" => "byte order marks",
        "passed_over" => "passed over",
        "unreported" => "skipped, unreported",
        "undecided" => "not read to an end",
        name => name,
    }
}

/// What was skipped or could not be read, if there is anything.
fn not_read(summary: &Summary, grid: &mut Grid) {
    if summary.left.is_empty() {
        return;
    }
    grid.heading("not read", "one of them");
    for (reason, (count, name)) in &summary.left {
        grid.row(reason.label(), thousands(*count), Note::Damage(printable(name)));
    }
}

fn shown_place(place: &Place) -> String {
    format!("{}:{}", printable(&place.file), place.position)
}

fn shown(name: &str) -> String {
    if name.is_empty() { "(empty)".to_owned() } else { printable(name) }
}

/// One row for each game, with the values of GM that mean it.
fn game_types(stated: &Ranking<String>) -> Ranking<String> {
    let mut games: Vec<(Option<&str>, Vec<&str>, u64)> = Vec::new();
    for (value, count) in &stated.names {
        let game = if value.is_empty() { None } else { GameType::of_text(value).name() };
        match games.iter_mut().find(|(other, ..)| game.is_some() && *other == game) {
            Some((_, values, sum)) => {
                values.push(value);
                *sum += count;
            }
            None => games.push((game, vec![value], *count)),
        }
    }
    games.sort_by_key(|(_, _, count)| Reverse(*count));
    let label = |game: Option<&str>, values: &[&str]| match game {
        Some(name) if values == [name] => name.to_owned(),
        Some(name) => {
            let more = if values.len() > VALUES { ", \u{2026}" } else { "" };
            format!("{name} ({}{more})", printable(&values[..values.len().min(VALUES)].join(", ")))
        }
        None => shown(&values.concat()),
    };
    let names = games.into_iter().map(|(game, values, count)| (label(game, &values), count)).collect();
    Ranking { names, ..*stated }
}

fn rate(bytes: u64, time: Duration) -> String {
    format!("{} MB/s", three_digits(ratio(bytes, 1_000_000) / time.as_secs_f64().max(1e-6)))
}
