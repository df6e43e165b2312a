//! Tables of a page: made anew from the code, with what was written by hand kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn {
    /// Made from the code.
    Made(&'static str),
    /// Written by hand; stays with the key of its row.
    Written(&'static str),
}

/// A row: the key, and the cells of the columns that are made, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The first column, without its quotes.
    pub key: String,
    /// The cells of the other columns that are made.
    pub cells: Vec<String>,
}

/// A table of a page, as the code says it should be.
#[derive(Debug, Clone)]
pub struct PageTable {
    /// The name in its marker.
    pub name: String,
    /// Its columns after the key's.
    pub columns: &'static [TableColumn],
    /// Its rows.
    pub rows: Vec<TableRow>,
}

/// A cell that is still to be written.
const MISSING: &str = "?";

/// Compares the tables of a page with the code. With the variable `UPDATE_REFERENCE` set the page is written: new keys then have
/// cells that are still to be filled in.
///
/// # Panics
/// With the name of every key without an entry, entry without a key, and cell that is not filled in.
pub fn check_page(path: &Path, tables: &[PageTable]) {
    let mut page = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut faults = Vec::new();
    let writes = std::env::var_os("UPDATE_REFERENCE").is_some();
    for table in tables {
        let (new, mut found) = table.refreshed(&page);
        if writes {
            found.retain(|fault| fault.contains("not filled in"));
            page = new;
        }
        faults.append(&mut found);
    }
    if writes {
        std::fs::write(path, page).expect("the page can be written");
    }
    assert!(faults.is_empty(), "{}, mended by `make reference`:\n{}", path.display(), faults.join("\n"));
}

/// Keys of a table of a page, as they are written.
///
/// # Panics
/// When the page or its table is not there.
pub fn table_keys(path: &Path, name: &str) -> BTreeSet<String> {
    let page = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (_, rest) = page.split_once(&format!("<!-- table {name} -->\n")).expect("the table is there");
    let (table, _) = rest.split_once("<!-- end -->").expect("a table is closed by `<!-- end -->`");
    entries(table).into_keys().collect()
}

impl PageTable {
    /// The page with this table made anew, and what differs.
    fn refreshed(&self, page: &str) -> (String, Vec<String>) {
        let begin = format!("<!-- table {} -->\n", self.name);
        let Some((before, rest)) = page.split_once(&begin) else {
            return (page.to_owned(), vec![format!("the page has no marker `{}`", begin.trim())]);
        };
        let (old, after) = rest.split_once("<!-- end -->").expect("a table is closed by `<!-- end -->`");
        let old = entries(old);
        let mut faults = Vec::new();
        let titles = self.columns.iter().map(|column| match column {
            TableColumn::Made(title) | TableColumn::Written(title) => *title,
        });
        let titles: Vec<&str> = std::iter::once("key").chain(titles).collect();
        let mut table = line(&titles) + &format!("|{}\n", "---|".repeat(titles.len()));
        for row in &self.rows {
            let kept = old.get(&row.key);
            if kept.is_none() {
                faults.push(format!("`{}` has no entry in `{}`", row.key, self.name));
            }
            let mut made = row.cells.iter();
            let mut cells = vec![format!("`{}`", row.key)];
            for (at, column) in self.columns.iter().enumerate() {
                let was = kept.and_then(|cells| cells.get(at)).map_or(MISSING, String::as_str);
                cells.push(match column {
                    TableColumn::Written(_) => was.to_owned(),
                    TableColumn::Made(title) => {
                        let now =
                            made.next().expect("a row has a cell for each column that is made").replace('|', "\\|");
                        if kept.is_some() && was != now {
                            faults.push(format!("`{}`: {title} is `{now}` in the code, `{was}` on the page", row.key));
                        }
                        now
                    }
                });
                if cells.last().is_some_and(|cell| cell == MISSING) {
                    faults.push(format!("`{}` of `{}`: {} is not filled in", row.key, self.name, titles[at + 1]));
                }
            }
            table += &line(&cells);
        }
        for key in old.keys().filter(|key| !self.rows.iter().any(|row| row.key == **key)) {
            faults.push(format!("`{key}` of `{}` is not in the code any more", self.name));
        }
        (format!("{before}{begin}{table}<!-- end -->{after}"), faults)
    }
}

/// The rows of a table, by key: the cells after the key's.
fn entries(table: &str) -> BTreeMap<String, Vec<String>> {
    let rows = table.lines().filter(|line| line.starts_with("|`") || line.starts_with("| `"));
    rows.filter_map(|line| {
        let cells: Vec<String> = line
            .trim_matches('|')
            .replace("\\|", "\u{0}")
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "\\|"))
            .collect();
        let (key, cells) = cells.split_first()?;
        Some((key.trim_matches('`').to_owned(), cells.to_vec()))
    })
    .collect()
}

fn line(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("|{}|\n", cells.join("|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(keys: &[&str]) -> PageTable {
        let rows = keys.iter().map(|key| TableRow { key: (*key).to_owned(), cells: vec!["size".to_owned()] }).collect();
        PageTable { name: "t".to_owned(), columns: &[TableColumn::Made("type"), TableColumn::Written("default")], rows }
    }

    const PAGE: &str = "a\n<!-- table t -->\n|key|type|default|\n|---|---|---|\n|`x`|size|a\\|b|\n<!-- end -->\nz\n";

    #[test]
    fn a_page_that_fits_the_code_stays_as_it_is() {
        assert_eq!(table(&["x"]).refreshed(PAGE), (PAGE.to_owned(), Vec::new()));
    }

    #[test]
    fn a_key_without_an_entry_and_an_entry_without_a_key_are_named() {
        let (page, faults) = table(&["y"]).refreshed(PAGE);
        assert!(page.contains("|`y`|size|?|") && !page.contains("`x`"), "{page}");
        let all = faults.join("\n");
        assert!(all.contains("`y` has no entry in `t`"), "{all}");
        assert!(all.contains("`y` of `t`: default is not filled in"), "{all}");
        assert!(all.contains("`x` of `t` is not in the code any more"), "{all}");
    }

    #[test]
    fn a_cell_that_the_code_tells_otherwise_is_named() {
        let page = PAGE.replace("|size|", "|duration|");
        let (_, faults) = table(&["x"]).refreshed(&page);
        assert_eq!(faults, ["`x`: type is `size` in the code, `duration` on the page"]);
    }
}
