//! Which limit binds: one vocabulary of what a node can run out of, with units, JSON names and display text.

#![forbid(unsafe_code)]

use std::fmt;

macro_rules! limits {
    ($($variant:ident $name:literal $text:literal $unit:literal $meaning:literal),* $(,)?) => {
        /// A limit of a node: of its volumes, its instance, or its clients.
        ///
        /// JSON and tables write it in kebab case ([`name`](Self::name)), labels of series in snake case
        /// ([`label`](Self::label)), and people read its [`Display`](fmt::Display).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum BindingLimit {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl BindingLimit {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Its name in JSON and tables: `volume-iops`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Its name for people: `volume IOPS`.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// Its base unit; empty where nothing is counted.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit),* }
            }

            /// Meaning of the limit, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }
        }
    };
}

limits! {
    VolumeIops "volume-iops" "volume IOPS" "IOPS" "I/Os a second of the data disk, large requests counted by the volume's unit.",
    VolumeThroughput "volume-throughput" "volume throughput" "bytes/s" "Bytes a second of the data disk.",
    LogVolumeIops "log-volume-iops" "log volume IOPS" "IOPS" "I/Os a second of the log's own disk.",
    LogVolumeThroughput "log-volume-throughput" "log volume throughput" "bytes/s" "Bytes a second of the log's own disk.",
    InstanceIops "instance-iops" "instance IOPS" "IOPS" "I/Os a second that the instance lets through to all its network volumes.",
    InstanceThroughput "instance-throughput" "instance throughput" "bytes/s" "Bytes a second that the instance lets through to all its network volumes.",
    Capacity "capacity" "volume size" "bytes" "Bytes on the data disk.",
    LogCapacity "log-capacity" "log volume size" "bytes" "Bytes on the log's own disk.",
    Cpu "cpu" "processors" "cores" "Cores of a node.",
    Memory "memory" "memory" "bytes" "Memory of a node.",
    Attachments "attachments" "attached volumes" "volumes" "Volumes that an instance takes.",
    Clients "clients" "clients" "clients" "Clients that wait for their answers (closed loop): nothing is full.",
    Fault "fault" "stall" "" "A stall of the disk.",
}

impl BindingLimit {
    /// Limits at which a request of a disk can wait, in the order of the waiting time counters.
    pub const OF_REQUESTS: [Self; 5] =
        [Self::VolumeIops, Self::VolumeThroughput, Self::InstanceIops, Self::InstanceThroughput, Self::Fault];

    /// Its place in [`OF_REQUESTS`](Self::OF_REQUESTS); `None` where it holds up no request at a disk.
    pub fn of_request(self) -> Option<usize> {
        Self::OF_REQUESTS.iter().position(|one| *one == self)
    }

    /// Its name as labels of series write it: `volume_iops`.
    pub fn label(self) -> String {
        self.name().replace('-', "_")
    }

    /// The limit with a name, in kebab or in snake case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name || limit.label() == name)
    }

    /// The same limit of the log's own disk; `None` where the log's disk has no such limit.
    pub fn of_log(self) -> Option<Self> {
        match self {
            Self::VolumeIops => Some(Self::LogVolumeIops),
            Self::VolumeThroughput => Some(Self::LogVolumeThroughput),
            Self::Capacity => Some(Self::LogCapacity),
            _ => None,
        }
    }

    /// Whether it counts I/Os a second.
    pub fn counts_ios(self) -> bool {
        matches!(self, Self::VolumeIops | Self::LogVolumeIops | Self::InstanceIops)
    }
}

impl fmt::Display for BindingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_limit_has_a_name_and_a_text_of_its_own() {
        let of = |text: fn(BindingLimit) -> &'static str| -> BTreeSet<_> {
            BindingLimit::ALL.iter().map(|limit| text(*limit)).collect()
        };
        assert_eq!(of(BindingLimit::name).len(), BindingLimit::ALL.len());
        assert_eq!(of(BindingLimit::text).len(), BindingLimit::ALL.len());
        assert_eq!(of(BindingLimit::meaning).len(), BindingLimit::ALL.len());
    }

    #[test]
    fn json_writes_the_name_and_both_spellings_are_read() {
        for limit in BindingLimit::ALL {
            assert_eq!(serde_json::to_value(limit).unwrap(), limit.name());
            assert!(limit.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{limit}");
            assert_eq!(BindingLimit::named(limit.name()), Some(*limit));
            assert_eq!(BindingLimit::named(&limit.label()), Some(*limit));
        }
        assert_eq!(BindingLimit::named("volume"), None);
    }

    #[test]
    fn limits_of_one_kind_have_one_unit() {
        for limit in BindingLimit::ALL {
            assert_eq!(limit.counts_ios(), limit.unit() == "IOPS", "{limit}");
            assert!(limit.of_log().is_none_or(|log| log.unit() == limit.unit()), "{limit}");
        }
    }
}
