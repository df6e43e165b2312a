//! Embeds every file of `ledger/`, so that the program carries its own ledger in the form in which others bring theirs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("ledger");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    walk(&root, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root).expect("it was found there").to_string_lossy().into_owned();
        writeln!(code, "    ({name:?}, include_str!({:?})),", file.to_string_lossy()).expect("a String takes all");
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("ledger_files.rs"), code)
}

/// Adds the text files of a folder and of those in it; `examples` is a link to the repository's.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|end| ["toml", "txt", "csv"].iter().any(|known| end == *known)) {
            files.push(path);
        }
    }
    Ok(())
}
