//! A row per game: its cells do not depend on what else is read or how the input is cut.

use std::convert::Infallible;
use std::ops::ControlFlow;

use sgf_stream::record::{
    Cell, Column, ColumnKind, Condition, GameFilter, GameRecord, Recorder, Records, Rest, Row, Wants,
};
use sgf_stream::semantics::Color;
use sgf_stream::semantics::info::{Reading, Rules};
use sgf_stream::{Ident, Parser, Problem};

fn records(wants: Wants, source: &[u8], chunk: usize) -> Vec<GameRecord> {
    let mut records = Vec::new();
    let mut recorder = Recorder::new(wants, |record: &GameRecord| {
        records.push(record.clone());
        ControlFlow::<Infallible>::Continue(())
    });
    let mut parser = Parser::new();
    for chunk in source.chunks(chunk) {
        let _ = parser.feed(chunk, &mut recorder).unwrap();
    }
    let _ = parser.finish(&mut recorder).unwrap();
    records
}

fn wants(what: impl Fn(&mut Wants)) -> Wants {
    let mut wants = Wants::HEADER;
    what(&mut wants);
    wants
}

fn cells(record: &GameRecord, columns: &[Column]) -> Vec<String> {
    let row = Row::new("f", 1, record);
    columns.iter().map(|&column| row.cell(column).to_string()).collect()
}

/// Compares columns, read in one piece and byte by byte.
#[track_caller]
fn check(source: &str, columns: &[Column], expected: &[&[&str]]) {
    let wants = columns.iter().fold(Wants::HEADER, |wants, column| wants | column.wants());
    for chunk in [source.len().max(1), 1] {
        let found: Vec<_> = records(wants, source.as_bytes(), chunk).iter().map(|it| cells(it, columns)).collect();
        assert_eq!(found, expected, "{source}");
    }
}

#[test]
fn the_header_ends_with_the_first_move_in_any_tree() {
    let columns = &[Column::Black, Column::White, Column::Event];
    check("(;PB[a];PW[b]B[aa];EV[c])", columns, &[&["a", "b", ""]]);
    check("(;PB[a];C[x];PW[b](;EV[c];B[aa](;PB[x]))(;EV[d]))", columns, &[&["a", "b", "c"]]);
    check("(;GM[1](;PB[a];B[aa])(;PW[b]))", columns, &[&["a", "", ""]]);
    check("(;PB[a];B[aa](;PW[b]))", columns, &[&["a", "", ""]]);
    check("(;PB[a])(;PW[b])", columns, &[&["a", "", ""], &["", "b", ""]]);
}

#[test]
fn header_columns_do_not_depend_on_what_else_is_read() {
    let source = b"(;PB[a]DT[1985-03-01]KM[5,5];B[aa](;W[bb]PW[deep])(;W[cc]))\n(;RE[W+R]";
    let header: Vec<Column> = Column::OF_TABLE.iter().copied().filter(|it| it.wants() == Wants::HEADER).collect();
    let little = records(Wants::HEADER, source, source.len());
    let all = records(Wants::ALL, source, source.len());
    assert_eq!(little.len(), 2);
    for (little, all) in little.iter().zip(&all) {
        assert_eq!(cells(little, &header), cells(all, &header));
    }
}

#[test]
fn the_first_non_empty_value_counts() {
    check("(;PB[]PB[x]PB[y])(;PB[])", &[Column::Black], &[&["x"], &[""]]);
}

#[test]
fn offset_and_length_are_in_bytes() {
    let columns = &[Column::Offset, Column::Length];
    check("junk (;B[aa]) (\n;C[)])\n(;W[bb];B[c", columns, &[&["5", "8"], &["14", "8"], &["23", "11"]]);
}

