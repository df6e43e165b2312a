//! The constants of scaling, each with its unit, meaning and source: `tables/prove.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static TABLE: LazyLock<BTreeMap<String, f64>> =
    LazyLock::new(|| engine::values(&[TEXT]).expect("tested: prove.toml is a table of constants"));

const TEXT: &str = include_str!("../../tables/prove.toml");

/// A constant of the table.
///
/// # Panics
/// When there is none of that name; a test asks for all.
pub(crate) fn constant(name: &str) -> f64 {
    *TABLE.get(name).unwrap_or_else(|| panic!("prove.toml has no `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_a_number_that_can_be_divided_by() {
        assert!(TABLE.values().all(|value| *value > 0.0 && value.is_finite()), "{:?}", *TABLE);
    }

    #[test]
    fn what_is_said_of_planned_nodes_is_what_the_engine_model_takes_them_for() {
        let model = engine::values(&[include_str!("../../../../analyze/engine/tables/tikv.toml")]).unwrap();
        let said: toml::Table = TEXT.parse().unwrap();
        let of_model = |name: &str| said[name]["source"].as_str().unwrap().contains(" of the engine's tikv.toml");
        let mut of_model = TABLE.iter().filter(|(name, _)| of_model(name)).peekable();
        assert!(of_model.peek().is_some());
        of_model.for_each(|(name, mine)| assert_eq!(*mine, model[name], "{name}"));
        assert!(model.contains_key("log_space") && TABLE.contains_key("log_space"));
    }
}
