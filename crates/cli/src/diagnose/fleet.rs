//! Many volumes, each with its verdicts: a table of what is at risk and what could be saved.

use diagnose::{Kind, Verdict};
use disk::Disk;
use serde_json::{Value, json};
use units::Usd;

use crate::output::{Output, bold};
use crate::table::{Table, WIDTH, wrap};

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Fleet {
    rows: Vec<Row>,
}

/// One volume.
#[derive(Debug)]
struct Row {
    id: String,
    name: Option<String>,
    disk: String,
    /// The first verdict, which weighs most.
    kind: Kind,
    /// What the remedy adds to a month.
    monthly: Option<Usd>,
    remedy: Option<String>,
    verdicts: Value,
}

impl Fleet {
    /// One more.
    pub(super) fn add(&mut self, id: &str, name: Option<&str>, disk: &Disk, verdicts: &[Verdict]) {
        let Some(first) = verdicts.first() else { return };
        self.rows.push(Row {
            id: id.to_owned(),
            name: name.map(str::to_owned),
            disk: disk.to_string(),
            kind: first.kind,
            monthly: first.monthly,
            remedy: first.remedy.as_ref().map(|remedy| remedy.text.clone()),
            verdicts: json!(verdicts),
        });
    }

    /// What is wrong first, then what saves most; a no if anything is wrong.
    pub(super) fn output(mut self, json: bool) -> Output {
        let price = |row: &Row| row.monthly.map_or(0.0, |usd| usd.0);
        self.rows.sort_by(|a, b| {
            b.kind.is_wrong().cmp(&a.kind.is_wrong()).then(price(a).total_cmp(&price(b))).then(a.id.cmp(&b.id))
        });
        let wrong = self.rows.iter().filter(|row| row.kind.is_wrong()).count();
        let saved: f64 = self.rows.iter().filter(|row| !row.kind.is_wrong()).map(|row| price(row).min(0.0)).sum();
        let output =
            if json { Output::json(&self.document(wrong, saved)) } else { Output::text(self.text(wrong, saved)) };
        output.negative(wrong > 0)
    }

    fn document(&self, wrong: usize, saved: f64) -> Value {
        let row = |row: &Row| {
            json!({ "volume": row.id, "name": row.name, "disk": row.disk, "kind": row.kind.to_string(),
                    "monthly_usd_delta": row.monthly.map(|usd| usd.0), "verdicts": row.verdicts })
        };
        json!({ "volumes": self.rows.iter().map(row).collect::<Vec<_>>(), "wrong": wrong, "monthly_usd_delta": saved })
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
