//! Histories as files.

use proptest::prelude::*;

use super::generate::{Shape, made};
use crate::History;

proptest! {
    #[test]
    fn a_history_is_read_as_it_was_written(clients in 1u32..5, operations in 0u32..10, unknown in 0.0..0.5, seed: u64) {
        let shape = Shape { clients, operations, slowness: 9, values: None, unknown, deletes: 0.2, writes: 0.7 };
        let history: History = made(shape, seed).into_iter().collect();
        let mut file = Vec::new();
        history.write(&mut file).unwrap();
        prop_assert_eq!(History::read(file.as_slice()).unwrap(), history);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n{}\":]{0,200}") {
        let _ = History::read(text.as_bytes());
    }
}

#[test]
fn a_line_is_plain_json() {
    let line = r#"{"client":3,"key":"k","call":{"compare-and-swap":{"expected":null,"value":"a"}},"outcome":{"swapped":{"succeeded":true,"previous":null}},"called":5,"answered":9}"#;
    let history = History::read(line.as_bytes()).unwrap();
    let mut file = Vec::new();
    history.write(&mut file).unwrap();
    assert_eq!(String::from_utf8(file).unwrap().trim_end(), line);
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    let error = |text: &str| History::read(text.as_bytes()).unwrap_err().to_string();
    let wrong = r#"{"client":3,"key":"k","call":"get","outcome":"done","called":5,"answered":9}"#;
    assert!(error(&format!("\n{wrong}")).contains("line 2 of the history: get cannot end as was done"));
    let early = r#"{"client":3,"key":"k","call":"delete","outcome":"done","called":5,"answered":4}"#;
    assert!(error(early).contains("answered at 4 ns, before it was called at 5 ns"));
    assert!(error("{").starts_with("line 1 of the history: "));
}
