//! The JSON that the page's script draws from.

use serde_json::{Value, json};
use textfile::escape_hidden;

use super::thin::{MOST_POINTS, thinned};
use super::{AxisScale, ChartAxis, ChartMark, MarkKind, Page, PageBlock, PageChart, PageClock, SeriesStyle};

/// Significant digits of a value: more cannot be read off a chart or its table.
const DIGITS: i32 = 6;
/// Significant digits of a position: a second within some years.
const POSITION_DIGITS: i32 = 9;

/// All charts of a page, in order, with the positions that they share; and whether points were left out.
pub(super) fn document(page: &Page) -> (Value, bool) {
    let mut positions = Positions::default();
    let mut left_out = false;
    let mut charts = Vec::new();
    each_chart(&page.blocks, &mut |drawn| charts.push(chart(drawn, &mut positions, &mut left_out)));
    let document = json!({
        "clock": page.clock.as_ref().map(clock),
        "positions": positions.lists,
        "charts": charts,
    });
    (document, left_out)
}

/// Calls `f` with each chart that has something to draw, in the order of the page.
pub(super) fn each_chart<'p>(blocks: &'p [PageBlock], f: &mut dyn FnMut(&'p PageChart)) {
    for block in blocks {
        match block {
            PageBlock::Chart(chart) if chart.has_values() => f(chart),
            PageBlock::Folded(_, blocks) => each_chart(blocks, f),
            _ => {}
        }
    }
}

/// JSON that may stand in a `script` element: no text of the data ends the element.
pub(super) fn in_script(document: &Value) -> String {
    document.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Lists of positions, each once: the series of a page mostly share theirs.
#[derive(Debug, Default)]
struct Positions {
    lists: Vec<Vec<Value>>,
}

impl Positions {
    fn number_of(&mut self, positions: Vec<Value>) -> usize {
        let known = self.lists.iter().rposition(|list| *list == positions);
        known.unwrap_or_else(|| {
            self.lists.push(positions);
            self.lists.len() - 1
        })
    }
}

fn clock(clock: &PageClock) -> Value {
    json!({
        "name": shown(&clock.name),
        "span": clock.span,
        "start": clock.start.map(|start| start.as_millisecond()),
        "marks": clock.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}

fn chart(chart: &PageChart, positions: &mut Positions, left_out: &mut bool) -> Value {
    let series = chart.series.iter().filter(|series| series.has_values()).map(|series| {
        let (thin, cut) = thinned(series);
        *left_out |= cut;
        let at = thin.points.iter().map(|(at, _)| number(*at, POSITION_DIGITS)).collect();
        json!({
            "name": shown(&thin.name),
            "style": match thin.style {
                SeriesStyle::Line => "line",
                SeriesStyle::Marked => "marked",
                SeriesStyle::Points => "points",
            },
            "at": positions.number_of(at),
            "values": thin.points.iter().map(|(_, value)| value.map_or(Value::Null, |v| number(v, DIGITS))).collect::<Vec<_>>(),
            "notes": thin.notes.iter().map(|note| shown(note)).collect::<Vec<_>>(),
        })
    });
    json!({
        "heading": shown(&chart.heading),
        "x": chart.x.as_ref().map(axis),
        "y": axis(&chart.y),
        "series": series.collect::<Vec<_>>(),
        "limits": chart.limits.iter().map(|limit| json!({ "value": number(limit.value, DIGITS), "name": shown(&limit.name) })).collect::<Vec<_>>(),
        "marks": chart.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}

fn axis(axis: &ChartAxis) -> Value {
    let scale = match axis.scale {
        AxisScale::FromZero => "zero",
        AxisScale::Fitted => "fitted",
        AxisScale::Log => "log",
    };
    json!({ "name": shown(&axis.name), "unit": shown(&axis.unit), "scale": scale })
}

fn mark(mark: &ChartMark) -> Value {
    let kind = match mark.kind {
        MarkKind::Event => "event",
        MarkKind::Finding => "finding",
        MarkKind::Target => "target",
    };
    json!({ "kind": kind, "from": mark.from, "until": mark.until, "text": shown(&mark.text), "number": mark.number })
}

/// A text whose hidden characters are visible.
fn shown(text: &str) -> String {
    escape_hidden(text).into_owned()
}

/// A number with so many significant digits; null where it is none.
fn number(value: f64, digits: i32) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    if value == 0.0 {
        return json!(0);
    }
    let decimals = digits - 1 - value.abs().log10().floor() as i32;
    let rounded = if decimals > 15 {
        value
    } else {
        let power = 10f64.powi(decimals.abs());
        if decimals >= 0 { (value * power).round() / power } else { (value / power).round() * power }
    };
    if rounded.fract() == 0.0 && rounded.abs() < 9e15 { json!(rounded as i64) } else { json!(rounded) }
}

/// What the page says of points that were left out.
pub(super) fn left_out() -> String {
    format!(
        "Long series are drawn with at most {MOST_POINTS} points; of every stretch the least and the largest value are among them."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::ChartSeries;

    #[test]
    fn numbers_keep_six_digits_and_what_is_none_is_null() {
        let texts =
            [0.0, 1234567.0, 0.00012345678, 99.0, 1e-200, f64::NAN, -2.5].map(|v| number(v, DIGITS).to_string());
        assert_eq!(texts, ["0", "1234570", "0.000123457", "99", "1e-200", "null", "-2.5"]);
    }

    #[test]
    fn no_text_of_the_data_ends_the_script_element_and_none_hides() {
        let text = "</script><!--\u{202e}&";
        let series = ChartSeries::line(text, vec![(0.0, Some(1.0))]);
        let chart = PageChart { heading: text.to_owned(), series: vec![series], ..PageChart::default() };
        let page = Page { blocks: vec![PageBlock::Chart(chart)], ..Page::default() };
        let (value, _) = document(&page);
        let json = in_script(&value);
        assert!(!json.contains(['<', '>', '&', '\u{202e}']), "{json}");
        let back: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["charts"][0]["heading"], "</script><!--\\u{202e}&");
    }

    #[test]
    fn series_with_the_same_positions_share_them() {
        let line = |name: &str| ChartSeries::line(name, (0..5).map(|i| (f64::from(i), Some(1.0))).collect());
        let chart = PageChart { series: vec![line("a"), line("b")], ..PageChart::default() };
        let page = Page { blocks: vec![PageBlock::Chart(chart.clone()), PageBlock::Chart(chart)], ..Page::default() };
        assert_eq!(document(&page).0["positions"].as_array().unwrap().len(), 1);
    }
}
