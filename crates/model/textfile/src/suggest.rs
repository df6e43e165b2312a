//! The name that was probably meant.

use strsim::damerau_levenshtein;

/// Names longer than this are not compared: no key or type is.
const LONGEST: usize = 64;

/// The candidate nearest to `name`, if no more than a third of the letters must change.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase().replace('_', "-");
    let distance = |candidate: &str| damerau_levenshtein(&name, &candidate.to_lowercase().replace('_', "-"));
    let nearest = candidates.into_iter().map(|candidate| (distance(candidate), candidate)).min_by_key(|(d, _)| *d)?;
    let length = name.chars().count().max(nearest.1.chars().count());
    (nearest.0 <= length.max(3) / 3 && nearest.0 < length).then_some(nearest.1)
}

/// Help for an unknown name: the one probably meant, else all of them.
pub fn did_you_mean(name: &str, candidates: &[&str]) -> String {
    match suggest(name, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("expected one of {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        let known = ["warehouses", "clients", "value-size"];
        assert_eq!(suggest("warehoses", known), Some("warehouses"));
        assert_eq!(suggest("cleints", known), Some("clients"));
        assert_eq!(suggest("value_size", known), Some("value-size"));
    }

    #[test]
    fn a_foreign_name_gets_the_whole_list() {
        assert_eq!(suggest("colour", ["warehouses", "clients"]), None);
        assert_eq!(did_you_mean("c", &["a", "b"]), "expected one of a, b");
    }
}
