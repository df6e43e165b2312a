//! What a Timeline is of, as the JSON that all formats hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Fault;
use crate::TimelineInfo;

/// The version of the formats. One that a reader would misread gets the next number.
const VERSION: u32 = 1;

/// [`About`] as files hold it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Written<'a> {
    #[serde(default = "version")]
    version: u32,
    #[serde(default)]
    title: Cow<'a, str>,
    #[serde(default)]
    start: Option<jiff::Timestamp>,
    #[serde(default)]
    notes: Cow<'a, BTreeMap<String, String>>,
}

fn version() -> u32 {
    VERSION
}

impl Default for Written<'_> {
    fn default() -> Self {
        Self { version: VERSION, title: Cow::default(), start: None, notes: Cow::default() }
    }
}

impl<'a> Written<'a> {
    /// Record of a Timeline's description.
    pub(super) fn of(about: &'a TimelineInfo) -> Self {
        let (title, notes) = (Cow::Borrowed(about.title.as_str()), Cow::Borrowed(&about.notes));
        Self { version: VERSION, title, start: about.start, notes }
    }

    /// Text of the record.
    pub(super) fn text(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    /// From text.
    pub(super) fn parse(text: &'a str) -> Result<Self, Fault> {
        serde_json::from_str(text).map_err(|error| Fault::from(format!("what the Timeline is of: {error}")))
    }

    /// Description from the record.
    pub(super) fn about(self) -> Result<TimelineInfo, Fault> {
        if self.version != VERSION {
            let version = self.version;
            return Err(
                format!("has format version {version}, expected {VERSION}: read it with a newer diskwright").into()
            );
        }
        Ok(TimelineInfo { title: self.title.into_owned(), start: self.start, notes: self.notes.into_owned() })
    }
}
