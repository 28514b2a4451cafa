//! Results as people write them: one pass over the words, which stops at the first unknown one.
//!
//! Owns what the words together say of the outcome. Invariant: of two outcomes that contradict each other none is chosen. The
//! words are in `words`; the names of the players are the caller's.

use super::beaten::{defeated, names_the_beaten};
use super::second::{Second, second_verdict};
use super::sentence::{drawn_at_last, void_if_alone, won_at_last};
use super::words::{LETTERS, MOVES, UNITS, WORDS, Word, eat_verb};
use super::{GameResult, Margin, Outcome, Unit, WinBy, Winner, number};
use crate::semantics::info::Score;
use crate::semantics::info::scan::{Scan, bare, remark as remark_of};

/// More stones than any player was ever ahead by when a game was counted. Beyond, they are all that he has.
const MOST_AHEAD: f64 = 100.0;

pub(super) fn read(text: &str) -> Option<GameResult<'_>> {
    let text = bare(text).trim();
    if text.eq_ignore_ascii_case("d") || text.eq_ignore_ascii_case("j") {
        return Some(GameResult { outcome: Outcome::Draw, remark: "" });
    }
    if let Some(outcome) = number::number(text, false) {
        return Some(GameResult { outcome, remark: "" });
    }
    read_between(text, &[])
        .or_else(|| drawn_at_last(text))
        .or_else(|| void_if_alone(text))
        .or_else(|| won_at_last(text))
}

/// The same, if a player may be called by a name.
pub(super) fn read_between<'a>(text: &'a str, names: &[(&str, Winner)]) -> Option<GameResult<'a>> {
    let mut reader = Reader::new(text, names);
    // By what the game was won, and all that stands behind it.
    let mut by_what = "";
    // An outcome takes a dozen words; this many take bounded time, whatever they are.
    for _ in 0..64 {
        let (before, by) = (reader.scan, reader.by);
        let goes_on = reader.step();
        if reader.by != by {
            by_what = before.rest();
        }
        if !goes_on {
            break;
        }
    }
    let rest = reader.scan.rest();
    let mut outcome = reader.outcome(remark_of(rest).is_empty())?;
    // A count of moves behind the outcome does not belong to it, nor does what stands behind the count.
    let mut remark = remark_of(match reader.count {
        Some((at, known)) if known == outcome => at.rest(),
        _ => rest,
    });
    if let Outcome::Win { winner, by } = outcome {
        match second_verdict(rest, by) {
            Some(Second::Win(second)) if second == winner => {}
            Some(Second::OtherMeans(second)) if second.is_none_or(|it| it == winner) => {
                outcome = Outcome::Win { winner, by: WinBy::Unstated };
                remark = remark_of(by_what);
            }
            // `B+F, W+F`.
            Some(Second::Win(_)) if matches!(by, WinBy::Forfeit | WinBy::Time) => {
                (outcome, remark) = (Outcome::BothLost, "");
            }
            Some(_) => return None,
            None => {}
        }
    }
    Some(GameResult { outcome, remark })
}

/// Whether a margin continues as no number does: `3.5.5`, `3 5`, `1 / 2`, `0x10`, `33-31`, `60%`.
fn is_more_number(mut scan: Scan<'_>) -> bool {
    let spaced = scan.peek() == Some(' ');
    scan.skip_spaces();
    let mark =
        matches!(scan.peek(), Some('.' | '/' | '\'' | 'x')) || (!spaced && matches!(scan.peek(), Some('-' | ':')));
    if mark {
        scan.bump();
        scan.skip_spaces();
    }
    let Some((_, count)) = scan.digits() else { return scan.peek() == Some('%') };
    mark || (spaced && count == 1 && scan.rest().is_empty())
}

