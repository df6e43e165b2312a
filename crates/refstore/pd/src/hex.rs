//! Keys as people and JSON write them.

use std::fmt::Write;

/// Upper-case digits, as PD writes keys.
pub(crate) fn upper(key: &[u8]) -> String {
    let mut text = String::with_capacity(key.len() * 2);
    for byte in key {
        // Into memory nothing fails.
        let _ = write!(text, "{byte:02X}");
    }
    text
}

/// Either case; `None` if it is no whole number of bytes in hexadecimal digits.
pub(crate) fn parse(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits.chunks_exact(2).map(|pair| Some((digit(pair[0])? * 16 + digit(pair[1])?) as u8)).collect()
}

/// For `#[serde(with = "hex")]`.
pub(crate) fn serialize<S: serde::Serializer>(key: &bytes::Bytes, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&upper(key))
}

/// For `#[serde(with = "hex")]`.
pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bytes::Bytes, D::Error> {
    let text = <String as serde::Deserialize>::deserialize(from)?;
    let key = parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no hexadecimal key")))?;
    Ok(key.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_survives_being_written(key: Vec<u8>) {
            prop_assert_eq!(parse(&upper(&key)), Some(key.clone()));
            prop_assert_eq!(parse(&upper(&key).to_lowercase()), Some(key));
        }
    }

    #[test]
    fn what_is_not_hexadecimal_is_refused() {
        assert_eq!(["a", "0g", "+1", "é"].map(parse), [None, None, None, None]);
    }
}
