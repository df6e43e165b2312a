//! What a Prometheus knows of the cluster, and what diagnose says of it.

use diagnose::{KnownFacts, diagnose};
use ingest::prometheus::{PrometheusOptions, PrometheusServer, QueryRange, gather};
use jiff::SignedDuration;
use timeline::Timeline;
use units::Nanos;

use crate::{ClockReading, ClusterSnapshot, SnapshotSource, WorldError};

/// How far back is looked. Diagnose tells bursts from what lasts over some minutes.
const WINDOW: SignedDuration = SignedDuration::from_mins(30);
/// How often: Prometheus scrapes every 15 to 60 s, and its queries cost it something.
const EVERY: Nanos = Nanos::secs(60);

/// Where metrics come from.
pub trait MetricSource {
    /// The last while of them.
    ///
    /// # Errors
    /// When there are none, in a sentence.
    fn metrics(&self, range: &QueryRange) -> Result<Timeline, String>;
}

impl MetricSource for (PrometheusServer, PrometheusOptions) {
    fn metrics(&self, range: &QueryRange) -> Result<Timeline, String> {
        gather(&self.0, range, &self.1).map_err(|error| error.to_string())
    }
}

/// A Prometheus as a source.
pub struct PrometheusSource {
    metrics: Box<dyn MetricSource>,
    known: KnownFacts,
    last: Option<(Nanos, Result<Timeline, String>)>,
}

impl PrometheusSource {
    /// With what is known beside the metrics: disks, instances, the deployment.
    pub fn new(metrics: Box<dyn MetricSource>, known: KnownFacts) -> Self {
        Self { metrics, known, last: None }
    }
}

impl SnapshotSource for PrometheusSource {
    fn look(&mut self, now: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        let fresh = self.last.as_ref().is_some_and(|(at, _)| now.since(*at) < EVERY);
        if !fresh {
            let from = now.wall.checked_sub(WINDOW).unwrap_or(now.wall);
            let told = self.metrics.metrics(&QueryRange { from, until: now.wall, step: None });
            self.last = Some((now.mono, told));
        }
        match &self.last {
            Some((_, Ok(timeline))) => {
                // Anew each time: a cluster is upgraded under the pilot.
                let mut known = self.known.clone();
                known.learn_release(timeline);
                seen.verdicts = diagnose(timeline, &known);
                seen.timeline = Some(timeline.clone());
                Ok(())
            }
            Some((_, Err(why))) => Err(WorldError::Silent { peer: "Prometheus".to_owned(), why: why.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use jiff::Timestamp;

    use super::*;

    struct Counted(Rc<Cell<u32>>);

    impl MetricSource for Counted {
        fn metrics(&self, range: &QueryRange) -> Result<Timeline, String> {
            assert_eq!(range.until.duration_since(range.from), WINDOW);
            self.0.set(self.0.get() + 1);
            Err("it rests".to_owned())
        }
    }

    #[test]
    fn it_is_asked_once_a_minute_and_its_silence_is_told() {
        let asked = Rc::new(Cell::new(0));
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        let mut source = PrometheusSource::new(Box::new(Counted(Rc::clone(&asked))), known);
        for second in 0..121 {
            let now = ClockReading { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(second) };
            let error = source.look(now, &mut ClusterSnapshot::default()).unwrap_err();
            assert!(error.to_string().contains("it rests"), "{error}");
        }
        assert_eq!(asked.get(), 3);
    }
}
