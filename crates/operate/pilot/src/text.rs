//! Steps as people write them: `tikv/1/rocksdb.rate-bytes-per-sec=100MB`, `evict/2`.

use std::str::FromStr;

use serde_json::{Value, json};

use crate::PilotStep;

/// What is expected, for messages.
const FORMS: &str = "expected tikv/STORE/KEY=VALUE, pd/KEY=VALUE, tidb/NAME=VALUE, evict/STORE, resign/MEMBER, cordon/NODE, \
                     pod/NAMESPACE/NAME or volume/ID=DISK";

impl FromStr for PilotStep {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("`{text}` {what}; {FORMS}");
        let (kind, rest) = text.split_once('/').ok_or_else(|| wrong("is no step"))?;
        if rest.is_empty() {
            return Err(wrong("names nothing"));
        }
        let assigned = |text: &str| {
            let (name, value) = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty())?;
            Some((name.to_owned(), value.to_owned()))
        };
        let store =
            |text: &str| text.parse::<u64>().map_err(|_| wrong(&format!("names the store `{text}`, not its number")));
        let no_value = || wrong("lacks its value");
        match kind {
            "tikv" => {
                let (id, setting) = rest.split_once('/').ok_or_else(|| wrong("lacks its store or its key"))?;
                let (key, to) = assigned(setting).ok_or_else(no_value)?;
                Ok(Self::SetTikvConfig { store: store(id)?, key, value: value(&to) })
            }
            "pd" => assigned(rest).ok_or_else(no_value).map(|(key, to)| Self::SetPdConfig { key, value: value(&to) }),
            "tidb" => {
                assigned(rest).ok_or_else(no_value).map(|(name, to)| Self::SetTidbVariable { name, value: value(&to) })
            }
            "evict" => Ok(Self::EvictLeaders { store: store(rest)? }),
            "resign" => Ok(Self::ResignPdLeader { member: rest.to_owned() }),
            "cordon" => Ok(Self::CordonNode { node: rest.to_owned() }),
            "pod" => {
                let (namespace, pod) = rest.split_once('/').ok_or_else(|| wrong("lacks the namespace"))?;
                Ok(Self::DeletePod { namespace: namespace.to_owned(), pod: pod.to_owned() })
            }
            "volume" => {
                let (volume, disk) = assigned(rest).ok_or_else(no_value)?;
                let to = disk.parse().map_err(|error| wrong(&format!("asks for no disk: {error}")))?;
                Ok(Self::ModifyVolume { volume, to })
            }
            _ => Err(wrong("is no step")),
        }
    }
}

/// A truth or a whole number as such, anything else as text.
fn value(text: &str) -> Value {
    match (text.parse::<bool>(), text.parse::<u64>()) {
        (Ok(truth), _) => json!(truth),
        (_, Ok(number)) => json!(number),
        _ => json!(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_people_write_them() {
        let read = |text: &str| text.parse::<PilotStep>().unwrap();
        let key = "rocksdb.rate-bytes-per-sec".to_owned();
        assert_eq!(
            read("tikv/1/rocksdb.rate-bytes-per-sec=100MB"),
            PilotStep::SetTikvConfig { store: 1, key, value: json!("100MB") }
        );
        assert_eq!(read("evict/2"), PilotStep::EvictLeaders { store: 2 });
        assert!(
            matches!(read("pd/schedule.leader-schedule-limit=64"), PilotStep::SetPdConfig { value, .. } if value == 64)
        );
        assert!(matches!(read("volume/vol-1=gp3:100GiB,4000iops"), PilotStep::ModifyVolume { .. }));
        assert!(matches!(read("pod/tidb/basic-tidb-0"), PilotStep::DeletePod { .. }));
    }

    #[test]
    fn what_is_no_step_is_told_with_what_was_expected() {
        for wrong in ["evict", "evict/one", "tikv/1/x", "tikv/x=1", "pd/=1", "volume/v=gp9", "pod/x", "boot/1", "pd/"] {
            let error = wrong.parse::<PilotStep>().unwrap_err();
            assert!(error.contains(wrong) && error.contains("expected tikv/STORE"), "{error}");
        }
    }
}
