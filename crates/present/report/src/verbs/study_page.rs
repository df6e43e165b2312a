//! The page of a study: two runs side by side.

use mysql::SqlRun;
use mysql::study::{Study, StudyPhases, slots};
use timeline::{Series, SeriesSpec, vocabulary};
use units::Nanos;

use super::simulate_page::{clock, events_table};
use super::study::{SAID, answer, facts, phase_head, phase_rows, slot_head, slot_row};
use crate::page::{AnswerTone, ChartAxis, ChartSeries, Page, PageBlock, PageChart, PageOrigin, PageTable};
use crate::series::TimelineView;

/// A chart of both sides: its heading, the unit of its values, the series that are added up, whether those of the data disk only,
/// and what values are times.
struct SideChart {
    heading: &'static str,
    unit: &'static str,
    series: &'static [SeriesSpec],
    of_disk: bool,
    scale: f64,
}

/// The study's charts, in its order.
const CHARTS: [SideChart; 8] = [
    chart("Rows added", "rows a minute", &[vocabulary::ROWS_ADDED_PER_SECOND], false, 60.0),
    chart("Requests of the data disk", "IOPS", &[vocabulary::READ_OPS, vocabulary::WRITE_OPS], true, 1.0),
    chart("Bytes of the data disk", "MiB/s", &[vocabulary::READ_BYTES, vocabulary::WRITE_BYTES], true, MIB),
    chart("Queue depth of the data disk", "requests", &[vocabulary::QUEUE_DEPTH], true, 1.0),
    chart("Burst balance of the data disk", "% of a full bucket", &[vocabulary::IO_BALANCE], true, 1.0),
    chart("InnoDB's syncs", "a second", &[vocabulary::INNODB_FSYNCS], false, 1.0),
    chart("Pages that wait to be written", "MiB", &[vocabulary::DIRTY_BYTES], false, MIB),
    chart("The driver's processor time", "% of the machine", &[vocabulary::DRIVER_CPU], false, 1.0),
];
const MIB: f64 = 1.0 / (1u64 << 20) as f64;

const fn chart(
    heading: &'static str,
    unit: &'static str,
    series: &'static [SeriesSpec],
    of_disk: bool,
    scale: f64,
) -> SideChart {
    SideChart { heading, unit, series, of_disk, scale }
}

/// The page of a study, with charts of its last pair.
pub fn page(study: &Study, pairs: &[[SqlRun; 2]], seen: &StudyPhases, origin: PageOrigin) -> Page {
    let names = study.sides.each_ref().map(|side| side.name.as_str());
    let title = study.name.clone();
    let span = study.measured();
    let gone = seen.exhausted_s.last().copied().flatten();
    let events: Vec<(Nanos, String)> = gone
        .map(|at| (Nanos::from_secs_f64(at), format!("burst credits of {} are spent", names[0])))
        .into_iter()
        .collect();
    let numbers = |head: &[String]| (1..head.len()).collect::<Vec<_>>();
    let table = |heading: String, head: &[String], rows: Vec<Vec<String>>| {
        let columns: Vec<&str> = head.iter().map(String::as_str).collect();
        [
            PageBlock::Heading(heading.clone()),
            PageBlock::Table(PageTable::plain(&heading, &columns, &numbers(head), rows)),
        ]
    };
    let mut blocks = Vec::new();
    blocks.extend(table("Before and after the burst credits ran out".into(), &phase_head(study), phase_rows(seen)));
    if let Some(last) = pairs.last() {
        blocks.extend(events_table(&events, span));
        blocks.push(PageBlock::Heading("The last pair over time".into()));
        let sides = [0, 1].map(|i| (names[i], TimelineView { timeline: &last[i].timeline, from: last[i].from, span }));
        blocks.extend(CHARTS.iter().map(|chart| PageBlock::Chart(both(chart, &sides))));
        let rows = slots(last, study.slot).iter().map(slot_row).collect();
        let heading = format!("The last pair, every {} s", study.slot.as_secs_f64());
        let [_, table] = table(heading.clone(), &slot_head(study), rows);
        blocks.push(PageBlock::Folded(heading, vec![table]));
    }
    Page {
        title,
        question: format!("What does {} gain over {}, while burst credits last and after?", names[1], names[0]),
        answer: answer(study, seen),
        tone: AnswerTone::Good,
        facts: facts(study, pairs),
        assumed: vec![study.scaled.clone(), SAID.to_owned()],
        origin,
        clock: Some(clock("time since the measuring began", span, &events)),
        blocks,
        ..Page::default()
    }
}

/// Both sides in one chart; a side that does not have the series has no line.
fn both(chart: &SideChart, sides: &[(&str, TimelineView<'_>); 2]) -> PageChart {
    let labels: &[(&str, &str)] = if chart.of_disk { &[("disk", "data")] } else { &[] };
    let line = |(name, view): &(&str, TimelineView<'_>)| {
        let series: Vec<&Series> =
            chart.series.iter().flat_map(|spec| view.timeline.select(spec.name, labels)).collect();
        ChartSeries::line(*name, view.fold(&series, |a, b| a + b, chart.scale))
    };
    PageChart {
        heading: chart.heading.to_owned(),
        y: ChartAxis::of("", chart.unit),
        series: sides.iter().map(line).collect(),
        ..PageChart::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};

    use super::*;

    fn timeline(balance: bool) -> Timeline {
        let series = |name: &str, merge, disk: Option<&str>, value: f64| Series {
            name: name.to_owned(),
            labels: disk.map(|disk| ("disk".to_owned(), disk.to_owned())).into_iter().collect::<BTreeMap<_, _>>(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Values(
                merge,
                (0..20).map(|at| SeriesPoint { from: Nanos::secs(at), until: Nanos::secs(at + 1), value }).collect(),
            ),
        };
        let mut all = vec![
            series("read_ops", MergeRule::Sum, Some("data"), 30.0),
            series("write_ops", MergeRule::Sum, Some("data"), 70.0),
            series("write_ops", MergeRule::Sum, Some("redo"), 900.0),
        ];
        if balance {
            all.push(series("io_balance", MergeRule::Mean, Some("data"), 5.0));
        }
        Timeline { series: all, ..Timeline::default() }
    }

    fn drawn(heading: &str) -> PageChart {
        let (a, b) = (timeline(true), timeline(false));
        let view = |timeline| TimelineView { timeline, from: Nanos::secs(5), span: Nanos::secs(12) };
        let chart = CHARTS.iter().find(|chart| chart.heading == heading).unwrap();
        both(chart, &[("gp2", view(&a)), ("io1", view(&b))])
    }

    #[test]
    fn reads_and_writes_of_the_data_disk_are_added_up_and_other_disks_left_out() {
        let chart = drawn("Requests of the data disk");
        assert_eq!(chart.series.len(), 2);
        assert_eq!(chart.series[0].points.len(), 12);
        assert!(chart.series[0].points.iter().all(|(_, value)| *value == Some(100.0)));
    }

    #[test]
    fn a_disk_that_does_not_burst_has_no_line() {
        let lines = drawn("Burst balance of the data disk").series;
        assert_eq!(lines.iter().map(ChartSeries::has_values).collect::<Vec<_>>(), [true, false]);
    }
}
