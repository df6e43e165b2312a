//! A deployment as files that other tools read: settings, topologies, infrastructure, alarms and host scripts. Every value
//! carries its reason and the limit that it follows.

#![forbid(unsafe_code)]

mod advice;
mod alarms;
mod document;
mod error;
mod file;
mod format;
mod formats;
mod hosts;
mod keys;
mod names;
mod published;
mod rendered;
mod settings;
mod site;
#[cfg(test)]
mod testing;
mod traffic;
mod traps;
mod unfit;
mod version;
mod write;

pub use error::{RenderError, WriteError};
pub use file::RenderedFile;
pub use format::{FileFormat, UnknownFormat};
pub use keys::{ConfigKey, SettingError, SettingKind, SettingValue, SettingsTable};
pub use rendered::{RenderRequest, RenderResult, render};
pub use traffic::{TrafficEstimate, TrafficVariant, timestamps, traffic};
pub use version::{TikvVersion, UnknownVersion};
pub use write::{FileFate, WrittenFile, write};
