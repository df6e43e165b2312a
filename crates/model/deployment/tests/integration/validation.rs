//! Every fault of a deployment ends in one message that names the key and what to try.

use catalog::Catalog;
use diskwright_deployment::Deployment;
use textfile::Text;

const GOOD: &str = r#"
engine = "tikv"
region = "us-west-2"
zones = 3

[[nodes]]
role = "storage"
count = 3
instance = "m5d.2xlarge"
data = "gp3:1000GiB,6000iops,250MiB/s"
log = "gp3:20GiB"

[settings]
block-size = "16KiB"
"#;

/// The fault of the good deployment with `old` replaced by `new`.
#[track_caller]
fn fault(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "the test replaces what is not there: {old}");
    let text = Text::new("a.toml", GOOD.replacen(old, new, 1));
    let deployment = Deployment::from_text(&text).unwrap();
    let view = Catalog::embedded().at(deployment.as_of);
    deployment.validate(&view).expect_err("it should be refused").locate(&text).to_string()
}

#[track_caller]
fn refused(old: &str, new: &str, line: u32, words: &str) {
    let message = fault(old, new);
    assert!(message.starts_with(&format!("a.toml:{line}:")), "expected line {line}: {message}");
    assert!(message.contains(words), "expected `{words}`: {message}");
}

#[test]
fn the_deployment_itself_is_fine() {
    let deployment = Deployment::from_text(&Text::new("a.toml", GOOD)).unwrap();
    assert_eq!(deployment.validate(&Catalog::embedded().at(None)), Ok(()));
}

#[test]
fn an_unknown_region_is_refused() {
    refused("us-west-2", "us-wets-2", 3, "did you mean `us-west-2`");
}

#[test]
fn an_unknown_instance_is_refused() {
    refused("m5d.2xlarge", "m5d.2xlrage", 9, "did you mean `m5d.2xlarge`");
}

#[test]
fn a_disk_type_that_was_not_sold_that_day_is_refused() {
    refused("zones = 3", "zones = 3\nas-of = \"2020-11-30\"", 11, "gp3");
}

#[test]
fn rates_over_what_the_disk_type_allows_are_refused() {
    refused("6000iops,250MiB/s", "6000iops,1600MiB/s", 10, "gp3");
}

#[test]
fn an_instance_of_another_cloud_than_the_region_is_refused() {
    refused("us-west-2", "us-central1", 9, "`m5d.2xlarge` is of AWS, but the region `us-central1` is of Google Cloud");
}

#[test]
fn a_disk_of_another_cloud_than_the_region_is_refused() {
    refused("gp3:1000GiB,6000iops,250MiB/s", "pd-ssd:1000GiB", 10, "`pd-ssd` is of Google Cloud");
}

#[test]
fn a_storage_node_without_a_data_disk_is_refused() {
    refused("data = \"gp3:1000GiB,6000iops,250MiB/s\"", "", 6, "add `data = \"gp3:1000GiB\"`");
}

#[test]
fn tiflash_keeps_data_beside_tikv_and_never_beside_innodb() {
    let more = "\n[[nodes]]\nrole = \"tiflash\"\ncount = 2\ninstance = \"m5d.2xlarge\"\n\n[settings]";
    refused("\n[settings]", more, 13, "a node that keeps data needs a data disk");
    let text =
        GOOD.replace("tikv", "innodb").replace("log = \"gp3:20GiB\"\n", "").replace("\"storage\"", "\"tiflash\"");
    let storage =
        "[[nodes]]\nrole = \"storage\"\ncount = 3\ninstance = \"m5d.2xlarge\"\ndata = \"gp3:100GiB\"\n\n[settings]";
    let text = Text::new("a.toml", text.replace("[settings]\nblock-size = \"16KiB\"", storage));
    let error = Deployment::from_text(&text).unwrap().validate(&Catalog::embedded().at(None)).unwrap_err();
    assert!(error.to_string().contains("InnoDB has no `tiflash`"), "{error}");
}

#[test]
fn a_deployment_without_storage_is_refused() {
    refused("\"storage\"", "\"sql\"", 6, "no node holds data");
}

#[test]
fn no_nodes_and_no_zones_are_refused() {
    refused("count = 3", "count = 0", 8, "must be more than zero");
    refused("zones = 3", "zones = 0", 4, "must be more than zero");
}

#[test]
fn more_nodes_than_any_cluster_has_are_refused_whichever_group_they_are_in() {
    refused("count = 3", "count = 4294967295", 8, "4294967295 is more than 10000, the most nodes that are worked with");
    let sql = "[[nodes]]\nrole = \"sql\"\ncount = 9998\ninstance = \"c5.4xlarge\"\n\n[settings]";
    refused("[settings]", sql, 15, "10001 is more than 10000");
    let text = Text::new("a.toml", GOOD.replacen("count = 3", "count = 10000", 1));
    assert_eq!(Deployment::from_text(&text).unwrap().validate(&Catalog::embedded().at(None)), Ok(()));
}

#[test]
fn more_zones_or_replicas_than_any_cluster_has_are_refused() {
    refused("zones = 3", "zones = 4294967295", 4, "4294967295 is more than 100, the most zones");
    let many = "block-size = \"16KiB\"\nreplicas = 4294967295";
    refused("block-size = \"16KiB\"", many, 15, "4294967295 is more than 9, the most replicas");
}

