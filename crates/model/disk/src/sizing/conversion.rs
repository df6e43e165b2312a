//! Which types a volume can become in place, as data: `tables/conversion.csv`. A type outside the table becomes only a larger or
//! faster volume of its own.

use std::sync::LazyLock;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ConversionRow {
    kind: String,
    /// Types of one group become each other in place.
    group: String,
    /// `yes` where the type is offered in place of others of its group.
    target: String,
    /// The type of the group whose successor this is.
    replaces: Option<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

static TABLE: LazyLock<Vec<ConversionRow>> =
    LazyLock::new(|| crate::table::rows(include_str!("../../tables/conversion.csv")).collect());

/// The types that a volume of a type can become in place, in the order in which they are offered where no price is known.
pub(super) fn becomes(kind: &str) -> Vec<&str> {
    let group = TABLE.iter().find(|row| row.kind == kind).map(|row| &row.group);
    let targets = TABLE.iter().filter(|row| Some(&row.group) == group && row.target == "yes");
    let mut all: Vec<&str> = targets.map(|row| row.kind.as_str()).collect();
    if !all.contains(&kind) {
        all.insert(0, kind);
    }
    all
}

/// The type that its cloud offers in place of another.
pub fn successor(kind: &str) -> Option<&'static str> {
    TABLE.iter().find(|row| row.replaces.as_deref() == Some(kind)).map(|row| row.kind.as_str())
}

/// Whether a type is its cloud's successor of another: a volume becomes it for good.
pub fn replaces(kind: &str, other: &str) -> bool {
    successor(other) == Some(kind)
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;

    use super::*;

    #[test]
    fn every_row_is_of_one_clouds_types_and_has_a_source() {
        let view = Catalog::embedded().at(None);
        for row in TABLE.iter() {
            let cloud = view.volume(&row.kind).unwrap().cloud;
            for other in TABLE.iter().filter(|other| other.group == row.group) {
                assert_eq!(view.volume(&other.kind).unwrap().cloud, cloud, "{}", row.group);
            }
            assert!(!row.source.is_empty() && ["yes", "no"].contains(&row.target.as_str()), "{}", row.kind);
            let group_of = |kind: &str| TABLE.iter().find(|row| row.kind == kind).map(|row| row.group.as_str());
            assert!(row.replaces.iter().all(|kind| group_of(kind) == Some(&row.group)), "{}", row.kind);
            assert_eq!(TABLE.iter().filter(|other| other.kind == row.kind).count(), 1, "{}", row.kind);
        }
    }

    #[test]
    fn a_type_outside_the_table_stays_what_it_is() {
        assert_eq!(becomes("pd-ssd"), ["pd-ssd"]);
        assert_eq!(becomes("st1")[0], "st1");
        assert!(becomes("gp2").contains(&"gp3") && !becomes("gp2").contains(&"st1"));
        assert!(replaces("gp3", "gp2") && !replaces("gp2", "gp3") && !replaces("io2", "io1"));
    }
}
