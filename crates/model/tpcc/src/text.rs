//! Names and other texts that the standard composes (clause 4.3.2).

use crate::TpccRandom;

/// Syllables of last names, by digit (4.3.2.3).
const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// The last name of a number from 0 to 999: a syllable for each of its three digits.
pub fn last_name(number: i64) -> String {
    [100, 10, 1].map(|place| SYLLABLES[(number / place % 10).unsigned_abs() as usize]).concat()
}

/// A zip code: four random digits and five ones (4.3.2.7).
pub(crate) fn zip(random: &mut TpccRandom) -> String {
    random.digits(4..=4) + "11111"
}

/// The word by which New-Order knows a brand (2.4.2.2).
pub(crate) const ORIGINAL: &str = "ORIGINAL";

/// The data of an item or a stock: one in ten has [`ORIGINAL`] somewhere in it (4.3.3.1).
pub(crate) fn data(random: &mut TpccRandom) -> String {
    let mut data = random.letters(26..=50);
    if random.percent(10) {
        let at = random.within(0..=(data.len() - ORIGINAL.len()) as i64) as usize;
        data.replace_range(at..at + ORIGINAL.len(), ORIGINAL);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_name_is_its_three_digits() {
        // The standard's own example, 4.3.2.3.
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
    }

    #[test]
    fn one_in_ten_data_is_original_and_all_keep_their_length() {
        let random = &mut TpccRandom::new(7, 0);
        let all: Vec<_> = (0..20_000).map(|_| data(random)).collect();
        assert!(all.iter().all(|data| (26..=50).contains(&data.len())));
        let original = all.iter().filter(|data| data.contains(ORIGINAL)).count();
        assert!((1800..2200).contains(&original), "{original}");
    }
}
