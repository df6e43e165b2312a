//! The file of events: its keys, and the words in them.

use std::fmt::Display;

use disk::{DiskFault, RequestedRate};
use textfile::{InputError, Text};
use units::Nanos;

use crate::setting::setting;
use crate::{EventEntry, EventKind};

/// Events of a file at most.
const MOST_EVENTS: usize = 10_000;
/// The load is at most so many times that of the beginning.
const MOST_LOAD: f64 = 1000.0;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Events, each with `at` and one other key.
    events: Vec<Entry>,
}

/// An `[[events]]` table: `at`, and one of the others.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    /// Instant of the event after the start of the run, warm-up included.
    at: Nanos,
    /// Offered load from now on, as a multiple of the load at the start.
    load: Option<f64>,
    /// Reads, scans and writes of an operation, as multiples of those at the start.
    mix: Option<String>,
    /// Fault of a disk, in the words of `diskwright disk fault`.
    fault: Option<String>,
    /// Volume that a disk is modified to, by the cloud's rules.
    modify: Option<String>,
    /// TiKV setting that is changed online on every node.
    setting: Option<String>,
    /// Zone that is lost, for a time or for good.
    zone_down: Option<String>,
    /// Node that is lost, for a time or for good.
    node_down: Option<String>,
    /// Node whose raft leaders move away, for a time or for good.
    evict_leaders: Option<String>,
}

const KEYS: &str = "load, mix, fault, modify, setting, zone-down, node-down or evict-leaders";

/// Reads the events of a file, in its order.
pub(super) fn events(text: &Text) -> Result<Vec<EventEntry>, InputError> {
    let File { events } = textfile::from_toml(text)?;
    if events.len() > MOST_EVENTS {
        return Err(InputError::new(
            text.path(),
            format!("has {} events, expected at most {MOST_EVENTS}", events.len()),
        ));
    }
    let one = |(number, entry): (usize, Entry)| {
        let key = |name: &str| format!("events.{number}.{name}");
        let at = entry.at;
        let mut found = parts(entry).into_iter().flatten();
        match (found.next(), found.next()) {
            (Some((name, what)), None) => {
                let what = what.map_err(|why| text.error_at_key(&key(name), format!("`{}`: {why}", key(name))))?;
                Ok(EventEntry { at, what })
            }
            (None, _) => Err(text
                .error_at_key(&format!("events.{number}"), format!("[events.{number}] says when, but not what"))
                .help(format!("add one of {KEYS}"))),
            (Some((first, _)), Some((second, _))) => Err(text
                .error_at_key(&key(second), format!("[events.{number}] says two things, `{first}` and `{second}`"))
                .help("write an [[events]] table for each")),
        }
    };
    events.into_iter().enumerate().map(one).collect()
}

