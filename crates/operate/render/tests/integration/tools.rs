//! What is rendered is taken by the programs that read it. `make tools` puts them in place; a missing one is a failure.

use crate::common;

use std::io::Write;
use std::process::Stdio;

use common::{files, passes};
use render::FileFormat;
use testkit::tool;

#[test]
fn cloudformation_is_taken_by_cfn_lint() {
    let folder = tempfile::tempdir().unwrap();
    // Informational findings count too.
    passes(
        tool("cfn-lint")
            .args(["--non-zero-exit-code", "informational", "--include-checks", "I", "--"])
            .args(files(FileFormat::Cloudformation, folder.path())),
    );
}

#[test]
fn alert_rules_are_taken_by_promtool() {
    let folder = tempfile::tempdir().unwrap();
    passes(tool("promtool").args(["check", "rules"]).args(files(FileFormat::Prometheus, folder.path())));
}

#[test]
fn alerts_fire_on_what_they_are_for_and_not_below() {
    let folder = tempfile::tempdir().unwrap();
    let rules = files(FileFormat::Prometheus, folder.path());
    let of = rules.iter().find(|path| path.to_string_lossy().contains("raft-dedicated")).unwrap();
    let tests = folder.path().join("tests.yml");
    // Both gp3 together have 6,000 I/Os a second: the first host makes 5,700, the second 5,100, in two directions.
    let text = format!(
        "rule_files: ['{}']\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n{}    alert_rule_test:\n      \
         - eval_time: 15m\n        alertname: DiskIopsNearLimit\n        exp_alerts:\n          - exp_labels: {{severity: warning, instance: 'tikv-1:9100'}}\n            \
         exp_annotations:\n              summary: 'tikv-1:9100: over 90 % of the I/O rate that the disks sustain'\n              \
         description: 'Raise the volume''s IOPS; if the instance is the limit, take a larger one.'\n      \
         - eval_time: 15m\n        alertname: DiskStalled\n        exp_alerts: []\n",
        of.display(),
        [("tikv-1", 171_000), ("tikv-2", 153_000)]
            .map(|(host, per_minute)| ["reads", "writes"]
                .map(|way| format!(
                    "      - series: 'node_disk_{way}_completed_total{{instance=\"{host}:9100\",device=\"nvme1n1\"}}'\n        values: '0+{per_minute}x20'\n"
                ))
                .concat())
            .concat()
    );
    std::fs::write(&tests, text).unwrap();
    passes(tool("promtool").args(["test", "rules"]).arg(&tests));
}

/// What the schemas of the operators' types say of manifests: how many they know, and what is wrong.
fn judged(manifests: &[serde_json::Value]) -> (usize, String) {
    let script = "tests/integration/operator.mjs";
    let mut node = tool("node");
    node.arg(script).arg(testkit::folder("operator/node_modules"));
    node.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = node.spawn().unwrap_or_else(|error| panic!("node cannot be run: {error}; run `make tools`"));
    let lines: String = manifests.iter().map(|manifest| manifest.to_string() + "\n").collect();
    running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}; run `make tools`");
    (String::from_utf8_lossy(&output.stdout).trim().parse().unwrap(), said)
}

#[test]
fn manifests_are_taken_by_the_schemas_of_both_operators() {
    let folder = tempfile::tempdir().unwrap();
    for (format, replicas) in
        [(FileFormat::Operator, "/spec/tikv/replicas"), (FileFormat::OperatorV2, "/spec/replicas")]
    {
        let texts = files(format, folder.path()).into_iter().map(|path| std::fs::read_to_string(path).unwrap());
        let mut manifests: Vec<serde_json::Value> =
            texts.flat_map(|text| serde_saphyr::from_multiple::<serde_json::Value>(&text).unwrap()).collect();
        manifests.retain(|manifest| !manifest["apiVersion"].as_str().unwrap().starts_with("storage.k8s.io"));
        assert!(!manifests.is_empty());
        assert_eq!(judged(&manifests), (manifests.len(), String::new()), "{format}");
        *manifests.iter_mut().find_map(|manifest| manifest.pointer_mut(replicas)).unwrap() = "three".into();
        let (_, said) = judged(&manifests);
        assert!(said.contains(&format!("{replicas}: type")), "{said}");
    }
}

#[test]
fn host_scripts_are_sound_shell() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = files(FileFormat::Host, folder.path());
    for script in &scripts {
        passes(tool("bash").arg("-n").arg(script));
    }
    passes(tool("shellcheck").args(&scripts));
}

#[test]
fn a_host_script_refuses_devices_that_are_too_few_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = files(FileFormat::Host, folder.path());
    let script = scripts.iter().find(|path| path.to_string_lossy().contains("raid0")).unwrap();
    let run = |args: &[&str]| {
        let output = tool("bash").arg(script).args(args).output().unwrap();
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let few = run(&["--data", "/dev/null", "--user", "root"]);
    assert!(few.contains("expected 2 devices after --data") || few.contains("must run as root"), "{few}");
    let none = run(&["--data", "/dev/null,/dev/null", "--user", "root"]);
    assert!(none.contains("is no block device") || none.contains("must run as root"), "{none}");
    assert!(run(&["--disk"]).contains("unknown argument --disk"));
}
