//! What the well-known documents on SGF say about properties and games; each document is a module.

use sgf_stream::Ident;
use sgf_stream::semantics::blokus::{Cell, Owner, Role, Variant};
use sgf_stream::semantics::info::Handicap;
use sgf_stream::semantics::info::Komi;
use sgf_stream::semantics::property::{Count, Group, PropertyType, Scope, ValueForm, ValueType};
use sgf_stream::semantics::{
    Board, Color, Compose, Definition, Double, GameType, Move, NoneValue, Number, Point, Real, SimpleText, Size,
    definition, definitions,
};

use crate::support::values::{board, game, lenient, shown, strict, value};
use Count::{List, ListOrEmpty, One};
use ValueForm::{Composed, Either, Single};

fn ident(name: &str) -> Ident {
    name.parse().unwrap()
}

fn known(name: &str) -> &'static Definition {
    definition(ident(name)).unwrap_or_else(|| panic!("{name} is not in the table"))
}

/// Asserts the count and the form of several properties' values.
fn check_forms(count: Count, form: ValueForm, names: &str) {
    for name in names.split_whitespace() {
        let row = known(name);
        assert_eq!((row.count, row.value), (count, form), "{name}");
    }
}

/// How a board reads a move: points, a word, or the error.
fn moved(board: Board, raw: &str, leniently: bool) -> String {
    value(raw, |value| {
        let read = if leniently { board.read_move_lenient(value) } else { board.read_move(value) };
        match read {
            Ok(Move::Play(Point { x, y })) => format!("{x},{y}"),
            Ok(Move::Points(points)) => shown(points),
            Ok(Move::Raw(value)) => format!("raw {}", value.raw().escape_ascii()),
            Ok(it) => format!("{it:?}"),
            Err(error) => format!("{error:?}!"),
        }
    })
}

fn listed(board: Board, raw: &str) -> String {
    value(raw, |value| board.read_points(value).map_or_else(|error| format!("{error:?}!"), shown))
}

mod hex_wiki {
    use super::*;

    fn hex() -> Board {
        board("GM[11]SZ[30]")
    }

    #[test]
    fn a_cell_is_a_column_label_and_a_row_label() {
        for (raw, cell) in [("a1", "0,0"), ("f6", "5,5"), ("i3", "8,2"), ("ab28", "27,27"), ("z30", "25,29")] {
            assert_eq!(moved(hex(), raw, false), cell);
        }
    }

    #[test]
    fn case_does_not_matter_in_cells_and_words() {
        for (raw, it) in [("F6", "5,5"), ("Ab28", "27,27"), ("Swap-Pieces", "SwapPieces"), ("RESIGN", "Resign")] {
            assert_eq!(moved(hex(), raw, false), it);
        }
    }

    #[test]
    fn five_moves_are_words() {
        for (raw, it) in [
            ("swap-sides", "SwapSides"),
            ("swap-pieces", "SwapPieces"),
            ("pass", "Pass"),
            ("resign", "Resign"),
            ("forfeit", "Forfeit"),
        ] {
            assert_eq!(moved(hex(), raw, false), it);
        }
        for raw in ["swap", "", "a", "1", "a0", "draw"] {
            assert!(moved(hex(), raw, false).ends_with('!'), "[{raw}]");
        }
    }

    #[test]
    fn a_cell_beyond_the_stated_size_is_not_on_the_board() {
        assert_eq!(moved(board("GM[11]SZ[6:7]"), "f7", false), "5,6");
        assert_eq!(moved(board("GM[11]SZ[6:7]"), "g6", false), "OffBoard!");
        assert_eq!(moved(board("GM[11]"), "l12", false), "11,11", "without a size");
    }

    #[test]
    fn columns_come_before_rows_in_the_size_and_a_square_is_one_number() {
        assert_eq!(strict::<Size>("6:7"), Ok(Size { columns: 6, rows: 7 }));
        assert_eq!(strict::<Size>("11"), Ok(Size::square(11)));
        assert_eq!(strict::<Size>("11:11").unwrap_err(), "Malformed");
        assert_eq!(board("GM[11]").size(), Some(Size::square(11)), "the default is 11");
    }

