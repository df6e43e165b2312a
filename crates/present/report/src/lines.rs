//! A chart of values over time, as inline SVG that takes its colours from the page.

use std::fmt::Write as _;

use units::Nanos;

use crate::html::escape;
use crate::labels::Area;
use crate::{ChartAxis, TimeScale};

pub(crate) const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 250.0;
const PLOT: Area = Area { left: 84.0, top: 22.0, width: WIDTH - 84.0 - 36.0, height: HEIGHT - 22.0 - 46.0 };

/// The colour of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineTone {
    /// The first.
    One,
    /// The second.
    Two,
    /// The third.
    Three,
}

impl LineTone {
    /// Its class in the page's style.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Two => "two",
            Self::Three => "three",
        }
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartLine {
    /// What it shows.
    pub name: String,
    /// Its colour.
    pub tone: LineTone,
    /// Instants and values; where the value is `None` the line is broken.
    pub points: Vec<(Nanos, Option<f64>)>,
}

/// Lines over one time axis that begins at zero.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart<'a> {
    /// What the chart shows, read aloud in its place.
    pub label: String,
    /// Name and unit of the values.
    pub y: String,
    /// How long the time axis is.
    pub span: Nanos,
    /// The lines.
    pub lines: Vec<ChartLine>,
    /// A height to mark across the chart, and its name.
    pub level: Option<(f64, String)>,
    /// Instants to mark, numbered from 1.
    pub marks: &'a [Nanos],
}

impl LineChart<'_> {
    /// The chart as an `svg` element; its lines are named in the caption. Time is virtual.
    pub fn svg(&self) -> String {
        self.svg_over(VIRTUAL)
    }

    /// The same with another name of the time axis.
    fn svg_over(&self, axis: &str) -> String {
        let clock = TimeScale::of(self.span);
        let values = self.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, value)| *value));
        let level = self.level.as_ref().map(|(value, _)| *value);
        let y_axis = ChartAxis::over(values.chain(level).chain([0.0]), 4);
        let x = |at: Nanos| PLOT.left + place(at, self.span) * PLOT.width;
        let y = |value: f64| PLOT.top + (1.0 - y_axis.share(value)) * PLOT.height;
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
            escape(&self.label)
        );
        let right = PLOT.left + PLOT.width;
        for tick in y_axis.ticks() {
            let at = y(tick);
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{} {at:.1}H{right}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                PLOT.left,
                PLOT.left - 8.0,
                at + 4.0,
                y_axis.text(tick)
            );
        }
        svg += &named_time_axis(axis, &clock, self.span, (PLOT.top, PLOT.top + PLOT.height));
        svg += &marks(self.marks, self.span, PLOT.top, PLOT.top + PLOT.height);
        let _ = writeln!(
            svg,
            "<text class=\"name\" transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            PLOT.top + PLOT.height / 2.0,
            escape(&self.y)
        );
        if let Some((value, name)) = &self.level {
            let at = y(*value);
            let _ = writeln!(
                svg,
                "<path class=\"level\" d=\"M{} {at:.1}H{right}\"/>\n\
                 <text class=\"level\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                PLOT.left,
                right - 4.0,
                at - 5.0,
                escape(name)
            );
        }
        for line in &self.lines {
            let mut path = String::new();
            let mut drawn = false;
            for (at, value) in &line.points {
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    let _ = write!(path, "{}{:.1} {:.1}", if drawn { 'L' } else { 'M' }, x(*at), y(value));
                }
                drawn = value.is_some();
            }
            let _ = writeln!(
                svg,
                "<path class=\"line {}\" d=\"{path}\"><title>{}</title></path>",
                line.tone.class(),
                escape(&line.name)
            );
        }
        svg + "</svg>\n"
    }

    /// The chart with its heading, and its lines named below.
    pub(crate) fn figure(&self, heading: &str) -> String {
        self.figure_over(heading, VIRTUAL)
    }

    /// The same with another name of the time axis.
    pub(crate) fn figure_over(&self, heading: &str, axis: &str) -> String {
        let key = |line: &ChartLine| format!("<span class=\"key {}\"></span>{}", line.tone.class(), escape(&line.name));
        let keys: Vec<String> = self.lines.iter().map(key).collect();
        format!(
            "<h2>{}</h2>\n<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n",
            escape(heading),
            self.svg_over(axis),
            keys.join(" &#160; ")
        )
    }
}

/// Where an instant lies on the axis, 0 to 1.
fn place(at: Nanos, span: Nanos) -> f64 {
    at.as_secs_f64() / span.as_secs_f64().max(1e-9)
}

/// The time axis of simulations.
const VIRTUAL: &str = "virtual time";

/// Ticks and their texts under a plot; those past the end are left out.
pub(crate) fn time_axis(clock: &TimeScale, span: Nanos, top: f64, bottom: f64) -> String {
    named_time_axis(VIRTUAL, clock, span, (top, bottom))
}

fn named_time_axis(name: &str, clock: &TimeScale, span: Nanos, (top, bottom): (f64, f64)) -> String {
    let mut svg = String::new();
    let axis = ChartAxis::over([0.0, clock.number(span)], 8);
    for tick in axis.ticks() {
        let share = tick / clock.number(span).max(1e-9);
        if share > 1.0 + 1e-9 {
            continue;
        }
        let x = PLOT.left + share * PLOT.width;
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            axis.text(tick)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}, {}</text>",
        PLOT.left + PLOT.width / 2.0,
        bottom + 36.0,
        escape(name),
        clock.unit()
    );
    svg
}

/// Numbered lines down a plot.
pub(crate) fn marks(marks: &[Nanos], span: Nanos, top: f64, bottom: f64) -> String {
    let mut svg = String::new();
    for (number, at) in marks.iter().enumerate().filter(|(_, at)| **at <= span) {
        let x = PLOT.left + place(*at, span) * PLOT.width;
        let _ = writeln!(
            svg,
            "<path class=\"mark\" d=\"M{x:.1} {top}V{bottom}\"/><text class=\"mark\" x=\"{x:.1}\" y=\"{}\" \
             text-anchor=\"middle\">{}</text>",
            top - 6.0,
            number + 1
        );
    }
    svg
}

/// Left edge and width of a plot over time.
pub(crate) fn plot() -> (f64, f64) {
    (PLOT.left, PLOT.width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: &[Option<f64>]) -> String {
        let points = values.iter().zip(0..).map(|(value, second)| (Nanos::secs(second), *value)).collect();
        let line = ChartLine { name: "a <b>".to_owned(), tone: LineTone::One, points };
        let marks = [Nanos::secs(1), Nanos::secs(99)];
        let lines = LineChart {
            label: "\"x\"".to_owned(),
            y: "Rate".to_owned(),
            span: Nanos::secs(10),
            lines: vec![line],
            level: None,
            marks: &marks,
        };
        lines.svg()
    }

    #[test]
    fn a_line_is_broken_where_nothing_is_known() {
        let svg = chart(&[Some(1.0), Some(2.0), None, Some(3.0)]);
        let path = svg.split("class=\"line one\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, 1), "{path}");
    }

    #[test]
    fn text_is_escaped_and_marks_past_the_end_are_left_out() {
        let svg = chart(&[Some(1.0)]);
        assert!(svg.contains("a &lt;b&gt;") && svg.contains("&quot;x&quot;"));
        assert_eq!(svg.matches("path class=\"mark\"").count(), 1);
    }
}
