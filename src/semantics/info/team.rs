//! PB, PW with BR, WR: who played on one side. Usually one player; in relay and pair games several.
//!
//! Owns [`Team`] and how its members are separated.

use super::Reading;
use super::rank::{Rank, eat_status};
use super::scan::{Scan, fold, short, trim};

/// Who played on one side, in the order they were written.
///
/// ```
/// use sgf_stream::semantics::info::Team;
///
/// let pair = Team::parse("Inori Yoko & Cho Chikun", "5p & 25th Honinbo").value().unwrap();
/// let members: Vec<_> = pair.members().map(|member| (member.name, member.rank)).collect();
/// assert_eq!(members, [("Inori Yoko", "5p"), ("Cho Chikun", "25th Honinbo")]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Team<'a> {
    names: &'a str,
    joint: Joint,
    ranks: &'a str,
    rank_joint: Joint,
}

/// One player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Member<'a> {
    /// The name, as it was written.
    pub name: &'a str,
    /// The rank, as it was written, for [`Rank::parse`]; empty if there is none.
    pub rank: &'a str,
}

/// What separates the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Joint {
    /// There is one.
    Alone,
    /// `&`, as the CWI notes propose.
    Ampersand,
    /// Commas, and an `and` or `&` before the last: a relay game in the CWI notes.
    List,
    Slash,
    Plus,
    /// The rank in parentheses behind each name: `祷阳子(五段)赵治勋(九段)`.
    Rank,
}

impl<'a> Team<'a> {
    /// Reads the texts of PB and BR, or of PW and WR. The second is empty if there is none.
    ///
    /// Exact: one player, or lists of the same length with `&`. Lenient: lists with commas and `and`, and ranks written
    /// after the names. A list of ranks of another length is ignored. A comma between what may be the halves of one
    /// name, as in `Kim, Dohyup`, makes no list, and neither does the `and` in the name of a program. Raw: no name.
    pub fn parse(names: &'a str, ranks: &'a str) -> Reading<Self> {
        let (names, ranks) = (trim(names), trim(ranks));
        if names.is_empty() {
            return Reading::Raw;
        }
        let joint = [Joint::Ampersand, Joint::List, Joint::Slash, Joint::Plus, Joint::Rank]
            .into_iter()
            .find(|&joint| short(names).is_some_and(|names| makes_a_list(names, joint)))
            .unwrap_or(Joint::Alone);
        let count = parts(names, joint).count();
        let rank_joint = [Joint::Alone, Joint::Ampersand, Joint::List, Joint::Slash]
            .into_iter()
            .find(|&joint| parts(ranks, joint).count() == count);
        let ranks_fit = ranks.is_empty() || matches!(rank_joint, Some(Joint::Alone | Joint::Ampersand));
        let team = match rank_joint {
            Some(rank_joint) => Self { names, joint, ranks, rank_joint },
            None => Self { names, joint, ranks: "", rank_joint: Joint::Alone },
        };
        let ranked_in_names = ranks.is_empty() && team.members().any(|member| !member.rank.is_empty());
        let by_the_notes = matches!(joint, Joint::Alone | Joint::Ampersand) && ranks_fit && !ranked_in_names;
        if by_the_notes { Reading::Exact(team) } else { Reading::Lenient(team) }
    }

    /// The members.
    pub fn members(&self) -> impl Iterator<Item = Member<'a>> + use<'a> {
        let mut ranks = parts(self.ranks, self.rank_joint);
        parts(self.names, self.joint).map(move |name| match ranks.next() {
            Some(rank) if !rank.is_empty() => Member { name, rank },
            _ => split_rank(name),
        })
    }

    /// The rank behind the name of a single player.
    pub(crate) fn rank_of_one(name: &str) -> Option<&str> {
        // Nearly no name has one, and in ASCII that is soon seen.
        let has_number = || name.contains([' ', '(', '[']) && name.contains(|c: char| c.is_ascii_digit());
        if name.is_ascii() && !has_number() {
            return None;
        }
        let rank = Some(split_rank(trim(name)).rank).filter(|rank| !rank.is_empty())?;
        (Team::parse(name, "").value()?.len() == 1).then_some(rank)
    }

    /// How many there are; 1 or more.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        parts(self.names, self.joint).count()
    }
}

/// The parts of a list, trimmed.
fn parts(text: &str, joint: Joint) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (part, behind) = match next_joint(text, joint) {
            Some((at, len)) => (&text[..at], Some(&text[at + len..])),
            None => (text, None),
        };
        rest = behind;
        Some(trim(part))
    })
}

