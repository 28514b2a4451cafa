//! `GameDecoder`, the codec that cuts a stream into games.
//!
//! `check` compares its games and problems with the oracle, at every capacity and stall.

use std::convert::Infallible;
use std::io::{self, Cursor};
use std::ops::{ControlFlow, Range};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use futures_util::StreamExt;
use sgf_stream::text::EscapeUnit;
use sgf_stream::{Config, Error, Frame, GameDecoder, Limits, Parser, Position, Problem, StreamCharset, Visitor};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::{Decoder, FramedRead};

use crate::support::compare;

fn up_to(limit: u64) -> Config {
    let mut limits = Limits::new();
    limits.game = limit;
    Config::new().limits(limits)
}

/// A frame as a short line.
fn describe(frame: &Frame) -> String {
    match frame {
        Frame::Game(game) => format!("{} {}", game.position.offset, game.bytes.escape_ascii()),
        Frame::Problem(problem) => describe_problem(problem),
        _ => panic!("{frame:?} is new"),
    }
}

fn describe_problem(problem: &Problem) -> String {
    let span = problem.span();
    format!("! {} {}..{}", problem.name(), span.start, span.end)
}

/// All frames of an input, which must not depend on the size of the pieces.
fn frames(config: &Config, input: &[u8]) -> Vec<String> {
    let mut results = Vec::new();
    for size in [1, 2, 3, 7, 64, 4_096] {
        let mut decoder = GameDecoder::with_config(config.clone());
        let mut buffer = BytesMut::new();
        let mut frames = Vec::new();
        for piece in input.chunks(size) {
            buffer.extend_from_slice(piece);
            while let Some(frame) = decoder.decode(&mut buffer).expect("lenient reading goes on") {
                frames.push(describe(&frame));
            }
        }
        while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
            frames.push(describe(&frame));
        }
        assert!(buffer.is_empty(), "{} bytes are left of {}", buffer.len(), input.escape_ascii());
        results.push(frames);
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "the size of the pieces matters: {results:#?}");
    results.swap_remove(0)
}

#[test]
fn games_and_problems_between_them_are_items() {
    assert_eq!(
        frames(&Config::new(), b" (;B[)])junk\n( ;(;)) ) (FF[4]"),
        ["1 (;B[)])", "! junk 8..13", "13 ( ;(;))", "! unmatched-close 21..22", "! unclosed-tree 29..29", "23 (FF[4]"]
    );
}

#[test]
fn problems_inside_a_game_are_left_to_its_reader() {
    assert_eq!(frames(&Config::new(), b"(;%[x]b(()))"), ["0 (;%[x]b(()))"]);
    assert_eq!(frames(&Config::new(), b"(;B[x"), ["! unclosed-tree 5..5", "0 (;B[x"]);
}

/// Keeps the problems that it is told.
#[derive(Default)]
struct Problems(Vec<String>);

impl Visitor for Problems {
    type Break = Infallible;

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
        self.0.push(describe_problem(problem));
        ControlFlow::Continue(())
    }
}

#[test]
fn that_a_game_is_cut_off_is_reported_once() {
    let input = b"(;GM[1]FF[4];B[aa]\n(;GM[1]FF[4];B[bb](;%W[cc])\n(;GM[1]FF[4];B[dd](;C[x";
    for (config, expected) in [(Config::archives(), 2), (Config::new(), 0)] {
        let mut whole = Problems::default();
        let _ = Parser::with_config(config.clone()).read_slice(input, &mut whole).unwrap();
        let is_cut = |it: &&String| it.contains("truncated-game");
        assert_eq!(whole.0.iter().filter(is_cut).count(), expected, "{:?}", whole.0);

        let (mut found, mut parser) = (Problems::default(), Parser::with_config(config.clone()));
        let mut decoder = GameDecoder::with_config(config);
        let mut buffer = BytesMut::from(&input[..]);
        while let Some(frame) = decoder.decode_eof(&mut buffer).unwrap() {
            match frame {
                Frame::Game(game) => {
                    let _ = game.read(&mut parser, &mut found).unwrap();
                }
                Frame::Problem(problem) => found.0.push(describe_problem(&problem)),
                _ => panic!("{frame:?} is new"),
            }
        }
        whole.0.sort();
        found.0.sort();
        assert_eq!(found.0, whole.0);
        // A parser that is reset knows nothing of the end.
        let mut again = Problems::default();
        parser.reset();
        let _ = parser.read_slice(b"(;", &mut again).unwrap();
        assert_eq!(again.0, ["! unclosed-tree 2..2"]);
    }
}

