//! What a cluster needs of the machine: a place for disks and files, and the programs that it runs.

use std::path::{Path, PathBuf};

use mount::MountHome;

use crate::ClusterError;

/// What a cluster needs of the machine.
#[derive(Debug, Clone)]
pub struct TestBed {
    /// Where mounted disks are kept track of.
    pub home: MountHome,
    /// A folder in which each cluster makes one of its own, for mount points, settings and logs. In memory unless
    /// [`Options::backing`](crate::Options::backing) says otherwise for the data: what lies on a slow disk is measured with.
    pub scratch: PathBuf,
    /// What the nodes run.
    pub programs: ClusterPrograms,
}

/// The programs of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterPrograms {
    /// `diskwright-store`.
    pub store: PathBuf,
    /// `diskwright-pd`.
    pub pd: PathBuf,
}

impl ClusterPrograms {
    /// The programs that `DISKWRIGHT_STORE` and `DISKWRIGHT_PD` name, else those beside the running program or its test
    /// folder, else those in `PATH`.
    ///
    /// # Errors
    /// When one is missing, with how to build it.
    pub fn find() -> Result<Self, ClusterError> {
        let beside = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
        // `cargo test` runs from `deps`, one below the programs.
        let above = beside.as_ref().and_then(|folder| folder.parent().map(Path::to_owned));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = beside.into_iter().chain(above).chain(std::env::split_paths(&path)).collect();
        let named = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
        Ok(Self {
            store: find("diskwright-store", "DISKWRIGHT_STORE", named("DISKWRIGHT_STORE"), &folders)?,
            pd: find("diskwright-pd", "DISKWRIGHT_PD", named("DISKWRIGHT_PD"), &folders)?,
        })
    }
}

fn find(
    name: &'static str,
    variable: &'static str,
    named: Option<PathBuf>,
    folders: &[PathBuf],
) -> Result<PathBuf, ClusterError> {
    if let Some(named) = named {
        return if named.is_file() {
            Ok(named)
        } else {
            Err(ClusterError::NoProgram { variable, path: named, program: name })
        };
    }
    let found = folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file());
    found.ok_or(ClusterError::NotBuilt { program: name, variable })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_beside_before_it_is_found_on_the_path() {
        let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let folders = [one.path().to_owned(), two.path().to_owned()];
        std::fs::write(two.path().join("p"), "").unwrap();
        assert_eq!(find("p", "P", None, &folders).unwrap(), two.path().join("p"));
        std::fs::write(one.path().join("p"), "").unwrap();
        assert_eq!(find("p", "P", None, &folders).unwrap(), one.path().join("p"));
        assert_eq!(find("p", "P", Some(two.path().join("p")), &folders).unwrap(), two.path().join("p"));
    }

    #[test]
    fn a_missing_program_is_told_with_how_to_build_it() {
        let error = find("diskwright-store", "DISKWRIGHT_STORE", None, &[]).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().starts_with("diskwright-store is not built: run `make store`"), "{error}");
        let error = find("p", "DISKWRIGHT_STORE", Some("/nowhere".into()), &[]).unwrap_err();
        assert!(error.to_string().contains("DISKWRIGHT_STORE names /nowhere"), "{error}");
    }
}
