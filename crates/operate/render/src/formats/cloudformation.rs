//! A stack of CloudFormation: instances, volumes, alarms.

use super::infrastructure::{Alarm, Volume, alarms, logical, machines, volumes};
use crate::document::{Map, Node, Why};
use crate::hosts::Host;
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile};

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let name: String = site.deployment.name.chars().filter(|c| !c.is_control()).take(200).collect();
    let root = Map::new()
        .with("AWSTemplateFormatVersion", "2010-09-09")
        .with("Description", format!("Instances, volumes and alarms: {name}"))
        .with("Parameters", parameters(site))
        .with("Resources", resources(site));
    let content = format!("{}{}", super::head("#", site, "A stack of CloudFormation"), root.to_yaml());
    Ok(RenderedFile::new(FileFormat::Cloudformation, "cloudformation.yaml", content))
}

/// Everything that is made.
pub(super) fn resources(site: &Site<'_>) -> Map {
    let mut resources = Map::new();
    for host in machines(site) {
        let Some((_, nodes)) = host.group else { continue };
        instance(&mut resources, site, host, &nodes.instance);
        let Some(group) = site.group(host) else { continue };
        let volumes = volumes(site, group);
        for volume in &volumes {
            add_volume(&mut resources, host, volume);
        }
        for alarm in alarms(group, &volumes) {
            add_alarm(&mut resources, host, &alarm);
        }
    }
    resources
}

fn reference(name: &str) -> Map {
    Map::new().with("Ref", name)
}

/// `A`, `B`, … for the zones.
fn letter(zone: usize) -> char {
    char::from_u32('A' as u32 + zone as u32).unwrap_or('A')
}

fn parameters(site: &Site<'_>) -> Map {
    let parameter = |kind: &str, about: &str| Map::new().with("Type", kind).with("Description", about);
    let mut map = Map::new();
    let mut architectures: Vec<&str> = machines(site).map(|host| architecture(site, host)).collect();
    architectures.sort_unstable();
    architectures.dedup();
    for architecture in architectures {
        let about = format!("Image of the instances with {architecture} processors");
        map.set(image(architecture), parameter("AWS::EC2::Image::Id", &about));
    }
    let mut zones: Vec<usize> = machines(site).map(|host| host.zone).collect();
    zones.sort_unstable();
    zones.dedup();
    for zone in zones {
        let name = site.zones.get(zone).map_or("", String::as_str);
        let of_zone =
            parameter("AWS::EC2::AvailabilityZone::Name", "A zone of the cluster: also the label of its stores")
                .with("Default", name);
        map.set(format!("Zone{}", letter(zone)), of_zone);
        map.set(format!("Subnet{}", letter(zone)), parameter("AWS::EC2::Subnet::Id", "A subnet of that zone"));
    }
    map.set("SecurityGroup", parameter("AWS::EC2::SecurityGroup::Id", "Who may talk to the instances"));
    map.set("KeyPair", parameter("AWS::EC2::KeyPair::KeyName", "The key to log in with"));
    if site.groups.iter().any(|group| !alarms(group, &volumes(site, group)).is_empty()) {
        map.set(
            "AlarmTopic",
            parameter("String", "ARN of the SNS topic that hears of alarms")
                .with("AllowedPattern", "^arn:aws[a-z-]*:sns:.+$"),
        );
    }
    map
}

fn architecture<'a>(site: &Site<'a>, host: &Host<'a>) -> &'a str {
    let name = host.group.map_or("", |(_, group)| group.instance.as_str());
    site.view.instance(name).map_or("x86_64", |instance| instance.arch.as_str())
}

fn image(architecture: &str) -> &'static str {
    if architecture == "arm64" { "ImageArm64" } else { "ImageX8664" }
}

fn instance(resources: &mut Map, site: &Site<'_>, host: &Host<'_>, kind: &str) {
    let tags = vec![Map::new().with("Key", "Name").with("Value", host.name.as_str())];
    let properties = Map::new()
        .with("InstanceType", kind)
        .with("ImageId", reference(image(architecture(site, host))))
        .with("SubnetId", reference(&format!("Subnet{}", letter(host.zone))))
        .with("SecurityGroupIds", vec![Node::Map(reference("SecurityGroup"))])
        .with("KeyName", reference("KeyPair"))
        .with_why(
            "EbsOptimized",
            true,
            &Why::new(
                "A link of its own to the volumes: what the plan's limits are of",
                "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-optimized.html",
            ),
        )
        .with_why(
            "Monitoring",
            true,
            &Why::new(
                "The instance's operations and bytes every minute instead of every five",
                "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-cloudwatch-new.html",
            ),
        )
        .with("Tags", tags);
    resources.set(logical(&[&host.name]), Map::new().with("Type", "AWS::EC2::Instance").with("Properties", properties));
}

