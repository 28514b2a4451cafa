//! RE: the verbs of all languages in their forms, counts that are no margins, and what stands before the winner.

use sgf_stream::semantics::info::GameResult;

use crate::info_result::check;
use crate::support::table;

/// `defeated` is what the player before it did to whom stands behind it, or what happened to that player.
#[test]
fn who_was_defeated_lost() {
    check(&[
        ("White was defeated", "~B+"),
        ("White is defeated", "~B+"),
        ("White defeated", "~B+"),
        ("White defeated.", "~B+"),
        ("White defeated...", "~B+"),
        ("White has been defeated", "~B+"),
        ("White defeated by Black", "~B+"),
        ("White, defeated by Black", "~B+"),
        ("Black was defeated by White", "~W+"),
        ("White was defeated by Black by 3.5 points", "~B+3.5"),
        ("White was defeated by White", "-"),
        ("White defeated by resignation", "~B+R"),
        ("White defeated (by resignation)", "~B+R"),
        ("White defeated on time", "~B+T"),
        ("White beaten", "~B+"),
        ("White was beaten by Black on time", "~B+T"),
        ("White got beat by Black", "~B+"),
        ("White defeated Black by 2.5", "~W+2.5"),
        ("White defeated the black player", "~W+"),
        ("White has defeated Black", "~W+"),
        ("White has beaten Black by 2.5", "~W+2.5"),
        ("White defeated Lee Sedol", "~W+ | Lee Sedol"),
        ("Black defeated T. Smith", "~B+ | T. Smith"),
        ("Black defeated his opponent", "~B+ | his opponent"),
        ("Black defeated the AI", "~B+ | AI"),
        ("Black defeated easily", "~B+ | easily"),
        ("Black defeated in 150 moves", "~W+ | 150 moves"),
        ("Black defeated after a long fight", "~W+ | after a long fight"),
        ("White defeated: resignation", "~B+R"),
        ("White defeated - resignation", "~B+R"),
        ("White defeated - a great game", "-"),
        ("White defeated White", "-"),
        ("White defeated Black, 2.5 points", "~W+2.5"),
        ("White was not defeated", "-"),
        ("Weiß wurde besiegt", "~B+"),
        ("Weiß besiegt Schwarz", "~W+"),
        ("Weiß besiegt durch Aufgabe", "~B+R"),
        ("Weiß wurde von Schwarz besiegt", "-"),
        ("Wit is verslagen door zwart", "~B+"),
        ("Blanc battu par Noir", "~B+"),
        ("Blanc a été battu par Noir", "~B+"),
        ("Noir a battu Blanc", "~B+"),
        ("Noir bat Blanc de 3 points", "~B+3"),
        ("Blancas fueron derrotadas por negras", "~B+"),
        ("Bianco sconfitto da Nero", "~B+"),
        ("Bianco è vinto", "~B+"),
        ("Nero è vinto", "~W+"),
        ("Bianco vinto dal nero", "~B+"),
        ("Bianco vinto dal nero per 3 punti", "~B+3"),
        ("I neri sono vinti", "~W+"),
        ("Neri vinti dai bianchi", "~W+"),
        ("Bianco vinto", "~W+"),
        ("Vinto dal nero", "~B+"),
        // The loser is named, or it is somebody's victory.
        ("Ganan a las negras", "-"),
        ("Vencen a negras", "-"),
        ("Gana a negras", "-"),
        ("Victoria a negras", "-"),
        ("Ganan las negras", "~B+"),
        ("Белые побеждены чёрными", "~B+"),
        ("Белые были побеждены", "~B+"),
        ("白被击败", "~B+"),
        ("黑击败白", "~B+"),
        ("黑擊敗白", "~B+"),
        ("白被黑击败", "-"),
        ("Negras han vencido a blancas", "~B+"),
    ]);
}

#[test]
fn a_player_who_is_called_by_name_may_be_defeated() {
    table::check(
        |text| table::describe(GameResult::parse_between(text, "Cho", "Lee").map(|result| result.outcome)),
        &[
            ("Lee defeated by Cho", "~B+"),
            ("Lee was defeated", "~B+"),
            ("Lee was beaten by Cho, 3.5 points", "~B+3.5"),
            ("Lee defeated Cho", "~W+"),
            ("Lee has defeated Cho by 2.5", "~W+2.5"),
            ("Lee wins, Cho has resigned", "~W+R"),
            ("White defeated Cho", "~W+"),
            ("Lee defeated Kato", "~W+"),
            ("Lee defeated C. Hunhyun", "~W+"),
        ],
    );
}

