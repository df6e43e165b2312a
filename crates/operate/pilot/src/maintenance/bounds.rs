//! The numbers of `tables/maintenance.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use units::Nanos;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bound<T> {
    pub(super) value: T,
    #[cfg_attr(not(test), expect(dead_code, reason = "for those who read the table; a test sees that it is there"))]
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Bounds {
    pub(super) margin: Bound<Nanos>,
    pub(super) transfer: Bound<Nanos>,
    pub(super) most_transfers: Bound<u64>,
    pub(super) calm: Bound<Nanos>,
    pub(super) without_deadline: Bound<Nanos>,
    pub(super) pd_needs: Bound<Nanos>,
    pub(super) tidb_needs: Bound<Nanos>,
    pub(super) longest_event: Bound<Nanos>,
    pub(super) gone: Bound<Nanos>,
    pub(super) leaders_back: Bound<Nanos>,
    pub(super) again: Bound<Nanos>,
}

static BOUNDS: LazyLock<Bounds> = LazyLock::new(|| {
    toml::from_str(include_str!("../../tables/maintenance.toml"))
        .expect("tables that ship with the program are read by a test")
});

pub(super) fn bounds() -> &'static Bounds {
    &BOUNDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_reason() {
        let Bounds { margin, transfer, most_transfers, calm, without_deadline, pd_needs, tidb_needs, .. } = bounds();
        let Bounds { longest_event, gone, leaders_back, again, .. } = bounds();
        let spans =
            [margin, transfer, calm, without_deadline, pd_needs, tidb_needs, longest_event, gone, leaders_back, again];
        assert!(spans.iter().all(|bound| bound.value > Nanos(0) && bound.why.len() > 20));
        assert!(most_transfers.value > 0 && most_transfers.why.contains("README"));
    }
}
