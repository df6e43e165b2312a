//! Where what is not ours comes from: tools of one version each, and every parser under the fuzzer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml::Table;

fn read(path: &str) -> String {
    let path = Path::new("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn toml(path: &str) -> Table {
    read(path).parse().unwrap()
}

/// The folder of every package of the workspace.
fn packages() -> Vec<PathBuf> {
    let within = |folder: PathBuf| folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let floors = within(PathBuf::from("../../crates")).chain([PathBuf::from("../../lab")]);
    let folders = floors.flat_map(|floor| within(floor.clone()).chain([floor]));
    folders.filter(|folder| folder.join("Cargo.toml").is_file()).collect()
}

/// The names of a folder's files, without their endings.
fn files(folder: &str) -> BTreeSet<String> {
    let files = Path::new("../..").join(folder).read_dir().unwrap();
    files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn make_fuzz_runs_every_target_and_make_test_its_check() {
    let manifest = toml("fuzz/Cargo.toml");
    let bins = manifest["bin"].as_array().unwrap();
    let targets: BTreeSet<String> = bins.iter().map(|bin| bin["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(targets, files("fuzz/fuzz_targets"), "each file is a target of fuzz/Cargo.toml");
    let mut checks = files("fuzz/checks");
    assert!(checks.remove("mutated"), "what makes bytes that are nearly valid");
    let check_of = |target: &str| {
        let text = std::fs::read_to_string(format!("../../fuzz/fuzz_targets/{target}.rs")).unwrap();
        let path = text.split("../checks/").nth(1).and_then(|rest| rest.split(".rs").next());
        path.unwrap_or_else(|| panic!("the target {target} runs no check")).to_owned()
    };
    let of_targets: BTreeSet<String> = targets.iter().map(|target| check_of(target)).collect();
    assert_eq!(of_targets, checks, "each target has its check, and each check a target");
    let run = Command::new("make").args(["--dry-run", "fuzz"]).current_dir("../..").output().unwrap();
    let run = String::from_utf8(run.stdout).unwrap();
    assert!(run.contains("fuzz list"), "the targets are those of fuzz/Cargo.toml: {run}");
    let tests: String = packages()
        .iter()
        .flat_map(|package| ["tests/any_bytes.rs", "tests/integration/any_bytes.rs"].map(|test| package.join(test)))
        .filter_map(|test| std::fs::read_to_string(test).ok())
        .collect();
    for check in checks {
        assert!(tests.contains(&format!("fuzz/checks/{check}.rs")), "a test of the workspace runs the check {check}");
    }
}

#[test]
fn the_fuzzers_lock_file_knows_all_that_our_packages_need() {
    let lock = toml("fuzz/Cargo.lock");
    let manifest = |package: &PathBuf| std::fs::read_to_string(package.join("Cargo.toml")).unwrap();
    let manifests: Vec<Table> = packages().iter().map(|package| manifest(package).parse().unwrap()).collect();
    let workspace = toml("Cargo.toml");
    let package_of = |name: &str| {
        let shared = workspace["workspace"]["dependencies"].get(name);
        shared.and_then(|shared| shared.get("package")).and_then(|package| package.as_str()).unwrap_or(name).to_owned()
    };
    let mut ours = 0;
    for locked in lock["package"].as_array().unwrap() {
        let name = locked["name"].as_str().unwrap();
        let Some(manifest) = manifests.iter().find(|manifest| manifest["package"]["name"].as_str() == Some(name))
        else {
            continue;
        };
        ours += 1;
        let known = locked.get("dependencies").and_then(|known| known.as_array()).cloned().unwrap_or_default();
        let known: BTreeSet<&str> = known.iter().map(|one| one.as_str().unwrap().split(' ').next().unwrap()).collect();
        let needed = manifest.get("dependencies").and_then(|needed| needed.as_table()).cloned().unwrap_or_default();
        let optional = |needed: &toml::Value| needed.get("optional").is_some();
        for needed in needed.iter().filter(|(_, needed)| !optional(needed)).map(|(needed, _)| package_of(needed)) {
            assert!(
                known.contains(needed.as_str()),
                "{name} needs {needed}: run `cd fuzz && cargo update --workspace`"
            );
        }
    }
    assert!(ours > 10, "{ours} packages");
}

#[test]
fn tools_of_python_and_npm_are_of_one_version_each_with_all_that_they_need() {
    for list in ["cfn-lint", "moto"] {
        let list = read(&format!(".ci/pinned/{list}.txt"));
        let lines: Vec<&str> = list.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() > 5, "what it needs is on the list, too: {lines:?}");
        for line in lines {
            let (name, version) = line.split_once("==").unwrap_or_else(|| panic!("`{line}` names no version"));
            assert!(!name.is_empty() && version.chars().all(|c| c.is_ascii_alphanumeric() || c == '.'), "{line}");
        }
    }
    let json = |file: &str| -> serde_json::Value { serde_json::from_str(&read(file)).unwrap() };
    let asked = json(".ci/pinned/operator/package.json");
    for (name, version) in asked["dependencies"].as_object().unwrap() {
        assert!(version.as_str().unwrap().starts_with(|c: char| c.is_ascii_digit()), "{name}: {version}");
    }
    let locked = json(".ci/pinned/operator/package-lock.json");
    for (name, package) in locked["packages"].as_object().unwrap().iter().filter(|(name, _)| !name.is_empty()) {
        assert!(package["version"].is_string() && package["integrity"].is_string(), "{name}");
    }
    let makefile = read("Makefile");
    for (installs, exactly) in
        [("pip install", "--no-deps -r"), ("npm ci", "--prefix"), ("$(CARGO) install", "--locked")]
    {
        let lines: Vec<&str> = makefile.lines().filter(|line| line.contains(installs)).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(exactly)), "{installs}: {lines:#?}");
    }
    assert!(!makefile.contains("npm install"), "it would take what is newest");
}
