//! Answers to the claims of a ledger.

use catalog::Catalog;

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext};
use crate::ledger::Ledger;
use crate::outcome::ClaimOutcome;
use crate::recipe::FactsDay;
use crate::rows::Claim;
use crate::rung::Rung;
use crate::test_bed::ClaimTestBed;

/// All claims in the ledger's order, answered where that takes neither a simulation nor a measurement.
pub fn compute(ledger: &Ledger, catalog: &Catalog) -> Vec<ClaimOutcome> {
    let computed = |claim: &Claim| match claim.rung {
        rung if rung.measured() => ClaimOutcome::open(claim, format!("answered by `diskwright claims --run {rung}`")),
        rung => {
            let context = context(ledger, catalog, claim, (rung, None));
            outcome(ledger, claim, ledger.recipe(claim).answer(&context))
        }
    };
    ledger.claims().iter().map(computed).collect()
}

/// The claims of `wanted`, which are [`Ledger::on_rung`], simulated or measured there. `begin` hears of each before.
///
/// # Errors
/// When the machine lacks what measuring needs, which leaves every claim open, or the caller stops it.
pub fn measure(
    ledger: &Ledger,
    catalog: &Catalog,
    test_bed: &ClaimTestBed,
    rung: Rung,
    wanted: &[&Claim],
    begin: &mut dyn FnMut(&Claim),
) -> Result<Vec<ClaimOutcome>, ClaimError> {
    if wanted.iter().any(|claim| ledger.recipe(claim).evaluator.needs_test_bed()) {
        test_bed.ready()?;
    }
    let mut outcomes = Vec::new();
    for claim in wanted {
        begin(claim);
        let answer = ledger.recipe(claim).answer(&context(ledger, catalog, claim, (rung, Some(test_bed))));
        // An interrupted measurement would count as a claim that does not hold.
        test_bed.go_on()?;
        match answer {
            Err(error) if error.exit_code() == 3 => return Err(error),
            answer => outcomes.push(ClaimOutcome { rung, ..outcome(ledger, claim, answer) }),
        }
    }
    Ok(outcomes)
}

/// Facts and files with which a claim is answered on a rung.
pub(crate) fn context<'a>(
    ledger: &'a Ledger,
    catalog: &'a Catalog,
    claim: &Claim,
    (rung, test_bed): (Rung, Option<&'a ClaimTestBed>),
) -> EvaluationContext<'a> {
    let source = ledger.source(claim);
    let day = match ledger.recipe(claim).facts {
        FactsDay::SourceDay => Some(source.as_of),
        FactsDay::Latest => None,
    };
    EvaluationContext { catalog, source, view: catalog.at(day), files: ledger.files(), rung, test_bed }
}

fn outcome(ledger: &Ledger, claim: &Claim, answer: Result<ClaimAnswer, ClaimError>) -> ClaimOutcome {
    ClaimOutcome::answered(claim, answer, ledger.shortfall(claim))
}
