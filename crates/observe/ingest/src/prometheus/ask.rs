//! The seam between what is asked and the server: tests put a twin there.

use super::answer::{self, Answer, Fault, Read};
use crate::GatherError;

/// The form of a query: names and values.
pub(crate) type Form<'f> = &'f [(&'static str, String)];

/// Something that answers Prometheus' HTTP API.
pub(crate) trait Ask {
    /// Posts a form to `/api/v1/…`.
    fn post(&self, path: &str, form: Form<'_>) -> Result<Answer, Fault>;

    /// Its address as it may be shown.
    fn shown(&self) -> &str;

    /// Asks and reads.
    fn ask(&self, path: &str, form: Form<'_>) -> Result<Read, Fault> {
        let answer = self.post(path, form)?;
        answer::read(self.shown(), &answer)
    }

    /// Asks of an instant; a query that cannot be answered has no series.
    fn instant(&self, query: String, at: u64) -> Result<Read, GatherError> {
        match self.ask("/api/v1/query", &[("query", query), ("time", at.to_string())]) {
            Ok(read) => Ok(read),
            Err(Fault::Query(_)) => Ok((Vec::new(), Vec::new())),
            Err(Fault::All(error)) => Err(error),
        }
    }
}
