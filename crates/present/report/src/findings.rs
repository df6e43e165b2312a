//! The page of a diagnosis: the answer first, then each finding with its numbers and the curves that show it.

use units::Nanos;

use crate::html::{escape, table};
use crate::page::shell;
use crate::{ChartLine, LineChart, LineTone};

/// A curve that says so, or speaks against it.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceCurve {
    /// What it shows.
    pub heading: String,
    /// Name and unit of its values.
    pub y: String,
    /// Instants from the start of what was seen, and values; a gap where there is none.
    pub points: Vec<(Nanos, Option<f64>)>,
    /// The threshold, and what it is called.
    pub level: Option<(f64, String)>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSection {
    /// `volume IOPS of n1/data`.
    pub heading: String,
    /// Sentences: what goes on, what to do, what it costs.
    pub says: Vec<String>,
    /// Evidence: what was looked at, its statistic, value, threshold, and whether it speaks for or against.
    pub evidence: Vec<[String; 5]>,
    /// From when to when, from the start of what was seen.
    pub window: [Nanos; 2],
    /// The evidence drawn.
    pub curves: Vec<EvidenceCurve>,
}

/// What the page tells.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingsPage {
    /// Of what.
    pub title: String,
    /// The answer in a sentence.
    pub answer: String,
    /// Whether it is a good one.
    pub good: bool,
    /// What was looked at.
    pub facts: Vec<(String, String)>,
    /// How long.
    pub span: Nanos,
    /// What was found, the one to act on first.
    pub findings: Vec<FindingSection>,
    /// How far to trust it, a sentence each.
    pub notes: Vec<String>,
}

/// The whole page: one file, nothing fetched.
pub fn findings_page(page: &FindingsPage) -> String {
    let class = if page.good { "answer" } else { "answer no" };
    let mut body =
        format!("<h1>{}</h1>\n<p class=\"{class}\">{}</p>\n<dl>\n", escape(&page.title), escape(&page.answer));
    for (name, value) in &page.facts {
        body += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    }
    body += "</dl>\n";
    for finding in &page.findings {
        body += &one(finding, page.span);
    }
    body += "<footer>\n";
    for note in &page.notes {
        body += &format!("<p>{}</p>\n", escape(note));
    }
    body += "</footer>\n";
    shell(&page.title, &body)
}

fn one(finding: &FindingSection, span: Nanos) -> String {
    let mut text = format!("<h2>{}</h2>\n", escape(&finding.heading));
    for sentence in &finding.says {
        text += &format!("<p>{}</p>\n", escape(sentence));
    }
    if !finding.evidence.is_empty() {
        let rows: Vec<Vec<String>> =
            finding.evidence.iter().map(|row| row.iter().map(|cell| escape(cell)).collect()).collect();
        text += &table("Evidence", &["", "Statistic", "Value", "Threshold", "Speaks"], &[2, 3], &rows);
    }
    for curve in finding.curves.iter().filter(|curve| curve.points.iter().any(|(_, value)| value.is_some())) {
        let line = ChartLine { name: curve.y.clone(), tone: LineTone::One, points: curve.points.clone() };
        let lines = LineChart {
            label: format!("Chart over time: {}. The marks 1 and 2 are where it begins and ends.", curve.heading),
            y: curve.y.clone(),
            span,
            lines: vec![line],
            level: curve.level.clone(),
            marks: &finding.window,
        };
        text += &lines.figure(&curve.heading);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::{check_alone, check_balance};

    fn page() -> String {
        let points = (0..10).map(|i| (Nanos::secs(i), (i != 4).then_some(i as f64))).collect();
        let level = Some((5.0, "threshold".to_owned()));
        let curve = EvidenceCurve { heading: "use <of> the limit".to_owned(), y: "share".to_owned(), points, level };
        let empty = EvidenceCurve { heading: "never".to_owned(), points: vec![(Nanos(0), None)], ..curve.clone() };
        findings_page(&FindingsPage {
            title: "a <timeline>".to_owned(),
            answer: "Volume IOPS.".to_owned(),
            good: false,
            facts: vec![("Seen".to_owned(), "10 s".to_owned())],
            span: Nanos::secs(10),
            findings: vec![FindingSection {
                heading: "volume IOPS of n1/data".to_owned(),
                says: vec!["It is <full>.".to_owned()],
                evidence: vec![["use", "mean", "1.00", "0.95", "for"].map(str::to_owned)],
                window: [Nanos::secs(2), Nanos::secs(8)],
                curves: vec![curve, empty],
            }],
            notes: vec!["Taken from series.".to_owned()],
        })
    }

    #[test]
    fn the_page_is_one_file_whose_elements_are_closed() {
        check_balance(&page());
        check_alone(&page());
    }

    #[test]
    fn evidence_is_drawn_and_what_is_not_known_is_not() {
        let page = page();
        assert!(page.contains("use &lt;of&gt; the limit") && page.contains("threshold"), "{page}");
        assert!(!page.contains("never"));
    }
}
