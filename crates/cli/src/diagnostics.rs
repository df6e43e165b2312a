//! Diagnostics: events of `tracing` from our crates, each a line on standard error.

use std::fmt::{Debug, Write};

use report::text::{red, yellow};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::output::complain;

/// Prefix of the targets of our events. Events of dependencies are not for users.
const TARGET: &str = "diskwright";

/// Prints diagnostics from now on.
pub(crate) fn print() {
    // Only a second subscriber of one program is refused.
    let _ = tracing::subscriber::set_global_default(StandardError);
}

/// Prints events: errors and warnings with that word before them, information as it is.
struct StandardError;

impl Subscriber for StandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::INFO && metadata.target().starts_with(TARGET)
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        complain(&line(event.metadata().level(), &message.0));
    }

    // No spans are enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn line(level: &Level, message: &str) -> String {
    match *level {
        Level::ERROR => format!("{} {message}", red("error:")),
        Level::WARN => format!("{} {message}", yellow("warning:")),
        _ => message.to_owned(),
    }
}

/// The message of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_and_a_warning_say_so_and_information_is_as_it_is() {
        let lines = [Level::ERROR, Level::WARN, Level::INFO].map(|level| line(&level, "m"));
        assert_eq!(lines.map(|line| report::text::plain(&line)), ["error: m", "warning: m", "m"]);
    }
}
