//! Timelines as other verbs write them, among the formats that are recognised.

use timeline::{Timeline, TimelineFormat};
use units::Bytes;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};

/// The format of Timelines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimelineFile;

impl InputFormat for TimelineFile {
    fn name(&self) -> &'static str {
        "timeline"
    }

    fn about(&self) -> &'static str {
        "a Timeline, as simulate, record and bench write it"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  diskwright simulate examples/raft-shared.toml examples/social-inserts.toml --out run
  diskwright diagnose timeline run/timeline.parquet --out report
  diskwright diagnose timeline recorded.parquet --disk gp2:400GiB --region us-west-2 --json

A Timeline of simulate knows its deployment; --on names another. Of other Timelines say what their
disks and instances are; series of CloudWatch are understood under CloudWatch's own names."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.bytes.starts_with(b"PAR1") || of_text(glimpse).is_some()
    }

    fn largest(&self) -> Bytes {
        Bytes::gib(1)
    }

    fn read(&self, files: &[InputFile], _: &ReadOptions) -> Result<Timeline, GatherError> {
        let [file] = files else { return Err(GatherError::Asked("name one Timeline".to_owned())) };
        let format = match TimelineFormat::of(file.path()) {
            Ok(format) => format,
            // A name without its ending, such as `-`: the content says it.
            Err(error) => of_content(file).ok_or(error)?,
        };
        Ok(format.decode(file.bytes().to_vec(), file.path())?)
    }
}

fn of_content(file: &InputFile) -> Option<TimelineFormat> {
    let glimpse = file.glimpse();
    if glimpse.bytes.starts_with(b"PAR1") { Some(TimelineFormat::Parquet) } else { of_text(&glimpse) }
}

/// Timelines as CSV begin with their columns or a comment about them, as JSON with what they are of.
fn of_text(glimpse: &Glimpse<'_>) -> Option<TimelineFormat> {
    if glimpse.is_json() {
        let begins = glimpse.has_all(&["\"about\"", "\"version\"", "\"title\""]);
        return (begins || glimpse.has_all(&["\"series\"", "\"from_ns\""])).then_some(TimelineFormat::Json);
    }
    glimpse.any_line(|line| line.contains("from_ns,") && line.contains("until_ns")).then_some(TimelineFormat::Csv)
}