    #[test]
    fn the_program_is_a_name_and_a_version() {
        value("HexGui:0.9", |value| {
            let it = value.parse::<sgf_stream::semantics::Application<'_>>().unwrap();
            assert_eq!((&*it.name, it.version.as_deref()), ("HexGui", Some("0.9")));
        });
    }

    #[test]
    fn hexgui_up_to_0_9_writes_swap_pieces_for_swap_sides() {
        for (application, it) in [
            ("HexGui:0.2", "SwapSides"),
            ("HexGui:0.9", "SwapSides"),
            ("HexGui:0.9.GIT", "SwapSides"),
            ("HexGUI:0.10", "SwapPieces"),
            ("HexGui:0.10.GIT", "SwapPieces"),
            ("HexGui:1.0.", "SwapPieces"),
            ("Hex-benzene:0.1", "SwapPieces"),
        ] {
            let board = board(&format!("AP[{application}]FF[4]GM[11]SZ[11]"));
            assert_eq!(moved(board, "swap-pieces", false), it, "{application}");
            assert_eq!(moved(board, "swap-sides", false), "SwapSides", "{application}");
        }
    }

    #[test]
    fn little_golem_writes_cells_like_go_and_a_plain_swap() {
        let board = board("GM[11]SZ[13]");
        assert_eq!(moved(board, "af", true), "0,5");
        assert_eq!(moved(board, "AF", true), "0,5");
        assert_eq!(moved(board, "swap", true), "Swap");
        assert_eq!(moved(board, "af", false), "Malformed!");
        assert_eq!(moved(board, "an", true), "Malformed!", "row 14 of 13");
    }

    #[test]
    fn setup_is_a_list_of_cells_and_a_color_to_move() {
        let board = board("GM[11]SZ[7]");
        for (raw, cells) in [("e7", "4,6"), ("a2", "0,1"), ("a1:b2", "0,0 0,1 1,0 1,1"), ("h1", "OffBoard!")] {
            assert_eq!(listed(board, raw), cells);
        }
        check_forms(List, Single(ValueType::Stone), "AB AW");
        check_forms(List, Single(ValueType::Point), "AE");
        assert_eq!(strict::<Color>("B"), Ok(Color::Black));
        assert_eq!((known("PL").value, known("PL").group), (Single(ValueType::Color), Group::Setup));
    }

