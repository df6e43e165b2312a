//! Names of resources: of letters that every system takes, and cut so that they stay apart.

/// Hexadecimal digits of the hash in a name that was cut.
const DIGITS: usize = 8;

/// A name in lower-case letters, digits and single dashes, which begins with a letter and ends with no dash; of any length.
pub(crate) fn plain(text: &str) -> String {
    let mut name = String::new();
    for c in text.to_ascii_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).trim_end_matches('-');
    if name.is_empty() { "diskwright".to_owned() } else { name.to_owned() }
}

/// A plain name of at most `limit` characters: one that is longer keeps its beginning and gets a hash of the whole, so that names
/// which differ at their ends stay different.
pub(crate) fn within(name: &str, limit: usize) -> String {
    if name.len() <= limit {
        return name.to_owned();
    }
    let hash = format!("{:016x}", fnv1a(name));
    let kept: String = name.chars().take(limit.saturating_sub(DIGITS + 1)).collect();
    format!("{}-{}", kept.trim_end_matches('-'), &hash[..DIGITS])
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo): the same on every machine and in every release.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // http://www.isthe.com/chongo/tech/comp/fnv: test vectors.
        assert_eq!(
            (fnv1a(""), fnv1a("a"), fnv1a("foobar")),
            (0xCBF2_9CE4_8422_2325, 0xAF63_DC4C_8601_EC8C, 0x8594_4171_F739_67E8)
        );
    }

    #[test]
    fn a_name_that_fits_stays_as_it_is() {
        assert_eq!(plain("TPC-C, 5,000 warehouses"), "tpc-c-5-000-warehouses");
        assert_eq!(plain("5 nodes (old)"), "nodes-old");
        assert_eq!((plain("…"), plain("")), ("diskwright".to_owned(), "diskwright".to_owned()));
        assert_eq!(within("raft-dedicated", 14), "raft-dedicated");
    }

    #[test]
    fn names_that_differ_only_where_they_are_cut_stay_apart() {
        let (one, other) =
            (within("orders-of-the-eastern-shop-blue", 20), within("orders-of-the-eastern-shop-green", 20));
        assert_ne!(one, other);
        assert!(one.starts_with("orders-of-t") && one.len() <= 20, "{one}");
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_name_that_kubernetes_takes(text in "\\PC{0,120}", limit in 12..50usize) {
            let name = within(&plain(&text), limit);
            prop_assert!(name.len() <= limit && !name.is_empty(), "{}", name);
            prop_assert!(name.starts_with(|c: char| c.is_ascii_lowercase()), "{}", name);
            prop_assert!(!name.ends_with('-') && !name.contains("--"), "{}", name);
            prop_assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", name);
        }
    }
}
