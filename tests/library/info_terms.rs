//! KM, KI, HA, RU and RO.

use std::fmt::Display;

use proptest::prelude::*;
use sgf_stream::semantics::info::{
    Handicap, HandicapBonus, KataRules, Ko, Komi, Reading, Round, Rules, Score, Scoring, Tax,
};

use crate::support::table::{self, describe};

fn check<T: Display>(parse: impl Fn(&'static str) -> Reading<T>, table: &[(&'static str, &str)]) {
    table::check(|text| describe(parse(text)), table);
}

/// The user guide: real values, not `5 points`, `half a point` or `5 1/2`.
#[test]
fn komi() {
    check(
        Komi::parse,
        &[
            ("7.5?", "~7.5"),
            ("6.5*", "~6.5"),
            ("倒贴3目", "~-3"),
            ("5.5, reverse", "~-5.5"),
            ("234子", "~5.5"),
            ("3子", "~6"),
            ("反贴目 5", "~-5"),
            ("逆コミ5目", "~-5"),
            ("倒贴子", "-"),
            ("黑棋贴6.5目", "~6.5"),
            ("黑出3又3/4子", "~7.5"),
            ("6点5", "~6.5"),
            ("六点五", "~6.5"),
            ("6点半", "~6.5"),
            ("7点", "~7"),
            ("没有", "~0"),
            ("白 6.5", "~6.5"),
            ("black gives 5.5", "~5.5"),
            ("White gets 5.5", "~5.5"),
            ("4.5 for W", "~4.5"),
            ("KM 5.5", "~5.5"),
            ("7.5 Chinese", "~7.5"),
            ("6.5 pkt", "~6.5"),
            ("+ 0.5", "~0.5"),
            ("- 5.5", "~-5.5"),
            ("B 5.5", "-"),
            ("5.5 (reverse)", "~-5.5"),
            ("5.5", "=5.5"),
            ("0", "=0"),
            ("0.5", "=0.5"),
            ("-10", "=-10"),
            ("6.500000", "=6.5"),
            ("7.00", "=7"),
            ("375", "=375"),
            ("7.4999999999999996", "=7.4999999999999996"),
            ("5 points", "~5"),
            ("half a point", "~0.5"),
            ("5 1/2", "~5.5"),
            ("5 1/2 points", "~5.5"),
            ("5½", "~5.5"),
            ("6,5", "~6.5"),
            ("6。5", "~6.5"),
            (".5", "~0.5"),
            ("-5,5", "~-5.5"),
            ("6.5 pts", "~6.5"),
            ("five and a half", "~5.5"),
            ("komi 6.5", "~6.5"),
            ("White 5.5", "~5.5"),
            ("W+5.5", "~5.5"),
            ("5.5 for white", "~5.5"),
            ("reverse komi 5.5", "~-5.5"),
            ("5..5", "-"),
            ("1,000", "-"),
            ("none", "~0"),
            ("6目半", "~6.5"),
            ("5目半", "~5.5"),
            ("黑贴五目半", "~5.5"),
            ("コミ6目半", "~6.5"),
            ("6目半コミ出し", "~6.5"),
            ("6.5집", "~6.5"),
            ("6집 반", "~6.5"),
            ("덤 6집반", "~6.5"),
            ("黑贴3又3/4子", "~7.5"),
            ("2又3/4子", "~5.5"),
            ("3.75子", "~7.5"),
            ("5 1/3", "~5 1/3"),
            ("", "-"),
            ("foo", "-"),
            ("5.5.5", "-"),
            ("6.5x", "-"),
            ("5. 5", "-"),
            ("without komi", "~0"),
            ("コミ無し", "~0"),
            ("不贴", "~0"),
        ],
    );
}

