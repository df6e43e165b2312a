//! What passes between a daemon and its clients: one line of JSON each way.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use disk::{Disk, DiskFault};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use metrics::{DiskLatencies, NodeSample};
use units::Nanos;

use crate::{AcceptedModification, MountError};

/// The longest question, in bytes; answers may be longer.
pub(crate) const LONGEST_ASK: u64 = 64 << 10;

/// A question.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "ask")]
pub(crate) enum Ask {
    Sample,
    Reading,
    History { since: Nanos },
    Modify { disk: String, to: Disk, fast_forward: f64 },
    Fault { disk: String, fault: DiskFault, lasts: Nanos },
    Heal { disk: String },
    Attach { disk: String },
    SetCredits { disk: Option<String>, share: f64 },
    Stop,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Sample(NodeSample),
    Reading { sample: NodeSample, latencies: Vec<Encoded> },
    History(Vec<NodeSample>),
    Modified(AcceptedModification),
    Notes(Vec<String>),
    Done,
    Error(MountError),
}

/// Latencies as HdrHistogram's V2 format in base64.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Encoded {
    read: String,
    write: String,
}

impl Encoded {
    pub(crate) fn of(latencies: &DiskLatencies) -> Result<Self, MountError> {
        let text = |histogram: &Histogram<u64>| {
            let mut bytes = Vec::new();
            let written = V2Serializer::new().serialize(histogram, &mut bytes);
            written.map_err(|error| MountError::system("the latencies cannot be encoded", error))?;
            Ok::<_, MountError>(STANDARD.encode(bytes))
        };
        Ok(Self { read: text(&latencies.read)?, write: text(&latencies.write)? })
    }

    pub(crate) fn decoded(&self) -> Result<DiskLatencies, MountError> {
        let histogram = |text: &str| {
            let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
            Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| error.to_string())
        };
        let decoded =
            |text| histogram(text).map_err(|e| MountError::system("the daemon's latencies are unreadable", e));
        Ok(DiskLatencies { read: decoded(&self.read)?, write: decoded(&self.write)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asks() -> impl Strategy<Value = Ask> {
        let fault = prop_oneof![
            Just(DiskFault::Stall),
            (0.0..1e3).prop_map(DiskFault::Slow),
            any::<u64>().prop_map(|by| DiskFault::Delay(Nanos(by))),
            (0.0..1.0).prop_map(DiskFault::Errors),
            (0.0..1.0).prop_map(DiskFault::Degrade),
            Just(DiskFault::Detach),
            Just(DiskFault::PowerCut),
        ];
        prop_oneof![
            Just(Ask::Sample),
            Just(Ask::Stop),
            any::<u64>().prop_map(|since| Ask::History { since: Nanos(since) }),
            (any::<String>(), fault, any::<u64>()).prop_map(|(disk, fault, lasts)| Ask::Fault {
                disk,
                fault,
                lasts: Nanos(lasts)
            }),
            (1u64..1 << 40, 1.0..1e6).prop_map(|(size, fast_forward)| Ask::Modify {
                disk: "data".to_owned(),
                to: format!("gp3:{size}B").parse().unwrap(),
                fast_forward,
            }),
            proptest::option::of(any::<String>()).prop_map(|disk| Ask::SetCredits { disk, share: 0.25 }),
        ]
    }

    proptest! {
        #[test]
        fn a_question_is_one_line_that_reads_back(ask in asks()) {
            let line = serde_json::to_string(&ask).unwrap();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);
        }

        #[test]
        fn latencies_arrive_as_they_were(reads in proptest::collection::vec(1u64..1_000_000_000, 0..50)) {
            let mut read = Histogram::<u64>::new(3).unwrap();
            reads.iter().for_each(|nanos| read.record(*nanos).unwrap());
            let sent = DiskLatencies { read, write: Histogram::new(3).unwrap() };
            let came = Encoded::of(&sent).unwrap().decoded().unwrap();
            prop_assert_eq!((came.read, came.write), (sent.read, sent.write));
        }
    }
}
