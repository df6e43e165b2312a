//! Plans from the real catalogue, held against the crates that price, limit and check deployments.

use std::path::Path;
use std::sync::Mutex;

use catalog::{Catalog, CatalogView, VolumeMedium};
use disk::DiskLimits;
use engine::EngineCalibration;
use plan::{
    LayoutConstraint, Market, PlanError, PlanOptions, PlanProgress, PlanResult, Planner, RejectedCandidate,
    RejectionReason, UncertainError, VolumeNeed, VolumeProvision,
};
use proptest::prelude::*;
use textfile::Text;
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};
use workload::{Task, Workload};

const TPCC: &str = r#"
engine = "tikv"
region = "us-east-1"
[tpcc]
warehouses = 5000
clients = 512
[targets]
throughput = 50000
p99 = "800ms"
growth = "30%"
availability = "zone"
"#;

fn workload(text: &str) -> Workload {
    let mut open = |path: &Path| panic!("no file is named: {}", path.display());
    Workload::from_text(&Text::new("workload.toml", text), &mut open).unwrap()
}

fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

fn market() -> Market {
    Market::from_view(&view(), "us-east-1").unwrap()
}

fn plan(task: &Task, options: &PlanOptions) -> Result<PlanResult, PlanError> {
    Planner::new(EngineCalibration::embedded(), &market()).plan(task, options)
}

fn tpcc(change: impl FnOnce(&mut Task)) -> Task {
    let mut task = workload(TPCC).middle().unwrap();
    change(&mut task);
    task
}

#[test]
fn plans_cost_what_their_deployments_cost_and_pass_the_check() {
    let view = view();
    let answer = plan(&tpcc(|_| ()), &PlanOptions::default()).unwrap();
    assert_eq!(answer.plans.len(), 5);
    let others = answer.why_not.iter().filter_map(|why| match &why.reason {
        RejectionReason::Costs { best, .. } => Some(&**best),
        RejectionReason::RuledOut { .. } => None,
    });
    for plan in answer.plans.iter().chain(others) {
        let costs = plan.deployment.monthly(&view).unwrap();
        let named = &plan.deployment.name;
        assert!((costs.compute.0 - plan.usd.compute.0).abs() < 1e-6, "{named}: {costs:?} against {:?}", plan.usd);
        assert!((costs.disks.0 - plan.usd.disks.0).abs() < 1e-6, "{named}: {costs:?} against {:?}", plan.usd);
        let report = deployment::check(&plan.deployment, &view, &plan.deployment.asks.unwrap()).unwrap();
        assert!(report.deliverable, "{named}: {report:?}");
        assert!(plan.headroom > 0.0 && plan.predicted.throughput >= 50_000.0, "{named}: {plan:?}");
    }
}

#[test]
fn a_plan_never_costs_less_than_the_one_before_it() {
    let answer = plan(&tpcc(|_| ()), &PlanOptions { top: 12, ..PlanOptions::default() }).unwrap();
    assert!(answer.plans.windows(2).all(|pair| pair[0].monthly().0 <= pair[1].monthly().0));
    let more = answer.why_not.iter().filter_map(|why| match &why.reason {
        RejectionReason::Costs { more, .. } => Some(more.0),
        RejectionReason::RuledOut { .. } => None,
    });
    assert!(more.into_iter().all(|more| more >= 0.0));
}

#[test]
fn pins_and_excludes_are_kept() {
    let mut options = PlanOptions { exclude: vec!["gp2".into(), "r5".into()], ..PlanOptions::default() };
    for pin in ["instance=m5.4xlarge", "nodes=9", "disk=io1"] {
        options.pin(pin).unwrap();
    }
    let answer = plan(&tpcc(|_| ()), &options).unwrap();
    assert!(!answer.plans.is_empty());
    for plan in &answer.plans {
        let group = &plan.deployment.nodes[0];
        let data = group.data.as_ref().unwrap();
        assert_eq!((group.instance.as_str(), group.count, data.volume.kind.as_str()), ("m5.4xlarge", 9, "io1"));
        assert!(group.log.as_ref().is_none_or(|log| log.volume.kind != "gp2"));
    }
}

