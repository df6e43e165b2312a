//! How people write the sizes of values: `4KiB`, `uniform:1KiB..64KiB`, `zipfian:100B..32KiB`.

use std::fmt;
use std::str::FromStr;

use units::{Bytes, Interval};

use super::values::{LARGEST, ValueSizes};

/// A text that tells no sizes of values; says what was given, what was expected, and examples.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} (right are 4KiB, uniform:1KiB..64KiB, zipfian:100B..32KiB)")]
pub struct ParseSizesError(String);

/// Distributions by their names, which are YCSB's.
const NAMES: [&str; 2] = ["uniform", "zipfian"];

impl FromStr for ValueSizes {
    type Err = ParseSizesError;

    /// One size for all values; or a distribution's name, a colon and the least and the largest size, both included.
    fn from_str(text: &str) -> Result<Self, ParseSizesError> {
        parse(text.trim()).map_err(ParseSizesError)
    }
}

impl fmt::Display for ValueSizes {
    /// The text that is read back as the same sizes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |size: u32| Bytes(size.into());
        match *self {
            Self::Constant(size) => write!(f, "{}", bytes(size)),
            Self::Uniform(low, high) => write!(f, "uniform:{}..{}", bytes(low), bytes(high)),
            Self::Zipfian(low, high) => write!(f, "zipfian:{}..{}", bytes(low), bytes(high)),
        }
    }
}

fn parse(text: &str) -> Result<ValueSizes, String> {
    let sizes = match text.split_once(':') {
        Some((name, range)) => drawn(name.trim(), range)?,
        // Of a figure in a workload file a range says that it is uncertain; here nothing may be left to guess.
        None if text.contains("..") => {
            return Err(format!("`{text}` does not say how sizes are drawn: expected uniform: or zipfian: before it"));
        }
        None => ValueSizes::Constant(size(text.parse::<Bytes>().map_err(|error| error.to_string())?)?),
    };
    sizes.check().map_err(|error| format!("`{text}`: values {}", error.message))?;
    Ok(sizes)
}

fn drawn(name: &str, range: &str) -> Result<ValueSizes, String> {
    let sizes: fn(u32, u32) -> ValueSizes = match name {
        "uniform" => ValueSizes::Uniform,
        "zipfian" => ValueSizes::Zipfian,
        _ => return Err(format!("`{name}` is no distribution of sizes; {}", textfile::did_you_mean(name, &NAMES))),
    };
    if !range.contains("..") {
        return Err(format!("`{name}:{range}` has one size; expected two, the smaller first"));
    }
    let range = range.parse::<Interval<Bytes>>().map_err(|error| error.to_string())?;
    Ok(sizes(size(range.low())?, size(range.high())?))
}

fn size(bytes: Bytes) -> Result<u32, String> {
    u32::try_from(bytes.0).map_err(|_| {
        format!("values of {bytes} are too large; expected at most {LARGEST} bytes, which one raft entry holds")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them_and_written_so_that_they_are_read_back() {
        let expected = [
            ("4KiB", ValueSizes::Constant(4096)),
            ("100", ValueSizes::Constant(100)),
            ("uniform:1KiB..64KiB", ValueSizes::Uniform(1024, 65536)),
            ("uniform: 1kB .. 1.5KiB", ValueSizes::Uniform(1000, 1536)),
            ("uniform:4KiB..4KiB", ValueSizes::Uniform(4096, 4096)),
            (" zipfian:100B..32KiB ", ValueSizes::Zipfian(100, 32768)),
        ];
        for (text, sizes) in expected {
            assert_eq!(text.parse::<ValueSizes>(), Ok(sizes), "{text}");
            assert_eq!(sizes.to_string().parse::<ValueSizes>(), Ok(sizes), "{sizes}");
        }
        assert_eq!(ValueSizes::Zipfian(100, 32768).to_string(), "zipfian:100B..32KiB");
    }

    #[test]
    fn what_tells_no_sizes_is_refused_with_what_was_expected() {
        let expected: [(&str, &[&str]); 10] = [
            ("", &["is not a size"]),
            ("large", &["`large` is not a size"]),
            ("4KiBs", &["unknown unit `KiBs`"]),
            ("1KiB..64KiB", &["`1KiB..64KiB` does not say how sizes are drawn", "uniform: or zipfian:"]),
            ("unifrom:1KiB..2KiB", &["`unifrom` is no distribution", "did you mean `uniform`?"]),
            ("normal:1KiB..2KiB", &["`normal`", "expected one of uniform, zipfian"]),
            ("uniform:4KiB", &["`uniform:4KiB` has one size; expected two"]),
            ("zipfian:2KiB..1KiB", &["`2KiB..1KiB` is empty", "`1KiB..2KiB`"]),
            ("uniform:0B..1KiB", &["values may be empty; expected at least one byte"]),
            ("uniform:1KiB..5GiB", &["values of 5GiB are too large; expected at most"]),
        ];
        for (text, parts) in expected {
            let error = text.parse::<ValueSizes>().unwrap_err().to_string();
            for part in parts.iter().chain(&["uniform:1KiB..64KiB"]) {
                assert!(error.contains(part), "{text}: `{part}` is not in: {error}");
            }
        }
        let error = "8MiB".parse::<ValueSizes>().unwrap_err().to_string();
        assert!(error.contains("`8MiB`: values are up to 8388608 bytes; expected at most"), "{error}");
    }
}
