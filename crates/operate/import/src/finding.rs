//! What is wrong, or worth knowing, of what was read.

use std::fmt;

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportSeverity {
    /// The program would refuse it, or it contradicts what it runs on.
    Wrong,
    /// It works, and not as one may think.
    Mind,
    /// It was passed over.
    Unread,
}

/// One finding, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportFinding {
    /// How bad it is.
    pub severity: ImportSeverity,
    /// The file, and the line where it has one: `topology.yaml:18`.
    pub place: String,
    /// The key, with dots; empty where it is about several.
    pub key: String,
    /// What is so, and what to do.
    pub text: String,
}

impl fmt::Display for ImportFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.severity {
            ImportSeverity::Wrong => "wrong",
            ImportSeverity::Mind => "mind",
            ImportSeverity::Unread => "not checked",
        };
        write!(f, "{name}: {}: ", self.place)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.text)
    }
}
