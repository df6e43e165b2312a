//! A page as one HTML file.

use super::data;
use super::html::escape;
use super::{AnswerTone, AxisScale, BarRow, Page, PageBlock, PageChart, PageTable, TableCell};

const STYLE: &str = include_str!("../../assets/page.css");
const SCRIPT: &str = include_str!("../../assets/page.js");
/// uPlot 1.6.32 (MIT), unchanged: its distribution for browsers.
const UPLOT: &str = include_str!("../../assets/uplot.min.js");
const UPLOT_STYLE: &str = include_str!("../../assets/uplot.min.css");
const UPLOT_LICENCE: &str = include_str!("../../assets/uplot.LICENSE");

impl Page {
    /// The whole page: one file that fetches nothing.
    pub fn html(&self) -> String {
        let (document, left_out) = data::document(self);
        let has_charts = document["charts"].as_array().is_some_and(|charts| !charts.is_empty());
        let mut notes = self.notes.clone();
        if left_out {
            notes.push(data::left_out());
        }
        let mut charts = 0;
        let body = format!("{}{}{}", self.head(), blocks(&self.blocks, &mut charts), foot(&notes));
        let library = if has_charts { library() } else { String::new() };
        let scripts = if has_charts {
            format!(
                "<script type=\"application/json\" id=\"page-data\">{}</script>\n<script>\n{SCRIPT}</script>\n",
                data::in_script(&document)
            )
        } else {
            String::new()
        };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n{library}</head>\n<body>\n<main>\n{body}</main>\n{scripts}</body>\n\
             </html>\n",
            escape(&self.title)
        )
    }

    /// Question, answer, what was asked and assumed, and where the page comes from.
    fn head(&self) -> String {
        let class = match self.tone {
            AnswerTone::Good => "answer",
            AnswerTone::Bad => "answer no",
        };
        let mut head = format!("<header>\n<h1>{}</h1>\n", escape(&self.title));
        if !self.question.is_empty() {
            head += &format!("<p class=\"question\">{}</p>\n", escape(&self.question));
        }
        head += &format!("<p class=\"{class}\">{}</p>\n", escape(&self.answer));
        let mut facts: Vec<(&str, String)> =
            self.facts.iter().map(|(name, value)| (name.as_str(), escape(value))).collect();
        if !self.assumed.is_empty() {
            let items = self.assumed.iter().map(|text| format!("<li>{}</li>", escape(text)));
            facts.push(("Assumed", format!("<ul>{}</ul>", items.collect::<String>())));
        }
        if let Some(catalogue) = self.origin.catalogue() {
            facts.push(("Prices", escape(&catalogue)));
        }
        if !self.origin.command.is_empty() {
            facts.push(("Command", format!("<code>{}</code>", escape(&self.origin.command))));
        }
        let made = self.origin.made.map_or_else(String::new, |day| format!(" on {day}"));
        if !self.origin.program.is_empty() {
            facts.push(("Made by", escape(&format!("{}{made}", self.origin.program))));
        }
        if !facts.is_empty() {
            head += "<dl>\n";
            for (name, value) in facts {
                head += &format!("<dt>{}</dt><dd>{value}</dd>\n", escape(name));
            }
            head += "</dl>\n";
        }
        head + "</header>\n"
    }
}

/// uPlot with its licence.
fn library() -> String {
    format!("<!--\nuPlot\n\n{UPLOT_LICENCE}\n-->\n<style>\n{UPLOT_STYLE}</style>\n<script>\n{UPLOT}</script>\n")
}

fn foot(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let notes: String = notes.iter().map(|note| format!("<p>{}</p>\n", escape(note))).collect();
    format!("<footer>\n{notes}</footer>\n")
}

fn blocks(all: &[PageBlock], charts: &mut usize) -> String {
    all.iter().map(|one| block(one, charts)).collect()
}

