//! The constants of scaling, each with its unit, meaning and source: `tables/prove.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use engine::Constant;

static TABLE: LazyLock<BTreeMap<String, Constant>> =
    LazyLock::new(|| toml::from_str(TEXT).expect("tested: prove.toml is a table of constants"));

const TEXT: &str = include_str!("../../tables/prove.toml");

/// A constant of the table.
///
/// # Panics
/// When there is none of that name; a test asks for all.
pub(crate) fn constant(name: &str) -> f64 {
    TABLE.get(name).unwrap_or_else(|| panic!("prove.toml has no `{name}`")).value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_has_a_unit_a_meaning_and_a_source() {
        for (name, constant) in TABLE.iter() {
            let stated = [&constant.unit, &constant.meaning, &constant.source];
            assert!(stated.iter().all(|text| !text.trim().is_empty()), "{name}");
            assert!(constant.value > 0.0 && constant.value.is_finite(), "{name}");
        }
    }

    #[test]
    fn what_is_said_of_planned_nodes_is_what_the_engine_model_takes_them_for() {
        let model: BTreeMap<String, Constant> =
            toml::from_str(include_str!("../../../engine/tables/tikv.toml")).unwrap();
        for (name, mine) in TABLE.iter().filter(|(_, mine)| mine.source.contains(" of the engine's tikv.toml")) {
            assert_eq!(mine.value, model[name].value, "{name}");
        }
        assert!(model.contains_key("log_space") && TABLE.contains_key("log_space"));
    }
}
