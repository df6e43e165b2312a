//! Why a deployment cannot be had.

use catalog::{CatalogError, Cloud};
use disk::DiskError;
use textfile::{InputError, Text};
use units::Bytes;
use workload::Engine;

/// A fault and the key at which it stands.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("`{key}`: {fault}")]
pub struct DeploymentError {
    /// The key, written with dots: `nodes.0.data`.
    pub key: String,
    /// Fault at the key.
    pub fault: DeploymentFault,
}

impl DeploymentError {
    /// The error of `fault` at `key`.
    pub(crate) fn new(key: impl Into<String>, fault: impl Into<DeploymentFault>) -> Self {
        Self { key: key.into(), fault: fault.into() }
    }

    /// The error with the line and column of its key in the text that the deployment was read from.
    pub fn locate(&self, text: &Text) -> InputError {
        text.error_at_key(&self.key, self.to_string())
    }
}

/// Fault of a deployment: its message has what was expected and what to try.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DeploymentFault {
    /// An unknown region or instance type, or a fact that is not known.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A disk that nobody sells.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Nobody holds data.
    #[error("no node holds data; add a [[nodes]] table with `role = \"storage\"`")]
    NoStorage,
    /// A count beyond what is worked with.
    #[error("{given} is more than {most}, the most {what} that are worked with ({source_text}); write {most} or less")]
    TooMany {
        /// Given number, or the sum of the groups up to this one.
        given: u64,
        /// The most.
        most: u32,
        /// Nodes, zones or replicas.
        what: &'static str,
        /// Where the bound comes from.
        source_text: &'static str,
    },
    /// Zero where at least one is needed.
    #[error("must be more than zero; write 1 or more, or remove the key or its table")]
    Zero,
    /// A node that keeps data, without a data disk.
    #[error("a node that keeps data needs a data disk; add `data = \"gp3:1000GiB\"`")]
    NoDataDisk,
    /// An instance or a disk of another cloud than the region.
    #[error("`{name}` is of {its}, but the region `{region}` is of {cloud}; choose both from one cloud")]
    OtherCloud {
        /// The instance or disk type.
        name: String,
        /// Its cloud.
        its: Cloud,
        /// The region.
        region: String,
        /// The region's cloud.
        cloud: Cloud,
    },
    /// Zones that get no node.
    #[error("{zones} zones, but only {nodes} storage nodes to spread over them; add nodes or use {nodes} zones")]
    TooManyZones {
        /// Asked.
        zones: u32,
        /// Storage nodes.
        nodes: u32,
    },
    /// Copies that have no node of their own.
    #[error(
        "{replicas} replicas need as many storage nodes, there are {nodes}; add nodes or set `settings.replicas = {nodes}`"
    )]
    TooFewNodes {
        /// Copies of each range.
        replicas: u32,
        /// Storage nodes.
        nodes: u32,
    },
    /// More volumes than can be attached.
    #[error(
        "{volumes} volumes (the root disk among them) are more than the {most} that {instance} can attach; use fewer, larger volumes"
    )]
    TooManyVolumes {
        /// Volumes of the data and log disks, and the root disk.
        volumes: u32,
        /// The instance type.
        instance: String,
        /// Volumes that the instance can attach.
        most: u32,
    },
    /// Local disks and caches larger than the local flash.
    #[error("`nvme` disks and caches take {asked:.1}, but {instance} has {has:.1} of local flash; make them smaller")]
    LocalStoreTooSmall {
        /// All of them together.
        asked: Bytes,
        /// The instance type.
        instance: String,
        /// Its flash.
        has: Bytes,
    },
    /// Something that the engine does not have.
    #[error("{} has no `{what}`; remove it", .engine.facts().name)]
    NotOfEngine {
        /// The key or the value.
        what: &'static str,
        /// The engine.
        engine: Engine,
    },
    /// A size below which the engine does not start.
    #[error("{given} is less than {least}, {why}; write {least} or more")]
    TooSmall {
        /// Given value.
        given: Bytes,
        /// The smallest.
        least: Bytes,
        /// Where the limit comes from.
        why: String,
    },
    /// A size with which the engine does not start.
    #[error("{given} is more than {most}, {why}; write {most} or less")]
    TooLarge {
        /// Given value.
        given: Bytes,
        /// The largest.
        most: Bytes,
        /// Where the limit comes from.
        why: String,
    },
}
