//! Serves disks as files over FUSE and answers every request at the time that the disk model says.

#![forbid(unsafe_code)]

mod attachment;
mod backing;
mod block;
mod buffers;
mod calibrate;
mod clock;
mod desk;
mod error;
mod files;
mod lane;
mod memory;
mod meter;
mod overhead;
mod passthrough;
mod priority;
mod room;
mod served;
mod server;
mod ticket;
mod view;
mod volatile;

pub use attachment::DiskAttachment;
pub use error::{ModifyFailure, ServeError};
pub use memory::guard_memory;
pub use server::{FuseServer, InstanceDisks};
