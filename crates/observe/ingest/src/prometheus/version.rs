//! Which releases a cluster runs, as it tells itself. TiKV has no such metric; PD and TiDB do, and the three are released together.

use std::collections::BTreeSet;

use catalog::Release;

use super::ask::Ask;
use crate::GatherError;

/// The note in which a Timeline tells them, with commas between.
pub(super) const NOTE: &str = "release";

/// The releases of PD in a range that ends at `at`, oldest first; none where no PD tells.
pub(super) fn running(server: &dyn Ask, selector: &str, span: u64, at: u64) -> Result<Vec<Release>, GatherError> {
    // pd server/metrics.go: the labels are `version` and `hash`.
    let query = format!("max by (version) (max_over_time(pd_server_info{{{selector}}}[{span}s]))");
    let found = server.instant(query, at)?.0;
    let told: BTreeSet<Release> =
        found.iter().filter_map(|found| found.labels.get("version")?.parse::<Release>().ok()).collect();
    Ok(told.into_iter().collect())
}
