//! What follows the options in the help of a command: details, examples, exit codes.
//!
//! Owns the texts and their headings, which the manual has too. No line is longer than 80 characters: a terminal that is no
//! wider would break it, and with it what stands in columns. What the problems mean is the library's knowledge.

use std::fmt::Write as _;

use clap::builder::Styles;
use sgf_stream::ProblemKind;
use sgf_stream::record::{Column, Wants};

/// A text whose headings look like those of the options, where there are colours.
pub(crate) fn styled(text: &str) -> String {
    let styles = Styles::styled();
    let header = styles.get_header();
    let mut shown = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let heading = HEADINGS.into_iter().map(|(heading, _)| heading).find(|heading| line.starts_with(heading));
        match heading.map(|heading| line.split_at(heading.len())) {
            Some((heading, rest)) => shown.extend([&format!("{header}{heading}{header:#}"), rest]),
            None => shown.push_str(line),
        }
    }
    shown
}

/// The headings, and what they are in the manual.
pub(crate) const HEADINGS: [(&str, &str); 4] = [
    ("Problems:", "PROBLEMS"),
    ("Keys of --json:", "KEYS OF JSON"),
    ("Examples:", "EXAMPLES"),
    ("Exit codes:", "EXIT STATUS"),
];

pub(crate) const TOP: &str = "\
Examples:
  sgf scan games.sgf              what is in a file
  sgf scan ~/go --json            what is in a directory, for a program
  sgf scan games.7z.001 *.zip     what is in archives, as they are
  curl -s $URL | sgf scan         what is in a pipe, packed or not
  sgf events game.sgf | head      the events of reading, one a line
  sgf list ~/go                   a row for each game
  sgf find --player cho ~/go      the games of a player
  sgf index ~/go --to go.sqlite   a database of all games
  sgf recode gbk.sgf > utf8.sgf   the same games in UTF-8
  sgf split --ranges 8 games.sgf  where eight machines can share a file

Exit codes:
  0    fine; damage in the input is reported, but it is no failure
  1    problems in the input, under --strict; nothing found
  2    something could not be read or run; what could be was read all the same
  130  Ctrl-C, except for listen; what came before it was read, and is printed
Errors and notes go to standard error, and on a terminal the progress, too; -q
leaves all but errors out. A closed pipe is not an error. NO_COLOR switches
colours off.

`sgf help COMMAND` tells more.";

pub(crate) const SCAN: &str = "\
Everything is counted, including values of any length. Memory does not grow
with the input: it is about 30 MB with two threads, and what --archive-memory
allows for archives. A directory without SGF files, or an empty list, is
reported on standard error and is no failure. The problems, which --help lists
with the keys of --json, are the same for every command; no command repairs
a file.

Examples:
  sgf scan games.sgf                       one file
  sgf scan ~/go                            all games and archives in a directory
  sgf scan --glob '1985*.sgf' ~/go         only these, wherever they are packed
  sgf scan ~/go --json | jq .problems      how often each kind of problem occurs
  sgf scan --account upload.zip            what became of every byte
  sgf scan --problems upload.sgf           what is wrong in a file, and where
  sgf scan ~/go --strict                   which files are damaged, and where
  find . -name '*.sgf' -newer mark -print0 | sgf scan --files-from -
  curl -s https://example.org/games.sgf | sgf scan

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

const KEYS: &str = "\
Keys of --json:
  files, bytes, games, trees, nodes, properties, values, value_bytes
      How many there are. Games are trees, too; value_bytes are in the values.
  max_depth, deepest
      How deep trees are in each other, and where that is.
  problems, first_problems
      How many of each kind; file, offset, line and column of the first.
  idents, idents_other
      How many properties have a name; of many names, the last share one number.
  charsets, charsets_other, charsets_not_stated
      How many games have a value in CA, and how many have no CA.
  text_charsets, text_charsets_ascii, charset_contradicted
      In which charsets games have text that is not ASCII; how many have none;
      how many have it in another charset than CA says.
  game_types, game_types_other, game_types_not_stated
      As charsets, of GM.
  not_read, not_read_examples
      How many files and members were not read, or not to the end, for which
      reason; one of each.
  account
      With --account: how many bytes are in values, brackets around these,
      identifiers, nodes (each ;), trees (each parenthesis), white_space, marks
      (of byte order or of another set of characters), skipped (by the kind of
      problem), unreported (skipped, beyond the problems that a game may have),
      passed_over (not asked for), undecided (when reading stopped) or lost
      (nowhere; first_lost is the first). Together they are bytes. What came
      twice is a fault, as what is lost.
  seconds
      How long it took.
";

