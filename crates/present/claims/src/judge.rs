//! Comparator of a published result with ours, one for all claims.

use crate::tolerance::Tolerance;
use crate::value::ClaimValue;

/// Verdict of the comparator.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimJudgement {
    /// `ours / published - 1` of the number that is furthest off; `None` for words and for thresholds, which have no error.
    pub relative_error: Option<f64>,
    /// How far ours is from a threshold, or from what was published where a range around it is accepted.
    pub distance: Option<ThresholdDistance>,
    /// Whether all values are near enough.
    pub holds: bool,
}

/// Distance of ours from the number that a threshold is about.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ThresholdDistance {
    /// What the number is.
    pub reference: ThresholdReference,
    /// The number.
    pub value: f64,
    /// `ours / value - 1`, of the number that is furthest off.
    pub relative: f64,
}

/// The number from which a distance is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ThresholdReference {
    /// The least or the greatest result that holds.
    Threshold,
    /// The published result, inside the range that holds.
    Published,
}

impl std::fmt::Display for ThresholdDistance {
    /// Such as `12.3 % above the threshold 1.5`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = if self.relative < 0.0 { "below" } else { "above" };
        let reference = match self.reference {
            ThresholdReference::Threshold => "threshold",
            ThresholdReference::Published => "published",
        };
        write!(f, "{:.1} % {side} the {reference} {}", self.relative.abs() * 100.0, self.value)
    }
}

/// Compares ours with what was published.
pub fn judge(published: &str, ours: &ClaimValue, tolerance: Tolerance) -> ClaimJudgement {
    let unlike = ClaimJudgement { relative_error: None, distance: None, holds: false };
    match ours {
        ClaimValue::Words(ours) => {
            let theirs = parts(published, ours.len());
            let same = theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(a, b)| plain(a) == plain(b));
            ClaimJudgement { holds: tolerance == Tolerance::Same && same, ..unlike }
        }
        ClaimValue::Numbers(ours) => {
            let theirs = parts(published, ours.len());
            let pairs: Option<Vec<(&str, f64, f64)>> =
                theirs.iter().zip(ours).map(|(text, ours)| Some((*text, text.parse().ok()?, *ours))).collect();
            let Some(pairs) = pairs.filter(|pairs| pairs.len() == ours.len() && pairs.len() == theirs.len()) else {
                return unlike;
            };
            let distances = pairs.iter().map(|(_, theirs, ours)| {
                let (reference, value) = reference(*theirs, tolerance);
                ThresholdDistance { reference, value, relative: ours / value - 1.0 }
            });
            let furthest = distances
                .max_by(|a, b| a.relative.abs().total_cmp(&b.relative.abs()))
                .filter(|distance| distance.relative.is_finite());
            let threshold = tolerance.is_threshold();
            ClaimJudgement {
                relative_error: furthest.filter(|_| !threshold).map(|furthest| furthest.relative),
                distance: furthest.filter(|_| threshold),
                holds: pairs.iter().all(|(text, theirs, ours)| near(text, *theirs, *ours, tolerance)),
            }
        }
    }
}

/// The number with which ours is compared.
fn reference(published: f64, tolerance: Tolerance) -> (ThresholdReference, f64) {
    match tolerance {
        Tolerance::AtLeast | Tolerance::GreaterThan(None) | Tolerance::LessThan(None) => {
            (ThresholdReference::Threshold, published)
        }
        Tolerance::GreaterThan(Some(than)) | Tolerance::LessThan(Some(than)) => (ThresholdReference::Threshold, than),
        Tolerance::Between(..)
        | Tolerance::HalfTheSize
        | Tolerance::Share(_)
        | Tolerance::Difference(_)
        | Tolerance::Same => (ThresholdReference::Published, published),
    }
}

/// The published values, separated by `;`; or by ` / `, or by `;` and `->`, where that gives as many as ours has.
fn parts(published: &str, ours: usize) -> Vec<&str> {
    fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
        text.split(separator).map(str::trim).collect()
    }
    let semicolons = split(published, ";");
    let arrows = semicolons.iter().flat_map(|part| split(part, "->")).collect();
    let all = [semicolons.clone(), split(published, " / "), arrows];
    all.into_iter().find(|parts| parts.len() == ours).unwrap_or(semicolons)
}

