//! Typed values: what each type reads strictly, leniently, and not at all.

use std::collections::HashSet;
use std::fmt::Debug;

use proptest::prelude::*;
use sgf_stream::semantics::{
    Application, Board, Color, Compose, ComposeError, Double, GameType, Move, NoneValue, Number, Point, PointSet,
    Points, Real, SimpleText, Size, Text, ValueError,
};
use sgf_stream::{Event, FromValue, Value, events};

use crate::support::values::{lenient, shown, strict, value};

/// Asserts how a type reads values: strictly in the second column, leniently in the third. `None` is an error.
fn check<T, U>(unwrap: impl Fn(T) -> U, table: &[(&str, Option<U>, Option<U>)])
where
    T: for<'a> FromValue<'a, Err: Debug>,
    U: PartialEq + Debug,
{
    for (raw, strictly, leniently) in table {
        assert_eq!(strict::<T>(raw).ok().map(&unwrap).as_ref(), strictly.as_ref(), "[{raw}] strictly");
        assert_eq!(lenient::<T>(raw).ok().map(&unwrap).as_ref(), leniently.as_ref(), "[{raw}] leniently");
    }
}

fn same<T: Clone>(raw: &'static str, it: T) -> (&'static str, Option<T>, Option<T>) {
    (raw, Some(it.clone()), Some(it))
}

fn only_lenient<T>(raw: &'static str, it: T) -> (&'static str, Option<T>, Option<T>) {
    (raw, None, Some(it))
}

fn neither<T>(raw: &'static str) -> (&'static str, Option<T>, Option<T>) {
    (raw, None, None)
}

#[test]
fn numbers() {
    check(
        |Number(number)| number,
        &[
            same("0", 0),
            same("19", 19),
            same("-10", -10),
            same("+5", 5),
            same("007", 7),
            same("9223372036854775807", i64::MAX),
            same("-9223372036854775808", i64::MIN),
            only_lenient(" 3", 3),
            only_lenient("4\n", 4),
            only_lenient("- 1", -1),
            only_lenient("18\n00", 1800),
            only_lenient("１９", 19),
            only_lenient("－３", -3),
            only_lenient(r"1\9", 19),
            only_lenient("2.0", 2),
            only_lenient("7.000", 7),
            only_lenient("2,0", 2),
            only_lenient("1,000", 1000),
            only_lenient("-12,345", -12345),
            only_lenient("2 stones", 2),
            only_lenient("2子", 2),
            only_lenient("9 (fixed)", 9),
            only_lenient("three", 3),
            only_lenient("Two", 2),
            neither(""),
            neither(" "),
            neither("-"),
            neither("1.5"),
            neither("1,5"),
            neither("1234,567"),
            neither("1 2,000"),
            neither("1,000,000"),
            neither("0xaf"),
            neither("5 1/2"),
            neither("12 and 13"),
            neither("5 and a half"),
            neither("w 123"),
            neither("9223372036854775808"),
            neither("99999999999999999999 "),
        ],
    );
    assert_eq!(strict::<Number>("").unwrap_err(), "Empty");
    assert_eq!(strict::<Number>("1 ").unwrap_err(), "Malformed");
    assert_eq!(strict::<Number>("9223372036854775808").unwrap_err(), "OutOfRange");
}

