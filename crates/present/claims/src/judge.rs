//! One comparator for all claims: a published result, ours, and how near they must be.

use std::str::FromStr;

/// A result as we computed it.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimValue {
    /// Numbers in the published order and unit.
    Numbers(Vec<f64>),
    /// Names or states, in the published order.
    Words(Vec<String>),
}

impl ClaimValue {
    /// One number.
    pub fn number(value: f64) -> Self {
        Self::Numbers(vec![value])
    }

    /// Several names or states.
    pub fn words<T: ToString>(words: impl IntoIterator<Item = T>) -> Self {
        Self::Words(words.into_iter().map(|word| word.to_string()).collect())
    }
}

impl std::fmt::Display for ClaimValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = match self {
            Self::Numbers(numbers) => numbers.iter().map(|number| significant(*number)).collect(),
            Self::Words(words) => words.clone(),
        };
        f.write_str(&words.join("; "))
    }
}

/// Up to five digits, or all before the point.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let decimals = (4 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How near ours must be to what was published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// `15%`: relative, of each number.
    Share(f64),
    /// `0.03`: in the published unit.
    Difference(f64),
    /// `at least`: not less than published.
    AtLeast,
    /// `greater than`, or `greater than 1.5`: more than published, or than the number given.
    GreaterThan(Option<f64>),
    /// `less than`.
    LessThan(Option<f64>),
    /// `0.9 to 1.3`: between the two.
    Between(f64, f64),
    /// `direction and half the size`: of the same sign, and at least half as large.
    HalfTheSize,
    /// `same`, `read it`: equal; numbers in the digits published.
    Same,
}

/// A tolerance that the comparator does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the tolerance `{0}` is not understood; expected `15%`, `0.03`, `at least`, `greater than`, `less than`, `0.9 to 1.3` or `same`"
)]
pub struct UnknownTolerance(String);

impl FromStr for Tolerance {
    type Err = UnknownTolerance;

    fn from_str(text: &str) -> Result<Self, UnknownTolerance> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let than = |rest: &str| if rest.trim().is_empty() { Some(None) } else { number(rest).map(Some) };
        let parsed = if text == "same" || text == "read it" {
            Some(Self::Same)
        } else if text == "at least" {
            Some(Self::AtLeast)
        } else if text == "direction and half the size" {
            Some(Self::HalfTheSize)
        } else if let Some(rest) = text.strip_prefix("greater than") {
            than(rest).map(Self::GreaterThan)
        } else if let Some(rest) = text.strip_prefix("less than") {
            than(rest).map(Self::LessThan)
        } else if let Some((low, high)) = text.split_once(" to ") {
            number(low).zip(number(high)).map(|(low, high)| Self::Between(low, high))
        } else if let Some(percent) = text.strip_suffix('%') {
            number(percent).map(|percent| Self::Share(percent / 100.0))
        } else {
            number(text).map(Self::Difference)
        };
        parsed.ok_or_else(|| UnknownTolerance(text.to_owned()))
    }
}

/// What the comparator says.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimJudgement {
    /// `ours / published - 1` of the number that is furthest off; `None` for words.
    pub relative_error: Option<f64>,
    /// Whether all values are near enough.
    pub holds: bool,
}

/// Compares.
pub fn judge(published: &str, ours: &ClaimValue, tolerance: Tolerance) -> ClaimJudgement {
    match ours {
        ClaimValue::Words(ours) => {
            let theirs = parts(published, ours.len());
            let same = theirs.len() == ours.len() && theirs.iter().zip(ours).all(|(a, b)| plain(a) == plain(b));
            ClaimJudgement { relative_error: None, holds: tolerance == Tolerance::Same && same }
        }
        ClaimValue::Numbers(ours) => {
            let theirs = parts(published, ours.len());
            let pairs: Option<Vec<(&str, f64, f64)>> =
                theirs.iter().zip(ours).map(|(text, ours)| Some((*text, text.parse().ok()?, *ours))).collect();
            let Some(pairs) = pairs.filter(|pairs| pairs.len() == ours.len() && pairs.len() == theirs.len()) else {
                return ClaimJudgement { relative_error: None, holds: false };
            };
            let errors = pairs.iter().map(|(_, theirs, ours)| ours / theirs - 1.0);
            ClaimJudgement {
                relative_error: errors.max_by(|a, b| a.abs().total_cmp(&b.abs())).filter(|error| error.is_finite()),
                holds: pairs.iter().all(|(text, theirs, ours)| near(text, *theirs, *ours, tolerance)),
            }
        }
    }
}

/// The published values: apart by `;`, or by ` / ` or by `;` and `->` where that gives as many as ours.
fn parts(published: &str, ours: usize) -> Vec<&str> {
    fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
        text.split(separator).map(str::trim).collect()
    }
    let semicolons = split(published, ";");
    let arrows = semicolons.iter().flat_map(|part| split(part, "->")).collect();
    let all = [semicolons.clone(), split(published, " / "), arrows];
    all.into_iter().find(|parts| parts.len() == ours).unwrap_or(semicolons)
}

/// Without differences of case and of space.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn near(text: &str, theirs: f64, ours: f64, tolerance: Tolerance) -> bool {
    // Rounding in the last bits must not decide.
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
    }

    #[test]
    fn an_unknown_tolerance_is_an_error_that_lists_the_known() {
        let message = "about right".parse::<Tolerance>().unwrap_err().to_string();
        assert!(message.starts_with("the tolerance `about right` is not understood"), "{message}");
        assert!("1 to x".parse::<Tolerance>().is_err() && "%".parse::<Tolerance>().is_err());
    }

    #[test]
    fn every_built_claim_has_a_known_tolerance() {
        for claim in crate::claims().iter().filter(|claim| claim.rung.immediate()) {
            assert!(claim.tolerance.parse::<Tolerance>().is_ok(), "{}: {}", claim.id, claim.tolerance);
        }
    }

    #[test]
    fn numbers_are_printed_with_five_digits() {
        let text = ClaimValue::Numbers(vec![0.388349, 287.5, 209030.67, 0.0]).to_string();
        assert_eq!(text, "0.38835; 287.5; 209031; 0");
    }
}