#[test]
fn unknown_names_are_refused_with_the_one_meant() {
    let message = |options: PlanOptions| plan(&tpcc(|_| ()), &options).unwrap_err().to_string();
    let pinned = |text: &str| {
        let mut options = PlanOptions::default();
        options.pin(text).unwrap();
        message(options)
    };
    assert!(pinned("instance=m5.4xlrge").contains("did you mean `m5.4xlarge`?"));
    assert!(pinned("disk=gp4").contains("no disk type `gp4` is for sale in us-east-1"));
    assert!(pinned("nodes=4").contains("the same number in each of 3 zone(s)"));
    assert!(
        message(PlanOptions { exclude: vec!["gp33".into()], ..PlanOptions::default() }).contains("did you mean `gp3`?")
    );
    let mut options = PlanOptions::default();
    assert!(options.pin("color=red").unwrap_err().to_string().contains("instance=m5.4xlarge"));
    options.exclude.push("m5".into());
    options.pin("instance=m5.large").unwrap();
    assert!(message(options).contains("rule out every instance type"));
}

#[test]
fn a_latency_out_of_reach_gets_the_closest_plan_and_what_would_have_to_give() {
    let mut options = PlanOptions::default();
    options.pin("instance=m5.4xlarge").unwrap();
    let answer = plan(&tpcc(|t| t.targets.p99 = Some(Nanos::millis(3))), &options).unwrap();
    assert!(answer.plans.is_empty());
    assert!(answer.shortfalls.iter().any(|s| s.contains("instead of 3.0 ms")), "{:?}", answer.shortfalls);
    let closest = answer.closest.unwrap();
    assert!(closest.predicted.p99 > Nanos::millis(3));
    // It is the least: with that latency as the target there is a plan, with one in a hundred less there is none.
    let words: Vec<&str> = answer.shortfalls.iter().find(|s| s.contains("instead")).unwrap().split(' ').collect();
    let reached = words[1].parse::<f64>().unwrap() / 1e3;
    let with = |seconds: f64| {
        let task = tpcc(|t| t.targets.p99 = Some(Nanos::from_secs_f64(seconds)));
        plan(&task, &options).unwrap().plans.len()
    };
    assert!(with(reached + 0.0001) > 0);
    assert_eq!(with((reached - 0.0001) / 1.01), 0);
}

#[test]
fn a_budget_too_small_says_what_the_cheapest_plan_costs() {
    let cheapest = plan(&tpcc(|_| ()), &PlanOptions::default()).unwrap().plans[0].monthly();
    let answer = plan(&tpcc(|_| ()), &PlanOptions { max_usd: Some(Usd(500.0)), ..PlanOptions::default() }).unwrap();
    assert!(answer.plans.is_empty());
    assert_eq!(answer.shortfalls[0], format!("price: {cheapest} a month at least, {} allowed", Usd(500.0)));
    let enough = PlanOptions { max_usd: Some(Usd(cheapest.0 + 0.01)), ..PlanOptions::default() };
    assert_eq!(plan(&tpcc(|_| ()), &enough).unwrap().plans[0].monthly(), cheapest);
}

#[test]
fn durability_that_only_io2_promises_leaves_only_io2() {
    let answer = plan(&tpcc(|t| t.targets.durability = Some(units::Ratio(0.9999))), &PlanOptions::default()).unwrap();
    assert_eq!(answer.plans[0].deployment.nodes[0].data.as_ref().unwrap().volume.kind, "io2");
    let gp3 = answer.why_not.iter().find(|w| w.subject == RejectedCandidate::Disk("gp3".into())).unwrap();
    assert!(
        matches!(&gp3.reason, RejectionReason::RuledOut { constraint } if constraint.contains("99.8 % of the 99.99 %")),
        "{gp3:?}"
    );
    let nvme = answer.why_not.iter().find(|w| w.subject == RejectedCandidate::Disk("nvme".into())).unwrap();
    assert!(
        matches!(&nvme.reason, RejectionReason::RuledOut { constraint } if constraint.contains("nothing is promised")),
        "{nvme:?}"
    );
}

