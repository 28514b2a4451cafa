//! RE: every form of the standard, forms found in archives, and texts that must not be understood.

use proptest::prelude::*;
use sgf_stream::semantics::info::{GameResult, Margin, Outcome, Reading, Score, Unit, WinBy, Winner};

use crate::support::table;

/// As [`table::describe`]; a remark follows ` | `.
fn describe(text: &str) -> String {
    table::describe(GameResult::parse(text).map(|result| match result.remark {
        "" => result.outcome.to_string(),
        remark => format!("{} | {remark}", result.outcome),
    }))
}

pub(crate) fn check(table: &[(&'static str, &str)]) {
    table::check(describe, table);
}

#[test]
fn the_forms_of_the_standard_are_exact() {
    check(&[
        ("0", "=Draw"),
        ("Draw", "=Draw"),
        ("B+", "=B+"),
        ("W+", "=W+"),
        ("B+0.5", "=B+0.5"),
        ("W+64", "=W+64"),
        ("B+12.5", "=B+12.5"),
        ("B+3.50", "=B+3.5"),
        ("W+042.30", "=W+42.3"),
        ("W+0", "=W+0"),
        ("B+R", "=B+R"),
        ("B+Resign", "=B+R"),
        ("W+R", "=W+R"),
        ("W+Resign", "=W+R"),
        ("B+T", "=B+T"),
        ("B+Time", "=B+T"),
        ("W+T", "=W+T"),
        ("W+Time", "=W+T"),
        ("B+F", "=B+F"),
        ("B+Forfeit", "=B+F"),
        ("W+F", "=W+F"),
        ("W+Forfeit", "=W+F"),
        ("Void", "=Void"),
        ("?", "=?"),
    ]);
}

/// The CWI notes mention games that both players lost, unfinished games, games in progress, and a win in a game of unknown
/// colours; and they prefer `Jigo` to `0`.
#[test]
fn the_outcomes_of_the_cwi_notes() {
    check(&[
        ("Both lost", "~Both lost"),
        ("Unfinished", "~Unfinished"),
        ("U", "~Unfinished"),
        ("UF", "~Unfinished"),
        ("Left unfinished", "~Unfinished"),
        ("Playing", "~Playing"),
        ("Special", "~Special"),
        ("Jigo", "~Draw"),
        ("P2+F", "~P2+F"),
        ("B wins by 1 5/6", "~B+1 5/6"),
        ("White wins but black does not lose", "~Special | but black does not lose"),
    ]);
}

/// HexWiki: a win needs no margin, suspended play is `Void`, and resignation, time and forfeit have a letter and a word each.
#[test]
fn the_results_of_hexwiki() {
    check(&[
        ("B+", "=B+"),
        ("W+", "=W+"),
        ("Void", "=Void"),
        ("?", "=?"),
        ("B+R", "=B+R"),
        ("W+Resign", "=W+R"),
        ("B+Time", "=B+T"),
        ("W+F", "=W+F"),
    ]);
}

/// Pentobi's games of three and four players, who are numbered.
#[test]
fn players_by_number() {
    check(&[("P3+", "~P3+"), ("P4+12", "~P4+12"), ("Player 1 wins", "~P1+")]);
}

/// The CWI notes: a converter turned this into `B+4.5195314`.
#[test]
fn a_remark_is_not_part_of_the_margin() {
    check(&[
        ("B+4.5  (moves beyond 195 not known; 314 played)", "~B+4.5 | moves beyond 195 not known; 314 played"),
        ("? (No further moves known)", "~? | No further moves known"),
        ("B+, Goro crushed in his 126th move", "~B+ | Goro crushed in his 126th move"),
        ("Black resigns after white 139.", "~W+R | after white 139."),
        ("Black resigns. W 133.5 B 81.0", "~W+R | W 133.5 B 81.0"),
        ("White wins by resignation (after 168).", "~W+R | after 168"),
        ("Void (triple ko)", "~Void | triple ko"),
        ("B+1.5 ? W+timeout", "~B+1.5 | ? W+timeout"),
        ("B+AW", "~B+ | AW"),
        ("W+2R", "~W+2 | R"),
        ("B+3 70", "~B+3 | 70"),
        ("B+3 7", "-"),
        ("B+R?", "~B+R | ?"),
    ]);
}

/// The user guide says that applications must not write "Black resigns", so some do.
#[test]
fn sentences() {
    check(&[
        ("Black resigns", "~W+R"),
        ("White resigns.", "~B+R"),
        ("White resigned", "~B+R"),
        ("White wins by 3 1/2 points", "~W+3.5"),
        ("black wins by 5 3/4 points", "~B+5.75 stones"),
        ("Black wins by resignation", "~B+R"),
        ("Black wins by 3.5", "~B+3.5"),
        ("Black won by half a point", "~B+0.5"),
        ("White wins on time", "~W+T"),
        ("White won on time.", "~W+T"),
        ("White loses on time", "~B+T"),
        ("White ran out of time", "~B+T"),
        ("Black wins by forfeit", "~B+F"),
        ("Black lost by 3.5 points", "~W+3.5"),
        ("White by resignation", "~W+R"),
        ("White by 2.5", "~W+2.5"),
        ("Win for White by 7 points", "~W+7"),
        ("Won by Black", "~B+"),
        ("Black wins", "~B+"),
        ("black win", "~B+"),
        ("White wins, Black resigned", "~W+R"),
        ("White wins (time)", "~W+T"),
        ("The game is a draw", "~Draw"),
        ("Drawn", "~Draw"),
        ("tie", "~Draw"),
        ("Draw (Jigo)", "~Draw | Jigo"),
        ("has adjourned.", "~Unfinished"),
        ("not finished", "~Unfinished"),
        ("No result", "~Void"),
        ("game in progress", "~Playing"),
        ("both players lost", "~Both lost"),
        ("both sides lose", "~Both lost"),
        ("triple ko", "~Void"),
        ("185 moves. White wins by resignation", "~W+R"),
        ("Black wins by 3.5 points after 245 moves", "~B+3.5 | after 245 moves"),
        ("Winner: White", "~W+"),
        ("draw by agreement", "~Draw | by agreement"),
        ("unknown", "~?"),
    ]);
}

#[test]
fn other_spellings() {
    check(&[
        ("W+Rsgn", "~W+R"),
        ("remise", "~Draw"),
        ("Blanc gagne de 3.5 points", "~W+3.5"),
        ("Weiß gewinnt mit 2,5", "~W+2.5"),
        ("B+1,000", "~B+ | 1,000"),
        ("draw", "~Draw"),
        ("JIGO", "~Draw"),
        ("0.0", "~Draw"),
        ("+0.000", "~Draw"),
        ("0 (jigo)", "~Draw | jigo"),
        ("void", "~Void"),
        ("VOID", "~Void"),
        ("b+r", "~B+R"),
        ("w+4.5", "~W+4.5"),
        ("B+resign", "~B+R"),
        ("B+Res", "~B+R"),
        ("b+res", "~B+R"),
        ("W+R.", "~W+R"),
        ("B + R", "~B+R"),
        ("B+ 5.5", "~B+5.5"),
        ("B+5.5 ", "~B+5.5"),
        (" B+5.5", "~B+5.5"),
        ("B+time", "~B+T"),
        ("W+Time Over", "~W+T"),
        ("W+timeout", "~W+T"),
        ("B+forfeit", "~B+F"),
        ("B+Illegal", "~B+F"),
        ("W+Repetition", "~W+F"),
        ("Black+3.5", "~B+3.5"),
        ("White +R", "~W+R"),
        ("Ｂ＋３．５", "~B+3.5"),
        ("Ｗ＋Ｒｅｓｉｇｎ", "~W+R"),
        ("B (R)", "~B+R"),
        ("B(3.5)", "~B+3.5"),
        ("B+R in 185 moves", "~B+R | 185 moves"),
        ("B+Abandonment", "~B+F"),
        ("Schwarz gibt auf", "~W+R"),
        ("B", "~B+"),
        ("W", "~W+"),
        ("Black", "~B+"),
        ("B 3.5", "~B+3.5"),
        ("Schwarz gewinnt durch Aufgabe", "~B+R"),
        ("Zwart wint", "~B+"),
        ("Weiß +3.5", "~W+3.5"),
    ]);
}

#[test]
fn fractions_and_units() {
    check(&[
        ("B+3 1/2", "~B+3.5"),
        ("B+1 5/6", "~B+1 5/6"),
        ("W+5/6", "~W+5/6"),
        ("B+3,5", "~B+3.5"),
        ("B+.5", "~B+0.5"),
        ("B+42.", "~B+42"),
        ("W+½", "~W+0.5"),
        ("W+2½", "~W+2.5"),
        ("B+3-3/4", "~B+3.75 stones"),
        ("B+5 points", "~B+5"),
        ("B+5.5pts", "~B+5.5"),
        ("B+0.5 moku", "~B+0.5"),
        ("B+half", "~B+0.5"),
        ("B+3.75 zi", "~B+3.75 stones"),
        // What the winner has, not what he has more.
        ("黑胜185子", "~B+"),
        ("白胜180 1/4子", "~W+"),
        ("W+2.75子", "~W+2.75 stones"),
        ("B+7.5目", "~B+7.5"),
        ("White wins by two and a half points", "~W+2.5"),
    ]);
}

#[test]
fn chinese() {
    check(&[
        ("黑 中 盘 胜", "~B+R"),
        ("白 中盘胜", "~W+R"),
        ("黑中盘胜", "~B+R"),
        ("黑中盤勝", "~B+R"),
        ("白中盘胜", "~W+R"),
        ("共185手 黑中盘胜", "~B+R"),
        ("共173手后略 黑胜1目", "~B+1"),
        ("共228手 黑胜7目半", "~B+7.5"),
        ("共261手 黑胜半目", "~B+0.5"),
        ("共280手 和棋", "~Draw"),
        ("黑胜3又3/4子", "~B+3.75 stones"),
        ("黑勝三又四分之三子", "~B+3.75 stones"),
        ("白胜1/4子", "~W+0.25 stones"),
        ("黑胜四分之一子", "~B+0.25 stones"),
        ("白胜14子半", "~W+14.5 stones"),
        ("黑1.75子胜", "~B+1.75 stones"),
        ("黑胜 2子", "~B+2 stones"),
        ("白三目半胜", "~W+3.5"),
        ("白3目半胜", "~W+3.5"),
        ("白棋12.5目胜!", "~W+12.5"),
        ("白棋超时胜!", "~W+T"),
        ("黑超时,白胜", "~W+T"),
        ("黑方超时负", "~W+T"),
        ("黑认输", "~W+R"),
        ("白方中盘认输", "~B+R"),
        ("白逾时负", "~B+T"),
        ("黑以1又3/4子获胜", "~B+1.75 stones"),
        ("黑胜（中盘）", "~B+R"),
        ("121手黑中盘胜", "~B+R"),
        ("白投子认负", "~B+R"),
        ("黑负", "~W+"),
        ("执黑中盘胜", "~B+R"),
        ("白方胜", "~W+"),
        ("白勝", "~W+"),
        ("白赢", "~W+"),
        ("黑棋弃权", "~W+F"),
        ("和棋", "~Draw"),
        ("和局", "~Draw"),
        ("平局", "~Draw"),
        ("无胜负", "~Void"),
        ("三劫循环无胜负", "~Void"),
        ("打挂", "~Unfinished"),
        ("未下完", "~Unfinished"),
        ("对局停止!", "~Unfinished"),
        ("对局中", "~Playing"),
        ("不详", "~?"),
        ("双方负", "~Both lost"),
    ]);
}

#[test]
fn japanese_and_korean() {
    check(&[
        ("白中押し勝ち", "~W+R"),
        ("257手完, 黒中押し勝ち", "~B+R"),
        ("黒中押勝", "~B+R"),
        ("黒3目半勝", "~B+3.5"),
        ("黒番半目勝ち", "~B+0.5"),
        ("先番二目勝", "~B+2"),
        ("白時間切れ勝ち", "~W+T"),
        ("黒時間切れ負け", "~W+T"),
        ("黒反則負け", "~W+F"),
        ("白投了", "~B+R"),
        ("ジゴ", "~Draw"),
        ("持碁", "~Draw"),
        ("引き分け", "~Draw"),
        ("無勝負", "~Void"),
        ("打ち掛け", "~Unfinished"),
        ("打掛", "~Unfinished"),
        ("両者負け", "~Both lost"),
        ("흑 불계승", "~B+R"),
        ("백불계승", "~W+R"),
        ("백 3.5집 승", "~W+3.5"),
        ("235수 백1집반승", "~W+1.5"),
        ("292수,흑0.5집승!", "~B+0.5"),
        ("237수 백반집승", "~W+0.5"),
        ("백1과1/4집승", "~W+1.25 stones"),
        ("백 시간승", "~W+T"),
        ("흑 시간패", "~W+T"),
        ("흑 반칙승", "~B+F"),
        ("백 기권승", "~W+F"),
        ("191수끝 흑불계승", "~B+R"),
        ("흑 한집반승", "~B+1.5"),
        ("黒勝ち（3目半）", "~B+3.5"),
        ("흑불계승:흑불계승", "~B+R | 흑불계승"),
        ("무승부", "~Draw"),
        ("빅", "~Draw"),
        ("대국중", "~Playing"),
    ]);
}

#[test]
fn a_sentence_may_end_in_a_draw() {
    check(&[
        ("步数超过上限和棋", "~Draw"),
        ("步数超过上限和局。", "~Draw"),
        ("四劫循環無勝負", "~Void"),
        ("黑提议和棋", "-"),
        ("不是和棋", "-"),
        ("step limit和棋", "-"),
        // A player who is called by a name has won, and another game was drawn.
        ("柯洁胜，前局和棋", "-"),
        ("林の勝ち、前局は持碁", "-"),
        ("请求和棋", "-"),
        ("和棋步数超过上限x", "~Draw | 步数超过上限x"),
    ]);
}

/// GGF, the format of Othello servers: plus means Black, and there are always decimals.
#[test]
fn othello_servers() {
    check(&[("+2.000", "~B+2"), ("-14.00", "~W+14"), ("+5", "-"), ("+5.5", "-")]);
    // By the flag behind it, a player resigned, had no time left, or both agreed on the score.
    check(&[
        ("-40.00:r", "~W+R"),
        ("+64.00:r", "~B+R"),
        ("+4.000:t", "~B+T"),
        ("-2.00:s", "~W+2"),
        ("+0.000:s", "~Draw"),
        ("+0.000:r", "-"),
        ("-40.00:l", "-"),
        ("-40.00:", "-"),
        ("-40:r", "-"),
    ]);
    // What is less sure is nothing where GM is no name.
    check(&[("-12", "-"), ("2", "-"), ("18.0", "-"), ("4:t", "-"), ("900.000000", "-"), ("-12.000000", "~W+12")]);
    // MiniZero says only who won.
    check(&[("1.000000", "~B+"), ("-1.000000", "~W+"), ("0.000000", "~Draw"), ("1.00000", "-")]);
}

#[test]
fn texts_that_are_not_results() {
    for text in [
        "",
        " ",
        "foo",
        "1",
        "1.5",
        "0.5",
        "!",
        "+",
        "+R",
        "No key words here",
        "john wins",
        "Game won by Dumbot",
        "*RESULT*",
        "其他",
        "뵨펙",
        "Bob",
        "Walter",
        "Black to play",
        "Black did not win",
        "Black should win",
        "B vs W",
        "W 133.5 B 81.0",
        "1-0",
        "0-1",
        "-3.5",
        "B-R",
        "B+-42",
        "white or black",
        "3.5 points",
        "resign",
        "5手",
    ] {
        let outcome = GameResult::parse(text).value().and_then(|result| result.outcome.winner());
        assert_eq!(outcome, (text == "B+-42").then_some(Winner::Black), "{text:?}");
    }
    check(&[("B+-42", "~B+ | -42"), ("", "-"), ("foo", "-"), ("1", "-"), ("!", "-")]);
}

/// In the title matches of the 1960s, White won if the scores were equal with the komi.
#[test]
fn a_jigo_may_be_won() {
    check(&[
        ("W+J", "~W+ | J"),
        ("W+Jigo", "~W+ | Jigo"),
        ("White wins by jigo", "~W+ | jigo"),
        ("白勝ジゴ", "~W+ | ジゴ"),
        ("白勝 持碁", "~W+ | 持碁"),
        ("ジゴ白勝ち", "~W+"),
        ("Jigo, White wins", "~W+"),
        ("白ジゴ勝ち", "~W+"),
        ("白ジゴ", "~W+"),
        ("黒ジゴ", "~B+"),
        ("ジゴ", "~Draw"),
        ("Jigo (5 komi)", "~Draw | 5 komi"),
        ("W+ or jigo", "-"),
        ("White or Black, jigo", "-"),
        ("步数超过上限持碁", "~Draw"),
    ]);
}

/// A text with two winners, or with a winner and a draw, is not read as the first of them.
#[test]
fn contradictions_are_not_understood() {
    check(&[
        ("B+3+W", "-"),
        ("B+3.5/W+2.5", "-"),
        ("B++", "-"),
        ("W+draw", "-"),
        ("B+Void", "-"),
        ("W+/-", "-"),
        ("Black wins, W+3", "-"),
        ("B+1.5 (B+R)", "~B+1.5 | B+R"),
        ("B+F, W+F", "~Both lost"),
        ("W+T; B+T", "~Both lost"),
        ("White wins but black does not lose", "~Special | but black does not lose"),
        ("B+1e3", "~B+ | 1e3"),
        ("Timeout Black", "-"),
    ]);
}

#[test]
fn further_forms() {
    check(&[
        ("先手胜", "~B+"),
        ("后手胜", "~W+"),
        ("时间到 黑胜", "~B+T"),
        ("黑时间到", "~W+T"),
        ("RE: W+R", "~W+R"),
        ("(B+R)", "~B+R"),
        ("\"B+R\"", "~B+R"),
        ("[W+3.5]", "~W+3.5"),
        ("黑贴5目半胜2目半", "~B+2.5"),
        ("흑중반승", "~B+R"),
        ("B R", "~B+R"),
        ("D", "~Draw"),
        ("J", "~Draw"),
        ("W+和棋", "-"),
        ("J.", "-"),
        ("Jo", "-"),
        ("B+,5", "~B+0.5"),
        ("W+Score 3.5", "~W+3.5"),
    ]);
}

#[test]
fn stones_count_double() {
    let Reading::Lenient(result) = GameResult::parse("黑胜3又3/4子") else { panic!() };
    let margin = result.outcome.margin().unwrap();
    assert_eq!((margin.unit, margin.score), (Unit::Stones, Score::new(15, 4).unwrap()));
    assert_eq!(margin.to_points(), Score::new(15, 2));
}

/// Sentences about an unfinished game, or with alternatives, are not results.
#[test]
fn chances_and_alternatives_are_not_results() {
    for text in [
        "Black has 40 points",
        "Black has 3 stones",
        "White had 3 points",
        "White to win",
        "Black to play and win",
        "黑胜率60%",
        "黑胜势",
        "白胜定",
        "白勝勢",
        "黑の勝ちではない",
        "B+W",
        "W+B",
        "B+R and W+R",
        "B+3.5 or W+0.5",
        "Black wins or loses by ko",
        "B+ 1 / 2",
        "B+0x10",
        "B+3.5.5",
        "B+3 5",
        "B+3'5",
        "B+3 . 5",
        "B+R or W+R",
        "B+R and 3",
    ] {
        assert_eq!(describe(text), "-", "{text}");
    }
    check(&[
        ("W+F & B+F", "~Both lost"),
        ("B+F and W+F", "~Both lost"),
        ("Black has won", "~B+"),
        ("White has resigned", "~B+R"),
        ("White beat Black by 2.5", "~W+2.5"),
        ("白胜黑", "~W+"),
        ("黑胜白2目半", "~B+2.5"),
        ("白胜黑败", "~W+"),
        ("Black defeats White", "~B+"),
        ("White concedes", "~B+R"),
        ("白投降", "~B+R"),
        ("B+Forf", "~B+F"),
        ("W+overtime", "~W+T"),
        ("持ち碁", "~Draw"),
        ("비김", "~Draw"),
        ("打ち掛", "~Unfinished"),
        ("三コウ無勝負", "~Void"),
        ("No-result", "~Void"),
        ("胜负不明", "~?"),
        ("両者不戦敗", "~Both lost"),
        ("흑이 이김", "~B+"),
    ]);
}

fn scores() -> impl Strategy<Value = Score> {
    (0..1_000_000_i64, 1..1_000_i64).prop_map(|(above, below)| Score::new(above, below).unwrap())
}

#[test]
fn quarters_are_of_stones() {
    check(&[
        ("W+0.25", "~W+0.25 stones"),
        ("B+3/4", "~B+0.75 stones"),
        ("백1과1/4집승", "~W+1.25 stones"),
        ("B+,75", "~B+0.75 stones"),
        ("B+0.5", "=B+0.5"),
        ("+12.25", "~B+12.25"),
    ]);
}

#[test]
fn who_forfeits_on_time_loses_on_time() {
    check(&[
        ("White forfeits on time", "~B+T"),
        ("Black forfeited on time", "~W+T"),
        ("White wins (time forfeit)", "~W+T"),
        ("White forfeits", "~B+F"),
    ]);
}

#[test]
fn what_ends_a_game_without_a_result_stands_alone() {
    check(&[
        ("三劫", "~Void"),
        ("三劫循环", "~Void"),
        ("三コウ", "~Void"),
        ("三劫循环无胜负", "~Void"),
        ("三劫循环和棋", "~Draw"),
        ("abandoned", "~Void"),
        ("abandoned by White", "-"),
        ("無効", "~Void"),
        ("打ち切り", "~Unfinished"),
        ("Black is victorious", "~B+"),
    ]);
}

#[test]
fn more_forms_from_archives() {
    check(&[("142手で白中押し勝ち", "~W+R"), ("чёрные выиграли", "~B+"), ("Белые сдались", "~B+R")]);
}

#[test]
fn a_player_may_be_called_by_name() {
    let describe = |text: &'static str| {
        let reading = GameResult::parse_between(text, "Cho Chikun", "高尾紳路");
        table::describe(reading.map(|result| match result.remark {
            "" => result.outcome.to_string(),
            remark => format!("{} | {remark}", result.outcome),
        }))
    };
    table::check(
        describe,
        &[
            ("Cho Chikun wins by resignation", "~B+R"),
            ("won by cho chikun, 3.5 points", "~B+3.5"),
            ("高尾紳路中押勝", "~W+R"),
            ("Cho Chikun lost on time", "~W+T"),
            ("Cho Chikun resigned (by telephone)", "~W+R | by telephone"),
            ("B+R", "=B+R"),
            ("Cho Chikuns win", "-"),
            ("Takao wins", "-"),
            ("", "-"),
        ],
    );
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    let winner = prop_oneof![Just(Winner::Black), Just(Winner::White), (1..=4_u8).prop_map(Winner::Player)];
    let by = prop_oneof![
        Just(WinBy::Unstated),
        Just(WinBy::Resignation),
        Just(WinBy::Time),
        Just(WinBy::Forfeit),
        scores().prop_map(|score| {
            // Points have no quarters.
            let unit = if score.denominator() == 4 { Unit::Stones } else { Unit::Points };
            WinBy::Margin(Margin { score, unit })
        }),
        scores().prop_map(|score| WinBy::Margin(Margin { score, unit: Unit::Stones })),
    ];
    prop_oneof![
        (winner, by).prop_map(|(winner, by)| Outcome::Win { winner, by }),
        proptest::sample::select(vec![
            Outcome::Draw,
            Outcome::BothLost,
            Outcome::Void,
            Outcome::Unfinished,
            Outcome::Playing,
            Outcome::Special,
            Outcome::Unknown
        ]),
    ]
}

proptest! {
    #[test]
    fn a_written_result_reads_back(outcome in outcomes()) {
        let text = outcome.to_string();
        let read = GameResult::parse(&text).value().map(|result| (result.outcome, result.remark));
        prop_assert_eq!(read, Some((outcome, "")), "{}", text);
    }

    #[test]
    fn no_text_panics(text in "(B|W|\\+|[0-9]|/|\\.|,| |\\(|\\)|黑|白|目|子|半|又|分之|勝|중|집|half|wins|resigns|by|\\PC){0,24}") {
        if let Some(result) = GameResult::parse(&text).value() {
            prop_assert!(text.contains(result.remark));
        }
    }
}

#[test]
fn parentheses_hold_a_name_or_how_it_was_won() {
    check(&[
        ("Black (Cho) wins", "~B+"),
        ("White (Otake H.) resigned", "~B+R"),
        ("黑(趙治勲)中盘胜", "~B+R"),
        ("Black wins (by resignation)", "~B+R"),
        ("Black (3.5) wins", "~B+3.5"),
        ("Black wins (Cho)", "~B+ | Cho"),
    ]);
}

#[test]
fn results_of_other_languages_and_programs() {
    check(&[
        ("Weiss gewinnt durch Zeitüberschreitung", "~W+T"),
        ("Weiß verliert auf Zeit", "~B+T"),
        ("Weiß hat aufgegeben", "~B+R"),
        ("Weiß gewinnt mit 3,5 Punkten", "~W+3.5"),
        ("Noir gagne au temps", "~B+T"),
        ("Noir gagne de 3 points et demi", "~B+3.5"),
        ("Wit wint op tijd", "~W+T"),
        ("Wit wint door tijdsoverschrijding", "~W+T"),
        ("Nero vince per abbandono", "~B+R"),
        ("Bianco vince di 3,5 punti", "~W+3.5"),
        ("Победа черных", "~B+"),
        ("Победа белых 3.5", "~W+3.5"),
        ("Белые выиграли 3.5 очка", "~W+3.5"),
        ("unbekannt", "~?"),
        ("inconnu", "~?"),
        ("onbekend", "~?"),
        ("неизвестно", "~?"),
        ("勝敗不明", "~?"),
        ("Never finished", "~Unfinished"),
        ("White has run out of time.", "~B+T"),
        ("Black exceeded the time limit", "~W+T"),
        ("White wins because Black resigned", "~W+R"),
        ("黑方因超时负", "~W+T"),
        ("白判负", "~B+"),
        ("黑违例负", "~W+F"),
        ("白断线负", "~B+F"),
        ("흑 몰수승", "~B+F"),
        ("白時間切負", "~B+T"),
        ("黒時間切れ", "~W+T"),
        ("결과: 흑 불계승", "~B+R"),
        ("黑贴6目半 白胜半目", "~W+0.5"),
        ("黑贴3又3/4子，黑胜1/4子", "~B+0.25 stones"),
    ]);
}

/// A dash, a parenthesis or a second sign introduces how the game was won. Two numbers, or a player after the margin, mean
/// something else.
#[test]
fn how_it_was_won_may_be_set_off() {
    check(&[
        ("White wins (on time)", "~W+T"),
        ("Black wins - resignation", "~B+R"),
        ("Black Win +3.5", "~B+3.5"),
        ("B++3.5", "-"),
        ("B wins 33-31", "-"),
        ("B wins 33:31", "-"),
        ("B+4W", "-"),
        ("B+60%", "-"),
    ]);
}

#[test]
fn a_winner_is_known_though_the_margin_is_not() {
    check(&[
        ("White wins by 1 or 2 points.", "~W+ | 1 or 2 points."),
        ("B+1 or 2", "~B+ | 1 or 2"),
        ("W+1 to 2", "~W+ | 1 to 2"),
        ("B+3 or B+2", "~B+ | 3 or B+2"),
        ("B+R or B+T", "~B+ | R or B+T"),
    ]);
}

#[test]
fn a_count_of_moves_behind_the_outcome_is_its_remark() {
    check(&[
        ("B+R 185 moves", "~B+R | 185 moves"),
        ("W+R, 185 moves", "~W+R | 185 moves"),
        ("W+R (185 moves)", "~W+R | 185 moves"),
        ("B+64 moves", "~B+ | 64 moves"),
        ("White wins (185 moves)", "~W+ | 185 moves"),
        ("白中盘胜 185手 未完", "~W+R | 185手 未完"),
        ("Draw, 185 moves", "~Draw | 185 moves"),
        // What comes behind the count still tells by what.
        ("黑胜185手中盘", "~B+R"),
    ]);
}
