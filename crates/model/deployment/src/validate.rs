//! Whether a deployment can be had at all, before anything is asked of it.

use catalog::{CatalogView, Cloud, InstanceType};
use disk::Disk;
use units::Bytes;

use crate::rules::{RULES, Rule};
use crate::{Deployment, DeploymentError, DeploymentFault, NodeGroup, NodeRole};

impl Deployment {
    /// Whether its region, instances and disks exist, fit each other, and the engine takes its settings.
    ///
    /// # Errors
    /// The first fault, with the key at which it stands.
    pub fn validate(&self, view: &CatalogView) -> Result<(), DeploymentError> {
        let cloud = view.region(&self.region).map_err(|error| DeploymentError::new("region", error))?;
        self.within_bounds()?;
        let nodes = self.storage_nodes();
        if self.storage().next().is_none() {
            return Err(DeploymentError::new("nodes", DeploymentFault::NoStorage));
        }
        for (i, group) in self.nodes.iter().enumerate() {
            self.validate_group(view, cloud, group)
                .map_err(|(key, fault)| DeploymentError::new(format!("nodes.{i}.{key}"), fault))?;
        }
        if self.zones == 0 {
            return Err(DeploymentError::new("zones", DeploymentFault::Zero));
        }
        if self.zones > nodes {
            return Err(DeploymentError::new("zones", DeploymentFault::TooManyZones { zones: self.zones, nodes }));
        }
        self.validate_settings(view).map_err(|(key, fault)| DeploymentError::new(format!("settings.{key}"), fault))?;
        let replicas = self.replicas();
        if replicas > nodes {
            let key = if self.settings.replicas.is_some() { "settings.replicas" } else { "nodes" };
            return Err(DeploymentError::new(key, DeploymentFault::TooFewNodes { replicas, nodes }));
        }
        Ok(())
    }