#[test]
fn an_uncertain_workload_gets_odds_and_regrets_and_the_seed_decides_them() {
    let uncertain = workload(&TPCC.replace("throughput = 50000", "throughput = \"20000..80000\""));
    let market = market();
    let planner = Planner::new(EngineCalibration::embedded(), &market);
    let answer = planner.plan_uncertain(&uncertain, &PlanOptions::default(), 60, 3).unwrap();
    let told = answer.uncertainty.clone().unwrap();
    assert_eq!(told.inputs["targets.throughput"], "20000..80000");
    assert_eq!((told.odds_of_missing.len(), told.regret.len()), (answer.plans.len(), answer.plans.len()));
    // The plan for the geometric middle, 40000, with 30 % of room carries 52000: log-uniform, 31 % of futures ask for more.
    let odds = told.odds_of_missing[told.cheapest];
    assert!(odds > 0.1 && odds <= 0.32, "{odds}");
    assert!(told.regret.iter().all(|r| r.0 >= told.regret[told.least_regret].0));
    assert_eq!(answer, planner.plan_uncertain(&uncertain, &PlanOptions::default(), 60, 3).unwrap());
    let certain = planner.plan_uncertain(&workload(TPCC), &PlanOptions::default(), 60, 3).unwrap();
    assert_eq!(certain.uncertainty, None);
}

#[test]
fn planning_is_given_up_when_whoever_watches_says_so() {
    let uncertain = workload(&TPCC.replace("throughput = 50000", "throughput = \"20000..80000\""));
    let market = market();
    let plan = |watch: &(dyn Fn(f64) -> bool + Sync)| {
        let planner = Planner::new(EngineCalibration::embedded(), &market).watched(watch);
        planner.plan_uncertain(&uncertain, &PlanOptions::default(), 60, 3)
    };
    let told = Mutex::new(Vec::new());
    let calm = |done| {
        told.lock().unwrap().push(done);
        true
    };
    assert!(plan(&calm).is_ok());
    let told = told.into_inner().unwrap();
    assert!(told[0] == 0.0 && told.contains(&0.5) && told.contains(&1.0), "each future is looked at twice");
    for least in [0.0, 0.2, 0.8] {
        let given_up = plan(&|done| done < least).unwrap_err();
        assert!(matches!(given_up, UncertainError::Plan(PlanError::GivenUp)), "{least}: {given_up}");
    }
}

#[test]
fn the_planner_and_the_disks_agree_on_what_needs_nitro() {
    let view = view();
    let old = view.instance("m4.16xlarge").unwrap();
    assert!(!old.nitro);
    for rule in &plan::SearchSpace::embedded().nitro_only {
        let limits = |iops: u64| {
            let text = format!("{}:4000GiB,{iops}iops", rule.kind);
            text.parse::<disk::Disk>().unwrap().limits(&view, Some(old))
        };
        assert!(limits(rule.over).is_ok() && limits(rule.over + 1).is_err(), "{}", rule.kind);
    }
}

#[test]
fn what_lacks_a_fact_is_left_out_by_name() {
    let market = Market::from_view(&view(), "us-west-2").unwrap();
    assert!(market.volumes.iter().all(|v| v.kind.name != "io2"), "no price of io2 in us-west-2 is known");
    let io2 = market.missing.iter().find(|m| m.name == "io2").unwrap();
    assert!(io2.fact.contains("price") && io2.fact.contains("us-west-2"), "{io2:?}");
}

