//! Terraform: the same instances, volumes and alarms as the stack of CloudFormation.

use super::infrastructure::{Alarm, Volume, alarms, machines, volumes};
use crate::document::{Block, Map, Node, Why, to_hcl};
use crate::hosts::Host;
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile};

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let source = Map::new().with("source", "hashicorp/aws").with("version", ">= 5.0");
    let providers = Block::new("required_providers", &[], Map::new().with("aws", source));
    let mut blocks = vec![
        Block::new("terraform", &[], Map::new()).with(providers),
        Block::new("provider", &["aws"], Map::new().with("region", site.deployment.region.as_str())),
    ];
    blocks.extend(variables(site));
    for host in machines(site) {
        let Some((_, nodes)) = host.group else { continue };
        blocks.push(instance(site, host, &nodes.instance));
        let Some(group) = site.group(host) else { continue };
        let volumes = volumes(site, group);
        volumes.iter().for_each(|volume| blocks.extend(volume_blocks(host, volume)));
        blocks.extend(alarms(group, &volumes).iter().map(|alarm| alarm_block(host, alarm)));
    }
    let content = format!("{}\n{}", super::head("#", site, "Terraform"), to_hcl(&blocks));
    Ok(RenderedFile::new(FileFormat::Terraform, "main.tf", content))
}

fn expression(text: impl Into<String>) -> Node {
    Node::Expression(text.into())
}

/// A name of letters, digits and underscores.
fn id(words: &[&str]) -> String {
    words.iter().filter(|word| !word.is_empty()).map(|word| word.replace('-', "_")).collect::<Vec<_>>().join("_")
}

fn variables(site: &Site<'_>) -> Vec<Block> {
    let variable = |name: &str, kind: &str, about: &str| {
        Block::new("variable", &[name], Map::new().with("type", expression(kind)).with("description", about))
    };
    let mut zones = variable("zones", "list(string)", "Zones of the cluster: also the labels of its stores");
    zones.attributes.set("default", site.zones.clone());
    let mut blocks = vec![
        zones,
        variable("subnets", "list(string)", "A subnet of each zone, in the same order"),
        variable("images", "map(string)", "Image of the instances by processor: x86_64, arm64"),
        variable("security_groups", "list(string)", "Who may talk to the instances"),
        variable("key_name", "string", "The key to log in with"),
    ];
    if site.groups.iter().any(|group| !alarms(group, &volumes(site, group)).is_empty()) {
        blocks.push(variable("alarm_topic", "string", "ARN of the SNS topic that hears of alarms"));
    }
    blocks
}

fn instance(site: &Site<'_>, host: &Host<'_>, kind: &str) -> Block {
    let architecture = site.view.instance(kind).map_or("x86_64", |instance| instance.arch.as_str());
    let why = Why::new(
        "A link of its own to the volumes: what the plan's limits are of",
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html",
    );
    let detailed = Why::new(
        "The instance's operations and bytes every minute instead of every five",
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-cloudwatch-new.html",
    );
    let attributes = Map::new()
        .with("instance_type", kind)
        .with("ami", expression(format!("var.images[\"{architecture}\"]")))
        .with("subnet_id", expression(format!("var.subnets[{}]", host.zone)))
        .with("vpc_security_group_ids", expression("var.security_groups"))
        .with("key_name", expression("var.key_name"))
        .with_why("ebs_optimized", true, &why)
        .with_why("monitoring", true, &detailed)
        .with("tags", Map::new().with("Name", host.name.as_str()));
    Block::new("resource", &["aws_instance", &id(&[&host.name])], attributes)
}

