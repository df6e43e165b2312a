//! What is asked of a server once a run has been measured.

use crate::work::JobKind;
use crate::{SqlError, SqlRunResult, SqlStage, SqlTestBed};

impl SqlTestBed {
    /// Asks whether the data are consistent after a run, and notes it. A server that does not answer takes nothing from what was
    /// measured: then it is noted why.
    ///
    /// # Errors
    /// [`SqlError::Interrupted`].
    pub fn conclude(&self, found: &mut SqlRunResult, tell: &mut dyn FnMut(SqlStage<'_>)) -> Result<(), SqlError> {
        if !matches!(self.order.job.kind, JobKind::Tpcc(_)) {
            return Ok(());
        }
        if found.ended.is_some() {
            // A database that is full or gone answers no long questions.
            found.unchecked = Some("the run had ended before its time".to_owned());
            return Ok(());
        }
        match self.check(tell) {
            Ok(checked) => found.checked = checked,
            Err(SqlError::Interrupted) => return Err(SqlError::Interrupted),
            Err(error) => found.unchecked = Some(error.to_string()),
        }
        Ok(())
    }
}
