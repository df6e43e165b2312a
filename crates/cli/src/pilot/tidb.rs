//! TiDB's variables over SQL, as the pilot reads and sets them.

use ::pilot::WorldError;
use mysql::{GlobalVariables, SqlError};
use serde_json::Value;

/// A TiDB. It stands for all of a cluster: global variables are kept in TiKV.
pub(crate) struct Tidb(pub(crate) GlobalVariables);

const PEER: &str = "TiDB";

impl ::pilot::TidbApi for Tidb {
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

fn told(error: SqlError) -> WorldError {
    let (peer, why) = (PEER.to_owned(), error.to_string());
    match error.exit_code() {
        3 => WorldError::Silent { peer, why },
        2 => WorldError::Denied { peer, why },
        _ => WorldError::Refused { peer, why },
    }
}