fn block(block: &PageBlock, charts: &mut usize) -> String {
    match block {
        PageBlock::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        PageBlock::Text(text) => format!("<p>{}</p>\n", escape(text)),
        PageBlock::List(items) => {
            let items: String = items.iter().map(|text| format!("<li>{}</li>\n", escape(text))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        PageBlock::Table(table) if !table.rows.is_empty() => self::table(table),
        PageBlock::Chart(chart) if chart.has_values() => figure(chart, charts),
        PageBlock::Table(_) | PageBlock::Chart(_) => String::new(),
        PageBlock::Bars(label, rows) => bars(label, rows),
        PageBlock::Folded(summary, all) => {
            format!("<details>\n<summary>{}</summary>\n{}</details>\n", escape(summary), blocks(all, charts))
        }
    }
}

/// The place of a chart; the script draws into it and fills its legend and the table behind it.
fn figure(chart: &PageChart, charts: &mut usize) -> String {
    let number = *charts;
    *charts += 1;
    let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let label = format!("Chart: {}. {}. {}", chart.heading, chart.y.label(), names.join(", "));
    let fitted = matches!(chart.y.scale, AxisScale::Fitted).then_some("The vertical axis does not begin at zero.");
    let caption: Vec<&str> =
        Some(chart.caption.as_str()).filter(|text| !text.is_empty()).into_iter().chain(fitted).collect();
    let caption = if caption.is_empty() {
        String::new()
    } else {
        format!("<p class=\"soft\">{}</p>\n", escape(&caption.join(" ")))
    };
    format!(
        "<figure class=\"chart\" id=\"chart-{number}\" data-chart=\"{number}\">\n<figcaption>\n<h3>{}</h3>\n{caption}</figcaption>\n\
         <div class=\"legend\" role=\"group\" aria-label=\"Series of {}\"></div>\n\
         <div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>\n\
         <p class=\"readout\" aria-live=\"polite\"></p>\n\
         <details class=\"values\">\n<summary>Values as a table</summary>\n</details>\n\
         <noscript><p class=\"soft\">This chart is drawn by the script of the page.</p></noscript>\n</figure>\n",
        escape(&chart.heading),
        escape(&chart.heading),
        escape(&label),
    )
}

fn table(table: &PageTable) -> String {
    let number = |i: usize| if table.columns[i].is_number { " class=\"n\"" } else { "" };
    let head: String = table
        .columns
        .iter()
        .enumerate()
        .map(|(i, column)| format!("<th scope=\"col\"{}>{}</th>", number(i), escape(&column.name)))
        .collect();
    let row = |row: &Vec<TableCell>| {
        let class = |(i, cell): (usize, &TableCell)| match cell {
            TableCell::Lines(..) => " class=\"lines\"",
            _ => number(i),
        };
        let cells: String =
            row.iter().enumerate().map(|(i, c)| format!("<td{}>{}</td>", class((i, c)), cell(c))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    format!(
        "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<thead><tr>{head}</tr>\n</thead>\n\
         <tbody>\n{}</tbody>\n</table>\n</div>\n",
        escape(&table.label),
        table.rows.iter().map(row).collect::<String>()
    )
}

fn cell(cell: &TableCell) -> String {
    match cell {
        TableCell::Text(text) => escape(text),
        TableCell::Code(text) => format!("<code>{}</code>", escape(text)),
        TableCell::Lines(lines, soft) => {
            let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
            let soft =
                if soft.is_empty() { String::new() } else { format!("<div class=\"soft\">{}</div>", escape(soft)) };
            lines.join("<br/>") + &soft
        }
        TableCell::Split(text, parts) => split(text, parts),
    }
}

/// An amount over a bar of its parts.
fn split(text: &str, parts: &[(String, f64)]) -> String {
    let mut left = 0.0;
    let mut rects = String::new();
    for (number, (_, share)) in parts.iter().enumerate() {
        let width = 100.0 * share;
        rects += &format!("<rect class=\"tone{number}\" x=\"{left:.2}\" width=\"{width:.2}\" height=\"10\"/>");
        left += width;
    }
    let label: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    let label = escape(&label.join(", "));
    format!(
        "{}<svg class=\"split\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\
         <title>{label}</title>{rects}</svg>",
        escape(text)
    )
}

fn bars(label: &str, rows: &[BarRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let bar = |row: &BarRow| {
        let class = if row.hot { "hot" } else { "tone0" };
        let width = 100.0 * row.share.clamp(0.0, 1.0);
        format!(
            "<div role=\"listitem\"><span>{}</span><svg viewBox=\"0 0 100 14\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect class=\"track\" width=\"100\" height=\"14\"/><rect class=\"{class}\" width=\"{width:.1}\" height=\"14\"/>\
             </svg><span class=\"n\">{}</span></div>\n",
            escape(&row.name),
            escape(&row.text)
        )
    };
    format!(
        "<div class=\"bars\" role=\"list\" aria-label=\"{}\">\n{}</div>\n",
        escape(label),
        rows.iter().map(bar).collect::<String>()
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::page::ChartSeries;

    /// The page without its scripts, styles and comments.
    fn markup(page: &str) -> String {
        let without = |page: String, open: &str, close: &str| {
            let (first, rest) = page.split_once(open).unwrap_or((&page, ""));
            let kept = rest.split(open).map(|part| part.split_once(close).map_or("", |(_, after)| after));
            first.to_owned() + &kept.collect::<String>()
        };
        let page = without(page.to_owned(), "<!--", "-->");
        without(without(page, "<style>", "</style>"), "<script", "</script>")
    }

    /// Panics where the page opens an element that it does not close, or names something to fetch.
    pub(crate) fn check(page: &str) {
        let text = markup(page);
        let mut open: Vec<&str> = Vec::new();
        for part in text.split('<').skip(1) {
            let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("a tag is not closed: <{part}"));
            let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
            } else if !tag.ends_with('/') && !tag.starts_with('!') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "left open: {open:?}");
        for forbidden in ["src=", "url(", "@import", "onload"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
        assert_eq!(text.matches("href=").count(), 1, "only the empty icon");
    }

    fn page() -> Page {
        let series = ChartSeries::line("<b>p99", vec![(0.0, Some(1.0)), (1.0, Some(2.0))]);
        let chart = PageChart { heading: "La<ten>cy".into(), series: vec![series], ..PageChart::default() };
        let empty = PageChart { heading: "never drawn".into(), ..PageChart::default() };
        Page {
            title: "a <page>".into(),
            question: "What \"is\" it?".into(),
            answer: "This </script> & that.".into(),
            tone: AnswerTone::Bad,
            facts: vec![("Load".into(), "<i>much</i>".into())],
            assumed: vec!["nothing <else>".into()],
            blocks: vec![
                PageBlock::Heading("Evi<dence>".into()),
                PageBlock::Chart(chart),
                PageBlock::Chart(empty),
                PageBlock::Table(PageTable::plain(
                    "t<able>",
                    &["", "n <1>"],
                    &[1],
                    vec![vec!["<x>".into(), "2".into()]],
                )),
                PageBlock::Bars(
                    "b<ars>".into(),
                    vec![BarRow { name: "<cpu>".into(), share: 2.0, text: "200 %".into(), hot: true }],
                ),
                PageBlock::Folded("m<ore>".into(), vec![PageBlock::List(vec!["<one>".into()])]),
            ],
            notes: vec!["Mind <this>.".into()],
            ..Page::default()
        }
    }

    #[test]
    fn every_element_is_closed_and_nothing_is_fetched() {
        check(&page().html());
    }

    #[test]
    fn texts_of_the_data_stay_texts() {
        let html = page().html();
        for text in [
            "<page>",
            "<b>p99",
            "La<ten>cy",
            "<i>much",
            "<else>",
            "<dence>",
            "<able>",
            "<1>",
            "<x>",
            "<cpu>",
            "<one>",
            "<this>",
        ] {
            assert!(!html.contains(text), "{text} is markup");
        }
        assert_eq!(html.matches("</script>").count(), 3, "library, data and script end, and nothing else");
    }

    #[test]
    fn a_chart_without_values_has_no_place_and_a_page_without_charts_no_script() {
        let html = page().html();
        assert_eq!(html.matches("<figure").count(), 1);
        assert!(!html.contains("never drawn"));
        let html = Page { blocks: Vec::new(), ..page() }.html();
        assert!(!html.contains("<script") && html.len() < 16_000, "{}", html.len());
    }

    #[test]
    fn the_answer_comes_before_the_evidence() {
        let html = page().html();
        let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is missing"));
        assert!(at("What &quot;is&quot; it?") < at("This &lt;/script&gt;") && at("Assumed") < at("<figure"));
    }

    #[test]
    fn a_page_of_long_series_stays_small_and_says_what_it_left_out() {
        let value = |i: u32, k: u32| Some(f64::from(i.wrapping_mul(2_654_435_761).rotate_left(k)) / 7.0);
        let line =
            |k: u32| ChartSeries::line(k.to_string(), (0..86_400).map(|i| (f64::from(i), value(i, k))).collect());
        let chart = |i: u32| PageChart { series: (0..4).map(|k| line(4 * i + k)).collect(), ..PageChart::default() };
        let page = Page { blocks: (0..4).map(|i| PageBlock::Chart(chart(i))).collect(), ..Page::default() };
        let html = page.html();
        assert!(html.len() < 600_000, "{} bytes", html.len());
        assert!(html.contains("the least and the largest value are among them"));
    }
}
