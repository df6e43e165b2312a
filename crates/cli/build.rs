//! Tells the program the commit that it is built from, and that commit's date.
//!
//! `DISKWRIGHT_COMMIT` and `SOURCE_DATE_EPOCH` (seconds since 1970) count first, else git is asked. Without both the program has no
//! commit to tell. No clock is read: the same sources give the same program.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for variable in ["DISKWRIGHT_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    // The program of the tests is not built anew for each commit: it tells only what it is told.
    let asks_git = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let known = if asks_git { from_git() } else { None };
    let (commit, seconds) = known.unzip();
    if let Some(commit) = given("DISKWRIGHT_COMMIT").or(commit) {
        println!("cargo::rustc-env=DISKWRIGHT_BUILT_FROM={commit}");
    }
    if let Some(seconds) = given("SOURCE_DATE_EPOCH").or(seconds) {
        println!("cargo::rustc-env=DISKWRIGHT_BUILT_OF={seconds}");
    }
}

fn given(variable: &str) -> Option<String> {
    std::env::var(variable).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The commit of this repository and its time, in seconds since 1970; `None` where git or the repository is missing.
fn from_git() -> Option<(String, String)> {
    let repository = Path::new("../..").canonicalize().ok()?;
    // The sources may lie unpacked inside somebody else's repository.
    if Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()? != repository {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
    let mark = if changed.is_empty() { "" } else { "-modified" };
    Some((commit + mark, git(&["show", "--no-patch", "--format=%ct", "HEAD"])?))
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
