//! What visitors answer, and what they receive as a result.

use sgf_stream::{Deliver, Descend, ProblemKind, Step};

use super::oracle::Record;
use super::rng::Rng;

/// What a visitor answers. The numbers count trees or nodes from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plan {
    /// Reads everything, values whole.
    Read,
    /// Reads everything, values in parts.
    Parts,
    /// Reads everything but values.
    NoValues,
    /// Skips that tree.
    Over(u64),
    /// Skips the rest of the tree at that node.
    SkipTree(u64),
    /// Skips the rest of the game at that node.
    SkipGame(u64),
    /// Any of these at random, from this seed.
    Chance(u64),
}

impl Plan {
    fn chance(self, n: u64, salt: u64) -> usize {
        match self {
            Self::Chance(seed) => Rng::new(seed ^ (n * 4 + salt)).below(12),
            _ => 0,
        }
    }

    pub(crate) fn enter(self, n: u64) -> Descend {
        let over = matches!(self, Self::Over(k) if k == n) || self.chance(n, 1) == 11;
        if over { Descend::Over } else { Descend::Into }
    }

    pub(crate) fn node(self, n: u64) -> Step {
        match self {
            Self::SkipTree(k) if k == n => Step::SkipTree,
            Self::SkipGame(k) if k == n => Step::SkipGame,
            _ => match self.chance(n, 2) {
                11 => Step::SkipGame,
                10 => Step::SkipTree,
                _ => Step::Read,
            },
        }
    }

    pub(crate) fn property(self, n: u64) -> Deliver {
        match self {
            Self::Parts => Deliver::Parts,
            Self::NoValues => Deliver::Skip,
            _ => match self.chance(n, 3) {
                8.. => Deliver::Parts,
                4..8 => Deliver::Skip,
                _ => Deliver::Whole,
            },
        }
    }

    /// Whether a break in place of an answer changes nothing.
    pub(crate) fn takes_defaults(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// What a visitor receives that answers by the plan. Of a skipped tree or game, that is its exits and `unclosed-tree` or
/// `truncated-game`; skipped values are left out.
pub(crate) fn applied<'a>(records: &[Record<'a>], plan: Plan) -> Vec<Record<'a>> {
    let (mut enters, mut nodes, mut properties) = (0, 0, 0);
    let mut depth = 0;
    let mut deliver = Deliver::Whole;
    // The depth of the skipped tree, and whether its parents are skipped as well.
    let mut skipped = None;
    let mut left = Vec::new();
    for record in records {
        if let Some((until, game)) = skipped {
            match record {
                Record::Exit { depth: at, .. } if *at == until => {
                    left.push(*record);
                    depth = until - 1;
                    skipped = if game && depth > 0 { Some((depth, game)) } else { None };
                }
                Record::Problem { kind: ProblemKind::UnclosedTree | ProblemKind::TruncatedGame, .. } => {
                    left.push(*record);
                }
                _ => {}
            }
            continue;
        }
        match record {
            Record::Value { .. } if deliver == Deliver::Skip => continue,
            Record::Enter { depth: at, .. } => {
                depth = *at;
                if plan.enter(enters) == Descend::Over {
                    skipped = Some((depth, false));
                }
                enters += 1;
            }
            Record::Node { .. } => {
                skipped = match plan.node(nodes) {
                    Step::Read => None,
                    Step::SkipTree => Some((depth, false)),
                    Step::SkipGame => Some((depth, true)),
                };
                nodes += 1;
            }
            Record::Property { .. } => {
                deliver = plan.property(properties);
                properties += 1;
            }
            Record::Exit { .. } => depth -= 1,
            _ => {}
        }
        left.push(*record);
    }
    left
}
