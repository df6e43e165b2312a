//! Reading Parquet, as this crate or another tool wrote it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::basic::{Repetition, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::Fault;
use super::about::Written;
use super::parquet_write::ABOUT;
use super::rows::{Row, Rows, What, time};
use crate::Timeline;

/// Rows that are read at once.
const BATCH: usize = 1 << 10;

pub(super) fn decode(bytes: Vec<u8>) -> Result<Timeline, Fault> {
    // The library checks most of what a hostile file can say, not all: what it trips over is an error here as well.
    catch_unwind(AssertUnwindSafe(|| read(bytes.into()))).unwrap_or_else(|_| Err("is damaged".into()))
}

fn read(bytes: Bytes) -> Result<Timeline, Fault> {
    let file = SerializedFileReader::new(bytes)?;
    let pairs = file.metadata().file_metadata().key_value_metadata().into_iter().flatten();
    let about = pairs.filter(|pair| pair.key == ABOUT).find_map(|pair| pair.value.as_deref());
    let about = about.map_or_else(|| Ok(Written::default()), Written::parse)?.about()?;
    let mut rows = Rows::new();
    for group in 0..file.num_row_groups() {
        read_group(file.get_row_group(group)?.as_ref(), &mut rows)?;
    }
    rows.finish(about)
}

fn read_group(group: &dyn RowGroupReader, rows: &mut Rows) -> Result<(), Fault> {
    let mut texts = [
        Column::<ByteArrayType>::of(group, "series")?,
        Column::of(group, "labels")?,
        Column::of(group, "unit")?,
        Column::of(group, "merge")?,
    ];
    let mut times = [Column::<Int64Type>::of(group, "from_ns")?, Column::of(group, "until_ns")?];
    let mut values = Column::<DoubleType>::of(group, "value")?;
    let mut histograms = Column::<ByteArrayType>::of(group, "histogram")?;
    loop {
        let counts = [
            texts[0].fill()?,
            texts[1].fill()?,
            texts[2].fill()?,
            texts[3].fill()?,
            times[0].fill()?,
            times[1].fill()?,
            values.fill()?,
            histograms.fill()?,
        ];
        if counts.iter().any(|count| *count != counts[0]) {
            return Err("is damaged: its columns differ in length".into());
        }
        if counts[0] == 0 {
            return Ok(());
        }
        for row in 0..counts[0] {
            let what = match (values.get(row), histograms.get(row)) {
                (Some(value), None) => What::Value(*value),
                (None, Some(histogram)) => What::Histogram(histogram.data()),
                (None, None) => return Err("has a row with neither a value nor a histogram".into()),
                _ => return Err("has a row with both a value and a histogram, expected one of them".into()),
            };
            let [series, labels, unit, merge] = &texts;
            rows.push(&Row {
                series: text(series, row)?,
                labels: text(labels, row)?,
                unit: text(unit, row)?,
                merge: text(merge, row)?,
                from: time(*times[0].require(row)?)?,
                until: time(*times[1].require(row)?)?,
                what,
            })?;
        }
    }
}

fn text(column: &Column<ByteArrayType>, row: usize) -> Result<&str, Fault> {
    let bytes: &ByteArray = column.require(row)?;
    std::str::from_utf8(bytes.data()).map_err(|_| format!("column `{}` holds what is not UTF-8", column.name).into())
}

/// A column of a group of rows, a batch at a time. Other tools mark columns as optional that hold a value in each row.
struct Column<T: DataType> {
    name: &'static str,
    reader: ColumnReaderImpl<T>,
    optional: bool,
    /// For each row of the batch, the place of its value.
    places: Vec<Option<usize>>,
    levels: Vec<i16>,
    values: Vec<T::T>,
}

/// A column's reader for values of a type; `None` if it holds others.
trait Typed: DataType + Sized {
    const NAME: Type;
    fn reader(reader: ColumnReader) -> Option<ColumnReaderImpl<Self>>;
}

macro_rules! typed {
    ($type:ty, $name:ident, $variant:ident) => {
        impl Typed for $type {
            const NAME: Type = Type::$name;
            fn reader(reader: ColumnReader) -> Option<ColumnReaderImpl<Self>> {
                if let ColumnReader::$variant(reader) = reader { Some(reader) } else { None }
            }
        }
    };
}
typed!(ByteArrayType, BYTE_ARRAY, ByteArrayColumnReader);
typed!(Int64Type, INT64, Int64ColumnReader);
typed!(DoubleType, DOUBLE, DoubleColumnReader);

impl<T: Typed> Column<T> {
    fn of(group: &dyn RowGroupReader, name: &'static str) -> Result<Self, Fault> {
        let columns = group.metadata().schema_descr_ptr();
        let place = columns.columns().iter().position(|column| column.path().parts() == [name]);
        let place = place.ok_or_else(|| format!("has no column `{name}`"))?;
        let kind = columns.column(place).self_type().get_basic_info().repetition();
        if kind == Repetition::REPEATED {
            return Err(format!("column `{name}` holds lists, expected one {} a row", T::NAME).into());
        }
        let other =
            || format!("column `{name}` is of type {}, expected {}", columns.column(place).physical_type(), T::NAME);
        let reader = T::reader(group.get_column_reader(place)?).ok_or_else(other)?;
        let optional = kind == Repetition::OPTIONAL;
        Ok(Self { name, reader, optional, places: Vec::new(), levels: Vec::new(), values: Vec::new() })
    }

    /// Reads the next batch; the number of its rows, none at the end.
    fn fill(&mut self) -> Result<usize, Fault> {
        self.places.clear();
        self.levels.clear();
        self.values.clear();
        let (rows, ..) = self.reader.read_records(BATCH, Some(&mut self.levels), None, &mut self.values)?;
        if !self.optional {
            self.levels.clear();
            self.levels.resize(rows, 1);
        }
        let mut next = 0;
        self.places.extend(self.levels.iter().map(|level| {
            let place = (*level > 0).then_some(next);
            next += usize::from(*level > 0);
            place
        }));
        if self.places.len() != rows || next != self.values.len() {
            return Err(format!("is damaged: column `{}` has another number of values than of rows", self.name).into());
        }
        Ok(rows)
    }
}

impl<T: DataType> Column<T> {
    /// Value of a row of the batch.
    fn get(&self, row: usize) -> Option<&T::T> {
        self.places.get(row).copied().flatten().and_then(|place| self.values.get(place))
    }

    /// The same, where each row must hold something.
    fn require(&self, row: usize) -> Result<&T::T, Fault> {
        self.get(row).ok_or_else(|| format!("column `{}` has a row without a value", self.name).into())
    }
}
