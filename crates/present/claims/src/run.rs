//! Computes ours for every claim and holds it against what was published.

use catalog::{Catalog, CatalogView};
use units::Usd;

use crate::judge::{ClaimValue, Tolerance, judge};
use crate::ledger::{Claim, ClaimSource, Rung, claims, shortfalls, sources};
use crate::measured::{self, ClaimTestBed};
use crate::outcome::ClaimOutcome;
use crate::{a, b, c, d, engine_runs, piloted, rendered, simulated, studied, verdicts};

/// What claims are computed from.
#[derive(Debug, Clone, Copy)]
pub struct ClaimContext<'a> {
    /// The facts of all days.
    pub catalog: &'a Catalog,
}

/// Why ours could not be computed.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The catalogue lacks a fact.
    #[error(transparent)]
    Catalog(#[from] catalog::CatalogError),
    /// A disk cannot be had.
    #[error(transparent)]
    Disk(#[from] disk::DiskError),
    /// A disk's text is wrong.
    #[error(transparent)]
    Text(#[from] disk::ParseDiskError),
    /// A scenario cannot be assessed.
    #[error(transparent)]
    Scenario(#[from] availability::ScenarioError),
    /// An example file is wrong.
    #[error(transparent)]
    Input(#[from] textfile::InputError),
    /// A deployment cannot be priced.
    #[error(transparent)]
    Deployment(#[from] deployment::DeploymentError),
    /// There is nothing to plan with.
    #[error(transparent)]
    Plan(#[from] plan::PlanError),
    /// A disk cannot be mounted.
    #[error(transparent)]
    Mount(#[from] mount::MountError),
    /// A disk cannot be measured.
    #[error(transparent)]
    Fio(#[from] probe::fio::FioError),
    /// A deployment cannot be rendered.
    #[error(transparent)]
    Render(#[from] render::RenderError),
    /// A run on a real engine came to nothing.
    #[error(transparent)]
    Trial(#[from] reference_store::ReferenceStoreError),
    /// A run on a SQL database came to nothing.
    #[error(transparent)]
    Sql(#[from] mysql::SqlError),
    /// The scratch folder is not this user's alone.
    #[error(transparent)]
    Folder(#[from] private_dir::FolderError),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// Something else, for people.
    #[error("{0}")]
    Other(String),
}

impl ClaimError {
    /// The exit code of a program that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Mount(error) => error.exit_code(),
            Self::Trial(error) => error.exit_code(),
            Self::Sql(error) => error.exit_code(),
            Self::Fio(_) | Self::Folder(_) => 3,
            // What a shell tells of a program that Ctrl-C ended.
            Self::Interrupted => 130,
            _ => 2,
        }
    }
}

/// Our result, and what to know of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ours {
    pub(crate) value: ClaimValue,
    pub(crate) remark: Option<String>,
    /// Whether chance is no explanation: an interval excludes that there is nothing to see.
    pub(crate) certain: bool,
}

impl From<ClaimValue> for Ours {
    fn from(value: ClaimValue) -> Self {
        Self { value, remark: None, certain: true }
    }
}

/// The facts of the day and place of a claim's source.
#[derive(Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) view: CatalogView,
    pub(crate) region: &'a str,
}

impl Setting<'_> {
    /// The monthly price of a disk, written as in a deployment.
    pub(crate) fn disk_monthly(&self, disk: &str) -> Result<Usd, ClaimError> {
        Ok(disk.parse::<disk::Disk>()?.monthly(&self.view, self.region)?)
    }

    /// What a disk sustains while no instance limits it.
    pub(crate) fn limits(&self, disk: &str) -> Result<disk::DiskLimits, ClaimError> {
        Ok(disk.parse::<disk::Disk>()?.limits(&self.view, None)?)
    }
}

pub(crate) type Compute = fn(&Setting<'_>) -> Result<Ours, ClaimError>;

/// The function that computes ours, for each claim that is answered at once.
fn compute(id: &str) -> Option<Compute> {
    [a::CLAIMS, b::CLAIMS, c::CLAIMS, d::CLAIMS, rendered::CLAIMS, verdicts::CLAIMS, piloted::CLAIMS]
        .concat()
        .into_iter()
        .find(|(of, _)| *of == id)
        .map(|(_, f)| f)
}

/// All claims in the ledger's order, computed where that takes no machine but this program.
pub fn run(context: &ClaimContext<'_>) -> Vec<ClaimOutcome> {
    let computed = |claim: &Claim| -> ClaimOutcome {
        match claim.rung {
            rung if rung.measured() => {
                ClaimOutcome::open(claim, format!("answered by `diskwright claims --run {rung}`"))
            }
            _ => outcome(claim, answer(context, claim)),
        }
    };
    claims().iter().map(computed).collect()
}

/// Whether this program measures or simulates the claim when it is told to.
fn measurable(id: &str) -> bool {
    measured::CLAIMS.iter().any(|(of, _)| *of == id)
        || engine_runs::CLAIMS.iter().any(|(of, _)| *of == id)
        || studied::known(id)
        || simulated::known(id)
}

/// The claims that this program measures or simulates for a rung, in the ledger's order: the rung's own, and on the pilot's those
/// of the store in which the pilot can do what is claimed of.
pub fn on_rung(rung: Rung) -> Vec<&'static Claim> {
    let by_pilot = |claim: &Claim| rung == Rung::Pilot && engine_runs::BY_PILOT.iter().any(|(id, _)| *id == claim.id);
    let own = |claim: &Claim| claim.rung == rung && measurable(&claim.id);
    claims().iter().filter(|claim| own(claim) || by_pilot(claim)).collect()
}

/// The claims of `wanted`, which are [`on_rung`], as measured or simulated there. `begin` hears of each before.
///
/// # Errors
/// When the machine lacks what measuring needs: then nothing can be said of any claim.
pub fn measure(
    lab: &ClaimTestBed,
    rung: Rung,
    wanted: &[&Claim],
    begin: &mut dyn FnMut(&Claim),
) -> Result<Vec<ClaimOutcome>, ClaimError> {
    let engine_runs = if rung == Rung::Pilot { engine_runs::BY_PILOT } else { engine_runs::CLAIMS };
    if wanted.iter().any(|claim| !simulated::known(&claim.id)) {
        measured::ready(&lab.scratch)?;
    }
    let mut outcomes = Vec::new();
    for claim in wanted {
        let on_disk = measured::CLAIMS.iter().find(|(id, _)| *id == claim.id);
        let on_engine = engine_runs.iter().find(|(id, _)| *id == claim.id);
        let (tolerance, source) = terms(claim)?;
        begin(claim);
        let ours = match (on_disk, on_engine) {
            (Some((_, measure)), _) => measure(lab, source.as_of),
            (None, Some((_, measure))) => measure(lab, &claim.id),
            (None, None) if studied::known(&claim.id) => studied::gain(lab),
            (None, None) if simulated::known(&claim.id) => simulated::simulated(&claim.id),
            (None, None) => continue,
        };
        // Else what it was stopped at would count as what does not hold.
        lab.go_on()?;
        match ours {
            Err(error) if error.exit_code() == 3 => return Err(error),
            ours => outcomes.push(ClaimOutcome { rung, ..outcome(claim, ours.map(|ours| (ours, tolerance))) }),
        }
    }
    Ok(outcomes)
}

/// A claim held against ours.
fn outcome(claim: &Claim, ours: Result<(Ours, Tolerance), ClaimError>) -> ClaimOutcome {
    let mut outcome = ClaimOutcome { holds: Some(false), why: None, ..ClaimOutcome::open(claim, String::new()) };
    match ours {
        Ok((ours, tolerance)) => {
            let judgement = judge(&claim.published, &ours.value, tolerance);
            outcome.ours = ours.value.to_string();
            outcome.relative_error = judgement.relative_error;
            outcome.holds = Some(judgement.holds && ours.certain);
            outcome.why = ours.remark;
        }
        Err(error) => outcome.why = Some(format!("not computed: {error}")),
    }
    if let Some(shortfall) = shortfalls().iter().find(|s| s.id == claim.id && outcome.holds == Some(false)) {
        outcome.why = Some(shortfall.reason.clone());
    }
    outcome
}

/// How near ours must be, and the source with its day.
fn terms(claim: &Claim) -> Result<(Tolerance, &'static ClaimSource), ClaimError> {
    let other = |message: String| ClaimError::Other(message);
    let tolerance = claim.tolerance.parse().map_err(|error| other(format!("{error}")))?;
    let source = sources().iter().find(|s| s.source == claim.source);
    let source = source.ok_or_else(|| other(format!("tables/sources.csv has no source {}", claim.source)))?;
    Ok((tolerance, source))
}

fn answer(context: &ClaimContext<'_>, claim: &Claim) -> Result<(Ours, Tolerance), ClaimError> {
    let (tolerance, source) = terms(claim)?;
    let compute = compute(&claim.id).ok_or_else(|| ClaimError::Other("no function computes it".to_owned()))?;
    let view = context.catalog.at(Some(source.as_of));
    Ok((compute(&Setting { catalog: context.catalog, view, region: &source.region })?, tolerance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes() -> Vec<ClaimOutcome> {
        run(&ClaimContext { catalog: Catalog::embedded() })
    }

    #[test]
    fn exactly_the_listed_shortfalls_do_not_hold() {
        let outcomes = outcomes();
        let failing: Vec<_> = outcomes.iter().filter(|o| o.holds == Some(false)).collect();
        let computed = |id: &str| claims().iter().any(|claim| claim.id == id && claim.rung.immediate());
        let listed: Vec<&str> = shortfalls().iter().map(|s| s.id.as_str()).filter(|id| computed(id)).collect();
        assert_eq!(failing.iter().map(|o| o.id.as_str()).collect::<Vec<_>>(), listed, "{failing:#?}");
    }

    #[test]
    fn every_listed_shortfall_is_computed_and_gives_its_reason() {
        for shortfall in shortfalls() {
            let outcomes = outcomes();
            let outcome = outcomes.iter().find(|o| o.id == shortfall.id).unwrap();
            if !outcome.rung.immediate() {
                continue;
            }
            assert!(!outcome.ours.is_empty() && outcome.why.as_ref() == Some(&shortfall.reason), "{outcome:?}");
        }
    }

    #[test]
    fn every_claim_that_is_computed_at_once_has_a_function_and_no_other_has() {
        for claim in claims() {
            assert_eq!(compute(&claim.id).is_some(), claim.rung.immediate(), "{}", claim.id);
        }
    }

    #[test]
    fn every_claim_of_a_measured_rung_can_be_answered() {
        for claim in claims() {
            let expected = claim.rung.measured();
            assert_eq!(measurable(&claim.id), expected, "{}", claim.id);
        }
    }

    #[test]
    fn a_rung_measures_its_own_claims_and_the_pilots_those_that_it_can_bring_about() {
        let ids = |rung| on_rung(rung).iter().map(|claim| claim.id.as_str()).collect::<Vec<_>>();
        assert_eq!(ids(Rung::Pilot), ["A26"]);
        for rung in Rung::ALL.into_iter().filter(|rung| *rung != Rung::Pilot) {
            assert_eq!(on_rung(rung).is_empty(), !rung.measured(), "{rung}");
            assert!(on_rung(rung).iter().all(|claim| claim.rung == rung), "{rung}");
        }
    }

    #[test]
    fn claims_that_take_a_run_are_listed_without_a_verdict() {
        for outcome in outcomes().iter().filter(|o| !o.rung.immediate()) {
            assert_eq!((outcome.holds, outcome.relative_error, outcome.ours.as_str()), (None, None, ""));
        }
    }
}
