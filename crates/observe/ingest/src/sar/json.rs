//! `sadf -j`: json_stats.c of sysstat.

use jiff::Timestamp;
use jiff::tz::Offset;
use serde_json::Value;
use textfile::{InputError, Text};
use units::Nanos;

use super::{SarRow, cell};
use crate::stamp;

pub(super) fn read(text: &Text, zone: Offset) -> Result<Vec<SarRow>, InputError> {
    let document: Value = workload::mended_json(text)?;
    let mut rows = Vec::new();
    for host in list(&document["sysstat"], "hosts") {
        let node = host["nodename"].as_str().map(str::to_owned);
        // `sadf` counts by restarts, too; each list of statistics is of one run.
        for (report, statistics) in list(host, "statistics").iter().enumerate() {
            let at = instant(&statistics["timestamp"], zone);
            let seconds = statistics["timestamp"]["interval"].as_f64().filter(|seconds| *seconds > 0.0);
            for disk in list(statistics, "disk") {
                let Some(device) = disk["disk-device"].as_str() else { continue };
                let mut row = SarRow {
                    device: device.to_owned(),
                    node: node.clone(),
                    at,
                    length: seconds.map(Nanos::from_secs_f64),
                    report,
                    ..SarRow::default()
                };
                for (name, value) in disk.as_object().into_iter().flatten().filter(|(name, _)| *name != "disk-device") {
                    let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
                    let message = || format!("`{name}` of `{device}` is {value}; expected a rate");
                    cell(&mut row, name, number.ok_or_else(|| InputError::new(text.path(), message()))?);
                }
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// `{"date": "2026-11-21", "time": "19:40:01", "utc": 1, "interval": 600}`, or a text.
fn instant(stamp: &Value, zone: Offset) -> Option<Timestamp> {
    match stamp {
        Value::String(text) => stamp::read(text, zone),
        stamp => {
            let (date, time) = (stamp["date"].as_str()?, stamp["time"].as_str()?);
            let utc = stamp["utc"].as_i64() == Some(1) || stamp["utc"].as_bool() == Some(true);
            stamp::read(&format!("{date} {time}"), if utc { Offset::UTC } else { zone })
        }
    }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
