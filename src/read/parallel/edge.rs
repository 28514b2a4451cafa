//! A game that has not ended where the next one seems to begin.
//!
//! Owns the question whether it ends there, which the parser itself answers, given the bytes that come next. Most such
//! games are truncated; the reader of what comes next need not have read them.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::syntax::{
    Deliver, Descend, Error, Node, Parser, Part, Problem, Property, Step, Tree, TreeEnd, Value, Visitor,
};

/// If the game in progress ends where these bytes begin, ends it, and returns the outcome. Otherwise nothing has happened.
///
/// After that the parser is of no more use: it may have read on.
pub(super) fn end_before<V: Visitor>(
    parser: &mut Parser,
    next: &[u8],
    visitor: &mut V,
) -> Option<Result<ControlFlow<V::Break>, Error>> {
    let cut = parser.offset();
    match parser.clone().feed(next, &mut UpToGame(Nobody)) {
        Ok(ControlFlow::Break(Stop::Game(offset))) if offset == cut => {}
        _ => return None,
    }
    Some(match parser.feed(next, &mut UpToGame(visitor)) {
        Ok(ControlFlow::Break(Stop::Visitor(stop))) => Ok(ControlFlow::Break(stop)),
        Ok(_) => Ok(ControlFlow::Continue(())),
        Err(error) => Err(error),
    })
}

enum Stop<B> {
    /// A game begins there.
    Game(u64),
    Visitor(B),
}

struct Nobody;

impl Visitor for Nobody {
    type Break = Infallible;
}

/// Delivers everything before the next game.
struct UpToGame<V>(V);

impl<V: Visitor> Visitor for UpToGame<V> {
    type Break = Stop<V::Break>;

    fn enter_tree(&mut self, tree: Tree) -> ControlFlow<Self::Break, Descend> {
        if tree.depth() == 1 {
            return ControlFlow::Break(Stop::Game(tree.position().offset));
        }
        self.0.enter_tree(tree).map_break(Stop::Visitor)
    }

    fn node(&mut self, node: Node) -> ControlFlow<Self::Break, Step> {
        self.0.node(node).map_break(Stop::Visitor)
    }

    fn property(&mut self, property: Property<'_>) -> ControlFlow<Self::Break, Deliver> {
        self.0.property(property).map_break(Stop::Visitor)
    }

    fn value(&mut self, value: Value<'_>) -> ControlFlow<Self::Break> {
        self.0.value(value).map_break(Stop::Visitor)
    }

    fn part(&mut self, part: Part<'_>) -> ControlFlow<Self::Break> {
        self.0.part(part).map_break(Stop::Visitor)
    }

    fn exit_tree(&mut self, end: TreeEnd) -> ControlFlow<Self::Break> {
        self.0.exit_tree(end).map_break(Stop::Visitor)
    }

    fn problem(&mut self, problem: &Problem) -> ControlFlow<Self::Break> {
        self.0.problem(problem).map_break(Stop::Visitor)
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
            let ended = end_before(&mut parser, next, &mut heard).is_some();
            assert_eq!(ended.then(|| heard.0.join(" ")).as_deref(), expected, "{}", text.escape_ascii());
            assert!(ended || heard.0.is_empty());
        }
    }
}