/// Who won, as far as it has been said.
#[derive(Clone, Copy)]
enum Verdict {
    Open,
    /// Someone won, who is named next: `won by Black`.
    ToBeNamed,
    /// The other player is at fault: `超时`; a `胜` behind it turns that around.
    ByFault(Winner),
    Won(Winner),
    /// The words are no outcome.
    Nothing,
}

/// What has been understood so far.
struct Reader<'a, 'n> {
    text: &'a str,
    scan: Scan<'a>,
    /// The names of the players, the longest first.
    names: &'n [(&'n str, Winner)],
    /// The player named first.
    subject: Option<Winner>,
    verdict: Verdict,
    by: Option<WinBy>,
    ended: Option<Outcome>,
    /// After `+`, `by` or `wins`, a margin or a letter may follow.
    introduced: bool,
    /// A number that nothing says is a margin.
    bare: bool,
    /// Who may be named next: the other player, behind `beats` or `was beaten by`.
    opponent: Option<Winner>,
    /// What a player has was counted, which is no margin.
    is_counted: bool,
    /// Where a count of moves stands, and the outcome that was known there.
    count: Option<(Scan<'a>, Outcome)>,
}

impl<'a, 'n> Reader<'a, 'n> {
    fn new(text: &'a str, names: &'n [(&'n str, Winner)]) -> Self {
        Self {
            text,
            scan: Scan::new(text),
            names,
            subject: None,
            verdict: Verdict::Open,
            by: None,
            ended: None,
            introduced: false,
            bare: false,
            opponent: None,
            is_counted: false,
            count: None,
        }
    }

    fn winner(&self) -> Option<Winner> {
        match self.verdict {
            Verdict::Won(winner) | Verdict::ByFault(winner) => Some(winner),
            Verdict::Open | Verdict::ToBeNamed | Verdict::Nothing => None,
        }
    }

    /// Whether anything was said of a winner, known or not.
    fn is_about_a_win(&self) -> bool {
        self.subject.is_some() || !matches!(self.verdict, Verdict::Open)
    }

    fn outcome(&self, nothing_left: bool) -> Option<Outcome> {
        if matches!(self.verdict, Verdict::Nothing) {
            return None;
        }
        if self.ended.is_some() {
            return self.ended;
        }
        let says_enough = self.by.is_some() && !self.bare;
        let implied = self.subject.filter(|_| (says_enough || nothing_left) && !self.is_counted);
        let winner = self.winner().or(implied)?;
        Some(Outcome::Win { winner, by: self.by.unwrap_or(WinBy::Unstated) })
    }

    /// Reads a word; false at the end, and at one that belongs to the remark.
    fn step(&mut self) -> bool {
        let before = self.scan;
        self.scan.skip_spaces();
        if let Some(&(_, player)) = self.names.iter().find(|(name, _)| self.scan.eat_name(name)) {
            let belongs = self.player(player);
            self.scan = if belongs { self.scan } else { before };
            return belongs;
        }
        let decimal = self.introduced && self.scan.rest().starts_with(',') && self.decimal_behind_comma();
        if decimal || self.letter() || (self.scan.peek() == Some('.') && self.number()) {
            return true;
        }
        if self.name_in_parentheses() {
            return true;
        }
        if self.scan.eat_char('(') {
            // `B (R)` and `White wins (3.5 points)`: but `(triple ko)` is a remark.
            let introduced = std::mem::replace(&mut self.introduced, true);
            let verdict = self.verdict;
            let may_tell = self.is_about_a_win() && self.by.is_none();
            let count = self.count;
            let mut by = self.scan;
            if matches!(by.eat_word(&WORDS), Some(Word::By)) {
                by.skip_spaces();
                self.scan = by;
            }
            let told = may_tell && self.tells_in_brackets() && self.scan.eat_char(')');
            if !told {
                (self.scan, self.introduced, self.count, self.verdict) = (before, introduced, count, verdict);
                self.by = if may_tell { None } else { self.by };
            } else if count.is_none() {
                // A count in parentheses begins with them.
                self.count = self.count.map(|(_, known)| (before, known));
            }
            return told;
        }
        // `-3.5` is more than a dash.
        let mut behind_dash = self.scan;
        if behind_dash.eat_char('-') && behind_dash.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.scan = before;
            return false;
        }
        // `Black wins - resignation`.
        let says_by_what = matches!(self.verdict, Verdict::Won(_)) && self.by.is_none();
        if says_by_what
            && before.peek() == Some(' ')
            && self.scan.peek() == Some('-')
            && behind_dash.peek() == Some(' ')
        {
            self.scan = behind_dash;
            return true;
        }
        // A number may begin with the character of a word: 반 of 반집 and 반칙.
        let belongs = eat_verb(&mut self.scan).map(|word| self.word(word));
        if belongs == Some(false) {
            self.scan = before;
        }
        belongs.unwrap_or_else(|| self.number())
    }

    fn word(&mut self, word: Word) -> bool {
        match word {
            Word::Filler | Word::Was => true,
            Word::Has => false,
            Word::Nothing => self.says_nothing(),
            Word::Beats | Word::Beaten | Word::BeatsOrBeaten => match (self.verdict, self.subject) {
                (Verdict::Open, Some(subject)) => match self.is_beaten(word, subject) {
                    Some(is_beaten) => {
                        self.opponent = Some(subject.other());
                        let belongs = self.won(if is_beaten { subject.other() } else { subject });
                        // The first letter of a name says nothing of the game: `Black defeated T. Smith`.
                        self.introduced = is_beaten || !matches!(word, Word::BeatsOrBeaten);
                        belongs
                    }
                    None => self.says_nothing(),
                },
                _ => false,
            },
            Word::Player(player) => self.player(player),
            Word::Plus => match (self.verdict, self.subject) {
                (Verdict::Open, Some(subject)) => self.won(subject),
                // `Black Win +3.5`, but not `B++3.5`.
                (Verdict::Won(_), _) => self.by.is_none() && self.has_one_sign(),
                _ => false,
            },
            // `Vinto dal nero`.
            Word::WonOrBeaten if self.subject.is_some() => self.word(Word::Beaten),
            Word::Wins | Word::WonOrBeaten => match (self.verdict, self.subject) {
                _ if self.ended.is_some() => false,
                // `Ganan a las negras`.
                (Verdict::Open, None) if names_the_beaten(self.scan) => self.says_nothing(),
                (Verdict::Open, None) => {
                    (self.verdict, self.introduced) = (Verdict::ToBeNamed, true);
                    true
                }
                (Verdict::Open | Verdict::ByFault(_), Some(subject)) => {
                    // `白胜黑`.
                    let is_named = self.scan.rest().starts_with(['黑', '黒', '白']);
                    self.opponent = is_named.then_some(subject.other());
                    self.won(subject)
                }
                // `B+win`, but not `White wins, wins`.
                (Verdict::Won(winner), _) => self.by.is_none() && self.won(winner),
                _ => false,
            },
            Word::Loses => match (self.verdict, self.subject) {
                (Verdict::Open | Verdict::ByFault(_), Some(subject)) => self.won(subject.other()),
                _ => false,
            },
            Word::Komi => {
                let komi = self.scan.eat_score().is_some();
                self.scan.eat_any(UNITS);
                self.scan.eat_part_behind_unit();
                // `黑贴3又3/4子，黑胜1/4子`: the player who gives the komi has not been said to win.
                if matches!(self.verdict, Verdict::Open) && self.player_follows() {
                    self.subject = None;
                }
                komi
            }
            Word::But => {
                let belongs = self.winner().is_some() && self.by.is_none();
                self.ended = if belongs { Some(Outcome::Special) } else { self.ended };
                false
            }
            Word::By => {
                let belongs = self.is_about_a_win() && self.by.is_none();
                self.introduced |= belongs;
                belongs
            }
            // `中押し、白の勝ち`.
            Word::Means(by) if self.verb_follows() => {
                self.by = Some(by);
                true
            }
            Word::Means(by) => self.won_by(by),
            // `时间到 黑胜`: the verdict says whose time it was.
            Word::Fault(WinBy::Time) if self.verdict_follows() => {
                self.by = Some(WinBy::Time);
                true
            }
            Word::Fault(by) => {
                // `中盘认输`: the same, said about the loser.
                let belongs = self.won_by(by) || (self.by == Some(by) && matches!(self.verdict, Verdict::Open));
                if let (true, Verdict::Open, Some(subject), false) =
                    (belongs, self.verdict, self.subject, self.introduced)
                {
                    self.verdict = Verdict::ByFault(subject.other());
                }
                belongs
            }
            // `ジゴ 白勝ち`.
            Word::Jigo if self.verdict_follows() => true,
            Word::Jigo => match (self.verdict, self.subject) {
                (Verdict::Open, Some(subject)) if self.by.is_none() => self.by_jigo(subject),
                _ => self.ends(Outcome::Draw),
            },
            Word::Ended(outcome) => self.ends(outcome),
        }
    }

    fn says_nothing(&mut self) -> bool {
        self.verdict = Verdict::Nothing;
        false
    }

    /// Whether a verb says that the player before it lost; `None` if it may be about someone else.
    fn is_beaten(&self, verb: Word, subject: Winner) -> Option<bool> {
        match verb {
            Word::BeatsOrBeaten => defeated(self.scan, subject, self.names),
            verb => Some(matches!(verb, Word::Beaten)),
        }
    }

    /// The game ended so, if nothing was said of a winner.
    fn ends(&mut self, outcome: Outcome) -> bool {
        let belongs = self.ended.is_none() && !self.is_about_a_win();
        self.ended = if belongs { Some(outcome) } else { self.ended };
        belongs
    }

    /// `白ジゴ勝ち`, or only `白ジゴ`.
    fn by_jigo(&mut self, subject: Winner) -> bool {
        let mut next = self.scan;
        next.skip_spaces();
        let is_all = next.rest().is_empty();
        is_all && self.won(subject) || matches!(next.eat_word(&WORDS), Some(Word::Wins | Word::Loses))
    }

    /// A player is named. This may happen again only to say the same: `黑超时,白胜`, `White wins, Black resigned`.
    fn player(&mut self, player: Winner) -> bool {
        let Some(winner) = self.winner() else {
            let belongs = self.ended.is_none() && self.subject.is_none();
            if belongs {
                self.subject = Some(player);
                if matches!(self.verdict, Verdict::ToBeNamed) {
                    self.verdict = Verdict::Won(player);
                }
            }
            return belongs;
        };
        let is_opponent = self.opponent.take() == Some(player);
        let mut next = self.scan;
        next.skip_spaces();
        let by = match eat_verb(&mut next) {
            Some(Word::Wins) if winner == player => self.by,
            Some(Word::Loses) if winner == player.other() => self.by,
            Some(Word::Fault(by)) if winner == player.other() && self.by.is_none() => Some(by),
            _ => {
                self.introduced |= is_opponent;
                return is_opponent;
            }
        };
        (self.scan, self.by, self.verdict) = (next, by, Verdict::Won(winner));
        true
    }

    /// `Black (Cho Chikun) wins`: the name does not affect the outcome, if the verdict follows.
    fn name_in_parentheses(&mut self) -> bool {
        let mut next = self.scan;
        let opens =
            next.eat_char('(') && self.subject.is_some() && matches!(self.verdict, Verdict::Open) && self.by.is_none();
        if !opens {
            return false;
        }
        next.skip_while(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '\''));
        let closes = next.eat_char(')');
        let behind = next;
        next.skip_spaces();
        let follows = matches!(
            eat_verb(&mut next),
            Some(Word::Wins | Word::Loses | Word::Beaten | Word::Plus | Word::Means(_) | Word::Fault(_))
        );
        if closes && follows {
            self.scan = behind;
        }
        closes && follows
    }

