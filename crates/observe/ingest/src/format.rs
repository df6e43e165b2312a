//! What a format of metrics is to the table of all of them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::Offset;
use timeline::Timeline;
use units::{Bytes, Nanos};

use crate::GatherError;
use crate::input::{Glimpse, InputFile};
use crate::iostat::FirstReport;

/// The largest file that is read: a day of iostat's reports each second, or two weeks of a volume in minutes many times over.
pub const LARGEST: Bytes = Bytes::mib(256);

/// What files do not say of themselves.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// How long each report is of, or how far apart samples or points are, where they have no times.
    pub interval: Option<Nanos>,
    /// The instant at which the first interval begins, where nothing has times.
    pub start: Option<Timestamp>,
    /// Whether the first report of a run of iostat counts.
    pub first: FirstReport,
    /// The zone of times that name none; none is UTC.
    pub zone: Option<Offset>,
    /// What columns with names of their own are: `db write iops` = `WriteIOPS DBInstanceIdentifier:orders`.
    pub columns: BTreeMap<String, String>,
}

/// A format of metrics.
pub trait InputFormat: Sync {
    /// Its name, which is that of its subcommand.
    fn name(&self) -> &'static str;

    /// Other names of the subcommand.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// What it is, in a clause: `what \`iostat -x\` printed`.
    fn about(&self) -> &'static str;

    /// How one gets a file of it, and how it is read: lines for its help, each of at most 100 characters.
    fn help(&self) -> &'static str;

    /// Whether a file that begins so is of it.
    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool;

    /// Whether several files are several samples of the same counters, rather than files of different things.
    fn samples(&self) -> bool {
        false
    }

    /// The largest file of it that is read.
    fn largest(&self) -> Bytes {
        LARGEST
    }

    /// Whether disks may have names of the device mapper.
    fn has_mapper_names(&self) -> bool {
        false
    }

    /// Reads one file, or several where they are samples.
    ///
    /// # Errors
    /// When a file is not of the format, or nothing says what of it is needed.
    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError>;
}