/// The text in lower case, with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether one number is near enough to the published one, whose text has its digits.
fn near(text: &str, theirs: f64, ours: f64, tolerance: Tolerance) -> bool {
    // Rounding in the last bits does not decide.
    let within = |limit: f64| (ours - theirs).abs() <= limit * (1.0 + 1e-9) + theirs.abs() * 1e-12;
    match tolerance {
        Tolerance::Share(share) => within(share * theirs.abs()),
        Tolerance::Difference(difference) => within(difference),
        Tolerance::AtLeast => ours >= theirs,
        Tolerance::HalfTheSize => ours * theirs.signum() >= theirs.abs() / 2.0,
        Tolerance::GreaterThan(than) => ours > than.unwrap_or(theirs),
        Tolerance::LessThan(than) => ours < than.unwrap_or(theirs),
        Tolerance::Between(low, high) => (low..=high).contains(&ours),
        Tolerance::Same => {
            let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
            within(0.5 * 10_f64.powi(-decimals))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(published: &str, ours: &[f64], tolerance: &str) -> bool {
        judge(published, &ClaimValue::Numbers(ours.to_vec()), tolerance.parse().unwrap()).holds
    }

    #[test]
    fn a_percentage_is_of_each_published_number() {
        assert!(holds("35 / 1050", &[35.7, 1029.0], "2%"));
        assert!(!holds("35 / 1050", &[35.7, 1028.0], "2%"));
        assert!(!holds("100", &[102.1], "2%"));
    }

    #[test]
    fn a_bare_number_is_a_difference_in_the_unit() {
        assert!(holds("0.40", &[0.37], "0.03") && holds("0.40", &[0.43], "0.03"));
        assert!(!holds("0.40", &[0.369], "0.03"));
        assert!(holds("3000", &[3000.0], "0") && !holds("3000", &[3001.0], "0"));
    }

    #[test]
    fn directions_are_strict_except_at_least() {
        assert!(holds("10", &[10.0], "at least") && !holds("10", &[9.9], "at least"));
        assert!(!holds("1", &[1.0], "greater than") && holds("1", &[1.01], "greater than"));
        assert!(!holds("1", &[1.4], "greater than 1.5") && holds("1", &[1.6], "greater than 1.5"));
        assert!(holds("1", &[0.9], "less than") && !holds("1", &[1.0], "less than"));
        assert!(holds("1", &[1.3], "0.9 to 1.3") && !holds("1", &[1.31], "0.9 to 1.3"));
    }

    #[test]
    fn numbers_read_are_the_same_in_the_digits_published() {
        assert!(holds("209031; 13.3", &[209030.67, 13.33], "read it"));
        assert!(!holds("209031; 13.3", &[209030.67, 13.4], "read it"));
    }

    #[test]
    fn an_arrow_parts_what_was_before_from_what_came_of_it() {
        assert!(holds("8000->9400; 11.3->9.2", &[8100.0, 9300.0, 11.3, 9.2], "2%"));
        assert!(!holds("8000->9400; 11.3->9.2", &[9400.0, 8000.0, 11.3, 9.2], "2%"));
    }

    #[test]
    fn too_few_and_too_many_values_do_not_hold() {
        assert!(!holds("1; 2", &[1.0], "1%"));
        assert!(!holds("1; 2", &[1.0, 2.0, 3.0], "1%"));
        assert!(!holds("1", &[], "1%") && !holds("gp3", &[1.0], "1%") && !holds("1", &[f64::NAN], "1%"));
    }

    #[test]
    fn words_are_the_same_but_for_case_and_space_and_never_near() {
        let words = |published, ours: &[&str], tolerance: &str| {
            judge(published, &ClaimValue::words(ours), tolerance.parse().unwrap()).holds
        };
        assert!(words("AWS gp3;  GCP pd-ssd", &["aws gp3", "GCP pd-ssd"], "same"));
        assert!(words("by hand / re-attached", &["by hand", "re-attached"], "same"));
        assert!(words("99.8 / 250; 99.9 / 125", &["99.8 / 250", "99.9 / 125"], "same"));
        assert!(!words("gp3", &["gp2"], "same") && !words("gp3", &["gp3", "io1"], "same"));
        assert!(!words("gp3", &["gp3"], "15%"));
    }

    #[test]
    fn the_error_is_that_of_the_worst_value() {
        let judgement = judge("100; 200", &ClaimValue::Numbers(vec![101.0, 190.0]), Tolerance::Share(0.1));
        assert!((judgement.relative_error.unwrap() + 0.05).abs() < 1e-12 && judgement.holds);
        assert_eq!(judgement.distance, None);
    }

    fn judged(published: &str, ours: f64, tolerance: &str) -> ClaimJudgement {
        judge(published, &ClaimValue::number(ours), tolerance.parse().unwrap())
    }

    #[test]
    fn a_threshold_has_a_distance_and_no_error() {
        for (tolerance, ours, reference, value) in [
            ("at least", 12.0, ThresholdReference::Threshold, 10.0),
            ("greater than", 12.0, ThresholdReference::Threshold, 10.0),
            ("greater than 8", 12.0, ThresholdReference::Threshold, 8.0),
            ("less than 20", 12.0, ThresholdReference::Threshold, 20.0),
            ("5 to 15", 12.0, ThresholdReference::Published, 10.0),
            ("direction and half the size", 12.0, ThresholdReference::Published, 10.0),
        ] {
            let judgement = judged("10", ours, tolerance);
            assert_eq!((judgement.relative_error, judgement.holds), (None, true), "{tolerance}");
            let distance = judgement.distance.unwrap();
            assert_eq!((distance.reference, distance.value), (reference, value), "{tolerance}");
            assert!((distance.relative - (ours / value - 1.0)).abs() < 1e-12, "{tolerance}");
        }
    }

    #[test]
    fn a_threshold_that_is_missed_has_no_error_either() {
        let judgement = judged("10", 9.0, "at least");
        assert_eq!((judgement.relative_error, judgement.holds), (None, false));
        assert!((judgement.distance.unwrap().relative + 0.1).abs() < 1e-12);
    }
}