    /// Whether nothing was said yet, and who won or lost comes next.
    fn verdict_follows(&self) -> bool {
        matches!(self.verdict_behind(), Some(Word::Wins | Word::Loses | Word::Plus))
    }

    /// The same in words: how the game was won may stand behind a sign.
    fn verb_follows(&self) -> bool {
        matches!(self.verdict_behind(), Some(Word::Wins | Word::Loses))
    }

    fn verdict_behind(&self) -> Option<Word> {
        let mut next = self.scan;
        let mut word = || {
            next.skip_while(|c| matches!(c, ' ' | ',' | ':' | '.' | ';' | '、' | '。' | 'の' | 'が' | 'は'));
            eat_verb(&mut next)
        };
        let begins = !self.is_about_a_win() && self.by.is_none() && self.ended.is_none();
        let player = if begins { word() } else { None };
        player.filter(|word| matches!(word, Word::Player(_))).and_then(|_| word())
    }

    fn player_follows(&self) -> bool {
        let mut next = self.scan;
        next.skip_while(|c| matches!(c, ' ' | ',' | '、' | ';' | '。'));
        matches!(next.eat_word(&WORDS), Some(Word::Player(_)))
    }

    fn has_one_sign(&self) -> bool {
        let read = &self.text[..self.text.len() - self.scan.rest().len()];
        read.matches(['+', '＋']).count() == 1
    }

