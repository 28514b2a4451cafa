//! Eras: the years that rulers of Japan and China count from.
//!
//! Owns [`ERAS`]. Before a country adopted today's calendar, its months were lunar, so of such a date only the year is taken;
//! that year begins some weeks after ours. Names that both countries used at different times, such as 弘治, are in no table.

use super::super::scan::Scan;
use super::super::words::{Words, sorted};
use super::item::Loose;

/// The year that counts as an era's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// An era in today's calendar.
    Solar(u16),
    /// An era in the lunar calendar.
    Lunar(u16),
    /// The years since the founding of Korea: 1957 is 4290.
    Dangi,
}

impl Era {
    /// The longest era that has ended counts 64 years (昭和), the longest lunar one 61 (康熙); some continue to be used
    /// after their end.
    pub(super) fn year(self, number: i64) -> Option<u16> {
        let (first, most) = match self {
            Self::Solar(first) => (first, 200),
            Self::Lunar(first) => (first, 61),
            Self::Dangi => return u16::try_from(number - 2_333).ok().filter(|year| (1_392..2_100).contains(year)),
        };
        let number = u16::try_from(number).ok().filter(|number| (1..=most).contains(number))?;
        Some(first + number - 1)
    }

    /// Whether a year has lunar months: Japan adopted today's calendar in Meiji 6.
    pub(super) const fn is_by_moon(self, year: u16) -> bool {
        matches!(self, Self::Lunar(_)) || year < 1873
    }
}

use Era::{Lunar, Solar};

/// The names of eras, folded as `scan` folds.
pub(super) const ERAS: Words<Era> = Words::new(&sorted([
    ("明治", Solar(1868)),
    ("大正", Solar(1912)),
    ("昭和", Solar(1926)),
    ("平成", Solar(1989)),
    ("令和", Solar(2019)),
    ("民国", Solar(1912)),
    ("中华民国", Solar(1912)),
    ("meiji", Solar(1868)),
    ("taisho", Solar(1912)),
    ("taishō", Solar(1912)),
    ("showa", Solar(1926)),
    ("shōwa", Solar(1926)),
    ("heisei", Solar(1989)),
    ("reiwa", Solar(2019)),
    ("단기", Era::Dangi),
    // Japan.
    ("永禄", Lunar(1558)),
    ("元龟", Lunar(1570)),
    ("天正", Lunar(1573)),
    ("文禄", Lunar(1592)),
    ("庆长", Lunar(1596)),
    ("元和", Lunar(1615)),
    ("宽永", Lunar(1624)),
    ("正保", Lunar(1644)),
    ("庆安", Lunar(1648)),
    ("承应", Lunar(1652)),
    ("明历", Lunar(1655)),
    ("万治", Lunar(1658)),
    ("宽文", Lunar(1661)),
    ("延宝", Lunar(1673)),
    ("天和", Lunar(1681)),
    ("贞享", Lunar(1684)),
    ("元禄", Lunar(1688)),
    ("宝永", Lunar(1704)),
    ("正徳", Lunar(1711)),
    ("享保", Lunar(1716)),
    ("元文", Lunar(1736)),
    ("宽保", Lunar(1741)),
    ("延享", Lunar(1744)),
    ("宽延", Lunar(1748)),
    ("宝历", Lunar(1751)),
    ("明和", Lunar(1764)),
    ("安永", Lunar(1772)),
    ("天明", Lunar(1781)),
    ("宽政", Lunar(1789)),
    ("享和", Lunar(1801)),
    ("文化", Lunar(1804)),
    ("文政", Lunar(1818)),
    ("天保", Lunar(1830)),
    ("弘化", Lunar(1844)),
    ("嘉永", Lunar(1848)),
    ("安政", Lunar(1854)),
    ("万延", Lunar(1860)),
    ("文久", Lunar(1861)),
    ("元治", Lunar(1864)),
    ("庆应", Lunar(1865)),
    ("genroku", Lunar(1688)),
    ("hoei", Lunar(1704)),
    ("kyoho", Lunar(1716)),
    ("horeki", Lunar(1751)),
    ("meiwa", Lunar(1764)),
    ("anei", Lunar(1772)),
    ("an'ei", Lunar(1772)),
    ("tenmei", Lunar(1781)),
    ("temmei", Lunar(1781)),
    ("kansei", Lunar(1789)),
    ("kyowa", Lunar(1801)),
    ("bunka", Lunar(1804)),
    ("bunsei", Lunar(1818)),
    ("tenpo", Lunar(1830)),
    ("tempo", Lunar(1830)),
    ("tenpō", Lunar(1830)),
    ("koka", Lunar(1844)),
    ("kōka", Lunar(1844)),
    ("kaei", Lunar(1848)),
    ("ansei", Lunar(1854)),
    ("man'en", Lunar(1860)),
    ("bunkyu", Lunar(1861)),
    ("bunkyū", Lunar(1861)),
    ("genji", Lunar(1864)),
    ("keio", Lunar(1865)),
    ("keiō", Lunar(1865)),
    // Ming and Qing.
    ("洪武", Lunar(1368)),
    ("建文", Lunar(1399)),
    ("永乐", Lunar(1403)),
    ("宣德", Lunar(1426)),
    ("正统", Lunar(1436)),
    ("景泰", Lunar(1450)),
    ("天顺", Lunar(1457)),
    ("成化", Lunar(1465)),
    ("正德", Lunar(1506)),
    ("嘉靖", Lunar(1522)),
    ("隆庆", Lunar(1567)),
    ("万历", Lunar(1573)),
    ("天启", Lunar(1621)),
    ("崇祯", Lunar(1628)),
    ("顺治", Lunar(1644)),
    ("康熙", Lunar(1662)),
    ("雍正", Lunar(1723)),
    ("乾隆", Lunar(1736)),
    ("嘉庆", Lunar(1796)),
    ("道光", Lunar(1821)),
    ("咸丰", Lunar(1851)),
    ("同治", Lunar(1862)),
    ("光绪", Lunar(1875)),
    ("宣统", Lunar(1909)),
]));

