//! A deployment with the facts that rendering needs: its machines, their limits, its zones.

use catalog::{CatalogView, Cloud, InstanceType};
use deployment::{Deployment, NodeGroup, NodeRole};
use disk::{Disk, DiskLimits};
use units::{BytesPerSec, Iops};

use crate::hosts::{Host, hosts, program, zones};
use crate::{RenderError, TikvVersion, names};

/// Characters of a cluster's name at most: TiDB Operator v2, manifests/crd/core.pingcap.com_clusters.yaml.
const CLUSTER_NAME: usize = 37;
/// Characters of a group's name at most: manifests/crd/core.pingcap.com_tikvgroups.yaml and its like.
const PART_NAME: usize = 40;

/// What is sustained, of what, and where that is stated.
#[derive(Debug, Clone)]
pub(crate) struct Supply<T> {
    pub(crate) rate: T,
    /// `the 250MiB/s that gp3:1000GiB sustains`
    pub(crate) what: String,
    /// The source of the limit.
    pub(crate) link: String,
}

/// A group of nodes that keeps data, with what its machines and disks sustain.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// Its place in the deployment.
    pub(crate) index: usize,
    pub(crate) nodes: &'a NodeGroup,
    pub(crate) instance: &'a InstanceType,
    pub(crate) data: (DiskLimits, &'a Disk),
    pub(crate) log: Option<(DiskLimits, &'a Disk)>,
    /// Source of the data volume's limits.
    source: String,
}

impl Group<'_> {
    /// The data disk as people write it.
    pub(crate) fn data_text(&self) -> String {
        self.data.1.to_string()
    }

    /// What the data disk sustains behind its instance; `None` of a disk without limits.
    pub(crate) fn throughput(&self) -> Option<Supply<BytesPerSec>> {
        let (limits, disk) = (&self.data.0, self.data.1);
        if disk.volume.is_unlimited() {
            return None;
        }
        let own = limits.throughput;
        let caps = self.instance.caps.filter(|caps| limits.shares_instance_caps && caps.throughput < own);
        Some(match caps {
            Some(caps) => Supply {
                rate: caps.throughput,
                what: format!("the {:.1} that {} lets through to all its volumes", caps.throughput, self.instance.name),
                link: self.instance_source(),
            },
            None => Supply { rate: own, what: format!("the {own:.1} that {disk} sustains"), link: self.source.clone() },
        })
    }

    /// Likewise its I/O rate.
    pub(crate) fn iops(&self) -> Option<Supply<Iops>> {
        let (limits, disk) = (&self.data.0, self.data.1);
        if disk.volume.is_unlimited() {
            return None;
        }
        let own = limits.iops;
        let caps = self.instance.caps.filter(|caps| limits.shares_instance_caps && caps.iops < own);
        Some(match caps {
            Some(caps) => Supply {
                rate: caps.iops,
                what: format!("the {:.0} I/Os a second that {} lets through", caps.iops.0, self.instance.name),
                link: self.instance_source(),
            },
            None => Supply {
                rate: own,
                what: format!("the {:.0} I/Os a second that {disk} sustains", own.0),
                link: self.source.clone(),
            },
        })
    }

    fn instance_source(&self) -> String {
        let provenance = &self.instance.provenance;
        format!("{} ({})", provenance.source, provenance.as_of)
    }

    /// Source of the data volume's limits.
    pub(crate) fn volume_source(&self) -> &str {
        &self.source
    }
}

/// A deployment with its facts.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    pub(crate) deployment: &'a Deployment,
    pub(crate) view: &'a CatalogView,
    pub(crate) version: TikvVersion,
    pub(crate) cloud: Cloud,
    pub(crate) hosts: Vec<Host<'a>>,
    /// The zones' names.
    pub(crate) zones: Vec<String>,
    /// The groups that keep data, TiFlash's among them.
    pub(crate) groups: Vec<Group<'a>>,
    /// Timestamps a second that the workload asks of PD, if one was given.
    pub(crate) timestamps: Option<f64>,
}

