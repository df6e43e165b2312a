//! The answers of the verbs, each as text and as JSON with stable keys.

pub mod availability;
pub mod bench;
pub mod catalog;
pub mod check;
pub mod diagnose;
pub mod diagnose_page;
pub mod disks;
pub mod fleet;
pub mod mount;
pub mod pilot;
pub mod plan;
pub mod progress;
pub mod prove;
pub mod prove_json;
pub mod record;
pub mod render;
pub mod simulate;
pub mod sql_bench;
pub mod study;
pub mod sweep;
