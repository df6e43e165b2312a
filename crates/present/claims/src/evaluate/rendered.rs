//! Settings in rendered files: the files are made and read back.

use std::collections::{BTreeMap, BTreeSet};

use render::{FileFormat, RenderRequest, TikvVersion};
use serde_json::Value as Json;

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::files::LedgerPath;
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[rendered]`: numbers of a YAML file that `diskwright render` writes for a deployment.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RenderedRecipe {
    deployment: LedgerPath,
    /// The file's format, as `render --only` takes it.
    format: String,
    /// Keys from the top of the file to the tables that are looked at; `*` is every element.
    under: Vec<String>,
    /// Values that such a table has, else it is passed over.
    #[serde(default, rename = "where")]
    having: BTreeMap<String, String>,
    /// Keys whose values are read.
    keys: Vec<String>,
    ours: RenderedReading,
}

/// What is read of the tables that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RenderedReading {
    /// The number at each key in the first table.
    Values,
    /// The number of different values at each key in all tables.
    Distinct,
}

impl Evaluator for RenderedRecipe {
    fn rung(&self) -> Rung {
        Rung::Render
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        vec![("deployment".to_owned(), &self.deployment)]
    }

    fn check(&self) -> Result<(), RecipeFault> {
        self.format.parse::<FileFormat>().map(|_| ()).map_err(|problem| RecipeFault::new("format", problem.to_string()))
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let content = self.content(context)?;
        let mut tables = Vec::new();
        walk(&content, &self.under, &mut tables);
        tables.retain(|table| self.having.iter().all(|(key, value)| table[key.as_str()] == value.as_str()));
        let first = tables.first().ok_or_else(|| self.lacks(&self.under))?;
        let number = |key: &String| -> Result<f64, ClaimError> {
            match self.ours {
                RenderedReading::Values => {
                    let lacks = || self.lacks(&[&self.under[..], std::slice::from_ref(key)].concat());
                    first[key.as_str()].as_f64().ok_or_else(lacks)
                }
                RenderedReading::Distinct => {
                    let values = tables.iter().map(|table| &table[key.as_str()]).filter(|value| !value.is_null());
                    Ok(values.map(ToString::to_string).collect::<BTreeSet<_>>().len() as f64)
                }
            }
        };
        Ok(ClaimValue::Numbers(self.keys.iter().map(number).collect::<Result<_, _>>()?).into())
    }
}

impl RenderedRecipe {
    /// The file, read back.
    fn content(&self, context: &EvaluationContext<'_>) -> Result<Json, ClaimError> {
        let deployment = context.deployment(&self.deployment)?;
        // A deployment's instances are of its own day, which may be later than the source's.
        let view = context.catalog.at(deployment.as_of);
        let format: FileFormat = self.format.parse().expect("checked when the ledger was read");
        let request = RenderRequest {
            deployment: &deployment,
            view: &view,
            version: TikvVersion::default(),
            only: &[format],
            timestamps: None,
        };
        let rendered = render::render(&request)?;
        let content = rendered.files.first().map_or("", |file| file.content.as_str());
        serde_saphyr::from_str(content)
            .map_err(|error| ClaimError::RenderedUnreadable { format: format.name(), why: error.to_string() })
    }

    fn lacks(&self, path: &[String]) -> ClaimError {
        let format: FileFormat = self.format.parse().expect("checked when the ledger was read");
        ClaimError::RenderedLacks { format: format.name(), path: path.join(".") }
    }
}

/// Adds the values at a path.
fn walk<'a>(value: &'a Json, path: &[String], found: &mut Vec<&'a Json>) {
    let Some((key, rest)) = path.split_first() else {
        found.push(value);
        return;
    };
    match value {
        Json::Array(elements) if key == "*" => elements.iter().for_each(|inner| walk(inner, rest, found)),
        Json::Object(fields) if key == "*" => fields.values().for_each(|inner| walk(inner, rest, found)),
        Json::Object(fields) => {
            if let Some(inner) = fields.get(key) {
                walk(inner, rest, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_every_element_of_arrays_and_tables() {
        let value = serde_json::json!({ "a": [{ "x.y": 1 }, { "x.y": 2 }], "b": { "c": { "x.y": 3 } } });
        let at = |path: &[&str]| {
            let mut found = Vec::new();
            walk(&value, &path.iter().map(ToString::to_string).collect::<Vec<_>>(), &mut found);
            found.into_iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(at(&["a", "*", "x.y"]), [1, 2]);
        assert_eq!(at(&["b", "*", "x.y"]), [3]);
        assert!(at(&["a", "x.y"]).is_empty() && at(&["c"]).is_empty());
    }
}
