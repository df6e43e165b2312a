//! The numbers that the published advice gives, from `tables/advice.toml`, each with its source.

use std::sync::LazyLock;

use serde::Deserialize;
use units::{Bytes, Nanos};

use crate::document::Why;

/// A number of the advice and where it is from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Piece<T> {
    pub(crate) value: T,
    pub(crate) source: String,
    pub(crate) link: String,
}

/// All of `tables/advice.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Advice {
    pub(crate) rate_limit_share: Piece<f64>,
    pub(crate) compaction_read_ahead: Piece<Bytes>,
    pub(crate) region_split_size: Piece<Bytes>,
    pub(crate) store_io_pool_size: Piece<i64>,
    pub(crate) tso_batch_wait_ms: Piece<u32>,
    pub(crate) tso_update_physical_interval: Piece<Nanos>,
    pub(crate) tso_requests: Piece<f64>,
    pub(crate) pd_nodes: Piece<u32>,
    pub(crate) sql_nodes: Piece<u32>,
    pub(crate) innodb_io_capacity_share: Piece<f64>,
    pub(crate) innodb_buffer_pool_share: Piece<f64>,
}

pub(crate) static ADVICE: LazyLock<Advice> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/advice.toml")).expect("the embedded table is tested"));

impl<T> Piece<T> {
    /// A reason with the link of the number.
    pub(crate) fn because(&self, text: impl Into<String>) -> Why {
        Why::new(text, self.link.clone())
    }
}
