//! The end of an input, and what comes after it.

use std::ops::ControlFlow;

use sgf_stream::{Error, Parser, Problem, Visitor};

/// Breaks at every problem.
struct Problems;

impl Visitor for Problems {
    type Break = &'static str;

    fn problem(&mut self, problem: &Problem) -> ControlFlow<&'static str> {
        ControlFlow::Break(problem.name())
    }
}

#[test]
fn bytes_after_the_end_are_refused_also_while_the_end_is_told() {
    for (input, problem) in [(&b"(;A[b"[..], "unexpected-eof"), (b"junk", "junk")] {
        let mut parser = Parser::new();
        assert!(parser.feed(input, &mut Problems).unwrap().is_continue());
        assert_eq!(parser.finish(&mut Problems).unwrap(), ControlFlow::Break(problem));
        assert!(matches!(parser.feed(b"c](;)", &mut Problems), Err(Error::Finished)));
        assert!(parser.feed(b"", &mut Problems).unwrap().is_continue(), "an empty chunk is no news");
        while parser.finish(&mut Problems).unwrap().is_break() {}
        assert!(matches!(parser.feed(b"(;)", &mut Problems), Err(Error::Finished)));
        parser.reset();
        assert!(parser.feed(b"(;)", &mut Problems).unwrap().is_continue());
    }
}