/// The long help of `scan`, with what each problem means.
pub(crate) fn scan() -> String {
    let mut kinds = String::from("Problems:\n");
    for kind in ProblemKind::ALL {
        // Writing into memory does not fail.
        let _ = writeln!(kinds, "  {} {:<22}  {}", kind.number(), kind.name(), kind.meaning());
    }
    SCAN.replacen("Examples:", &format!("{kinds}\n{KEYS}\nExamples:"), 1)
}

pub(crate) const EVENTS: &str = "\
The events are enter, node, property, value, exit and problem. Each has the
keys event, offset and depth; file comes last, if there are several inputs, a
directory or an archive. An enter has implied if its ( is lost, and a node if
its ; is; a node has after_variation if a variation ended right before it, and
an exit implicit if there is no ). A property has ident; a value has ident and
value, and charset if it is not ASCII. A problem has number, name, line, column,
len (of the bytes it is about) and message, and charset if that cannot be read.
A value over 1 MiB is not printed, but reported as the problem value-too-long.

Examples:
  sgf events game.sgf
  sgf events ~/go | jq -r 'select(.ident == \"PB\") | .value // empty'
  sgf events ~/go | grep '\"event\":\"problem\"'
  sgf events --charset big5 game.sgf
  sgf events --raw game.sgf | jq -r '.raw // empty | @base64d'

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

/// The help of `list`, with all columns.
pub(crate) fn list() -> String {
    let columns = |is_here: fn(Wants) -> bool| {
        let mut lines = String::from(" ");
        let mut len = lines.len();
        for name in Column::every().filter(|column| is_here(column.wants())).map(Column::name) {
            if len + 1 + name.len() > 80 {
                lines.push_str("\n ");
                len = 1;
            }
            lines.extend([" ", name]);
            len += 1 + name.len();
        }
        lines
    };
    LIST.replacen("{header}", &columns(|wants| wants == Wants::HEADER), 1)
        .replacen("{main_line}", &columns(|wants| wants.main_line), 1)
        .replacen("{all}", &columns(|wants| wants != Wants::HEADER && !wants.main_line), 1)
}

const LIST: &str = "\
Columns known from the header (the rest of a game is skipped, which is fast):
{header}
Columns that need the main line to be read:
{main_line}
Columns that need the whole game to be read:
{all}
`sgf find --help` says what is in each. The header is the root node, and the
nodes after it up to the first move, in the first child of each. Where more
nodes follow a variation, as C follows B in `A (B) C`, the header goes on in B,
the first child, but the main line, with its moves, in C. Texts are as written,
but decoded. charset is that of the header's text, comments included; for ASCII
it is UTF-8, or what CA says if that is HZ or a form of ISO-2022. players has
all names, also of teams and of a third and fourth player, with a semicolon
between them. game counts from 1 in each file. komi, handicap, margin, time
(seconds) and year are numbers, or empty (null in json) if they are missing or
were not understood.

Examples:
  sgf list ~/go
  sgf list --columns date,black,white,result games.sgf
  sgf list --format json ~/go | jq -r 'select(.year == 1985) | .file'
  sgf list --columns file,moves,signature ~/go > games.csv

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read.";

pub(crate) const FIND: &str = "\
Each condition may be given several times. One of its values is enough: --size 9
--size 13, --black cho --black kato. But every --player must be in a game:
--player cho --player otake. `none` finds the games without a value, which
ranges leave out: --handicap 0..1 --handicap none. What looks like a date and is
none, such as 1996-13, is an error.

Examples:
  sgf find --player cho --year 1985..1995 ~/go
  sgf find --date 1996-03 ~/go             also 5th March 1996, 1996-02-28,03-01
  sgf find --date 1996-08..1997 ~/go       from August 1996 to the end of 1997
  sgf find --black shusaku --result B+R --format json ~/go
  sgf find --size 19 --moves 200.. --count ~/go
  sgf find --gm hex --result B+ --result W+R ~/games
  sgf find --event honinbo --unique --sgf ~/go > honinbo.sgf

Exit codes: 0 fine, 1 nothing found, or problems under --strict, 2 something
could not be read.";

pub(crate) const INDEX: &str = "\
The columns are those of `sgf list` but `players`; in DuckDB, the names
\"offset\" and \"symmetric\" need their quotes. Files, archives and directories are
read as by every other command, in a few dozen megabytes of memory; with --moves
or --comments in about 100, with --positions in about 170, and in Parquet in up
to about 200.

SQLite has the tables games, files, players, player_parts and game_players, and
by option moves and setup, positions, comments and comment_words. If a run is
killed, the same command goes on where it was; later runs read what is new or
has changed.
A database keeps to the options that it was made with: give the same ones each
time, or write to another file.
A file is known by its full path, however you write it. Look up names of
players in lower case and without accents, by any part that begins at a word
or at a Chinese, Japanese or Korean character. There ø is o, ł is l, đ and ð are
d, ı is i, æ is ae, œ is oe, ß is ss, þ is th, and a final ς is σ:
  SELECT * FROM games WHERE id IN (SELECT game FROM player_parts
  JOIN game_players USING (player) WHERE part GLOB '趙治*');
