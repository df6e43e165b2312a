//! What was measured, in a file for each row, so that a run goes on where the last one ended.

use std::path::{Path, PathBuf};

use crate::{MachineLoad, RowSetup, RunFigures, ValidateError};

/// What was measured of a row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct MeasuredRow {
    /// The row, as it was when it was measured.
    pub row: String,
    /// All that the row says; what was kept of another row of the same name does not count.
    pub setup: String,
    /// What was found.
    pub measured: RunFigures,
    /// What the machine did besides.
    pub busy: MachineLoad,
    /// The machine: its processors and its kernel.
    pub machine: String,
}

impl MeasuredRow {
    /// A row as it was measured.
    pub fn new(setup: &RowSetup, measured: RunFigures, busy: MachineLoad, machine: String) -> Self {
        Self { row: setup.name.clone(), setup: format!("{setup:?}"), measured, busy, machine }
    }

    fn path(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.json"))
    }

    /// What a folder keeps of a row; `None` if it keeps nothing of the row as it is now.
    ///
    /// # Errors
    /// When a file is there and is not readable.
    pub fn read(folder: &Path, setup: &RowSetup) -> Result<Option<Self>, ValidateError> {
        let path = Self::path(folder, &setup.name);
        if !path.exists() {
            return Ok(None);
        }
        let wrong = |source| ValidateError::Kept { path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(error.into()))?;
        let kept: Self = serde_json::from_str(&text).map_err(|error| wrong(error.into()))?;
        Ok((kept.setup == format!("{setup:?}")).then_some(kept))
    }

    /// Keeps it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ValidateError> {
        let path = Self::path(folder, &self.row);
        std::fs::create_dir_all(folder)
            .map_err(|error| ValidateError::Kept { path: folder.to_owned(), source: error.into() })?;
        let text = serde_json::to_string_pretty(self)?;
        Ok(textfile::write_atomically(path, (text + "\n").as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValidationGrid;

    #[test]
    fn what_was_kept_counts_until_the_row_changes() {
        let grid = ValidationGrid::embedded();
        let setup = grid.setup(&grid.rows[0]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(MeasuredRow::read(folder.path(), &setup).unwrap(), None);
        let kept = MeasuredRow::new(
            &setup,
            RunFigures { throughput: 5.0, ..RunFigures::default() },
            MachineLoad::default(),
            "2 processors".to_owned(),
        );
        kept.write(folder.path()).unwrap();
        assert_eq!(MeasuredRow::read(folder.path(), &setup).unwrap(), Some(kept));
        let other = RowSetup { rows: setup.rows + 1.0, ..setup.clone() };
        assert_eq!(MeasuredRow::read(folder.path(), &other).unwrap(), None);
        std::fs::write(folder.path().join(format!("{}.json", setup.name)), "{").unwrap();
        assert!(MeasuredRow::read(folder.path(), &setup).unwrap_err().to_string().contains("remove it"));
    }
}
