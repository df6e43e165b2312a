//! What to do about a finding.

/// Something to change.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Remedy {
    /// For people: what to do, in a sentence.
    pub text: String,
    /// What is changed: `disk`, `log-disk`, `instance`, `disk-and-instance`, `setting`, `query` (the load itself), `check`.
    pub what: &'static str,
    /// How it is now; `None` where that is not known.
    pub from: Option<String>,
    /// How it should be; `None` where that cannot be said.
    pub to: Option<String>,
}
