//! What a cloud says that it will do to a machine: GCP's live migration, AWS's scheduled events and spot notices, Azure's
//! scheduled events. It listens and tells; what is done about it is the pilot's.

#![forbid(unsafe_code)]

pub mod aws;
pub mod azure;
mod board;
pub mod emulator;
mod error;
pub mod gcp;
mod notice;
mod table;
mod timing;
mod watch;
mod web;

pub use board::{ListenerThread, NoticeBoard};
pub use error::MaintenanceError;
pub use notice::{EventCertainty, MachineCloud, MaintenanceKind, MaintenanceNotice, NoticeState};
pub use timing::{DrainStart, begin};
pub use watch::{HeardNotices, NoticeChange, NoticeSource, NoticeWatch};
pub use web::{MachineMetadata, MetadataAnswer, MetadataQuery, MetadataService};
