//! The deployments in `examples/` are read, valid, priced and checked.

use std::path::{Path, PathBuf};

use catalog::{Catalog, CatalogView};
use diskwright_deployment::{Deployment, check};
use units::Usd;

const NAMES: [&str; 10] = [
    "tpcc-5000-m5.4xlarge",
    "tpcc-5000-m5.2xlarge",
    "tpcc-5000-raid0",
    "tpcc-5000-m5d.2xlarge",
    "raft-shared",
    "raft-dedicated",
    "rds-gp2",
    "rds-io1",
    "htap",
    "undeliverable",
];

fn file(name: &str) -> PathBuf {
    Path::new("../../../examples").join(format!("{name}.toml"))
}

fn example(name: &str) -> (Deployment, CatalogView) {
    let deployment = Deployment::read(file(name)).unwrap();
    let view = Catalog::embedded().at(deployment.as_of);
    (deployment, view)
}

fn monthly(name: &str) -> (Usd, Usd) {
    let (deployment, view) = example(name);
    let costs = deployment.monthly(&view).unwrap();
    (costs.compute, costs.disks)
}

#[track_caller]
fn assert_near(ours: f64, expected: f64, tolerance: f64) {
    assert!((ours / expected - 1.0).abs() <= tolerance, "{ours} is not within {tolerance} of {expected}");
}

#[test]
fn every_example_is_valid_on_its_day() {
    for name in NAMES {
        let (deployment, view) = example(name);
        deployment.validate(&view).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn the_readme_lists_every_example() {
    let folder = file("x").with_file_name("");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let missing: Vec<String> =
        files.filter(|name| name != "README.md" && !readme.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn two_gp2_in_raid_0_cost_40_percent_of_the_provisioned_volume() {
    let (_, provisioned) = monthly("tpcc-5000-m5.4xlarge");
    let (_, striped) = monthly("tpcc-5000-raid0");
    assert_near(striped.0 / provisioned.0, 0.40, 0.03);
}

#[test]
fn rds_volumes_cost_what_the_blog_says() {
    assert_near(monthly("rds-gp2").1.0, 40.0, 0.01);
    assert_near(monthly("rds-io1").1.0, 375.0, 0.01);
}

#[test]
fn a_raft_disk_costs_four_thousandths_more() {
    let total = |name| {
        let (compute, disks) = monthly(name);
        (compute + disks).0
    };
    let more = total("raft-dedicated") / total("raft-shared") - 1.0;
    assert!((0.002..0.006).contains(&more), "{more}");
}

#[test]
fn the_undeliverable_one_fails_on_throughput_and_on_the_instance() {
    let (deployment, view) = example("undeliverable");
    let report = check(&deployment, &view, &deployment.asks.unwrap()).unwrap();
    insta::assert_json_snapshot!(report);
}
