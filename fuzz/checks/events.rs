//! Files of events: whatever is read is told in words, and what is not read is refused in one line.

use simulate::EventScript;
use textfile::Text;

/// Reads the bytes as events.
pub(crate) fn events(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match EventScript::from_text(&Text::new("events.toml", text)) {
        Ok(script) => {
            let marks = script.marks();
            assert!(marks.is_sorted_by_key(|mark| mark.at));
            assert!(marks.iter().all(|mark| !mark.what.is_empty()));
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
}
