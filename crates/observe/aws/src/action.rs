//! The calls that are made, by the name under which IAM allows them.

use std::fmt;

/// An API call, as an IAM policy names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IamAction {
    /// Metrics.
    GetMetricData,
    /// Volumes with their size, rates and attachments.
    DescribeVolumes,
    /// When volumes were changed, and from what.
    DescribeVolumesModifications,
    /// Instances with their type and monitoring.
    DescribeInstances,
    /// What instance types let through to their volumes.
    DescribeInstanceTypes,
    /// Databases with their class and storage.
    DescribeDbInstances,
    /// Credentials of another role; only where one is asked for.
    AssumeRole,
    /// Changes what a volume is provisioned as; only where that is asked for.
    ModifyVolume,
    /// What is planned for instances; only where that is asked for.
    DescribeInstanceStatus,
    /// Logs in to a database of RDS; only where that is asked for.
    Connect,
}

impl IamAction {
    /// What reads volumes, instances, databases and metrics.
    pub const READS: [Self; 6] = [
        Self::GetMetricData,
        Self::DescribeVolumes,
        Self::DescribeVolumesModifications,
        Self::DescribeInstances,
        Self::DescribeInstanceTypes,
        Self::DescribeDbInstances,
    ];

    /// `ec2:DescribeVolumes`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetMetricData => "cloudwatch:GetMetricData",
            Self::DescribeVolumes => "ec2:DescribeVolumes",
            Self::DescribeVolumesModifications => "ec2:DescribeVolumesModifications",
            Self::DescribeInstances => "ec2:DescribeInstances",
            Self::DescribeInstanceTypes => "ec2:DescribeInstanceTypes",
            Self::DescribeDbInstances => "rds:DescribeDBInstances",
            Self::AssumeRole => "sts:AssumeRole",
            Self::ModifyVolume => "ec2:ModifyVolume",
            Self::DescribeInstanceStatus => "ec2:DescribeInstanceStatus",
            Self::Connect => "rds-db:connect",
        }
    }
}

impl fmt::Display for IamAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