/// The letters and characters for eras on Japanese forms.
#[rustfmt::skip]
const LETTERS: &[(char, u16)] = &[
    ('m', 1868), ('t', 1912), ('s', 1926), ('h', 1989), ('r', 2019),
    ('明', 1868), ('大', 1912), ('昭', 1926), ('平', 1989), ('令', 2019),
];

/// A year of an era without 年: `平成8.5.6`, `昭和45-1-1`, `Showa 53`, `S53.7.18`.
pub(super) fn by_era(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let named = next.eat_word(&ERAS);
    let is_letter = named.is_none();
    let era = if let Some(era) = named {
        era
    } else {
        let letter = next.bump()?;
        Solar(LETTERS.iter().find(|&&(it, _)| it == letter)?.1)
    };
    if !is_letter {
        next.skip_spaces();
    }
    let (number, _) = next.digits().filter(|&(_, digits)| digits <= 2)?;
    let year = era.year(number)?;
    let mut loose = Loose { year: Some(year), ..Loose::default() };
    let mut day = next;
    let part = |scan: &mut Scan<'_>, mark: char| {
        let is_here = scan.eat_char(mark);
        scan.digits().filter(|&(_, digits)| is_here && digits <= 2).and_then(|(part, _)| u8::try_from(part).ok())
    };
    let mark = next.peek().filter(|mark| matches!(mark, '.' | '-' | '/'));
    if let Some(mark) = mark
        && let (Some(month), Some(of_month)) = (part(&mut day, mark), part(&mut day, mark))
    {
        (loose.month, loose.day, next) = (Some(month), Some(of_month), day);
    }
    let goes_on = next.peek().is_some_and(char::is_alphanumeric);
    if goes_on || (is_letter && loose.day.is_none()) {
        return None;
    }
    if era.is_by_moon(year) {
        (loose.month, loose.day) = (None, None);
    }
    *scan = next;
    Some(loose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::info::scan::fold;

    #[test]
    fn names_are_folded_and_distinct() {
        for (i, (name, _)) in ERAS.iter().enumerate() {
            assert_eq!(name.chars().map(fold).collect::<String>(), *name);
            assert!(ERAS.iter().take(i).all(|(other, _)| other != name), "{name}");
        }
    }
}
