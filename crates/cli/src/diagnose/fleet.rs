//! Many volumes, each with its verdicts: a table of what is at risk and what could be saved.

use diagnose::{Finding, FindingKind};
use disk::Disk;
use serde::{Serialize, Serializer};
use units::Usd;

use crate::output::{Output, bold};
use crate::table::{Table, WIDTH, wrap};

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Fleet {
    rows: Vec<Row>,
}

/// All of them as JSON.
#[derive(Serialize)]
struct Document<'f> {
    monthly_usd_delta: f64,
    volumes: &'f [Row],
    wrong: usize,
}

/// One volume.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    #[serde(rename = "volume")]
    id: String,
    name: Option<String>,
    disk: String,
    /// The first verdict, which weighs most.
    kind: FindingKind,
    /// What the remedy adds to a month.
    #[serde(rename = "monthly_usd_delta", serialize_with = "number")]
    monthly: Option<Usd>,
    #[serde(skip)]
    remedy: Option<String>,
    /// All of them, where they are to be told.
    verdicts: Vec<Finding>,
}

impl Row {
    /// A volume with its verdicts, the first of which counts; `None` without any. All are kept if they are wanted.
    pub(super) fn new(
        id: String,
        name: Option<String>,
        disk: &Disk,
        verdicts: Vec<Finding>,
        all: bool,
    ) -> Option<Self> {
        let first = verdicts.first()?;
        Some(Self {
            id,
            name,
            disk: disk.to_string(),
            kind: first.kind,
            monthly: first.monthly,
            remedy: first.remedy.as_ref().map(|remedy| remedy.text.clone()),
            verdicts: if all { verdicts } else { Vec::new() },
        })
    }
}

impl Fleet {
    /// One more.
    pub(super) fn add(&mut self, row: Option<Row>) {
        self.rows.extend(row);
    }

    /// What is wrong first, then what saves most; a no if anything is wrong.
    pub(super) fn output(mut self, json: bool) -> Output {
        let price = |row: &Row| row.monthly.map_or(0.0, |usd| usd.0);
        self.rows.sort_by(|a, b| {
            b.kind.is_wrong().cmp(&a.kind.is_wrong()).then(price(a).total_cmp(&price(b))).then(a.id.cmp(&b.id))
        });
        let wrong = self.rows.iter().filter(|row| row.kind.is_wrong()).count();
        let saved: f64 = self.rows.iter().filter(|row| !row.kind.is_wrong()).map(|row| price(row).min(0.0)).sum();
        let output = if json {
            Output::json(&Document { monthly_usd_delta: saved, volumes: &self.rows, wrong })
        } else {
            Output::text(self.text(wrong, saved))
        };
        output.negative(wrong > 0)
    }

    fn text(&self, wrong: usize, saved: f64) -> String {
        let said = format!(
            "{} volumes, {wrong} with something wrong; without those, {:.2} USD a month could be saved.",
            self.rows.len(),
            -saved
        );
        let mut table = Table::new(&["volume", "disk", "verdict", "USD a month", "remedy"], &[3]);
        for row in &self.rows {
            let name = row.name.as_ref().map_or_else(|| row.id.clone(), |name| format!("{} ({name})", row.id));
            let usd = row.monthly.map_or(String::new(), |usd| format!("{:+.2}", usd.0));
            table.row([name, row.disk.clone(), row.kind.to_string(), usd, row.remedy.clone().unwrap_or_default()]);
        }
        format!("{}\n\n{table}", bold(&wrap(&said, WIDTH, 0)))
    }
}

fn number<S: Serializer>(usd: &Option<Usd>, serializer: S) -> Result<S::Ok, S::Error> {
    usd.map(|usd| usd.0).serialize(serializer)
}
