//! The stores whose flushes and compactions `pilot run` limits.

use ::pilot::compactions::{
    CompactionController, DiskSource, HostDisks, LimitedStore, MountedDisks, PartialDisk, StoreSet,
};
use ::pilot::{Pilot, PilotAccess, TikvHttp};
use compaction_control::RateBounds;
use diagnose::KnownFacts;
use units::{BytesPerSec, Ratio};

use crate::failure::Failure;
use crate::home;

/// Stores whose flushes and compactions are limited.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Compactions")]
pub(crate) struct Limits {
    /// Limit the flushes and compactions of a store to what its disks have left: 1=DIR of mounted disks, or
    /// 1=http://HOST:9100/metrics#nvme1n1, a node_exporter and its device, with --on; may be repeated
    #[arg(long = "limit", value_name = "STORE=DISKS")]
    stores: Vec<String>,
    /// Share of the disks' limits to count on, where others use them too
    #[arg(long = "disk-share", value_name = "SHARE", default_value = "100%", requires = "stores")]
    share: Ratio,
    /// Lowest limit
    #[arg(long, value_name = "RATE", default_value = "4MiB/s", requires = "stores")]
    floor: BytesPerSec,
    /// Highest limit
    #[arg(long, value_name = "RATE", default_value = "10GiB/s", requires = "stores")]
    ceiling: BytesPerSec,
}

impl Limits {
    /// Whether some are.
    pub(crate) fn is_on(&self) -> bool {
        !self.stores.is_empty()
    }

    /// The stores, each with its disks. Nothing is asked yet.
    pub(crate) fn limited(&self, known: &KnownFacts, access: &PilotAccess) -> Result<Vec<LimitedStore>, Failure> {
        if self.floor.0 > self.ceiling.0 {
            return Err(Failure::input(format!(
                "--floor {}: expected no more than --ceiling {}",
                self.floor, self.ceiling
            )));
        }
        let share = self.share.0;
        if !(share > 0.0 && share <= 1.0) {
            return Err(Failure::input(format!("--disk-share {}: expected more than 0 % and up to 100 %", self.share)));
        }
        let one = |text: &String| {
            let wrong =
                || Failure::input(format!("--limit {text}: expected STORE=DIR or STORE=http://HOST:9100#DEVICE"));
            let (store, place) = text.split_once('=').ok_or_else(wrong)?;
            let store = store.parse().map_err(|_| wrong())?;
            let disks: Box<dyn DiskSource> = if place.contains("://") {
                Box::new(HostDisks::new(place, known, access)?)
            } else {
                let home = home::home()?;
                mount::find(&home, place.as_ref())?;
                Box::new(MountedDisks::new(home, place))
            };
            Ok(LimitedStore { store, disks: if share < 1.0 { Box::new(PartialDisk::of(disks, share)) } else { disks } })
        };
        self.stores.iter().map(one).collect()
    }

    /// Lets a pilot limit them.
    pub(crate) fn join(&self, pilot: Pilot, limited: Vec<LimitedStore>, tikv: &TikvHttp) -> Pilot {
        if limited.is_empty() {
            return pilot;
        }
        let bounds = RateBounds { floor: self.floor, ceiling: self.ceiling };
        let source = StoreSet::new(tikv.clone(), limited);
        pilot.source(Box::new(source)).controller(Box::new(CompactionController::new(bounds)))
    }
}