#[test]
fn more_zones_than_nodes_are_refused() {
    refused("zones = 3", "zones = 4", 4, "only 3 storage nodes");
}

#[test]
fn more_replicas_than_nodes_are_refused() {
    refused("block-size = \"16KiB\"", "replicas = 5", 14, "5 replicas need as many storage nodes, there are 3");
}

#[test]
fn default_replicas_count_too() {
    refused(
        "zones = 3\n\n[[nodes]]\nrole = \"storage\"\ncount = 3",
        "zones = 1\n\n[[nodes]]\nrole = \"storage\"\ncount = 2",
        6,
        "3 replicas",
    );
}

#[test]
fn more_volumes_than_the_instance_attaches_are_refused() {
    let message = fault("\"gp3:1000GiB,6000iops,250MiB/s\"", "\"26x(gp3:1000GiB)\"");
    // 26 data volumes, the log and the root disk.
    assert!(message.contains("28 volumes (the root disk among them)"), "{message}");
}

#[test]
fn a_cache_larger_than_the_local_store_is_refused() {
    refused("250MiB/s\"", "250MiB/s+cache(nvme:400GiB)\"", 10, "m5d.2xlarge has");
}

#[test]
fn local_disks_and_caches_share_the_local_store() {
    let nodes = "data = \"nvme:200GiB\"\nlog = \"nvme:200GiB\"";
    let message = fault("data = \"gp3:1000GiB,6000iops,250MiB/s\"\nlog = \"gp3:20GiB\"", nodes);
    assert!(message.contains("take 400.0GiB") || message.contains("take 400GiB"), "{message}");
}

#[test]
fn a_local_disk_needs_local_flash() {
    let text = GOOD.replace("m5d.2xlarge", "m5.2xlarge").replace("gp3:1000GiB,6000iops,250MiB/s", "nvme:100GiB");
    let deployment = Deployment::from_text(&Text::new("a.toml", text)).unwrap();
    let error = deployment.validate(&Catalog::embedded().at(None)).unwrap_err();
    assert_eq!(error.key, "nodes.0.data");
    assert!(error.to_string().contains("m5.2xlarge has no local flash"), "{error}");
}

#[test]
fn innodb_takes_no_log_disk_and_no_replicas() {
    refused("engine = \"tikv\"", "engine = \"innodb\"", 11, "InnoDB has no `log`");
    let text = GOOD.replace("tikv", "innodb").replace("log = \"gp3:20GiB\"\n", "");
    for (setting, name) in [("replicas = 3", "replicas"), ("block-size = \"4KiB\"", "block-size")] {
        let text = Text::new("a.toml", text.replace("block-size = \"16KiB\"", setting));
        let error = Deployment::from_text(&text).unwrap().validate(&Catalog::embedded().at(None)).unwrap_err();
        assert_eq!(error.to_string(), format!("`settings.{name}`: InnoDB has no `{name}`; remove it"));
    }
}

#[test]
fn tikv_has_no_doublewrite() {
    refused("block-size = \"16KiB\"", "doublewrite = true", 14, "TiKV has no `doublewrite`");
}

#[test]
fn blocks_with_which_tikv_does_not_start_are_refused() {
    refused("\"16KiB\"", "\"33MiB\"", 14, "33MiB is more than 32MiB");
    refused("\"16KiB\"", "0", 14, "must be more than zero");
    refused("\"16KiB\"", "\"1023B\"", 14, "1023B is less than 1KiB, the smallest with which TiKV starts");
}

#[test]
fn a_block_cache_larger_than_memory_is_refused() {
    refused(
        "block-size = \"16KiB\"",
        "block-cache = \"64GiB\"",
        14,
        "64GiB is more than 32GiB, the memory of m5d.2xlarge",
    );
}

#[test]
fn nodes_that_speak_sql_need_no_disks_and_cost_their_price() {
    let sql = "[[nodes]]\nrole = \"sql\"\ncount = 2\ninstance = \"c5.4xlarge\"\n\n[settings]";
    let of = |content: &str| Deployment::from_text(&Text::new("a.toml", content)).unwrap();
    let (without, with) = (of(GOOD), of(&GOOD.replace("[settings]", sql)));
    let view = Catalog::embedded().at(None);
    with.validate(&view).unwrap();
    assert_eq!((with.storage_nodes(), with.sql().map(|group| group.count).sum::<u32>()), (3, 2));
    let compute = |deployment: &Deployment| deployment.monthly(&view).unwrap().compute;
    assert!(compute(&with) > compute(&without));
}

#[test]
fn a_sql_node_of_an_unknown_instance_is_refused_at_its_line() {
    let sql = "[[nodes]]\nrole = \"sql\"\ncount = 2\ninstance = \"c5.4xlrage\"\n\n[settings]";
    refused("[settings]", sql, 16, "did you mean `c5.4xlarge`");
}

#[test]
fn clustered_indexes_are_tidbs() {
    let text = Text::new("a.toml", GOOD.replace("block-size = \"16KiB\"", "clustered-index = \"int-only\""));
    assert_eq!(Deployment::from_text(&text).unwrap().validate(&Catalog::embedded().at(None)), Ok(()));
    let text =
        "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\nnodes = []\n[settings]\nclustered-index = \"off\"";
    let error = Deployment::from_text(&Text::new("a.toml", text)).unwrap_err().to_string();
    assert!(error.contains("expected one of on, int-only"), "{error}");
}
