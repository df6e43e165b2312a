//! CSV as the console writes it ("Download as .csv"): some lines that say what the columns are, then a line for each time.

use jiff::tz::Offset;
use textfile::{InputError, Text};

use super::{Column, Export};
use crate::stamp;

pub(super) fn read(text: &Text, zone: Offset) -> Result<Export, InputError> {
    let content = text.content().trim_start_matches('\u{feff}');
    let skipped = text.content().len() - content.len();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(content.as_bytes());
    let (mut export, mut data, mut place) = (Export::default(), false, 0);
    for record in reader.records() {
        let record = record.map_err(|error| text.error_at(place, format!("is not CSV: {error}")))?;
        place = record.position().map_or(0, |position| position.byte() as usize) + skipped;
        let Some(first) = record.get(0) else { continue };
        // The console writes instants in the zone of the browser or in UTC, as chosen there.
        let Some(at) = stamp::read(first, zone) else {
            if data {
                if is_last(text, &record, place) {
                    break;
                }
                let message = format!("`{first}` is no time; expected one such as 2026/11/21 19:40:00");
                return Err(text.error_at(place, message));
            }
            header(&mut export, &record);
            continue;
        };
        data = true;
        for (index, cell) in record.iter().skip(1).enumerate() {
            let cell = cell.trim();
            // Nothing was published for that period: a gap.
            if cell.is_empty() || cell == "-" {
                continue;
            }
            let Some(value) = number(cell) else {
                if is_last(text, &record, place) {
                    break;
                }
                let message = format!("`{cell}` is no value; expected a number such as 12.5");
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

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}
