//! The least that IAM must allow.

use serde_json::json;

use crate::IamAction;

/// An IAM policy that allows exactly the reads of this crate. None of the calls but `rds:DescribeDBInstances` can be bound to
/// single resources, and that one is needed for any database by name, so the resource is `*`.
pub fn policy() -> String {
    whole(&[reads()])
}

fn reads() -> serde_json::Value {
    statement("DiskwrightReads", &IamAction::READS.map(IamAction::name), "*")
}

/// An IAM policy that allows to take on that role, for the identity that does; the role itself needs [`policy`].
pub fn policy_to_assume(role_arn: &str) -> String {
    whole(&[statement("DiskwrightAssumes", &[IamAction::AssumeRole.name()], role_arn)])
}

/// An IAM policy that allows what [`policy`] does, to read what is planned for instances, and to modify volumes: those with a tag
/// only, so that nothing else can be changed.
pub fn policy_of_pilot(tag: &str, value: &str) -> String {
    let condition = json!({ "StringEquals": { format!("aws:ResourceTag/{tag}"): value } });
    let mut modifies = statement("DiskwrightModifies", &[IamAction::ModifyVolume.name()], "*");
    modifies["Condition"] = condition;
    let listens = statement("DiskwrightListens", &[IamAction::DescribeInstanceStatus.name()], "*");
    whole(&[reads(), listens, modifies])
}

fn statement(sid: &str, actions: &[&str], resource: &str) -> serde_json::Value {
    json!({ "Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource })
}

fn whole(statements: &[serde_json::Value]) -> String {
    format!("{:#}\n", json!({ "Version": "2012-10-17", "Statement": statements }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(policy: &str) -> Vec<String> {
        let policy: serde_json::Value = serde_json::from_str(policy).unwrap();
        let statements = policy["Statement"].as_array().unwrap();
        statements.iter().flat_map(|one| serde_json::from_value::<Vec<_>>(one["Action"].clone()).unwrap()).collect()
    }

    #[test]
    fn the_policy_allows_reads_only_and_each_by_its_full_name() {
        let actions = actions(&policy());
        assert!(!actions.is_empty());
        for action in actions {
            let (_, verb) = action.split_once(':').unwrap();
            assert!(verb.starts_with("Describe") || verb.starts_with("Get"), "{action}");
            assert!(!action.contains('*'), "{action}");
        }
    }

    #[test]
    fn only_volumes_with_the_tag_may_be_modified() {
        let text = policy_of_pilot("diskwright", "yes");
        let more: Vec<String> = actions(&text).into_iter().filter(|one| !actions(&policy()).contains(one)).collect();
        assert_eq!(more, ["ec2:DescribeInstanceStatus", "ec2:ModifyVolume"]);
        let policy: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(policy["Statement"][2]["Condition"]["StringEquals"]["aws:ResourceTag/diskwright"], "yes");
    }

    #[test]
    fn a_role_is_the_only_one_that_may_be_assumed() {
        let role = "arn:aws:iam::123456789012:role/reader";
        let text = policy_to_assume(role);
        assert_eq!(actions(&text), ["sts:AssumeRole"]);
        let policy: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(policy["Statement"][0]["Resource"], role);
    }
}
