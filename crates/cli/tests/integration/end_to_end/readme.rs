//! The README shows what the program says: every block that begins with `$ diskwright` is run and compared.
//! `UPDATE_README=1 cargo test -p diskwright readme` writes what it says now.

use std::path::Path;

use crate::end_to_end::common::run;

const OPEN: &str = "```\n$ diskwright ";
const CLOSE: &str = "```";

#[test]
fn the_readme_shows_what_the_program_says() {
    let path = Path::new("../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let mut parts = readme.split(OPEN);
    let mut now = parts.next().unwrap().to_owned();
    let mut blocks = 0;
    for part in parts {
        let (block, after) = part.split_once(CLOSE).expect("every block is closed");
        let command = block.lines().next().unwrap();
        now += &format!("{OPEN}{command}\n{}{CLOSE}{after}", output(command));
        blocks += 1;
    }
    assert!(blocks >= 2, "the README shows what verbs say");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    for (shown, said) in readme.lines().zip(now.lines()) {
        assert_eq!(shown, said, "run: UPDATE_README=1 cargo test -p diskwright readme");
    }
    assert_eq!(readme.lines().count(), now.lines().count());
}

/// What a command prints, cut as `| head -5` says, without the time it took.
fn output(command: &str) -> String {
    let (command, lines) = match command.split_once(" | head -") {
        Some((command, lines)) => (command, lines.parse().unwrap()),
        None => (command, usize::MAX),
    };
    let result = run(&command.split(' ').collect::<Vec<_>>());
    let text: Vec<String> = result.stdout.lines().take(lines).map(timeless).collect();
    text.join("\n") + "\n" + &result.stderr
}

/// `in 46 ms.` is different every time.
fn timeless(line: &str) -> String {
    match line.split_once(" bound, in ") {
        Some((before, _)) => format!("{before} bound, in … ms."),
        None => line.to_owned(),
    }
}
