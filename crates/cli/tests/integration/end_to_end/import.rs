//! `import`: a deployment of what exists, its holes, and what is wrong with it.

use crate::end_to_end::common::{Run, json, run};

const TOPOLOGY: &str = "\
tikv_servers:
  - { host: h1, config: { server.labels: { zone: a, host: h1 } } }
  - { host: h2, config: { server.labels: { zone: b, host: h2 } } }
  - { host: h3, config: { server.labels: { zone: c, host: h3 }, rocksdb.rate-bytes-per-sec: 10GB } }
";

#[test]
fn what_import_writes_is_a_deployment_that_check_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("topology.yaml"), folder.path().join("deployment.toml"));
    std::fs::write(&file, TOPOLOGY.replace(", rocksdb.rate-bytes-per-sec: 10GB", "")).unwrap();
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let Run { code, stdout, .. } = run(&["import", file]);
    assert!(
        code == 0 && stdout.contains("nodes.0.instance: the instance type: --instance tikv=m5.2xlarge"),
        "{stdout}"
    );
    let Run { code, stderr, .. } = run(&["import", file, "--out", out]);
    assert!(code == 2 && stderr.contains("region is missing, say it with --region us-west-2"), "{stderr}");
    let filled = ["--region", "us-west-2", "--instance", "m5.4xlarge", "--disk", "gp3:1000GiB", "--out", out];
    let (code, answer) = json(&[&["import", file], &filled[..]].concat());
    assert_eq!((code, answer["deployment"]["zones"].as_u64()), (0, Some(3)), "{answer:#}");
    let Run { code, stderr, .. } = run(&["check", out, "examples/social-inserts.toml"]);
    assert!(code < 2, "check reads it: {stderr}");
}

#[test]
fn a_setting_that_contradicts_the_disk_is_a_no() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("topology.yaml");
    std::fs::write(&file, TOPOLOGY).unwrap();
    let (code, answer) = json(&["import", file.to_str().unwrap(), "--disk", "gp3:1000GiB"]);
    let finding = &answer["findings"][0];
    assert_eq!((code, finding["key"].as_str()), (1, Some("rocksdb.rate-bytes-per-sec")), "{answer:#}");
    assert!(finding["place"].as_str().unwrap().ends_with("topology.yaml:4"));
}
