//! Tests of the embedded ledger.

use std::path::Path;

use catalog::Catalog;
use units::Bytes;

use crate::evaluate::{simulation, sql_study, store_recipe};
use crate::run::context;
use crate::{Claim, ClaimOutcome, Ledger, Rung, compute};

fn ledger() -> &'static Ledger {
    Ledger::embedded()
}

fn outcomes() -> Vec<ClaimOutcome> {
    compute(ledger(), Catalog::embedded())
}

fn claim(id: &str) -> &'static Claim {
    ledger().claims().iter().find(|claim| claim.id == id).unwrap()
}

/// The table of a recipe's evaluator.
fn table<T: serde::de::DeserializeOwned>(id: &str, evaluator: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/recipes").join(id).with_extension("toml");
    let document: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    document[evaluator].clone().try_into().unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Claims whose recipe has that evaluator.
fn of_evaluator(name: &'static str) -> impl Iterator<Item = &'static Claim> {
    ledger().claims().iter().filter(move |claim| ledger().recipe(claim).name == name)
}

#[test]
fn exactly_the_listed_shortfalls_do_not_hold() {
    let outcomes = outcomes();
    let failing: Vec<_> = outcomes.iter().filter(|outcome| outcome.holds == Some(false)).collect();
    let listed = ledger().shortfalls().iter().filter(|shortfall| claim(&shortfall.id).rung.immediate());
    let listed: Vec<&str> = listed.map(|shortfall| shortfall.id.as_str()).collect();
    assert_eq!(failing.iter().map(|outcome| outcome.id.as_str()).collect::<Vec<_>>(), listed, "{failing:#?}");
    for (outcome, id) in failing.iter().zip(&listed) {
        let reason = &ledger().shortfall(claim(id)).unwrap().reason;
        assert!(!reason.is_empty() && !outcome.ours.is_empty() && outcome.why.as_ref() == Some(reason), "{outcome:?}");
    }
}

#[test]
fn the_embedded_ledger_is_the_folder_that_others_may_copy() {
    let folder = Ledger::from_folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger")).unwrap();
    assert_eq!(folder.claims(), ledger().claims());
    assert_eq!(folder.sources(), ledger().sources());
    assert_eq!(compute(&folder, Catalog::embedded()), outcomes());
}

#[test]
fn every_recipe_is_that_of_a_claim() {
    let recipes = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/recipes")).unwrap();
    let mut names: Vec<String> =
        recipes.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    let mut ids: Vec<&str> = ledger().claims().iter().map(|claim| claim.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(names, ids);
}

#[test]
fn a_rung_measures_its_own_claims_and_the_pilots_those_that_it_can_bring_about() {
    let ids = |rung| ledger().on_rung(rung).iter().map(|claim| claim.id.as_str()).collect::<Vec<_>>();
    assert_eq!(ids(Rung::Pilot), ["A26"]);
    for rung in Rung::ALL.into_iter().filter(|rung| *rung != Rung::Pilot) {
        assert_eq!(ids(rung).is_empty(), !rung.measured(), "{rung}");
        assert!(ledger().on_rung(rung).iter().all(|claim| claim.rung == rung), "{rung}");
    }
}

#[test]
fn claims_that_take_a_run_are_listed_without_a_verdict() {
    for outcome in outcomes().iter().filter(|outcome| !outcome.rung.immediate()) {
        assert_eq!((outcome.holds, outcome.relative_error, outcome.ours.as_str()), (None, None, ""));
    }
}

#[test]
fn every_simulated_run_can_be_set_up_and_runs_that_are_compared_differ() {
    let mut compared = 0;
    for claim in of_evaluator("simulation") {
        let recipe: simulation::SimulationRecipe = table(&claim.id, "simulation");
        let context = context(ledger(), Catalog::embedded(), claim, (Rung::Simulate, None));
        let setups = recipe.setups(&context).unwrap_or_else(|error| panic!("{}: {error}", claim.id));
        for pair in setups.chunks_exact(2).filter(|_| recipe.compares()) {
            assert_ne!(pair[0], pair[1], "{}", claim.id);
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared} pairs");
}

#[test]
fn every_recipe_of_the_store_is_two_sides_that_differ() {
    for claim in of_evaluator("store") {
        let id = &claim.id;
        let recipe: store_recipe::StoreRecipe = table(id, "store");
        let (without, with) = (recipe.without().unwrap(), recipe.with().unwrap());
        let online = recipe.online.as_ref().is_some_and(|online| online.without != online.with);
        assert!(online || format!("{:?}", without.settings.source) != format!("{:?}", with.settings.source), "{id}");
        assert_eq!(without.plan.limits, with.plan.limits, "{id}");
        assert!(recipe.pairs >= 2 && !recipe.scaled.trim().is_empty(), "{id}");
        recipe.instead().unwrap();
    }
}

/// RocksDB's limiter grants a tenth of a second of its rate at once (its refill period), and asks for the rate again only when that
/// is used up: as fast as the new rate at the least.
#[test]
fn a_rate_that_is_lowered_online_holds_before_it_is_measured() {
    let rate = |side: &serde_json::Map<String, serde_json::Value>| {
        let rate = side.get("rocksdb.rate-bytes-per-sec").and_then(|rate| rate.as_str()?.parse::<Bytes>().ok());
        rate.map(|rate| rate.0 as f64)
    };
    let mut lowered = 0;
    for claim in of_evaluator("store") {
        let recipe: store_recipe::StoreRecipe = table(&claim.id, "store");
        let rates = recipe.online.as_ref().map(|online| (rate(&online.without), rate(&online.with)));
        let Some((Some(without), Some(with))) = rates else { continue };
        let used_up = 0.1 * without / with;
        assert!(used_up < recipe.warm_up.as_secs_f64(), "{}: {used_up:.1} s of warm-up", claim.id);
        lowered += 1;
    }
    assert!(lowered > 0, "no recipe lowers the rate of compactions");
}

#[test]
fn the_study_is_the_example_and_its_sides_are_the_sources_volumes() {
    let recipe: sql_study::SqlStudyRecipe = table("D01", "sql-study");
    let context = context(ledger(), Catalog::embedded(), claim("D01"), (Rung::Bench, None));
    let study = recipe.study(&context).unwrap();
    assert_eq!(study.sides.each_ref().map(|side| side.disk.as_str()), ["gp2:400GiB", "io1:400GiB,5000iops"]);
    assert!(study.pairs >= 2 && !study.scaled.is_empty());
}

#[test]
fn the_planners_choice_does_not_hang_on_the_exact_load() {
    let recipe: crate::evaluate::plan_choice::PlanChoice = table("C07", "plan-choice");
    let context = context(ledger(), Catalog::embedded(), claim("C07"), (Rung::Plan, None));
    for throughput in [5_000.0, 10_000.0, 15_000.0, 22_000.0] {
        let mut task = context.task(&recipe.workload).unwrap();
        task.targets.throughput = throughput;
        assert_eq!(recipe.choose(&context, &task).unwrap().0, "gp3", "{throughput}");
    }
}

#[test]
fn thresholds_of_simulated_claims_are_eight() {
    let thresholds = ledger().on_rung(Rung::Simulate).into_iter().filter(|claim| claim.tolerance.is_threshold());
    let ids: Vec<&str> = thresholds.map(|claim| claim.id.as_str()).collect();
    assert_eq!(ids, ["A05", "A06", "A24", "A25", "A27", "A29", "C05", "C06"]);
}
