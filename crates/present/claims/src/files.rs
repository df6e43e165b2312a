//! Files of a ledger: a folder on disk, or the one embedded in the program.

use std::path::{Component, Path, PathBuf};

use textfile::{InputError, Text};

/// Files of the embedded ledger by their paths in it.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/ledger_files.rs"));

/// The embedded ledger's folder in the repository, by which messages name its files.
const EMBEDDED_ROOT: &str = "crates/present/claims/ledger";

/// A path inside a ledger, relative to its folder: no recipe reads files elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(try_from = "PathBuf")]
pub(crate) struct LedgerPath(PathBuf);

/// A path that leads out of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` leads out of the ledger; expected a path in its folder, such as \"deployments/shared.toml\"", path.display())]
pub(crate) struct OutsidePath {
    /// The path as given.
    path: PathBuf,
}

impl TryFrom<PathBuf> for LedgerPath {
    type Error = OutsidePath;

    fn try_from(path: PathBuf) -> Result<Self, OutsidePath> {
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if inside && path.components().next().is_some() { Ok(Self(path)) } else { Err(OutsidePath { path }) }
    }
}

impl LedgerPath {
    /// A file of every ledger.
    pub(crate) fn table(name: &str) -> Self {
        Self(PathBuf::from(name))
    }

    /// The recipe of a claim.
    pub(crate) fn recipe(claim: &str) -> Result<Self, OutsidePath> {
        // A `/` or `..` in an id must not lead elsewhere.
        match Self::try_from(PathBuf::from(format!("{claim}.toml"))) {
            Ok(Self(name)) if name.components().count() == 1 => Ok(Self(Path::new("recipes").join(name))),
            _ => Err(OutsidePath { path: PathBuf::from(claim) }),
        }
    }
}

/// Where the files of a ledger are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LedgerFiles {
    /// In the program.
    Embedded,
    /// In a folder.
    Folder(PathBuf),
}

impl LedgerFiles {
    /// The folder by which messages name files.
    pub(crate) fn root(&self) -> &Path {
        match self {
            Self::Embedded => Path::new(EMBEDDED_ROOT),
            Self::Folder(folder) => folder,
        }
    }

    /// The file as messages name it.
    pub(crate) fn name(&self, path: &LedgerPath) -> PathBuf {
        self.root().join(&path.0)
    }

    /// Whether there is such a file.
    pub(crate) fn has(&self, path: &LedgerPath) -> bool {
        match self {
            Self::Embedded => embedded(&path.0).is_some(),
            Self::Folder(_) => self.name(path).exists(),
        }
    }

    /// Reads a file.
    pub(crate) fn text(&self, path: &LedgerPath) -> Result<Text, InputError> {
        let name = self.name(path);
        match self {
            Self::Embedded => embedded(&path.0)
                .map(|text| Text::new(&name, text))
                .ok_or_else(|| InputError::new(&name, "no such file in the embedded ledger")),
            Self::Folder(_) => textfile::read_text(&name, textfile::LIMIT),
        }
    }

    /// Reads a file that another names relative to itself.
    pub(crate) fn named(&self, name: &Path) -> Result<Text, InputError> {
        let inside = name.strip_prefix(self.root()).ok().and_then(|path| LedgerPath::try_from(path.to_owned()).ok());
        let outside = || InputError::new(name, "leads out of the ledger").help("name a file in the ledger's folder");
        self.text(&inside.ok_or_else(outside)?)
    }
}

fn embedded(path: &Path) -> Option<&'static str> {
    EMBEDDED.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_ledger() {
        for path in ["../a.toml", "/etc/passwd", "", "a/../../b", "."] {
            assert!(LedgerPath::try_from(PathBuf::from(path)).is_err(), "{path}");
        }
        assert!(LedgerPath::try_from(PathBuf::from("deployments/a.toml")).is_ok());
        assert!(LedgerPath::recipe("A01").is_ok());
        assert!(LedgerPath::recipe("../A01").is_err() && LedgerPath::recipe("a/b").is_err());
        let files = LedgerFiles::Folder(PathBuf::from("ledger"));
        assert!(files.named(Path::new("elsewhere/a.toml")).is_err());
        assert!(files.named(Path::new("ledger/../a.toml")).is_err());
    }
}
