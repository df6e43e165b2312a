//! Formats that say nothing of a deployment.

use catalog::Cloud;
use deployment::NodeRole;

use crate::site::Site;
use crate::{FileFormat, formats};

/// Most resources of a stack (AWS CloudFormation quotas).
const STACK: usize = 500;

/// Why a format says nothing of a deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit {
    pub(crate) why: String,
    /// Whether nobody expects it: it is of another database.
    pub(crate) expected: bool,
}

/// Why a format says nothing of a deployment, if so.
pub(crate) fn unfit(format: FileFormat, site: &Site<'_>) -> Option<Unfit> {
    let foreign = |why: String| Some(Unfit { why, expected: true });
    let short = |why: String| Some(Unfit { why, expected: false });
    let tikv = format != FileFormat::MyCnf
        && !matches!(
            format,
            FileFormat::Cloudformation | FileFormat::Terraform | FileFormat::Prometheus | FileFormat::Host
        );
    if tikv && !site.is_tikv() {
        return foreign("the deployment runs MySQL".to_owned());
    }
    let class = site.groups.iter().find_map(|group| Some((&group.instance.name, group.instance.service.as_ref()?)));
    match format {
        FileFormat::Cloudformation | FileFormat::Terraform | FileFormat::Host if class.is_some() => {
            let what = class.map(|(name, service)| format!("{name} is a class of {service}")).unwrap_or_default();
            short(format!("{what}, which makes machine and disks itself, and only machines are written"))
        }
        FileFormat::MyCnf if site.is_tikv() => foreign("the deployment runs TiKV".to_owned()),
        FileFormat::Cloudformation | FileFormat::Terraform if site.cloud != Cloud::Aws => {
            short(format!("{} is a region of {}, and only that of AWS is written", site.deployment.region, site.cloud))
        }
        FileFormat::Cloudformation => {
            let resources = formats::cloudformation_resources(site);
            (resources > STACK).then(|| {
                let why = format!(
                    "a stack holds {STACK} resources and this deployment has {resources}; terraform has no such limit"
                );
                Unfit { why, expected: false }
            })
        }
        FileFormat::Ansible if site.of(NodeRole::Tiflash).next().is_some() => {
            short("TiDB-Ansible is older than TiFlash in these versions".to_owned())
        }
        FileFormat::Operator if site.storage().count() > 1 => {
            short("a TidbCluster has one kind of TiKV node; operator-v2 has more".to_owned())
        }
        FileFormat::Operator
            if site.groups.iter().filter(|group| group.nodes.role == NodeRole::Tiflash).count() > 1 =>
        {
            short("a TidbCluster has one kind of TiFlash node; operator-v2 has more".to_owned())
        }
        _ => None,
    }
}
