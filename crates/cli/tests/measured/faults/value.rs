//! Values as clients write them: a name that is written once, and a filling that follows from it, so that a value that came
//! back damaged is no value that anybody wrote.

use bytes::Bytes;

/// The value of a name. Most are small, and a few so large that they fill buffers.
pub(crate) fn value(name: &str) -> Bytes {
    // FNV-1a.
    let hash =
        name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let filling = if hash % 50 == 0 { 20_000 } else { hash / 50 % 300 };
    let mut text = format!("{name}|");
    text.extend((0..filling).map(|place| char::from(b'a' + ((hash ^ place) % 26) as u8)));
    text.into()
}

/// The name of a value.
pub(crate) fn name(held: &[u8]) -> String {
    let text = String::from_utf8_lossy(held);
    let name = text.split('|').next().unwrap_or_default();
    if value(name) == held {
        return name.to_owned();
    }
    format!("damaged: {} bytes, {}", held.len(), text.chars().take(60).collect::<String>())
}

/// The key of a name: names of different first bytes lie in different regions.
pub(crate) fn key(first: u8, name: &str) -> Bytes {
    [&[first], name.as_bytes()].concat().into()
}

#[test]
fn a_damaged_value_is_nobodys() {
    for count in 0..200 {
        let whole = value(&format!("c1-{count}"));
        assert_eq!(name(&whole), format!("c1-{count}"));
        assert!(name(&whole[..3]).starts_with("damaged: 3 bytes"));
    }
    assert!(name(b"").starts_with("damaged"));
}
