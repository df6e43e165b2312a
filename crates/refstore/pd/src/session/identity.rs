//! The node's id and its cluster's, kept in one line of a file.

use std::io::Write;
use std::path::Path;

use super::link::Link;
use super::{JoinRequest, SessionError};

/// The node's id: from the file, else given, else a new one; the file says so afterwards.
pub(super) async fn settle(link: &mut Link, join: &JoinRequest) -> Result<u64, SessionError> {
    let file = &join.id_file;
    if let Some((store, own)) = read(file)? {
        let found = link.cluster_id;
        if own != found {
            return Err(SessionError::OtherCluster { file: file.clone(), own, found });
        }
        return Ok(store);
    }
    let store = if join.store.id == 0 { link.alloc_id().await? } else { join.store.id };
    write(file, store, link.cluster_id)
        .map_err(|source| SessionError::System { what: format!("write {}", file.display()), source })?;
    Ok(store)
}

fn read(file: &Path) -> Result<Option<(u64, u64)>, SessionError> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(SessionError::System { what: format!("read {}", file.display()), source }),
    };
    let numbers: Vec<u64> = text.split_whitespace().map_while(|word| word.parse().ok()).collect();
    match (numbers.as_slice(), text.split_whitespace().count()) {
        (&[store, cluster], 2) if store != 0 => Ok(Some((store, cluster))),
        _ => Err(SessionError::Identity { file: file.to_owned(), text: text.chars().take(80).collect() }),
    }
}

/// Whole or not at all, and kept through a power cut: a node that forgot its id would come back as a stranger.
fn write(file: &Path, store: u64, cluster: u64) -> std::io::Result<()> {
    let beside = file.with_extension("tmp");
    let mut out = std::fs::File::create(&beside)?;
    writeln!(out, "{store} {cluster}")?;
    out.sync_all()?;
    std::fs::rename(&beside, file)?;
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store-id");
        assert!(read(&file).unwrap().is_none());
        write(&file, 4, 77).unwrap();
        assert_eq!(read(&file).unwrap(), Some((4, 77)));
    }

    #[test]
    fn a_damaged_file_is_named_and_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store-id");
        for text in ["", "4", "0 77", "4 77 8", "four 77", "4 x"] {
            std::fs::write(&file, text).unwrap();
            let error = read(&file).unwrap_err();
            assert!(matches!(error, SessionError::Identity { .. }), "{text:?}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
