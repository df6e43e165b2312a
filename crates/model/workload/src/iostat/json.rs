//! Reports of `iostat -o JSON`.

use serde_json::Value;
use textfile::{InputError, Text};

use super::columns::{Number, RowFault, device_rates};
use super::mended::mended_json;
use super::{IncompleteRow, IostatReport};

pub(super) fn read(text: &Text) -> Result<Vec<IostatReport>, InputError> {
    let document = mended_json(text)?;
    let mut reports = Vec::new();
    for host in list(&document["sysstat"], "hosts") {
        for (index, report) in list(host, "statistics").iter().enumerate() {
            let (mut devices, mut incomplete) = (Vec::new(), Vec::new());
            for disk in list(report, "disk") {
                let device = disk["disk_device"].as_str().unwrap_or_default();
                let number = |name: &str| match disk.get(name).map(|value| (value, value.as_f64())) {
                    None => Ok(None),
                    Some((_, Some(value))) if value >= 0.0 => Ok(Some(Number { value, unit: None })),
                    Some((value, _)) => {
                        Err(InputError::new(text.path(), format!("`{name}` of `{device}` is {value}; expected a rate")))
                    }
                };
                match device_rates(device, number, |message| InputError::new(text.path(), message)) {
                    Ok(rates) => devices.push(rates),
                    Err(RowFault::Lacks(column)) => {
                        incomplete.push(IncompleteRow { device: device.to_owned(), column, at: None })
                    }
                    Err(RowFault::Wrong(error)) => return Err(error),
                }
            }
            let stamp = report["timestamp"].as_str().map(str::to_owned);
            reports.push(IostatReport { stamp, first: index == 0, devices, incomplete });
        }
    }
    Ok(reports)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}
