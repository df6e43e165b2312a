//! The one way to a private folder: from the root, step by step, so that nothing on it is believed that another user could
//! have placed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{DirBuilder, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use crate::Purpose;
use crate::error::{Fault, FolderError, Found};
use crate::user::{User, is_own_group};

/// Links that are followed, as many as the kernel follows (path_resolution(7)).
const LINKS: u32 = 40;

/// Permission bits and the sticky bit.
const BITS: u32 = 0o7777;
const STICKY: u32 = 0o1000;

/// Opens a folder of this user's; makes it, with mode 0700, if it is missing. Returns its absolute path without links.
///
/// # Errors
/// When it belongs to another user, allows others more than its purpose, or when another user could have placed it or could
/// replace it: a folder or link on the way that is neither root's nor this user's, or that others may write to and has no
/// sticky bit. Folders that a group may write to are trusted if this process is in that group.
pub fn open(path: &Path, purpose: Purpose) -> Result<PathBuf, FolderError> {
    match walk(path, purpose, true) {
        Ok(Some(folder)) => Ok(folder),
        Ok(None) => unreachable!("what is missing is made"),
        Err(fault) => Err(FolderError { purpose, folder: path.to_owned(), fault }),
    }
}

/// Opens a folder as [`open`] does, but makes nothing; `None` if it is missing.
///
/// # Errors
/// As [`open`].
pub fn existing(path: &Path, purpose: Purpose) -> Result<Option<PathBuf>, FolderError> {
    walk(path, purpose, false).map_err(|fault| FolderError { purpose, folder: path.to_owned(), fault })
}

fn walk(path: &Path, purpose: Purpose, make: bool) -> Result<Option<PathBuf>, Fault> {
    let absolute = std::path::absolute(path).map_err(|source| Fault::System { at: path.to_owned(), source })?;
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    let mut left: VecDeque<OsString> = steps(&absolute);
    let mut found = look(&at)?.ok_or_else(|| Fault::NoFolder(at.clone()))?;
    while let Some(step) = left.pop_front() {
        passes(&at, &found)?;
        if step == ".." {
            at.pop();
            found = look(&at)?.ok_or_else(|| Fault::NoFolder(at.clone()))?;
            continue;
        }
        let next = at.join(&step);
        let there = match look(&next)? {
            Some(there) => there,
            None if make => create(&next)?,
            None => return Ok(None),
        };
        if there.is_symlink() {
            links += 1;
            if links > LINKS {
                return Err(Fault::Links);
            }
            if !is_trusted(there.uid()) {
                return Err(Fault::OwnerOnTheWay(describe(&next, &there)));
            }
            let target = std::fs::read_link(&next).map_err(|source| Fault::System { at: next, source })?;
            if target.is_absolute() {
                at = PathBuf::from("/");
                found = look(&at)?.ok_or_else(|| Fault::NoFolder(at.clone()))?;
            }
            let mut steps = steps(&target);
            steps.append(&mut left);
            left = steps;
            continue;
        }
        if !there.is_dir() {
            return Err(Fault::NoFolder(next));
        }
        (at, found) = (next, there);
    }
    private(&at, &found, purpose)?;
    Ok(Some(at))
}

/// The names of a path, the root left out.
fn steps(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}

/// What is there, no link followed; `None` if there is nothing.
fn look(at: &Path) -> Result<Option<Metadata>, Fault> {
    match std::fs::symlink_metadata(at) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Fault::System { at: at.to_owned(), source }),
    }
}

/// Makes a folder and answers what is there then: somebody else may have been quicker.
fn create(at: &Path) -> Result<Metadata, Fault> {
    let failed = |source| Fault::System { at: at.to_owned(), source };
    match DirBuilder::new().mode(0o700).create(at) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(error)),
        _ => std::fs::symlink_metadata(at).map_err(failed),
    }
}

fn is_trusted(owner: u32) -> bool {
    let owner = User(owner);
    owner == User::ROOT || owner == User::current()
}

/// Whether nobody but root and this user can replace what is in a folder and theirs.
fn passes(at: &Path, found: &Metadata) -> Result<(), Fault> {
    if !is_trusted(found.uid()) {
        return Err(Fault::OwnerOnTheWay(describe(at, found)));
    }
    let by_group = found.mode() & 0o020 != 0 && !is_own_group(found.gid());
    let by_others = found.mode() & 0o002 != 0;
    if (by_group || by_others) && found.mode() & STICKY == 0 {
        return Err(Fault::Writable(describe(at, found)));
    }
    Ok(())
}

/// Whether the folder itself is this user's alone.
fn private(at: &Path, found: &Metadata, purpose: Purpose) -> Result<(), Fault> {
    if User(found.uid()) != User::current() {
        return Err(Fault::Owner(describe(at, found)));
    }
    if found.mode() & 0o077 & !purpose.allowed != 0 {
        let readable = purpose.allowed & 0o044 != 0;
        return Err(Fault::Open(describe(at, found), if readable { 0o700 | purpose.allowed } else { 0o700 }));
    }
    Ok(())
}

fn describe(at: &Path, found: &Metadata) -> Found {
    Found { at: at.to_owned(), owner: User(found.uid()), mode: found.mode() & BITS }
}
