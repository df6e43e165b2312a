//! TiDB's variables over SQL, as the pilot reads and sets them.

use mysql::{GlobalVariables, SqlError};
use serde_json::Value;

use crate::{PilotError, TidbApi, WorldError};

/// A TiDB. It stands for all of a cluster: TiKV stores the global variables.
pub(crate) struct TidbVariables(pub(crate) GlobalVariables);

const PEER: &str = "TiDB";

impl TidbApi for TidbVariables {
    fn variable(&self, name: &str) -> Result<Value, WorldError> {
        let missing = || WorldError::Missing { peer: PEER.to_owned(), what: format!("variable `{name}`") };
        self.0.read(name).map_err(told)?.map(Value::String).ok_or_else(missing)
    }

    fn set_variable(&self, name: &str, value: &Value) -> Result<(), WorldError> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(true) => "ON".to_owned(),
            Value::Bool(false) => "OFF".to_owned(),
            other => other.to_string(),
        };
        self.0.set(name, &text).map_err(told)
    }
}

/// An error of a request.
fn told(error: SqlError) -> WorldError {
    let (peer, why) = (PEER.to_owned(), error.to_string());
    match error.exit_code() {
        3 => WorldError::Silent { peer, why },
        2 => WorldError::Denied { peer, why },
        _ => WorldError::Refused { peer, why },
    }
}

/// An error before the first request.
pub(crate) fn unopened(error: SqlError) -> PilotError {
    let why = error.to_string();
    match error.exit_code() {
        1 => PilotError::Refused(why),
        2 => PilotError::Input(why),
        _ => PilotError::Environment(why),
    }
}
