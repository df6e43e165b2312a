//! Whether two readings mean the same: TiKV prints `1GB` as `1GiB`, PD prints truths as texts, and people write `10ms` as `0.01s`.

use disk::Disk;
use serde_json::Value;
use units::Nanos;

/// Units of 1024, whatever they look like: sizes of TiKV's and PD's configurations (tikv components/tikv_util/src/config.rs).
const SIZES: [(&str, u32); 11] = [
    ("KiB", 10),
    ("MiB", 20),
    ("GiB", 30),
    ("TiB", 40),
    ("PiB", 50),
    ("KB", 10),
    ("MB", 20),
    ("GB", 30),
    ("TB", 40),
    ("PB", 50),
    ("B", 0),
];

/// What a text or number means.
#[derive(Debug, PartialEq)]
enum Meaning {
    Null,
    Truth(bool),
    Number(f64),
    Span(Nanos),
    Disk(Disk),
    Text(String),
    Other(Value),
}

/// Whether two readings mean the same.
pub fn same(a: &Value, b: &Value) -> bool {
    a == b || meaning(a) == meaning(b)
}

/// The number that a reading is, sizes in bytes; `None` where it is none.
pub(crate) fn amount(value: &Value) -> Option<f64> {
    match meaning(value) {
        Meaning::Number(number) => Some(number),
        _ => None,
    }
}

fn meaning(value: &Value) -> Meaning {
    match value {
        Value::Null => Meaning::Null,
        Value::Bool(truth) => Meaning::Truth(*truth),
        Value::Number(number) => Meaning::Number(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => text_meaning(text.trim()),
        other => Meaning::Other(other.clone()),
    }
}

fn text_meaning(text: &str) -> Meaning {
    if let Ok(truth) = text.parse() {
        return Meaning::Truth(truth);
    }
    // MySQL's words for it.
    match text {
        "ON" => return Meaning::Truth(true),
        "OFF" => return Meaning::Truth(false),
        _ => {}
    }
    if let Some(number) = number(text).or_else(|| size(text)) {
        return Meaning::Number(number);
    }
    if text.contains(':') {
        return text.parse().map_or_else(|_| Meaning::Text(text.to_owned()), Meaning::Disk);
    }
    span(text).map_or_else(|| Meaning::Text(text.to_owned()), Meaning::Span)
}

/// Without the words that Rust also reads as numbers.
fn number(text: &str) -> Option<f64> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+'));
    text.parse().ok().filter(|_| plain)
}

fn size(text: &str) -> Option<f64> {
    let (unit, shift) = SIZES.into_iter().find(|(unit, _)| text.ends_with(unit))?;
    let number = number(text.strip_suffix(unit)?.trim())?;
    Some(number * (1_u64 << shift) as f64)
}

/// Several parts may follow one another, as Go writes them: `1h0m0s`.
fn span(text: &str) -> Option<Nanos> {
    let (mut rest, mut sum) = (text, Nanos(0));
    while !rest.is_empty() {
        let unit = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let end = rest[unit..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |digit| unit + digit);
        sum += rest[..end].parse().ok()?;
        rest = &rest[end..];
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_means_the_same_is_the_same() {
        for (a, b) in [
            (json!("1GB"), json!("1GiB")),
            (json!("1GB"), json!(1_u64 << 30)),
            (json!("1024MiB"), json!("1GiB")),
            (json!("8"), json!(8)),
            (json!("true"), json!(true)),
            (json!("ON"), json!(true)),
            (json!("30m0s"), json!("30m")),
            (json!("1000ms"), json!("1s")),
            (json!("gp3:1TiB"), json!("gp3:1024GiB")),
        ] {
            assert!(same(&a, &b), "{a} and {b}");
        }
    }

    #[test]
    fn what_differs_is_not_the_same() {
        for (a, b) in [
            (json!("1GB"), json!("1000MB")),
            (json!("closest-replicas"), json!("leader")),
            (json!(8), json!(9)),
            (json!(null), json!(0)),
            (json!(true), json!(1)),
            (json!("infinity"), json!("nan")),
            (json!("gp3:1TiB"), json!("gp2:1TiB")),
            (json!(""), json!("0s")),
        ] {
            assert!(!same(&a, &b), "{a} and {b}");
        }
    }
}
