//! Whether the data are consistent (clause 3.3.2).

use crate::{SqlDialect, SqlSession};

/// A condition that consistent data meet, as a statement that counts what breaks it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyCondition {
    /// 1 to 12, as in clause 3.3.2.n. The standard demands that the first four are checked.
    pub clause: u8,
    /// For people.
    pub says: String,
    /// Counts what breaks it.
    pub broken: String,
}

/// A condition that is not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenCondition {
    /// Which.
    pub condition: ConsistencyCondition,
    /// How many rows break it.
    pub rows: i64,
}

/// Checks every condition in turn, while nobody writes. `tell` hears of each before it is checked, and says whether to go on.
///
/// # Errors
/// When the database does not answer.
pub async fn check<S: SqlSession>(
    session: &mut S,
    dialect: &SqlDialect,
    tell: &mut dyn FnMut(&ConsistencyCondition) -> bool,
) -> Result<Vec<BrokenCondition>, S::Error> {
    let mut broken = Vec::new();
    for condition in dialect.conditions() {
        if !tell(condition) {
            break;
        }
        let rows = session.text(&condition.broken).await?;
        // An answer that is no number breaks the condition: it says nothing of the data.
        let rows = rows.first().and_then(|row| row.first()?.int()).unwrap_or(-1);
        if rows != 0 {
            broken.push(BrokenCondition { condition: condition.clone(), rows });
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_twelve_conditions_of_the_standard_are_there() {
        let clauses = SqlDialect::mysql().conditions().iter().map(|condition| condition.clause);
        assert!(clauses.eq(1..=12));
    }
}
