//! Calculations that others made by hand or with the clouds' calculators, made again from the catalogue.

use catalog::{Catalog, CatalogView, Cloud, DatabaseEngine, PriceTerm};
use deployment::Deployment;
use disk::Disk;
use textfile::Text;

const MONTH_HOURS: f64 = 730.0;

fn view() -> CatalogView {
    Catalog::embedded().at(None)
}

/// What a deployment of one group of nodes costs a month.
fn deployed(region: &str, zones: u32, count: u32, instance: &str, data: &str) -> f64 {
    let text = format!(
        "name = \"calculated\"\nengine = \"innodb\"\nregion = \"{region}\"\nzones = {zones}\n[[nodes]]\nrole = \"storage\"\n\
         count = {count}\ninstance = \"{instance}\"\ndata = \"{data}\"\n"
    );
    let deployment = Deployment::from_text(&Text::new("calculated.toml", &text)).unwrap();
    deployment.validate(&view()).unwrap();
    deployment.monthly(&view()).unwrap().total().0
}

fn month(region: &str, instance: &str, engine: Option<DatabaseEngine>, term: PriceTerm) -> f64 {
    view().hourly(region, instance, engine, term).unwrap().0 * MONTH_HOURS
}

fn disk(region: &str, disk: &str, instance: Option<&str>) -> f64 {
    let view = view();
    let instance = instance.map(|name| view.instance(name).unwrap());
    disk.parse::<Disk>().unwrap().monthly_on(&view, region, instance).unwrap().0
}

#[track_caller]
fn assert_near(ours: f64, theirs: f64) {
    assert!((ours / theirs - 1.0).abs() <= 0.005, "{ours:.2} is not within 0.5 % of {theirs}");
}

#[test]
fn an_m5_with_a_provisioned_gp3_in_virginia() {
    // aws.amazon.com/ec2/pricing/on-demand: $0.384 an hour; aws.amazon.com/ebs/pricing: 500 × 0.08 + 3,000 × 0.005 + 125 × 0.04.
    assert_near(deployed("us-east-1", 1, 1, "m5.2xlarge", "gp3:500GiB,6000iops,250MiB/s"), 280.32 + 40.0 + 15.0 + 5.0);
}

#[test]
fn three_i3_on_their_own_flash_in_oregon() {
    // aws.amazon.com/ec2/pricing/on-demand: $0.624 an hour, the flash with it.
    assert_near(deployed("us-west-2", 3, 3, "i3.2xlarge", "nvme:1700GiB"), 1366.56);
}

#[test]
fn the_volumes_of_the_tidb_guide_in_oregon() {
    // PingCAP, TiDB on AWS best practices (2020): $40 and $375.
    assert_near(disk("us-west-2", "gp2:400GiB", None), 40.0);
    assert_near(disk("us-west-2", "io1:400GiB,5000iops", None), 375.0);
}

#[test]
fn an_m5_reserved_for_a_year_without_upfront() {
    // aws.amazon.com/ec2/pricing/reserved-instances: $43.80 a month.
    assert_near(month("us-east-1", "m5.large", None, PriceTerm::Reserved1y), 43.8);
}

#[test]
fn a_multi_az_postgres_of_rds_with_gp3() {
    // Public GitHub file 61631184241 (AWS price list, 2026-07-28): $464.28 and $10.35 for 45 GB, both zones together.
    let instances = 2.0 * month("us-east-1", "db.m6g.xlarge", Some(DatabaseEngine::Postgresql), PriceTerm::OnDemand);
    let storage = 2.0 * disk("us-east-1", "gp3:45GiB", Some("db.m6g.xlarge"));
    assert_near(instances, 464.28);
    assert_near(storage, 10.35);
    assert_near(instances + storage, 474.63);
    // The same file: db.r6g.xlarge Multi-AZ $656.27, 150 GB $34.50.
    let instances = 2.0 * month("us-east-1", "db.r6g.xlarge", Some(DatabaseEngine::Postgresql), PriceTerm::OnDemand);
    assert_near(instances + 2.0 * disk("us-east-1", "rds-gp3:150GiB", None), 656.27 + 34.5);
}

#[test]
fn a_multi_az_mysql_of_rds_as_a_deployment_of_two_zones() {
    // 2 × ($0.45 less PostgreSQL's surcharge = $0.43, aws.amazon.com/rds/mysql/pricing) × 730 + 2 × 500 × 0.115.
    assert_near(deployed("us-east-1", 2, 2, "db.r6g.xlarge", "gp3:500GiB"), 2.0 * 0.43 * 730.0 + 115.0);
}

#[test]
fn writer_and_reader_of_aurora() {
    // Public GitHub file 61631184241: db.r6g.2xlarge, standard, writer and reader: $1,515.48.
    let one = month("us-east-1", "db.r6g.2xlarge", Some(DatabaseEngine::AuroraPostgresql), PriceTerm::OnDemand);
    assert_near(2.0 * one, 1515.48);
}

#[test]
fn a_tebibyte_of_rds_storage() {
    // DoiT, RDS Storage: GP3, GP2 and Provisioned IOPS Cost Comparison (2024-03-05): 1,000 GB cost $115 as gp2 and as gp3.
    for kind in ["gp2", "gp3"] {
        assert_near(disk("us-east-1", &format!("{kind}:1000GiB"), Some("db.m5.large")), 115.0);
    }
}

#[test]
fn an_n2_with_an_ssd_persistent_disk_in_iowa() {
    // cloud.google.com/compute/vm-instance-pricing: $283.58 a month; disks-image-pricing: 500 × 0.17.
    assert_near(deployed("us-central1", 1, 1, "n2-standard-8", "pd-ssd:500GiB"), 283.58 + 85.0);
}

#[test]
fn a_dsv5_with_a_p30_in_east_us_on_demand_and_reserved() {
    // azure.microsoft.com/pricing/calculator: D8s v5 Linux $280.32, P30 LRS $135.17, reserved for a year about 41 % less.
    assert_near(deployed("eastus", 1, 1, "Standard_D8s_v5", "premium-v1-p30:1024GiB"), 280.32 + 135.17);
    assert_near(month("eastus", "Standard_D8s_v5", None, PriceTerm::Reserved1y), 165.42);
}

#[test]
fn ten_terabytes_between_zones() {
    // AWS: $0.01 a GB on either side; Google: $0.01 a GiB from the sender; Azure: nothing.
    let usd = |cloud| view().transfer(cloud).unwrap().per_gb.0 * 10_000.0;
    assert_near(usd(Cloud::Aws), 200.0);
    assert_near(usd(Cloud::Gcp), 93.13);
    assert!(usd(Cloud::Azure) == 0.0);
}