Words in comments, which --comments keeps, likewise, with a space between such
characters:
  SELECT game, c.text FROM comment_words
  JOIN comments c ON c.id = comment_words.rowid
  WHERE comment_words MATCH '\"定 式\"';

Examples:
  sgf index ~/go --to games.sqlite
  sgf index ~/go --to more.sqlite --comments --positions 20
  sgf index games.7z.001 --to games.parquet --moves
  sgf index --offsets games.sgf            for sgf cat games.sgf#1234567
  sgf index ~/go --to - --format ndjson | jq -r .black
  sqlite3 games.sqlite \"SELECT winner, count(*) FROM games GROUP BY winner\"
  duckdb -c \"SELECT year, count(*) FROM 'games.parquet' GROUP BY year\"

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read or
written.";

pub(crate) const CAT: &str = "\
Games count from 1, over all members of an archive that are read: --glob and
--exclude choose them as for `sgf list`. They are printed byte for byte, with a
line end after each. With a sidecar (sgf index --offsets) a game of a plain
file, a tar or a zip archive is found at once. A sidecar that is older than its
archive, or was made under other options, is not used, which is reported.
Everything else is searched at skip speed, once for all names of a file that
follow each other. A damaged member does not affect those after it.

Examples:
  sgf cat games.sgf#7
  sgf cat games.sgf#100..110 | sgf list
  sgf cat games.zip#3 other.tar.xz#12..
  sgf cat 'games.zip!1998/june.sgf#2'      as sgf list names it
  curl -s $URL | sgf cat -- -#7            from standard input

Exit codes: 0 fine, 1 no such game (of a range, none), 2 something could not be
read.";

pub(crate) const RECODE: &str = "\
Every value that is not ASCII becomes UTF-8. CA becomes UTF-8, and is put in
after the first ; of a game that lacks it and is not all ASCII, or before a CA
that nobody closed, which stays with all that it has swallowed. Every other
byte stays the same, including damage. Bytes that are no character are replaced
by U+FFFD, which is reported on standard error, with the first ten places of a
file and the number of the others; an input is not replaced by what
has lost them, unless --lossy says so. Several inputs become one stream.
Memory is bounded: a game without CA is held until its first text that is not
ASCII, for 16 MiB at most (if that comes later, no CA is put in); a value over
16 MiB is not recoded, which is reported. With --strict the output of an input
ends before its first problem, and a file that exists is not replaced by what
is left. An archive or a compressed file is never replaced, nor is a file that
may not be written to, or an input that somebody has written to since.

Examples:
  sgf recode old.sgf > new.sgf
  sgf recode games.sgf --to games.sgf              in place
  sgf recode --charset big5 old.sgf --to new.sgf   where CA is missing or wrong
  sgf recode games.sgf.gz | gzip > utf8.sgf.gz

Exit codes: 0 fine, 1 problems under --strict, 2 something could not be read or
written.";

pub(crate) const SPLIT_USAGE: &str = "\
sgf split --ranges <N> <FILE>
       sgf split --every <N> --to <DIR> <FILE>";

pub(crate) const SPLIT: &str = "\
Cuts are always right before a game. What stands between two games stays with
the first of them.

Examples:
  sgf split --ranges 8 games.sgf           what eight machines can each read
  sgf split --every 1000 --to parts games.sgf
  sgf split --ranges 4 games.sgf | while read offset length charset; do
    tail -c +$((offset + 1)) games.sgf | head -c \"$length\" |
      sgf scan --json --charset \"${charset:-auto}\"
  done

Exit codes: 0 fine, 2 something could not be read or written.";

pub(crate) const COMPLETIONS: &str = "\
Examples:
  sgf completions bash > ~/.local/share/bash-completion/completions/sgf
  sgf completions zsh > ~/.zfunc/_sgf
  sgf completions fish > ~/.config/fish/completions/sgf.fish";

pub(crate) const MAN: &str = "\
Examples:
  sgf man ~/.local/share/man/man1
  sgf man | man -l -

Exit codes: 0 fine, 2 something could not be written.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use unicode_width::UnicodeWidthStr;

    use crate::args::Args;

    #[test]
    fn no_line_is_too_long_for_a_terminal() {
        let all = Args::command();
        for command in std::iter::once(&all).chain(all.get_subcommands()) {
            let text = command
                .get_after_long_help()
                .or_else(|| command.get_after_help())
                .map(ToString::to_string)
                .unwrap_or_default();
            for line in text.lines() {
                assert!(line.width() <= 80, "{}: {line}", command.get_name());
            }
        }
    }
}
