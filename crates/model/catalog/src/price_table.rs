//! Prices by the hour: a row a type and term, a column a region, so that only the regions that are asked for are parsed.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use units::Usd;

use crate::table::{Line, Sources, TableError, header};
use crate::{DatabaseEngine, Provenance};

/// How an hour is paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriceTerm {
    /// By the hour, without a commitment.
    #[default]
    OnDemand,
    /// Reserved for a year: AWS without an upfront payment, Azure as its month or year is paid.
    #[serde(rename = "reserved-1y")]
    Reserved1y,
    /// Reserved for three years.
    #[serde(rename = "reserved-3y")]
    Reserved3y,
    /// Azure's savings plan of a year.
    #[serde(rename = "savings-1y")]
    Savings1y,
    /// Spare capacity, taken back at the cloud's wish; the price as it was seen.
    Spot,
}

const TERMS: [(&str, PriceTerm); 5] = [
    ("on-demand", PriceTerm::OnDemand),
    ("reserved-1y", PriceTerm::Reserved1y),
    ("reserved-3y", PriceTerm::Reserved3y),
    ("savings-1y", PriceTerm::Savings1y),
    ("spot", PriceTerm::Spot),
];

impl fmt::Display for PriceTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = TERMS.iter().find(|(_, term)| term == self).map_or("", |(word, _)| word);
        f.pad(word)
    }
}

impl FromStr for PriceTerm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        TERMS
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, term)| *term)
            .ok_or_else(|| format!("`{text}` is no term: expected one of {}", TERMS.map(|(word, _)| word).join(", ")))
    }
}

/// One observation of a price.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HourlyPrice {
    /// The database engine that a class of a service runs; `None` for a machine.
    pub(crate) engine: Option<DatabaseEngine>,
    pub(crate) term: PriceTerm,
    pub(crate) usd: Usd,
    pub(crate) provenance: Provenance,
}

/// The prices of one region, all days, by type.
pub(crate) type RegionPrices = HashMap<String, Vec<HourlyPrice>>;

/// Columns before those of the regions.
const COLUMNS: &str = "name,engine,term,source,as_of";

/// A table whose regions are parsed when they are asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct PriceTable {
    name: &'static str,
    text: &'static str,
    regions: Vec<&'static str>,
}

impl PriceTable {
    /// Reads the header only.
    pub(crate) fn new(name: &'static str, text: &'static str) -> Result<Self, TableError> {
        let regions = match header(text).strip_prefix(COLUMNS) {
            Some(rest) => rest.split(',').filter(|region| !region.is_empty()).collect(),
            None => {
                let message = format!("the header does not begin with `{COLUMNS}`");
                return Err(TableError { table: name, line: 1, message });
            }
        };
        Ok(Self { name, text, regions })
    }

    /// The regions that have a column.
    pub(crate) fn regions(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.regions.iter().copied()
    }

    /// The prices of a region; empty where it has no column.
    pub(crate) fn region(&self, region: &str, sources: &Sources, prices: &mut RegionPrices) -> Result<(), TableError> {
        let Some(column) = self.regions.iter().position(|name| *name == region) else { return Ok(()) };
        self.read(sources, Some(column), |_, name, seen| match prices.get_mut(name) {
            Some(all) => all.push(seen),
            None => {
                prices.insert(name.to_owned(), vec![seen]);
            }
        })
    }

    /// Every price with its region and the name of its type, and whether a row has more cells than the header names.
    pub(crate) fn all(
        &self,
        sources: &Sources,
        mut each: impl FnMut(&'static str, &str, HourlyPrice),
    ) -> Result<(), TableError> {
        let cells = COLUMNS.split(',').count() + self.regions.len();
        if let Some((i, _)) = self.text.lines().enumerate().find(|(_, line)| line.split(',').count() > cells) {
            let message = "more cells than the header names".to_owned();
            return Err(TableError { table: self.name, line: i as u64 + 1, message });
        }
        self.read(sources, None, |column, name, seen| each(self.regions[column], name, seen))
    }

    /// The prices of one column, or of all. Rows end with their last price: what would follow is empty.
    fn read(
        &self,
        sources: &Sources,
        only: Option<usize>,
        mut each: impl FnMut(usize, &str, HourlyPrice),
    ) -> Result<(), TableError> {
        let cells = COLUMNS.split(',').count();
        let names: Vec<&str> = COLUMNS.split(',').collect();
        let mut row = Vec::with_capacity(cells);
        for (i, text) in self.text.lines().enumerate().skip(1) {
            let mut all = text.split(',');
            row.clear();
            row.extend(all.by_ref().take(cells));
            let mut prices = all.enumerate().filter(|(_, cell)| !cell.is_empty()).peekable();
            if let Some(only) = only {
                while prices.next_if(|(column, _)| *column < only).is_some() {}
                if prices.peek().is_none_or(|(column, _)| *column > only) {
                    continue;
                }
            }
            let mut line = Line::new(self.name, i as u64 + 1, &names, &row);
            let name = line.text();
            if name.is_empty() {
                return Err(line.error("is empty"));
            }
            let engine = line.maybe()?;
            let term = line.one_of(&TERMS)?;
            let provenance = line.provenance(sources)?;
            for (column, cell) in prices.take(if only.is_some() { 1 } else { usize::MAX }) {
                let usd = cell.parse().map(Usd).map_err(|_| {
                    let region = self.regions.get(column).copied().unwrap_or_default();
                    line.error(&format!("is followed by `{cell}` for {region}, which does not parse"))
                })?;
                each(column, name, HourlyPrice { engine, term, usd, provenance: provenance.clone() });
            }
        }
        Ok(())
    }
}
