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

pub use board::{Board, Listening};
pub use error::MaintenanceError;
pub use notice::{Certainty, Cloud, Kind, Notice, State};
pub use timing::{Begin, begin};
pub use watch::{Change, Heard, Source, Watch};
pub use web::{Answer, Ask, Metadata, Web};
