//! `diskwright render`: files, refusals and what is told of them.

use std::fs;
use std::path::Path;

use crate::end_to_end::common::{json, run};

fn render(deployment: &str, out: &Path, more: &[&str]) -> crate::end_to_end::common::Run {
    run(&[&["render", deployment, "--out", out.to_str().unwrap()], more].concat())
}

#[test]
fn a_deployment_becomes_the_files_that_the_table_tells_of() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("cluster");
    let result = render("examples/htap.toml", &out, &[]);
    assert_eq!((result.code, result.stderr.as_str()), (0, ""));
    assert!(result.stdout.lines().all(|line| line.chars().count() <= 100), "{}", result.stdout);
    let mut files: Vec<String> =
        fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert!(files.contains(&"topology.yaml".to_owned()) && !files.contains(&"inventory.ini".to_owned()), "{files:?}");
    assert!(result.stdout.contains("ansible is left out"), "{}", result.stdout);
    for file in files {
        assert!(result.stdout.contains(&file), "{file} is not in: {}", result.stdout);
    }
}

#[cfg(unix)]
#[test]
fn host_scripts_can_be_run_and_settings_cannot() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    render("examples/raft-dedicated.toml", folder.path(), &["--only", "host,tikv"]);
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o111;
    assert!(mode("prepare-tikv.sh") != 0 && mode("tikv.toml") == 0);
}

#[test]
fn json_has_the_promised_keys_and_traffic_when_the_load_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let (code, answer) = json(&[
        "render",
        "examples/tpcc-5000-m5.4xlarge.toml",
        "examples/tpcc-5000.toml",
        "--out",
        out,
        "--only",
        "tiup,sql",
    ]);
    assert_eq!((code, answer["tikv"].as_str()), (0, Some("8.5")));
    let formats: Vec<&str> =
        answer["files"].as_array().unwrap().iter().map(|f| f["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["tiup", "sql"]);
    assert!(
        answer["files"].as_array().unwrap().iter().all(|file| file["fate"] == "written" && file["purpose"].is_string())
    );
    let traffic = answer["traffic"].as_array().unwrap();
    let gb = |i: usize| traffic[i]["gb"].as_f64().unwrap();
    assert!(gb(1) < gb(0) && gb(2) < gb(0) && gb(3) < gb(1) && gb(3) < gb(2), "{traffic:?}");
    assert!(traffic.iter().all(|variant| variant["usd"].as_f64().unwrap() > 0.0));
    assert_eq!(traffic.iter().filter(|variant| variant["chosen"] == true).count(), 1);
}

#[test]
fn files_that_say_something_else_are_kept_until_forced() {
    let folder = tempfile::tempdir().unwrap();
    let only = ["--only", "pd,tikv"];
    assert_eq!(render("examples/raft-dedicated.toml", folder.path(), &only).code, 0);
    let again = render("examples/raft-dedicated.toml", folder.path(), &only);
    assert!(again.code == 0 && again.stdout.contains("2 unchanged"), "{}", again.stdout);
    let path = folder.path().join("tikv.toml");
    fs::write(&path, "# mine\n").unwrap();
    let refused = render("examples/raft-dedicated.toml", folder.path(), &only);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("tikv.toml") && refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
    assert_eq!(render("examples/raft-dedicated.toml", folder.path(), &[&only[..], &["--force"]].concat()).code, 0);
    assert!(fs::read_to_string(&path).unwrap().contains("rate-bytes-per-sec"));
}

#[test]
fn the_version_decides_on_keys_and_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let settings = |version: &str| {
        let out = folder.path().join(version);
        assert_eq!(render("examples/raft-dedicated.toml", &out, &["--only", "tikv", "--tikv", version]).code, 0);
        fs::read_to_string(out.join("tikv.toml")).unwrap()
    };
    let (old, middle, new) = (settings("7.5"), settings("8.1"), settings("8.5"));
    assert!(old.contains("store-io-pool-size") && !middle.contains("store-io-pool-size"));
    assert!(middle.contains("region-split-size") && !new.contains("region-split-size"));
    assert!(new.contains("compaction-readahead-size") && !middle.contains("compaction-readahead-size"));
}

#[test]
fn wrong_formats_versions_and_pairs_are_refused_in_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |deployment: &str, more: &[&str]| {
        let result = render(deployment, folder.path(), more);
        assert_eq!((result.code, result.stdout.as_str()), (2, ""), "{more:?}: {}", result.stderr);
        result.stderr
    };
    let unknown = refused("examples/htap.toml", &["--only", "tiup,cloudfromation"]);
    assert!(unknown.contains("`cloudformation`") && unknown.contains("operator-v2"), "{unknown}");
    let version = refused("examples/htap.toml", &["--tikv", "6.5"]);
    assert!(version.contains("7.5, 8.1, 8.5"), "{version}");
    let mysql = refused("examples/rds-gp2.toml", &["--only", "tiup"]);
    assert!(mysql.contains("tiup cannot be rendered: the deployment runs MySQL"), "{mysql}");
    let tikv = refused("examples/htap.toml", &["--only", "my-cnf"]);
    assert!(tikv.contains("the deployment runs TiKV"), "{tikv}");
    let pair = refused("examples/htap.toml", &["examples/rds-inserts.toml"]);
    assert!(pair.contains("the workload is for"), "{pair}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was written");
}

#[test]
fn a_deployment_that_cannot_be_had_is_refused_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    let text = fs::read_to_string("../../examples/htap.toml").unwrap();
    fs::write(&path, text.replace("gp3:20GiB", "gp33:20GiB")).unwrap();
    let result = render(path.to_str().unwrap(), &folder.path().join("out"), &[]);
    assert_eq!(result.code, 2);
    assert!(result.stderr.contains("bad.toml:") && result.stderr.contains("`gp3`"), "{}", result.stderr);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_the_environments_fault() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let result = render("examples/htap.toml", &folder.path().join("file"), &["--only", "pd"]);
    assert_eq!(result.code, 3, "{}", result.stderr);
}
