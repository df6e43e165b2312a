//! What can rule a layout out, and how to say so.

use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Nanos, Usd};

/// What a layout can fail, in the order in which layouts are tried: who fails a later one came further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayoutConstraint {
    /// Hardware threads of a node, as its makers advise.
    Threads,
    /// Memory of a node, as its makers advise.
    NodeMemory,
    /// Memory of all nodes, where a load was measured with its caches.
    Memory,
    /// Cores of a node.
    Cpu,
    /// I/Os a second that the instance lets through.
    InstanceIops,
    /// Bytes a second that the instance lets through.
    InstanceThroughput,
    /// Volumes that an instance takes.
    Attachments,
    /// Share of a disk's data alive after a year.
    Durability,
    /// Share of the time in which a disk delivers what was provisioned.
    Consistency,
    /// Bytes on the log's own disk.
    LogSize,
    /// I/Os a second of the log's own disk.
    LogIops,
    /// Bytes a second of the log's own disk.
    LogThroughput,
    /// Bytes on the data disk.
    DataSize,
    /// I/Os a second of the data disk.
    DataIops,
    /// Bytes a second of the data disk.
    DataThroughput,
    /// Mean latency with which the clients reach the rate.
    Clients,
    /// 99th percentile of latency.
    P99,
    /// Price of a month.
    Budget,
}

impl LayoutConstraint {
    /// The constraint that a limit of a volume puts on the data disk, or on the log's own; `None` where no volume has the limit.
    pub fn of_volume(limit: BindingLimit, of_log: bool) -> Option<Self> {
        match (limit, of_log) {
            (BindingLimit::Capacity, false) => Some(Self::DataSize),
            (BindingLimit::VolumeIops, false) => Some(Self::DataIops),
            (BindingLimit::VolumeThroughput, false) => Some(Self::DataThroughput),
            (BindingLimit::Capacity, true) => Some(Self::LogSize),
            (BindingLimit::VolumeIops, true) => Some(Self::LogIops),
            (BindingLimit::VolumeThroughput, true) => Some(Self::LogThroughput),
            _ => None,
        }
    }

    /// The limit of a node that the constraint is about; `None` for a promise, a latency or a price.
    pub fn limit(self) -> Option<BindingLimit> {
        match self {
            Self::Threads | Self::Cpu => Some(BindingLimit::Cpu),
            Self::NodeMemory | Self::Memory => Some(BindingLimit::Memory),
            Self::InstanceIops => Some(BindingLimit::InstanceIops),
            Self::InstanceThroughput => Some(BindingLimit::InstanceThroughput),
            Self::Attachments => Some(BindingLimit::Attachments),
            Self::LogSize => Some(BindingLimit::LogCapacity),
            Self::LogIops => Some(BindingLimit::LogVolumeIops),
            Self::LogThroughput => Some(BindingLimit::LogVolumeThroughput),
            Self::DataSize => Some(BindingLimit::Capacity),
            Self::DataIops => Some(BindingLimit::VolumeIops),
            Self::DataThroughput => Some(BindingLimit::VolumeThroughput),
            Self::Clients => Some(BindingLimit::Clients),
            Self::Durability | Self::Consistency | Self::P99 | Self::Budget => None,
        }
    }
}

/// How far a layout falls short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutShortfall {
    /// Of what.
    pub constraint: LayoutConstraint,
    /// What is asked, planning ceiling included; the most allowed for latencies and prices.
    pub asked: f64,
    /// What there is.
    pub available: f64,
}

impl LayoutShortfall {
    /// What is there as a share of what is asked: 1 is enough.
    pub fn closeness(&self) -> f64 {
        let (small, large) = match self.constraint {
            LayoutConstraint::Clients | LayoutConstraint::P99 | LayoutConstraint::Budget => {
                (self.asked, self.available)
            }
            _ => (self.available, self.asked),
        };
        if large > 0.0 { small.max(0.0) / large } else { 1.0 }
    }

    /// Whether this came further than `other`: failed a later constraint, or the same one by less.
    pub fn came_further_than(&self, other: &Self) -> bool {
        (self.constraint, self.closeness()) > (other.constraint, other.closeness())
    }

