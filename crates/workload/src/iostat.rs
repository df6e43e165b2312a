//! Reads what `iostat -x` prints, as text or (`-o JSON`) as JSON.

use input::{InputError, Text};
use serde_json::Value;

use crate::IoRates;

/// One device in one report.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceRates {
    /// Its name, such as `sdb`.
    pub device: String,
    /// What it did each second.
    pub rates: IoRates,
    /// Requests waiting or in service, in the mean.
    pub queue: Option<f64>,
    /// Share of the time with a request in service.
    pub busy: Option<f64>,
}

/// Names of a column and the factor to its base unit. iostat's kB and MB are binary (man iostat: `rkB/s` is "kilobytes",
/// counted from sectors of 512 bytes by halving).
const READS: &[(&str, f64)] = &[("r/s", 1.0)];
const READ_BYTES: &[(&str, f64)] = &[("rkB/s", 1024.0), ("rMB/s", 1048576.0), ("rsec/s", 512.0)];
const WRITES: &[(&str, f64)] = &[("w/s", 1.0)];
const WRITE_BYTES: &[(&str, f64)] = &[("wkB/s", 1024.0), ("wMB/s", 1048576.0), ("wsec/s", 512.0)];
const FLUSHES: &[(&str, f64)] = &[("f/s", 1.0)];
const QUEUE: &[(&str, f64)] = &[("aqu-sz", 1.0), ("avgqu-sz", 1.0)];
const BUSY: &[(&str, f64)] = &[("%util", 0.01), ("util", 0.01)];

/// The devices of all reports, in order.
///
/// # Errors
/// When there is no report in the text, a column is missing, or a number is none.
pub fn parse_iostat(text: &Text) -> Result<Vec<DeviceRates>, InputError> {
    let devices = if text.content().trim_start().starts_with('{') { from_json(text)? } else { from_lines(text)? };
    if devices.is_empty() {
        return Err(InputError::new(text.path(), "has no iostat report; expected a line that begins with `Device`")
            .help("record one with `iostat -x -y 60 1`"));
    }
    Ok(devices)
}

fn from_lines(text: &Text) -> Result<Vec<DeviceRates>, InputError> {
    let mut devices = Vec::new();
    let mut header: Option<Vec<&str>> = None;
    let mut offset = 0;
    for line in text.content().split_inclusive('\n') {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.first().map(|word| word.trim_end_matches(':')), &header) {
            (Some("Device"), _) => header = Some(words),
            (None | Some("avg-cpu"), _) => header = None,
            (Some(device), Some(columns)) => {
                if words.len() != columns.len() {
                    let message = format!("has {} columns; expected the {} of the header", words.len(), columns.len());
                    return Err(text.error_at(offset, message));
                }
                let find = |name: &str| columns.iter().position(|column| *column == name).map(|i| words[i]);
                let number = |name: &str| find(name).map(|word| read_number(text, offset, line, word)).transpose();
                devices.push(device_rates(device, number, |name| text.error_at(offset, missing(name)))?);
            }
            (Some(_), None) => {}
        }
        offset += line.len();
    }
    Ok(devices)
}

fn read_number(text: &Text, line_start: usize, line: &str, word: &str) -> Result<f64, InputError> {
    let number = word.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| {
        let offset = line_start + line.find(word).unwrap_or(0);
        let error = text.error_at(offset, format!("`{word}` is not a rate; expected a number such as 12.50"));
        if word.contains(',') { error.help("record with `LC_ALL=C iostat`") } else { error }
    })
}

fn from_json(text: &Text) -> Result<Vec<DeviceRates>, InputError> {
    let document: Value = serde_json::from_str(text.content()).map_err(|error| {
        let line_start = text.content().split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len);
        text.error_at(line_start.sum::<usize>() + error.column().saturating_sub(1), format!("is not JSON: {error}"))
    })?;
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let hosts = list(&document["sysstat"], "hosts");
    let reports = hosts.iter().flat_map(|host| list(host, "statistics"));
    let disks = reports.flat_map(|report| list(&report, "disk"));
    disks
        .map(|disk| {
            let device = disk["disk_device"].as_str().unwrap_or_default();
            let number = |name: &str| match disk.get(name).map(|value| (value, value.as_f64())) {
                None => Ok(None),
                Some((_, Some(number))) if number >= 0.0 => Ok(Some(number)),
                Some((value, _)) => {
                    Err(InputError::new(text.path(), format!("`{name}` of `{device}` is {value}; expected a rate")))
                }
            };
            device_rates(device, number, |name| InputError::new(text.path(), missing(name)))
        })
        .collect()
}