    #[test]
    fn a_label_is_a_cell_and_a_text() {
        value("a1:x", |value| {
            let (cell, label) = value.compose().unwrap();
            assert_eq!(board("GM[11]").read_point(cell), Ok(Point::new(0, 0)));
            assert_eq!(&*label.parse::<SimpleText<'_>>().unwrap(), "x");
        });
        check_forms(List, Composed(ValueType::Point, ValueType::SimpleText), "LB");
    }

    #[test]
    fn a_colon_is_part_of_a_value_that_is_not_composed() {
        value("BGA:123456789", |value| assert_eq!(&*value.parse::<SimpleText<'_>>().unwrap(), "BGA:123456789"));
    }

    #[test]
    fn properties() {
        for name in ["AP", "FF", "GM", "SZ"] {
            assert_eq!(known(name).property_type, PropertyType::Root, "{name}");
        }
        check_forms(One, Single(ValueType::SimpleText), "PB PW RE DT EV SO");
        check_forms(One, Single(ValueType::Text), "GC C");
        check_forms(One, Single(ValueType::Move), "B W");
        assert_eq!(known("FF").range, Some((1, 4)));
        assert_eq!(game("11"), GameType::Hex);
        for private in ["NN", "XX"] {
            assert_eq!(definition(ident(private)), None, "{private} stays raw");
        }
    }
}

mod pentobi {
    use super::*;

    fn blokus(variant: Variant) -> Board {
        Board::new(GameType::Blokus(variant))
    }

    #[test]
    fn games_have_exact_names() {
        let names = [
            "Blokus",
            "Blokus Two-Player",
            "Blokus Three-Player",
            "Blokus Duo",
            "Blokus Trigon",
            "Blokus Trigon Two-Player",
            "Blokus Trigon Three-Player",
            "Blokus Junior",
            "Nexos",
            "Nexos Two-Player",
            "Callisto",
            "Callisto Two-Player",
            "Callisto Two-Player Four-Color",
            "Callisto Three-Player",
            "GembloQ",
            "GembloQ Two-Player",
            "GembloQ Three-Player",
            "GembloQ Two-Player Four-Color",
        ];
        assert_eq!(Variant::ALL.len(), names.len());
        for name in names {
            let it = strict::<GameType>(name).unwrap();
            assert!(matches!(it, GameType::Blokus(_)), "{name}");
            assert_eq!(it.name(), Some(name));
            assert_eq!(game(name), it);
            assert_eq!(game(&format!(" {} ", name.to_lowercase())), it, "case does not matter leniently");
        }
        for name in ["blokus duo", "Blokus  Duo", "Blokus Duo ", "Blokus Quartet"] {
            assert!(strict::<GameType>(name).is_err(), "{name}");
        }
        assert_eq!(game("Blokus Quartet"), GameType::Unknown);
    }

    #[test]
    fn b_and_w_are_players_and_digits_are_colors() {
        use Owner::{Color, Player};
        use Role::{Move, Name, Setup, TimeLeft};
        for (variant, cases) in [
            (
                Variant::Duo,
                &[
                    ("B", Some((Move, Color(1)))),
                    ("W", Some((Move, Color(2)))),
                    ("AW", Some((Setup, Color(2)))),
                    ("BL", Some((TimeLeft, Color(1)))),
                    ("PW", Some((Name, Player(2)))),
                    ("3", None),
                ][..],
            ),
            (
                Variant::ClassicTwoPlayer,
                &[
                    ("PB", Some((Name, Player(1)))),
                    ("1", Some((Move, Color(1)))),
                    ("4", Some((Move, Color(4)))),
                    ("WL", Some((TimeLeft, Player(2)))),
                    ("3L", Some((TimeLeft, Color(3)))),
                    ("A4", Some((Setup, Color(4)))),
                    ("P3", None),
                ],
            ),
            (
                Variant::TrigonThreePlayer,
                &[
                    ("3", Some((Move, Color(3)))),
                    ("P3", Some((Name, Player(3)))),
                    ("4", None),
                    ("B", None),
                    ("PB", None),
                ],
            ),
            (
                Variant::Classic,
                &[("P4", Some((Name, Player(4)))), ("2L", Some((TimeLeft, Color(2)))), ("PL", None), ("AE", None)],
            ),
        ] {
            for (name, role) in cases {
                assert_eq!(variant.role(ident(name)), *role, "{name} of {}", variant.name());
            }
        }
    }

    #[test]
    fn old_versions_named_colors_and_numbered_callistos_players() {
        for (name, color) in [("BLUE", 1), ("YELLOW", 2), ("RED", 3), ("GREEN", 4)] {
            assert_eq!(Variant::Classic.role(ident(name)), Some((Role::Move, Owner::Color(color))));
            assert_eq!(known(name).scope, Scope::Blokus);
        }
        assert_eq!(Variant::Duo.role(ident("GREEN")), Some((Role::Move, Owner::Color(2))), "the second of two colors");
        assert_eq!(Variant::CallistoTwoPlayer.role(ident("1")), Some((Role::Move, Owner::Color(1))));
        assert_eq!(Variant::CallistoTwoPlayer.role(ident("2")), Some((Role::Move, Owner::Color(2))));
        assert_eq!(Variant::Classic.role(ident("PURPLE")), None);
    }

    #[test]
    fn fields_count_from_the_lower_left_and_letters_include_i() {
        let board = blokus(Variant::Duo);
        assert!(board.game().rows_go_up());
        for (raw, point) in [("a1", "0,0"), ("i4", "8,3"), ("N14", "13,13"), ("o1", "OffBoard!"), (" a1", "Malformed!")]
        {
            assert_eq!(listed(board, raw), point);
        }
        assert_eq!(listed(blokus(Variant::GembloQ), "bc28"), "54,27", "columns continue after z");
    }

    #[test]
    fn a_move_is_the_fields_of_a_piece_with_commas() {
        let board = board("GM[Blokus Duo]");
        assert_eq!(moved(board, "f9,e10,f10,g10,f11", false), "5,8 4,9 5,9 6,9 5,10");
        for raw in ["f9, e10", "f9,,e10", "f9,", ",f9", "f9e10", "f9:e10", "f9,e15", ""] {
            assert!(moved(board, raw, false).ends_with('!'), "[{raw}]");
        }
        assert_eq!(moved(board, "f9, e10", true), "5,8 4,9");
    }

    #[test]
    fn old_moves_are_a_list_of_points() {
        let board = board("GM[Blokus Trigon]");
        assert_eq!(moved(board, "r12", false), "17,11", "each value is one point");
    }

    #[test]
    fn setup_has_a_piece_in_each_value() {
        let board = board("GM[Blokus Duo]");
        assert_eq!(listed(board, "e8,e9,f9,d10,e10"), "4,7 4,8 5,8 3,9 4,9");
        check_forms(List, Single(ValueType::Stone), "A1 A2 A3 A4 AB AW");
        for (raw, color) in [("B", Some(1)), ("W", Some(2)), ("1", Some(1)), ("4", Some(4)), ("5", None), ("", None)] {
            assert_eq!(value(raw, |value| Variant::Classic.read_color(value).ok()), color, "PL[{raw}]");
        }
        assert!(value("3", |value| Variant::Duo.read_color(value).is_err()), "Duo has two colors");
    }

    #[test]
    fn trigon_is_a_hexagon_of_triangles() {
        // The document shows edge 3. Boards of three players have edge 8, of four edge 9.
        let (four, three) = (Variant::Trigon, Variant::TrigonThreePlayer);
        assert_eq!((four.size(), three.size()), (Size { columns: 35, rows: 18 }, Size { columns: 31, rows: 16 }));
        for (variant, edge) in [(four, 9), (three, 8)] {
            let cell = |x, y| variant.cell(Point::new(x, y));
            assert_eq!(cell(edge - 2, 0), None, "the corners are cut");
            assert_eq!(cell(edge - 1, 0), Some(Cell::TriangleDown), "the bottom row begins with a triangle down");
            assert_eq!(cell(0, edge - 1), Some(Cell::TriangleDown), "the lower one of the longest rows does, too");
            assert_eq!(cell(0, edge), Some(Cell::TriangleUp), "the upper one begins with a triangle up");
            assert_eq!(cell(edge - 1, 2 * edge - 1), Some(Cell::TriangleUp), "the top row does, too");
            let fields = (0..2 * edge).flat_map(|y| (0..4 * edge - 1).map(move |x| (x, y)));
            let count = fields.filter(|&(x, y)| variant.contains(Point::new(x, y))).count();
            assert_eq!(count, 6 * usize::from(edge * edge), "a hexagon of edge n has 6n² triangles");
        }
    }

    #[test]
    fn nexos_has_line_segments_and_holes() {
        let cell =
            |name: &str| value(name, |it| Variant::Nexos.cell(Board::new(GameType::Twixt).read_point(it).unwrap()));
        assert_eq!(cell("a1"), Some(Cell::Junction));
        assert_eq!(cell("b1"), Some(Cell::Horizontal));
        assert_eq!(cell("a2"), Some(Cell::Vertical));
        assert_eq!(cell("b2"), None);
        let board = board("GM[Nexos]");
        assert_eq!(moved(board, "g16,g18,f19,e20", false), "6,15 6,17 5,18 4,19");
        assert_eq!(moved(board, "g17", false), "OffBoard!", "a junction is not part of a move");
        assert_eq!(moved(board, "f18", false), "OffBoard!", "a hole is not part of a move");
    }

    #[test]
    fn gembloq_has_four_triangles_in_a_square() {
        assert_eq!(Variant::GembloQ.size(), Size { columns: 56, rows: 28 });
        let piece = "bb1,bc1,az2,ba2,bb2,bc2,ax3,ay3,az3,ba3,av4,aw4,ax4,ay4,at5,au5,av5,aw5,at6,au6";
        value(piece, |value| {
            let points = board("GM[GembloQ]").read_points(value).unwrap();
            assert_eq!(points.len(), 20, "five squares");
            assert!(points.into_iter().all(|point| Variant::GembloQ.cell(point) == Some(Cell::Quarter)));
        });
        assert_eq!(Variant::GembloQ.cell(Point::new(0, 0)), None, "the outermost quarters of the corners are cut");
        assert!(Variant::GembloQ.contains(Point::new(0, 1)));
    }
}

mod cwi {
    use super::*;

    #[test]
    fn composed_properties_and_their_first_colon() {
        check_forms(One, Composed(ValueType::SimpleText, ValueType::SimpleText), "AP");
        check_forms(List, Composed(ValueType::Point, ValueType::Point), "AR LN");
        check_forms(List, Composed(ValueType::Point, ValueType::SimpleText), "LB");
        check_forms(One, Either(ValueType::None, ValueType::Number, ValueType::SimpleText), "FG");
        check_forms(One, Either(ValueType::Number, ValueType::Number, ValueType::Number), "SZ");
        assert_eq!(strict::<Compose<Number, Number>>("19:13"), Ok(Compose(Number(19), Number(13))));
        value("x:y:z", |value| {
            let Compose(first, rest) = value.parse::<Compose<SimpleText<'_>, SimpleText<'_>>>().unwrap();
            assert_eq!((&*first, &*rest), ("x", "y:z"), "the second colon stays in the text");
        });
    }

    #[test]
    fn game_info_is_text_and_time_a_real() {
        check_forms(One, Single(ValueType::SimpleText), "RE DT PB PW BR WR EV RO PC CA N");
        check_forms(One, Single(ValueType::Real), "TM KM");
        check_forms(One, Single(ValueType::Text), "GC C");
        check_forms(ListOrEmpty, Single(ValueType::Point), "VW");
        assert!(lenient::<Real>("15h").is_err() && lenient::<Real>("60m each").is_err(), "units change the number");
    }

    #[test]
    fn proposed_properties_are_in_the_table() {
        for name in ["REX", "DTX", "P1", "P2"] {
            assert_eq!(
                (known(name).property_type, known(name).value.has_text()),
                (PropertyType::GameInfo, true),
                "{name}"
            );
        }
        assert_eq!(Definition::of(ident("P1"), GameType::Go).unwrap().ident, ident("P1"), "players of unknown color");
    }

    #[test]
    fn a_seki_of_ing_rules_scores_fractions() {
        assert_eq!(lenient::<Real>("1 5/6"), Ok(Real(1.0 + 5.0 / 6.0)));
    }
}

mod user_guide {
    use super::*;

    #[test]
    fn markup() {
        check_forms(List, Single(ValueType::Point), "MA TR CR SQ M L SL");
        check_forms(ListOrEmpty, Single(ValueType::Point), "DD");
        for name in ["MA", "TR", "CR", "SQ", "LB", "M", "L", "SL", "DD", "AR", "LN"] {
            assert_eq!((known(name).group, known(name).property_type), (Group::Markup, PropertyType::None), "{name}");
        }
        for (since, names) in [(1, "M L SL"), (3, "MA TR CR LB"), (4, "SQ DD AR LN")] {
            for name in names.split_whitespace() {
                assert!(
                    known(name).source.has(since) && !known(name).source.has(since - 1),
                    "{name} is new in FF[{since}]"
                );
            }
        }
    }

    #[test]
    fn annotations_with_emphasis_are_doubles() {
        check_forms(One, Single(ValueType::Double), "GB GW DM UC HO TE BM");
        check_forms(One, Single(ValueType::None), "DO IT");
        for name in ["TE", "BM", "DO", "IT"] {
            assert_eq!(known(name).property_type, PropertyType::Move, "{name} is of type move");
        }
        assert_eq!(strict::<Double>("2"), Ok(Double::Emphasized));
        assert_eq!(strict::<NoneValue>(""), Ok(NoneValue));
    }

    #[test]
    fn game_information() {
        let names = "PB PW BR WR BT WT RE DT EV RO PC RU GN ON SO US AN CP";
        check_forms(One, Single(ValueType::SimpleText), names);
        check_forms(One, Single(ValueType::Text), "GC");
        for name in names.split_whitespace().chain(["KM", "HA", "TM", "GC"]) {
            assert_eq!(known(name).property_type, PropertyType::GameInfo, "{name}");
        }
    }

    #[test]
    fn komi_is_a_real_and_words_are_read_leniently() {
        for (raw, komi) in [("5.5", 5.5), ("0", 0.0), ("0.5", 0.5), ("-10", -10.0)] {
            assert_eq!(strict::<Real>(raw), Ok(Real(komi)));
        }
        for (raw, komi) in [("5 points", 5.0), ("half a point", 0.5), ("5 1/2", 5.5)] {
            assert!(strict::<Real>(raw).is_err());
            assert_eq!(lenient::<Real>(raw), Ok(Real(komi)));
        }
    }

    #[test]
    fn handicap_is_a_number_and_words_are_read_leniently() {
        assert_eq!(strict::<Handicap>("9"), Ok(Handicap::new(9)));
        assert_eq!(strict::<Handicap>("1").unwrap_err(), "OutOfRange", "at least 2 by the standard, 1 by this guide");
        for (raw, stones) in [("1", 1), ("0", 0), ("2 stones", 2), ("three", 3), ("让2子", 2), ("让先", 0)] {
            assert_eq!(lenient::<Handicap>(raw), Ok(Handicap::new(stones)));
        }
        assert!(lenient::<Handicap>("-1").is_err() && lenient::<Handicap>("many").is_err());
    }

    #[test]
    fn time_in_words_is_not_a_real() {
        assert_eq!(strict::<Real>("4600"), Ok(Real(4600.0)));
        assert!(lenient::<Real>("1 hour").is_err());
    }
}

mod libsgfc {
    use super::*;

    #[test]
    fn properties_removed_in_ff4_are_known() {
        for name in "L M BS CH EL EX ID LT OM OP OV RG SC SI TC WS".split_whitespace() {
            assert!(!known(name).source.is_current(), "{name}");
        }
        let old = definitions(ident("SE")).iter().find(|row| row.source.has(3)).unwrap();
        assert_eq!(old.value, Single(ValueType::Point));
        assert_eq!(Definition::of(ident("SE"), GameType::Othello), Some(old));
        assert_eq!(Definition::of(ident("SE"), GameType::LinesOfAction), Some(known("SE")));
    }

    #[test]
    fn tt_passes_on_boards_up_to_19() {
        for (root, raw, it) in [
            ("SZ[19]", "", "Pass"),
            ("SZ[19]", "tt", "Pass"),
            ("", "tt", "Pass"),
            ("SZ[9]", "tt", "Pass"),
            ("SZ[19:13]", "tt", "Pass"),
            ("SZ[20]", "tt", "19,19"),
            ("SZ[52]", "tt", "19,19"),
            ("SZ[52]", "", "Pass"),
            ("SZ[52]", "ZZ", "51,51"),
            ("SZ[19]", "tu", "OffBoard!"),
            ("SZ[9]", "aj", "OffBoard!"),
            ("", "ZZ", "51,51"),
        ] {
            assert_eq!(moved(board(root), raw, false), it, "{root} [{raw}]");
        }
        assert_eq!(moved(board("SZ[19:25]"), "tt", false), "OffBoard!");
        assert_eq!(moved(board("SZ[19:25]"), "tt", true), "Pass", "it can only be a pass");
    }

    #[test]
    fn rectangles_of_points_and_of_stones() {
        let board = board("SZ[9]");
        assert_eq!(listed(board, "aa:bb"), "0,0 0,1 1,0 1,1");
        assert_eq!(listed(board, "bb:aa"), "Corners!");
        assert_eq!(listed(board, "aa:jj"), "OffBoard!");
        value("bb:aa", |value| assert_eq!(board.read_points_lenient(value).unwrap().len(), 4));
        check_forms(ListOrEmpty, Single(ValueType::Point), "TB TW DD VW");
        for name in ["DD", "VW", "PM"] {
            assert!(known(name).inherited, "{name}");
        }
    }

    #[test]
    fn smart_game_board_writes_twice_the_komi() {
        for (ki, km) in [("11", "5.5"), ("-13", "-6.5")] {
            assert_eq!(Komi::parse_ki(ki), Komi::parse(km));
        }
        assert_eq!((known("KI").value, known("KI").source.has(4)), (Single(ValueType::Number), false));
        assert_eq!(Definition::of(ident("KM"), GameType::Go).unwrap().value, Single(ValueType::Real));
        assert_eq!(Definition::of(ident("KM"), GameType::Hex), None, "other games may define it differently");
    }

    #[test]
    fn a_value_of_type_none_is_empty() {
        assert_eq!(strict::<NoneValue>(""), Ok(NoneValue));
        check_forms(One, Single(ValueType::None), "KO DO IT LT");
    }

    #[test]
    fn points_of_games_without_a_definition_stay_raw() {
        let board = board("GM[3]");
        assert_eq!(moved(board, r"Move \: value", false), r"raw Move \\: value");
        assert_eq!(listed(board, "e4"), "Undefined!");
    }
}

mod other_games {
    use super::*;

    #[test]
    fn every_number_of_the_standard_has_a_name() {
        for number in 1..=40 {
            let it = GameType::from_number(number).unwrap();
            assert_eq!(it.number().map(i64::from), Some(number));
            assert!(it.name().is_some_and(|name| !name.is_empty()));
            assert_eq!(game(&number.to_string()), it);
            assert_eq!(game(it.name().unwrap()), it, "by name");
        }
        assert_eq!((GameType::from_number(0), GameType::from_number(41)), (None, None));
    }

    #[test]
    fn the_game_is_never_an_error() {
        for (raw, it) in [
            ("1", GameType::Go),
            ("", GameType::Go),
            (" 1 ", GameType::Go),
            ("01", GameType::Go),
            ("１", GameType::Go),
            ("game of go", GameType::Go),
            ("The Game of Go", GameType::Go),
            ("Weiqi", GameType::Go),
            ("Othello", GameType::Othello),
            ("Reversi", GameType::Othello),
            ("Havannah", GameType::Havannah),
            ("nine mens morris", GameType::NineMensMorris),
            ("BLOKUS DUO", GameType::Blokus(Variant::Duo)),
            ("1.0", GameType::Go),
            ("2.00", GameType::Othello),
            ("围棋", GameType::Go),
            ("囲碁", GameType::Go),
            ("바둑", GameType::Go),
            ("五子棋", GameType::Gomoku),
            ("象棋", GameType::ChineseChess),
            ("将棋", GameType::Shogi),
            ("オセロ", GameType::Othello),
            ("棋", GameType::Unknown),
            ("1.5", GameType::Unknown),
            ("5.5", GameType::Unknown),
            ("0", GameType::Unknown),
            ("99", GameType::Unknown),
            ("-1", GameType::Unknown),
            ("99999999999999999999", GameType::Unknown),
            ("tiddlywinks", GameType::Unknown),
            ("go_9x9", GameType::Go),
            ("hex_11x11", GameType::Hex),
            ("go_x9", GameType::Unknown),
            ("_9x9", GameType::Unknown),
            ("g\u{301}o\u{301}", GameType::Go),
            (&"go".repeat(40), GameType::Unknown),
            (&"\u{301}".repeat(40), GameType::Unknown),
            ("\u{FFFD}]", GameType::Unknown),
        ] {
            assert_eq!(game(&raw.replace(']', "\\]")), it, "GM[{raw}]");
        }
        assert_eq!(Board::default().game(), GameType::Go, "without GM");
        assert!(strict::<GameType>("5.5").is_err() && strict::<GameType>("game of go").is_err());
    }

    #[test]
    fn points_and_moves_where_the_standard_or_files_define_them() {
        for (root, raw, it) in [
            ("GM[2]", "d3", "3,2"),
            ("GM[4]SZ[15]", "hh", "7,7"),
            ("GM[4]SZ[15]", "h8", "raw h8"),
            ("GM[6]", "41lpab", "raw 41lpab"),
            ("GM[9]", "e1-e3", "4,0 4,2"),
            ("GM[9]", "C2:C5++", "2,1 2,4"),
            ("GM[9]", "c5c6!", "2,4 2,5"),
            ("GM[9]", "resign", "Resign"),
            ("GM[9]SZ[8]", "c5-c9", "OffBoard!"),
            ("GM[9]", "c5", "Malformed!"),
            ("GM[18]", "djddgd", "3,9 3,3 6,3"),
            ("GM[18]", "djdd", "Malformed!"),
            ("GM[18]", "djddg", "Malformed!"),
            ("GM[19]", "73", "6,2"),
            ("GM[19]", "33+B", "raw 33+B"),
            ("GM[20]", "cc:cf", "2,2 2,5"),
            ("GM[21]", "x24", "23,23"),
            ("GM[21]SZ[30]", "ab3", "27,2"),
            ("GM[21]", "l12-k10", "raw l12-k10"),
            ("GM[27]", "dropb Q N 13 .", "raw dropb Q N 13 ."),
            ("GM[40]SZ[39:32]", "AA", "26,26"),
            ("GM[40]", "bc.bccbbaabbc", "1,2"),
            ("GM[40]", "", "Pass"),
            ("GM[40]", "b.c", "raw b.c"),
            ("GM[Havannah]SZ[8]", "o15", "14,14"),
            ("GM[Havannah]SZ[8]", "p1", "OffBoard!"),
            ("GM[5.5]", "pd", "raw pd"),
        ] {
            assert_eq!(moved(board(root), raw, false), it, "{root} [{raw}]");
        }
        let none = Size { columns: 0, rows: 0 };
        assert!(!Board::new(GameType::Havannah).sized(none).contains(Point::new(0, 0)), "on a board without points");
        assert_eq!(listed(board("GM[6]"), "y"), "24,0", "the bar");
        assert_eq!(
            listed(board("GM[9]"), "a8:b7"),
            "0,6 0,7 1,6 1,7",
            "the upper left corner has the higher row number"
        );
    }

    #[test]
    fn forms_of_real_files_are_read_leniently() {
        for (root, raw, it) in [
            ("SZ[19]", " cd", "2,3"),
            ("SZ[19]", "c\nd", "2,3"),
            ("SZ[19]", "  ", "Pass"),
            ("SZ[19]", "Pass", "Pass"),
            ("SZ[19]", "QD", "16,3"),
            ("SZ[52]", "QD", "42,29"),
            ("SZ[19]", "Q16", "15,3"),
            ("SZ[19]", "A1", "0,18"),
            ("SZ[9]", "j9", "8,0"),
            ("SZ[19]", "I5", "Malformed!"),
            ("SZ[19]", "a20", "Malformed!"),
            ("SZ[19]", "90", "Malformed!"),
            ("SZ[19]", "zz", "OffBoard!"),
            ("GM[Othello]", "E6", "4,5"),
            ("GM[Othello]", "d3/0.42/0.01", "3,2"),
            ("GM[Othello]", "PA//0.38", "Pass"),
            ("GM[Othello]SZ[8]", "z9", "OffBoard!"),
            ("GM[Havannah]SZ[8]", "swap", "Swap"),
            ("GM[3]", "resign", "Resign"),
            ("GM[40]", "b c.bccb", "1,2"),
            ("GM[40]", " ", "Pass"),
            ("GM[y]SZ[9]", "a1", "raw a1"),
            ("GM[5.5]", "pd", "15,3"),
            ("GM[5.5]", "no move", "raw no move"),
        ] {
            assert_eq!(moved(board(root), raw, true), it, "{root} [{raw}]");
        }
        value("fc,pc,pd", |value| assert_eq!(shown(board("").read_points_lenient(value).unwrap()), "5,2 15,2 15,3"));
        value(" A1 ", |value| assert_eq!(board("").read_point_lenient(value), Ok(Point::new(0, 18))));
    }
}