#[test]
fn reals() {
    check(
        |Real(real)| real,
        &[
            same("0", 0.0),
            same("6.5", 6.5),
            same("-3.75", -3.75),
            same("+0.5", 0.5),
            same("6.500000", 6.5),
            only_lenient(" 5.5 ", 5.5),
            only_lenient("6,5", 6.5),
            only_lenient("5 1/2", 5.5),
            only_lenient("-5 1/2", -5.5),
            only_lenient("1 5/6", 1.0 + 5.0 / 6.0),
            only_lenient("1/2", 0.5),
            only_lenient("5½", 5.5),
            only_lenient("½", 0.5),
            only_lenient("3 ¾", 3.75),
            only_lenient(".5", 0.5),
            only_lenient("34.", 34.0),
            only_lenient("６．５", 6.5),
            only_lenient("- 5.5", -5.5),
            only_lenient("−5.5", -5.5),
            only_lenient("5.5 points", 5.5),
            only_lenient("5 points", 5.0),
            only_lenient("6.5目", 6.5),
            only_lenient("6目半", 6.5),
            only_lenient("6집 반", 6.5),
            only_lenient("half a point", 0.5),
            only_lenient("Half", 0.5),
            only_lenient("1,800", 1800.0),
            only_lenient("0,500", 0.5),
            neither(""),
            neither("+"),
            neither("."),
            neither("0xaf"),
            neither("inf"),
            neither("NaN"),
            neither("1e400"),
            neither("1 hour"),
            neither("1.2.3"),
            neither("1/0"),
            neither("1 2"),
            neither("10-20"),
        ],
    );
    assert_eq!(strict::<Real>("").unwrap_err(), "Empty");
    assert_eq!(strict::<Real>(&"9".repeat(400)).unwrap_err(), "OutOfRange");
}

#[test]
fn doubles() {
    use Double::{Emphasized, Normal};
    check(
        |double: Double| double,
        &[
            same("1", Normal),
            same("2", Emphasized),
            only_lenient("", Normal),
            only_lenient(" 2 ", Emphasized),
            only_lenient("２", Emphasized),
            only_lenient("x", Normal),
            neither("0"),
            neither("3"),
            neither("제3회 도요타덴소배"),
        ],
    );
}

#[test]
fn colors() {
    use Color::{Black, White};
    check(
        |color: Color| color,
        &[
            same("B", Black),
            same("W", White),
            only_lenient("b", Black),
            only_lenient("w", White),
            only_lenient(" W", White),
            only_lenient("1", Black),
            only_lenient("2", White),
            only_lenient("black", Black),
            only_lenient("White to play", White),
            only_lenient("w 123", White),
            only_lenient("黑", Black),
            only_lenient("白", White),
            neither(""),
            neither("x"),
            neither("3"),
            neither("BW"),
        ],
    );
    assert_eq!(format!("{Black}{White:>2}"), "B W");
}

#[test]
fn equal_moves_are_one_key() {
    let moves: HashSet<_> = events(b"(;B[pd];W[tt];B[];W[pd])")
        .filter_map(|event| match event {
            Ok(Event::Value(value)) => value.parse::<Move<'_>>().ok(),
            _ => None,
        })
        .collect();
    assert_eq!(moves.len(), 2);
}

#[test]
fn none_is_the_empty_value() {
    check(
        |it: NoneValue| it,
        &[
            same("", NoneValue),
            only_lenient("1", NoneValue),
            only_lenient(" ", NoneValue),
            only_lenient("xxxx", NoneValue),
        ],
    );
}

