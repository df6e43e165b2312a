//! The one way to a private folder: from the root, step by step, so that nothing on it is believed that another user could
//! have placed.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{DirBuilder, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use crate::FolderPurpose;
use crate::error::{FolderError, FolderFault, PathEntry};
use crate::user::{LocalUser, is_own_group};

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
pub fn open(path: &Path, purpose: FolderPurpose) -> Result<PathBuf, FolderError> {
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
pub fn existing(path: &Path, purpose: FolderPurpose) -> Result<Option<PathBuf>, FolderError> {
    walk(path, purpose, false).map_err(|fault| FolderError { purpose, folder: path.to_owned(), fault })
}

fn walk(path: &Path, purpose: FolderPurpose, make: bool) -> Result<Option<PathBuf>, FolderFault> {
    let absolute = std::path::absolute(path).map_err(|source| FolderFault::System { at: path.to_owned(), source })?;
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    let mut left: VecDeque<OsString> = steps(&absolute);
    let mut found = look(&at)?.ok_or_else(|| FolderFault::NoFolder(at.clone()))?;
    while let Some(step) = left.pop_front() {
        passes(&at, &found)?;
        if step == ".." {
            at.pop();
            found = look(&at)?.ok_or_else(|| FolderFault::NoFolder(at.clone()))?;
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
                return Err(FolderFault::Links);
            }
            if !is_trusted(there.uid()) {
                return Err(FolderFault::OwnerOnTheWay(describe(&next, &there)));
            }
            let target = std::fs::read_link(&next).map_err(|source| FolderFault::System { at: next, source })?;
            if target.is_absolute() {
                at = PathBuf::from("/");
                found = look(&at)?.ok_or_else(|| FolderFault::NoFolder(at.clone()))?;
            }
            let mut steps = steps(&target);
            steps.append(&mut left);
            left = steps;
            continue;
        }
        if !there.is_dir() {
            return Err(FolderFault::NoFolder(next));
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
fn look(at: &Path) -> Result<Option<Metadata>, FolderFault> {
    match std::fs::symlink_metadata(at) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FolderFault::System { at: at.to_owned(), source }),
    }
}

/// Makes a folder and answers what is there then: somebody else may have been quicker.
fn create(at: &Path) -> Result<Metadata, FolderFault> {
    let failed = |source| FolderFault::System { at: at.to_owned(), source };
    match DirBuilder::new().mode(0o700).create(at) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(error)),
        _ => std::fs::symlink_metadata(at).map_err(failed),
    }
}

fn is_trusted(owner: u32) -> bool {
    let owner = LocalUser(owner);
    owner == LocalUser::ROOT || owner == LocalUser::current()
}

/// Whether nobody but root and this user can replace what is in a folder and theirs.
fn passes(at: &Path, found: &Metadata) -> Result<(), FolderFault> {
    if !is_trusted(found.uid()) {
        return Err(FolderFault::OwnerOnTheWay(describe(at, found)));
    }
    let by_group = found.mode() & 0o020 != 0 && !is_own_group(found.gid());
    let by_others = found.mode() & 0o002 != 0;
    if (by_group || by_others) && found.mode() & STICKY == 0 {
        return Err(FolderFault::Writable(describe(at, found)));
    }
    Ok(())
}

/// Whether the folder itself is this user's alone.
fn private(at: &Path, found: &Metadata, purpose: FolderPurpose) -> Result<(), FolderFault> {
    if LocalUser(found.uid()) != LocalUser::current() {
        return Err(FolderFault::Owner(describe(at, found)));
    }
    if found.mode() & 0o077 & !purpose.allowed != 0 {
        let readable = purpose.allowed & 0o044 != 0;
        return Err(FolderFault::Open(describe(at, found), if readable { 0o700 | purpose.allowed } else { 0o700 }));
    }
    Ok(())
}

fn describe(at: &Path, found: &Metadata) -> PathEntry {
    PathEntry { at: at.to_owned(), owner: LocalUser(found.uid()), mode: found.mode() & BITS }
}
