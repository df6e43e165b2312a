//! Imports between crates point down the floors of `crates/floors.toml` only.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// Tables of a manifest that say what a library or program is built from. Tests may use crates of any floor.
const BUILT_FROM: &[&str] = &["dependencies", "build-dependencies"];

/// A crate of the house: its floor's name and its folder's.
type Place = (String, String);

/// How far up each crate stands: its floor, and its position on it.
fn heights() -> BTreeMap<Place, (usize, usize)> {
    let floors = read(&repository_root().join("crates/floors.toml"));
    let mut heights = BTreeMap::new();
    for (storey, floor) in floors["floor"].as_array().unwrap().iter().enumerate() {
        let name = floor["name"].as_str().unwrap();
        for (position, crate_name) in floor["crates"].as_array().unwrap().iter().enumerate() {
            heights.insert((name.to_owned(), crate_name.as_str().unwrap().to_owned()), (storey, position));
        }
    }
    heights
}

/// Crates of the workspace by the name under which manifests list them.
fn members() -> BTreeMap<String, Place> {
    let workspace = read(&repository_root().join("Cargo.toml"));
    let dependencies = workspace["workspace"]["dependencies"].as_table().unwrap();
    let path = |spec: &Value| spec.get("path").and_then(Value::as_str).map(place);
    dependencies.iter().filter_map(|(name, spec)| Some((name.clone(), path(spec)?))).collect()
}

/// Floor and name of the crate in a folder such as `crates/model/disk`; `crates/cli` is a floor of its own.
fn place(folder: &str) -> Place {
    let mut parts = folder.rsplit('/');
    let name = parts.next().unwrap();
    let floor = parts.next().unwrap();
    (if floor == "crates" { name } else { floor }.to_owned(), name.to_owned())
}

/// Every manifest below `crates/`, with the place of its crate.
fn manifests() -> Vec<(Place, Table)> {
    let root = repository_root();
    let mut found = Vec::new();
    for floor in fs::read_dir(root.join("crates")).unwrap() {
        let floor = floor.unwrap().path();
        let rooms = fs::read_dir(&floor).into_iter().flatten().map(|room| room.unwrap().path());
        for folder in rooms.chain([floor.clone()]) {
            let manifest = folder.join("Cargo.toml");
            if manifest.is_file() {
                let within = folder.strip_prefix(root).unwrap().to_str().unwrap();
                found.push((place(within), read(&manifest)));
            }
        }
    }
    found
}

/// Names under which a manifest lists its dependencies, those of one platform included.
fn dependencies(manifest: &Table) -> Vec<&String> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(|targets| targets.values());
    let tables = std::iter::once(manifest).chain(platforms.filter_map(Value::as_table));
    tables
        .flat_map(|table| BUILT_FROM.iter().filter_map(|name| table.get(*name)?.as_table()))
        .flat_map(Table::keys)
        .collect()
}

fn faults(
    heights: &BTreeMap<Place, (usize, usize)>,
    members: &BTreeMap<String, Place>,
    crates: &[(Place, Table)],
) -> Vec<String> {
    let mut faults = Vec::new();
    for (own, manifest) in crates {
        let Some(height) = heights.get(own) else {
            faults.push(format!("{}/{} is in no floor of crates/floors.toml: add it to one", own.0, own.1));
            continue;
        };
        for used in dependencies(manifest).into_iter().filter_map(|name| members.get(name)) {
            if heights.get(used).is_none_or(|below| below >= height) {
                faults
                    .push(format!("{}/{} imports {}/{}, which does not stand below it", own.0, own.1, used.0, used.1));
            }
        }
    }
    faults
}

fn read(path: &Path) -> Table {
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn repository_root() -> &'static Path {
    Path::new("../..")
}

#[test]
fn imports_point_down_the_floors() {
    let crates = manifests();
    let heights = heights();
    assert_eq!(crates.len(), heights.len(), "crates/floors.toml lists each crate once, and no other");
    let found = faults(&heights, &members(), &crates);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn imports_upwards_and_sideways_are_found() {
    let manifest = |text: &str| text.parse::<Table>().unwrap();
    let crates = [
        (place("crates/model/disk"), manifest("[dependencies]\nplan.workspace = true")),
        (place("crates/operate/render"), manifest("[target.'cfg(unix)'.dependencies]\npilot.workspace = true")),
        (place("crates/model/units"), manifest("[dev-dependencies]\nplan.workspace = true")),
        (place("crates/model/attic"), manifest("[dependencies]")),
    ];
    let found = faults(&heights(), &members(), &crates);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("model/disk imports analyze/plan"), "{found:?}");
    assert!(found[1].contains("operate/render imports operate/pilot"), "{found:?}");
    assert!(found[2].contains("model/attic is in no floor"), "{found:?}");
}
