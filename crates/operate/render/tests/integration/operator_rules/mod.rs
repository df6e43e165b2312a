//! Manifests are held against the operators' own rules, which their types do not carry: when they are made, and when a cluster is
//! rendered again for another release.

use crate::common;

mod rules;

use std::collections::BTreeSet;

use catalog::Catalog;
use deployment::Deployment;
use proptest::prelude::*;
use render::{FileFormat, RenderRequest, TikvVersion};
use rules::{Rule, V1, V2};
use serde_json::Value;

const FORMATS: [(FileFormat, &[Rule]); 2] = [(FileFormat::Operator, V1), (FileFormat::OperatorV2, V2)];

/// Every deployment of `examples/` that runs on TiKV and can be had.
fn deployments() -> Vec<(String, Deployment)> {
    let mut paths: Vec<_> =
        std::fs::read_dir("../../../examples").unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let toml = paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let read = toml.filter_map(|path| Some((path.display().to_string(), Deployment::read(&path).ok()?)));
    let found: Vec<_> = read
        .filter(|(_, deployment)| !manifests(deployment, TikvVersion::default(), FileFormat::OperatorV2).is_empty())
        .collect();
    assert!(found.len() >= 5, "{found:?}");
    found
}

/// What a deployment is as resources of an operator; nothing where it cannot be.
fn manifests(deployment: &Deployment, version: TikvVersion, format: FileFormat) -> Vec<Value> {
    let view = Catalog::embedded().at(deployment.as_of);
    let request = RenderRequest { deployment, view: &view, version, only: &[format], timestamps: None };
    let files = render::render(&request).map_or_else(|_| Vec::new(), |rendered| rendered.files);
    let documents = files.iter().flat_map(|file| serde_saphyr::from_multiple::<Value>(&file.content).unwrap());
    documents.filter(|document| !document["apiVersion"].as_str().unwrap().starts_with("storage.k8s.io")).collect()
}

fn name(manifest: &Value) -> String {
    format!("{} {}", manifest["kind"].as_str().unwrap(), manifest["metadata"]["name"].as_str().unwrap())
}

#[test]
fn every_example_holds_the_rules_of_both_operators() {
    for (path, deployment) in deployments() {
        for version in TikvVersion::ALL {
            for (format, rules) in FORMATS {
                for manifest in manifests(&deployment, version, format) {
                    for rule in rules {
                        assert!(rule.holds(&manifest, None), "{path}: {}: {}", name(&manifest), rule.rule);
                    }
                }
            }
        }
    }
}

#[test]
fn a_cluster_rendered_for_a_newer_release_changes_nothing_that_cannot_be_changed() {
    for (path, deployment) in deployments() {
        for (format, rules) in FORMATS {
            let (old, new) =
                (manifests(&deployment, TikvVersion::V7_5, format), manifests(&deployment, TikvVersion::V8_5, format));
            assert_eq!(old.iter().map(name).collect::<Vec<_>>(), new.iter().map(name).collect::<Vec<_>>(), "{path}");
            for (before, now) in old.iter().zip(&new) {
                for rule in rules {
                    assert!(rule.holds(now, Some(before)), "{path}: {}: {}", name(now), rule.rule);
                }
            }
        }
    }
}

#[test]
fn each_rule_refuses_what_breaks_it() {
    let htap = common::deployment("htap.toml");
    for (format, rules) in FORMATS {
        let made = manifests(&htap, TikvVersion::default(), format);
        for rule in rules {
            let mut broken = 0;
            for before in made.iter().filter(|manifest| rule.kinds.contains(&manifest["kind"].as_str().unwrap())) {
                let mut now = before.clone();
                (rule.breaks)(&mut now);
                if now != *before {
                    broken += 1;
                    assert!(!rule.holds(&now, Some(before)), "{}: {}", name(&now), rule.rule);
                }
            }
            assert!(broken > 0, "no resource has what `{}` is about", rule.rule);
        }
    }
}

/// The names of all resources of a deployment under another name.
fn names(deployment_name: &str, groups: usize) -> Vec<String> {
    let mut deployment = common::deployment("raft-dedicated.toml");
    deployment.name = deployment_name.to_owned();
    let storage = deployment.nodes[0].clone();
    deployment.nodes.extend(std::iter::repeat_n(storage, groups - 1));
    let made = manifests(&deployment, TikvVersion::default(), FileFormat::OperatorV2);
    assert!(!made.is_empty());
    for (manifest, rule) in made.iter().flat_map(|manifest| V2.iter().map(move |rule| (manifest, rule))) {
        assert!(rule.holds(manifest, None), "{}: {}", name(manifest), rule.rule);
    }
    made.iter().map(name).collect()
}

#[test]
fn long_names_that_differ_at_their_ends_are_different_clusters() {
    let long = "orders of the eastern shop, as planned for the spring sale";
    let (blue, green) = (names(&format!("{long}, blue"), 2), names(&format!("{long}, green"), 2));
    let all: BTreeSet<&String> = blue.iter().chain(&green).collect();
    assert_eq!(all.len(), blue.len() + green.len(), "{blue:?} {green:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_name_and_number_of_groups_make_resources_that_the_operator_takes(name in "\\PC{0,90}", groups in 1..12usize) {
        let names = names(&name, groups);
        prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{:?}", names);
    }
}
