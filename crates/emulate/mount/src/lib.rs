//! Cloud disks as block devices and filesystems of this machine: served over FUSE by a daemon for each node, attached as
//! loop devices, formatted and mounted.

#![forbid(unsafe_code)]

mod abort;
mod activity;
mod backing;
mod check;
mod clear;
mod client;
pub mod daemon;
mod down;
mod error;
mod files;
mod filesystem;
mod holders;
mod home;
mod in_use;
mod loops;
mod mounts;
mod node;
mod plan;
mod process;
mod processes;
mod protocol;
mod recording;
mod request;
mod system;
mod unmount;
mod unrecorded;
mod up;

pub use activity::{MountedActivity, MountedNodeRates};
pub use client::{AcceptedModification, CounterReading, DaemonClient};
pub use down::down;
pub use error::MountError;
pub use filesystem::Filesystem;
pub use home::MountHome;
pub use in_use::FilesystemHolder;
pub use node::{MountedDisk, MountedNode, find, nodes};
pub use recording::{RecordedDisk, recorded_disks, recorded_timeline, sampled_timeline};
pub use request::{DiskRequest, MountRequest};
pub use unrecorded::{DiskDaemon, unrecorded};
pub use up::up;