fn volume_blocks(host: &Host<'_>, volume: &Volume) -> [Block; 2] {
    let name = id(&[&host.name, &volume.name]);
    let mut attributes = Map::new()
        .with("availability_zone", expression(format!("var.zones[{}]", host.zone)))
        .with("type", volume.kind.as_str())
        .with("size", volume.gib as i64);
    if let Some(iops) = volume.iops {
        attributes.set("iops", iops as i64);
    }
    if let Some(throughput) = volume.throughput {
        attributes.set("throughput", throughput as i64);
    }
    attributes.set("encrypted", true).set("tags", Map::new().with("Name", format!("{}-{}", host.name, volume.name)));
    let keep = Why::new(
        "Data outlive a slip: taking the volume out of this file does not delete it",
        "https://developer.hashicorp.com/terraform/language/meta-arguments/lifecycle",
    );
    let lifecycle = Block::new("lifecycle", &[], Map::new().with("prevent_destroy", true)).because(&keep);
    let attachment = Map::new()
        .with("device_name", volume.device.as_str())
        .with("volume_id", expression(format!("aws_ebs_volume.{name}.id")))
        .with("instance_id", expression(format!("aws_instance.{}.id", id(&[&host.name]))));
    [
        Block::new("resource", &["aws_ebs_volume", &name], attributes).with(lifecycle).because(&volume.why),
        Block::new("resource", &["aws_volume_attachment", &name], attachment),
    ]
}

fn alarm_block(host: &Host<'_>, alarm: &Alarm<'_>) -> Block {
    let rule = alarm.rule;
    let on = alarm.volume.map_or("", |volume| volume.name.as_str());
    let mut dimensions = Map::new();
    for dimension in &rule.dimensions {
        let of = match dimension.as_str() {
            "VolumeId" => format!("aws_ebs_volume.{}.id", id(&[&host.name, on])),
            _ => format!("aws_instance.{}.id", id(&[&host.name])),
        };
        dimensions.set(dimension, expression(of));
    }
    let words: Vec<&str> = [host.name.as_str(), on, &rule.name].into_iter().filter(|word| !word.is_empty()).collect();
    let attributes = Map::new()
        .with("alarm_name", words.join("-"))
        .with("alarm_description", rule.text.as_str())
        .with("namespace", rule.namespace.as_str())
        .with("metric_name", rule.metric.as_str())
        .with("dimensions", dimensions)
        .with("statistic", rule.statistic.as_str())
        .with("period", rule.period_s)
        .with("evaluation_periods", rule.periods)
        .with("comparison_operator", rule.comparison.as_str())
        .with("threshold", alarm.threshold)
        .with("treat_missing_data", "notBreaching")
        .with("alarm_actions", vec![expression("var.alarm_topic")]);
    let name = id(&[&host.name, on, &rule.name]);
    Block::new("resource", &["aws_cloudwatch_metric_alarm", &name], attributes).because(&alarm.why)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::FileFormat;
    use crate::testing::file;

    fn read(name: &str) -> hcl::Body {
        let text = file(name, FileFormat::Terraform).content;
        hcl::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn the_resources_of_an_example() {
        insta::assert_snapshot!(file("rds-gp2.toml", FileFormat::Terraform).content);
    }

    #[test]
    fn every_reference_is_to_a_resource_or_a_variable_that_is_there() {
        for name in ["raft-dedicated.toml", "htap.toml", "tpcc-5000-raid0.toml"] {
            let text = file(name, FileFormat::Terraform).content;
            let body = read(name);
            let defined: BTreeSet<String> = body
                .blocks()
                .filter(|block| matches!(block.identifier(), "resource" | "variable"))
                .map(|block| block.labels().iter().map(hcl::BlockLabel::as_str).collect::<Vec<_>>().join("."))
                .collect();
            for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')) {
                let named = word
                    .strip_prefix("var.")
                    .map(str::to_owned)
                    .or_else(|| word.starts_with("aws_").then(|| word.trim_end_matches(".id").to_owned()));
                if let Some(named) = named.filter(|named| word.contains('.') || defined.contains(named)) {
                    assert!(defined.contains(&named), "{named} in {name}");
                }
            }
        }
    }

    #[test]
    fn no_two_resources_have_one_name() {
        let body = read("tpcc-5000-raid0.toml");
        let names: Vec<String> =
            body.blocks().map(|block| format!("{:?}{:?}", block.identifier(), block.labels())).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