impl<'a> Site<'a> {
    pub(crate) fn new(
        deployment: &'a Deployment,
        view: &'a CatalogView,
        version: TikvVersion,
        timestamps: Option<f64>,
    ) -> Result<Self, RenderError> {
        deployment.validate(view)?;
        let cloud = view.region(&deployment.region)?;
        let mut groups = Vec::new();
        for (index, nodes) in deployment.nodes.iter().enumerate() {
            let Some(data) =
                nodes.data.as_ref().filter(|_| matches!(nodes.role, NodeRole::Storage | NodeRole::Tiflash))
            else {
                continue;
            };
            let instance = view.instance(&nodes.instance)?;
            let limits = |disk: &'a Disk| disk.limits(view, Some(instance)).map(|limits| (limits, disk));
            let source = match view.volume(&data.volume.kind) {
                Ok(kind) if !data.volume.is_local() => {
                    format!("{} ({})", kind.provenance.source, kind.provenance.as_of)
                }
                _ => format!("{} ({})", instance.provenance.source, instance.provenance.as_of),
            };
            let log = nodes.log.as_ref().map(limits).transpose()?;
            groups.push(Group { index, nodes, instance, data: limits(data)?, log, source });
        }
        let (hosts, zones) = (hosts(deployment), zones(cloud, &deployment.region, deployment.zones));
        Ok(Self { deployment, view, version, cloud, hosts, zones, groups, timestamps })
    }

    /// The machines of a role.
    pub(crate) fn of(&self, role: NodeRole) -> impl Iterator<Item = &Host<'a>> {
        self.hosts.iter().filter(move |host| host.role == role)
    }

    /// The groups that hold the database.
    pub(crate) fn storage(&self) -> impl Iterator<Item = &Group<'a>> {
        self.groups.iter().filter(|group| group.nodes.role == NodeRole::Storage)
    }

    /// The group of a machine that keeps data.
    pub(crate) fn group(&self, host: &Host<'_>) -> Option<&Group<'a>> {
        let (index, _) = host.group?;
        self.groups.iter().find(|group| group.index == index)
    }

    /// The name of a machine's zone.
    pub(crate) fn zone(&self, host: &Host<'_>) -> &str {
        self.zones.get(host.zone).map_or("", String::as_str)
    }

    /// The name of files and resources of a group: `tikv`, or with its number where there are several.
    pub(crate) fn group_name(&self, group: &Group<'_>) -> String {
        let program = program(group.nodes.role, self.deployment.engine);
        let alike = || self.groups.iter().filter(|other| other.nodes.role == group.nodes.role);
        match alike().count() {
            1 => program.to_owned(),
            _ => format!("{program}-group-{}", alike().take_while(|other| other.index != group.index).count() + 1),
        }
    }

    /// The name of the cluster, from the deployment's: letters, digits and dashes, as many as TiDB Operator v2 takes.
    pub(crate) fn cluster(&self) -> String {
        names::within(&names::plain(&self.deployment.name), CLUSTER_NAME)
    }

    /// The name of a part of the cluster, such as a group of nodes: it ends with the part's, and is as long as TiDB Operator v2 takes.
    pub(crate) fn part_name(&self, part: &str) -> String {
        let left = PART_NAME.saturating_sub(part.len() + 1);
        format!("{}-{part}", names::within(&names::plain(&self.deployment.name), left))
    }

    /// What traffic between zones costs, to be put after a sentence.
    pub(crate) fn transfer_text(&self) -> String {
        match self.view.transfer(self.cloud) {
            Ok(price) => format!(": {:.3} a GB between the zones of {}", price.per_gb, self.cloud),
            Err(_) => String::new(),
        }
    }

    /// Whether the database is TiDB on TiKV.
    pub(crate) fn is_tikv(&self) -> bool {
        self.deployment.engine.facts().is_tidb_cluster
    }

    /// Whether PD gives out so many timestamps that they should be asked for in batches.
    pub(crate) fn needs_tso_batches(&self) -> bool {
        self.timestamps.is_some_and(|rate| rate >= crate::published::ADVICE.tso_requests.value)
    }
}