/// Whoever gives them, the points of a reverse komi are Black's.
#[test]
fn reverse_komi() {
    check(
        Komi::parse,
        &[
            ("White gives 5", "~-5"),
            ("W gives 5.5", "~-5.5"),
            ("white gave 5 points", "~-5"),
            ("5 points given by White", "~-5"),
            ("Black gets 5", "~-5"),
            ("B receives 5.5", "~-5.5"),
            ("5.5 for black", "~-5.5"),
            ("5.5 to B", "~-5.5"),
            ("Reverse, 20p", "~-20"),
            ("Reverse: 20", "~-20"),
            ("reverse (20 points)", "~-20"),
            ("reversed komi 5.5", "~-5.5"),
            ("negative 5", "~-5"),
            ("5.5 reverse", "~-5.5"),
            ("5.5 (reverse komi)", "~-5.5"),
            ("白棋贴5目", "~-5"),
            ("白方贴 3又3/4子", "~-7.5"),
            ("白出5目", "~-5"),
            ("逆コミ出し5目", "~-5"),
            ("gives 5", "~5"),
            ("Black gives 5", "~5"),
            ("B gave 5.5", "~5.5"),
            ("5 points given by Black", "~5"),
            ("White receives 5", "~5"),
            ("Komi, 6.5", "~6.5"),
            ("White (6.5)", "~6.5"),
            ("W gives B 5", "-"),
            (", 5", "-"),
            ("5.5, 6.5", "-"),
        ],
    );
}

#[test]
fn fox_writes_hundredths() {
    for (text, application, rules, expected) in [
        ("375", "foxwq", "Chinese", "~7.5"),
        ("375", "foxwq", "", "~7.5"),
        ("325", "foxwq", "Chinese", "~6.5"),
        ("650", "foxwq", "Japanese", "~6.5"),
        ("750", "foxwq", "Japanese", "~7.5"),
        ("550", "foxwq", "Korean", "~5.5"),
        ("300", "foxwq", "Chinese", "~6"),
        ("0", "foxwq", "Chinese", "=0"),
        ("6.5", "foxwq", "Chinese", "=6.5"),
        ("750", "foxwq", "Chinese", "~7.5"),
        ("50", "野狐围棋", "", "~0.5"),
        ("50", "Firefox", "", "=50"),
        // Too large for a komi.
        ("375", "GNU Go:3.8", "Chinese", "~7.5"),
        ("375", "", "Chinese", "~7.5"),
        // 2 1/4 and 2 3/4 stones, in old collections.
        ("214", "", "", "~4.5"),
        ("234", "", "Chinese", "~5.5"),
        ("334", "", "", "~7.5"),
        ("212", "", "", "=212"),
        ("534", "", "", "=534"),
        ("-234", "", "", "=-234"),
        ("650", "", "", "~6.5"),
        ("651", "", "", "=651"),
        ("1000", "", "", "=1000"),
        ("foo", "foxwq", "Chinese", "-"),
        // Points are not divided into quarters, so these are stones.
        ("3.75", "", "", "~7.5"),
        ("2.75", "foxwq", "Chinese", "~5.5"),
        ("5.25", "", "", "=5.25"),
    ] {
        assert_eq!(describe(Komi::parse_of(text, application, rules)), expected, "{text} {application} {rules}");
    }
}

#[test]
fn komi_behind_an_even_game() {
    check(
        Komi::parse_ha,
        &[
            ("호선 - 6집 반 공제", "~6.5"),
            ("互先 先番6目半コミ出し", "~6.5"),
            ("互先", "-"),
            ("互先 6目", "-"),
            ("2", "-"),
        ],
    );
}

/// The libsgfc++ notes: KI is an integer, twice the komi.
#[test]
fn integer_komi() {
    check(Komi::parse_ki, &[("11", "=5.5"), ("1", "=0.5"), ("-9", "=-4.5"), ("5.5", "-"), ("", "-")]);
}