fn add_volume(resources: &mut Map, host: &Host<'_>, volume: &Volume) {
    let tags = vec![Map::new().with("Key", "Name").with("Value", format!("{}-{}", host.name, volume.name))];
    let mut properties = Map::new()
        .with("AvailabilityZone", reference(&format!("Zone{}", letter(host.zone))))
        .with("VolumeType", volume.kind.as_str())
        .with("Size", volume.gib as i64);
    if let Some(iops) = volume.iops {
        properties.set("Iops", iops as i64);
    }
    if let Some(throughput) = volume.throughput {
        properties.set("Throughput", throughput as i64);
    }
    properties.set("Encrypted", true).set("Tags", tags);
    let id = logical(&[&host.name, &volume.name]);
    let keep = Why::new(
        "Data outlive the stack: what must go is deleted by hand",
        "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html",
    );
    let body = Map::new()
        .with("Type", "AWS::EC2::Volume")
        .with_why("DeletionPolicy", "Retain", &keep)
        .with("UpdateReplacePolicy", "Retain")
        .with("Properties", properties);
    resources.why(&id, body, &volume.why);
    let attachment = Map::new()
        .with("InstanceId", reference(&logical(&[&host.name])))
        .with("VolumeId", reference(&id))
        .with("Device", volume.device.as_str());
    resources.set(
        format!("{id}Attachment"),
        Map::new().with("Type", "AWS::EC2::VolumeAttachment").with("Properties", attachment),
    );
}

fn add_alarm(resources: &mut Map, host: &Host<'_>, alarm: &Alarm<'_>) {
    let rule = alarm.rule;
    let instance = logical(&[&host.name]);
    let on = alarm.volume.map_or("", |volume| volume.name.as_str());
    let dimensions: Vec<Map> = rule
        .dimensions
        .iter()
        .map(|dimension| {
            let of = if dimension == "VolumeId" { logical(&[&host.name, on]) } else { instance.clone() };
            Map::new().with("Name", dimension.as_str()).with("Value", reference(&of))
        })
        .collect();
    let properties = Map::new()
        .with("AlarmDescription", rule.text.as_str())
        .with("Namespace", rule.namespace.as_str())
        .with("MetricName", rule.metric.as_str())
        .with("Dimensions", dimensions)
        .with("Statistic", rule.statistic.as_str())
        .with("Period", rule.period_s)
        .with("EvaluationPeriods", rule.periods)
        .with("ComparisonOperator", rule.comparison.as_str())
        .with("Threshold", alarm.threshold)
        .with_why(
            "TreatMissingData",
            "notBreaching",
            &Why::new(
                "A metric that is missing is not zero: a volume that is not attached has none",
                "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html",
            ),
        )
        .with("AlarmActions", vec![Node::Map(reference("AlarmTopic"))]);
    let body = Map::new().with("Type", "AWS::CloudWatch::Alarm").with("Properties", properties);
    resources.why(logical(&[&host.name, on, &rule.name]), body, &alarm.why);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::FileFormat;
    use crate::testing::file;

    fn read(name: &str) -> Value {
        serde_saphyr::from_str(&file(name, FileFormat::Cloudformation).content).unwrap()
    }

    fn of_type<'v>(template: &'v Value, kind: &str) -> Vec<&'v Value> {
        template["Resources"]
            .as_object()
            .unwrap()
            .values()
            .filter(|r| r["Type"] == kind)
            .map(|r| &r["Properties"])
            .collect()
    }

    #[test]
    fn the_stacks_of_two_examples() {
        for name in ["raft-dedicated.toml", "rds-gp2.toml"] {
            insta::assert_snapshot!(name, file(name, FileFormat::Cloudformation).content);
        }
    }

    #[test]
    fn each_volume_is_as_planned_and_attached_to_an_instance_of_its_zone() {
        let template = read("raft-dedicated.toml");
        let volumes = of_type(&template, "AWS::EC2::Volume");
        assert_eq!(volumes.len(), 6);
        assert_eq!(
            volumes.iter().filter(|v| v["Size"] == 1000 && v["Iops"] == 3000 && v["Throughput"] == 125).count(),
            3
        );
        for attachment in of_type(&template, "AWS::EC2::VolumeAttachment") {
            let zone = |resource: &Value, key: &str| {
                let name = resource["Ref"].as_str().unwrap();
                template["Resources"][name]["Properties"][key]["Ref"].as_str().unwrap().chars().last()
            };
            assert_eq!(zone(&attachment["VolumeId"], "AvailabilityZone"), zone(&attachment["InstanceId"], "SubnetId"));
        }
    }

    #[test]
    fn only_volumes_that_burst_have_a_balance_to_watch() {
        let balance = |name: &str| {
            let template = read(name);
            of_type(&template, "AWS::CloudWatch::Alarm")
                .iter()
                .filter(|alarm| alarm["MetricName"] == "BurstBalance")
                .count()
        };
        assert_eq!((balance("rds-gp2.toml"), balance("raft-dedicated.toml")), (1, 0));
        // A gp2 of 1,000 GiB sustains what it bursts to.
        assert_eq!(balance("tpcc-5000-raid0.toml"), 0);
    }
}