#[test]
fn verbs_have_a_plural_and_a_perfect() {
    check(&[
        ("Blacks have won", "-"),
        ("Black had lost", "~W+"),
        ("Black has not won", "-"),
        ("White has given up", "~B+R"),
        ("White has timed out", "~B+T"),
        ("Noirs gagnent", "~B+"),
        ("Les Blancs gagnent par abandon", "~W+R"),
        ("Noir a gagné", "~B+"),
        ("Les Noirs ont perdu", "~W+"),
        ("Blancs abandonnent", "~B+R"),
        ("Blanc a abandonné", "~B+R"),
        ("Victoire des Noirs au temps", "~B+T"),
        ("Schwarz hat gewonnen", "~B+"),
        ("Weiß hat verloren", "~B+"),
        ("Weiß verlor auf Zeit", "~B+T"),
        ("Weiß gewann durch Aufgabe", "~W+R"),
        ("Sieg für Weiß", "~W+"),
        ("Schwarz gab auf", "~W+R"),
        ("Wit heeft gewonnen", "~W+"),
        ("Wit verloor", "~B+"),
        ("Wit heeft opgegeven", "~B+R"),
        ("Las negras ganaron por abandono", "~B+R"),
        ("Negras pierden por tiempo", "~W+T"),
        ("Blancas han perdido", "~B+"),
        ("Blanco abandonó", "~B+R"),
        ("Neri vincono", "~B+"),
        ("Bianco ha vinto", "~W+"),
        ("Nero ha perso", "~W+"),
        ("Bianco abbandona", "~B+R"),
        ("Pretas vencem", "~B+"),
        ("Brancas venceram por tempo", "~W+T"),
        ("Brancas perderam", "~B+"),
        ("Vitória das pretas", "~B+"),
        ("Victoire sur Blanc", "-"),
        ("Sieg über Weiß", "-"),
        ("Победа над белыми", "-"),
        ("Чёрные проиграли", "~W+"),
        ("Белые побеждают", "~W+"),
        ("Чёрные выигрывают", "~B+"),
        ("Белые сдаются", "~B+R"),
        ("Чёрные победили по времени", "~B+T"),
        ("B+время", "~B+T"),
        ("Белые победили из-за неявки", "~W+F"),
        ("黑赢了3目", "~B+3"),
        ("白輸了", "~B+"),
        ("黒が勝った", "-"),
        ("黒負けた", "~W+"),
        ("백 패배", "~B+"),
        ("흑 졌다", "~W+"),
    ]);
}

#[test]
fn a_forfeit_is_one_in_french_too() {
    check(&[
        ("B+Forfait", "~B+F"),
        ("Blanc perd par forfait", "~B+F"),
        ("Noir gagne par forfait", "~B+F"),
        ("Blanc déclare forfait", "~B+F"),
        ("Schwarz gewinnt kampflos", "~B+F"),
    ]);
}

/// In Chinese counting a player has 180 of 361 points and more, and with a komi that says nothing of who won.
#[test]
fn a_count_of_all_points_is_no_margin() {
    check(&[
        ("白176.5子", "-"),
        ("黑184子", "-"),
        ("黑185子", "-"),
        ("黑 一百八十四子", "-"),
        ("黑183.5", "-"),
        ("黑183.5,白177.5", "-"),
        ("White 133.5", "-"),
        ("黑185子胜", "~B+"),
        ("黑以185子胜", "~B+"),
        ("黑177子负", "~W+"),
        ("白胜177子", "~W+"),
        ("B+183.5", "=B+183.5"),
        ("White by 120 points", "~W+120"),
        ("黑2子", "~B+2 stones"),
        ("White 5", "~W+5"),
        // What is counted so are stones.
        ("黒101目勝", "~B+101"),
        ("黒120目勝ち", "~B+120"),
        ("黑101子胜", "~B+"),
    ]);
}

