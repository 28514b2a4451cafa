//! The real files that tests read.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files of the folder that `SGF_CORPORA` names, sorted; `None` if it is not set. Its `MANIFEST.tsv`, which lists the
/// sources of the files, is left out.
pub(crate) fn corpora() -> Option<Vec<PathBuf>> {
    let root = PathBuf::from(env::var_os("SGF_CORPORA").filter(|root| !root.is_empty())?);
    let mut files = Vec::new();
    walk(&root, &mut files).unwrap_or_else(|error| panic!("{} cannot be walked: {error}", root.display()));
    files.sort();
    assert!(!files.is_empty(), "{} holds no file", root.display());
    Some(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), files)?;
        } else if kind.is_file() && entry.file_name() != "MANIFEST.tsv" {
            files.push(entry.path());
        }
    }
    Ok(())
}
