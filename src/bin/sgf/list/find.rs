//! `sgf find`: the games that meet conditions, as rows, as they are in their files, or as a number.

use std::io;
use std::num::NonZeroU64;

use sgf_stream::record::GameFilter;

use crate::args::FindArgs;
use crate::list::columns::Conditions;
use crate::list::{self, Choice, Output};
use crate::session::Outcome;

/// Finds games. Finding none is an outcome of its own, as with grep.
pub(crate) fn run(args: &FindArgs) -> io::Result<Outcome> {
    let output = if args.count {
        Output::count()
    } else if args.sgf {
        Output::games()
    } else {
        Output::rows(&args.table)?
    };
    let Conditions { filter, number } = args.conditions.clone();
    let may_mean_player = filter == GameFilter::new() && number == GameFilter::new();
    let limit = args.limit.map(NonZeroU64::get);
    let choice = Choice { filter, number, limit, unique: args.unique, may_mean_player };
    let (outcome, found) = list::run(&args.inputs, args.threads, choice, output)?;
    Ok(if found == 0 { outcome.max(Outcome::Problems) } else { outcome })
}
