//! Statistics of EBS volumes and instance stores from their NVMe log page 0xD0: the page itself, and what `nvme amzn stats` and
//! `ebsnvme stats` print of it as text and as JSON.

mod page;
mod written;

use textfile::InputError;
use timeline::Timeline;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::volume::{self, VolumeSample};

/// The format of NVMe statistics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NvmeStatistics;

impl InputFormat for NvmeStatistics {
    fn name(&self) -> &'static str {
        "nvme"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["ebsnvme", "ebs-nvme", "nvme-stats"]
    }

    fn about(&self) -> &'static str {
        "NVMe statistics of an EBS volume"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  nvme amzn stats /dev/nvme1n1 > a.txt; sleep 60; nvme amzn stats /dev/nvme1n1 > b.txt
  diskwright diagnose nvme a.txt b.txt --interval 60s --disk gp3:500GiB
  nvme get-log /dev/nvme1n1 --log-id=0xd0 --log-len=4096 -b > nvme1n1.bin
  ebsnvme stats --json /dev/nvme1n1 > nvme1n1.json

The volume counts for how long its own limits and the instance's were exceeded. One sample tells
that of all the time since it was attached; two, one after the other in a file or in two files,
tell rates, too, and need --interval where they have no times."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        page::is_page(glimpse.bytes)
            || page::of_hex(glimpse.text()).is_some()
            || glimpse.has_all(&["total_read_ops", "total_write_ops"])
                && glimpse.is_json()
                && !glimpse.has_all(&["\"Label\""])
                && !glimpse.has_all(&["metric_stream_name"])
            || glimpse.any_line(|line| line.contains("Volume Performance Exceeded"))
    }

    fn samples(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let mut samples: Vec<VolumeSample> = Vec::new();
        for file in files {
            let is_page =
                page::is_page(file.bytes()) || file.text().is_ok_and(|text| page::of_hex(text.content()).is_some());
            let read = if is_page { page::read(file)? } else { written::read(file, options)? };
            if read.is_empty() {
                let message =
                    "has no NVMe statistics: expected `Total Ops` and what follows, or `total_read_ops` in JSON";
                return Err(InputError::new(file.path(), message)
                    .help("record them with `nvme amzn stats /dev/nvme1n1`")
                    .into());
            }
            samples.extend(read);
        }
        let path = files.first().map(|file| file.path().display().to_string()).unwrap_or_default();
        let timeline = volume::timeline(format!("NVMe statistics, {path}"), &samples, options.interval, options.start)
            .map_err(|volume::Untimed| GatherError::NoInterval { path })?;
        timeline.validate()?;
        Ok(timeline)
    }
}

/// What a volume is called whose statistics do not say: after a device or a volume id in the file's name, else after the file.
fn disk_of(file: &InputFile) -> String {
    let stem = file.stem();
    let words = || stem.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let volume = || words().find(|word| word.starts_with("vol-"));
    let device = || words().flat_map(|word| word.split('-')).find(|word| is_nvme(word));
    volume().or_else(device).map_or_else(|| stem.clone(), str::to_owned)
}

/// `nvme1n1`.
fn is_nvme(word: &str) -> bool {
    word.strip_prefix("nvme").is_some_and(|rest| rest.contains('n') && rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
#[path = "nvme/tests.rs"]
mod tests;
