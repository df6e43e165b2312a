//! Faults of a ledger's files.

use std::path::PathBuf;

use textfile::InputError;

use crate::rung::Rung;

/// Why a folder is no ledger. Messages name the file, the line, the key or column, and what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// A file is missing, or is not the text or TOML that was expected.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A row of a table does not read.
    #[error("{}:{line}: {}{problem}", file.display(), column.as_ref().map(|column| format!("column `{column}`: ")).unwrap_or_default())]
    Row {
        /// The table.
        file: PathBuf,
        /// The line of the row.
        line: u64,
        /// The column, where one value is at fault.
        column: Option<String>,
        /// The fault, and what was expected.
        problem: String,
    },
    /// Two rows have one key.
    #[error("{}:{line}: {column} `{key}` is in line {first} too; expected each once", file.display())]
    Twice {
        /// The table.
        file: PathBuf,
        /// The line of the second.
        line: u64,
        /// The column.
        column: &'static str,
        /// The key.
        key: String,
        /// The line of the first.
        first: u64,
    },
    /// A row names another that does not exist.
    #[error("{}:{line}: column `{column}`: {table} has no `{key}`; {help}", file.display())]
    Dangling {
        /// The table of the row.
        file: PathBuf,
        /// Its line.
        line: u64,
        /// The column that names.
        column: &'static str,
        /// The table that is named.
        table: &'static str,
        /// The key that it lacks.
        key: String,
        /// The key that was meant, or all.
        help: String,
    },
    /// A claim has no recipe.
    #[error("{}:{line}: claim {claim} has no recipe; expected the file {}", file.display(), recipe.display())]
    NoRecipe {
        /// The table of claims.
        file: PathBuf,
        /// The line of the claim.
        line: u64,
        /// The claim.
        claim: String,
        /// The file that is missing.
        recipe: PathBuf,
    },
    /// A recipe has no evaluator, or several.
    #[error("{}: a recipe has the table of one evaluator, and this has {}; expected one of {}", file.display(),
            if found.is_empty() { "none".to_owned() } else { found.join(", ") }, expected.join(", "))]
    Evaluators {
        /// The recipe.
        file: PathBuf,
        /// Evaluators in it.
        found: Vec<&'static str>,
        /// All evaluators.
        expected: &'static [&'static str],
    },
    /// A claim's rung is not that of its evaluator.
    #[error("{}:{line}: column `rung`: claim {claim} is of rung {rung}, and its recipe's evaluator `{evaluator}` answers on {answers}; expected {answers}", file.display())]
    OtherRung {
        /// The table of claims.
        file: PathBuf,
        /// The line of the claim.
        line: u64,
        /// The claim.
        claim: String,
        /// The rung in its row.
        rung: Rung,
        /// The evaluator in its recipe.
        evaluator: &'static str,
        /// The rung of the evaluator.
        answers: Rung,
    },
}
