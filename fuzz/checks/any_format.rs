//! Files of every format: what is read is valid, and what is not is told on one line.

use ingest::{InputFile, InputFormat, ReadOptions, formats};
use units::Nanos;

/// Reads the bytes as a file of a format, and as two.
pub(crate) fn read_as(name: &str, bytes: &[u8]) {
    let format = formats::named(name).expect("a format of the table");
    check(format, &[InputFile::new("file", bytes)]);
    if format.samples() {
        let (one, other) = bytes.split_at(bytes.len() / 2);
        check(format, &[InputFile::new("one", one), InputFile::new("other", other)]);
    }
}

fn check(format: &'static dyn InputFormat, files: &[InputFile]) {
    let options = ReadOptions { interval: Some(Nanos::secs(60)), ..ReadOptions::default() };
    match formats::read(format, files, &options) {
        Ok(timeline) => timeline.validate().expect("what was read is valid"),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}

/// Recognises the bytes and reads them as what they are, with their devices folded.
pub(crate) fn recognised(bytes: &[u8]) {
    let options = ReadOptions { interval: Some(Nanos::secs(60)), ..ReadOptions::default() };
    match formats::read_any(&[InputFile::new("file", bytes)], &options) {
        Ok((format, mut timeline)) => {
            let options = ingest::stack::StackOptions {
                mapper_names: format.has_mapper_names(),
                ..ingest::stack::StackOptions::default()
            };
            ingest::stack::fold(&mut timeline, &options).expect("nothing was chosen");
            timeline.validate().expect("what is left is valid");
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}
