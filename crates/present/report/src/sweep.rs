//! The page of a sweep: what each setting does to throughput, latency and cost.

use crate::html::{escape, table};
use crate::page::shell;
use crate::{ChartPoint, PointMark, ScatterChart, words};

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRow {
    /// The values of the settings, in their order.
    pub values: Vec<String>,
    /// In the sweep's unit.
    pub throughput: f64,
    /// Median and 99th percentile in milliseconds; `None` where a latency has no meaning.
    pub latency: Option<(f64, f64)>,
    /// Dollars a month.
    pub monthly: f64,
    /// Dollars for a million operations.
    pub per_million: Option<f64>,
    /// What held it up most.
    pub bound: String,
}

/// What a page of a sweep tells.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepPage {
    /// Of what.
    pub title: String,
    /// The answer in a sentence.
    pub answer: String,
    /// The settings.
    pub settings: Vec<String>,
    /// The unit of throughput.
    pub unit: String,
    /// The runs.
    pub rows: Vec<SweepRow>,
    /// Runs that could not start, and how far to trust the others, a sentence each.
    pub notes: Vec<String>,
}

/// The whole page: one file, nothing fetched.
pub fn sweep_page(page: &SweepPage) -> String {
    let mut body = format!("<h1>{}</h1>\n<p class=\"answer\">{}</p>\n", escape(&page.title), escape(&page.answer));
    if !page.rows.is_empty() {
        body += &chart(page);
        body += &rows(page);
    }
    body += "<footer>\n";
    for note in &page.notes {
        body += &format!("<p>{}</p>\n", escape(note));
    }
    shell(&page.title, &(body + "</footer>\n"))
}

/// Throughput over cost, or over latency where all cost about the same.
fn chart(page: &SweepPage) -> String {
    let costs = || page.rows.iter().map(|row| row.monthly);
    let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    let by_cost = most > least * 1.02;
    let best = page.rows.iter().map(|row| row.throughput).fold(0.0, f64::max);
    let point = |(number, row): (usize, &SweepRow)| {
        let x = if by_cost { Some(row.monthly) } else { row.latency.map(|(_, p99)| p99) };
        x.map(|x| ChartPoint {
            x,
            y: row.throughput,
            label: (number + 1).to_string(),
            hover: format!("{}: {} {}", row.values.join(", "), words::count(row.throughput), page.unit),
            mark: if row.throughput >= best { PointMark::Main } else { PointMark::Other },
        })
    };
    let scatter = ScatterChart {
        label: format!("Chart of {} runs; the table below has the numbers.", page.rows.len()),
        x: if by_cost { "Cost, $ a month" } else { "99th percentile, ms" }.to_owned(),
        y: format!("Throughput, {}", page.unit),
        points: page.rows.iter().enumerate().filter_map(point).collect(),
        level: None,
    };
    let caption =
        if by_cost { "the stair joins runs that nothing cheaper surpasses" } else { "up and to the left is better" };
    format!(
        "<h2>What the settings do</h2>\n<figure>\n{}<figcaption>Numbers are those of the table; {caption}.</figcaption>\n\
         </figure>\n",
        scatter.svg()
    )
}

fn rows(page: &SweepPage) -> String {
    let settings: Vec<String> = page.settings.iter().map(|name| escape(name)).collect();
    let throughput = format!("Throughput, {}", escape(&page.unit));
    let mut head = vec![""];
    head.extend(settings.iter().map(String::as_str));
    head.extend([throughput.as_str(), "p50", "p99", "$ a month", "$ a million", "Held up most by"]);
    let first = settings.len() + 1;
    let numbers: Vec<usize> = std::iter::once(0).chain(first..first + 5).collect();
    let row = |(number, row): (usize, &SweepRow)| {
        let millis =
            |of: fn((f64, f64)) -> f64| row.latency.map_or("-".to_owned(), |l| format!("{} ms", words::count(of(l))));
        let mut cells = vec![(number + 1).to_string()];
        cells.extend(row.values.iter().map(|value| format!("<code>{}</code>", escape(value))));
        cells.push(words::count(row.throughput));
        cells.extend([millis(|l| l.0), millis(|l| l.1)]);
        cells.push(words::count(row.monthly));
        cells.push(row.per_million.map_or("-".to_owned(), |usd| words::grouped(usd, 3)));
        cells.push(escape(&row.bound));
        cells
    };
    let rows: Vec<Vec<String>> = page.rows.iter().enumerate().map(row).collect();
    table("Runs", &head, &numbers, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::{check_alone, check_balance};

    fn page(monthly: [f64; 2]) -> String {
        let row = |value: &str, throughput, monthly| SweepRow {
            values: vec![value.to_owned()],
            throughput,
            latency: Some((1.0, throughput / 10.0)),
            monthly,
            per_million: Some(0.01),
            bound: "CPU".to_owned(),
        };
        sweep_page(&SweepPage {
            title: "sweep".to_owned(),
            answer: "The best.".to_owned(),
            settings: vec!["raft-disk".to_owned()],
            unit: "ops/s".to_owned(),
            rows: vec![row("<shared>", 100.0, monthly[0]), row("own", 200.0, monthly[1])],
            notes: Vec::new(),
        })
    }

    #[test]
    fn the_page_is_one_file_whose_elements_are_closed() {
        check_balance(&page([100.0, 200.0]));
        check_alone(&page([100.0, 200.0]));
        assert!(page([100.0, 200.0]).contains("&lt;shared&gt;"));
    }

    #[test]
    fn runs_that_cost_the_same_are_set_against_their_latency() {
        assert!(page([100.0, 200.0]).contains("Cost, $ a month"));
        assert!(page([100.0, 100.0]).contains("99th percentile, ms"));
    }
}
