//! The facts of a game, in the forms that FF\[4\] asks for.

use sgf_stream::Ident;

use crate::dates;
use crate::game::{Move, Record};

/// The facts of a game. Sorted by date, then names.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Facts {
    pub(crate) date: Option<String>,
    pub(crate) black: Player,
    pub(crate) white: Player,
    pub(crate) size: u8,
    pub(crate) event: Option<String>,
    pub(crate) round: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) komi: Option<String>,
    pub(crate) handicap: Option<String>,
    pub(crate) rules: Option<String>,
    pub(crate) result: Option<String>,
    pub(crate) black_stones: Vec<String>,
    pub(crate) moves: Vec<Move>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) rank: Option<String>,
}

impl Facts {
    /// `None` unless it is a complete game of Go between two named players.
    pub(crate) fn new(record: &Record) -> Option<Self> {
        let text = |ident| record.header.get(&ident).map(String::as_str).filter(|text| is_fact(text));
        let size = text(Ident::SZ).unwrap_or("19").parse().ok()?;
        let shortest = match size {
            19 => 60,
            9 | 13 => 20,
            _ => return None,
        };
        let on_board = |point: [u8; 2]| point.iter().all(|&line| line < b'a' + size);
        let complete = text(Ident::GM).unwrap_or("1") == "1"
            && record.moves.len() >= shortest
            && record.moves.windows(2).all(|pair| pair[0].0 != pair[1].0)
            && record.moves.iter().all(|&(_, point)| point.is_none_or(on_board));
        if !complete {
            return None;
        }
        let stones = record.black_stones.len();
        Some(Self {
            date: text(Ident::DT).and_then(dates::iso),
            black: player(text(Ident::PB)?, text(Ident::BR)),
            white: player(text(Ident::PW)?, text(Ident::WR)),
            size,
            event: text(Ident::EV).or(text(Ident::GN)).map(str::to_owned),
            round: text(Ident::RO).filter(|round| is_round(round, record.moves.len())).map(str::to_owned),
            place: text(Ident::PC).map(str::to_owned),
            komi: text(Ident::KM).and_then(komi),
            handicap: (stones > 1).then(|| stones.to_string()),
            rules: text(Ident::RU).map(str::to_owned),
            result: text(Ident::RE).and_then(result),
            black_stones: record.black_stones.clone(),
            moves: record.moves.clone(),
        })
    }

    /// Whether it is dated, before 2010, and neither its event nor its ranks point to an amateur's or a server's game.
    pub(crate) fn is_historical(&self) -> bool {
        let dated = self.date.as_ref().is_some_and(|date| date.as_str() < "2010");
        let event = self.event.as_deref().unwrap_or_default().to_lowercase();
        let other = ["业余", "sinago", "amateur", "computer"].iter().any(|word| event.contains(word));
        let ranks = [&self.black.rank, &self.white.rank];
        let amateur = ranks.into_iter().flatten().any(|rank| rank.contains('*') || rank.to_lowercase().contains('k'));
        dated && !other && !amateur
    }
}

/// Whether it is a fact: not empty, not an address, not the book that the record was copied from, not "omitted".
fn is_fact(text: &str) -> bool {
    let other = ["http", "www.", "@", "全集", "省略"];
    !text.is_empty() && text.chars().count() <= 80 && !other.iter().any(|word| text.contains(word))
}

/// Splits `吴清源 四段` and `吴清源四段` if no rank is given.
fn player(name: &str, rank: Option<&str>) -> Player {
    let rank = rank.filter(|rank| !rank.contains('?'));
    let split = name.strip_suffix('段').and_then(|start| start.char_indices().next_back());
    if let (None, Some((at, '初' | '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九'))) = (rank, split)
    {
        return Player { name: name[..at].trim().to_owned(), rank: Some(name[at..].to_owned()) };
    }
    Player { name: name.to_owned(), rank: rank.map(str::to_owned) }
}

/// Whether it is a round: some collections write the number of moves in its place.
fn is_round(round: &str, moves: usize) -> bool {
    round.parse::<usize>().is_ok_and(|number| number < 20 && number != moves) || round.parse::<usize>().is_err()
}

/// No professional game had a komi over ten; a larger number is an error.
fn komi(text: &str) -> Option<String> {
    text.parse::<f32>().ok().filter(|komi| (-10.0..=10.0).contains(komi)).map(|komi| komi.to_string())
}

/// A result in the form of FF\[4\], also from Chinese, or `None` if the text says something else.
fn result(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains("和棋") || matches!(text, "0" | "Draw" | "Jigo") {
        return Some("Draw".to_owned());
    }
    let (winner, margin) = match text.split_once('+') {
        Some((winner, margin)) => (winner.to_uppercase(), margin.trim_end_matches('目').to_owned()),
        None => chinese_result(text)?,
    };
    let margin = match margin.to_uppercase().as_str() {
        "" => String::new(),
        "R" | "RESIGN" => "R".to_owned(),
        "T" | "TIME" => "T".to_owned(),
        points => points.parse::<f32>().ok()?.to_string(),
    };
    matches!(winner.as_str(), "B" | "W").then(|| format!("{winner}+{margin}"))
}

/// `共199手 黑中盘胜` is a win by resignation, `白胜3目半` one by 3.5 points.
fn chinese_result(text: &str) -> Option<(String, String)> {
    let text = text.rsplit(' ').next()?.replace(['棋', '!'], "");
    let winner = match text.chars().next()? {
        '黑' => "B",
        '白' => "W",
        _ => return None,
    };
    let rest = text[3..].replace('胜', "");
    let margin = match rest.as_str() {
        "中盘" => "R".to_owned(),
        "超时" => "T".to_owned(),
        "半目" => "0.5".to_owned(),
        points => match points.strip_suffix("目半").or(points.strip_suffix("目")) {
            Some(number) if points.ends_with('半') => format!("{number}.5"),
            Some(number) => number.to_owned(),
            None => return None, // counted in stones, as Chinese rules do
        },
    };
    Some((winner.to_owned(), margin))
}