#[test]
fn text_reads_anything() {
    value("a\\]b\nc\\:d:e", |value| {
        assert_eq!(&*value.parse::<Text<'_>>().unwrap(), "a]b\nc:d:e");
        assert_eq!(&*value.parse::<SimpleText<'_>>().unwrap(), "a]b c:d:e");
        assert_eq!(value.parse_lenient::<SimpleText<'_>>().unwrap().to_string(), "a]b c:d:e");
    });
}

#[test]
fn points() {
    let p = Point::new;
    check(
        |point: Point| point,
        &[
            same("aa", p(0, 0)),
            same("pd", p(15, 3)),
            same("tt", p(19, 19)),
            same("fA", p(5, 26)),
            same("AB", p(26, 27)),
            same("ZZ", p(51, 51)),
            only_lenient(" cd", p(2, 3)),
            only_lenient("cd ", p(2, 3)),
            only_lenient("f\na", p(5, 0)),
            only_lenient("c   c", p(2, 2)),
            only_lenient("ｃｄ", p(2, 3)),
            only_lenient(r"c\d", p(2, 3)),
            neither(""),
            neither("a"),
            neither("aaa"),
            neither("a`"),
            neither("`a"),
            neither("11"),
            neither("aa\0"),
            neither("é"),
        ],
    );
}

#[test]
fn moves_of_go() {
    for (raw, expected) in [("", "pass"), ("tt", "pass"), ("aa", "0,0"), ("ZZ", "51,51"), (" aa", "Malformed")] {
        let got = value(raw, |value| match value.parse::<Move<'_>>() {
            Ok(Move::Pass) => "pass".to_owned(),
            Ok(it) => it.point().map_or_else(|| "?".to_owned(), |point| format!("{},{}", point.x, point.y)),
            Err(error) => format!("{error:?}"),
        });
        assert_eq!(got, expected, "[{raw}]");
    }
}

#[test]
fn rectangles_come_column_by_column() {
    for (raw, strictly, leniently) in [
        ("dd", Ok("3,3"), Ok("3,3")),
        ("aa:bb", Ok("0,0 0,1 1,0 1,1"), Ok("0,0 0,1 1,0 1,1")),
        ("ac:dc", Ok("0,2 1,2 2,2 3,2"), Ok("0,2 1,2 2,2 3,2")),
        ("ca:cc", Ok("2,0 2,1 2,2"), Ok("2,0 2,1 2,2")),
        ("ce:ce", Ok("2,4"), Ok("2,4")),
        ("yz:AA", Ok("24,25 24,26 25,25 25,26 26,25 26,26"), Ok("24,25 24,26 25,25 25,26 26,25 26,26")),
        ("bb:aa", Err("Corners"), Ok("0,0 0,1 1,0 1,1")),
        ("ab:ba", Err("Corners"), Ok("0,0 0,1 1,0 1,1")),
        ("ba:ab", Err("Corners"), Ok("0,0 0,1 1,0 1,1")),
        (" aa : bb ", Err("Malformed"), Ok("0,0 0,1 1,0 1,1")),
        ("", Err("Empty"), Err("Empty")),
        ("aa:", Err("Empty"), Err("Empty")),
        (":aa", Err("Empty"), Err("Empty")),
        ("aa:bb:cc", Err("Malformed"), Err("Malformed")),
        ("a:b", Err("Malformed"), Err("Malformed")),
    ] {
        let read = |lenient: bool| {
            value(raw, |value| {
                let points = if lenient { value.parse_lenient::<Points<'_>>() } else { value.parse::<Points<'_>>() };
                points.map(|points| (points.len(), shown(points))).map_err(|error| format!("{error:?}"))
            })
        };
        for (lenient, expected) in [(false, strictly), (true, leniently)] {
            let expected = expected.map(|it| (it.split(' ').count(), it.to_owned())).map_err(str::to_owned);
            assert_eq!(read(lenient), expected, "[{raw}], lenient: {lenient}");
        }
    }
}

#[test]
fn the_largest_rectangle_takes_no_memory() {
    value("aa:ZZ", |value| {
        let points = value.parse::<Points<'_>>().unwrap();
        assert_eq!(points.len(), 52 * 52);
        assert!(size_of_val(&points) <= 64);
        let mut seen = PointSet::new();
        assert_eq!(points.clone().duplicates(&mut seen).count(), 0);
        assert_eq!(seen.len(), 52 * 52);
        assert_eq!(points.duplicates(&mut seen).count(), 52 * 52);
    });
}

#[test]
fn duplicates_are_found_on_request() {
    let mut seen = PointSet::new();
    let mut twice = Vec::new();
    for event in events(b"(;AB[aa:bc][ba][dd]AW[dd][ac])") {
        if let Ok(Event::Value(value)) = event {
            twice.extend(value.parse::<Points<'_>>().unwrap().duplicates(&mut seen));
        }
    }
    assert_eq!(twice, [Point::new(1, 0), Point::new(3, 3), Point::new(0, 2)]);
    seen.clear();
    assert!(seen.is_empty());
    let last = Point::new(63, 63);
    assert!(seen.insert(last) && !seen.insert(last));
    let beyond = Point::new(64, 64);
    assert!(seen.insert(beyond) && seen.insert(beyond), "a point beyond the board is not remembered");
}

#[test]
fn sizes() {
    let size = |columns, rows| Size { columns, rows };
    check(
        |size: Size| size,
        &[
            same("19", size(19, 19)),
            same("52", size(52, 52)),
            same("19:13", size(19, 13)),
            same("702", size(702, 702)),
            only_lenient("19:19", size(19, 19)),
            only_lenient("19x13", size(19, 13)),
            only_lenient("19 × 19", size(19, 19)),
            only_lenient(" 9 ", size(9, 9)),
            only_lenient("19.0", size(19, 19)),
            only_lenient("19.00:13.0", size(19, 13)),
            neither("19.5"),
            neither(".0"),
            only_lenient("１３", size(13, 13)),
            neither(""),
            neither("0"),
            neither("-10"),
            neither("703"),
            neither("19:"),
            neither("19:0"),
            neither("19:19:19"),
            neither("large"),
        ],
    );
    assert_eq!(size(19, 19).to_string(), "19");
    assert_eq!(size(19, 13).to_string(), "19:13");
}

#[test]
fn composed_values_split_at_the_first_colon_that_is_not_escaped() {
    value("dd:A:B", |value| {
        let Compose(point, label) = value.parse::<Compose<Point, SimpleText<'_>>>().unwrap();
        assert_eq!((point, &*label), (Point::new(3, 3), "A:B"));
    });
    assert_eq!(strict::<Compose<Point, Point>>("ab:cd"), Ok(Compose(Point::new(0, 1), Point::new(2, 3))));
    assert_eq!(strict::<Compose<Point, Point>>("ab:").unwrap_err(), "Second(Empty)");
    assert_eq!(strict::<Compose<Point, Point>>("a:cd").unwrap_err(), "First(Malformed)");
    assert_eq!(strict::<Compose<Point, Point>>("ab").unwrap_err(), "NotComposed");
    assert_eq!(lenient::<Compose<Point, Point>>("a a: c r"), Ok(Compose(Point::new(0, 0), Point::new(2, 17))));
    assert_eq!(ValueError::from(ComposeError::<ValueError, ValueError>::NotComposed), ValueError::NotComposed);
}

#[test]
fn an_optional_value_is_an_option() {
    let figure = |raw| {
        value(raw, |value| {
            value
                .parse::<Option<Compose<Number, SimpleText<'_>>>>()
                .map(|it| it.map(|Compose(Number(flags), name)| (flags, name.to_string())))
        })
    };
    assert_eq!(figure(""), Ok(None));
    assert_eq!(figure(r"515:th\]is"), Ok(Some((515, "th]is".to_owned()))));
    assert!(figure("1").is_err());
    assert_eq!(strict::<Option<Point>>(" ").unwrap_err(), "Malformed");
    assert_eq!(lenient::<Option<Point>>(" "), Ok(None));
}

#[test]
fn applications() {
    let read = |raw, lenient: bool| {
        value(raw, |value| {
            let read = if lenient { value.parse_lenient::<Application<'_>>() } else { value.parse() };
            read.ok().map(|it| (it.name.into_owned(), it.version.map(std::borrow::Cow::into_owned)))
        })
    };
    let cgoban = Some(("CGoban".to_owned(), Some("3".to_owned())));
    assert_eq!(read("CGoban:3", false), cgoban);
    assert_eq!(read("CGoban:3", true), cgoban);
    assert_eq!(read(r"foo\:bar:2 3", false), Some(("foo:bar".to_owned(), Some("2 3".to_owned()))));
    assert_eq!(read("foxwq", false), None);
    assert_eq!(read("foxwq", true), Some(("foxwq".to_owned(), None)));
    assert_eq!(read("foxwq:", true), Some(("foxwq".to_owned(), Some(String::new()))));
}

#[test]
fn the_halves_of_a_composed_value_keep_their_positions() {
    value("a\nb:c", |value| {
        let (_, second) = value.compose().unwrap();
        assert_eq!(second.parse::<Point>(), Err(ValueError::Malformed));
        assert_eq!(second.position().to_string(), "2:3");
    });
}

/// Pieces of numbers, points and words, and some others.
fn raw() -> impl Strategy<Value = String> {
    const PIECES: &str = r"a t Z 1 2 9 0 + - . , : / \\ \: ½ 半 子 １ ｃ half point pass swap-pieces x B W [ é _ ~";
    let spaces = |piece: &str| piece.replace('_', " ").replace('~', "\n");
    let piece = prop::sample::select(PIECES.split(' ').map(spaces).collect::<Vec<_>>());
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// A value that reads strictly must read the same leniently, and nothing may panic.
fn agrees<'a, T: FromValue<'a, Err: Debug> + Debug>(value: Value<'a>) {
    let lenient = value.parse_lenient::<T>();
    if let Ok(strict) = value.parse::<T>() {
        assert_eq!(format!("{strict:?}"), format!("{:?}", lenient.unwrap()), "{:?}", value.raw());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn strict_reading_is_part_of_lenient_reading(
        raw in raw(),
        game in 0_i64..42,
        size in prop::sample::select(vec![0, 9, 19, 52]),
    ) {
        value(&raw, |it| {
            agrees::<Number>(it);
            agrees::<Real>(it);
            agrees::<Double>(it);
            agrees::<Color>(it);
            agrees::<NoneValue>(it);
            agrees::<Point>(it);
            agrees::<Points<'_>>(it);
            agrees::<Move<'_>>(it);
            agrees::<Size>(it);
            agrees::<Application<'_>>(it);
            agrees::<Compose<Point, SimpleText<'_>>>(it);
            agrees::<Option<Number>>(it);
            let mut board = Board::new(GameType::from_number(game).unwrap_or(GameType::of(it)));
            if size > 0 {
                board = board.sized(Size::square(size));
            }
            if let Ok(point) = board.read_point(it) {
                assert_eq!(board.read_point_lenient(it), Ok(point));
            }
            if let Ok(points) = board.read_points_lenient(it) {
                assert_eq!(points.len(), points.count());
            }
            assert!(board.read_move(it).is_err() || board.read_move_lenient(it).is_ok());
        });
    }
}

/// Moves that are several points in a row, without the end that each point is searched for.
#[test]
fn a_long_row_of_points_takes_linear_time() {
    for game in [GameType::Amazons, GameType::Gess, GameType::LinesOfAction] {
        for point in ["aa", "a1"] {
            let is_move = value(&point.repeat(1 << 19), |it| Board::new(game).read_move(it).is_ok());
            assert!(!is_move, "{game:?}");
        }
        let points = ["aa", "bb", "cc", "dd"].map(|point| if game == GameType::LinesOfAction { "a1" } else { point });
        let some = |count: usize| value(&points[..count].concat(), |it| Board::new(game).read_move(it).is_ok());
        let counts = if game == GameType::Amazons { [false, false, true, false] } else { [false, true, false, false] };
        assert_eq!([1, 2, 3, 4].map(some), counts, "{game:?}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(ValueError::Corners.to_string(), "corners other than upper left and lower right");
    let error = value("aa:b", |value| value.parse::<Compose<Point, Point>>()).unwrap_err();
    assert_eq!(error.to_string(), "after the `:`: not of this type");
}
