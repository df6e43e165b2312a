//! A chart of points over two axes, as inline SVG that takes its colours from the page.

use std::fmt::Write as _;

use crate::ChartAxis;
use crate::html::escape;
use crate::labels::{self, Area, CHARACTER, LINE};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 440.0;
const PLOT: Area = Area { left: 84.0, top: 20.0, width: WIDTH - 84.0 - 36.0, height: HEIGHT - 20.0 - 60.0 };

/// How a point is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointMark {
    /// Filled: what the page is about.
    Main,
    /// Hollow: what it is compared with.
    Other,
}

/// One point.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartPoint {
    /// In the x axis' unit.
    pub x: f64,
    /// In the y axis' unit.
    pub y: f64,
    /// Short text beside it, left out where there is no room.
    pub label: String,
    /// What a pointer resting on it shows.
    pub hover: String,
    /// How it is drawn.
    pub mark: PointMark,
}

/// Points over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterChart {
    /// What the chart shows, read aloud in its place.
    pub label: String,
    /// Name and unit of the x axis: `Cost, $ a month`.
    pub x: String,
    /// Name and unit of the y axis.
    pub y: String,
    /// The points, the most important first: it is the first to get its label.
    pub points: Vec<ChartPoint>,
    /// A height to mark across the chart, and its name.
    pub level: Option<(f64, String)>,
}

