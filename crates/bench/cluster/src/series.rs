//! Samples of a node as series of a Timeline, labelled `node` and `zone`. Disks have the series of crate `metrics`, with the
//! label `disk` as their role: `data`, `raft`. An engine has those of [`TIKV`](crate::rows::TIKV), a TiDB those of
//! [`TIDB`](crate::rows::TIDB), and:
//! `write_amplification`, `cpu_time` by `pool`, and `zone_bytes` by `from`, `to` and `kind`.

use jiff::Timestamp;
use timeline::{SeriesLabels, SeriesPoint, Timeline, TimelineBuilder, TimelineInfo, labels, vocabulary};
use units::Nanos;

use crate::EngineCounters;
use crate::counters::growth;

/// The engine's counters as series, one point for each interval between two samples; times count from the first.
pub(crate) fn engine(samples: &[EngineCounters]) -> Timeline {
    let Some(start) = samples.first().map(|sample| sample.at) else { return Timeline::default() };
    let mut all = TimelineBuilder::default();
    for pair in samples.windows(2) {
        let [was, now] = pair else { continue };
        let (from, until) = (since(start, was.at), since(start, now.at));
        let point = |value| SeriesPoint { from, until, value };
        for (row, value) in now.pairs(was) {
            all.value(row.series, &SeriesLabels::new(), point(value));
        }
        if let Some(value) = now.write_amplification(was) {
            all.value(vocabulary::WRITE_AMPLIFICATION, &SeriesLabels::new(), point(value));
        }
        for (pool, seconds) in &now.cpu {
            let value = growth(was.cpu.get(pool).copied(), *seconds);
            all.value(vocabulary::CPU_TIME, &labels([("pool", pool)]), point(value));
        }
        for (traffic, bytes) in &now.zones {
            let of = labels([("from", &traffic.from), ("to", &traffic.to), ("kind", &traffic.kind)]);
            let value = growth(was.zones.get(traffic).copied(), *bytes);
            all.value(vocabulary::ZONE_BYTES, &of, point(value));
        }
    }
    Timeline { about: TimelineInfo { start: Some(start), ..TimelineInfo::default() }, series: all.finish_sorted() }
}

/// Says of all series whose they are.
pub(crate) fn label(timeline: &mut Timeline, node: &str, zone: Option<&str>) {
    for series in &mut timeline.series {
        series.labels.insert("node".to_owned(), node.to_owned());
        if let Some(zone) = zone {
            series.labels.insert("zone".to_owned(), zone.to_owned());
        }
    }
}

fn since(start: Timestamp, at: Timestamp) -> Nanos {
    Nanos(u64::try_from(at.as_nanosecond() - start.as_nanosecond()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use timeline::SeriesPoints;

    use super::*;
    use crate::counters::tests::counters;

    fn values(timeline: &Timeline, name: &str) -> Vec<f64> {
        let series = timeline.series.iter().find(|series| series.name == name).unwrap();
        let SeriesPoints::Values(_, points) = &series.points else { panic!("{name} has no values") };
        points.iter().map(|point| point.value).collect()
    }

    #[test]
    fn counters_become_growth_and_gauges_stay() {
        let text = |syncs, debt| {
            format!(
                "raft_engine_sync_log_duration_seconds_count {syncs}\n\
                 tikv_engine_pending_compaction_bytes{{db=\"kv\",cf=\"default\"}} {debt}\n\
                 tikv_thread_cpu_seconds_total{{name=\"apply-0\"}} {syncs}\n\
                 diskwright_zone_bytes_total{{from=\"a\",to=\"b\",kind=\"peer\"}} {debt}"
            )
        };
        // The node starts anew between the second and the third sample.
        let samples = [counters(10, &text(100, 7)), counters(11, &text(130, 9)), counters(13, &text(4, 1))];
        let mut timeline = engine(&samples);
        assert_eq!(values(&timeline, "raft_log_syncs"), [30.0, 4.0]);
        assert_eq!(values(&timeline, "pending_compaction_bytes"), [9.0, 1.0]);
        assert_eq!(values(&timeline, "cpu_time"), [30.0, 4.0]);
        assert_eq!(values(&timeline, "zone_bytes"), [2.0, 1.0]);
        assert_eq!(timeline.about.start, Some(samples[0].at));
        label(&mut timeline, "n1", Some("a"));
        timeline.validate().unwrap();
        let cpu = timeline.series.iter().find(|series| series.name == "cpu_time").unwrap();
        assert_eq!(cpu.to_string(), r#"cpu_time{node="n1",pool="apply",zone="a"}"#);
    }

    #[test]
    fn samples_of_one_instant_give_no_point() {
        let sample = counters(10, "raft_engine_sync_log_duration_seconds_count 5");
        assert!(engine(&[sample.clone(), sample]).series.is_empty());
        assert!(engine(&[]).series.is_empty());
    }
}