    /// `B+,5`.
    fn decimal_behind_comma(&mut self) -> bool {
        let mut next = self.scan;
        next.bump();
        let Some((part, count @ 1..=2)) = next.digits().filter(|_| self.by.is_none()) else { return false };
        let Some(score) = Score::new(part, if count == 1 { 10 } else { 100 }) else { return false };
        self.by = Some(WinBy::Margin(Margin::written(score, Unit::Points)));
        self.scan = next;
        true
    }

    fn won(&mut self, winner: Winner) -> bool {
        (self.verdict, self.introduced) = (Verdict::Won(winner), true);
        true
    }

    fn won_by(&mut self, by: WinBy) -> bool {
        let belongs = self.by.is_none() && self.ended.is_none() && self.is_about_a_win();
        self.by = if belongs { Some(by) } else { self.by };
        belongs
    }

    fn means(&mut self) -> bool {
        let mut next = self.scan;
        next.skip_spaces();
        let (Some(Word::Means(by) | Word::Fault(by)), true) = (next.eat_word(&WORDS), self.by.is_none()) else {
            return false;
        };
        (self.by, self.scan) = (Some(by), next);
        true
    }

    /// By what the game was won, in brackets: `(R)`, `(3.5 points)`, `(对方超时)`. With a verdict it is about the player before them:
    /// `흑(불계승)`.
    fn tells_in_brackets(&mut self) -> bool {
        let is_winner = self.subject.is_some() && self.winner() == self.subject;
        if is_winner {
            self.scan.eat_one(&["对方", "对手", "상대"]);
        }
        if !(self.letter() || self.number() || self.means()) {
            return false;
        }
        let mut next = self.scan;
        let verdict = match (eat_verb(&mut next), self.subject) {
            (Some(Word::Wins), Some(subject)) => subject,
            (Some(Word::Loses), Some(subject)) => subject.other(),
            _ => return true,
        };
        self.scan = next;
        match self.verdict {
            Verdict::Open => self.won(verdict),
            Verdict::Won(winner) => winner == verdict,
            Verdict::ToBeNamed | Verdict::ByFault(_) | Verdict::Nothing => false,
        }
    }