impl ScatterChart {
    /// The chart as an `svg` element.
    pub fn svg(&self) -> String {
        let x_axis = ChartAxis::over(self.points.iter().map(|p| p.x), 7);
        let level = self.level.as_ref().map(|(y, _)| *y);
        let y_axis = ChartAxis::over(self.points.iter().map(|p| p.y).chain(level), 5);
        let at = |x: f64, y: f64| {
            (PLOT.left + x_axis.share(x) * PLOT.width, PLOT.top + (1.0 - y_axis.share(y)) * PLOT.height)
        };
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
            escape(&self.label)
        );
        self.draw_axes(&mut svg, &x_axis, &y_axis);
        let mut taken = self.draw_front(&mut svg, at);
        taken.extend(self.draw_level(&mut svg, at));
        self.draw_points(&mut svg, at, &taken);
        svg + "</svg>\n"
    }

    fn draw_axes(&self, svg: &mut String, x_axis: &ChartAxis, y_axis: &ChartAxis) {
        let (bottom, right) = (PLOT.top + PLOT.height, PLOT.left + PLOT.width);
        for tick in y_axis.ticks() {
            let y = PLOT.top + (1.0 - y_axis.share(tick)) * PLOT.height;
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{} {y:.1}H{right}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                PLOT.left,
                PLOT.left - 8.0,
                y + 4.0,
                y_axis.text(tick)
            );
        }
        for tick in x_axis.ticks() {
            let x = PLOT.left + x_axis.share(tick) * PLOT.width;
            let _ = writeln!(
                svg,
                "<path class=\"grid\" d=\"M{x:.1} {}V{bottom}\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                PLOT.top,
                bottom + 18.0,
                x_axis.text(tick)
            );
        }
        let _ = writeln!(
            svg,
            "<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text class=\"name\" transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            PLOT.left + PLOT.width / 2.0,
            HEIGHT - 12.0,
            escape(&self.x),
            PLOT.top + PLOT.height / 2.0,
            escape(&self.y)
        );
    }

    /// Draws the stair of points that nothing to their left surpasses; gives what it covers.
    fn draw_front(&self, svg: &mut String, at: impl Fn(f64, f64) -> (f64, f64)) -> Vec<Area> {
        let corners: Vec<(f64, f64)> = self.front().iter().map(|point| at(point.x, point.y)).collect();
        let [(x, y), rest @ ..] = &corners[..] else { return Vec::new() };
        if rest.is_empty() {
            return Vec::new();
        }
        let stair: String = rest.iter().map(|(x, y)| format!("H{x:.1}V{y:.1}")).collect();
        let _ = writeln!(svg, "<path class=\"front\" d=\"M{x:.1} {y:.1}{stair}\"/>");
        let step = |pair: &[(f64, f64)]| {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let tread = Area { left: x0, top: y0 - 1.0, width: x1 - x0, height: 2.0 };
            let riser = Area { left: x1 - 1.0, top: y1, width: 2.0, height: y0 - y1 };
            [tread, riser]
        };
        corners.windows(2).flat_map(step).collect()
    }

    /// Draws the level across the chart; gives what it covers.
    fn draw_level(&self, svg: &mut String, at: impl Fn(f64, f64) -> (f64, f64)) -> Vec<Area> {
        let Some((height, name)) = &self.level else { return Vec::new() };
        let (_, y) = at(0.0, *height);
        let right = PLOT.left + PLOT.width;
        let _ = writeln!(
            svg,
            "<path class=\"level\" d=\"M{} {y:.1}H{right}\"/>\n\
             <text class=\"level\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            PLOT.left,
            right - 4.0,
            y - 5.0,
            escape(name)
        );
        let width = name.chars().count() as f64 * CHARACTER;
        let text = Area { left: right - 4.0 - width, top: y - LINE, width, height: LINE };
        vec![text, Area { left: PLOT.left, top: y - 1.0, width: PLOT.width, height: 2.0 }]
    }

    fn front(&self) -> Vec<&ChartPoint> {
        let mut sorted: Vec<&ChartPoint> = self.points.iter().collect();
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.y.total_cmp(&a.y)));
        let mut best = f64::NEG_INFINITY;
        sorted.retain(|point| {
            point.y > best && {
                best = point.y;
                true
            }
        });
        sorted
    }

    fn draw_points(&self, svg: &mut String, at: impl Fn(f64, f64) -> (f64, f64), taken: &[Area]) {
        let places: Vec<(f64, f64)> = self.points.iter().map(|p| at(p.x, p.y)).collect();
        let texts: Vec<&str> = self.points.iter().map(|p| p.label.as_str()).collect();
        let labels = labels::place(&places, &texts, PLOT, taken);
        // Drawn last first, so that the most important lie on top.
        for ((point, (x, y)), label) in self.points.iter().zip(places).zip(labels).rev() {
            let class = match point.mark {
                PointMark::Main => "main",
                PointMark::Other => "other",
            };
            let _ = write!(
                svg,
                "<g class=\"{class}\"><title>{}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>",
                escape(&point.hover)
            );
            if let Some(area) = label {
                let _ = write!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    area.left + area.width / 2.0,
                    area.top + LINE * 0.75,
                    escape(&point.label)
                );
            }
            svg.push_str("</g>\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> ScatterChart {
        let points = points.iter().map(|&(x, y)| ChartPoint {
            x,
            y,
            label: "<1>".into(),
            hover: "a & b".into(),
            mark: PointMark::Main,
        });
        ScatterChart {
            label: "\"quoted\"".into(),
            x: "Cost".into(),
            y: "Rate".into(),
            points: points.collect(),
            level: None,
        }
    }

    #[test]
    fn the_front_keeps_only_points_that_no_cheaper_one_reaches() {
        let chart = chart(&[(3.0, 30.0), (1.0, 10.0), (2.0, 9.0), (4.0, 30.0), (5.0, 31.0)]);
        let front: Vec<f64> = chart.front().iter().map(|p| p.x).collect();
        assert_eq!(front, [1.0, 3.0, 5.0]);
    }

    #[test]
    fn text_from_outside_is_escaped() {
        let svg = chart(&[(1.0, 1.0)]).svg();
        assert!(svg.contains("&lt;1&gt;") && svg.contains("a &amp; b") && svg.contains("&quot;quoted&quot;"), "{svg}");
    }

    #[test]
    fn higher_values_stand_higher_and_no_point_leaves_the_plot() {
        let svg = chart(&[(1.0, 10.0), (2.0, 20.0)]).svg();
        let heights: Vec<f64> =
            svg.split("cy=\"").skip(1).map(|rest| rest[..rest.find('"').unwrap()].parse().unwrap()).collect();
        let [second, first] = heights[..] else { panic!("{heights:?}") };
        assert!(second < first && second >= PLOT.top && first <= PLOT.top + PLOT.height);
    }
}
