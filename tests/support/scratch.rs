//! Folders for what tests write, each of one test alone.
//!
//! Tests run at the same time, so two with one folder would fail now and then. Here the second that wants it always fails.

#![allow(dead_code, reason = "with some features, only a part of it is used")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, thread};

/// The test that has each path.
static OWNERS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// An empty folder of this test. The group names the module.
#[track_caller]
pub(crate) fn folder(group: &str, name: &str) -> PathBuf {
    let root = own(group, name);
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    root
}

/// A path that no other test may have, in the folder of the group.
#[track_caller]
pub(crate) fn own(group: &str, name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(group).join(name);
    // The thread of a test has its name; threads that it starts have none.
    if let Some(test) = thread::current().name() {
        let mut owners = OWNERS.lock().unwrap_or_else(PoisonError::into_inner);
        let owner = owners.entry(path.clone()).or_insert_with(|| test.to_owned()).clone();
        drop(owners);
        assert_eq!(owner, test, "{} is of another test", path.display());
    }
    path
}
