//! CSV as the console writes it ("Download as .csv"): some lines that say what the columns are, then a line for each time. Grafana's
//! is alike, with a time and a column for each series, or with one line for each series and time.

use jiff::tz::Offset;
use textfile::{InputError, Text};

use super::{Column, Export};
use crate::input::Glimpse;
use crate::stamp;

/// What stands between cells.
fn delimiter(content: &str) -> u8 {
    let sample = || content.lines().take(20);
    let count = |delimiter: char| sample().map(|line| line.matches(delimiter).count()).sum::<usize>();
    let lines = sample().filter(|line| !line.trim().is_empty()).count();
    [';', '\t'].into_iter().find(|one| count(*one) >= lines.max(1)).map_or(b',', |one| one as u8)
}

/// Whether a file begins as a sheet does: a line that begins with a time, and has a number in another cell.
pub(super) fn is_sheet(glimpse: &Glimpse<'_>) -> bool {
    let delimiter = delimiter(glimpse.text()) as char;
    glimpse.any_line(|line| {
        let cells: Vec<&str> = line.split(delimiter).map(|cell| cell.trim().trim_matches('"')).collect();
        let is_number = |cell: &&str| number(cell, delimiter as u8).is_some();
        let is_time = |cell: &&str| stamp::read(cell, Offset::UTC).is_some();
        cells.len() > 1
            && (is_time(&cells[0]) || cells.len() == 3 && is_time(&cells[1]))
            && cells[1..].iter().any(is_number)
    })
}

pub(super) fn read(text: &Text, zone: Offset) -> Result<Export, InputError> {
    let content = text.content().trim_start_matches('\u{feff}');
    let skipped = text.content().len() - content.len();
    // A hint for spreadsheets.
    let hint = if content.starts_with("sep=") { content.find('\n').map_or(content.len(), |end| end + 1) } else { 0 };
    let (content, skipped) = (&content[hint..], skipped + hint);
    let delimiter = delimiter(content);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(content.as_bytes());
    let (mut export, mut data, mut place, mut rows) = (Export::default(), false, 0, false);
    for record in reader.records() {
        let record = record.map_err(|error| text.error_at(place, format!("is not CSV: {error}")))?;
        place = record.position().map_or(0, |position| position.byte() as usize) + skipped;
        let Some(first) = record.get(0) else { continue };
        let is =
            |index: usize, name: &str| record.get(index).is_some_and(|cell| cell.trim().eq_ignore_ascii_case(name));
        if !data && record.len() == 3 && is(0, "series") && is(1, "time") && is(2, "value") {
            rows = true;
            continue;
        }
        if rows {
            let (Some(at), Some(cell)) = (record.get(1).and_then(|time| stamp::read(time, zone)), record.get(2)) else {
                let message = format!(
                    "`{}` is no time; expected one such as 2026-11-21T19:40:00Z",
                    short(record.get(1).unwrap_or(""))
                );
                return Err(text.error_at(place, message));
            };
            data = true;
            if let Some(value) = number(cell.trim(), delimiter) {
                named(&mut export, first).points.push((at, value));
            }
            continue;
        }
        // The console writes instants in the zone of the browser or in UTC, as chosen there.
        let Some(at) = stamp::read(first, zone) else {
            if data {
                if is_last(text, &record, place) {
                    break;
                }
                let message = format!("`{}` is no time; expected one such as 2026/11/21 19:40:00", short(first));
                return Err(text.error_at(place, message));
            }
            header(&mut export, &record);
            continue;
        };
        data = true;
        for (index, cell) in record.iter().skip(1).enumerate() {
            let cell = cell.trim();
            // Nothing was published for that period: a gap.
            if matches!(cell, "" | "-" | "null" | "NaN" | "undefined" | "N/A") {
                continue;
            }
            let Some(value) = number(cell, delimiter) else {
                if is_last(text, &record, place) {
                    break;
                }
                let message = format!("`{}` is no value; expected a number such as 12.5", short(cell));
                return Err(text.error_at(place, message));
            };
            column(&mut export, index).points.push((at, value));
        }
    }
    if !data {
        let message = "is no export of CloudWatch: it has no line that begins with a time such as 2026/11/21 19:40:00";
        return Err(InputError::new(text.path(), message).help("download the graph's data as CSV in the console"));
    }
    Ok(export)
}

/// The column of a series' name, where each line names its own.
fn named<'e>(export: &'e mut Export, name: &str) -> &'e mut Column {
    let words: Vec<String> = name.split_whitespace().map(str::to_owned).collect();
    let place = export.columns.iter().position(|column| column.words == words).unwrap_or_else(|| {
        export.columns.push(Column { words, ..Column::default() });
        export.columns.len() - 1
    });
    &mut export.columns[place]
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn column(export: &mut Export, index: usize) -> &mut Column {
    if export.columns.len() <= index {
        export.columns.resize_with(index + 1, Column::default);
    }
    &mut export.columns[index]
}

/// A line above the times: `Full label,us-east-1:AWS/EBS VolumeId:vol-1 VolumeReadOps Sum 300`, `StatusCode,Complete`,
/// `Label,…`, or the names of columns after `timestamp`.
fn header(export: &mut Export, record: &csv::StringRecord) {
    let title = record.get(0).unwrap_or_default().trim().to_lowercase();
    for (index, cell) in record.iter().skip(1).enumerate() {
        let words = || cell.split_whitespace().map(str::to_owned);
        match title.as_str() {
            "id" => {}
            "statuscode" | "messages" => {
                if !cell.trim().is_empty() && !cell.eq_ignore_ascii_case("complete") {
                    export.notes.insert(format!("{title} of column {}", index + 1), cell.chars().take(200).collect());
                }
            }
            // It ends with the period: it must come last.
            "full label" => column(export, index).words.extend(words()),
            "period" => {
                let period = cell.trim().parse().ok().filter(|seconds: &u64| (1..=31_536_000).contains(seconds));
                column(export, index).period = period.map(units::Nanos::secs);
            }
            _ => drop(column(export, index).words.splice(0..0, words())),
        }
    }
}

/// Whether the file ends in the middle of this line.
fn is_last(text: &Text, record: &csv::StringRecord, place: usize) -> bool {
    let rest = text.content().get(place..).unwrap_or_default();
    !record.is_empty() && !rest.trim_start_matches(['\r', '\n']).contains('\n')
}

/// A number, with a point before its decimals, or a comma where cells are not divided by commas; `%` may follow.
fn number(cell: &str, delimiter: u8) -> Option<f64> {
    let cell = cell.trim_end_matches('%').trim_end();
    let value = |text: &str| text.parse().ok().filter(|value: &f64| value.is_finite());
    let plain = cell.contains(|c: char| c.is_ascii_digit()).then(|| value(cell)).flatten();
    plain.or_else(|| {
        let digits =
            cell.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-' | b'e' | b'E' | b'+'));
        // `1.234,5`: points group thousands where a comma stands before the decimals.
        (delimiter != b',' && digits && cell.matches(',').count() == 1)
            .then(|| value(&cell.replace('.', "").replacen(',', ".", 1)))
            .flatten()
    })
}
