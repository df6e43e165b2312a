//! A claim's result as numbers or words.

/// A computed or measured result, in the order and unit in which the claim was published.
#[derive(Debug, Clone, PartialEq)]
pub enum ClaimValue {
    /// Numbers in the published order and unit.
    Numbers(Vec<f64>),
    /// Names or states in the published order.
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

/// A number with up to five digits, or all before the point.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let decimals = (4 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_with_five_digits() {
        let text = ClaimValue::Numbers(vec![0.388349, 287.5, 209030.67, 0.0]).to_string();
        assert_eq!(text, "0.38835; 287.5; 209031; 0");
    }
}
