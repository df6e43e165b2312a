//! Files that people bring and that hold nothing to diagnose, so that a refusal can say what they are and what to bring instead.

use textfile::InputError;

use crate::GatherError;
use crate::formats::FORMATS;
use crate::input::{Glimpse, InputFile};

/// A kind of file that is not read.
#[derive(Debug, Clone, Copy)]
pub struct Stranger {
    /// What it is.
    pub what: &'static str,
    /// What to bring instead.
    pub instead: &'static str,
    is: fn(&Glimpse<'_>) -> bool,
}

const STRANGERS: [Stranger; 13] = [
    Stranger {
        what: "packed with gzip",
        instead: "unpack it: `gunzip FILE`",
        is: |glimpse| glimpse.bytes.starts_with(&[0x1F, 0x8B]),
    },
    Stranger {
        what: "packed with zstd",
        instead: "unpack it: `zstd -d FILE`",
        is: |glimpse| glimpse.bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]),
    },
    Stranger {
        what: "a zip archive",
        instead: "unpack it: `unzip FILE`",
        is: |glimpse| glimpse.bytes.starts_with(b"PK\x03\x04"),
    },
    Stranger {
        what: "a tar archive",
        instead: "unpack it: `tar xf FILE`",
        is: |glimpse| glimpse.bytes.get(257..262) == Some(&b"ustar"[..]),
    },
    Stranger {
        what: "sysstat's own data",
        instead: "have sadf print it: `sadf -j -- -d FILE > sar.json`",
        // SYSSTAT_MAGIC 0xd596, FORMAT_MAGIC 0x21xx: sa.h of sysstat.
        is: |glimpse| matches!(glimpse.bytes, [0x96, 0xD5, _, 0x21, ..] | [0xD5, 0x96, 0x21, ..]),
    },
    Stranger {
        what: "a web page",
        instead: "save the answer of the API, not of the browser's page",
        is: |glimpse| {
            let begin: String = glimpse.text().trim_start().chars().take(15).collect();
            let begin = begin.to_ascii_lowercase();
            begin.starts_with("<!doctype html") || begin.starts_with("<html")
        },
    },
    Stranger {
        what: "iostat without -x",
        instead: "record with `iostat -xty 5 60`: without -x it counts no reads, writes and waits",
        is: |glimpse| {
            glimpse.any_line(|line| {
                line.starts_with("Device") && line.contains("tps") && line.contains("_read/s") && !line.contains("r/s ")
            })
        },
    },
    Stranger {
        what: "what vmstat printed",
        instead: "record disks with `iostat -xty 5 60`",
        is: |glimpse| {
            glimpse.any_line(|line| line.contains("procs") && line.contains("memory") && line.contains("swap"))
        },
    },
    Stranger {
        what: "fio's output for people",
        instead: "run fio with `--output-format=json --output=fio.json`",
        is: |glimpse| glimpse.any_line(|line| line.contains("(groupid=") && line.contains("jobs=")),
    },
    Stranger {
        what: "an error of an API",
        instead: "see what it says, and ask again",
        is: |glimpse| glimpse.is_json() && glimpse.has_all(&["\"status\"", "\"error\"", "\"errorType\""]),
    },
    Stranger {
        what: "a TiUP topology or another YAML file",
        instead: "make a deployment of it with `diskwright import`",
        is: |glimpse| {
            glimpse.any_line(|line| matches!(line.trim_end(), "tikv_servers:" | "kind: TidbCluster" | "pd_servers:"))
        },
    },
    Stranger {
        what: "settings",
        instead: "make a deployment of it with `diskwright import`",
        is: |glimpse| {
            let text = glimpse.text().trim_start();
            text.starts_with('[') && !glimpse.is_list() && glimpse.any_line(|line| line.contains('='))
        },
    },
    Stranger {
        what: "another kind of JSON",
        instead: "the formats that are read are listed by `diskwright diagnose --help`",
        is: |glimpse| glimpse.is_json() && glimpse.text().contains('"'),
    },
];

impl Glimpse<'_> {
    /// Whether a bracket at the beginning opens a list of JSON, and is no heading of settings.
    fn is_list(&self) -> bool {
        let after = self.text().trim_start().trim_start_matches('[').trim_start();
        after.starts_with(['{', '"', '[', ']']) || after.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// What a file seems to be that is not read.
pub fn seems(file: &InputFile) -> Option<&'static Stranger> {
    let glimpse = file.glimpse();
    STRANGERS.iter().find(|stranger| (stranger.is)(&glimpse))
}

/// The refusal of a file that is of no format.
pub(crate) fn unknown(file: &InputFile) -> GatherError {
    if file.bytes().iter().all(u8::is_ascii_whitespace) {
        return InputError::new(file.path(), "is empty").into();
    }
    if let Some(stranger) = seems(file) {
        let message = format!("holds nothing to diagnose: it seems to be {}", stranger.what);
        return InputError::new(file.path(), message).help(stranger.instead).into();
    }
    let known: Vec<&str> = FORMATS.iter().map(|format| format.about()).collect();
    let message = "is of no form that is read".to_owned();
    let help = format!("expected one of: {}", known.join("; "));
    InputError::new(file.path(), message).help(help).into()
}
