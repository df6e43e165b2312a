//! Another mix of the same kinds of operation.

use super::recipe::{OperationRecipe, Step};

const DOES: [&str; 3] = ["reads", "scans", "writes"];

impl OperationRecipe {
    /// Weights of the kinds for so many times the reads, scans and writes, as shares of the operations that come without: 1 in all
    /// where the factors leave their number as it is.
    ///
    /// # Errors
    /// In a clause, when a kind does several of these and they are to change differently.
    pub fn mixed(&self, factors: [f64; 3]) -> Result<Vec<f64>, String> {
        let whole: f64 = self.kinds.iter().map(|kind| kind.weight).sum();
        self.kinds.iter().map(|kind| Ok(kind.weight / whole * factor(kind, factors)?)).collect()
    }
}

/// How many times as often a kind comes.
fn factor(kind: &Step, factors: [f64; 3]) -> Result<f64, String> {
    let counts = [kind.reads, kind.scans, kind.inserts + kind.updates];
    let mut does = (0..counts.len()).filter(|at| counts[*at] > 0.0);
    let Some(first) = does.next() else { return Ok(1.0) };
    match does.find(|other| factors[*other] != factors[first]) {
        None => Ok(factors[first]),
        Some(other) => Err(format!(
            "operation `{}` {} and {}, which cannot come {} and {} times as often each: give both the same factor",
            kind.name, DOES[first], DOES[other], factors[first], factors[other]
        )),
    }
}
