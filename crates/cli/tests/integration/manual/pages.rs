//! The pages of the manual: links lead somewhere, the summary is complete, and lengths stay within bounds.

use std::path::{Path, PathBuf};

const ROOT: &str = "../..";

/// Pages of the repository that people read, below `docs` and beside the README.
fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"]
            .map(|name| Path::new(ROOT).join(name))
            .into();
    found.extend(manual());
    found
}

/// Every Markdown file below `docs`.
fn manual() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(ROOT).join("docs")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            match path.extension() {
                None => folders.push(path),
                Some(extension) if extension == "md" => found.push(path),
                Some(_) => {}
            }
        }
    }
    found.sort();
    found
}

/// Targets of links, without those to the web and to sections.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let own =
        targets.filter(|target| !target.contains("://") && !target.starts_with('#') && !target.starts_with("mailto:"));
    own.map(|target| target.split('#').next().unwrap()).collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            assert!(page.parent().unwrap().join(link).exists(), "{}: {link} is not there", page.display());
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn the_summary_of_the_book_names_every_page_once() {
    let summary = Path::new(ROOT).join("docs/SUMMARY.md");
    let text = std::fs::read_to_string(&summary).unwrap();
    let mut named: Vec<PathBuf> =
        links(&text).into_iter().map(|link| Path::new(ROOT).join("docs").join(link)).collect();
    named.sort();
    let all: Vec<PathBuf> = manual().into_iter().filter(|page| *page != summary).collect();
    assert_eq!(named, all);
}

fn words(pages: &[PathBuf]) -> usize {
    pages.iter().map(|page| std::fs::read_to_string(page).unwrap().split_whitespace().count()).sum()
}

#[test]
fn the_readme_is_a_door_and_the_manual_can_be_read() {
    let readme = words(&[Path::new(ROOT).join("README.md")]);
    assert!(readme <= 700, "the README has {readme} words; expected at most 700: move what is more to docs");
    // Results grow with what is measured, and the summary is a table of contents.
    let is_text = |page: &PathBuf| !page.to_string_lossy().contains("/results/") && !page.ends_with("SUMMARY.md");
    let own: Vec<PathBuf> = manual().into_iter().filter(is_text).collect();
    let manual = words(&own);
    assert!(manual < 15_000, "docs without results has {manual} words; expected less than 15,000");
}
