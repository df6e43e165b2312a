//! Files into a folder: all that can be known to fail is found before the first is written.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use units::Bytes;

use crate::{RenderedFile, WriteError};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileFate {
    /// It was not there.
    Written,
    /// It was there and said the same.
    Unchanged,
    /// It was there, said something else and was replaced.
    Replaced,
}

/// A file and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where it is.
    pub path: PathBuf,
    /// What became of it.
    pub fate: FileFate,
}

/// Writes files into a folder, which is made. Each is written aside and renamed.
///
/// # Errors
/// When files are there that say something else and `force` is not given: then nothing is written. When the folder cannot be
/// read or written.
pub fn write(files: &[RenderedFile], folder: &Path, force: bool) -> Result<Vec<WrittenFile>, WriteError> {
    let fault = |path: &Path| {
        let path = path.display().to_string();
        move |source| WriteError::Folder { path, source }
    };
    let mut written = Vec::new();
    for file in files {
        let path = folder.join(&file.name);
        let fate = match fs::metadata(&path) {
            Ok(there) if there.len() != file.content.len() as u64 && there.is_file() => FileFate::Replaced,
            // What is no file would be read without end.
            Ok(_) if textfile::read_bytes(&path, Bytes(file.content.len() as u64))? == file.content.as_bytes() => {
                FileFate::Unchanged
            }
            Ok(_) => FileFate::Replaced,
            Err(error) if error.kind() == ErrorKind::NotFound => FileFate::Written,
            Err(error) => return Err(fault(&path)(error)),
        };
        written.push(WrittenFile { path, fate });
    }
    let pairs = files.iter().zip(&written);
    let differs: Vec<String> =
        pairs.filter(|(_, to)| to.fate == FileFate::Replaced).map(|(file, _)| file.name.clone()).collect();
    if !force && !differs.is_empty() {
        return Err(WriteError::Differs { folder: folder.display().to_string(), files: differs });
    }
    fs::create_dir_all(folder).map_err(fault(folder))?;
    for (file, to) in files.iter().zip(&written) {
        if to.fate != FileFate::Unchanged {
            textfile::write_atomically(&to.path, file.content.as_bytes())?;
        }
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&to.path).map_err(fault(&to.path))?.permissions().mode();
            // Who may read it may run it.
            let mode = mode | ((mode & 0o444) >> 2);
            fs::set_permissions(&to.path, fs::Permissions::from_mode(mode)).map_err(fault(&to.path))?;
        }
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileFormat;

    fn file(name: &str, content: &str) -> RenderedFile {
        RenderedFile::new(FileFormat::Tikv, name, content.to_owned())
    }

    #[test]
    fn a_file_that_says_something_else_stays_and_nothing_beside_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b"), "mine").unwrap();
        let files = [file("a", "1"), file("b", "2")];
        let error = write(&files, folder.path(), false).unwrap_err();
        assert!(matches!(error, WriteError::Differs { .. }));
        assert!(error.to_string().contains(": b;") && error.to_string().contains("--force"), "{error}");
        assert!(!folder.path().join("a").exists());
        assert_eq!(fs::read(folder.path().join("b")).unwrap(), b"mine");
        let fates: Vec<FileFate> = write(&files, folder.path(), true).unwrap().iter().map(|w| w.fate).collect();
        assert_eq!(fates, [FileFate::Written, FileFate::Replaced]);
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("a")).status().unwrap();
        assert!(made.success());
        let error = write(&[file("a", "1")], folder.path(), true).unwrap_err();
        assert!(
            matches!(error, WriteError::Folder { .. } | WriteError::File(_)) && error.to_string().contains("is a FIFO"),
            "{error}"
        );
    }

    #[test]
    fn the_same_again_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let files = [file("a", "1")];
        write(&files, &folder.path().join("new"), false).unwrap();
        assert_eq!(write(&files, &folder.path().join("new"), false).unwrap()[0].fate, FileFate::Unchanged);
    }

    #[test]
    fn a_folder_that_is_a_file_is_the_environments_fault() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        assert!(matches!(
            write(&[file("b", "1")], &folder.path().join("a"), false).unwrap_err(),
            WriteError::Folder { .. } | WriteError::File(_)
        ));
    }
}