/// A key with what it says, or why it says nothing.
type Said = Option<(&'static str, Result<EventKind, String>)>;

fn parts(entry: Entry) -> [Said; 8] {
    let said =
        |name, text: Option<String>, read: fn(&str) -> Result<EventKind, String>| text.map(|text| (name, read(&text)));
    [
        entry.load.map(|factor| ("load", load(factor))),
        said("mix", entry.mix, mix),
        said("fault", entry.fault, fault),
        said("modify", entry.modify, modify),
        said("setting", entry.setting, |text| setting(text).map(EventKind::Setting)),
        said("zone-down", entry.zone_down, |text| {
            for_a_while(text).map(|(zone, lasts)| EventKind::ZoneDown { zone, lasts })
        }),
        said("node-down", entry.node_down, |text| {
            for_a_while(text).map(|(node, lasts)| EventKind::NodeDown { node, lasts })
        }),
        said("evict-leaders", entry.evict_leaders, |text| {
            for_a_while(text).map(|(node, lasts)| EventKind::EvictLeaders { node, lasts })
        }),
    ]
}

fn load(factor: f64) -> Result<EventKind, String> {
    if (0.0..=MOST_LOAD).contains(&factor) {
        return Ok(EventKind::Load(factor));
    }
    Err(format!("{factor} is no factor: expected 0 to {MOST_LOAD} times the load that the run begins with"))
}

/// `scans 10x, writes 0.5x`; what is not named is as in the beginning.
fn mix(text: &str) -> Result<EventKind, String> {
    const KINDS: [&str; 3] = ["reads", "scans", "writes"];
    let mut factors = [1.0; 3];
    for part in text.split(',') {
        let wrong = || format!("`{}`: expected a kind and a factor, such as `scans 10x`", part.trim());
        let (kind, factor) = part.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
        let at = KINDS.iter().position(|known| *known == kind);
        let at = at.ok_or_else(|| format!("`{kind}` is no kind; {}", textfile::did_you_mean(kind, &KINDS)))?;
        let factor = factor.trim().strip_suffix('x').and_then(|factor| factor.parse().ok()).ok_or_else(wrong)?;
        if !(0.0..=MOST_LOAD).contains(&factor) {
            return Err(format!("{factor} is no factor: expected 0 to {MOST_LOAD} times what the run begins with"));
        }
        factors[at] = factor;
    }
    Ok(EventKind::Mix(factors))
}

/// `n1/data`, and the words after it.
fn place(text: &str) -> Result<(String, String, &str), String> {
    let text = text.trim();
    let (place, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (node, disk) = place.split_once('/').ok_or_else(|| {
        format!("`{place}` is no disk: expected a node and its disk first, such as `n1/data` or `all/log`")
    })?;
    Ok((node.to_owned(), disk.to_owned(), rest.trim()))
}

fn fault(text: &str) -> Result<EventKind, String> {
    let (node, disk, words) = place(text)?;
    let wish = words.parse::<RequestedRate>().map_err(|error| shown(&error))?;
    if matches!(wish, RequestedRate::Inject(DiskFault::Errors(_), _)) {
        return Err(
            "what TiKV makes of I/O errors is not for events; take `detach`, which ends as a failed write does"
                .to_owned(),
        );
    }
    Ok(EventKind::Fault { node, disk, wish })
}

fn modify(text: &str) -> Result<EventKind, String> {
    let (node, disk, words) = place(text)?;
    let to = words.parse().map_err(|error: disk::ParseDiskError| shown(&error))?;
    Ok(EventKind::Modify { node, disk, to })
}

/// `NAME [for SPAN]`; without a span, to the end.
fn for_a_while(text: &str) -> Result<(String, Nanos), String> {
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [name] => Ok((name.to_owned(), Nanos::MAX)),
        [name, "for", span] => match span.parse().map_err(|error: units::ParseError| shown(&error))? {
            Nanos(0) => Err("it would last no time: expected a span such as 10m".to_owned()),
            lasts => Ok((name.to_owned(), lasts)),
        },
        _ => Err(format!("`{text}`: expected a name, and for how long, such as `a for 10m`")),
    }
}

fn shown(error: &dyn Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventScript;

    fn read(content: &str) -> Result<EventScript, String> {
        EventScript::from_text(&Text::new("e.toml", content)).map_err(|error| error.to_string())
    }

    fn refused(line: &str) -> String {
        read(&format!("[[events]]\nat = \"1m\"\n{line}\n")).unwrap_err()
    }

    #[test]
    fn what_is_read_is_told_in_order_of_time_in_the_words_of_the_file() {
        let lines = [
            ("90s", "load = 1.5"),
            ("85s", "mix = \"scans 3x,writes  0.5x\""),
            ("80s", "fault = \"n1/data  slow 20x  for 60s\""),
            ("70s", "modify = \"n2/log gp3:100GiB,8000iops\""),
            ("60s", "setting = \"rocksdb.rate-bytes-per-sec = 20MiB\""),
            ("50s", "zone-down = \"a for 5m\""),
            ("40s", "evict-leaders = \"n3\""),
            ("30s", "fault = \"all/data delay 2ms\""),
        ];
        let content: String = lines.iter().map(|(at, line)| format!("[[events]]\nat = \"{at}\"\n{line}\n")).collect();
        let said: Vec<String> = read(&content).unwrap().marks().into_iter().map(|mark| mark.what).collect();
        let mut expected = vec![
            "load 1.5",
            "reads 1x, scans 3x, writes 0.5x",
            "n1/data slow 20x for 1m",
            "n2/log becomes gp3:100GiB,8000iops",
            "rocksdb.rate-bytes-per-sec = 20MiB/s",
            "zone a down for 5m",
            "n3 leads nothing",
            "all/data delay 2ms",
        ];
        expected.reverse();
        assert_eq!(said, expected);
    }

    #[test]
    fn nonsense_is_refused_at_its_line_with_its_key() {
        for (line, parts) in [
            ("lod = 2", ["e.toml:3:1", "`lod`", "`load`"]),
            ("load = -1", ["e.toml:3:8", "`events.0.load`", "times the load"]),
            ("mix = \"scan 2x\"", ["e.toml:3:7", "`events.0.mix`", "did you mean `scans`"]),
            ("mix = \"scans 2\"", ["e.toml:3:7", "`scans 2`", "`scans 10x`"]),
            ("fault = \"slow 20x\"", ["e.toml:3:9", "`events.0.fault`", "`n1/data`"]),
            ("fault = \"n1/data slo 20x\"", ["e.toml:3:9", "`slo`", "did you mean `slow`"]),
            ("fault = \"n1/data errors 1%\"", ["e.toml:3:9", "I/O errors", "detach"]),
            ("modify = \"n1/data gp3\"", ["e.toml:3:10", "`events.0.modify`", "gp3"]),
            ("setting = \"raftstore.foo = 1\"", ["e.toml:3:11", "raftstore.foo", "rocksdb.rate-bytes-per-sec"]),
            ("setting = \"rocksdb.rate-bytes-per-sec\"", ["e.toml:3:11", "`events.0.setting`", "= 20MiB"]),
            ("zone-down = \"a during 5m\"", ["e.toml:3:13", "`events.0.zone-down`", "for how long"]),
            ("zone-down = \"a for 0s\"", ["e.toml:3:13", "no time", "10m"]),
            ("", ["e.toml:1:", "not what", "add one of load, mix"]),
            ("load = 1\nevict-leaders = \"n1\"", ["e.toml:4:", "two things", "table for each"]),
        ] {
            let message = refused(line);
            for part in parts {
                assert!(message.contains(part), "{line}: `{part}` is not in: {message}");
            }
        }
        assert!(read("").unwrap_err().contains("lacks the key `events`"));
    }
}