proptest! {
    /// The closed form against the disk crate's own limits, and against every neighbour one step smaller.
    #[test]
    fn the_cheapest_volume_carries_its_need_and_no_smaller_one_does(
        region in prop::sample::select(vec!["us-east-1", "us-central1", "eastus"]),
        gib in 1.0..20_000.0f64, iops in 1.0..100_000.0f64, mib in 1.0..3_000.0f64, pick in 0..100_usize,
    ) {
        let market = Market::from_view(&view(), region).unwrap();
        let offer = &market.volumes[pick % market.volumes.len()];
        prop_assert_eq!(offer.kind.medium, VolumeMedium::Ssd);
        let need = VolumeNeed { size: Bytes((gib * 1073741824.0) as u64), iops: Iops(iops), throughput: BytesPerSec::mib(mib) };
        let sold = |p: VolumeProvision| DiskLimits::of(&offer.kind, &offer.volume(p), None).ok();
        let carries = |p: VolumeProvision| sold(p).is_some_and(|l| {
            l.size >= need.size && l.iops.0 >= need.iops.0 && l.throughput.0 >= need.throughput.0
        });
        match offer.least(need, None) {
            Ok(p) => {
                let limits = sold(p).unwrap();
                prop_assert_eq!((limits.iops, limits.throughput), (offer.iops(p), offer.throughput(p)));
                prop_assert!(carries(p), "{p:?} of {}", offer.kind.name);
                for q in [
                    VolumeProvision { gib: p.gib - 1, ..p },
                    VolumeProvision { iops: p.iops.saturating_sub(1), ..p },
                    VolumeProvision { mib_s: p.mib_s.saturating_sub(1), ..p },
                ] {
                    prop_assert!(q == p || !carries(q) || offer.monthly(q).0 >= offer.monthly(p).0, "{q:?} of {}", offer.kind.name);
                }
            }
            Err(beyond) => {
                prop_assert!(beyond.asked > beyond.most, "{beyond}");
                prop_assert!(LayoutConstraint::of_volume(beyond.limit, false).is_some());
            }
        }
    }
}

#[test]
fn a_search_counts_all_that_it_does() {
    let market = market();
    let certain = workload(TPCC);
    let uncertain = workload(&TPCC.replace("throughput = 50000", "throughput = \"40000..50000\""));
    for workload in [certain, uncertain] {
        let progress = PlanProgress::default();
        assert_eq!(progress.share(), 0.0);
        let planner = Planner::new(EngineCalibration::embedded(), &market).counted(&progress);
        planner.plan_uncertain(&workload, &PlanOptions::default(), 20, 1).unwrap();
        assert_eq!(progress.share(), 1.0);
    }
}

#[test]
fn the_cost_curve_is_the_plan_at_the_target_and_more_throughput_never_costs_less() {
    let (market, task) = (market(), tpcc(|_| ()));
    let planner = Planner::new(EngineCalibration::embedded(), &market);
    let options = PlanOptions::default();
    let curve = planner.cost_curve(&task, &options).unwrap();
    let target = curve.throughputs.iter().position(|throughput| *throughput == task.targets.throughput).unwrap();
    let price = |plan: &plan::Plan| plan.monthly().0;
    let best =
        curve.lines.iter().filter_map(|line| line.best[target].as_ref()).map(price).fold(f64::INFINITY, f64::min);
    let planned = price(&planner.plan(&task, &options).unwrap().plans[0]);
    assert!((best - planned).abs() < 1e-6 * planned, "{best} on the curve, {planned} planned");
    for line in &curve.lines {
        let prices: Vec<f64> = line.best.iter().flatten().map(price).collect();
        assert!(prices.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6 * pair[0]), "{}: {prices:?}", line.disk);
        let kinds = line.best.iter().flatten().filter_map(|plan| plan.deployment.nodes[0].data.as_ref());
        assert!(kinds.map(|disk| &disk.volume.kind).all(|kind| *kind == line.disk), "{}", line.disk);
    }
    assert!(curve.lines.iter().any(|line| line.disk == "gp3") && curve.lines.len() > 2);
}
