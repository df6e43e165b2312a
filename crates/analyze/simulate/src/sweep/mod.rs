//! Many runs of one deployment and workload, each with other settings, on all cores.

mod outcome;
mod settings;
mod split;

use catalog::CatalogView;
use deployment::Deployment;
use rayon::prelude::*;
use units::Nanos;
use workload::Task;

use crate::{SimulateError, SimulationOptions, SimulationRun, simulate_watched};
pub use outcome::{SweepRun, SweepRunError, cheapest, fastest};
use settings::{NAMES, SETTINGS, Setting};

/// Runs of a sweep at most: more are no table that people read.
const MOST_RUNS: usize = 1000;

/// What a run is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationSetup {
    /// What runs.
    pub deployment: Deployment,
    /// What is asked of it.
    pub task: Task,
    /// For how long, and how.
    pub options: SimulationOptions,
}

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepVariant {
    /// The settings that were swept, and this run's values, as they were written.
    pub choices: Vec<(&'static str, String)>,
    /// What comes of them.
    pub setup: SimulationSetup,
}

/// Why there is nothing to sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// Not `setting=value,value`.
    #[error("sweep `{text}`: expected a setting and its values, such as `block-size=4KiB,16KiB`")]
    Form {
        /// What was written.
        text: String,
    },
    /// An unknown setting.
    #[error("sweep `{text}`: no setting is called `{name}`; {help}")]
    Name {
        /// What was written.
        text: String,
        /// The name in it.
        name: String,
        /// The one meant, or all.
        help: String,
    },
    /// A value that the setting does not take.
    #[error("sweep `{text}`: `{value}`: {why}; {name} is {expected}, such as {name}={example}")]
    Value {
        /// What was written.
        text: String,
        /// The setting.
        name: &'static str,
        /// The value.
        value: String,
        /// What is wrong with it.
        why: String,
        /// What the setting takes.
        expected: &'static str,
        /// Some values that it takes.
        example: &'static str,
    },
    /// A setting twice.
    #[error("sweep: `{0}` is given twice; write all its values after one `{0}=`")]
    Twice(&'static str),
    /// Too many runs.
    #[error("sweep: {runs} runs are more than {MOST_RUNS}; sweep fewer values, or in several parts")]
    TooMany {
        /// As asked for.
        runs: usize,
    },
}

/// All combinations of the values of `texts`, each `setting=value,value`, on a base; the last setting changes fastest.
///
/// # Errors
/// When a setting or a value is not known.
pub fn variants(base: &SimulationSetup, texts: &[String]) -> Result<Vec<SweepVariant>, SweepError> {
    let axes = texts.iter().map(|text| axis(base, text)).collect::<Result<Vec<_>, _>>()?;
    for (i, (setting, _)) in axes.iter().enumerate() {
        if axes[..i].iter().any(|(other, _)| other.name == setting.name) {
            return Err(SweepError::Twice(setting.name));
        }
    }
    let runs = axes.iter().fold(1usize, |runs, (_, values)| runs.saturating_mul(values.len()));
    if runs > MOST_RUNS {
        return Err(SweepError::TooMany { runs });
    }
    let mut all = vec![SweepVariant { choices: Vec::new(), setup: base.clone() }];
    for ((setting, values), text) in axes.iter().zip(texts) {
        let mut more = Vec::with_capacity(all.len() * values.len());
        for variant in &all {
            for value in values {
                let mut next = variant.clone();
                apply(setting, &mut next.setup, text, value)?;
                next.choices.push((setting.name, value.clone()));
                more.push(next);
            }
        }
        all = more;
    }
    Ok(all)
}

/// A setting and the texts of its values.
fn axis(base: &SimulationSetup, text: &str) -> Result<(&'static Setting, Vec<String>), SweepError> {
    let (name, values) = text.split_once('=').ok_or_else(|| SweepError::Form { text: text.to_owned() })?;
    let name = name.trim();
    let setting = SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(|| SweepError::Name {
        text: text.to_owned(),
        name: name.to_owned(),
        help: textfile::did_you_mean(name, &NAMES),
    })?;
    let values = split::values(values);
    if values.is_empty() {
        return Err(SweepError::Form { text: text.to_owned() });
    }
    for value in &values {
        apply(setting, &mut base.clone(), text, value)?;
    }
    Ok((setting, values))
}

fn apply(setting: &'static Setting, setup: &mut SimulationSetup, text: &str, value: &str) -> Result<(), SweepError> {
    (setting.apply)(setup, value).map_err(|why| SweepError::Value {
        text: text.to_owned(),
        name: setting.name,
        value: value.to_owned(),
        why,
        expected: setting.expected,
        example: setting.example,
    })
}

/// Runs them all, as many at a time as there are cores; `watch` hears from each run, by its number, how far it is in
/// virtual time, and ends it early by answering `false`. What comes of a run does not depend on the others. Only what `keep` takes of
/// a run stays in memory.
pub fn simulate_all<T: Send>(
    variants: &[SweepVariant],
    view: &CatalogView,
    watch: &(dyn Fn(usize, Nanos) -> bool + Sync),
    keep: impl Fn(SimulationRun) -> T + Sync,
) -> Vec<Result<T, SimulateError>> {
    let one = |(number, variant): (usize, &SweepVariant)| {
        let SimulationSetup { deployment, task, options } = &variant.setup;
        simulate_watched(deployment, task, view, options, &mut |now| watch(number, now)).map(&keep)
    };
    variants.par_iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clients, deployment, seconds, view};

    fn base() -> SimulationSetup {
        SimulationSetup { deployment: deployment("gp3:500GiB", None), task: clients(20.0), options: seconds(3) }
    }

    pub(super) fn sweep(texts: &[&str]) -> Result<Vec<SweepVariant>, SweepError> {
        variants(&base(), &texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    fn refused(text: &str) -> String {
        sweep(&[text]).unwrap_err().to_string()
    }

    #[test]
    fn every_combination_comes_once_and_the_last_setting_changes_fastest() {
        let all = sweep(&["block-size=4KiB,16KiB", "raft-disk=shared,own", "clients=8"]).unwrap();
        let texts: Vec<String> = all
            .iter()
            .map(|v| v.choices.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(texts, ["4KiB shared 8", "4KiB own 8", "16KiB shared 8", "16KiB own 8"]);
    }

    #[test]
    fn every_setting_takes_the_values_of_its_own_example_and_changes_something() {
        for setting in &SETTINGS {
            let all = sweep(&[&format!("{}={}", setting.name, setting.example)]).unwrap();
            assert!(all.iter().any(|variant| variant.setup != base()), "{}", setting.name);
        }
    }

    #[test]
    fn what_is_not_known_is_refused_with_what_is() {
        assert!(refused("blok-size=4KiB").contains("did you mean `block-size`"));
        assert!(refused("colour=red").contains("block-size, ") && refused("colour=red").contains("clients"));
        assert!(refused("compression=zst").contains("none, default or zstd"));
        assert!(refused("block-size=4KoB").contains("KoB"));
        assert!(refused("block-size").contains("expected a setting and its values"));
        assert!(refused("block-size=").contains("expected a setting and its values"));
        assert!(refused("clients=0").contains("clients"));
        assert_eq!(sweep(&["seed=1", "seed=2"]), Err(SweepError::Twice("seed")));
        let many = format!("seed={}", (0..1001).map(|n| n.to_string()).collect::<Vec<_>>().join(","));
        assert!(refused(&many).contains("1001 runs"));
    }

    #[test]
    fn runs_side_by_side_give_what_each_gives_alone() {
        let all = sweep(&["seed=1,2,3"]).unwrap();
        let together = simulate_all(&all, &view(), &|_, _| true, |run| run);
        for (variant, run) in all.iter().zip(together) {
            let SimulationSetup { deployment, task, options } = &variant.setup;
            assert_eq!(run, crate::simulate(deployment, task, &view(), options));
        }
    }
}