#[test]
fn handicap() {
    check(
        Handicap::parse,
        &[
            ("2 handicap stones", "~2"),
            ("0", "=0"),
            ("2", "=2"),
            ("9", "=9"),
            ("2 stones", "~2"),
            ("three", "~3"),
            (" 4", "~4"),
            ("even", "~0"),
            ("none", "~0"),
            ("互先", "~0"),
            ("让先", "~0"),
            ("对子", "~0"),
            ("對子", "~0"),
            ("让三子", "~3"),
            ("讓2子", "~2"),
            ("受九子", "~9"),
            ("受让2子", "~2"),
            ("두점", "~2"),
            ("접바둑 2점", "~2"),
            ("4子", "~4"),
            ("三子局", "~3"),
            ("吴先二先.二子", "~2"),
            ("吴先相先.先", "~0"),
            ("吴先相先", "~0"),
            ("吴二三二.三", "~3"),
            ("吴受先", "~0"),
            ("호선", "~0"),
            ("호선 - 6집 반 공제", "~0"),
            ("互先 先番6目半コミ出し", "~0"),
            ("互先2子", "-"),
            ("선상선", "~0"),
            ("tagai-sen", "~0"),
            ("先二先", "-"),
            ("정선", "~0"),
            ("4점", "~4"),
            ("1점 접바둑", "~1"),
            ("", "-"),
            ("-2", "-"),
            ("2.5", "-"),
            ("foo", "-"),
        ],
    );
}

#[test]
fn rules() {
    check(
        Rules::parse,
        &[
            ("Japanese 1989", "~Japanese"),
            ("1989 Japanese", "~Japanese"),
            ("日本規約", "~Japanese"),
            ("中国棋规", "~Chinese"),
            ("應氏棋规", "~GOE"),
            ("应氏计点制", "~GOE"),
            ("Japanese territory", "~Japanese"),
            ("Japanese area", "-"),
            ("Chinese area scoring", "~Chinese"),
            ("Chinese with superko", "~Chinese"),
            ("Japanese counting", "~Japanese"),
            ("AGA area", "~AGA"),
            ("Ing's Goe rules", "~GOE"),
            ("Tromp and Taylor", "~Tromp-Taylor"),
            ("(Japanese)", "~Japanese"),
            ("\"Japanese\"", "~Japanese"),
            ("Japanese?", "~Japanese"),
            ("japanese_rules", "~Japanese"),
            ("chinese_kgs", "~Chinese"),
            ("Japanische Regeln", "~Japanese"),
            ("Règle chinoise", "~Chinese"),
            ("Règle française", "~French"),
            ("New_Zealand", "~NZ"),
            ("日式", "~Japanese"),
            ("日本囲碁規約", "~Japanese"),
            ("Japanese", "=Japanese"),
            ("Chinese", "=Chinese"),
            ("AGA", "=AGA"),
            ("GOE", "=GOE"),
            ("NZ", "=NZ"),
            ("Crawford", "=Crawford"),
            ("Crawford:CrawfordGame", "=Crawford:CrawfordGame"),
            ("Jacoby", "=Jacoby"),
            ("japanese", "~Japanese"),
            ("Japanese Rules", "~Japanese"),
            ("Japanese (territory)", "~Japanese"),
            ("JP", "~Japanese"),
            ("Nihon Ki-in", "~Japanese"),
            ("Nihon-Kiin", "~Japanese"),
            ("日本ルール", "~Japanese"),
            ("日本規則", "~Japanese"),
            ("chinese", "~Chinese"),
            ("中国规则", "~Chinese"),
            ("中國規則", "~Chinese"),
            ("Korean", "~Korean"),
            ("한국룰", "~Korean"),
            ("aga", "~AGA"),
            ("American", "~AGA"),
            ("Ing", "~GOE"),
            ("Ing Rules", "~GOE"),
            ("goe", "~GOE"),
            ("应氏规则", "~GOE"),
            ("New Zealand", "~NZ"),
            ("new-zealand", "~NZ"),
            ("Tromp-Taylor", "~Tromp-Taylor"),
            ("Tromp/Taylor", "~Tromp-Taylor"),
            ("tromp-taylor", "~Tromp-Taylor"),
            ("Old Chinese", "~Stone scoring"),
            ("French", "~French"),
            ("BGA", "~BGA"),
            ("", "-"),
            ("LG", "-"),
            ("russian", "-"),
            ("Group tax?", "-"),
            ("Japaneses", "-"),
        ],
    );
}