    /// `R`, `T` and `F` of the standard, in any case.
    fn letter(&mut self) -> bool {
        let mut next = self.scan;
        // `B R`, and nothing else.
        let alone = self.subject.is_some() && matches!(self.verdict, Verdict::Open) && next.rest().len() == 1;
        if !(self.introduced || alone) || self.by.is_some() {
            return false;
        }
        let Some(by) = next.eat_any(LETTERS) else { return false };
        (self.by, self.scan) = (Some(by), next);
        true
    }

    /// A margin, or how many moves were played.
    fn number(&mut self) -> bool {
        let from = self.scan;
        let mut next = self.scan;
        let Some(score) = next.eat_score() else { return false };
        // `1e3`.
        let mut exponent = next;
        if exponent.eat_char('e') && exponent.peek().is_some_and(|c| c.is_ascii_digit() || matches!(c, '+' | '-')) {
            return false;
        }
        let mut after = next;
        // `1,000` is neither 1 nor a list.
        if after.eat_char(',') && after.digits().is_some_and(|(_, count)| count == 3) {
            return false;
        }
        let mut after = next;
        after.skip_spaces();
        if after.eat_one(MOVES) {
            let known = self.outcome(false);
            if known != self.count.map(|(_, known)| known) {
                self.count = known.map(|known| (from, known));
            }
            self.scan = after;
            return true;
        }
        if self.by.is_some() || self.ended.is_some() {
            return false;
        }
        let Some((behind, score, unit)) = measured(next, score) else { return false };
        if !self.is_about_a_win() {
            return self.number_first(next, behind, score, unit);
        }
        if unit.is_none() && is_more_number(next) {
            return self.says_nothing();
        }
        self.scan = behind;
        // `先番5目半コミ出し 白3目半勝`.
        if unit.is_some() && self.scan.eat_one(KOMI) {
            if !matches!(self.verdict, Verdict::Open) || !self.player_follows() {
                return self.says_nothing();
            }
            self.subject = None;
            return true;
        }
        let is_count = score.to_f64() > MOST_AHEAD && unit != Some(Unit::Points);
        // `黑184子`: all that Black has, in Chinese counting. With some komi, White has won.
        if is_count && matches!(self.verdict, Verdict::Open) && !self.introduced {
            self.is_counted = true;
            return true;
        }
        // `黑胜185子`.
        if is_count && next.rest().trim_start().starts_with('子') {
            return true;
        }
        self.bare = unit.is_none() && !self.introduced;
        self.by = Some(WinBy::Margin(Margin::written(score, unit.unwrap_or(Unit::Points))));
        true
    }

