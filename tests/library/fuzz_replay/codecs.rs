//! A game read alone gives the same events as in its stream.

use bytes::BytesMut;
use sgf_stream::{Charsets, Config, Deliver, Frame, GameDecoder, Parser, ProblemKind};
use tokio_util::codec::Decoder;

use super::properties::{Answers, Control, Cuts, Input, Record, Recorder, assert_same, read};

fn frames(config: &Config, cuts: &Cuts, input: &[u8]) -> Vec<Frame> {
    let mut decoder = GameDecoder::with_config(config.clone());
    let mut buffer = BytesMut::new();
    let mut frames = Vec::new();
    let mut from = 0;
    for to in cuts.ends(input.len()) {
        buffer.extend_from_slice(&input[from..to]);
        while let Some(frame) = decoder.decode(&mut buffer).expect("lenient reading goes on") {
            frames.push(frame);
        }
        from = to;
    }
    while let Some(frame) = decoder.decode_eof(&mut buffer).expect("lenient reading goes on") {
        frames.push(frame);
    }
    frames
}

/// However a stream is cut, the decoder finds the same games, byte for byte. Read one by one, together with the problems
/// between them, they give the events of the whole.
pub(crate) fn codecs(input: &[u8], control: &Control) {
    let input = &Input::new(input);
    let raw = Config::new().charsets(Charsets::Raw);
    let limited = raw.clone().limits(control.clone().limits());
    for config in [&raw, &limited] {
        let expected = frames(config, &Cuts::Nowhere, input.bytes);
        for cuts in [Cuts::Everywhere, Cuts::Control(control.clone())] {
            let got = frames(config, &cuts, input.bytes);
            assert_eq!(expected, got, "{config:?}, {cuts:?}, of {}", input.bytes.escape_ascii());
        }
    }

    let mut parser = Parser::with_config(raw.clone());
    let mut recorder = Recorder::new(input, Answers::Read(Deliver::Whole));
    for frame in frames(&raw, &Cuts::Nowhere, input.bytes) {
        match frame {
            Frame::Game(game) => {
                let start = game.position.offset as usize;
                assert_eq!(game.bytes, input.bytes[start..start + game.bytes.len()], "the bytes of a game");
                parser.reset_within(game.position, game.stream);
                let flow = parser.read_slice(&game.bytes, &mut recorder).expect("lenient reading goes on");
                assert!(flow.is_continue(), "it broke unasked");
            }
            // Reading the next game reports these.
            Frame::Problem(problem)
                if matches!(problem.kind(), ProblemKind::UnexpectedEof | ProblemKind::UnclosedTree) => {}
            Frame::Problem(problem) => recorder.records.push(Record::Problem(problem)),
            other => panic!("an unknown kind of frame: {other:?}"),
        }
    }
    let expected = read(&raw, &Cuts::Nowhere, Recorder::new(input, Answers::Read(Deliver::Whole)));
    assert_same(&expected, &recorder.records, format_args!("game by game"), input);
}