fn missing(name: &str) -> String {
    format!("the report lacks the column `{name}`; expected the output of `iostat -x`")
}

/// One device from its columns by name.
fn device_rates(
    device: &str,
    number: impl Fn(&str) -> Result<Option<f64>, InputError>,
    missing: impl Fn(&str) -> InputError,
) -> Result<DeviceRates, InputError> {
    let any = |names: &[(&str, f64)]| {
        let values = names.iter().map(|(name, factor)| Ok(number(name)?.map(|value| value * factor)));
        values.collect::<Result<Vec<_>, InputError>>().map(|values| values.into_iter().flatten().next())
    };
    let needed = |names: &[(&str, f64)]| any(names)?.ok_or_else(|| missing(names[0].0));
    Ok(DeviceRates {
        device: device.to_owned(),
        rates: IoRates {
            reads: needed(READS)?,
            read_bytes: needed(READ_BYTES)?,
            writes: needed(WRITES)?,
            write_bytes: needed(WRITE_BYTES)?,
            // Kernels before 5.5 do not count them.
            flushes: any(FLUSHES)?.unwrap_or(0.0),
        },
        queue: any(QUEUE)?,
        busy: any(BUSY)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(content: &str) -> Result<Vec<DeviceRates>, String> {
        parse_iostat(&Text::new("io.txt", content)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_published_lines_are_read_with_binary_kilobytes() {
        let devices = parse(include_str!("../../../examples/tikv-node-iostat.txt")).unwrap();
        let [sdb, sdd] = &devices[..] else { panic!("two devices, not {devices:?}") };
        assert_eq!((sdb.rates.reads, sdb.rates.flushes, sdb.queue), (1649.0, 13.33, Some(5.09)));
        assert_eq!(sdb.rates.read_bytes, 209_030.67 * 1024.0);
        assert_eq!((sdd.rates.write_bytes, sdd.busy), (31_685.33 * 1024.0, Some(1.0)));
    }

    #[test]
    fn a_whole_report_with_processor_lines_is_read() {
        let report = "Linux 5.10 (host) \t11/21/26 \t_x86_64_\t(8 CPU)\n\navg-cpu:  %user %idle\n  5.0 95.0\n\n\
                      Device: r/s rMB/s w/s wMB/s avgqu-sz %util\nsda 1 2 3 4 0.5 50\n\n\
                      Device: r/s rMB/s w/s wMB/s avgqu-sz %util\nsda 5 6 7 8 0.5 50\n";
        let devices = parse(report).unwrap();
        assert_eq!(devices.len(), 2);
        assert_eq!(devices[1].rates.read_bytes, 6.0 * 1048576.0);
    }

    #[test]
    fn json_is_read() {
        let json = r#"{"sysstat": {"hosts": [{"statistics": [{"disk": [
            {"disk_device": "nvme1n1", "r/s": 10.0, "w/s": 20.0, "f/s": 1.5, "rkB/s": 1.0, "wkB/s": 2.0, "util": 40.0}
        ]}]}]}}"#;
        let devices = parse(json).unwrap();
        assert_eq!((devices[0].device.as_str(), devices[0].rates.write_bytes), ("nvme1n1", 2048.0));
        assert_eq!(devices[0].busy, Some(0.4));
    }

    #[test]
    fn a_bad_number_is_pointed_at() {
        assert_eq!(
            parse("Device r/s rkB/s w/s wkB/s\nsda 1 2 3,5 4\n").unwrap_err(),
            "io.txt:2:9: `3,5` is not a rate; expected a number such as 12.50; record with `LC_ALL=C iostat`"
        );
        assert_eq!(
            parse("Device r/s rkB/s w/s wkB/s\nsda 1 2 3\n").unwrap_err(),
            "io.txt:2:1: has 4 columns; expected the 5 of the header"
        );
    }

    #[test]
    fn a_missing_column_or_report_is_named() {
        assert_eq!(
            parse("Device r/s w/s\nsda 1 2\n").unwrap_err(),
            "io.txt:2:1: the report lacks the column `rkB/s`; expected the output of `iostat -x`"
        );
        assert!(parse("hello\n").unwrap_err().contains("has no iostat report"));
        assert!(parse("{\n x").unwrap_err().starts_with("io.txt:2:2: is not JSON"));
    }
}