#[test]
fn rules_part_by_part() {
    fn kata(text: &str) -> KataRules {
        match Rules::parse(text) {
            Reading::Exact(Rules::Kata(rules)) => rules,
            other => panic!("{text}: {other:?}"),
        }
    }
    let rules = kata("koSIMPLEscoreTERRITORYtaxSEKIsui0");
    assert_eq!((rules.ko, rules.scoring, rules.tax), (Ko::Simple, Scoring::Territory, Tax::Seki));
    assert!(!rules.suicide && !rules.button && !rules.friendly_pass);
    assert_eq!(rules.handicap_bonus, HandicapBonus::None);
    let rules = kata("koPOSITIONALscoreAREAtaxNONEsui1button1whbN-1fpok1");
    assert_eq!((rules.ko, rules.scoring, rules.tax), (Ko::Positional, Scoring::Area, Tax::None));
    assert!(rules.suicide && rules.button && rules.friendly_pass);
    assert_eq!(rules.handicap_bonus, HandicapBonus::EachButOne);
    for end in ["", "whbN", "whbN-1", "fpok1", "button1", "button1whbNfpok1"] {
        let text = format!("koPOSITIONALscoreAREAtaxNONEsui1{end}");
        assert_eq!(kata(&text).to_string(), text);
    }
    assert_eq!(kata("koSITUATIONALscoreAREAtaxALLsui0whb0").to_string(), "koSITUATIONALscoreAREAtaxALLsui0");
    for text in ["koSIMPLEscoreAREA", "koSIMPLEscoreAREAtaxNONEsui0N", "koSIMPLEscoreAREAtaxNONEsui0whb"] {
        assert_eq!(Rules::parse(text), Reading::Raw);
    }
}

/// Number (0 if missing), label and kind.
fn round(text: &str) -> String {
    let round = Round::parse(text);
    describe(round.map(|round| format!("{:?} {:?} {:?}", round.number.unwrap_or(0), round.label, round.kind)))
}

