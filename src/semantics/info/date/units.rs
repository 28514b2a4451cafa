//! Dates whose numbers carry their units: `1999年7月13日`.
//!
//! Owns no state. Of days in a calendar of the moon only the year is kept: its months are not ours.

use super::super::scan::Scan;
use super::eras::ERAS;
use super::item::{Loose, year};

/// `1999年7月13日`, `一九三五年三月`, `昭和50年3月1日`, `2005년 3월 5일`, and the end of such a date.
pub(super) fn by_units(scan: &mut Scan<'_>) -> Option<Loose> {
    let mut next = *scan;
    let mut loose = Loose::default();
    let era = next.eat_word(&ERAS);
    next.skip_spaces();
    loop {
        let mut after = next;
        after.skip_spaces();
        let first = after.eat_char('元').then_some((1, 1));
        let Some((number, count)) = first.or_else(|| after.digits()).or_else(|| after.eat_han_number()) else { break };
        let small = u8::try_from(number).ok();
        let bare = after;
        after.skip_spaces();
        match after.bump() {
            Some('年' | '년') if loose.year.is_none() && loose.month.is_none() => {
                loose.year = Some(match era {
                    Some(era) => era.year(number)?,
                    None => year(number, count)?,
                });
            }
            // `2月号` is a magazine's issue.
            Some('月' | '월') if loose.month.is_none() && after.peek() != Some('号') => loose.month = Some(small?),
            Some('日' | '일' | '号') if loose.day.is_none() => {
                loose.day = Some(small?);
                next = after;
                break;
            }
            // `2月23、24日` has one 日 for both.
            _ if loose.month.is_some() && loose.day.is_none() && count <= 2 => {
                loose.day = Some(small?);
                next = bare;
                break;
            }
            _ => break,
        }
        next = after;
    }
    if loose.year.is_none() && (era.is_some() || (loose.month.is_none() && loose.day.is_none())) {
        return None;
    }
    if let (Some(era), Some(year)) = (era, loose.year)
        && era.is_by_moon(year)
    {
        (loose.month, loose.day) = (None, None);
    }
    *scan = next;
    Some(loose)
}