    /// Whether memory and time suffice for its numbers, whatever is done with it.
    fn within_bounds(&self) -> Result<(), DeploymentError> {
        let bound = |key: &str, what, given: u64, rule: &'static Rule<u32>| {
            let fault = DeploymentFault::TooMany { given, most: rule.value, what, source_text: &rule.source };
            if given > u64::from(rule.value) { Err(DeploymentError::new(key, fault)) } else { Ok(()) }
        };
        let mut nodes = 0;
        for (i, group) in self.nodes.iter().enumerate() {
            nodes += u64::from(group.count);
            bound(&format!("nodes.{i}.count"), "nodes", nodes, &RULES.most_nodes)?;
        }
        bound("zones", "zones", u64::from(self.zones), &RULES.most_zones)?;
        bound("settings.replicas", "replicas", u64::from(self.replicas()), &RULES.most_replicas)
    }

    fn validate_group(
        &self,
        view: &CatalogView,
        cloud: Cloud,
        group: &NodeGroup,
    ) -> Result<(), (&'static str, DeploymentFault)> {
        if group.count == 0 {
            return Err(("count", DeploymentFault::Zero));
        }
        let facts = self.engine.facts();
        let other_role = match group.role {
            NodeRole::Storage => None,
            NodeRole::Sql => Some("sql"),
            NodeRole::Pd => Some("pd"),
            NodeRole::Tiflash => Some("tiflash"),
        };
        if let Some(what) = other_role.filter(|_| !facts.is_tidb_cluster) {
            return Err(("role", DeploymentFault::NotOfEngine { what, engine: self.engine }));
        }
        if group.log.is_some() && !facts.has_log_disk {
            return Err(("log", DeploymentFault::NotOfEngine { what: "log", engine: self.engine }));
        }
        let instance = view.instance(&group.instance).map_err(|error| ("instance", error.into()))?;
        self.same_cloud(cloud, &instance.name, instance.cloud).map_err(|fault| ("instance", fault))?;
        if matches!(group.role, NodeRole::Storage | NodeRole::Tiflash) && group.data.is_none() {
            return Err(("data", DeploymentFault::NoDataDisk));
        }
        for (key, disk) in group.disks() {
            self.validate_disk(view, cloud, instance, disk).map_err(|fault| (key, fault))?;
        }
        fits(group, instance)
    }

    fn validate_disk(
        &self,
        view: &CatalogView,
        cloud: Cloud,
        instance: &InstanceType,
        disk: &Disk,
    ) -> Result<(), DeploymentFault> {
        if !disk.volume.is_local() && !disk.volume.is_unlimited() {
            let volume = disk.kind(view, Some(instance))?;
            self.same_cloud(cloud, &volume.name, volume.cloud)?;
        }
        disk.limits(view, Some(instance))?;
        Ok(())
    }

    fn same_cloud(&self, cloud: Cloud, name: &str, its: Cloud) -> Result<(), DeploymentFault> {
        if its == cloud {
            return Ok(());
        }
        Err(DeploymentFault::OtherCloud { name: name.to_owned(), its, region: self.region.clone(), cloud })
    }

    fn validate_settings(&self, view: &CatalogView) -> Result<(), (&'static str, DeploymentFault)> {
        let s = &self.settings;
        let set = [
            ("block-size", s.block_size.is_some()),
            ("compression", s.compression.is_some()),
            ("value-separation", s.value_separation.is_some()),
            ("replicas", s.replicas.is_some_and(|replicas| replicas > 1)),
            ("rate-limit", s.rate_limit.is_some()),
            ("follower-read", s.follower_read.is_some()),
            ("grpc-compression", s.grpc_compression.is_some()),
            ("locks", s.locks.is_some()),
            ("clustered-index", s.clustered_index.is_some()),
            ("doublewrite", s.doublewrite.is_some()),
        ];
        if let Some((what, _)) = set.iter().find(|(key, is_set)| *is_set && self.engine.lacks_setting(key)) {
            return Err((what, DeploymentFault::NotOfEngine { what, engine: self.engine }));
        }
        let zeros = [
            ("block-size", s.block_size == Some(Bytes(0))),
            ("block-cache", s.block_cache == Some(Bytes(0))),
            ("replicas", s.replicas == Some(0)),
            ("rate-limit", s.rate_limit.is_some_and(|rate| rate.0 == 0.0)),
        ];
        if let Some((key, _)) = zeros.iter().find(|(_, zero)| *zero) {
            return Err((key, DeploymentFault::Zero));
        }
        let rule = &RULES.tikv_max_block_size;
        if let Some(given) = s.block_size.filter(|size| *size > rule.value) {
            let why = format!("the largest with which TiKV starts ({})", rule.source);
            return Err(("block-size", DeploymentFault::TooLarge { given, most: rule.value, why }));
        }
        let rule = &RULES.tikv_min_block_size;
        if let Some(given) = s.block_size.filter(|size| *size < rule.value) {
            let why = format!("the smallest with which TiKV starts ({})", rule.source);
            return Err(("block-size", DeploymentFault::TooSmall { given, least: rule.value, why }));
        }
        for (_, group) in self.storage() {
            let most = view.instance(&group.instance).map_err(|error| ("block-cache", error.into()))?.memory;
            if let Some(given) = s.block_cache.filter(|size| *size > most) {
                let why = format!("the memory of {}", group.instance);
                return Err(("block-cache", DeploymentFault::TooLarge { given, most, why }));
            }
        }
        Ok(())
    }
}

/// Whether the instance can attach so many volumes, and its flash holds what is put on it.
fn fits(group: &NodeGroup, instance: &InstanceType) -> Result<(), (&'static str, DeploymentFault)> {
    let attached = group.disks().filter(|(_, disk)| !disk.volume.is_local()).map(|(_, disk)| disk.stripe);
    let volumes = attached.fold(RULES.root_volumes.value, u32::saturating_add);
    if let Some(most) = instance.max_volumes.filter(|most| volumes > *most) {
        return Err(("data", DeploymentFault::TooManyVolumes { volumes, instance: instance.name.clone(), most }));
    }
    let on_flash = |disk: &Disk| {
        let volumes = (disk.volume.is_local()).then(|| disk.volume.size * u64::from(disk.stripe));
        let cache = disk.cache.as_ref().filter(|cache| cache.is_local()).map(|cache| cache.size);
        volumes.unwrap_or_default() + cache.unwrap_or_default()
    };
    let asked: Bytes = group.disks().map(|(_, disk)| on_flash(disk)).sum();
    match instance.local {
        Some(local) if asked > local.size => Err((
            "data",
            DeploymentFault::LocalStoreTooSmall { asked, instance: instance.name.clone(), has: local.size },
        )),
        _ => Ok(()),
    }
}