#[test]
fn empty_input_gives_no_item() {
    assert_eq!(frames(&Config::new(), b""), [""; 0]);
    assert_eq!(frames(&Config::new(), b" \n\xEF\xBB\xBF "), [""; 0]);
}

#[test]
fn a_game_has_the_position_of_its_parenthesis() {
    let mut decoder = GameDecoder::new();
    let mut buffer = BytesMut::from(&b"\r\n\n (;)"[..]);
    let Ok(Some(Frame::Game(game))) = decoder.decode(&mut buffer) else { panic!("there is a game") };
    let mut position = Position::START;
    (position.offset, position.line, position.column) = (4, 3, 2);
    assert_eq!(game.position, position);
}

#[test]
fn a_game_over_the_limit_is_one_item_and_reading_goes_on() {
    let input = b"(;B[aa])(;B[aa];W[bb];B[cc](;))x(;B[aa])";
    assert_eq!(frames(&up_to(8), input), ["0 (;B[aa])", "! limit-game 8..31", "! junk 31..32", "32 (;B[aa])"]);
    assert_eq!(frames(&up_to(7), b"(;B[aa])(;)"), ["! limit-game 0..8", "8 (;)"]);
    assert_eq!(frames(&up_to(22), input)[1], "! limit-game 8..31");
    assert_eq!(frames(&up_to(23), input)[1], "8 (;B[aa];W[bb];B[cc](;))");
}

#[test]
fn a_game_over_the_limit_that_never_ends_is_one_item() {
    assert_eq!(frames(&up_to(4), b"(;B[aa"), ["! unclosed-tree 6..6", "! limit-game 0..6"]);
}

/// The most bytes that a decoder held while the input came in pieces of 1,000, and its frames.
fn held(config: Config, input: impl Iterator<Item = u8>) -> (usize, Vec<String>) {
    let input: Vec<u8> = input.collect();
    let mut decoder = GameDecoder::with_config(config);
    let mut buffer = BytesMut::new();
    let (mut most, mut frames) = (0, Vec::new());
    for piece in input.chunks(1_000) {
        buffer.extend_from_slice(piece);
        while let Some(frame) = decoder.decode(&mut buffer).expect("lenient reading goes on") {
            frames.push(describe(&frame));
        }
        most = most.max(buffer.len());
    }
    while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
        frames.push(describe(&frame));
    }
    (most, frames)
}

fn repeat(pattern: &[u8], len: usize) -> impl Iterator<Item = u8> {
    pattern.iter().copied().cycle().take(len)
}

#[test]
fn no_more_is_held_than_the_limit() {
    const LEN: usize = 3_000_000;
    let limit = 5_000;
    for (start, pattern) in [
        (&b"(;C["[..], &b"x"[..]),
        (b"(", b";B[aa]"),
        (b"(;", b"(;"),
        (b"(", b" \n"),
        (b"", b"("),
        (b"", b"junk"),
        (b"", b"\xEF\xBB\xBF"),
        (b"(", b"AB"),
        (b"(;)", b") "),
    ] {
        let input = start.iter().copied().chain(repeat(pattern, LEN));
        let (most, _) = held(up_to(limit as u64), input);
        assert!(most <= limit, "{most} bytes of {}{}...", start.escape_ascii(), pattern.escape_ascii());
    }
}

/// A look may go past the limit before it finds that the game ended before it.
#[test]
fn bytes_held_for_a_look_do_not_count_as_the_game() {
    let config = up_to(100).repair_brackets(true);
    let input = [&b"(;C[a])"[..], &b"hello ".repeat(34)].concat();
    assert_eq!(frames(&config, &input), ["0 (;C[a])", "! junk 7..211"]);
    let input = [&b"(;C[a])"[..], &b"hello ".repeat(34), b"(;C[b])"].concat();
    assert_eq!(frames(&config, &input), ["0 (;C[a])", "! junk 7..211", "211 (;C[b])"]);
}

