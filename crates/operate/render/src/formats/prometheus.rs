//! Alert rules of Prometheus, thresholds from the limits of each group's disks.

use deployment::NodeRole;
use workload::Engine;

use crate::advice::DATA_DIR;
use crate::alarms::ALARMS;
use crate::document::{Map, Why};
use crate::site::{Group, Site};
use crate::{FileFormat, RenderedFile};

/// Network volumes and local flash as Linux names them; stripes and caches above them would count each I/O twice.
const DEVICES: &str = "nvme[0-9]+n[0-9]+|xvd[a-z]+|sd[a-z]+|vd[a-z]+";
/// Where alert rules are described.
const MANUAL: &str = "https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/";

pub(super) fn file(site: &Site<'_>) -> RenderedFile {
    let groups: Vec<Map> = site.groups.iter().map(|group| rules(site, group)).collect();
    let about = "Hosts are told by `instance`, which begins with their name. node_exporter counts disks, TiKV and PD themselves.";
    let root = Map::new().with("groups", groups);
    let content = format!(
        "{}{}\n{}",
        super::head("#", site, "Alert rules"),
        crate::document::comment("#", 0, about),
        root.to_yaml()
    );
    RenderedFile::new(FileFormat::Prometheus, "alerts.yml", content)
}

/// What the disks of a node sustain together: the instance lets no more through, the volumes have no more.
fn supply(group: &Group<'_>) -> (f64, f64) {
    let disks = [Some(&group.data.0), group.log.as_ref().map(|(limits, _)| limits)];
    let own = disks
        .into_iter()
        .flatten()
        .fold((0.0, 0.0), |(iops, bytes), limits| (iops + limits.iops.0, bytes + limits.throughput.0));
    match group.instance.caps.filter(|_| group.data.0.shares_instance_caps) {
        Some(caps) => (own.0.min(caps.iops.0), own.1.min(caps.throughput.0)),
        None => own,
    }
}

/// What [`supply`] is of, for people.
fn followed(group: &Group<'_>) -> String {
    let disks = match &group.log {
        Some((_, log)) => format!("{} and {log} sustain together", group.data_text()),
        None => format!("{} sustains", group.data_text()),
    };
    match group.instance.caps.filter(|_| group.data.0.shares_instance_caps) {
        Some(_) => format!("what {disks}, and no more than {} lets through", group.instance.name),
        None => format!("what {disks}"),
    }
}

fn rules(site: &Site<'_>, group: &Group<'_>) -> Map {
    let of_group = site.hosts.iter().filter(|host| host.group.is_some_and(|(index, _)| index == group.index));
    let names: Vec<&str> = of_group.map(|host| host.name.as_str()).collect();
    let hosts = format!("({})(:.*)?", names.join("|"));
    let (iops, bytes) = supply(group);
    let storage = group.nodes.role == NodeRole::Storage;
    let wanted = ALARMS
        .prometheus
        .iter()
        .filter(|alert| Engine::by_key(&alert.engine).is_none_or(|engine| storage && engine == site.deployment.engine));
    let limit = |expr: &str| expr.contains("{iops}") || expr.contains("{bytes}");
    let limited = |expr: &str| !group.data.1.volume.is_unlimited() || !limit(expr);
    let rules = wanted.filter(|alert| limited(&alert.expr)).map(|alert| {
        let expr = alert
            .expr
            .replace("{hosts}", &hosts)
            .replace("{devices}", DEVICES)
            .replace("{data}", DATA_DIR)
            .replace("{iops}", &format!("{iops:.0}"))
            .replace("{bytes}", &format!("{bytes:.0}"));
        let why = match limit(&alert.expr) {
            true => Why::new(format!("{}. The limit is {}", alert.source, followed(group)), group.volume_source()),
            false => Why::new(alert.source.clone(), MANUAL),
        };
        Map::new()
            .with("alert", alert.name.as_str())
            .with_why("expr", expr, &why)
            .with("for", alert.lasting.as_str())
            .with("labels", Map::new().with("severity", alert.severity.as_str()))
            .with(
                "annotations",
                Map::new()
                    .with("summary", format!("{{{{ $labels.instance }}}}: {}", alert.summary))
                    .with("description", format!("{}.", alert.action)),
            )
    });
    Map::new().with("name", site.group_name(group)).with("rules", rules.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::FileFormat;
    use crate::testing::file;

    #[test]
    fn the_rules_of_two_examples() {
        for name in ["raft-dedicated.toml", "rds-gp2.toml"] {
            insta::assert_snapshot!(name, file(name, FileFormat::Prometheus).content);
        }
    }

    #[test]
    fn thresholds_are_what_instance_and_volumes_sustain_and_nothing_is_left_to_fill_in() {
        let rules: Value =
            serde_saphyr::from_str(&file("raft-dedicated.toml", FileFormat::Prometheus).content).unwrap();
        let rules = rules["groups"][0]["rules"].as_array().unwrap().clone();
        let expr =
            |name: &str| rules.iter().find(|rule| rule["alert"] == name).unwrap()["expr"].as_str().unwrap().to_owned();
        // Two gp3 of 3,000 I/Os a second each, behind an instance that lets 12,000 through.
        assert!(expr("DiskIopsNearLimit").ends_with("> 0.9 * 6000"), "{}", expr("DiskIopsNearLimit"));
        assert!(rules.iter().all(|rule| !rule["expr"].as_str().unwrap().contains("{hosts}")));
    }

    #[test]
    fn mysql_has_no_rules_of_tikv() {
        let text = file("rds-gp2.toml", FileFormat::Prometheus).content;
        assert!(!text.contains("tikv_") && !text.contains("raft_"), "{text}");
    }
}
