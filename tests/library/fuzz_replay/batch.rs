//! The iterators give the events that a visitor gets.

use std::ops::ControlFlow::{self, Continue};

use sgf_stream::{Batcher, Charsets, Config, Deliver, Event, Visitor, events};

use super::properties::{Answers, Control, Cuts, Input, Recorder, assert_same, read};

fn record(recorder: &mut Recorder<'_>, event: &Event<'_>) {
    let flow: ControlFlow<()> = match event {
        Event::Enter(tree) => recorder.enter_tree(*tree).map_continue(drop),
        Event::Node(node) => recorder.node(*node).map_continue(drop),
        Event::Property(property) => recorder.property(*property).map_continue(drop),
        Event::Value(value) => recorder.value(*value),
        Event::Exit(end) => recorder.exit_tree(*end),
        Event::Problem(problem) => recorder.problem(problem),
        other => panic!("an unknown kind of event: {other:?}"),
    };
    assert_eq!(flow, Continue(()), "it broke unasked");
}

/// The iterators over the chunks of a stream, however it is cut, and over a slice give the events of a visitor.
pub(crate) fn batch(input: &[u8], control: &Control) {
    let input = &Input::new(input);
    let raw = Config::new().charsets(Charsets::Raw);
    let limited = raw.clone().limits(control.clone().limits());
    for config in [raw, limited] {
        let recorder = || Recorder::new(input, Answers::Read(Deliver::Whole));
        let expected = read(&config, &Cuts::Nowhere, recorder());
        for cuts in [Cuts::Nowhere, Cuts::Everywhere, Cuts::Control(control.clone())] {
            let mut batcher = Batcher::with_config(config.clone());
            let mut got = recorder();
            let mut from = 0;
            for to in cuts.ends(input.bytes.len()) {
                for event in batcher.feed(&input.bytes[from..to]) {
                    record(&mut got, &event.expect("lenient reading goes on"));
                }
                from = to;
            }
            for event in batcher.finish() {
                record(&mut got, &event.expect("lenient reading goes on"));
            }
            assert_same(&expected, &got.records, format_args!("batches, {config:?}, {cuts:?}"), input);
        }
        let mut got = recorder();
        for event in events(input.bytes).config(config.clone()) {
            record(&mut got, &event.expect("lenient reading goes on"));
        }
        assert_same(&expected, &got.records, format_args!("events, {config:?}"), input);
    }
}
