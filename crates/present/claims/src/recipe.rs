//! A claim's recipe: the table of one evaluator, and what to say besides.

use textfile::Text;

use crate::error::ClaimError;
use crate::evaluate::catalogue_facts::CatalogueFacts;
use crate::evaluate::device_rates::DeviceRatesRecipe;
use crate::evaluate::diagnosis::DiagnosisRecipe;
use crate::evaluate::disk_load::DiskLoadRecipe;
use crate::evaluate::figures::Figures;
use crate::evaluate::fio::FioRecipe;
use crate::evaluate::log_disks::LogDisksRecipe;
use crate::evaluate::lowest_latency::LowestLatency;
use crate::evaluate::placement_driver::PlacementDriverRecipe;
use crate::evaluate::plan_choice::PlanChoice;
use crate::evaluate::recovery::RecoveryRecipe;
use crate::evaluate::rehearsal::RehearsalRecipe;
use crate::evaluate::rendered::RenderedRecipe;
use crate::evaluate::simulation::SimulationRecipe;
use crate::evaluate::sql_study::SqlStudyRecipe;
use crate::evaluate::store_recipe::StoreRecipe;
use crate::evaluate::volume_choice::VolumeChoice;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::files::LedgerFiles;
use crate::ledger_error::LedgerError;

/// Declares the closed set of evaluators: the table of each in a recipe, and its type.
macro_rules! evaluators {
    ($($field:ident: $name:literal => $recipe:ty),+ $(,)?) => {
        /// Tables of evaluators, of which a recipe has one.
        pub const EVALUATORS: &[&str] = &[$($name),+];

        /// A recipe as it is written.
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        struct Document {
            /// What to know of the answer, for people.
            remark: Option<String>,
            /// What the source does not tell, for people.
            assumed: Option<String>,
            /// Day of the facts.
            #[serde(default)]
            facts: FactsDay,
            $(#[serde(rename = $name)] $field: Option<$recipe>,)+
        }

        impl Document {
            /// Evaluators by name.
            fn evaluators(self) -> Vec<(&'static str, Box<dyn Evaluator>)> {
                let mut found: Vec<(&'static str, Box<dyn Evaluator>)> = Vec::new();
                $(if let Some(recipe) = self.$field { found.push(($name, Box::new(recipe))); })+
                found
            }
        }
    };
}

evaluators! {
    figures: "figures" => Figures,
    device_rates: "device-rates" => DeviceRatesRecipe,
    catalogue_facts: "catalogue-facts" => CatalogueFacts,
    recovery: "recovery" => RecoveryRecipe,
    log_disks: "log-disks" => LogDisksRecipe,
    plan_choice: "plan-choice" => PlanChoice,
    volume_choice: "volume-choice" => VolumeChoice,
    simulation: "simulation" => SimulationRecipe,
    disk_load: "disk-load" => DiskLoadRecipe,
    placement_driver: "placement-driver" => PlacementDriverRecipe,
    rendered: "rendered" => RenderedRecipe,
    diagnosis: "diagnosis" => DiagnosisRecipe,
    rehearsal: "rehearsal" => RehearsalRecipe,
    fio: "fio" => FioRecipe,
    lowest_latency: "lowest-latency" => LowestLatency,
    store: "store" => StoreRecipe,
    sql_study: "sql-study" => SqlStudyRecipe,
}

/// Day of the facts with which a claim is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FactsDay {
    /// The source's.
    #[default]
    SourceDay,
    /// The latest that the catalogue has.
    Latest,
}

/// A claim's recipe.
#[derive(Debug)]
pub(crate) struct Recipe {
    /// Name of the evaluator.
    pub(crate) name: &'static str,
    pub(crate) evaluator: Box<dyn Evaluator>,
    pub(crate) facts: FactsDay,
    remark: Option<String>,
    assumed: Option<String>,
}

impl Recipe {
    /// Reads a recipe, whose files must be in the ledger.
    pub(crate) fn from_text(text: &Text, files: &LedgerFiles) -> Result<Self, LedgerError> {
        let mut document: Document = textfile::from_toml(text)?;
        let (remark, assumed, facts) = (document.remark.take(), document.assumed.take(), document.facts);
        let mut found = document.evaluators();
        let names: Vec<&'static str> = found.iter().map(|(name, _)| *name).collect();
        let (1, Some((name, evaluator))) = (names.len(), found.pop()) else {
            let found = names;
            return Err(LedgerError::Evaluators { file: text.path().to_owned(), found, expected: EVALUATORS });
        };
        evaluator.check().map_err(|fault| text.error_at_key(&format!("{name}.{}", fault.key), fault.problem))?;
        for (key, path) in evaluator.files() {
            if !files.has(path) {
                let message = format!("`{key}`: there is no file {}", files.name(path).display());
                let help = "add it, or name one by its path in the ledger's folder";
                return Err(text.error_at_key(&format!("{name}.{key}"), message).help(help).into());
            }
        }
        Ok(Self { name, evaluator, facts, remark, assumed })
    }

    /// The answer, with what the recipe says of it.
    pub(crate) fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let answer = self.evaluator.answer(context)?;
        let assumed = self.assumed.as_ref().map(|assumed| format!("Assumed: {assumed}."));
        let remarks: Vec<&str> =
            [&assumed, &self.remark, &answer.remark].into_iter().flatten().map(String::as_str).collect();
        let remark = (!remarks.is_empty()).then(|| remarks.join(" "));
        Ok(ClaimAnswer { remark, ..answer })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn fault(recipe: &str) -> String {
        let files = LedgerFiles::Folder(PathBuf::from("nowhere"));
        Recipe::from_text(&Text::new("recipes/X.toml", recipe), &files).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_evaluator_names_the_one_that_was_meant() {
        let message = fault("[figurs]\nof = []\n");
        assert!(
            message.starts_with("recipes/X.toml:1:2: unknown key `figurs` in the file; did you mean `figures`"),
            "{message}"
        );
    }

    #[test]
    fn a_recipe_has_one_evaluator() {
        let message = fault("remark = 'nothing'\n");
        assert!(message.contains("this has none; expected one of figures, device-rates"), "{message}");
        let message = fault(
            "[device-rates]\niostat = 'a'\ndevice = 'b'\n[recovery]\nreplicas = 3\nzones = 3\nnodes = 3\nstorage = []\n",
        );
        assert!(message.contains("this has device-rates, recovery"), "{message}");
    }

    #[test]
    fn a_bad_value_is_named_with_line_and_key() {
        let message = fault("\n[figures]\nof = [{ iops = { disk = \"gp2:many\" } }]\n");
        assert!(message.starts_with("recipes/X.toml:3:25: `figures.of.0.iops.disk`: "), "{message}");
        let message = fault("[figures]\nours = \"ratio\"\nof = [{ iops = { disk = \"gp2:1GiB\" } }]\n");
        assert!(message.starts_with("recipes/X.toml:3:6: `of` has 1; expected two"), "{message}");
    }

    #[test]
    fn a_file_that_is_missing_or_elsewhere_is_named_with_line_and_key() {
        let message = fault("[device-rates]\niostat = \"a.txt\"\ndevice = \"b\"\n");
        assert!(message.starts_with("recipes/X.toml:2:10: `iostat`: there is no file nowhere/a.txt"), "{message}");
        let message = fault("[device-rates]\niostat = \"../a.txt\"\ndevice = \"b\"\n");
        assert!(message.contains(":2:10: `device-rates.iostat`: `../a.txt` leads out of the ledger"), "{message}");
    }
}
