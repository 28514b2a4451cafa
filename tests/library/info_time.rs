//! TM and OT: seconds, units, clock times, and the overtime that programs write into either.

use std::time::Duration;

use proptest::prelude::*;
use sgf_stream::semantics::info::{Overtime, Reading, TimeLimit};

use crate::support::table::{self, describe};

fn check_time(table: &[(&'static str, &str)]) {
    table::check(|text| describe(TimeLimit::parse(text)), table);
}

fn check_overtime(table: &[(&'static str, &str)]) {
    table::check(|text| describe(Overtime::parse(text)), table);
}

#[test]
fn seconds_are_exact() {
    check_time(&[
        ("600", "=600"),
        ("0", "=0"),
        ("142.7", "=142.7"),
        ("4600", "=4600"),
        ("5400.0", "=5400"),
        ("-5", "-"),
        ("1e3", "-"),
        ("99999999999999999999", "-"),
    ]);
}

/// The CWI notes prefer suffixes to seconds, and mention `60m each`.
#[test]
fn the_suffixes_of_the_cwi_notes() {
    check_time(&[("15h", "~54000"), ("1h30m", "~5400"), ("60m each", "~3600"), ("90s", "~90")]);
}

/// The user guide: do not write "1 hour".
#[test]
fn units() {
    check_time(&[
        ("1 hour", "~3600"),
        ("9 hours", "~32400"),
        ("13h", "~46800"),
        ("13 hr", "~46800"),
        ("  13 hours", "~46800"),
        ("13 hours  each", "~46800"),
        ("10 hrs each", "~36000"),
        ("5 hours each", "~18000"),
        ("70m", "~4200"),
        ("70 min", "~4200"),
        ("70 mins.", "~4200"),
        ("45 minutes per player", "~2700"),
        ("2h30m", "~9000"),
        ("2h 30min", "~9000"),
        ("2 hours and 30 minutes", "~9000"),
        ("1.5 hours", "~5400"),
        ("1,5 h", "~5400"),
        ("2 1/2 hours", "~9000"),
        ("half an hour", "~1800"),
        ("90'", "~5400"),
        ("5'30\"", "~330"),
        ("30 s", "~30"),
        ("3 days", "~259200"),
        ("2 Stunden", "~7200"),
        ("1h30", "~5400"),
        ("1:30h", "~5400"),
        ("1 hour, 30 minutes", "~5400"),
        ("8h/player", "~28800"),
        ("two hours", "~7200"),
    ]);
}

#[test]
fn units_and_words_of_other_languages() {
    check_time(&[
        ("1个小时", "~3600"),
        ("1个半小时", "~5400"),
        ("1個半小時", "~5400"),
        ("1个小时30分", "~5400"),
        ("3시간씩", "~10800"),
        ("黑白各3小时", "~10800"),
        ("10m SD", "~600 + none"),
        ("10 min abs", "~600 + none"),
        ("Absolute 10 min", "~600"),
        ("1 hour each player", "~3600"),
        ("3 hours apiece", "~10800"),
        ("main time 30 minutes", "~1800"),
        ("Main: 1h", "~3600"),
        ("time limit: 1 hour", "~3600"),
        ("600.", "~600"),
        ("10,800", "~10800"),
        ("10,80,000", "-"),
        ("twenty minutes", "~1200"),
        ("1h:30m", "~5400"),
        ("30 мин", "~1800"),
        ("1 час", "~3600"),
        ("1 ora", "~3600"),
        ("5+3x30s", "-"),
        ("5 + 3x30 byo-yomi", "~5 + 3x30 byo-yomi"),
        ("30小时999999999999999999", "-"),
        ("60+30", "-"),
    ]);
}

#[test]
fn clocks() {
    check_time(&[
        ("1:30:00", "~5400"),
        ("30:00", "~1800"),
        ("60:00", "~3600"),
        ("15:05", "~905"),
        ("共09:30分", "~570"),
        ("1:60:00", "-"),
        ("1:2", "-"),
    ]);
}

#[test]
fn overtime_beside_the_main_time() {
    check_time(&[
        ("3h 1 min byo-yomi", "~10800 + 1x60 byo-yomi"),
        ("1800 (30 min)", "~1800"),
        ("2x45 min", "-"),
        ("5:00:00(5x1:00)", "~18000 + 5x60 byo-yomi"),
        ("30:00+30:00/25", "~1800 + 25/1800 Canadian"),
        ("1:00+4:00/25", "~60 + 25/240 Canadian"),
        ("1시간40초3회", "~3600 + 3x40 byo-yomi"),
        // Hangame means minutes.
        ("180시간60초3회", "~10800 + 3x60 byo-yomi"),
        ("15시간40초5회", "~900 + 5x40 byo-yomi"),
        ("10시간40초5회", "~600 + 5x40 byo-yomi"),
        ("11시간11분 90초 9회", "~40260 + 9x90 byo-yomi"),
        ("5시간60초5회", "~18000 + 5x60 byo-yomi"),
        ("10시간", "~36000"),
        ("10小时60秒5次", "~36000 + 5x60 byo-yomi"),
        ("0분40초5회", "~0 + 5x40 byo-yomi"),
        ("2小时，60秒5次", "~7200 + 5x60 byo-yomi"),
        ("1h + 5x30s", "~3600 + 5x30 byo-yomi"),
        ("2 hours each, 5x60 byo-yomi", "~7200 + 5x60 byo-yomi"),
        ("1800+3x30 byo-yomi", "~1800 + 3x30 byo-yomi"),
        ("10m + 25/600 Canadian", "~600 + 25/600 Canadian"),
        ("1 hr/125 moves", "~3600"),
        ("5min + 3s/move", "~300 + 3 fischer"),
        ("5 min + 10 sec increment", "~300 + 10 fischer"),
        ("Fischer time: 30 days", "~2592000"),
        ("Fischer time: 30 days with 1 day extra per move", "~2592000 + 86400 fischer"),
        // It may be a period or an increment.
        ("28 days + 1 day", "~2419200"),
    ]);
}

/// They tell how long the game took, unless something counts them.
#[test]
fn days_behind_the_main_time_are_no_overtime() {
    check_time(&[
        ("8 hours, two days", "~28800"),
        ("8h (2 days)", "~28800"),
        ("10 hours each, 3 days", "~36000"),
        ("8 hours; 1 day", "~28800"),
        ("各8時間、2日制", "~28800"),
        ("8小时 两天", "~28800"),
        ("8시간, 이틀", "~28800"),
        ("8시간 2일", "~28800"),
        ("8 Stunden, 2 Tage", "~28800"),
        ("8 hours, 2 days, Tokyo", "~28800"),
        ("8 hours, 2 days per move", "~28800 + 1x172800 byo-yomi"),
        ("8 hours, 2 days byo-yomi", "~28800 + 1x172800 byo-yomi"),
        ("8 hours, 3x1 day", "~28800 + 3x86400 byo-yomi"),
        ("28 days, 10 moves in 2 days", "~2419200 + 10/172800 Canadian"),
        ("28 days and 3 hours", "~2430000"),
        ("8 hours, 60 s", "~28800 + 1x60 byo-yomi"),
        ("28800, two days", "~28800"),
        ("8, two days", "-"),
        ("28800 (2 days)", "~28800"),
        ("3600 (1 day)", "~3600"),
        ("28800（2日）", "~28800"),
        ("8h/2d", "~28800"),
        ("8 hours / 2 days", "~28800"),
        ("8 hours in 2 days", "~28800"),
        // Of days, more days are overtime.
        ("30 days, 1 day", "~2592000 + 1x86400 byo-yomi"),
        ("7d 1d", "~604800 + 1x86400 byo-yomi"),
        ("604800 24h", "~604800 + 1x86400 byo-yomi"),
        ("30天,1天", "~2592000 + 1x86400 byo-yomi"),
    ]);
    check_overtime(&[("1 day", "~1x86400 byo-yomi")]);
}

#[test]
fn east_asian_times() {
    check_time(&[
        ("持時間各3時間", "~10800"),
        ("2小时,60秒", "~7200 + 1x60 byo-yomi"),
        ("1時間", "~3600"),
        ("各16小时", "~57600"),
        ("3小時", "~10800"),
        ("2小时30分钟", "~9000"),
        ("2小时半", "~9000"),
        ("各5時間", "~18000"),
        ("10分鐘", "~600"),
        ("각 3시간", "~10800"),
        ("각자 8시간", "~28800"),
        ("2시간 30분", "~9000"),
        ("10분", "~600"),
    ]);
}

#[test]
fn the_count_of_periods_may_come_first() {
    check_time(&[
        ("20分3次60秒", "~1200 + 3x60 byo-yomi"),
        ("20分钟3次60秒", "~1200 + 3x60 byo-yomi"),
        ("2小时5次60秒", "~7200 + 5x60 byo-yomi"),
        ("20分60秒3次", "~1200 + 3x60 byo-yomi"),
        ("3次60秒", "-"),
        ("30초 3회", "-"),
    ]);
}

#[test]
fn no_limit_and_one_for_each() {
    check_time(&[
        ("-", "~none"),
        ("none", "~none"),
        ("unlimited", "~none"),
        ("없음", "~none"),
        ("黑: 01:40  白: 01:07", "~B: 100 s W: 67 s"),
        ("黑：06:57 白：07:22", "~B: 417 s W: 442 s"),
        ("B: 1h W: 2h", "~B: 3600 s W: 7200 s"),
    ]);
    let used = TimeLimit::parse("黑: 01:40  白: 01:07").value().unwrap();
    assert_eq!(used.main(), None);
}

#[test]
fn times_without_a_unit() {
    check_time(&[
        ("", "-"),
        ("1800,0,30,5", "-"),
        ("20+매수20초", "-"),
        ("long", "-"),
        ("2 moves", "-"),
        ("300 + 10", "-"),
    ]);
}

#[test]
fn forms_common_to_servers_are_exact() {
    check_overtime(&[
        ("5x30 byo-yomi", "=5x30 byo-yomi"),
        ("3x30 byo-yomi", "=3x30 byo-yomi"),
        ("15/300 Canadian", "=15/300 Canadian"),
        ("25/600 canadian", "=25/600 Canadian"),
        ("86400 fischer", "=86400 fischer"),
        ("25 moves / 10 min", "=25/600 Canadian"),
        ("15 moves / 5 min", "=15/300 Canadian"),
        ("1 moves / 30 sec", "=1/30 Canadian"),
    ]);
    // More minutes than there are.
    assert!(!Overtime::parse("25 moves / 999999999999999999 min").is_exact());
}

#[test]
fn japanese_overtime() {
    check_overtime(&[
        ("1 x 60 seconds Byo-yomi", "~1x60 byo-yomi"),
        ("5 x 40 seconds Byoyomi", "~5x40 byo-yomi"),
        ("5x30s", "~5x30 byo-yomi"),
        ("5x30", "~5x30 byo-yomi"),
        ("3 x 1 min byo-yomi", "~3x60 byo-yomi"),
        ("5x1:00", "~5x60 byo-yomi"),
        ("30s x 5", "~5x30 byo-yomi"),
        ("5 periods of 30 seconds", "~5x30 byo-yomi"),
        ("5 times 30 seconds", "~5x30 byo-yomi"),
        ("60 sec/move byo-yomi", "~1x60 byo-yomi"),
        ("20 sec / move", "~1x20 byo-yomi"),
        ("30 seconds per move", "~1x30 byo-yomi"),
        ("20 per move", "~1x20 byo-yomi"),
        ("byo-yomi 30", "~1x30 byo-yomi"),
        ("30 sec byoyomi", "~1x30 byo-yomi"),
        ("30 simple", "~1x30 byo-yomi"),
        ("60秒5回", "~5x60 byo-yomi"),
        ("30秒3次", "~3x30 byo-yomi"),
        ("3次30秒", "~3x30 byo-yomi"),
        ("40초 5회", "~5x40 byo-yomi"),
        ("一分钟五次", "~5x60 byo-yomi"),
        ("每步30秒", "~1x30 byo-yomi"),
        ("1手30秒", "~1x30 byo-yomi"),
        ("読秒30秒", "~1x30 byo-yomi"),
        // The standard's own example: the last five minutes are counted, one for each move.
        ("5 mins Japanese style, 1 move / min", "~5x60 byo-yomi"),
        ("Japanese byoyomi: 90 days + 1 day per move and 10 extra periods", "~10x86400 byo-yomi"),
        ("90 days + 1 day/10 periods Japanese byoyomi", "~10x86400 byo-yomi"),
    ]);
}

/// DGS never writes TM.
#[test]
fn main_time_before_overtime() {
    table::check(
        |text| describe(TimeLimit::parse_ot(text)),
        &[
            ("Japanese byoyomi: 90 days + 1 day per move and 10 extra periods", "~7776000 + 10x86400 byo-yomi"),
            ("90 days + 1 day/10 periods Japanese byoyomi", "~7776000 + 10x86400 byo-yomi"),
            ("30 days and 5 hours + 1 day and 2 hours per 10 stones", "~2610000 + 10/93600 Canadian"),
            ("Fischer time: 14 days with 1 day extra per move", "~1209600 + 86400 fischer"),
            ("Japanese byoyomi: 90 days without byoyomi", "~7776000 + none"),
            ("Japanese byoyomi: 1 day per move and 10 extra periods", "-"),
            // What is counted is no main time.
            ("10 sec per move + 30 min", "-"),
            ("30 sec per move, without overtime", "-"),
            ("25 moves / 10 min without byo-yomi", "-"),
            ("15 + 5x30", "-"),
            ("+30s", "-"),
            ("5x30 byo-yomi", "-"),
            ("Fischer 10", "-"),
            ("30 min absolute", "-"),
            ("", "-"),
        ],
    );
}

#[test]
fn periods_may_have_units() {
    for (periods, period, expected) in [
        ("5", "30", "~5x30 byo-yomi"),
        ("5回", "30秒", "~5x30 byo-yomi"),
        ("無", "無", "~none"),
        ("5", "", "-"),
        ("0", "0", "-"),
    ] {
        assert_eq!(describe(Overtime::parse_periods(periods, period)), expected, "{periods} {period}");
    }
}

#[test]
fn canadian_and_fischer_overtime() {
    check_overtime(&[
        ("25 moves in 10 min", "~25/600 Canadian"),
        ("25 stones / 10 minutes", "~25/600 Canadian"),
        ("10 min / 25 moves", "~25/600 Canadian"),
        ("10 min for 25 stones", "~25/600 Canadian"),
        ("Canadian 25/600", "~25/600 Canadian"),
        ("Canadian: 15 stones in 5 minutes", "~15/300 Canadian"),
        ("10:00/25", "~25/600 Canadian"),
        ("25/600", "~25/600 Canadian"),
        ("Canadian byoyomi: 90 days + 15 days per 10 stones", "~10/1296000 Canadian"),
        ("25手10分", "~25/600 Canadian"),
        ("Fischer 10", "~10 fischer"),
        ("+30s", "~30 fischer"),
        ("1 day Fischer, max 7 days", "~86400 fischer"),
        ("10 sec increment", "~10 fischer"),
        ("10s per move Fischer", "~10 fischer"),
        ("Fischer time: 90 days with 1 day extra per move", "~86400 fischer"),
        ("每步加10秒", "~10 fischer"),
        ("fischer 5 capped", "~5 fischer"),
        ("30 seconds extra per move, capped at 5 minutes", "~30 fischer"),
        ("90 days without byoyomi", "~none"),
        ("none", "~none"),
        ("no overtime", "~none"),
        ("absolute", "~none"),
        ("sudden death", "~none"),
        ("-", "~none"),
        ("없음", "~none"),
    ]);
}

#[test]
fn overtime_that_is_not_understood() {
    for text in [
        "",
        "20 / 5",
        "8 xyz 16",
        "Error: time control missing",
        "A very long overtime information text (OT property)",
        "30",
        "0x0",
        "5x0 byo-yomi",
        "0/600 Canadian",
        "-5 fischer",
    ] {
        assert_eq!(Overtime::parse(text), Reading::Raw, "{text:?}");
    }
}

fn durations() -> impl Strategy<Value = Duration> {
    prop_oneof![(1..1_000_000_u64).prop_map(Duration::from_secs), (1..1_000_000_u64).prop_map(Duration::from_millis)]
}

fn overtimes() -> impl Strategy<Value = Overtime> {
    prop_oneof![
        Just(Overtime::Absolute),
        (1..=100_u32, durations()).prop_map(|(periods, period)| Overtime::ByoYomi { periods, period }),
        (1..=100_u32, durations()).prop_map(|(moves, period)| Overtime::Canadian { moves, period }),
        durations().prop_map(|increment| Overtime::Fischer { increment }),
    ]
}

proptest! {
    #[test]
    fn written_overtime_reads_back(overtime in overtimes()) {
        let text = overtime.to_string();
        prop_assert_eq!(Overtime::parse(&text).value(), Some(overtime), "{}", text);
    }

    #[test]
    fn a_written_limit_reads_back(main in durations(), white in durations(), overtime in overtimes()) {
        let overtime = Some(overtime).filter(|overtime| *overtime != Overtime::Absolute);
        for limit in [TimeLimit::Unlimited, TimeLimit::Each { main, overtime }, TimeLimit::PerPlayer { black: main, white }] {
            let text = limit.to_string();
            prop_assert_eq!(TimeLimit::parse(&text).value(), Some(limit), "{}", text);
        }
    }

    #[test]
    fn no_text_panics(
        text in "([0-9]|:|x|/|\\+|\\(|\\)|\\.| |h|min|秒|分|시간|초|회|byo-yomi|Canadian|fischer|per |move|半|half|\\PC){0,24}"
    ) {
        let _ = (TimeLimit::parse(&text), Overtime::parse(&text));
        let _ = (TimeLimit::parse_ot(&text), Overtime::parse_periods(&text, &text));
    }
}

#[test]
fn a_period_after_its_word_leaves_the_main_time() {
    check_time(&[
        ("3時間 秒読み60秒", "~10800 + 1x60 byo-yomi"),
        ("3h 1 min byo-yomi", "~10800 + 1x60 byo-yomi"),
        ("1시간 반", "~5400"),
        ("2小时 半", "~9000"),
    ]);
}

/// An ambiguous number is a time only with a unit.
#[test]
fn times_in_other_words() {
    check_time(&[
        ("3 Tage", "~259200"),
        ("3 дня", "~259200"),
        ("2 jours", "~172800"),
        ("90 Minuten pro Spieler", "~5400"),
        ("je 2 Stunden", "~7200"),
        ("2 heures par joueur", "~7200"),
        ("2 uur per persoon", "~7200"),
        ("60min/each", "~3600"),
        ("W: 2h B: 3h", "~B: 10800 s W: 7200 s"),
        ("White 2 hours, Black 3 hours", "~B: 10800 s W: 7200 s"),
        ("B: 3h B: 2h", "-"),
        ("untimed", "~none"),
        ("無制限", "~none"),
        ("制限時間 3時間", "~10800"),
        ("制限時間：各5時間", "~18000"),
        ("制限時間なし", "~none"),
        ("制限時間", "-"),
        ("90分钟包干", "~5400"),
        ("基本用时1小时", "~3600"),
        ("2 hours?", "~7200"),
        ("ca. 2 h", "~7200"),
        ("about 2 hours", "~7200"),
        ("7200?", "-"),
        ("ca. 1680", "-"),
        ("five", "-"),
        ("1:30:00.0", "~5400"),
    ]);
}

#[test]
fn overtime_in_other_words() {
    check_overtime(&[
        ("25 moves every 10 minutes", "~25/600 Canadian"),
        ("25 Steine in 10 Minuten", "~25/600 Canadian"),
        ("20 Züge in 5 Minuten", "~20/300 Canadian"),
        ("15 pierres en 5 minutes", "~15/300 Canadian"),
        ("20 камней за 5 минут", "~20/300 Canadian"),
        ("40초 3개", "~3x40 byo-yomi"),
        ("60초 초읽기 5개", "~5x60 byo-yomi"),
        ("sudden-death", "~none"),
        ("30초씩 3회", "~3x30 byo-yomi"),
        ("15 moves in 5", "-"),
        ("15 moves in 300", "~15/300 Canadian"),
    ]);
}
