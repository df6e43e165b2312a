//! Reports of `iostat -o JSON`.

use serde_json::Value;
use textfile::{InputError, Text};

use super::columns::{Number, RowFault, device_rates};
use super::{IncompleteRow, IostatReport};

pub(super) fn read(text: &Text) -> Result<Vec<IostatReport>, InputError> {
    let document: Value = match serde_json::from_str(text.content()) {
        Err(error) if error.is_eof() => completed(text.content()).ok_or(error),
        // sysstat 11.6 to 12.1 with -y write a comma before the first report.
        Err(error) => serde_json::from_str(&without_stray_commas(text.content())).map_err(|_| error),
        read => read,
    }
    .map_err(|error| {
        let line_start = text.content().split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
        text.error_at(line_start.sum::<usize>() + error.column().saturating_sub(1), format!("is not JSON: {error}"))
    })?;
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

/// The document without commas that nothing comes before or after.
fn without_stray_commas(content: &str) -> String {
    let mut kept = String::with_capacity(content.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in content.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted && matches!(kept.trim_end().chars().next_back(), Some('[' | '{' | ',') | None) => continue,
            ']' | '}' if !quoted && kept.trim_end().ends_with(',') => {
                let end = kept.trim_end().len() - 1;
                kept.truncate(end);
            }
            _ => {}
        }
        kept.push(c);
    }
    kept
}

/// A document that was cut off, up to the last thing in it that is whole.
fn completed(content: &str) -> Option<Value> {
    let (mut open, mut whole) = (Vec::new(), None);
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in content.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop().filter(|closes| *closes == c)?;
                whole = Some((at + 1, open.clone()));
            }
            _ => {}
        }
    }
    let (end, open) = whole?;
    let closing: String = open.into_iter().rev().collect();
    serde_json::from_str(&format!("{}{closing}", &content[..end])).ok()
}
