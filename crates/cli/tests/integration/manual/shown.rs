//! README and guides show what the program says: every block that begins with `$ diskwright` is run and compared, those of a page
//! one after the other in one folder. `make reference` writes what it says now.

use std::path::Path;

use crate::end_to_end::common::{command, read};

const OPEN: &str = "```\n$ diskwright ";
const CLOSE: &str = "```";

#[test]
fn the_readme_shows_what_the_program_says() {
    assert_eq!(compared(Path::new("../../README.md")), 4, "four commands");
}

#[test]
fn each_guide_shows_what_the_program_says() {
    let mut blocks = 0;
    for entry in std::fs::read_dir("../../docs/guide").unwrap() {
        blocks += compared(&entry.unwrap().path());
    }
    assert!(blocks >= 9, "guides show what verbs say: {blocks}");
}

/// Runs a page's commands and compares. Returns their number.
fn compared(path: &Path) -> usize {
    let page = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(Path::new("../../examples").canonicalize().unwrap(), folder.path().join("examples"))
        .unwrap();
    let mut parts = page.split(OPEN);
    let mut now = parts.next().unwrap().to_owned();
    let mut blocks = 0;
    for part in parts {
        let (block, after) = part.split_once(CLOSE).expect("every block is closed");
        let shown = block.lines().next().unwrap();
        now += &format!("{OPEN}{shown}\n{}{CLOSE}{after}", output(shown, folder.path()));
        blocks += 1;
    }
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(path, &now).unwrap();
        return blocks;
    }
    for (shown, said) in page.lines().zip(now.lines()) {
        assert_eq!(shown, said, "{}, mended by `make reference`", path.display());
    }
    assert_eq!(page.lines().count(), now.lines().count(), "{}", path.display());
    blocks
}

/// What a command prints, cut as `| head -5` says.
fn output(shown: &str, folder: &Path) -> String {
    let (arguments, lines) = match shown.split_once(" | head -") {
        Some((arguments, lines)) => (arguments, lines.parse().unwrap()),
        None => (shown, usize::MAX),
    };
    let result = read(command(&arguments.split(' ').collect::<Vec<_>>()).current_dir(folder).output().unwrap());
    assert!(result.code <= 1, "{shown}: {}", result.stderr);
    let text: Vec<&str> = result.stdout.lines().take(lines).collect();
    text.join("\n") + "\n" + &result.stderr
}
