//! What to do where a block was cut and its parser cannot yet say whether that was right, or where the value open there ends.
//!
//! Owns these questions, which the parser itself answers, given the bytes that come next. At a game's beginning, the game
//! before may be truncated; the reader of what comes next need not have read it. Before a game or behind a tree, a text may
//! go on, which may depend on bytes behind the cut.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::syntax::{
    Deliver, Descend, Error, Node, Parser, Part, Position, Problem, Property, Step, Tree, TreeEnd, Value, Visitor,
};

/// What the place where a block ends is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// A game begins there.
    Game,
    /// A tree inside a game ends right before it and leaves this many open.
    Tree(u64),
}

/// If the place where these bytes begin is what is claimed, delivers what comes before it, and returns the outcome. Otherwise
/// nothing has happened.
///
/// After that the parser is of no more use: it may have read on.
pub(super) fn end_before<V: Visitor>(
    parser: &mut Parser,
    claim: Claim,
    next: &[u8],
    visitor: &mut V,
) -> Option<Result<ControlFlow<V::Break>, Error>> {
    let cut = parser.offset();
    let mut probe = UpTo { visitor: Nobody, claim, cut, last: None };
    // A problem is no answer to the question; it is an error if the real parser meets it.
    match parser.clone().lenient().feed(next, &mut probe) {
        Ok(ControlFlow::Break(Stop::There)) if probe.is_right() => {}
        _ => return None,
    }
    let read = parser.feed(next, &mut UpTo { visitor, claim, cut, last: None });
    if let Claim::Tree(_) = claim {
        parser.leave();
    }
    Some(match read {
        Ok(ControlFlow::Break(Stop::Visitor(stop))) => Ok(ControlFlow::Break(stop)),
        Ok(_) => Ok(ControlFlow::Continue(())),
        Err(error) => Err(error),
    })
}

enum Stop<B> {
    /// This is the first event behind the place.
    There,
    Visitor(B),
}

struct Nobody;

impl Visitor for Nobody {
    type Break = Infallible;
}

/// Delivers everything before a place.
struct UpTo<V> {
    visitor: V,
    claim: Claim,
    cut: u64,
    /// Where the last tree began or ended, and how many it left open, if that was the last event.
    last: Option<(u64, u64)>,
}

impl<V: Visitor> UpTo<V> {
    fn is_right(&self) -> bool {
        self.last
            == Some(match self.claim {
                Claim::Game => (self.cut, 1),
                Claim::Tree(depth) => (self.cut - 1, depth),
            })
    }

    /// Passes an event at this position, unless it comes after the place.
    fn pass<T>(
        &mut self,
        position: Position,
        last: Option<u64>,
        deliver: impl FnOnce(&mut V) -> ControlFlow<V::Break, T>,
    ) -> ControlFlow<Stop<V::Break>, T> {
        if matches!(self.claim, Claim::Tree(_)) && position.offset >= self.cut {
            return ControlFlow::Break(Stop::There);
        }
        self.last = last.map(|depth| (position.offset, depth));
        deliver(&mut self.visitor).map_break(Stop::Visitor)
    }
}

/// Without `moves`: reading may stop before each node.
impl<V: Visitor> Visitor for UpTo<V> {
    type Break = Stop<V::Break>;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        // Games before the place were in a text, as it seemed up to there.
        if self.claim == Claim::Game && tree.depth() == 1 && tree.position().offset >= self.cut {
            self.last = Some((tree.position().offset, 1));
            return ControlFlow::Break(Stop::There);
        }
        self.pass(tree.position(), None, |visitor| visitor.enter_tree(tree))
    }

    fn node(&mut self, node: Node) -> ControlFlow<Self::Break, Step> {
        self.pass(node.position(), None, |visitor| visitor.node(node))
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        self.pass(property.position(), None, |visitor| visitor.property(property))
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        self.pass(value.position(), None, |visitor| visitor.value(value))
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Self::Break> {
        self.pass(part.position(), None, |visitor| visitor.part(part))
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        self.pass(end.position(), Some(end.depth() - 1), |visitor| visitor.exit_tree(end))
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        self.pass(problem.position(), None, |visitor| visitor.problem(problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Config, ProblemKind};

    #[derive(Default)]
    struct Recorder(Vec<String>);

    impl Visitor for Recorder {
        type Break = Infallible;

        fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Infallible> {
            self.0.push(format!("exit {}", end.position().offset));
            ControlFlow::Continue(())
        }

        fn problem(&mut self, problem: &Problem) -> ControlFlow<Infallible> {
            let name = if problem.kind() == ProblemKind::TruncatedGame { "truncated" } else { "other" };
            self.0.push(format!("{name} {}", problem.position().offset));
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn a_truncated_game_is_ended_before_the_next_one() {
        let (named, unnamed) = (&b"(;FF[4]GM[1]PB[x];B[aa])"[..], &b"(;FF[4]GM[1];B[aa])"[..]);
        for (text, next, expected) in [
            (&b"(;FF[4]GM[1];B[pd]\n"[..], unnamed, Some("truncated 19 exit 19")),
            (b"(;FF[4]GM[1](;B[pd]C[so long", unnamed, Some("other 20 truncated 28 exit 28 exit 28")),
            (b"(;FF[4]GM[1](;FF[4]GM[1]) ", named, Some("truncated 26 exit 26")),
            // In a joseki file, variations may have root properties.
            (b"(;FF[4]GM[1](;FF[4]GM[1]) ", unnamed, None),
        ] {
            let mut parser = Parser::with_config(Config::new().resync(true));
            let mut heard = Recorder::default();
            let _ = parser.feed(text, &mut heard).expect("not strict");
            heard.0.clear();
            let ended = end_before(&mut parser, Claim::Game, next, &mut heard).is_some();
            assert_eq!(ended.then(|| heard.0.join(" ")).as_deref(), expected, "{}", text.escape_ascii());
            assert!(ended || heard.0.is_empty());
        }
    }

    #[test]
    fn a_text_before_the_end_of_a_tree_is_ended_or_goes_on() {
        for (text, depth, next, expected) in [
            (&b"(;GM[1](;C[x])"[..], 1, &b"(;B[aa])"[..], Some("exit 13")),
            (b"(;GM[1](;C[x])", 1, b"\n;B[aa])", Some("exit 13")),
            (b"(;GM[1](;C[x])", 2, b"(;B[aa])", None),
            // A bracket in a text, as the `]` shows.
            (b"(;GM[1](;C[x])", 1, b" and so on](;B[aa])", None),
            (b"(;GM[1](;C[x])", 1, b"", None),
            (b"(;GM[1](;C[x)", 1, b"](;B[aa])", None),
        ] {
            let mut parser = Parser::with_config(Config::new().repair_brackets(true));
            let mut heard = Recorder::default();
            let _ = parser.feed(text, &mut heard).expect("not strict");
            heard.0.clear();
            let ended = end_before(&mut parser, Claim::Tree(depth), next, &mut heard).is_some();
            assert_eq!(ended.then(|| heard.0.join(" ")).as_deref(), expected, "{}", text.escape_ascii());
            assert!(ended || heard.0.is_empty());
        }
    }
}