#[test]
fn a_semicolon_may_be_far_from_its_parenthesis() {
    let spaced = |len| b"(".iter().copied().chain(repeat(b" ", len)).chain(*b";B[aa])(;)");
    let (_, found) = held(up_to(5_000), spaced(4_000));
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("0 (   ") && found[0].ends_with("  ;B[aa])"), "{found:?}");
    let (most, found) = held(up_to(5_000), spaced(1_000_000));
    assert!(most <= 5_000, "{most} bytes");
    assert_eq!(found, ["! limit-game 0..1000008", "1000008 (;)"]);
    // Without a `;` it is junk.
    let (_, found) = held(up_to(5_000), b"(".iter().copied().chain(repeat(b" ", 1_000_000)).chain(*b"x(;)"));
    assert_eq!(found, ["! junk 0..1000002", "1000002 (;)"]);
}

#[test]
fn the_default_limit_is_16_mib() {
    let over = GameDecoder::DEFAULT_LIMIT as usize + 1;
    let input = |len: usize| b"(;C[".iter().copied().chain(repeat(b"x", len - 6)).chain(*b"])(;)");
    let (_, found) = held(Config::new(), input(over - 1));
    assert_eq!((found[0].len(), found.len()), (over - 1 + 2, 2));
    let (most, found) = held(Config::new(), input(over));
    assert_eq!(found, [format!("! limit-game 0..{over}"), format!("{over} (;)")]);
    assert!(most < over);
}

/// The addresses of bytes.
fn place(bytes: &[u8]) -> Range<usize> {
    let start = bytes.as_ptr() as usize;
    start..start + bytes.len()
}

#[test]
fn games_are_slices_of_the_input_buffer() {
    let mut buffer = BytesMut::from(&b"x(;B[aa]) (;W[bb]) (;"[..]);
    let whole = place(&buffer);
    let mut decoder = GameDecoder::new();
    let mut games = Vec::new();
    while let Some(frame) = decoder.decode(&mut buffer).expect("lenient reading goes on") {
        if let Frame::Game(game) = frame {
            games.push(game);
        }
    }
    let starts: Vec<usize> = games.iter().map(|game| place(&game.bytes).start - whole.start).collect();
    assert_eq!(starts, [1, 10], "in place, not copied");
    assert_eq!(place(&buffer).end, whole.end);
}

