//! What tools print of the page: text in sections, and JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::Offset;
use limits::BindingLimit;
use serde_json::Value;
use textfile::{InputError, Text};

use super::{disk_of, is_nvme};
use crate::format::ReadOptions;
use crate::input::InputFile;
use crate::stamp;
use crate::volume::{VolumeCounter, VolumeSample};

pub(super) fn read(file: &InputFile, options: &ReadOptions) -> Result<Vec<VolumeSample>, InputError> {
    let text = file.text()?;
    let zone = options.zone.unwrap_or(Offset::UTC);
    let disk = disk_of(file);
    if text.content().trim_start().starts_with(['{', '[']) {
        json(&text, &disk, zone)
    } else {
        lines(&text, &disk, zone)
    }
}

/// Sections and their lines, in both tools' spelling.
fn counter(section: &str, line: &str) -> Option<VolumeCounter> {
    let section = section.to_ascii_lowercase();
    let pair = |read, write| match line {
        "Read" => Some(read),
        "Write" => Some(write),
        _ => None,
    };
    let exceeded = |iops, throughput| match line {
        "IOPS" => Some(VolumeCounter::Exceeded(iops)),
        "Throughput" => Some(VolumeCounter::Exceeded(throughput)),
        _ => None,
    };
    match () {
        () if section.starts_with("total ops") => pair(VolumeCounter::ReadOps, VolumeCounter::WriteOps),
        () if section.starts_with("total bytes") => pair(VolumeCounter::ReadBytes, VolumeCounter::WriteBytes),
        () if section.starts_with("total time") => pair(VolumeCounter::ReadTime, VolumeCounter::WriteTime),
        () if section.contains("instance") && section.contains("exceeded") && !section.contains("volume") => {
            exceeded(BindingLimit::InstanceIops, BindingLimit::InstanceThroughput)
        }
        () if section.contains("volume") && section.contains("exceeded") => {
            exceeded(BindingLimit::VolumeIops, BindingLimit::VolumeThroughput)
        }
        () => None,
    }
}

fn lines(text: &Text, named: &str, zone: Offset) -> Result<Vec<VolumeSample>, InputError> {
    let mut samples: Vec<VolumeSample> = Vec::new();
    let (mut section, mut offset) = ("", 0);
    let (mut disk, mut at) = (named.to_owned(), None::<Timestamp>);
    for line in text.content().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let line = line.trim();
        let (name, value) = line.split_once(':').map_or((line, ""), |(name, value)| (name.trim(), value.trim()));
        if let Some(device) = line.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| is_nvme(word)) {
            device.clone_into(&mut disk);
        } else if let Some(time) = stamp::found(line, zone) {
            at = Some(time);
        } else if name.to_ascii_lowercase().starts_with("queue length") {
            if let (Some(sample), Ok(queue)) = (samples.last_mut(), value.parse::<f64>()) {
                sample.values.insert(VolumeCounter::Queue, queue);
            }
        } else if value.is_empty() {
            section = name;
        } else if let Some(counter) = counter(section, name) {
            let number: u64 = value.replace([',', ' ', '_'], "").parse().map_err(|_| {
                text.error_at(
                    start,
                    format!("`{name}: {}` is no count; expected a number such as 51000000", short(value)),
                )
            })?;
            let number = number as f64;
            let number = if counter.is_time() { number / 1e6 } else { number };
            // The first line of a sample is one that the sample before has already.
            if samples.last().is_none_or(|sample| sample.values.contains_key(&counter)) {
                samples.push(VolumeSample { disk: disk.clone(), at: at.take(), values: BTreeMap::new() });
            }
            if let Some(sample) = samples.last_mut() {
                sample.values.insert(counter, number);
            }
        }
    }
    Ok(samples)
}

/// Objects that hold the page's counters, wherever they stand: alone, in a list, by device, one a line.
fn json(text: &Text, named: &str, zone: Offset) -> Result<Vec<VolumeSample>, InputError> {
    let mut samples = Vec::new();
    let mut documents = serde_json::Deserializer::from_str(text.content()).into_iter::<Value>();
    while let Some(document) = documents.next() {
        let offset = documents.byte_offset();
        let document = document.map_err(|error| text.error_at(offset, format!("is not JSON: {error}")))?;
        gather(&document, named, zone, &mut samples);
    }
    Ok(samples)
}

fn gather(value: &Value, named: &str, zone: Offset, samples: &mut Vec<VolumeSample>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| gather(one, named, zone, samples)),
        Value::Object(fields) => {
            let text = |keys: [&str; 5]| keys.into_iter().find_map(|key| fields.get(key)?.as_str());
            let disk = text(["volume_id", "device", "disk", "name", "DevicePath"]).map(bare).unwrap_or(named);
            let mut values = BTreeMap::new();
            for (key, value) in fields {
                let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
                if let (Some(counter), Some(number)) =
                    (VolumeCounter::named(key), number.filter(|number| *number >= 0.0))
                {
                    values.insert(counter, if counter.is_time() { number / 1e6 } else { number });
                }
            }
            if values.len() >= 3 {
                let at =
                    ["timestamp", "time", "Timestamp", "date"].into_iter().find_map(|key| match fields.get(key)? {
                        Value::String(text) => stamp::read(text, zone),
                        Value::Number(number) => stamp::epoch(number.as_f64()?),
                        _ => None,
                    });
                samples.push(VolumeSample { disk: disk.to_owned(), at, values });
                return;
            }
            for (key, value) in fields {
                let key = bare(key);
                gather(value, if is_nvme(key) || key.starts_with("vol-") { key } else { disk }, zone, samples);
            }
        }
        _ => {}
    }
}

/// `nvme1n1` of `/dev/nvme1n1`.
fn bare(device: &str) -> &str {
    device.strip_prefix("/dev/").unwrap_or(device)
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
