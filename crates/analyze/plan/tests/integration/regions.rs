//! Plans in every region of every cloud: what is shown can be bought and attached there.

use std::path::Path;

use catalog::{Catalog, CatalogView, Cloud};
use engine::EngineCalibration;
use plan::{Market, Plan, PlanOptions, Planner};
use workload::Workload;

const TPCC: &str = "../../../examples/tpcc-5000.toml";

/// Every part has a price there, goes with the others, and the whole costs what the plan says.
fn assert_sold(view: &CatalogView, region: &str, plan: &Plan) {
    let named = format!("{region}: {}", plan.deployment.name);
    plan.deployment.validate(view).unwrap_or_else(|error| panic!("{named}: {error}"));
    for group in &plan.deployment.nodes {
        let instance = view.instance(&group.instance).unwrap();
        assert!(view.instance_price(region, &instance.name).is_ok(), "{named}");
        for (_, disk) in group.disks() {
            disk.limits(view, Some(instance)).unwrap_or_else(|error| panic!("{named}: {error}"));
            disk.monthly_on(view, region, Some(instance)).unwrap_or_else(|error| panic!("{named}: {error}"));
        }
    }
    let costs = plan.deployment.monthly(view).unwrap();
    assert!((costs.total().0 - plan.usd.compute.0 - plan.usd.disks.0).abs() < 1e-6, "{named}");
}

#[test]
fn regions_of_all_clouds_answer_with_what_is_sold_there() {
    let view = Catalog::embedded().at(None);
    let workload = Workload::read(Path::new(TPCC)).unwrap();
    let task = workload.middle().unwrap();
    let options = PlanOptions { top: 3, ..PlanOptions::default() };
    let mut answered = [0; 3];
    for (region, cloud) in view.regions() {
        let market = Market::from_view(&view, region).unwrap();
        let Ok(answer) = Planner::new(EngineCalibration::embedded(), &market).plan(&task, &options) else { continue };
        answered[cloud as usize] += usize::from(!answer.plans.is_empty());
        for plan in &answer.plans {
            assert_sold(&view, region, plan);
        }
    }
    let [aws, gcp, azure] = [Cloud::Aws, Cloud::Gcp, Cloud::Azure].map(|cloud| answered[cloud as usize]);
    assert!(aws >= 30 && gcp >= 30 && azure >= 40, "{aws} regions of AWS, {gcp} of Google, {azure} of Azure");
}
