//! A chart of what was the case when: a row for each thing, darker where it was so for more of the time.

use std::fmt::Write as _;

use units::Nanos;

use crate::TimeScale;
use crate::html::escape;
use crate::lines::{WIDTH, marks, plot, time_axis};

/// Height of a row, and what is between two.
const ROW: f64 = 18.0;
const GAP: f64 = 18.0;
const TOP: f64 = 22.0;
/// Less is not drawn.
const LEAST: f64 = 0.01;

/// Intervals, and for each the share of it, 0 to 1, in which something was the case.
pub type ShareIntervals = Vec<(Nanos, Nanos, f64)>;

/// Rows over one time axis that begins at zero.
#[derive(Debug, Clone, PartialEq)]
pub struct StripChart<'a> {
    /// What the chart shows, read aloud in its place.
    pub label: String,
    /// How long the time axis is.
    pub span: Nanos,
    /// Each with its name.
    pub rows: Vec<(String, ShareIntervals)>,
    /// Instants to mark, numbered from 1.
    pub marks: &'a [Nanos],
}

impl StripChart<'_> {
    /// The chart as an `svg` element.
    pub fn svg(&self) -> String {
        let bottom = TOP + self.rows.len() as f64 * (ROW + GAP);
        let (left, width) = plot();
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
            bottom + 46.0,
            escape(&self.label)
        );
        svg += &time_axis(&TimeScale::of(self.span), self.span, TOP, bottom);
        svg += &marks(self.marks, self.span, TOP, bottom);
        let x = |at: Nanos| left + at.as_secs_f64() / self.span.as_secs_f64().max(1e-9) * width;
        for (row, (name, shares)) in self.rows.iter().enumerate() {
            let top = TOP + row as f64 * (ROW + GAP) + GAP;
            let _ = writeln!(
                svg,
                "<text class=\"name\" x=\"{left}\" y=\"{:.1}\">{}</text>\
                 <rect class=\"track\" x=\"{left}\" y=\"{top:.1}\" width=\"{width}\" height=\"{ROW}\" opacity=\"0.4\"/>",
                top - 4.0,
                escape(name)
            );
            for (from, until, share) in shares.iter().filter(|(.., share)| *share >= LEAST) {
                let _ = writeln!(
                    svg,
                    "<rect class=\"strip\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{ROW}\" opacity=\"{:.2}\"/>",
                    x(*from),
                    (x(*until) - x(*from)).max(0.5),
                    share.min(1.0)
                );
            }
        }
        svg + "</svg>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_the_case_for_longer_is_darker_and_what_hardly_was_is_not_drawn() {
        let second = Nanos::secs;
        let shares = vec![(second(0), second(1), 0.001), (second(1), second(2), 0.25), (second(2), second(3), 1.0)];
        let strip = StripChart {
            label: "x".to_owned(),
            span: second(3),
            rows: vec![("CPU & disk".to_owned(), shares)],
            marks: &[],
        };
        let svg = strip.svg();
        assert!(svg.contains("CPU &amp; disk"));
        let drawn: Vec<&str> = svg.lines().filter(|line| line.contains("class=\"strip\"")).collect();
        assert_eq!(drawn.len(), 2);
        assert!(drawn[0].contains("opacity=\"0.25\"") && drawn[1].contains("opacity=\"1.00\""));
    }
}