#[test]
fn what_is_not_decided_yet_is_not_void() {
    check(&[
        ("暂无结果", "~?"),
        ("暫無結果", "~?"),
        ("暂无", "~?"),
        ("暂无胜负", "~?"),
        ("对局尚无胜负", "-"),
        ("尚无结果", "~?"),
        ("结果待定", "~?"),
        ("胜负未定", "~?"),
        ("未分胜负", "~Unfinished"),
        ("勝負未分", "~Unfinished"),
        ("对局尚未结束", "~Unfinished"),
        ("미정", "~?"),
        ("No result yet", "~?"),
        ("not yet finished", "~Unfinished"),
        ("无结果", "~Void"),
        ("No result", "~Void"),
    ]);
}

#[test]
fn a_margin_may_stand_before_the_winner() {
    check(&[
        ("半目白勝", "~W+0.5"),
        ("3目半黒の負け", "~W+3.5"),
        ("2目半、白の勝ち", "~W+2.5"),
        ("四分之一子黑胜", "~B+0.25 stones"),
        ("3집반 흑승", "~B+3.5"),
        ("3.5 points, White wins", "~W+3.5"),
        ("3.5 White wins", "-"),
        ("半目", "-"),
        ("6目半 コミ 白勝", "-"),
        ("中押し、白の勝ち", "~W+R"),
        ("中盘 白胜", "~W+R"),
        ("중반 백승", "~W+R"),
        ("時間切れ、黒の負け", "~W+T"),
        ("中押し、白", "-"),
        ("resignation B+3.5", "-"),
        ("3.5 points B+R", "-"),
        ("先番5目半コミ出し 白3目半勝", "~W+3.5"),
        ("先番5目半コミ出し", "-"),
    ]);
}

#[test]
fn moves_may_be_left_out() {
    check(&[
        ("257手以降略白5目勝", "~W+5"),
        ("257手以下略 白5目勝", "~W+5"),
        ("257手以後省略、白5目勝ち", "~W+5"),
        ("257手以下不明 白5目勝", "~W+5"),
        ("257手にて白5目勝ち", "~W+5"),
    ]);
}

#[test]
fn by_what_the_game_was_won_may_stand_in_brackets() {
    check(&[
        ("흑(불계승)", "~B+R"),
        ("백 (불계승)", "~W+R"),
        ("흑(불계패)", "~W+R"),
        ("흑(시간승)", "~B+T"),
        ("흑(3집반승)", "~B+3.5"),
        ("흑(불계승) 185수", "~B+R | 185수"),
        ("흑승(불계승)", "~B+R"),
        ("黑（中盘胜）", "~B+R"),
        ("白胜（对方超时）", "~W+T"),
        ("白胜（对方认输）", "~W+R"),
        ("黑中盘胜（对方认输）", "~B+R | 对方认输"),
        ("White (won)", "-"),
        // Who was beaten?
        ("흑승(불계패)", "~B+ | 불계패"),
        ("白负（对方超时）", "~B+ | 对方超时"),
        ("白胜（超时负）", "~W+ | 超时负"),
        ("흑(불계승, 백)", "-"),
        ("白胜（对方）", "~W+ | 对方"),
    ]);
}

#[test]
fn a_win_may_stand_behind_other_words() {
    check(&[
        ("黑粘劫。共228手。黑胜4目", "~B+4"),
        ("斯坦尼斯罗执黑 vs 马天放执白 黑胜5目半", "~B+5.5"),
        ("互先 白中盘胜", "~W+R"),
        ("第二局　黒中押勝ち", "~B+R"),
        // Nothing of these has happened.
        ("黑先 黑胜", "-"),
        ("变化图。黑胜", "-"),
        ("黑 白胜", "-"),
        ("形势判断。白胜3目半", "-"),
        ("如果打劫 黑胜4目", "-"),
        ("第一局黑胜 第二局白胜", "-"),
        ("终局前和棋 黑胜", "-"),
        ("Good game 黑胜", "-"),
        ("黑粘劫。共228手", "-"),
        ("黑先活", "-"),
        ("黑粘劫。黑胜率高", "-"),
        ("黑粘劫。黑胜4目，恐有误", "-"),
    ]);
}
