//! The columns of a report by name, in all the units that iostat's options choose.

use textfile::InputError;

use super::{DeviceRates, MeanWaits};
use crate::IoRates;

/// Names of a column and the factor to its base unit. iostat's kB and MB are binary (man iostat: `rkB/s` is "kilobytes",
/// counted from sectors of 512 bytes by halving).
type Column = &'static [(&'static str, f64)];

const READS: Column = &[("r/s", 1.0)];
const READ_BYTES: Column = &[("rkB/s", 1024.0), ("rMB/s", 1048576.0), ("rsec/s", 512.0)];
const READS_MERGED: Column = &[("rrqm/s", 1.0)];
const READ_WAIT: Column = &[("r_await", 1e-3)];
const WRITES: Column = &[("w/s", 1.0)];
const WRITE_BYTES: Column = &[("wkB/s", 1024.0), ("wMB/s", 1048576.0), ("wsec/s", 512.0)];
const WRITES_MERGED: Column = &[("wrqm/s", 1.0)];
const WRITE_WAIT: Column = &[("w_await", 1e-3)];
const DISCARDS: Column = &[("d/s", 1.0)];
const DISCARD_BYTES: Column = &[("dkB/s", 1024.0), ("dMB/s", 1048576.0), ("dsec/s", 512.0)];
const DISCARD_WAIT: Column = &[("d_await", 1e-3)];
const FLUSHES: Column = &[("f/s", 1.0)];
const FLUSH_WAIT: Column = &[("f_await", 1e-3)];
const WAIT: Column = &[("await", 1e-3)];
const READ_SIZE: Column = &[("rareq-sz", 1024.0)];
const WRITE_SIZE: Column = &[("wareq-sz", 1024.0)];
const QUEUE: Column = &[("aqu-sz", 1.0), ("avgqu-sz", 1.0)];
const BUSY: Column = &[("%util", 0.01), ("util", 0.01)];

/// A number as it was printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// The bytes of the unit printed behind it (`--human`), which then counts in place of the column's.
    pub(super) unit: Option<f64>,
}

impl Number {
    /// Reads a number, with a point or a comma before its decimals, and with or without a unit or `%`.
    pub(super) fn read(word: &str) -> Option<Self> {
        let (digits, unit) = match word.char_indices().next_back()? {
            (at, '%') => (&word[..at], None),
            (at, 'B') => (&word[..at], Some(1.0)),
            (at, 's') => (&word[..at], Some(512.0)),
            (at, 'k') => (&word[..at], Some(1024.0)),
            (at, 'M') => (&word[..at], Some(1048576.0)),
            (at, 'G') => (&word[..at], Some(1073741824.0)),
            (at, 'T') => (&word[..at], Some(1099511627776.0)),
            _ => (word, None),
        };
        // Most locales of Europe: iostat groups no thousands, so a comma is the decimal one.
        let value = if digits.contains('.') { digits.parse() } else { digits.replacen(',', ".", 1).parse() };
        value.ok().filter(|value: &f64| value.is_finite() && *value >= 0.0).map(|value| Self { value, unit })
    }
}

/// Why a row gives no rates.
#[derive(Debug)]
pub(super) enum RowFault {
    /// No column of this name.
    Lacks(&'static str),
    /// A cell is no rate, or two columns contradict each other.
    Wrong(InputError),
}

impl From<InputError> for RowFault {
    fn from(error: InputError) -> Self {
        Self::Wrong(error)
    }
}

/// One device from its columns by name.
pub(super) fn device_rates(
    device: &str,
    number: impl Fn(&str) -> Result<Option<Number>, InputError>,
    wrong: impl Fn(String) -> InputError,
) -> Result<DeviceRates, RowFault> {
    let any = |names: Column| {
        for (name, factor) in names {
            if let Some(Number { value, unit }) = number(name)? {
                return Ok(Some(value * unit.unwrap_or(*factor)));
            }
        }
        Ok(None)
    };
    let needed = |names: Column| any(names)?.ok_or(RowFault::Lacks(names[0].0));
    let both = |one: Column, other: Column| Ok::<_, InputError>(any(one)?.zip(any(other)?));
    let rates = IoRates {
        reads: needed(READS)?,
        read_bytes: needed(READ_BYTES)?,
        writes: needed(WRITES)?,
        write_bytes: needed(WRITE_BYTES)?,
        flushes: any(FLUSHES)?.unwrap_or(0.0),
    };
    let sides = [
        (rates.reads, rates.read_bytes, any(READ_SIZE)?, "rareq-sz"),
        (rates.writes, rates.write_bytes, any(WRITE_SIZE)?, "wareq-sz"),
    ];
    let doubled = sides.iter().any(|(ops, bytes, size, _)| size.is_some_and(|size| is_doubled(*ops, *bytes, size)));
    let printed = if doubled { 0.5 } else { 1.0 };
    for (ops, bytes, size, name) in sides {
        if let Some(size) = size.filter(|size| contradict(ops, bytes * printed, *size)) {
            return Err(RowFault::Wrong(wrong(contradiction(device, (ops, bytes, size), name))));
        }
    }
    let rates = IoRates { read_bytes: rates.read_bytes * printed, write_bytes: rates.write_bytes * printed, ..rates };
    Ok(DeviceRates {
        device: device.to_owned(),
        rates,
        doubled,
        flushes: any(FLUSHES)?,
        discards: both(DISCARDS, DISCARD_BYTES)?.map(|(ops, bytes)| (ops, bytes * printed)),
        merged: both(READS_MERGED, WRITES_MERGED)?,
        waits: MeanWaits {
            read: any(READ_WAIT)?,
            write: any(WRITE_WAIT)?,
            discard: any(DISCARD_WAIT)?,
            flush: any(FLUSH_WAIT)?,
            any: any(WAIT)?,
        },
        queue: any(QUEUE)?,
        busy: any(BUSY)?,
    })
}

/// Rates below this are rounded too coarsely to be compared.
const COMPARABLE: f64 = 10.0;

/// Whether the bytes of a row are not its requests times their mean size: by more than half again, which no rounding explains.
fn contradict(ops: f64, bytes: f64, size: f64) -> bool {
    let product = ops * size;
    ops >= COMPARABLE && product >= 4096.0 && !(2.0 / 3.0..=1.5).contains(&(bytes / product))
}

/// Whether the bytes of a row are twice its requests times their mean size: old sysstats print sectors for kilobytes in JSON, and the
/// mean size right (12.2.0 of Ubuntu 20.04; sysstat/sysstat#222 shows it of 11.6).
fn is_doubled(ops: f64, bytes: f64, size: f64) -> bool {
    contradict(ops, bytes, size) && (1.95..=2.05).contains(&(bytes / (ops * size)))
}

fn contradiction(device: &str, (ops, bytes, size): (f64, f64, f64), column: &str) -> String {
    format!(
        "the columns of `{device}` contradict each other: {ops:.0} requests a second of {:.1} KiB (`{column}`) are {:.0} KiB/s, but \
         {:.0} KiB/s are printed; sysstat 12.2 has this fault in its JSON. Record text (`iostat -x` without `-o JSON`), or with a \
         newer sysstat",
        size / 1024.0,
        ops * size / 1024.0,
        bytes / 1024.0
    )
}

/// Message for a report without a column.
pub(super) fn missing(name: &str) -> String {
    format!("the report lacks the column `{name}`; expected the output of `iostat -x`")
}