#[test]
fn a_strict_decoder_ends_at_the_first_problem_between_games() {
    let config = Config::new().strict(true);
    let mut decoder = GameDecoder::with_config(config.clone());
    let mut buffer = BytesMut::from(&b"(;%)(;) x (;)"[..]);
    assert!(matches!(decoder.decode(&mut buffer), Ok(Some(Frame::Game(_)))));
    assert!(matches!(decoder.decode(&mut buffer), Ok(Some(Frame::Game(_)))));
    for _ in 0..2 {
        match decoder.decode(&mut buffer) {
            Err(Error::Strict(problem)) => assert_eq!(describe_problem(&problem), "! junk 8..10"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_game_over_the_limit_ends_a_strict_decoder() {
    let mut decoder = GameDecoder::with_config(up_to(4).strict(true));
    let mut buffer = BytesMut::from(&b"(;)(;;;;;)"[..]);
    assert!(matches!(decoder.decode(&mut buffer), Ok(Some(Frame::Game(_)))));
    match decoder.decode(&mut buffer) {
        Err(Error::Strict(problem)) => assert_eq!(describe_problem(&problem), "! limit-game 3..10"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn framed_read_yields_the_games_of_a_source() {
    let source = Cursor::new(b"(;B[aa])\n(;W[bb])");
    let found: Vec<String> = FramedRead::with_capacity(source, GameDecoder::new(), 256 << 10)
        .map(|frame| describe(&frame.expect("a cursor does not fail")))
        .collect()
        .await;
    assert_eq!(found, ["0 (;B[aa])", "9 (;W[bb])"]);
}

#[test]
fn a_game_reads_alone_as_in_the_stream() {
    let mut decoder = GameDecoder::new();
    let mut buffer = BytesMut::from(&b"(;B[aa]%(()))(B[](;)x[y])(;C[a"[..]);
    let mut games = 0;
    while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
        if let Frame::Game(game) = frame {
            compare(&game.bytes);
            games += 1;
        }
    }
    assert_eq!(games, 3);
}

/// Games are compared, too: equal ones in one stream are equal except for their position.
#[test]
fn what_a_game_declares_is_not_said_of_its_stream() {
    for unit in [EscapeUnit::Byte, EscapeUnit::Auto] {
        let mut decoder = GameDecoder::with_config(Config::new().escape_unit(unit));
        let mut buffer = BytesMut::from(&b"(;CA[GBK]C[\xB0\xD7])(;CA[Big5]C[\xA6\x5D])(;CA[GBK]C[\xB0\xD7])"[..]);
        let mut streams = Vec::new();
        while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
            let Frame::Game(game) = frame else { panic!("{frame:?}") };
            streams.push(game.stream);
        }
        assert!(streams == [StreamCharset::default(); 3], "{unit:?}");
    }
}

#[test]
fn the_error_that_ends_strict_decoding_comes_again() {
    let mut decoder = GameDecoder::with_config(up_to(5).strict(true));
    let mut buffer = BytesMut::from(&b"(;B[aa])(;)"[..]);
    for _ in 0..3 {
        let error = decoder.decode(&mut buffer).unwrap_err();
        assert!(matches!(error, Error::Strict(problem) if problem.name() == "limit-game"), "{error}");
    }
}

/// All frames of a source that ends after each of these pieces, and goes on.
fn resumed(config: &Config, pieces: &[&[u8]]) -> Vec<String> {
    let mut decoder = GameDecoder::with_config(config.clone());
    let (mut buffer, mut frames) = (BytesMut::new(), Vec::new());
    for piece in pieces {
        buffer.extend_from_slice(piece);
        while let Some(frame) = decoder.decode(&mut buffer).expect("a source may go on") {
            frames.push(describe(&frame));
        }
        // Once more, as at a source that says several times that it has ended.
        for _ in 0..2 {
            while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
                frames.push(describe(&frame));
            }
            assert!(buffer.is_empty(), "{}", buffer.escape_ascii());
        }
    }
    frames
}

#[test]
fn a_source_may_go_on_after_its_end() {
    let config = Config::new();
    assert_eq!(resumed(&config, &[b"(;B[aa])\n", b"", b"(;B[bb])"]), ["0 (;B[aa])", "9 (;B[bb])"]);
    // What was open was closed at the end.
    let found = resumed(&config, &[b"(;B[aa]", b";B[bb])", b"(", b";B[cc])(;B[dd])"]);
    let expected =
        ["! unclosed-tree 7..7", "0 (;B[aa]", "! junk 7..14", "! junk 14..15", "! junk 15..22", "22 (;B[dd])"];
    assert_eq!(found, expected);
    // The beginning of the stream speaks for all of it.
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let (first, second) = (wide("\u{FEFF}(;B[aa])"), wide("\r\n(;B[bb])"));
    let found = resumed(&config, &[&first, &second]);
    let game = |offset: usize, text| format!("{offset} {}", wide(text).escape_ascii());
    assert_eq!(found, [game(2, "(;B[aa])"), game(22, "(;B[bb])")]);
}

#[test]
fn strict_decoding_stays_ended_when_a_source_goes_on() {
    let mut decoder = GameDecoder::with_config(Config::new().strict(true));
    let mut buffer = BytesMut::from(&b"(;B[aa]"[..]);
    assert!(decoder.decode_eof(&mut buffer).is_err());
    buffer.extend_from_slice(b")(;)");
    assert!(matches!(decoder.decode(&mut buffer), Err(Error::Strict(problem)) if problem.name() == "unclosed-tree"));
}

#[tokio::test]
async fn framed_read_goes_on_with_its_source() {
    /// A source that ends after each piece.
    struct Pieces(std::vec::IntoIter<&'static [u8]>);

    impl AsyncRead for Pieces {
        fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            buffer.put_slice(self.0.next().unwrap_or_default());
            Poll::Ready(Ok(()))
        }
    }

    let pieces = vec![&b"(;B[aa])"[..], b"", b"\n(;W[bb])"];
    let mut frames = FramedRead::new(Pieces(pieces.into_iter()), GameDecoder::new());
    for expected in [Some("0 (;B[aa])"), None, Some("9 (;W[bb])"), None] {
        let frame = frames.next().await.map(|frame| describe(&frame.expect("the source does not fail")));
        assert_eq!(frame.as_deref(), expected);
    }
}

#[test]
fn problems_over_the_limit_are_counted() {
    let mut limits = Limits::new();
    limits.problems = 1;
    let mut decoder = GameDecoder::with_config(Config::new().limits(limits));
    let mut buffer = BytesMut::from(&b"(;) ) ) ) (;)"[..]);
    while decoder.decode_eof(&mut buffer).expect("lenient reading goes on").is_some() {}
    assert_eq!(decoder.parser().suppressed_problems(), 2);
}
