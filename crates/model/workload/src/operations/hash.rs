//! The hash that scatters YCSB's keys.

/// The 64-bit FNV-1a hash of the number's eight bytes, lowest first, without its sign: YCSB's `Utils.hash`.
/// Source of the constants: Fowler, Noll, Vo, 64-bit offset basis and prime.
pub fn fnv(number: u64) -> u64 {
    const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x100_0000_01B3;
    let hash = number.to_le_bytes().iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    (hash as i64).unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_hash_as_in_ycsb() {
        // The first keys that every YCSB load writes.
        assert_eq!(fnv(0), 6_284_781_860_667_377_211);
        assert_eq!(fnv(1), 8_517_097_267_634_966_620);
    }
}
