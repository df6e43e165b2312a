//! What is distributed beside the program: the module for Python, the pilot's service, its manifests for Kubernetes, the package's
//! scripts. `make dist-test` installs the packages themselves.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testkit::tool;

fn packaging(file: &str) -> PathBuf {
    Path::new("../../packaging").join(file).canonicalize().unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn passes(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}\n{stdout}\n{stderr}");
    format!("{stdout}{stderr}")
}

#[test]
fn the_python_module_answers_with_this_program() {
    let said = passes(
        Command::new("python3")
            .args(["-m", "unittest", "--verbose", "test_module"])
            .current_dir(packaging("python/tests"))
            .env("PYTHONPATH", packaging("python/src"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DISKWRIGHT", env!("CARGO_BIN_EXE_diskwright")),
    );
    assert!(said.contains("Ran 1"), "{said}");
}

/// The service with a program that is there, as it is in a folder of its own.
fn service(folder: &Path, change: impl Fn(&str) -> String) -> PathBuf {
    let text = std::fs::read_to_string(packaging("systemd/diskwright-pilot.service")).unwrap();
    let path = folder.join("diskwright-pilot.service");
    std::fs::write(&path, change(&text.replace("/usr/bin/diskwright", env!("CARGO_BIN_EXE_diskwright")))).unwrap();
    path
}

#[test]
fn the_pilots_service_is_one_that_systemd_takes_and_calls_confined() {
    // Containers have no systemd.
    if Command::new("systemd-analyze").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let verify = |path: &Path| {
        let output = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(path).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        said.lines().filter(|line| line.contains("diskwright-pilot")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(verify(&service(folder.path(), str::to_owned)), Vec::<String>::new());
    assert_ne!(verify(&service(folder.path(), |text| text.replace("UMask", "Umaks"))), Vec::<String>::new());
    let path = service(folder.path(), str::to_owned);
    // An exposure of 2.0 of 10 at most.
    passes(
        Command::new("systemd-analyze").args(["security", "--offline=true", "--threshold=20", "--no-pager"]).arg(path),
    );
}

#[test]
fn the_service_starts_the_pilot_with_arguments_that_it_takes() {
    let settings = std::fs::read_to_string(packaging("systemd/pilot.conf")).unwrap();
    let arguments = settings.lines().find_map(|line| line.strip_prefix("PILOT_ARGUMENTS=")).unwrap();
    let arguments: Vec<&str> = arguments.trim_matches('"').split(' ').collect();
    starts_a_pilot(&["pilot", "run"], &arguments);
}

/// Parses the arguments and gets as far as a cluster, which is not there.
fn starts_a_pilot(verb: &[&str], arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_diskwright"))
        .args(verb)
        .args(arguments)
        .env("DISKWRIGHT_PILOT", folder.path().join("pilot"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("unexpected argument") && !said.contains("Usage:"), "{arguments:?}: {said}");
    assert!(said.contains("127.0.0.1:2379") || said.contains("/tls/"), "{said}");
}

#[test]
fn scripts_of_the_package_are_sound_shell() {
    let scripts = ["deb/postinst", "deb/prerm", "deb/postrm", "dist.sh", "dist-test.sh"].map(packaging);
    passes(tool("shellcheck").args(scripts));
}

#[test]
fn every_file_of_the_package_is_there() {
    let manifest: toml::Table = std::fs::read_to_string("Cargo.toml").unwrap().parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    let assets = package["assets"].as_array().unwrap();
    let mut targets = BTreeSet::new();
    for asset in assets {
        let source = asset[0].as_str().unwrap();
        targets.insert(asset[1].as_str().unwrap().trim_end_matches('/').to_owned());
        // The program, and what `make dist` makes by it.
        if !source.starts_with("target/release/") {
            let folder = Path::new(source.trim_end_matches("*.toml"));
            assert!(folder.exists(), "{source}");
        }
    }
    for place in ["usr/bin", "usr/share/man/man1", "usr/lib/systemd/system", "etc/diskwright"] {
        assert!(targets.contains(place), "{place}");
    }
}

fn manifests(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(packaging(file)).unwrap();
    serde_saphyr::from_multiple::<Value>(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// What the schemas of Kubernetes' types say of manifests: how many they know, and what is wrong.
fn judged(manifests: &[Value]) -> (usize, String) {
    let mut node = tool("node");
    node.arg("tests/integration/kubernetes.mjs").arg(testkit::folder("operator/node_modules"));
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
fn the_pilots_manifests_are_taken_by_the_schemas_of_kubernetes() {
    for file in ["kubernetes/pilot.yaml", "kubernetes/pilot-maintenance.yaml"] {
        let all = manifests(file);
        assert_eq!(judged(&all), (all.len(), String::new()), "{file}");
    }
    let mut wrong = manifests("kubernetes/pilot.yaml");
    let set = wrong.iter_mut().find(|manifest| manifest["kind"] == "StatefulSet").unwrap();
    set["spec"]["replicas"] = "one".into();
    assert!(judged(&wrong).1.contains("/spec/replicas: type"));
}

#[test]
fn a_pilot_in_kubernetes_has_the_rights_that_it_asks_for_and_no_others() {
    let mut granted = BTreeSet::new();
    for role in manifests("kubernetes/pilot-maintenance.yaml") {
        for rule in role["rules"].as_array().into_iter().flatten() {
            for (verb, resource) in rule["verbs"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|verb| rule["resources"].as_array().unwrap().iter().map(move |resource| (verb, resource)))
            {
                granted.insert(format!("{} {}", verb.as_str().unwrap(), resource.as_str().unwrap()));
            }
        }
    }
    let asked = ["get nodes", "patch nodes", "get pods", "create pods/eviction"];
    assert_eq!(granted, asked.map(str::to_owned).into());
    let source = std::fs::read_to_string("../observe/kubernetes/src/api.rs").unwrap();
    for right in asked {
        let (verb, resource) = right.split_once(' ').unwrap();
        assert!(source.contains(&format!("(\"{verb}\", \"{resource}\"")), "the pilot asks whether it may {right}");
    }
}

#[test]
fn the_pilots_pod_has_no_token_no_root_and_arguments_that_the_pilot_takes() {
    let all = manifests("kubernetes/pilot.yaml");
    let set = all.iter().find(|manifest| manifest["kind"] == "StatefulSet").unwrap();
    let pod = &set["spec"]["template"]["spec"];
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
    let container = &pod["containers"][0];
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert_eq!(container["securityContext"]["capabilities"]["drop"][0], "ALL");
    let arguments: Vec<&str> = container["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    starts_a_pilot(&[], &arguments);
}
