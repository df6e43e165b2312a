//! The kinds of files that a deployment is rendered to.

use std::fmt;
use std::str::FromStr;

use textfile::did_you_mean;

/// A kind of file, and what reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileFormat {
    /// `tikv.toml`
    Tikv,
    /// `pd.toml`
    Pd,
    /// TiUP's `topology.yaml`
    Tiup,
    /// TiDB-Ansible's `inventory.ini`
    Ansible,
    /// A `TidbCluster` of TiDB Operator v1
    Operator,
    /// The groups of TiDB Operator v2
    OperatorV2,
    /// Settings by SQL
    Sql,
    /// MySQL's `my.cnf`
    MyCnf,
    /// A stack of CloudFormation
    Cloudformation,
    /// Terraform
    Terraform,
    /// Alert rules of Prometheus
    Prometheus,
    /// Scripts that make disks ready on a host
    Host,
}

impl FileFormat {
    /// All, in the order in which they are written.
    pub const ALL: [Self; 12] = [
        Self::Tikv,
        Self::Pd,
        Self::Tiup,
        Self::Ansible,
        Self::Operator,
        Self::OperatorV2,
        Self::Sql,
        Self::MyCnf,
        Self::Cloudformation,
        Self::Terraform,
        Self::Prometheus,
        Self::Host,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tikv => "tikv",
            Self::Pd => "pd",
            Self::Tiup => "tiup",
            Self::Ansible => "ansible",
            Self::Operator => "operator",
            Self::OperatorV2 => "operator-v2",
            Self::Sql => "sql",
            Self::MyCnf => "my-cnf",
            Self::Cloudformation => "cloudformation",
            Self::Terraform => "terraform",
            Self::Prometheus => "prometheus",
            Self::Host => "host",
        }
    }

    /// What its files are for.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Tikv => "TiKV's configuration: tikv-server --config",
            Self::Pd => "PD's configuration, read at its first start: pd-server --config",
            Self::Tiup => "the cluster for `tiup cluster deploy`",
            Self::Ansible => "the cluster for TiDB-Ansible, which is archived: not for new clusters",
            Self::Operator => "the cluster for TiDB Operator v1: kubectl apply",
            Self::OperatorV2 => "the cluster for TiDB Operator v2: kubectl apply",
            Self::Sql => "what changes while the cluster runs: mysql < settings.sql",
            Self::MyCnf => "MySQL's configuration",
            Self::Cloudformation => "instances, volumes and alarms: aws cloudformation deploy",
            Self::Terraform => "instances, volumes and alarms: terraform apply",
            Self::Prometheus => "alert rules: rule_files of prometheus.yml",
            Self::Host => "stripe, read cache, filesystem and mount of a host's disks: run as root, once",
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no format; {}all are {}", .hint.as_ref().map(|hint| format!("{hint}; ")).unwrap_or_default(), FileFormat::ALL.map(FileFormat::name).join(", "))]
pub struct UnknownFormat {
    /// What was written.
    pub text: String,
    /// The one that was probably meant.
    pub hint: Option<String>,
}

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.map(Self::name);
        let found = Self::ALL.into_iter().find(|format| format.name() == text.trim());
        found.ok_or_else(|| UnknownFormat {
            text: text.trim().to_owned(),
            hint: textfile::suggest(text, known).map(|_| did_you_mean(text, &known)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_found_by_its_name_and_an_unknown_one_is_told_them_all() {
        for format in FileFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(!format.purpose().is_empty());
        }
        let message = "cloudfromation".parse::<FileFormat>().unwrap_err().to_string();
        for format in FileFormat::ALL {
            assert!(message.contains(format.name()), "{message}");
        }
    }
}
