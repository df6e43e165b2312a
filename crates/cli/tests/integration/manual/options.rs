//! `docs/reference/commands.md` has every verb with its options, as `--help` prints them.

use std::path::Path;

use reference::{PageTable, TableColumn, TableRow, check_page};

use crate::end_to_end::common::run;

/// Options that every verb has: they are told once, above the table.
const COMMON: &[&str] = &["--color <WHEN>", "--json", "--help"];

#[test]
fn every_verb_and_option_has_an_entry() {
    let mut rows = Vec::new();
    verbs(&[], &mut rows);
    assert!(rows.len() > 25, "{rows:?}");
    let columns = &[TableColumn::Made("options")];
    check_page(Path::new("../../docs/reference/commands.md"), &[PageTable { name: "verbs".to_owned(), columns, rows }]);
}

/// The verbs below `above`, each with a row; those that only group others have none.
fn verbs(above: &[&str], rows: &mut Vec<TableRow>) {
    let help = run(&[above, &["--help"]].concat()).stdout;
    let lines: Vec<&str> = help.lines().collect();
    let commands: Vec<&str> = match lines.iter().position(|line| *line == "Commands:") {
        Some(at) => lines[at + 1..].iter().take_while(|line| !line.is_empty()).copied().collect(),
        None => Vec::new(),
    };
    let words = commands.iter().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let words: Vec<&str> =
        words.filter_map(|line| line.split_whitespace().next()).filter(|word| *word != "help").collect();
    if !above.is_empty()
        && (words.is_empty() || lines.iter().any(|line| line.starts_with("Usage:") && !line.contains("<COMMAND>")))
    {
        let row = TableRow { key: above.join(" "), cells: vec![options(&lines)] };
        rows.push(row);
    }
    for word in words {
        verbs(&[above, &[word]].concat(), rows);
    }
}

/// The options of a help text.
fn options(lines: &[&str]) -> String {
    let own =
        lines.iter().map(|line| line.trim_start()).filter(|line| line.starts_with("--") || line.starts_with("-h, --"));
    let names = own.map(|line| line.trim_start_matches("-h, ").split("  ").next().unwrap_or_default());
    let names = names.filter(|name| !COMMON.contains(name) && name.split_whitespace().count() <= 2);
    let names: Vec<String> = names.map(|name| format!("`{}`", name.split([' ', '[', '=']).next().unwrap())).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}