#[test]
fn rounds() {
    let table = [
        ("1/8 final", r#"~0 "" "1/8 final""#),
        ("best of 3", r#"~0 "" "best of 3""#),
        ("1/8", r#"~0 "" "1/8""#),
        ("1/4 финала", r#"~0 "" "1/4 финала""#),
        ("3rd place playoff", r#"~0 "" "3rd place playoff""#),
        ("bo3", r#"~0 "" "bo3""#),
        ("Board 3", r#"~0 "" "Board 3""#),
        ("Table 2", r#"~0 "" "Table 2""#),
        ("Division 1", r#"~0 "" "Division 1""#),
        ("Season 5", r#"~0 "" "Season 5""#),
        ("Day 2", r#"~0 "" "Day 2""#),
        ("round-robin", r#"~0 "" "round-robin""#),
        ("1/19", r#"~1 "1/19" """#),
        ("Round 1/8", r#"~1 "1/8" """#),
        ("3e ronde", r#"~3 "3" """#),
        ("1re ronde", r#"~1 "1" """#),
        ("Ronda 3ª", r#"~3 "3" """#),
        ("3-й тур", r#"~3 "3" """#),
        ("Round III", r#"~3 "Round III" """#),
        ("Round 2 Board 1", r#"~2 "2" "Board 1""#),
        ("Round 2 / Game 1", r#"~2 "2" "Game 1""#),
        ("Final (game 2)", r#"~2 "game 2" "Final""#),
        ("Final (board 3)", r#"~0 "Final" "board 3""#),
        ("round_3", r#"~3 "3" """#),
        ("III", "-"),
        ("2/1", "-"),
        ("C2", "-"),
        ("A-3", "-"),
        ("-1", "-"),
        ("Round -1", "-"),
        ("Final -1", r#"~1 "1" "Final""#),
        ("Round-1", r#"~1 "1" """#),
        ("Round - 1", r#"~1 "1" """#),
        ("1,2", "-"),
        ("Round of 16", r#"~0 "" "Round of 16""#),
        ("round 2, board 1", r#"~2 "2" "board 1""#),
        ("third round", r#"~3 "third round" """#),
        ("本戦2回戦", r#"~2 "2" "本戦""#),
        ("第21期名人戦第3局", r#"~3 "3" "第21期名人戦""#),
        ("2", r#"=2 "2" """#),
        ("2 (final)", r#"=2 "2" "final""#),
        ("11 (playoff)", r#"=11 "11" "playoff""#),
        ("2(final)", r#"~2 "2" "final""#),
        ("1, final", r#"~1 "1" "final""#),
        ("Round 12", r#"~12 "12" """#),
        ("round 4", r#"~4 "4" """#),
        ("Game 5", r#"~5 "5" """#),
        ("ronde 4", r#"~4 "4" """#),
        ("R3", r#"~3 "3" """#),
        ("1st", r#"~1 "1" """#),
        ("2nd Preliminary", r#"~2 "2" "Preliminary""#),
        ("League, game 13", r#"~13 "13" "League""#),
        ("TM #4", r#"~4 "4" "TM""#),
        ("prelim. 2/2", r#"~2 "2/2" "prelim""#),
        ("1 of 7", r#"~1 "1 of 7" """#),
        ("game 3 of 7", r#"~3 "3 of 7" """#),
        ("League (7)", r#"~7 "7" "League""#),
        ("16强", r#"~0 "" "16强""#),
        ("第三番棋", r#"~3 "三" """#),
        ("Round 3 (semi-final)", r#"~3 "Round 3" "semi-final""#),
        ("第3局", r#"~3 "3" """#),
        ("第三局", r#"~3 "三" """#),
        ("第2轮", r#"~2 "2" """#),
        ("本赛第一轮", r#"~1 "一" "本赛""#),
        ("3回戦", r#"~3 "3" """#),
        ("final", r#"~0 "" "final""#),
        ("Quarter Finals", r#"~0 "" "Quarter Finals""#),
        ("半决赛", r#"~0 "" "半决赛""#),
        ("foo (bar)", r#"~0 "foo" "bar""#),
        (" (bar)", r#"~0 "" "bar""#),
        ("foo ()", r#"~0 "foo" """#),
        ("foo (bar) (baz)", r#"~0 "foo (bar)" "baz""#),
        ("", "-"),
        ("foo", "-"),
        ("foo (bar", "-"),
        ("foo bar)", "-"),
        ("8->4", "-"),
        ("3a", "-"),
        ("14R 2G 1국", "-"),
        ("stage 2 final", "-"),
        ("打挂六次", "-"),
    ];
    table::check(round, &table);
}

#[test]
fn scores_order_and_print_exactly() {
    let score = |above, below| Score::new(above, below).unwrap();
    assert_eq!(score(11, 6).to_string(), "1 5/6");
    assert_eq!(score(-11, 6).to_string(), "-1 5/6");
    assert_eq!(score(15, 4).to_string(), "3.75");
    assert_eq!(score(-1, 2).to_string(), "-0.5");
    assert_eq!(score(1, 3).to_string(), "1/3");
    assert!(score(11, 6) < score(2, 1) && score(-1, 2) < Score::ZERO);
    assert_eq!(Score::new(1, 0), None);
    assert_eq!(Score::new(i64::MIN, -1), None);
    assert!((score(7, 2).to_f64() - 3.5).abs() < f64::EPSILON);
}

proptest! {
    #[test]
    fn written_komi_reads_back(above in -1_000_000..1_000_000_i64, below in 1..1_000_i64) {
        let komi = Komi::new(Score::new(above, below).unwrap());
        prop_assert_eq!(Komi::parse(&komi.to_string()).value(), Some(komi));
    }

    #[test]
    fn no_text_panics(text in "([0-9]|-|\\.|,|/| |\\(|\\)|第|局|round|目|半|又|子|先|三|Japanese|ko|\\PC){0,24}") {
        let _ = (Komi::parse(&text), Komi::parse_of(&text, "foxwq", &text), Komi::parse_ki(&text));
        let _ = (Handicap::parse(&text), Rules::parse(&text));
        if let Some(round) = Round::parse(&text).value() {
            prop_assert!(text.contains(round.kind) && text.contains(round.label));
        }
    }

    #[test]
    fn a_written_round_reads_back(number in 0..10_000_u32, kind in "[a-z]{0,8}") {
        prop_assume!(number < 100 || !kind.is_empty());
        let label = number.to_string();
        let round = Round { number: Some(number), label: &label, kind: &kind };
        let text = round.to_string();
        prop_assert_eq!(Round::parse(&text), Reading::Exact(round));
    }
}

#[test]
fn words_beside_the_number() {
    check(Komi::parse, &[("komi is 6.5", "~6.5"), ("minus 5.5", "~-5.5"), ("互先コミ6目半", "~6.5")]);
    check(Handicap::parse, &[("2 stones handicap", "~2"), ("9目置", "~9"), ("2?", "~2"), ("5子局", "~5")]);
}

#[test]
fn komi_and_handicap_in_other_words() {
    check(
        Komi::parse,
        &[
            ("5.5 reverse", "~-5.5"),
            ("5.5 reverse komi", "~-5.5"),
            ("5.5 очка", "~5.5"),
            ("коми 6.5", "~6.5"),
            ("こみ6目半", "~6.5"),
            ("無貼子", "~0"),
            ("不贴子", "~0"),
            ("白贴3目", "~-3"),
            ("흑 덤 6집반", "~6.5"),
            ("6.5 to W", "~6.5"),
            ("黒番6目半コミ出し", "~6.5"),
            ("コミ出6目半", "~6.5"),
            ("互先・コミ6目半", "~6.5"),
            ("(6.5)", "~6.5"),
            ("6.5, 7.5", "-"),
            ("6.5;", "~6.5"),
        ],
    );
    check(
        Handicap::parse,
        &[("4 Steine", "~4"), ("3 pierres de handicap", "~3"), ("2 stenen", "~2"), ("9 камней", "~9"), ("2;3", "-")],
    );
}

/// Two names together are not understood.
#[test]
fn rules_of_other_languages() {
    check(
        Rules::parse,
        &[
            ("Koreanisch", "~Korean"),
            ("koreanische Regeln", "~Korean"),
            ("coréenne", "~Korean"),
            ("корейские", "~Korean"),
            ("японский", "~Japanese"),
            ("китайский", "~Chinese"),
            ("Japonesa", "~Japanese"),
            ("Japanese Go Rules", "~Japanese"),
            ("Ing Chang-ki rules", "~GOE"),
            ("中国数子规则", "~Chinese"),
            ("中國圍棋規則", "~Chinese"),
            ("日本数目规则", "~Japanese"),
            ("日本数子规则", "-"),
            ("중국식", "~Chinese"),
            ("일본식", "~Japanese"),
            ("Chinese, Japanese", "-"),
            ("Chinese, area", "~Chinese"),
        ],
    );
}

/// Counts, and numbers of other things, are not rounds.
#[test]
fn numbers_that_are_not_the_rounds() {
    table::check(
        round,
        &[
            ("7th game of 7", r#"~7 "7th game of 7" """#),
            ("10th Round of 11", r#"~10 "10th Round of 11" """#),
            ("Semi-final (1st game)", r#"~1 "1st game" "Semi-final""#),
            ("2 из 5", r#"~2 "2 из 5" """#),
            ("2de ronde", r#"~2 "2" """#),
            ("2° turno", r#"~2 "2" """#),
            ("3位決定戦", r#"~0 "" "3位決定戦""#),
            ("三位決定戦", r#"~0 "" "三位決定戦""#),
            ("Best of 3, game 2", r#"~2 "2" "Best of 3""#),
            ("Day 1 round 2", r#"~2 "2" "Day 1""#),
            ("Season 5, round 3", r#"~3 "3" "Season 5""#),
            ("Board 1, round 2", r#"~2 "2" "Board 1""#),
            ("2012, round 3", r#"~3 "3" "2012""#),
            ("2019 round 3", r#"~3 "3" "2019""#),
            ("결승5번기 1국", r#"~1 "1" "결승5번기""#),
            ("결승 3번기 2국", r#"~2 "2" "결승 3번기""#),
            ("Match 1, game 2", r#"~1 "1" "game 2""#),
            ("3+", "-"),
            ("3 (", "-"),
            ("99", r#"=99 "99" """#),
            ("249", "-"),
            (" 1996 ", "-"),
        ],
    );
}
