//! Writing Parquet: long format, one row for each point.

use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::about::Written;
use crate::{Series, SeriesPoints, Timeline, histogram};

/// Where in the file's metadata stands what the Timeline is of.
pub(super) const ABOUT: &str = "diskwright.timeline";

/// The columns. Times are signed, as every reader has that type.
const SCHEMA: &str = "message timeline {
    REQUIRED BYTE_ARRAY series (STRING);
    REQUIRED BYTE_ARRAY labels (STRING);
    REQUIRED BYTE_ARRAY unit (STRING);
    REQUIRED BYTE_ARRAY merge (STRING);
    REQUIRED INT64 from_ns;
    REQUIRED INT64 until_ns;
    OPTIONAL DOUBLE value;
    OPTIONAL BYTE_ARRAY histogram;
}";

/// Rows that are compressed and read as one: as many as the library's own default.
const GROUP: usize = 1 << 20;

/// Rows that are handed to the library at once.
const BATCH: usize = 1 << 13;

/// A point: its series and its place in it.
type Row<'a> = (&'a Texts<'a>, usize);

/// Columns that all rows of a series share.
struct Texts<'a> {
    series: &'a Series,
    name: ByteArray,
    labels: ByteArray,
    unit: ByteArray,
    merge: ByteArray,
}

pub(super) fn encode(timeline: &Timeline) -> Result<Vec<u8>, String> {
    encode_in_groups(timeline, GROUP)
}

/// The same with groups of that many rows.
pub(super) fn encode_in_groups(timeline: &Timeline, group: usize) -> Result<Vec<u8>, String> {
    let texts = timeline.series.iter().map(texts).collect::<Result<Vec<_>, _>>()?;
    let about = Written::of(&timeline.about).text()?;
    write(&texts, about, group).map_err(|error| error.to_string())
}

fn texts(series: &Series) -> Result<Texts<'_>, String> {
    let labels = serde_json::to_vec(&series.labels).map_err(|error| error.to_string())?;
    Ok(Texts {
        series,
        name: series.name.as_str().into(),
        labels: labels.into(),
        unit: series.unit.name().into(),
        merge: series.points.kind().into(),
    })
}

fn write(texts: &[Texts<'_>], about: String, size: usize) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties(about)))?;
    let mut rows = texts.iter().flat_map(|texts| (0..texts.series.points.len()).map(move |at| (texts, at)));
    while rows.clone().next().is_some() {
        let mut group = writer.next_row_group()?;
        let these = rows.clone().take(size);
        required::<ByteArrayType>(&mut group, these.clone(), |(texts, _)| texts.name.clone())?;
        required::<ByteArrayType>(&mut group, these.clone(), |(texts, _)| texts.labels.clone())?;
        required::<ByteArrayType>(&mut group, these.clone(), |(texts, _)| texts.unit.clone())?;
        required::<ByteArrayType>(&mut group, these.clone(), |(texts, _)| texts.merge.clone())?;
        // A valid Timeline's times fit.
        required::<Int64Type>(&mut group, these.clone(), |row| interval(row).0 as i64)?;
        required::<Int64Type>(&mut group, these.clone(), |row| interval(row).1 as i64)?;
        optional::<DoubleType>(&mut group, these.clone(), |row| Ok(value(row)))?;
        optional::<ByteArrayType>(&mut group, these, histogram)?;
        group.close()?;
        rows.nth(size - 1);
    }
    writer.into_inner()
}

fn properties(about: String) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_created_by(format!("diskwright {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![KeyValue::new(ABOUT.to_owned(), about)]));
    for column in ["series", "labels", "unit", "merge"] {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), true);
    }
    for column in ["from_ns", "until_ns"] {
        properties = properties.set_column_encoding(ColumnPath::from(column), Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

fn interval((texts, at): Row<'_>) -> (u64, u64) {
    match &texts.series.points {
        SeriesPoints::Values(_, points) => (points[at].from.0, points[at].until.0),
        SeriesPoints::Latencies(points) => (points[at].from.0, points[at].until.0),
    }
}

fn value((texts, at): Row<'_>) -> Option<f64> {
    texts.series.points().get(at).map(|point| point.value)
}

fn histogram((texts, at): Row<'_>) -> Result<Option<ByteArray>, ParquetError> {
    let encode = |point: &crate::LatencyPoint| histogram::encode(&point.histogram).map(ByteArray::from);
    texts.series.latency_points().get(at).map(encode).transpose().map_err(ParquetError::General)
}

/// Writes the next column, which has a value in each row.
fn required<'a, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    mut rows: impl Iterator<Item = Row<'a>>,
    cell: impl Fn(Row<'a>) -> T::T,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".to_owned()))?;
    loop {
        let batch: Vec<T::T> = rows.by_ref().take(BATCH).map(&cell).collect();
        if batch.is_empty() {
            return column.close();
        }
        column.typed::<T>().write_batch(&batch, None, None)?;
    }
}

/// Writes the next column, where rows may have nothing.
fn optional<'a, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    mut rows: impl Iterator<Item = Row<'a>>,
    cell: impl Fn(Row<'a>) -> Result<Option<T::T>, ParquetError>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".to_owned()))?;
    loop {
        let batch: Vec<Option<T::T>> = rows.by_ref().take(BATCH).map(&cell).collect::<Result<_, _>>()?;
        if batch.is_empty() {
            return column.close();
        }
        let levels: Vec<i16> = batch.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<T::T> = batch.into_iter().flatten().collect();
        column.typed::<T>().write_batch(&values, Some(&levels), None)?;
    }
}