    /// A number before anything is said of a winner: `0`, `半目白勝`.
    fn number_first(&mut self, next: Scan<'a>, behind: Scan<'a>, score: Score, unit: Option<Unit>) -> bool {
        // `0-1` is a score of another kind.
        if matches!(next.peek(), Some('-' | ':' | '/')) {
            return false;
        }
        let before = self.scan;
        self.scan = behind;
        if let Some(unit) = unit
            && self.verb_follows()
        {
            self.by = Some(WinBy::Margin(Margin::written(score, unit)));
            return true;
        }
        (self.ended, self.scan) = if score.is_zero() { (Some(Outcome::Draw), next) } else { (None, before) };
        self.ended.is_some()
    }
}

/// What stands behind a number that says what it is the komi of.
const KOMI: &[&str] = &["コミ出し", "コミ出", "コミ"];

/// A number with its unit, if there is one, and the part of it behind that: `3目半`, `half a point`.
fn measured(number: Scan<'_>, score: Score) -> Option<(Scan<'_>, Score, Option<Unit>)> {
    let mut behind = number;
    behind.skip_spaces();
    if behind.eat("a") {
        behind.skip_spaces();
    }
    let Some(unit) = behind.eat_any(UNITS) else { return Some((number, score, None)) };
    match behind.eat_part_behind_unit() {
        Some(part) => Some((behind, score.checked_add(part)?, Some(unit))),
        None => Some((behind, score, Some(unit))),
    }
}
