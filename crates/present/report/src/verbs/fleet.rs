//! The answer of `diagnose cloudwatch --all`: a table of volumes.

use diagnose::DiagnosedFleet;

use crate::text::{Table, bold, line_width, wrap};

/// The volumes as text.
pub fn text(fleet: &DiagnosedFleet) -> String {
    let said = format!(
        "{} volumes, {} with something wrong; without those, {:.2} USD a month could be saved.",
        fleet.volumes.len(),
        fleet.wrong,
        -fleet.monthly.0
    );
    let mut table = Table::new(&["volume", "disk", "verdict", "USD a month", "remedy"], &[3]);
    for row in &fleet.volumes {
        let name = row.name.as_ref().map_or_else(|| row.id.clone(), |name| format!("{} ({name})", row.id));
        let usd = row.monthly.map_or(String::new(), |usd| format!("{:+.2}", usd.0));
        table.row([name, row.disk.clone(), row.kind.to_string(), usd, row.remedy.clone().unwrap_or_default()]);
    }
    format!("{}\n\n{table}", bold(&wrap(&said, line_width(), 0)))
}
