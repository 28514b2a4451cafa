//! BR and WR; PB and PW with several players.

use proptest::prelude::*;
use sgf_stream::semantics::info::{Certainty, Grade, Rank, Reading, Team};

use crate::support::table::{self, describe};

fn check(table: &[(&'static str, &str)]) {
    table::check(|text| describe(Rank::parse(text)), table);
}

/// The user guide recommends `10k` or `10 kyu` and `3d` or `3 dan`, and says that servers add `*` or `?`.
#[test]
fn the_forms_of_the_standard_are_exact() {
    check(&[
        ("10k", "=10k"),
        ("10 kyu", "=10k"),
        ("10kyu", "=10k"),
        ("3d", "=3d"),
        ("3 dan", "=3d"),
        ("3dan", "=3d"),
        ("9p", "=9p"),
        ("10k*", "=10k*"),
        ("12k?", "=12k?"),
        ("1d?", "=1d?"),
        ("9p*", "=9p*"),
        ("7d*", "=7d*"),
        ("30k", "=30k"),
    ]);
}

#[test]
fn other_spellings() {
    check(&[
        ("9P", "~9p"),
        ("7D", "~7d"),
        ("30 Kyu", "~30k"),
        ("9 Dan", "~9d"),
        ("4th Dan", "~4d"),
        ("1st kyu", "~1k"),
        ("9-dan", "~9d"),
        ("17k ", "~17k"),
        ("6k+", "~6k"),
        ("13.0k", "~13k"),
        ("9 dan pro", "~9p"),
        ("9d pro", "~9p"),
        ("pro 9 dan", "~9p"),
        ("1p (pro)", "~1p"),
        ("P9", "~9p"),
        ("6d ama", "~6d"),
        ("amateur 6 dan", "~6d"),
        ("shodan", "~1d"),
        ("15k* IGS", "~15k*"),
        ("KGS 4d", "~4d"),
        ("4d KGS", "~4d"),
        ("7d ama, 29th World Amateur Champion", "~7d"),
        ("9p, Meijin", "~9p"),
        ("9p Meijin", "~9p"),
        ("9d and Tengen", "~9d"),
        ("9d, Tengen & Oza", "~9d"),
        ("9d and Tengen and Oza", "~9d"),
        ("Tengen and 9d", "~9d"),
        ("8d and 9d", "-"),
        ("8d/9d", "-"),
        ("9d and Smith", "-"),
        ("9d android", "-"),
        ("Meijin, 9p", "~9p"),
        ("王座・九段", "~9d"),
        ("Honorary Honinbo", "~title"),
        ("Insei A", "~insei"),
        ("five dan", "~5d"),
        ("first dan", "~1d"),
        ("second kyu", "~2k"),
        ("ikkyu", "~1k"),
        ("yodan", "~4d"),
        ("am 6d", "~6d"),
        ("5 kyus", "~5k"),
        ("9dan-pro", "~9p"),
        ("China, 9p", "~9p"),
        ("5k on KGS", "~5k"),
        ("3. Dan", "~3d"),
        ("1k-", "~1k"),
        ("9 dan, Kisei, Meijin", "~9d"),
        ("insei", "~insei"),
        ("Insei", "~insei"),
        ("pro", "~pro"),
        ("NR", "~NR"),
        ("UR ", "~NR"),
        ("unranked", "~NR"),
        ("-", "~NR"),
        ("?", "~NR"),
    ]);
}

#[test]
fn east_asian_ranks() {
    check(&[
        ("業餘五段", "~5d"),
        ("弐段", "~2d"),
        ("女流本因坊", "~title"),
        ("名誉棋聖", "~title"),
        ("二十五世本因坊", "~title"),
        ("25世本因坊", "~title"),
        ("9段位", "~9d"),
        ("アマチュア6段", "~6d"),
        ("九段", "~9d"),
        ("9段", "~9d"),
        ("９段", "~9d"),
        ("初段", "~1d"),
        ("十段", "~title"),
        ("十段・九段", "~9d"),
        ("九段・十段", "~9d"),
        ("名誉十段", "~title"),
        ("職業十段", "~10p"),
        ("10段", "~10d"),
        ("十段位", "~10d"),
        ("十段格", "~10d"),
        ("二十段", "-"),
        ("3级", "~3k"),
        ("3級", "~3k"),
        ("十五级", "~15k"),
        ("7段*", "~7d*"),
        ("P9段", "~9p"),
        ("职业九段", "~9p"),
        ("业余5段", "~5d"),
        ("业5", "~5d"),
        ("業余6", "~6d"),
        ("业5级", "~5k"),
        ("业15", "-"),
        ("业5a", "-"),
        ("强5段", "~5d"),
        ("강9단", "~9d"),
        ("强3级", "~3k"),
        ("强5", "-"),
        ("業余5段", "~5d"),
        ("院生", "~insei"),
        ("9단", "~9d"),
        ("초단", "~1d"),
        ("1급", "~1k"),
        ("7단P", "~7p"),
        ("9단단", "~9d"),
        ("아마 6단", "~6d"),
        ("프로", "~pro"),
        ("本因坊", "~title"),
        ("準名人", "~title"),
        ("上手", "~title"),
        ("三段格", "~3d"),
        ("韩国九段", "~9d"),
    ]);
}

/// The CWI notes show titles in place of ranks.
#[test]
fn titles_and_ratings() {
    check(&[
        ("[9p]", "~9p"),
        ("3 dan Korea", "~3d"),
        ("25th Honinbo", "~title"),
        ("Honinbō", "~title"),
        ("Honinbo, Oza", "~title"),
        ("Strongest Woman Player", "~title"),
        ("Meijin", "~title"),
        ("Jun-Meijin", "~title"),
        ("9p KR", "~9p"),
        ("1800?", "~1800?"),
        ("1524*", "~1524*"),
        ("2100", "~2100"),
        ("850?", "~850?"),
    ]);
}

#[test]
fn what_follows_a_rank_may_be_the_same_rank_again() {
    check(&[("5d, 5 dan", "~5d"), ("13.00k", "~13k"), ("6d, 2nd place", "~6d")]);
}

#[test]
fn texts_that_are_not_ranks() {
    for text in [
        "", "0k", "0d", "19단", "201", "9", "5-7d", "AI", "ama", "단", "d", "300d", "dance", "12345", "k10", "foo",
        "-3k", "~3k", "3k-2k", "3k/2k", "11.6k", "1.5d", "3.9k", "5 d, 6 d", "5d, 1p", "5d (6d)",
    ] {
        assert_eq!(Rank::parse(text), Reading::Raw, "{text:?}");
    }
}

fn members(names: &str, ranks: &str) -> String {
    describe(Team::parse(names, ranks).map(|team| {
        let members: Vec<_> = team.members().map(|member| format!("{}[{}]", member.name, member.rank)).collect();
        assert_eq!(members.len(), team.len());
        members.join(" ")
    }))
}

/// The CWI notes: a pair game with lists of the same length, and a relay game with all names in PB.
#[test]
fn the_teams_of_the_cwi_notes() {
    assert_eq!(members("Inori Yoko & Cho Chikun", "5p & 25th Honinbo"), "=Inori Yoko[5p] Cho Chikun[25th Honinbo]");
    assert_eq!(
        members("Okada Yumiko & Cho U", "Strongest Woman Player & Honinbo, Oza"),
        "=Okada Yumiko[Strongest Woman Player] Cho U[Honinbo, Oza]"
    );
    assert_eq!(
        members("Kubomatsu Katsukiyo 5d, Yoshida Misako 4d, Harima Kisaburo 1d and Taniguchi Fusazo", ""),
        "~Kubomatsu Katsukiyo[5d] Yoshida Misako[4d] Harima Kisaburo[1d] Taniguchi Fusazo[]"
    );
    assert_eq!(
        members("Shusai Meijin, Fujita Toyojiro 4d, Nakagawa 1d and Narukami Magoshichi", ""),
        "~Shusai Meijin[] Fujita Toyojiro[4d] Nakagawa[1d] Narukami Magoshichi[]"
    );
    // Where colours are unknown, P1 and P2 are used, with the rank in the name.
    assert_eq!(members("Kobayashi Satoru 9p", ""), "~Kobayashi Satoru[9p]");
}

#[test]
fn one_player_is_a_team() {
    for (names, ranks, expected) in [
        ("Cho Chikun", "9p", "=Cho Chikun[9p]"),
        ("Cho Chikun", "", "=Cho Chikun[]"),
        (" Cho Chikun ", "", "=Cho Chikun[]"),
        ("Cho Chikun (9p)", "", "~Cho Chikun[9p]"),
        ("Cho Chikun, 9 dan", "", "~Cho Chikun[9 dan]"),
        ("常昊　九段", "", "~常昊[九段]"),
        ("戴越3级", "", "~戴越[3级]"),
        ("foo [3k]", "", "~foo[3k]"),
        ("古力九段（中）", "", "~古力[九段]"),
        ("古力 (中国)", "", "=古力 (中国)[]"),
        ("이세돌9단", "", "~이세돌[9단]"),
        ("Kim, Dohyup", "", "=Kim, Dohyup[]"),
        ("Kachanovskyi, Artem ", "", "=Kachanovskyi, Artem[]"),
        ("GNU Go 2.7.221 load and print", "", "=GNU Go 2.7.221 load and print[]"),
        ("GNU Go 3.1.10 (level 10) load and print", "", "=GNU Go 3.1.10 (level 10) load and print[]"),
        ("Gnu Go-2.7.231, level 8", "", "=Gnu Go-2.7.231, level 8[]"),
        ("Go4++", "", "=Go4++[]"),
        ("only2d", "", "=only2d[]"),
        ("WeakBot50k", "", "=WeakBot50k[]"),
        ("Ray Tayek (old1dan)", "", "=Ray Tayek (old1dan)[]"),
        // Whether a professional's is said of the rank, not of the name.
        ("赵六职业九段", "", "~赵六[职业九段]"),
        ("趙六職業九段", "", "~趙六[職業九段]"),
        ("王五 业余5段", "", "~王五[业余5段]"),
        ("王五(业余5段)", "", "~王五[业余5段]"),
        ("张三九段（职业）", "", "~张三[九段（职业）]"),
        ("张三 九段职业", "", "~张三[九段职业]"),
        ("李业五段", "", "~李业[五段]"),
        ("山田アマチュア六段", "", "~山田[アマチュア六段]"),
        ("홍길동 프로9단", "", "~홍길동[프로9단]"),
        // The nickname is about golf.
        ("골프로 5단", "", "~골프로[5단]"),
        ("ゴルフプロ 5段", "", "~ゴルフプロ[5段]"),
        ("Lee (p 9d)", "", "~Lee[p 9d]"),
        ("Lee [p 3d]", "", "~Lee[p 3d]"),
        ("Lee（p 9段）", "", "~Lee[p 9段]"),
        ("Foo amateur 6 dan", "", "~Foo[amateur 6 dan]"),
        ("Foo (amateur 6 dan)", "", "~Foo[amateur 6 dan]"),
        ("Foo pro 9 dan", "", "~Foo[pro 9 dan]"),
        ("Foo p9", "", "~Foo[p9]"),
        ("John P 3d", "", "~John P[3d]"),
        ("Foo  5段", "", "~Foo[5段]"),
        ("张三职业", "", "=张三职业[]"),
        ("", "9p", "-"),
    ] {
        assert_eq!(members(names, ranks), expected, "{names:?}");
    }
}

#[test]
fn several_players() {
    for (names, ranks, expected) in [
        ("A Bai & B Cai & C Dai", "1d & 2d & 3d", "=A Bai[1d] B Cai[2d] C Dai[3d]"),
        ("Abe & Baba", "", "=Abe[] Baba[]"),
        ("Abe 3d & Baba 2k", "", "~Abe[3d] Baba[2k]"),
        ("Abe & Baba", "3d", "~Abe[] Baba[]"),
        ("Abe & Baba", "3d, 2d", "~Abe[3d] Baba[2d]"),
        ("Abe, Baba & Chiba", "", "~Abe[] Baba[] Chiba[]"),
        ("Go Seigen, Kitani Minoru", "", "~Go Seigen[] Kitani Minoru[]"),
        ("Go Seigen and Kitani Minoru", "", "~Go Seigen[] Kitani Minoru[]"),
        ("Go Seigen/Kitani Minoru", "", "~Go Seigen[] Kitani Minoru[]"),
        ("吴清源、木谷实", "", "~吴清源[] 木谷实[]"),
        ("祷阳子(五段)赵治勋(九段)", "", "~祷阳子[五段] 赵治勋[九段]"),
    ] {
        assert_eq!(members(names, ranks), expected, "{names:?}");
    }
}

proptest! {
    #[test]
    fn a_written_rank_reads_back(number in 1..=10_u8, rating in 1_000..4_999_u16, kind in 0..8_usize, mark in 0..3_usize) {
        let grade = [
            Grade::Kyu(number), Grade::Dan(number), Grade::Pro(number), Grade::Professional, Grade::Insei,
            Grade::Rating(rating), Grade::Unranked, Grade::Kyu(number + 20),
        ][kind];
        let certainty = [None, Some(Certainty::Uncertain), Some(Certainty::Established)][mark];
        let rank = Rank { grade, certainty };
        prop_assert_eq!(Rank::parse(&rank.to_string()).value(), Some(rank));
    }

    #[test]
    fn no_text_panics(
        names in "([A-Za-z0-9]|&|, |;| and |/|\\+|\\(|\\)| |段|级|九|단|pro|d|k|\\*|\\?|\\PC){0,24}",
        ranks in "([0-9]|&|k|d|p|段|\\PC){0,12}",
    ) {
        let _ = Rank::parse(&ranks);
        if let Some(team) = Team::parse(&names, &ranks).value() {
            prop_assert!(team.members().all(|member| names.contains(member.name)));
        }
    }
}

#[test]
fn ordinals_of_other_languages() {
    check(&[
        ("6-й дан", "~6d"),
        ("1er dan", "~1d"),
        ("4ème dan", "~4d"),
        ("2ème kyu", "~2k"),
        ("4º dan", "~4d"),
        ("Pro. 9 dan", "~9p"),
        ("elo=1823", "~1823"),
        ("=1823", "-"),
    ]);
}
