//! `my.cnf`: sections of `name = value`, in which `-` and `_` are the same (MySQL reference manual, Using Option Files).

use textfile::{InputError, Text};

use super::tree::SettingTree;

/// Sections that the server reads.
const SECTIONS: [&str; 5] = ["mysqld", "server", "mariadb", "mariadbd", "mysqld_safe"];

pub(super) fn read(text: &Text) -> Result<SettingTree, InputError> {
    let mut tree = SettingTree::default();
    let (mut of_server, mut offset) = (false, 0);
    for (index, line) in text.content().split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';', '!']) {
            continue;
        }
        if let Some(section) = line.strip_prefix('[') {
            let Some((section, _)) = section.split_once(']') else {
                return Err(text.error_at(start, "a section has no end: expected `[mysqld]`"));
            };
            // `[mysqld-8.0]` is of one version.
            of_server = SECTIONS.iter().any(|name| section == *name || section.starts_with(&format!("{name}-")));
            continue;
        }
        if of_server {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            let name = name.trim().to_ascii_lowercase().replace('-', "_");
            let name = name.strip_prefix("loose_").unwrap_or(&name).to_owned();
            let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
            tree.values.insert(name, (value.to_owned(), format!("{}:{}", text.path().display(), index + 1)));
        }
    }
    Ok(tree)
}
