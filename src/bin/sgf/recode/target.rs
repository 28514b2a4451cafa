//! The file that `recode` writes, and whether it is also read.
//!
//! Refuses to know what is written to it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::args::RecodeArgs;
use crate::input::format_of;
use crate::output::is_stdout;

/// An error if this is nothing that SGF can be written to.
pub(super) fn check_target(path: &Path) -> io::Result<()> {
    if path.is_file() && !format_of(&mut File::open(path)?)?.is_plain() {
        return Err(io::Error::other("cannot recode an archive or compressed file in place"));
    }
    if path.is_dir() {
        return Err(io::Error::other(
            "a directory, but --to names one file for all games; for a file each: \
             for f in FOLDER/*.sgf; do sgf recode \"$f\" --to \"DIR/${f##*/}\"; done",
        ));
    }
    Ok(())
}

/// The file that is written, unless it is standard output.
pub(super) fn target(args: &RecodeArgs) -> Option<&Path> {
    args.to.as_deref().filter(|path| !is_stdout(path))
}

/// Whether this file, which is written, is also what is read, by its name or as standard input.
pub(super) fn is_in_place(args: &RecodeArgs, own: &Path) -> bool {
    let stdin = Path::new("/dev/stdin");
    let input = match &args.inputs.paths[..] {
        _ if args.inputs.files_from.is_some() => return false,
        [] => stdin,
        [path] if path == Path::new("-") => stdin,
        [path] => path,
        _ => return false,
    };
    matches!((input.canonicalize(), own.canonicalize()), (Ok(input), Ok(own)) if input == own)
}

/// The file that is written, if it is there and must not be read: a run over a directory would double what an earlier one wrote.
pub(super) fn own(args: &RecodeArgs) -> Option<PathBuf> {
    let own = target(args)?.canonicalize().ok()?;
    (!is_in_place(args, &own)).then_some(own)
}