    /// The one that came further.
    pub(crate) fn furthest(known: Option<Self>, this: Self) -> Option<Self> {
        known.filter(|known| !this.came_further_than(known)).or(Some(this))
    }
}

/// Seconds as milliseconds, with as many decimals as tell them from zero.
pub(crate) fn ms(seconds: f64) -> String {
    let ms = Nanos::from_secs_f64(seconds.max(0.0)).as_millis_f64();
    if ms == 0.0 || ms >= 0.1 { format!("{ms:.1} ms") } else { format!("{ms:.3} ms") }
}

impl std::fmt::Display for LayoutShortfall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { constraint, asked, available } = *self;
        let size = |b: f64| format!("{:.0}", Bytes(b as u64));
        let rate = |b: f64| format!("{:.0}", BytesPerSec(b));
        let decimal = |b: f64| format!("{:.1} MB/s", b / 1e6);
        let iops = |f: &mut std::fmt::Formatter<'_>, what: &str| {
            write!(f, "{what}: {:.0} of the {:.0} IOPS asked", available.floor(), asked.ceil())
        };
        let share = |s: f64| format!("{} %", (s * 1e9).round() / 1e7);
        match constraint {
            LayoutConstraint::Attachments => {
                write!(f, "volumes: {available:.0} of the {asked:.0} asked can be attached")
            }
            LayoutConstraint::Durability if available == 0.0 => {
                write!(f, "durability: nothing is promised, {} is asked", share(asked))
            }
            LayoutConstraint::Durability => write!(f, "durability: {} of the {} asked", share(available), share(asked)),
            LayoutConstraint::Consistency if available == 0.0 => {
                write!(f, "consistency: nothing is promised, {} of the time is asked", share(asked))
            }
            LayoutConstraint::Consistency => {
                write!(f, "consistency: {} of the {} of the time asked", share(available), share(asked))
            }
            LayoutConstraint::Threads => {
                write!(f, "node size: {available:.0} of the {asked:.0} hardware threads advised for a storage node")
            }
            LayoutConstraint::NodeMemory => {
                write!(f, "node size: {} of the {} of memory advised for a storage node", size(available), size(asked))
            }
            LayoutConstraint::Memory => {
                write!(f, "memory: {} in all of the {} on which the load was measured", size(available), size(asked))
            }
            LayoutConstraint::Cpu => write!(f, "CPU: {available:.1} of the {asked:.1} cores asked of a node"),
            LayoutConstraint::InstanceIops => iops(f, "instance I/O rate"),
            LayoutConstraint::InstanceThroughput => {
                write!(f, "instance throughput: {} of the {} asked", decimal(available), decimal(asked))
            }
            LayoutConstraint::LogSize => write!(f, "log volume size: {} of the {} asked", size(available), size(asked)),
            LayoutConstraint::LogIops => iops(f, "log volume I/O rate"),
            LayoutConstraint::LogThroughput => {
                write!(f, "log volume throughput: {} of the {} asked", rate(available), rate(asked))
            }
            LayoutConstraint::DataSize => write!(f, "volume size: {} of the {} asked", size(available), size(asked)),
            LayoutConstraint::DataIops => iops(f, "volume I/O rate"),
            LayoutConstraint::DataThroughput => {
                write!(f, "volume throughput: {} of the {} asked", rate(available), rate(asked))
            }
            LayoutConstraint::Clients => {
                write!(
                    f,
                    "clients: they reach the rate if an operation takes {} in the mean; it takes {}",
                    ms(asked),
                    ms(available)
                )
            }
            LayoutConstraint::P99 => write!(f, "p99: {} at best, {} asked", ms(available), ms(asked)),
            LayoutConstraint::Budget => write!(f, "price: {} a month at least, {} allowed", Usd(available), Usd(asked)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volumes_limit_and_its_constraint_name_each_other() {
        for limit in [BindingLimit::Capacity, BindingLimit::VolumeIops, BindingLimit::VolumeThroughput] {
            let on = |log| LayoutConstraint::of_volume(limit, log).and_then(LayoutConstraint::limit);
            assert_eq!((on(false), on(true)), (Some(limit), limit.of_log()));
        }
        assert_eq!(LayoutConstraint::of_volume(BindingLimit::Cpu, false), None);
    }
}
