//! Where the key space is cut into regions.

use std::path::Path;

use crate::error::PdError;
use crate::hex;

/// Regions that are cut by their first two bytes: no more.
const MOST: u32 = 65_536;

/// The keys at which `regions` regions of equal share of the first two bytes begin, but for the first.
pub(crate) fn evenly(regions: u32) -> Result<Vec<Vec<u8>>, PdError> {
    if !(1..=MOST).contains(&regions) {
        return Err(PdError::Input(format!(
            "--regions {regions}: expected 1 to {MOST}, for regions are cut by the first two bytes of their keys; \
             finer cuts are given with --split-keys"
        )));
    }
    let cut = |i: u32| ((u64::from(i) * u64::from(MOST) / u64::from(regions)) as u16).to_be_bytes().to_vec();
    Ok((1..regions).map(cut).collect())
}

/// Reads keys, one a line in hexadecimal digits, in rising order.
pub(crate) fn from_file(path: &Path) -> Result<Vec<Vec<u8>>, PdError> {
    // All keys that cut regions, at their longest, are a part of it.
    let text = textfile::read_text(path, textfile::LIMIT * 64);
    let text = text.map_err(|error| PdError::Input(format!("--split-keys {error}")))?;
    parse(text.content()).map_err(|what| PdError::Input(format!("--split-keys {}: {what}", path.display())))
}

fn parse(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), i + 1);
        if line.is_empty() {
            continue;
        }
        let key = hex::parse(line).ok_or_else(|| {
            format!("line {number}: expected a key in hexadecimal digits such as 75736572, found {line:?}")
        })?;
        match keys.last() {
            Some(last) if *last == key => return Err(format!("line {number}: {line} is there twice: remove one")),
            Some(last) if *last > key => {
                return Err(format!("line {number}: {line} sorts before the line above it: sort the keys"));
            }
            _ => keys.push(key),
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn even_cuts_rise_and_are_as_many_as_asked_for(regions in 1..=MOST) {
            let keys = evenly(regions).unwrap();
            prop_assert_eq!(keys.len() as u32 + 1, regions);
            prop_assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(keys.iter().all(|key| key.as_slice() > [0, 0].as_slice()));
        }
    }

    #[test]
    fn no_regions_and_too_many_are_refused() {
        assert_eq!(evenly(0).unwrap_err().exit_code(), 2);
        assert_eq!(evenly(MOST + 1).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn split_keys_are_read_in_order() {
        assert_eq!(parse("61\n\n6162\nff\n").unwrap(), [&b"a"[..], b"ab", b"\xff"]);
        assert_eq!(parse("").unwrap(), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn a_wrong_line_is_named() {
        assert_eq!(parse("61\n61").unwrap_err(), "line 2: 61 is there twice: remove one");
        assert_eq!(parse("62\n61").unwrap_err(), "line 2: 61 sorts before the line above it: sort the keys");
        assert!(parse("user1").unwrap_err().starts_with("line 1: expected a key in hexadecimal digits"));
    }
}
