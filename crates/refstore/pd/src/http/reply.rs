//! Answers, formatted as PD's.

use serde::Serialize;

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Reply {
    /// An indented document, as most are.
    pub(super) fn json(status: u16, document: &impl Serialize) -> Self {
        match serde_json::to_string_pretty(document) {
            Ok(text) => Self { status, kind: "application/json; charset=UTF-8", body: escaped(text) + "\n" },
            Err(error) => Self::text(500, &error.to_string()),
        }
    }

    /// A text, which is a document too.
    pub(super) fn text(status: u16, text: &str) -> Self {
        Self::json(status, &text)
    }

    /// A document without blanks: PD writes regions so, under this type.
    pub(super) fn compact(document: &impl Serialize) -> Self {
        match serde_json::to_string(document) {
            Ok(text) => Self { status: 200, kind: "application/octet-stream", body: escaped(text) },
            Err(error) => Self::text(500, &error.to_string()),
        }
    }

    /// A document as the second version of the API writes it.
    pub(super) fn v2(status: u16, document: &impl Serialize) -> Self {
        Self { status, kind: "application/json; charset=utf-8", ..Self::compact(document) }
    }

    /// Prometheus' format.
    pub(super) fn metrics(body: String) -> Self {
        Self { status: 200, kind: "text/plain; version=0.0.4; charset=utf-8", body }
    }

    /// There is nothing of that name.
    pub(super) fn nowhere() -> Self {
        Self { status: 404, kind: "text/plain; charset=utf-8", body: "404 page not found\n".to_owned() }
    }
}

/// Go escapes what HTML could take for markup; outside of texts these do not occur.
fn escaped(text: String) -> String {
    if !text.contains(['<', '>', '&']) {
        return text;
    }
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