#[test]
fn offset_and_length_are_in_source_bytes_of_a_recoded_source() {
    let text = "\u{FEFF}(;PB[柯洁];B[aa])\n(;PB[y];W[bb";
    for (unit, source) in [
        (2, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
        (2, text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        (4, text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
    ] {
        for chunk in [1, 7, source.len()] {
            let places: Vec<_> = records(Wants::ALL, &source, chunk).iter().map(|it| (it.offset(), it.len())).collect();
            assert_eq!(places, [(unit, 15 * unit), (17 * unit, 12 * unit)], "chunks of {chunk}");
        }
    }
}

#[test]
fn a_game_that_was_cut_off_is_not_complete() {
    let all = [Wants::HEADER, wants(|it| it.main_line = true), Wants::ALL];
    for (source, expected) in [
        ("(;PB[a];B[aa])", &[true][..]),
        ("(;PB[a];B[aa]", &[false]),
        ("(;PB[a];B[aa", &[false]),
        ("(;PB[a", &[false]),
        ("(;PB[a];B[aa](;W[bb];B[cc])", &[false]),
        ("(;PB[a];B[aa](;W[bb];B[cc]))(;PB[b]", &[true, false]),
    ] {
        for (wants, chunk) in all.into_iter().flat_map(|wants| [(wants, source.len()), (wants, 1)]) {
            let found: Vec<_> = records(wants, source.as_bytes(), chunk).iter().map(GameRecord::is_complete).collect();
            assert_eq!(found, expected, "{source} in pieces of {chunk} for {wants:?}");
        }
    }
    // The next game cuts it off; and its own `)` is all that counts.
    let source = b"(;GM[1]FF[4];B[aa]\n(;GM[1]FF[4]PB[b]%;B[bb])";
    let mut complete = Vec::new();
    let mut recorder = Recorder::new(Wants::HEADER, |record: &GameRecord| {
        complete.push(record.is_complete());
        ControlFlow::<Infallible>::Continue(())
    });
    let mut parser = Parser::with_config(sgf_stream::Config::archives());
    let _ = parser.feed(&source[..source.len() - 1], &mut recorder).unwrap();
    let in_progress = recorder.record().is_complete();
    let _ = parser.feed(b")", &mut recorder).unwrap();
    let _ = parser.finish(&mut recorder).unwrap();
    assert_eq!((complete, in_progress), (vec![false, true], false));
}

#[test]
fn typed_cells_are_numbers_or_empty() {
    let columns = &[
        Column::Gm,
        Column::Size,
        Column::Komi,
        Column::Handicap,
        Column::Time,
        Column::Margin,
        Column::Winner,
        Column::Year,
    ];
    check(
        "(;GM[1]SZ[19]KM[6,5]HA[2]TM[1h30m]RE[B+3.5]DT[12th march 94])\
         (;GM[Blokus Duo]KM[?]RE[0])(;SZ[9:13]SZ[19]RE[Void])(;RE[W+R]KM[375]AP[foxwq]RU[Chinese])",
        columns,
        &[
            &["1", "19", "6.5", "2", "5400", "3.5", "B", "1994"],
            &["", "14", "", "", "", "", "draw", ""],
            &["1", "9:13", "", "", "", "", "", ""],
            &["1", "19", "7.5", "", "", "", "W", ""],
        ],
    );
}

/// As a site of Korean news writes it.
/// A sink with typed columns would write null where a cell is of another kind.
#[test]
fn cells_are_of_the_kind_that_their_column_states() {
    let game = b"(;GM[1]SZ[19]KM[6.5]HA[2]TM[60]RE[B+1.5]DT[1996]BR[2k]WR[9p];B[aa](;W[bb])(;W[cc]C[x]))";
    let record = &records(Wants::ALL, game, game.len())[0];
    for &column in Column::OF_TABLE {
        let cell = Row::new("f", 1, record).cell(column);
        let is_it = match column.kind() {
            ColumnKind::Count | ColumnKind::Size => matches!(cell, Cell::Count(_)),
            ColumnKind::Integer => matches!(cell, Cell::Integer(_)),
            ColumnKind::Number => matches!(cell, Cell::Number(_)),
            _ => matches!(cell, Cell::Text(_) | Cell::Null),
        };
        assert!(is_it, "{column}: {cell:?}");
    }
}

#[test]
fn a_result_has_a_kind_of_ending() {
    for (result, ending) in [
        ("B+3.5", "points"),
        ("黑胜1又3/4子", "points"),
        ("W+R", "resign"),
        ("흑 불계승", "resign"),
        ("185手 黑中盘胜", "resign"),
        ("B+2R", "resign"),
        ("B+2", "points"),
        ("W+Time", "time"),
        ("B+F", "forfeit"),
        ("W+", "win"),
        ("0", "draw"),
        ("Both lost", "both-lost"),
        ("Void", "void"),
        ("Unfinished", "unfinished"),
        ("Playing", "playing"),
        ("Special", "special"),
        ("?", "unknown"),
        ("nobody knows", ""),
        ("", ""),
    ] {
        check(&format!("(;RE[{result}])"), &[Column::Ending], &[&[ending]]);
    }
}

#[test]
fn a_date_has_a_first_and_a_last_day() {
    for (date, first, last) in [
        ("1996-03-05", "1996-03-05", "1996-03-05"),
        ("12th and 13th march 94", "1994-03-12", "1994-03-13"),
        ("1997-01-03,04,1996-12-27", "1996-12-27", "1997-01-04"),
        ("1996-02-28~04-02", "1996-02-28", "1996-04-02"),
        ("1996-02", "1996-02-01", "1996-02-29"),
        ("1997-02,1996", "1996-01-01", "1997-02-28"),
        ("0800 approx.", "0800-01-01", "0800-12-31"),
        ("10.26", "", ""),
        ("", "", ""),
    ] {
        check(&format!("(;DT[{date}])"), &[Column::DateFrom, Column::DateTo], &[&[first, last]]);
    }
}

#[test]
fn ranks_are_numbers() {
    let ranks = [
        ("30k", "-29"),
        ("2级", "-1"),
        ("1k?", "0"),
        ("1d", "1"),
        ("9段", "9"),
        ("P9段", "109"),
        ("1p", "101"),
        ("NR", ""),
        ("2100", ""),
        ("Honinbo", ""),
        ("", ""),
    ];
    for (rank, level) in ranks {
        check(
            &format!("(;WR[{rank}])(;BR[{rank}])"),
            &[Column::BlackLevel, Column::WhiteLevel],
            &[&["", level], &[level, ""]],
        );
    }
}

#[test]
fn the_name_of_a_game_is_no_event() {
    let columns = [Column::GameName, Column::Event];
    check("(;GN[a\nb]EV[c])(;GN[x]AP[foxwq])(;GN[ ])", &columns, &[&["a b", "c"], &["x", ""], &["", ""]]);
}

#[test]
fn korean_sites_have_names_of_their_own() {
    let columns = [Column::Event, Column::Date, Column::Year, Column::Komi, Column::Handicap];
    check(
        "(;TE[제3회 도요타덴소배]RD[2006-08-26]KO[6.5]HD[0];B[pd])
         (;EV[Meijin]DT[]TE[x]RD[2006-08-26]KM[7.5]KO[6.5];B[pd])
         (;TE[1]RD[x]KO[]HD[x];B[pd])",
        &columns,
        &[
            &["제3회 도요타덴소배", "2006-08-26", "2006", "6.5", "0"],
            &["Meijin", "2006-08-26", "2006", "7.5", ""],
            &["", "", "", "", ""],
        ],
    );
}

/// Records of old games have JD beside DT, or alone.
#[test]
fn a_date_may_be_stated_by_eras_only() {
    check(
        "(;JD[文化9年];B[qd])(;DT[1813-05-01]JD[文化9年];B[qd])(;JD[x];B[qd])",
        &[Column::Date, Column::Year],
        &[&["文化9年", "1812"], &["1813-05-01", "1813"], &["", ""]],
    );
}

/// As Fox, Sina and Hangame write them.
#[test]
fn sites_state_overtime_and_komi_in_places_of_their_own() {
    let columns = [Column::App, Column::Overtime, Column::Komi, Column::Handicap];
    check(
        "(;AP[GNU Go:3.8]GM[1]TM[60]TC[5]TT[30]AP[foxwq]KM[375]HA[0]RU[Chinese])
         (;AP[GNU Go:3.8]TM[7200]LT[60]LC[5]AP[MultiGo])
         (;TC[2]LT[]HA[호선 - 6집 반 공제])
         (;OT[sudden death]TM[30:00(5x1:00)]HA[2점])
         (;OM[25]OP[600]KM[])",
        &columns,
        &[
            &["foxwq", "5x30 byo-yomi", "7.5", "0"],
            &["GNU Go:3.8", "5x60 byo-yomi", "", ""],
            &["", "", "6.5", "0"],
            &["", "sudden death", "", "2"],
            &["", "25/600 Canadian", "", ""],
        ],
    );
}

/// Little Golem writes `TwixT` so; the second player is red.
#[test]
fn moves_in_small_letters_are_moves() {
    let columns = [Column::Moves, Column::Signature];
    let line = |black: &str, white: &str| format!("(;GM[1]SZ[24]{})", format!(";{black}[kg];{white}[ki]").repeat(10));
    for (black, white) in [("B", "W"), ("b", "r"), ("b", "w")] {
        let records = records(wants(|it| it.main_line = true), line(black, white).as_bytes(), 1000);
        let cells = cells(&records[0], &columns);
        assert_eq!(cells[0], "20");
        assert!(cells[1].starts_with("ki"), "{cells:?}");
    }
}

#[test]
fn text_is_decoded_and_on_one_line() {
    let source = b"(;CA[GBK]PB[\xB0\xD7]EV[a\\]b\nc])";
    let records = records(Wants::HEADER, source, source.len());
    assert_eq!(cells(&records[0], &[Column::Black, Column::Event, Column::Charset]), ["白", "a]b c", "GBK"]);
}

#[test]
fn comments_of_the_header_tell_its_charset() {
    let source = b"(;CA[GBK]PB[a]C[\xB0\xD7];B[aa])(;CA[GBK]PB[a];B[aa];C[\xB0\xD7])";
    for wants in [Wants::HEADER, wants(|it| it.counts = true), Wants::ALL] {
        for chunk in [source.len(), 1] {
            let records = records(wants, source, chunk);
            let charsets: Vec<_> = records.iter().map(|it| it.charset().name()).collect();
            assert_eq!(charsets, ["GBK", "UTF-8"], "{wants:?}, chunks of {chunk}");
        }
    }
}

/// Moves in one chunk are recorded together, and one by one where a chunk ends between them.
#[test]
fn moves_give_the_same_record_together_and_one_by_one() {
    let moves = |count: usize| (0..count).map(|i| format!(";{}[{}]", ["B", "W"][i % 2], ["pd", "dp", "qq"][i % 3]));
    let line = |count| moves(count).collect::<String>();
    for source in [
        format!("(;GM[1]{})", line(300)),
        format!("(;GM[1]PB[x]{}({}C[x]{})({}))", line(40), line(20), line(7), line(50)),
        format!("(;GM[1];PB[x]{} [aa][bb]({}){}C[y])", line(33), line(21), line(22)),
        format!("(;GM[Blokus Duo]{} [aa])", line(31)),
        format!("(;GM[1]{}B[aa];AB[cc]{}", line(25), line(26)),
    ] {
        for wants in [Wants::ALL, Wants::HEADER, Column::Moves.wants(), Column::Nodes.wants()] {
            let shown = |chunk_len| {
                let records = records(wants, source.as_bytes(), chunk_len);
                let line: Vec<_> = records[0].line().map(|(ident, raw)| (ident, raw.to_vec())).collect();
                (cells(&records[0], Column::OF_TABLE), line)
            };
            assert_eq!(shown(source.len()), shown(1), "{wants:?} {source}");
        }
    }
}

#[test]
fn counts_are_of_the_whole_tree() {
    let columns = &[Column::Nodes, Column::Variations, Column::Comments, Column::Problems, Column::Moves];
    check(
        "(;C[a]B[aa];C[](;W[bb]C[b])(;W[cc]()(;B[dd]));B[ee]C[c])x(;)(;())(;(;B[aa])())",
        columns,
        &[
            &["6", "2", "3", "2", "2"],
            &["1", "0", "0", "0", "0"],
            &["1", "0", "0", "1", "0"],
            &["2", "0", "0", "1", "1"],
        ],
    );
}

#[test]
fn the_main_line_follows_the_first_child() {
    let moves = &[Column::Moves];
    for (source, count) in [
        ("(;B[aa];W[])", "2"),
        ("(;B[aa]W[bb])", "2"),
        ("(;AB[aa];B[aa](;W[bb];B[cc])(;W[dd]))", "3"),
        // In `A (B) C` with two readings, C takes the place of B.
        ("(;B[aa](;W[bb];B[cc]);W[dd])", "2"),
        ("(;B[aa](;W[bb](;B[cc];W[cd]);B[dd](;W[ee])))", "4"),
        ("(;B[aa](;W[bb](;B[cc]);B[dd];W[de]);W[ee];B[ff](;W[gg])(;W[hh];B[ii]))", "4"),
        ("(;B[aa](;W[bb])(;W[cc](;B[dd]);B[ee];W[ff]))", "2"),
        ("(;GM[Blokus Duo];1[a1,b1];2[c1])", "2"),
        // Pentobi wrote a move as a list of points before 0.3, and the names of colors before 0.2.
        ("(;GM[Blokus Duo];B[f8][g8][e9][f9][e10];W[i4][h5][i5][j5][i6])", "2"),
        ("(;GM[Blokus]BLUE[a1][a2];YELLOW[t1])", "2"),
        ("(;BLUE[aa];GREEN[bb])", "0"),
        // In other games a move has one value.
        ("(;B[f8][g8][e9];W[aa])", "2"),
    ] {
        check(source, moves, &[&[count]]);
        let all = records(Wants::ALL, source.as_bytes(), source.len());
        assert_eq!(cells(&all[0], moves), [count], "{source}");
    }
}

#[test]
fn old_blokus_moves_equal_todays() {
    let shown = |source: &str| {
        let record = &records(Wants::ALL, source.as_bytes(), 5)[0];
        let line: Vec<_> = record.line().map(|(_, raw)| String::from_utf8_lossy(raw).into_owned()).collect();
        (record.main_line(), line)
    };
    let old = shown("(;GM[Blokus Duo];B[f8][g8][ e9];W[i4][h5](;B[a1][a2]))");
    assert_eq!(old, shown("(;GM[Blokus Duo];B[f8,g8,e9];W[i4,h5](;B[a1,a2]))"));
    assert_eq!(old.1, ["f8,g8,e9", "i4,h5", "a1,a2"]);
    let long = format!("(;GM[Blokus];1{})", "[a1]".repeat(100_000));
    assert!(shown(&long).1[0].len() <= 128);
}

#[test]
fn an_unreadable_size_is_empty() {
    for (source, size) in [
        ("(;)", "19"),
        ("(;SZ[])", "19"),
        ("(;SZ[x])", ""),
        ("(;SZ[abc])", ""),
        ("(;SZ[0])", ""),
        ("(;SZ[-1])", ""),
        ("(;SZ[19:x])", ""),
        ("(;SZ[999999999999])", ""),
        ("(;SZ[9 9])", ""),
        ("(;SZ[x]SZ[9])", "9"),
        ("(;SZ[9路]CA[UTF-8])", "9"),
        ("(;SZ[19路盤])", "19"),
        ("(;SZ[19x19])", "19"),
        ("(;SZ[13 : 9])", "13:9"),
        ("(;GM[11])", "11"),
        ("(;GM[11]SZ[?])", ""),
    ] {
        check(source, &[Column::Size], &[&[size]]);
    }
}

/// Fox's games, as others pass them on.
#[test]
fn komi_of_fox_is_converted_to_points() {
    for (header, komi) in [
        ("AP[YuanYu]KM[750]", "7.5"),
        ("AP[YuanYu]KM[375]RU[Chinese]", "7.5"),
        ("AP[GNU Go:3.8]KM[650]", "6.5"),
        ("SO[野狐围棋]KM[75]RU[Chinese]", "1.5"),
        ("PC[野狐围棋]KM[50]", "0.5"),
        ("SO[Fox]KM[50]", "0.5"),
        ("AP[Firefox]KM[50]", "50"),
        ("KM[50]", "50"),
        ("KM[100]", "1"),
        ("KM[123]", "123"),
        ("KM[675]", "675"),
        ("KM[6500]", "6500"),
        ("KM[-650]", "-6.5"),
    ] {
        check(&format!("(;CA[UTF-8]{header})"), &[Column::Komi], &[&[komi]]);
    }
}

#[test]
fn a_count_that_was_not_wanted_is_unknown() {
    let counts = |wants| {
        let records = records(wants, b"(;C[a];B[aa])", 99);
        let [record] = &records[..] else { panic!("one game") };
        [record.moves(), record.nodes(), record.variations(), record.comments(), record.problems()]
    };
    assert_eq!(counts(Wants::HEADER), [None; 5]);
    assert_eq!(counts(wants(|it| it.main_line = true)), [Some(1), None, None, None, None]);
    assert_eq!(counts(wants(|it| it.moves = true))[0], Some(1));
    assert_eq!(counts(Wants::ALL), [Some(1), Some(2), Some(0), Some(1), Some(0)]);
}

#[test]
fn very_deep_forks_are_counted() {
    let source = "(;B[aa]".repeat(200_000);
    let records = records(Wants::ALL, source.as_bytes(), 1 << 16);
    assert_eq!((records[0].moves(), records[0].variations()), (Some(200_000), Some(0)));
}

fn game(moves: impl IntoIterator<Item = String>) -> String {
    let moves: Vec<_> = moves.into_iter().enumerate().map(|(i, it)| format!(";{}[{it}]", ["B", "W"][i % 2])).collect();
    format!("(;SZ[19]{})", moves.concat())
}

fn letters(x: usize, y: usize) -> String {
    [x, y].iter().map(|&it| char::from(b'a' + it as u8)).collect()
}

#[test]
fn signatures_consist_of_certain_moves() {
    let points: Vec<(usize, usize)> = (0..75).map(|i| (i % 19, i / 19)).collect();
    let source = game(points.iter().map(|&(x, y)| letters(x, y)));
    let columns = &[Column::Signature, Column::SecondSignature];
    check(&source, columns, &[&["abbccd", "lbmcnd"]]);
    let short = game(points.iter().take(45).map(|&(x, y)| letters(x, y)));
    check(&short, columns, &[&["abbc??", "lb????"]]);
    check("(;B[aa])", columns, &[&["", ""]]);
    // `tt` is a pass up to size 19, and a point of a larger board.
    let passes: Vec<_> = (0..20).map(|i| if i == 19 { String::new() } else { letters(i, i) }).collect();
    check(&game(passes.clone()), columns, &[&["tt????", ""]]);
    check(&game(passes).replace("SZ[19]", "SZ[21]"), columns, &[&["--????", ""]]);
    let turned = game(points.iter().map(|&(x, y)| letters(18 - y, x)));
    let symmetric = &[Column::Symmetric];
    assert_eq!(
        cells(&records(Wants::ALL, source.as_bytes(), 9)[0], symmetric),
        cells(&records(Wants::ALL, turned.as_bytes(), 9)[0], symmetric)
    );
}

#[test]
fn an_abandoned_line_leaves_no_trace_in_the_hash() {
    let longer = "(;B[aa](;W[bb];B[cc]);W[dd])";
    let plain = "(;B[aa]C[x];W[dd](;B[ee]TE[1])(;B[ff]))";
    let same = "(;B[aa];W[dd];B[ee])";
    let hash = |source: &str| records(Wants::ALL, source.as_bytes(), 4)[0].main_line();
    assert_eq!(hash(plain), hash(same));
    assert_eq!(hash(longer), hash("(;B[aa];W[dd])"));
    assert_ne!(hash(longer), hash(same));
    assert_eq!(hash("(;AB[aa][bb];W[])"), hash("(;AB[bb][aa];W[tt])"));
    assert_ne!(hash("(;AB[aa][bb];W[cc])"), hash("(;AB[aa];W[cc])"));
    assert_ne!(hash("(;B[aa];W[bb])"), hash("(;W[aa];B[bb])"));
}

#[test]
fn moves_that_are_spelled_differently_hash_alike() {
    let hash = |source: &str| records(Wants::ALL, source.as_bytes(), 4)[0].main_line();
    for (one, other) in [
        ("(;AB[aa:bb];W[cc])", "(;AB[ab][ba][bb][aa];W[cc])"),
        ("(;AE[bb:aa];W[cc])", "(;AE[aa:bb];W[cc])"),
        ("(;GM[11];B[A3];W[Swap-Pieces])", "(;GM[11];B[a3];W[swap-pieces])"),
        ("(;GM[11]AB[A3])", "(;GM[11]AB[a3])"),
        ("(;GM[Blokus Duo];B[f8,g8, E9])", "(;GM[Blokus Duo];B[e9,F8,g8])"),
        ("(;GM[Blokus Duo];B[f8][g8])", "(;GM[Blokus Duo];1[g8,f8])"),
        ("(;GM[Blokus];BLUE[a1];YELLOW[t1])", "(;GM[Blokus];1[a1];2[t1])"),
    ] {
        assert_eq!(hash(one), hash(other), "{one} {other}");
    }
    for (one, other) in [
        ("(;B[aa])", "(;B[AA])"),
        ("(;AB[aa:bb])", "(;AB[aa:ba])"),
        ("(;GM[11];B[a3])", "(;GM[11];B[c1])"),
        ("(;GM[Blokus Duo];B[a1,b2])", "(;GM[Blokus Duo];B[a2,b1])"),
        ("(;GM[Blokus Duo];1[a1])", "(;GM[Blokus Duo];2[a1])"),
    ] {
        assert_ne!(hash(one), hash(other), "{one} {other}");
    }
}

/// Beyond some thousand points in a game, rectangles are hashed as written.
#[test]
fn endless_rectangles_are_hashed_in_linear_time() {
    let hash = |source: &str| records(Wants::ALL, source.as_bytes(), 1 << 16)[0].main_line();
    let many = format!("(;SZ[52]AB{}", "[aa:ZZ]".repeat(100_000));
    assert_ne!(hash(&many), hash(&format!("{many}[aa:ZZ]")));
}

#[test]
fn a_header_of_any_length_takes_bounded_memory() {
    let source = format!("(;{}PW[last])", format!("PB[{}]", "x".repeat(1 << 16)).repeat(40));
    let records = records(Wants::HEADER, source.as_bytes(), 1 << 16);
    assert!(records[0].is_cut());
    assert!(records[0].info().map(|(_, value)| value.raw().len()).sum::<usize>() <= 1 << 20);
    assert_eq!(records[0].text(Ident::PW).as_deref(), Some("last"));
}

struct Refusing(Vec<u64>);

impl Records for Refusing {
    type Break = Infallible;

    fn header(&mut self, record: &GameRecord) -> ControlFlow<Infallible, Rest> {
        assert!(record.nodes() <= Some(2), "the header goes past the node of the first move");
        let is_wanted = record.text(Ident::PB).as_deref() == Some("x");
        ControlFlow::Continue(if is_wanted { Rest::Read } else { Rest::Skip })
    }

    fn record(&mut self, record: &GameRecord) -> ControlFlow<Infallible> {
        self.0.push(record.moves().unwrap());
        ControlFlow::Continue(())
    }
}

#[test]
fn a_header_value_that_is_too_long_is_missed() {
    let long = "x".repeat((1 << 20) + 1);
    for (source, is_cut) in [
        (format!("(;PB[{long}]PW[y];B[aa])"), true),
        (format!("(;PB[x]PW[y];B[aa];PB[{long}])"), false),
        (format!("(;PW[y]XX[{long}])"), false),
    ] {
        for chunk in [source.len(), 1 << 16] {
            let record = &records(Wants::HEADER, source.as_bytes(), chunk)[0];
            assert_eq!((record.is_cut(), record.text(Ident::PW).as_deref()), (is_cut, Some("y")));
        }
    }
}

#[test]
fn a_game_refused_by_its_header_has_no_row() {
    let mut recorder = Recorder::new(Wants::ALL, Refusing(Vec::new()));
    let source = b"(;PB[x](;B[aa];W[bb])(;B[cc]))(;PB[y]B[aa];W[bb])(;PB[x])(;PB[z])";
    let _ = sgf_stream::read_slice(source, &mut recorder).unwrap();
    assert_eq!(recorder.records().0, [2, 0]);
}

/// What is added never lets more games pass, whatever it excludes.
#[test]
fn conditions_are_alternatives_only_if_they_are_added_together() {
    let games = records(Wants::HEADER, b"(;SZ[9])(;SZ[13])(;SZ[19])", 99);
    let found = |filter: &GameFilter| {
        let passes = |game| filter.passes(&Row::new("f", 1, game)) && filter.may_pass(&Row::new("f", 1, game));
        games.iter().map(passes).collect::<Vec<bool>>()
    };
    let sizes = |of: &[&str]| of.iter().map(|size| Condition::new(Column::Size, size).unwrap()).collect::<Vec<_>>();
    let filter = GameFilter::new().and_any_of(sizes(&["9", "13"]));
    assert_eq!(found(&filter), [true, true, false]);
    assert_eq!(found(&filter.clone().and_any_of([])), [true, true, false]);
    assert_eq!(found(&filter.and_any_of(sizes(&["13", "19"]))), [false, true, false]);
    let all: GameFilter = sizes(&["..13", "9..", "19"]).into_iter().collect();
    assert_eq!(found(&all), [false; 3]);
    // The header does not tell the number of moves, so it does not exclude the game.
    let moves = Condition::new(Column::Moves, "1..").unwrap();
    let either = GameFilter::new().and_any_of([moves].into_iter().chain(sizes(&["19"])));
    assert!(games.iter().all(|game| either.may_pass(&Row::new("f", 1, game))));
}

#[test]
fn a_header_shows_nothing_about_moves() {
    let filter = |size| {
        let conditions = [(Column::Size, size), (Column::Moves, "2..")];
        conditions.into_iter().map(|(column, wanted)| Condition::new(column, wanted).unwrap()).collect::<GameFilter>()
    };
    let header = &records(Wants::HEADER, b"(;SZ[9];B[aa];W[bb])", 99)[0];
    let row = Row::new("f", 1, header);
    assert!(filter("9").may_pass(&row) && !filter("13").may_pass(&row));
}

#[test]
fn conditions_are_met_or_not() {
    let source = "(;GM[1]PB[Cho Chikun & Kato]BT[Nihon Ki-in]BR[9p]RE[黑中盘胜]DT[1985-03-01]KM[5.5];B[aa];W[bb](;B[cc]PW[Yoda]))";
    let all = records(Wants::ALL, source.as_bytes(), source.len());
    let row = Row::new("a/b.sgf", 1, &all[0]);
    for (column, text, met) in [
        (Column::Black, "CHIK", true),
        (Column::White, "yoda", false),
        (Column::File, "B.SGF", true),
        (Column::Year, "1985..1995", true),
        (Column::Year, "..1984", false),
        (Column::Result, "B+R", true),
        (Column::Result, "B+", true),
        (Column::Result, "W+", false),
        (Column::Result, "B+0.5", false),
        (Column::Result, "中盘", true),
        (Column::Winner, "b", true),
        (Column::Size, "19", true),
        (Column::Size, "19:19", true),
        (Column::Size, "9..13", false),
        (Column::Moves, "3..", true),
        (Column::Komi, "5.5", true),
        (Column::Handicap, "0..", false),
        (Column::Signature, "????", false),
    ] {
        let condition = Condition::new(column, text).unwrap();
        assert_eq!(condition.is_met(&row), met, "{column} {text}");
        assert_eq!(GameFilter::new().and(condition).passes(&row), met);
    }
    let unknown = b"(;P1[Kobayashi Satoru 9p]P2[Ishii Kunio 9p]RE[P2+F])";
    let unknown = &records(Wants::ALL, unknown, unknown.len())[0];
    let unknown = Row::new("a/b.sgf", 1, unknown);
    assert!(Condition::player("kunio").is_met(&unknown) && !Condition::player("cho").is_met(&unknown));
    for name in ["cho", "KATO", "yoda", "chikun & kato", "nihon"] {
        assert!(Condition::player(name).is_met(&row), "{name}");
    }
    assert!(!Condition::player("honinbo").is_met(&row));
    assert!(Condition::new(Column::Moves, "many").is_err());
}

#[test]
fn unread_columns_are_null() {
    let header = records(Wants::HEADER, b"(;B[aa])", 8);
    let row = Row::new("f", 1, &header[0]);
    for &column in Column::OF_TABLE {
        assert!(column.wants() == Wants::HEADER || row.cell(column) == Cell::Null, "{column}");
    }
}

#[test]
fn rows_of_real_games_are_the_same_at_every_cut() {
    for entry in std::fs::read_dir("corpora/pro").unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let whole = records(Wants::ALL, &bytes, bytes.len().max(1));
        let cut = records(Wants::ALL, &bytes, 61);
        let header = records(Wants::HEADER, &bytes, 4096);
        assert_eq!(whole.len(), cut.len(), "{}", path.display());
        assert_eq!(whole.len(), header.len(), "{}", path.display());
        for ((whole, cut), header) in whole.iter().zip(&cut).zip(&header) {
            assert_eq!(cells(whole, Column::OF_TABLE), cells(cut, Column::OF_TABLE), "{}", path.display());
            assert_eq!((whole.offset(), whole.len()), (header.offset(), header.len()));
        }
    }
}

#[test]
fn the_main_line_can_be_kept() {
    let line = |source: &str| {
        let found: Vec<String> = [source.len(), 1]
            .map(|chunk| {
                let record = &records(wants(|it| it.moves = true), source.as_bytes(), chunk)[0];
                assert!(!record.line_is_cut());
                let steps = record.line().map(|(ident, raw)| format!("{ident}[{}]", String::from_utf8_lossy(raw)));
                steps.collect::<Vec<_>>().concat()
            })
            .into();
        assert_eq!(found[0], found[1], "{source}");
        found[0].clone()
    };
    assert_eq!(line("(;AB[dd:ee][aa]PB[x];W[pd](;B[]C[x])(;B[qq]))"), "AB[dd:ee]AB[aa]W[pd]B[]");
    // A pass of Go is empty, however it is written; where it is none, the letters stay.
    assert_eq!(line("(;GM[1]SZ[21];B[aa];W[];B[tt])"), "B[aa]W[]B[tt]");
    assert_eq!(line("(;GM[1];B[tt]AB[tt];W[ ])"), "B[]AB[tt]W[]");
    assert_eq!(line("(;GM[2]SZ[8];B[tt];W[])"), "B[tt]W[]");
    // A node after a variation replaces it.
    assert_eq!(line("(;B[aa](;W[bb];B[cc];W[dd]);W[ee];B[ff])"), "B[aa]W[ee]B[ff]");
    assert_eq!(line("(;PB[x])"), "");
    // Mailers break lines wherever they are full.
    assert_eq!(line("(;B[p\r\n d];W[ d\ne ];B[a b c])"), "B[pd]W[de]B[a b c]");
    let long = format!("(;{})", ";B[aa]".repeat(100_000));
    let record = &records(Wants::ALL, long.as_bytes(), 1 << 20)[0];
    assert!(record.line_is_cut() && record.moves() == Some(100_000));
    // A line that is dropped takes no room from the one that replaces it.
    let replaced = format!("(;B[aa](;W[bb]{});W[cc];B[dd])", ";B[ee]".repeat(100_000));
    assert_eq!(line(&replaced), "B[aa]W[cc]B[dd]");
}

#[test]
fn comments_can_be_kept() {
    let source = "(;C[a\\]b];B[aa]C[](;C[\u{8D99}\nx][y])(;N[z]C[ \n]))(;C[ ];C[next])".as_bytes();
    for chunk in [source.len(), 1] {
        let found = records(wants(|it| it.texts = true), source, chunk);
        let texts: Vec<Vec<_>> = found.iter().map(|it| it.comment_texts().collect()).collect();
        let expected = [vec![(1, "a]b"), (3, "\u{8D99}\nx"), (3, "y")], vec![(2, "next")]];
        assert_eq!(
            texts,
            expected.map(|all| all.into_iter().map(|(node, text)| (node, text.into())).collect::<Vec<_>>())
        );
    }
    // One of white space says nothing.
    for (source, comments) in [("(;C[ ];B[aa]C[\n])", "0"), ("(;C[ a];B[aa]C[ ]C[b ])", "2")] {
        check(source, &[Column::Comments], &[&[comments]]);
    }
    // One that is cut off is none, whatever of it has come.
    for source in ["(;C[a]C[b][cut", "(;C[a]C[b];C[cut", "(;C[a];C[b];N[x](;C[cut"] {
        for chunk in [source.len(), 1] {
            let found = records(wants(|it| (it.texts, it.counts) = (true, true)), source.as_bytes(), chunk);
            let texts: Vec<_> = found[0].comment_texts().map(|(_, text)| text).collect();
            assert_eq!((texts.concat().as_str(), found[0].comments()), ("ab", Some(2)), "{source}, {chunk}");
            let counted = records(wants(|it| it.counts = true), source.as_bytes(), chunk);
            assert_eq!(counted[0].comments(), Some(2), "{source}, {chunk}");
        }
    }
    // Counts do not depend on whether comments are kept.
    let long = [b"(;C[".to_vec(), b"x".repeat(5 << 20), b"];C[y])".to_vec()].concat();
    let kept = &records(Wants::ALL, &long, 1 << 16)[0];
    let counted = &records(wants(|it| it.counts = true), &long, 1 << 16)[0];
    assert_eq!((kept.comments(), kept.problems()), (Some(2), Some(0)));
    assert_eq!((counted.comments(), counted.problems()), (Some(2), Some(0)));
    assert!(kept.comments_are_cut() && kept.comment_texts().count() == 1);
}

#[test]
fn whose_turn_it_is_distinguishes_problems() {
    let identity = |game: &str| records(Wants::ALL, game.as_bytes(), 99)[0].identity();
    let black = identity("(;AB[aa]AW[bb])");
    assert_eq!(identity("(;AB[aa]AW[bb]PL[B])"), black);
    let white = identity("(;AB[aa]AW[bb]PL[W])");
    assert_ne!(white, black);
    assert_eq!(identity("(;AB[aa]AW[bb];PL[White])"), white);
    assert_eq!(identity("(;AB[aa]AW[bb]PL[W](;C[x])(;PL[B]))"), white);
    // A move says it, too.
    assert_eq!(identity("(;AB[aa]PL[W];W[cc])"), identity("(;AB[aa];W[cc])"));
}

/// The hashes of all positions of a game.
fn positions(source: &str) -> Vec<u64> {
    let record = &records(wants(|it| it.moves = true), source.as_bytes(), 1 << 16)[0];
    let (moves, hashes): (Vec<_>, Vec<_>) = record.positions().unzip();
    assert_eq!(moves, (1..=moves.len() as u64).collect::<Vec<_>>());
    hashes
}

#[test]
fn a_position_is_the_same_from_all_sides() {
    let expected = positions("(;SZ[9];B[cb];W[gc];B[cd])");
    assert_eq!(expected.len(), 3);
    assert_eq!(expected.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    for moves in ["gb cc gd", "ch gg cf", "gh cg gf", "bc cg dc", "hc gg fc"] {
        let moves = moves.split(' ').zip("BWB".chars()).map(|(point, color)| format!(";{color}[{point}]"));
        let moves: Vec<_> = moves.collect();
        assert_eq!(positions(&format!("(;SZ[9]{})", moves.concat())), expected, "{moves:?}");
    }
    // The order of moves, the player to move, and setup instead of moves do not matter.
    assert_eq!(positions("(;SZ[9];B[cd];W[gc];B[cb];W[])")[2..], [expected[2], expected[2]]);
    assert_eq!(positions("(;SZ[9]AB[cb]AW[gc];B[cd])"), expected[2..]);
    // No game sets up more than a few boards.
    let boards = positions(&format!("(;SZ[9]{}AB[cb]AW[gc];B[cd])", "AB[aa:ii]AE[aa:ii]".repeat(60)));
    assert_eq!(boards, expected[2..]);
    let budget = format!("(;SZ[52]{}AE[aa:ZZ];B[cd])", "AB[aa:ZZ]AE[aa:ZZ]".repeat(2));
    assert_eq!(positions(&budget), positions("(;SZ[52];B[cd])"));
    assert_ne!(positions(&budget.replacen("AE[aa:ZZ];", "AB[aa];", 1)), positions("(;SZ[52]AB[aa];B[cd])"));
    // The board and the colors do.
    assert_ne!(positions("(;SZ[13];B[cb])")[0], expected[0]);
    assert_ne!(positions("(;SZ[9];W[cb])")[0], expected[0]);
    assert_eq!(positions("(;SZ[9:5];B[cb])"), positions("(;SZ[9:5];B[gd])"));
    assert_ne!(positions("(;SZ[9:5];B[cb])"), positions("(;SZ[9:5];B[bc])"));
}

#[test]
fn captured_stones_are_gone() {
    // A stone in the corner, a group of two at the side, and a suicide.
    assert_eq!(positions("(;B[aa];W[ba];B[];W[ab])").last(), positions("(;AW[ba];W[ab])").last());
    assert_eq!(positions("(;AB[ba][ca]AW[aa][bb][cb];W[da])").last(), positions("(;AW[aa][bb][cb];W[da])").last());
    assert_eq!(positions("(;AB[ba][ab];W[aa])").last(), positions("(;AB[ba];B[ab])").last());
    // Captures come before suicide.
    assert_eq!(positions("(;AB[ba][ab]AW[bb][ca];W[aa])").last(), positions("(;AB[ab]AW[bb][ca];W[aa])").last());
}

#[test]
fn other_boards_than_of_go_have_no_positions() {
    assert!(positions("(;GM[11];B[a1])").is_empty());
    assert!(positions("(;SZ[60];B[aa])").is_empty());
    assert_eq!(positions("(;SZ[9];B[zz];W[])"), positions("(;SZ[9];B[];W[])"));
    // Nothing beside the board takes a liberty.
    assert_eq!(positions("(;AW[sa]AB[ra][sb];B[ta])"), positions("(;AW[sa]AB[ra][sb];B[])"));
}

#[test]
fn hashes_kept_in_indexes_never_change() {
    let source = "(;SZ[19];B[pd];W[dd];B[pq])";
    let record = &records(Wants::ALL, source.as_bytes(), 1 << 16)[0];
    let hashes: Vec<_> = record.positions().map(|(_, hash)| format!("{hash:016x}")).collect();
    assert_eq!(hashes, ["937ce1ad28c989c1", "2030d32e812edb63", "f87ab6c882cf90cb"]);
    assert_eq!(record.identity().map(|it| format!("{it:016x}")).as_deref(), Some("2f0e2d3b1c65a07a"));
}

#[test]
fn a_result_may_name_the_players() {
    let columns = &[Column::Winner];
    for (result, winner) in [
        ("Game won by blue1224", "B"),
        ("BLUE1224 resigned", "W"),
        ("Blue wins on time", "W"),
        ("Game won by Bechster", ""),
        ("blue12245 wins", ""),
        ("blue and blue1224", ""),
        ("W+R", "W"),
    ] {
        check(&format!("(;RE[{result}]PB[blue1224]PW[ blue ])"), columns, &[&[winner]]);
    }
    check("(;RE[won by x]PB[x]PW[x])(;RE[won by]PB[]PW[])", columns, &[&[""], &[""]]);
}

#[test]
fn a_name_that_two_players_share_tells_no_winner() {
    check("(;RE[Game won by x]PB[x]PW[y])(;RE[Game won by x]PB[x]PW[x])", &[Column::Winner], &[&["B"], &[""]]);
}

#[test]
fn a_color_in_a_name_is_none() {
    let columns = &[Column::Winner];
    check("(;RE[Game won by Black Mamba]PB[x]PW[Black Mamba])", columns, &[&["W"]]);
    check("(;RE[Game won by Black]PB[x]PW[y])(;RE[Game won by Black]PB[x]PW[Black])", columns, &[&["B"], &["W"]]);
}

#[test]
fn games_of_boardspace_are_played_from_seats() {
    let game = r#"(;GM[27]RE[Game won by Black Mamba]P0[id "Black Mamba"]P0[ranking 1247]P1[id "w"]
        ;P0[0 Start P0];P0[1 Dropb wA1 N 13 .]TM[2000]EV[x];P1[2 done]TM[3000])"#;
    let columns = &[Column::Time, Column::Event, Column::Winner];
    check(game, columns, &[&["", "", ""]]);
    check(&game.replace("won by Black Mamba", "won by Black"), columns, &[&["", "", ""]]);
    check(&game.replace("Game won by Black Mamba", "The game is a draw"), columns, &[&["", "", "draw"]]);
    for wants in [Wants::HEADER, Wants::ALL] {
        let record = &records(wants, game.as_bytes(), 7)[0];
        assert_eq!(record.players().collect::<Vec<_>>(), ["Black Mamba", "w"], "{wants:?}");
        assert_eq!(record.outcome().value().map(|it| it.to_string()).as_deref(), Some("P0+"));
    }
    let skat = "(;GM[Skat]P0[theCount]P1[blkkjk]P2[zoot];P0[x])";
    let players = |wants| records(wants, skat.as_bytes(), 7)[0].players().map(String::from).collect::<Vec<_>>();
    assert_eq!(players(Wants::HEADER), ["theCount", "blkkjk", "zoot", "x"]);
}

#[test]
fn little_golem_names_the_game_in_the_event() {
    let columns = &[Column::Gm, Column::Size];
    for (root, gm, size) in [
        ("EV[hex.ch.32.2.1]SO[http://www.littlegolem.com]", "11", "11"),
        ("SO[https://www.LittleGolem.net]EV[hex]SZ[13]", "11", "13"),
        ("EV[twixt.ld.SIZE30]SZ[30]SO[https://www.littlegolem.net]", "21", "30"),
        ("EV[go19.mc.2010.mar.1.21]SO[http://www.littlegolem.com]", "1", "19"),
        ("EV[connect6.ch.26.1.1]SO[http://www.littlegolem.com]", "", ""),
        ("EV[null]SZ[8]SO[http://www.littlegolem.com]", "", "8"),
        ("EV[19]SO[http://www.littlegolem.com]", "", ""),
        ("EV[hex.ch.32.2.1]GM[21]SO[http://www.littlegolem.com]", "21", "24"),
        ("GM[1]EV[hex.ch.32.2.1]SO[http://www.littlegolem.com]", "1", "19"),
        ("EV[hex.ch.32.2.1]SO[elsewhere]", "1", "19"),
    ] {
        check(&format!("(;FF[4]{root};W[ab];B[aa])"), columns, &[&[gm, size]]);
        let is_go = !positions(&format!("(;{root};W[ab];B[aa])")).is_empty();
        assert_eq!(is_go, gm == "1", "{root}");
    }
}

/// A site that has Renju and Gomoku only, and never writes GM.
#[test]
fn games_of_iwzq_are_renju() {
    let columns = &[Column::Gm, Column::Size];
    for (root, gm) in [
        ("US[save from iwzq.com]5A[g9]SW[True]SZ[15]", "4"),
        ("SZ[15]US[save from iwzq.com]", "4"),
        ("SZ[15]US[save from iwzq.com]GM[1]", "1"),
        ("SZ[15]US[someone]", "1"),
    ] {
        check(&format!("(;{root};B[hh];W[ii])"), columns, &[&[gm, "15"]]);
    }
}

/// Fox writes 0 for the komi where it leaves it out, margins of stones, and codes in their place.
#[test]
fn fox_means_other_numbers() {
    let columns = &[Column::Komi, Column::Margin, Column::Winner];
    check(
        "(;KM[0]HA[0]RU[Japanese]RE[B+3.50]AP[GNU Go:3.8]AP[foxwq])
         (;KM[0]HA[2]RU[Japanese]RE[W+0.02]AP[foxwq])
         (;KM[0]HA[1]RU[Chinese]RE[B+7.50]AP[foxwq])
         (;KM[375]HA[0]RU[Chinese]RE[W+0.0]AP[foxwq])
         (;KM[375]HA[0]RU[Chinese]RE[W+0.25]AP[foxwq])
         (;KM[7.5]HA[0]RU[Chinese]RE[W+1.5]AP[foxwq])
         (;KM[0]HA[0]RU[Chinese]RE[W+2.5])
         (;KM[0]HA[0]RU[Chinese]RE[W+0.02]AP[Firefox])
         (;KM[0]HA[0]RU[Japanese]AP[GNU Go:3.8]RE[B+0.0]TM[60]TC[3]TT[15])
         (;KM[50]HA[1]AP[GNU Go:3.8]RE[B+R]TC[3]TT[15])
         (;KM[0]HA[0]RU[Japanese]AP[GNU Go:3.8]RE[B+3]TC[3])",
        columns,
        &[
            &["", "3.5", "B"],
            &["0", "", "W"],
            &["0", "15", "B"],
            &["7.5", "", "W"],
            &["7.5", "0.5", "W"],
            &["7.5", "1.5", "W"],
            &["0", "2.5", "W"],
            &["0", "0.02", "W"],
            &["", "", "B"],
            &["0.5", "", "B"],
            &["0", "3", "B"],
        ],
    );
}

/// Those who write LC write minutes into TM, and DGS writes the main time into OT.
#[test]
fn main_time_is_in_minutes_or_in_ot() {
    let columns = &[Column::Time, Column::Overtime];
    check(
        "(;TM[150]LT[60]LC[5])
         (;SO[gokifu.com]TM[60]LT[]LC[1]GK[1])
         (;TM[3]LT[60]LC[5])
         (;TM[0]LT[60]LC[5])
         (;TM[600]LT[30]LC[3])
         (;TM[1時間]LT[30秒]LC[5回])
         (;TM[150]TC[5]TT[30])
         (;OT[Fischer time: 14 days with 1 day extra per move])
         (;TM[]OT[90 days without byoyomi])
         (;TM[60]OT[90 days + 1 day Fischer])",
        columns,
        &[
            &["9000", "5x60 byo-yomi"],
            &["3600", ""],
            &["", "5x60 byo-yomi"],
            &["0", "5x60 byo-yomi"],
            &["600", "3x30 byo-yomi"],
            &["3600", "5x30 byo-yomi"],
            &["150", "5x30 byo-yomi"],
            &["1209600", "Fischer time: 14 days with 1 day extra per move"],
            &["7776000", "90 days without byoyomi"],
            &["60", "90 days + 1 day Fischer"],
        ],
    );
}

#[test]
fn a_rank_may_stand_behind_the_name() {
    let columns = &[Column::Black, Column::BlackRank, Column::WhiteRank];
    check(
        "(;PB[李喆六段]PW[柯洁 九段])
         (;PB[foo [3k\\]]PW[古力九段（中）])
         (;PB[Cho Chikun 9p]BR[9d]PW[Black 8])
         (;PB[Abe 3d & Baba 2k]BR[]PW[only2d]WR[])",
        columns,
        &[
            &["李喆六段", "六段", "九段"],
            &["foo [3k]", "3k", "九段"],
            &["Cho Chikun 9p", "9d", ""],
            &["Abe 3d & Baba 2k", "", ""],
        ],
    );
    let record = &records(Wants::HEADER, "(;PB[李喆六段])".as_bytes(), 1)[0];
    assert_eq!(record.rank(Color::Black).value().map(|it| it.to_string()).as_deref(), Some("6d"));
}

/// GGF has ratings and times in properties of its own, and in chess a result is White's.
#[test]
fn game_servers_write_ggf() {
    let columns = &[
        Column::BlackRank,
        Column::WhiteRank,
        Column::Time,
        Column::Overtime,
        Column::Date,
        Column::Year,
        Column::Winner,
        Column::BlackTeam,
        Column::Players,
    ];
    check(
        "(;GM[Othello]PC[GGS/os]RB[1457.12]RW[1631.74]TI[15:00//02:00]TY[8]RE[-40.00:r]DT[945277754]B[d3//0.01])
         (;GM[chess]TI[05:00/00:12/02:00]RE[-40.00:r]DT[2003.12.15_12:33:18.MST])
         (;GM[2]RB[1457.12]RW[1631.74]TI[15:00//02:00]RE[-40.00:r]DT[945277754])
         (;GM[3]RE[-40.00:r]TI[x])
         (;GM[chess]RE[W+R]TI[x]DT[])
         (;GM[Othello]PC[x]PB[]PW[]RE[?]BT[00:15:00]WT[00:15:00]TY[8])
         (;GM[Othello]BT[15:00]WT[10:00])
         (;GM[Othello]BT[Paris]WT[15:00])
         (;GM[2]BT[00:15:00]WT[00:15:00])",
        columns,
        &[
            &["1457.12", "1631.74", "900", "", "1999-12-15", "1999", "W", "", ""],
            &["", "", "300", "12 fischer", "2003.12.15_12:33:18.MST", "2003", "B", "", ""],
            &["", "", "", "", "945277754", "", "W", "", ""],
            &["", "", "", "", "", "", "W", "", ""],
            &["", "", "", "", "", "", "W", "", ""],
            &["", "", "900", "", "", "", "", "", ""],
            &["", "", "", "", "", "", "", "", ""],
            &["", "", "", "", "", "", "", "Paris", "Paris"],
            &["", "", "", "", "", "", "", "00:15:00", "00:15:00"],
        ],
    );
}

/// Without one, the number may mean anything.
#[test]
fn a_result_is_only_a_number_where_the_game_has_a_name() {
    let columns = &[Column::Winner, Column::Margin];
    for (game, winner, margin) in [
        ("GM[Othello]RE[-12]", "W", "12"),
        ("GM[Othello]RE[18.0]", "B", "18"),
        ("GM[Othello]RE[2]", "B", "2"),
        ("GM[Othello]RE[-10:r]", "W", ""),
        ("GM[Othello]RE[4:t]", "B", ""),
        ("GM[Othello]RE[0]", "draw", ""),
        ("GM[Othello]RE[2:x]", "", ""),
        ("GM[chess]RE[-1.00]", "B", "1"),
        ("GM[chess]RE[W+R]", "W", ""),
        ("GM[2]RE[2]", "", ""),
        ("RE[-12]", "", ""),
        ("GM[othello_8x8]RE[1.000000]", "B", ""),
        ("GM[othello_8x8]RE[-1.000000]", "W", ""),
        ("GM[chess]RE[1.000000]", "B", ""),
        ("GM[atari_pong]RE[21.000000]", "", ""),
        ("GM[1]RE[1.000000]", "B", ""),
    ] {
        check(&format!("(;{game})"), columns, &[&[winner, margin]]);
    }
}

#[test]
fn game_servers_give_each_player_a_time() {
    let columns = &[Column::Time, Column::Overtime];
    check("(;GM[Othello]TB[5:00/00:12]TW[5:00/00:12])", columns, &[&["300", "12 fischer"]]);
    check("(;GM[Othello]TB[5:00])(;GM[1]TB[aa]TW[bb])", columns, &[&["", ""], &["", ""]]);
    let record = &records(Wants::HEADER, b"(;GM[Othello]TB[5:00]TW[1:00//1:00])", 99)[0];
    assert_eq!(record.time_limit().value().map(|it| it.to_string()).as_deref(), Some("B: 300 s W: 60 s"));
}

/// Some have the komi in GM, and are Go.
#[test]
fn a_game_with_a_name_that_nobody_knows_is_not_go() {
    for (gm, expected) in [("y", 0), ("pentago", 0), ("gomoku_15x15", 0), ("go_9x9", 1), ("5.5", 1), ("0", 1), ("", 1)]
    {
        assert_eq!(positions(&format!("(;GM[{gm}]SZ[9];B[cc])")).len(), expected, "{gm}");
    }
    // Engines put the size into the name: without SZ it is not the default.
    let games = "(;GM[go_9x9];B[cc])(;GM[go_9x9]SZ[9];B[cc])(;GM[Go];B[cc])(;GM[围棋]RE[5])(;GM[棋]RE[5])";
    check(games, &[Column::Size, Column::Winner], &[&["", ""], &["9", ""], &["19", ""], &["19", ""], &["", ""]]);
}

/// As Little Golem and conhex.com write it.
#[test]
fn the_second_player_of_conhex_is_red() {
    for root in ["FF[CONHEX]EV[conhex.ch.21.1.1]SO[https://www.littlegolem.net]", "FF[CONHEX]"] {
        let game = format!("(;{root};B[J3];R[H5];B[I6];R[resign])");
        let record = &records(Wants::ALL, game.as_bytes(), 1)[0];
        assert_eq!(record.moves(), Some(4), "{root}");
        let line: Vec<_> = record.line().collect();
        assert_eq!(line[1], (Ident::W, &b"H5"[..]));
        let other = &records(Wants::ALL, game.replace("H5", "A1").as_bytes(), 99)[0];
        assert_ne!(record.identity(), other.identity());
        assert!(positions(&game).is_empty());
    }
    let moves = |game: &str| records(Wants::ALL, game.as_bytes(), 99)[0].moves().unwrap();
    assert_eq!((moves("(;B[aa];R[x])"), moves("(;GM[11];B[a1];R[x])")), (1, 1));
    // A game of Go whose GM is the komi.
    assert_eq!((moves("(;GM[6.5];B[aa];R[2010-01-01];W[bb])"), moves("(;GM[conhex];B[J3];R[H5])")), (2, 2));
}

#[test]
fn boardspace_has_games_of_six() {
    let game = r#"(;GM[24]P0[id "ann"]P1[id "bo"]P4[id "carl"]P5[id "dora"]RE[Game won by dora];P5[0 Start];P0[1 x])"#;
    for wants in [Wants::HEADER, Wants::ALL] {
        let record = &records(wants, game.as_bytes(), 7)[0];
        assert_eq!(record.players().collect::<Vec<_>>(), ["ann", "bo", "carl", "dora"]);
        assert_eq!(record.outcome().value().map(|it| it.to_string()).as_deref(), Some("P5+"));
    }
}

/// So backgammon has it.
#[test]
fn a_game_that_was_given_up_may_have_a_margin() {
    let finds = |wanted: &str, result: &str| {
        let record = &records(Wants::HEADER, format!("(;RE[{result}])").as_bytes(), 99)[0];
        Condition::new(Column::Result, wanted).unwrap().is_met(&Row::new("f", 1, record))
    };
    for wanted in ["B+R", "B+", "B+2"] {
        assert!(finds(wanted, "B+2R"), "{wanted}");
    }
    for (wanted, result) in [("W+R", "B+2R"), ("B+T", "B+2R"), ("B+R", "B+2"), ("B+R", "B+2 Rx"), ("B+2.5", "B+2R")] {
        assert!(!finds(wanted, result), "{wanted} {result}");
    }
}

#[test]
fn what_says_nothing_is_null() {
    let source = "(;PB[]PW[ ]EV[\u{3000}]RO[x])".as_bytes();
    let record = &records(Wants::ALL, source, source.len())[0];
    let row = Row::new("f", 1, record);
    for column in [
        Column::Black,
        Column::White,
        Column::Event,
        Column::MainLine,
        Column::Signature,
        Column::SecondSignature,
        Column::Symmetric,
    ] {
        assert_eq!(row.cell(column), Cell::Null, "{column}");
    }
    assert_eq!(row.cell(Column::Round), Cell::Text("x".into()));
}

#[test]
fn overtime_may_be_in_ff3_properties() {
    let overtime = |game: &str| {
        let record = records(Wants::HEADER, game.as_bytes(), 1).remove(0);
        record.overtime().value().map(|overtime| overtime.to_string())
    };
    assert_eq!(overtime("(;FF[3]OM[25]OP[600.0])").as_deref(), Some("25/600 Canadian"));
    assert_eq!(overtime("(;OM[25]OP[600]OT[5x30 byo-yomi])").as_deref(), Some("5x30 byo-yomi"));
    for game in ["(;OM[25])", "(;OM[0]OP[600])", "(;OM[2.5]OP[600])", "(;OM[25]OP[10 min])"] {
        assert_eq!(overtime(game), None, "{game}");
    }
}

#[test]
fn rules_are_read_as_the_standard_and_as_people_write_them() {
    let rules = |source: &str| records(Wants::HEADER, source.as_bytes(), source.len())[0].rules();
    assert_eq!(rules("(;RU[GOE])"), Reading::Exact(Rules::Ing));
    assert_eq!(rules("(;RU[japanese rules])"), Reading::Lenient(Rules::Japanese));
    assert_eq!(rules("(;RU[house rules])"), Reading::Raw);
    assert_eq!(rules("(;KM[6.5])"), Reading::Raw);
}

#[test]
fn a_break_at_a_header_loses_neither_the_game_nor_a_node() {
    struct Breaking(Vec<u64>);

    impl Records for Breaking {
        type Break = ();

        fn header(&mut self, _: &GameRecord) -> ControlFlow<(), Rest> {
            ControlFlow::Break(())
        }

        fn record(&mut self, record: &GameRecord) -> ControlFlow<()> {
            self.0.push(record.nodes().unwrap());
            ControlFlow::Continue(())
        }
    }

    let input = b"(;PB[x];B[aa];W[bb])(;PB[y])(;PB[z](;B[aa])(;W[cc]))";
    let mut recorder = Recorder::new(Wants::ALL, Breaking(Vec::new()));
    let (mut parser, mut breaks) = (Parser::new(), 0);
    while parser.feed(&input[parser.offset() as usize..], &mut recorder).expect("lenient reading goes on").is_break() {
        breaks += 1;
    }
    assert_eq!((breaks, recorder.into_records().0), (3, vec![3, 1, 3]));
}

/// Notes the problems, each with the place of its game.
#[derive(Default)]
struct Damage(Vec<(Option<String>, &'static str)>);

impl Records for Damage {
    type Break = Infallible;

    fn header(&mut self, record: &GameRecord) -> ControlFlow<Infallible, Rest> {
        let is_refused = record.text(Ident::PB).as_deref() == Some("refused");
        ControlFlow::Continue(if is_refused { Rest::Skip } else { Rest::Read })
    }

    fn record(&mut self, _: &GameRecord) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }

    fn problem(&mut self, record: Option<&GameRecord>, problem: &Problem) -> ControlFlow<Infallible> {
        self.0.push((record.map(|record| record.position().to_string()), problem.kind().name()));
        ControlFlow::Continue(())
    }
}

#[test]
fn problems_come_with_the_game_that_they_are_in() {
    let source = b"junk(;PB[a]&&;B[aa])\nx (;PB[b];W[bb]&&)(;PB[refused];B[bb];W[cc]";
    let mut recorder = Recorder::new(Wants::ALL, Damage::default());
    let ControlFlow::Continue(()) = Parser::new().read_slice(source, &mut recorder).unwrap();
    let expected = [
        (None, "junk"),
        (Some("1:5"), "illegal-bytes"),
        (None, "junk"),
        (Some("2:3"), "illegal-bytes"),
        (None, "unclosed-tree"),
    ];
    let expected = expected.map(|(game, name)| (game.map(str::to_owned), name));
    assert_eq!(recorder.into_records().0, expected);
}

#[test]
fn a_problem_between_games_is_none_of_the_game_before() {
    let mut recorder = Recorder::new(Wants::ALL, |_: &GameRecord| ControlFlow::<()>::Continue(()));
    let _ = sgf_stream::read_slice(b"(;B[aa]&)junk", &mut recorder).unwrap();
    assert_eq!(recorder.record().problems(), Some(1));
}

#[test]
fn a_header_takes_no_more_than_is_promised() {
    let text = format!("(;PB{})", "[]".repeat(50_000));
    let record = &records(Wants::HEADER, text.as_bytes(), text.len())[0];
    assert!(record.is_cut());
    assert!(record.memory() <= size_of::<GameRecord>() + (1 << 20), "{}", record.memory());
}

#[test]
fn little_golem_has_no_name_for_an_event() {
    let columns = &[Column::Event];
    check("(;EV[null]SO[http://www.littlegolem.com])(;EV[null])", columns, &[&[""], &["null"]]);
}