/// Where the next separator is, and how many bytes it has.
fn next_joint(text: &str, joint: Joint) -> Option<(usize, usize)> {
    let is = |c: char, wanted: &[char]| wanted.contains(&fold(c)) || wanted.contains(&c);
    let mark = |wanted: &[char]| text.char_indices().find(|&(_, c)| is(c, wanted)).map(|(at, c)| (at, c.len_utf8()));
    match joint {
        Joint::Alone => None,
        Joint::Ampersand => mark(&['&']),
        Joint::Slash => mark(&['/']),
        Joint::Plus => mark(&['+']),
        Joint::List => {
            let and = text.find(" and ").map(|at| (at, " and ".len()));
            let comma = mark(&['&', ',', ';', '、']);
            [comma, and].into_iter().flatten().min()
        }
        Joint::Rank => {
            let (close, bracket) = text.char_indices().find(|&(_, c)| fold(c) == ')')?;
            let open = text[..close].rfind(['(', '（'])?;
            let rank = text[open..close].trim_start_matches(['(', '（']);
            let behind = close + bracket.len_utf8();
            (behind < text.len() && is_grade_alone(trim(rank))).then_some((behind, 0))
        }
    }
}

fn makes_a_list(names: &str, joint: Joint) -> bool {
    let all = |is: fn(&str) -> bool| parts(names, joint).all(is);
    let commas = names.contains([',', ';', '、', '，']) || names.contains(" and ");
    let makes = match joint {
        Joint::Alone => false,
        Joint::Ampersand => !makes_a_list(names, Joint::List) && all(|part| !part.is_empty()),
        // The last two of a list are joined by a word; without it, the parts must be whole names.
        Joint::List if names.contains(" and ") || names.contains(['&', '＆']) => commas && all(is_name),
        Joint::List => commas && all(|part| is_name(part) && is_whole_name(part)),
        Joint::Slash | Joint::Plus => all(is_name),
        Joint::Rank => all(|part| !split_rank(part).rank.is_empty()),
    };
    makes && parts(names, joint).nth(1).is_some()
}

/// Whether it is a name: it begins with a capital, or is in a script that has none, and is no rank.
fn is_name(part: &str) -> bool {
    let begins = part.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
    begins && part.chars().nth(1).is_some() && Rank::parse(part).is_raw()
}

/// Whether it cannot be half a name: it has two words, or a script that writes names without spaces.
fn is_whole_name(part: &str) -> bool {
    part.contains(' ') || part.chars().all(|c| c >= '\u{1100}')
}

/// A rank behind a name: `Yoshida Misako 4d`, `Cho Chikun (9p)`, `foo [3k]`, `戴越3级`, `赵六职业九段`.
fn split_rank(name: &str) -> Member<'_> {
    let whole = Member { name, rank: "" };
    if short(name).is_none() {
        return whole;
    }
    let inner = name.strip_suffix([')', '）', ']']).and_then(|text| Some((text, text.rfind(['(', '（', '['])?)));
    let mut name = name;
    if let Some((text, open)) = inner {
        let rank = trim(text[open..].trim_start_matches(['(', '（', '[']));
        // `古力九段（中）`: the country stands behind the rank, but `（职业）` is a part of it.
        let mut status = Scan::new(rank);
        let is_grade = is_grade_alone(rank);
        if is_grade || !eat_status(&mut status) || !status.rest().is_empty() {
            name = trim(&name[..open]);
        }
        if is_grade {
            return Member { name, rank };
        }
    }
    // The longest tail that is a rank: `5 dan` before `dan`.
    let starts = name.char_indices().filter(|&(at, c)| {
        let before = name[..at].chars().next_back();
        let after_space = before.is_some_and(char::is_whitespace);
        let is_word = before.is_some_and(|before| before >= '\u{1100}');
        after_space || (is_word && (begins_grade(c) || (!ends_names(c) && eat_status(&mut Scan::new(&name[at..])))))
    });
    let rank_at = starts.map(|(at, _)| at).take(64).find(|&at| is_grade(&name[at..]));
    match rank_at {
        Some(at) => Member { name: trim(&name[..at]).trim_end_matches([',', ' ']), rank: &name[at..] },
        None => whole,
    }
}

/// Whether the word for a professional that begins so ends nicknames, too: `골프로` is about golf.
fn ends_names(c: char) -> bool {
    matches!(c, '프' | 'プ')
}

fn begins_grade(c: char) -> bool {
    c.is_ascii_digit() || "初初一二三四五六七八九十초".contains(c)
}

/// The same in brackets, where the letter of `p 9d` cannot be of the name.
fn is_grade_alone(text: &str) -> bool {
    let behind_letter = text.strip_prefix(['p', 'P', 'ｐ', 'Ｐ']).map(|rest| rest.trim_start_matches([' ', '.', '-']));
    is_grade(text) || (behind_letter.is_some_and(is_grade) && !Rank::parse(text).is_raw())
}

/// Whether it is a rank with a number: `NR` and titles belong to the name before them.
fn is_grade(text: &str) -> bool {
    use super::rank::Grade::{Dan, Kyu, Pro};
    let mut scan = Scan::new(text);
    if eat_status(&mut scan) {
        scan.skip_spaces();
    }
    // `P9段`; in `John P 3d` the letter is of the name.
    let first = scan.bump();
    let numbered = first.is_some_and(begins_grade) || (first == Some('p') && scan.peek().is_some_and(begins_grade));
    numbered && Rank::parse(text).value().is_some_and(|rank| matches!(rank.grade, Kyu(_) | Dan(_) | Pro(_)))
}
