//! The page of a comparison of two sides, A and B.

use bench::compare::{DifferenceVerdict, RunComparison, RunDifference, RunSample};
use units::Nanos;

use crate::page::{
    AnswerTone, AxisScale, ChartAxis, ChartSeries, Page, PageBlock, PageChart, PageOrigin, PageTable, SeriesStyle,
};
use crate::words;

/// The page of `comparison`, with the runs of both sides.
pub fn page(comparison: &RunComparison, sides: [&[RunSample]; 2], origin: PageOrigin) -> Page {
    let RunComparison { a, b, pairs, throughput, p99_ns, cautions, .. } = comparison;
    let mut rows = vec![row("throughput, operations/s", throughput, words::count)];
    rows.extend(p99_ns.iter().map(|(kind, of)| row(&format!("p99 of {kind}"), of, millis)));
    let mut blocks = vec![
        PageBlock::Heading("The difference".into()),
        PageBlock::Table(PageTable::plain(
            "Differences with their intervals",
            &["", "A", "B", "B / A", "95 % interval"],
            &[1, 2, 3, 4],
            rows,
        )),
        PageBlock::Heading("Each run".into()),
    ];
    let throughput_of = |sample: &RunSample| Some(sample.throughput);
    blocks.push(PageBlock::Chart(runs("Throughput", ChartAxis::of("", "operations/s"), sides, &throughput_of)));
    for kind in p99_ns.keys() {
        let p99 = |sample: &RunSample| sample.kinds.get(kind).map(|kind| kind.p99_ns / 1e6);
        let axis = ChartAxis::of("", "ms").scaled(AxisScale::Log);
        blocks.push(PageBlock::Chart(runs(&format!("p99 of {kind}"), axis, sides, &p99)));
    }
    let mut said = vec![verdict("throughput", throughput)];
    said.extend(p99_ns.iter().map(|(kind, of)| verdict(&format!("p99 of {kind}"), of)));
    Page {
        title: "A and B compared".into(),
        question: "Is B faster than A?".into(),
        answer: said.join(" "),
        tone: AnswerTone::Good,
        facts: vec![
            ("A".to_owned(), a.clone()),
            ("B".to_owned(), b.clone()),
            ("Pairs of runs".to_owned(), pairs.to_string()),
        ],
        assumed: std::iter::once("Runs with the same number are a pair; intervals hold 95 of 100.".to_owned())
            .chain(cautions.iter().map(|caution| format!("{caution}.")))
            .collect(),
        origin,
        blocks,
        ..Page::default()
    }
}

/// A number of each run, side by side, by the run's number.
fn runs(heading: &str, y: ChartAxis, sides: [&[RunSample]; 2], value: &dyn Fn(&RunSample) -> Option<f64>) -> PageChart {
    let side = |(name, samples): (&str, &[RunSample])| {
        let mut points: Vec<(f64, Option<f64>)> =
            samples.iter().map(|sample| (f64::from(sample.run), value(sample))).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        ChartSeries { name: name.to_owned(), style: SeriesStyle::Marked, points, notes: Vec::new() }
    };
    PageChart {
        heading: heading.to_owned(),
        x: Some(ChartAxis::of("run", "").scaled(AxisScale::Fitted)),
        y,
        series: ["A", "B"].into_iter().zip(sides).map(side).collect(),
        ..PageChart::default()
    }
}

fn row(name: &str, of: &RunDifference, number: impl Fn(f64) -> String) -> Vec<String> {
    let interval = match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!("{low:.3} to {high:.3}"),
        _ => "–".to_owned(),
    };
    vec![name.to_owned(), number(of.a), number(of.b), format!("{:.3}", of.ratio), interval]
}

fn millis(nanos: f64) -> String {
    words::millis(Nanos(nanos.max(0.0) as u64))
}

/// What a difference comes to, in a sentence.
fn verdict(name: &str, of: &RunDifference) -> String {
    let percent = |ratio: f64| format!("{:+.1} %", 100.0 * (ratio - 1.0));
    let interval = match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!(" ({} to {})", percent(low), percent(high)),
        _ => String::new(),
    };
    let change = percent(of.ratio);
    match of.verdict {
        DifferenceVerdict::Higher => format!("B's {name} is higher: {change}{interval}."),
        DifferenceVerdict::Lower => format!("B's {name} is lower: {change}{interval}."),
        DifferenceVerdict::NotSeen { .. } => format!("No difference of {name} can be seen{interval}."),
    }
}
