//! What is known beside the Timeline: which disk, which instance, which settings, which prices.

use std::collections::BTreeMap;
use std::fmt;

use catalog::{CatalogView, InstanceType, Release};
use deployment::{Deployment, EngineSettings, NodeGroup};
use disk::{Disk, DiskError, DiskLimits, DiskMarket};
use timeline::Timeline;
use units::{Ratio, Usd};

use crate::threads::threads;

/// The note in which a gathered Timeline tells which releases run, with commas between.
const RELEASES: &str = "release";
/// The scheduler's threads, by the pool's name in `cpu_time`.
const SCHEDULER: &str = "sched_worker_pool";
/// The same with gRPC's, which a simulated node counts as one pool.
const SCHEDULER_WITH_GRPC: &str = "sched_worker_pool+grpc";

/// What is known of limits, settings and prices. Whatever is not given is not guessed.
#[derive(Debug, Clone)]
pub struct KnownFacts {
    /// The facts of the day whose limits and prices hold.
    pub view: CatalogView,
    /// Where prices are looked up; the deployment's region if not given.
    pub region: Option<String>,
    /// Disks by the label of their series (`data`), by node and label (`n1/data`), or by volume id; `*` stands for all others.
    pub disks: BTreeMap<String, Disk>,
    /// Instance types by node or instance id.
    pub instances: BTreeMap<String, String>,
    /// The instance type of all others.
    pub instance: Option<String>,
    /// The node or instance id on which a volume hangs, by volume id.
    pub attached: BTreeMap<String, String>,
    /// The deployment of which the Timeline is.
    pub deployment: Option<Deployment>,
    /// Disks that deliver only a share of their limits, over 0 and up to 1, by role or label (`data`): how a deployment is made
    /// as small as a machine that plays it.
    pub scaled: BTreeMap<String, f64>,
    /// Threads of pools that were set, by the pool's name in `cpu_time`; others have TiKV's defaults.
    pub pools: BTreeMap<String, f64>,
    /// The release of TiKV whose defaults hold; [`Release::NEWEST`] is assumed where it is not known.
    pub release: Option<Release>,
    /// For how much of the time a disk has to promise its rates to be offered as another's successor, over 0 and up to 1; `None`
    /// asks for no promise.
    pub consistency: Option<Ratio>,
}

/// Something said to be known that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownError(String);

impl fmt::Display for KnownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KnownError {}

impl KnownFacts {
    /// Nothing but the catalogue.
    pub fn nothing(view: CatalogView) -> Self {
        Self {
            view,
            region: None,
            disks: BTreeMap::new(),
            instances: BTreeMap::new(),
            instance: None,
            attached: BTreeMap::new(),
            deployment: None,
            scaled: BTreeMap::new(),
            pools: BTreeMap::new(),
            release: None,
            consistency: None,
        }
    }

    /// A deployment whose storage nodes are labelled `n1`, `n2` … in the Timeline.
    pub fn deployment(view: CatalogView, deployment: Deployment) -> Self {
        Self { deployment: Some(deployment), ..Self::nothing(view) }
    }

    /// Holds all of it against the catalogue.
    ///
    /// # Errors
    /// When an instance or a disk is not in it, or the disk asks for more than its kind sells.
    pub fn check(&self) -> Result<(), KnownError> {
        for name in self.instances.values().chain(&self.instance) {
            self.view.instance(name).map_err(|error| KnownError(error.to_string()))?;
        }
        for (name, disk) in &self.disks {
            match disk.limits(&self.view, self.instance("")) {
                Ok(_) | Err(DiskError::NeedsInstance { .. }) => {}
                Err(error) => return Err(KnownError(format!("disk `{name}`: {error}"))),
            }
        }
        if let Some(asked) = self.consistency.filter(|asked| !(asked.0 > 0.0 && asked.0 <= 1.0)) {
            return Err(KnownError(format!(
                "a consistency of {asked}: expected over 0 % and up to 100 %, such as 99.9%"
            )));
        }
        if let Some(region) = &self.region {
            self.view.region(region).map_err(|error| KnownError(error.to_string()))?;
        }
        Ok(())
    }

    /// What can be bought for a node: the day's volumes, priced where prices are looked up, that promise what is asked.
    pub fn market(&self, node: &str) -> DiskMarket<'_> {
        DiskMarket {
            view: &self.view,
            region: self.region(),
            instance: self.instance(node),
            consistency: self.consistency,
        }
    }

    /// Where prices are looked up.
    pub fn region(&self) -> Option<&str> {
        self.region.as_deref().or_else(|| self.deployment.as_ref().map(|deployment| deployment.region.as_str()))
    }

    /// What a disk costs a month where prices are looked up; `None` where that is not known.
    pub fn monthly(&self, disk: &Disk) -> Option<Usd> {
        disk.monthly(&self.view, self.region()?).ok()
    }

    /// What a disk of a node costs a month: a class of a service pays for the service's storage.
    pub(crate) fn monthly_on(&self, node: &str, disk: &Disk) -> Option<Usd> {
        disk.monthly_on(&self.view, self.region()?, self.instance(node)).ok()
    }

    /// The settings of the engine, where a deployment is known.
    pub(crate) fn settings(&self) -> Option<&EngineSettings> {
        self.deployment.as_ref().map(|deployment| &deployment.settings)
    }

    /// The disk with a label on a node.
    pub(crate) fn disk(&self, node: &str, label: &str) -> Option<&Disk> {
        if let Some(disk) = self.disks.get(&format!("{node}/{label}")).or_else(|| self.disks.get(label)) {
            return Some(disk);
        }
        if let Some(disk) = self.disks.get("*") {
            return Some(disk);
        }
        let group = self.group(node)?;
        match role(label) {
            "data" | "kv" => group.data.as_ref(),
            "log" | "raft" | "redo" => group.log.as_ref(),
            _ => None,
        }
    }

    /// The instance type of a node.
    pub fn instance(&self, node: &str) -> Option<&InstanceType> {
        let given = self.instances.get(node).or(self.instance.as_ref());
        let name = given.or_else(|| self.group(node).map(|group| &group.instance))?;
        self.view.instance(name).ok()
    }

    /// Whether the log of a node has a disk of its own; `None` if no deployment says so.
    pub(crate) fn separate_log(&self, node: &str) -> Option<bool> {
        self.group(node).map(|group| group.log.is_some())
    }

    /// The limits of a disk; `None` if the catalogue lacks them.
    pub fn limits(&self, node: &str, disk: &Disk) -> Option<DiskLimits> {
        disk.limits(&self.view, self.instance(node)).ok()
    }

    /// The share of its limits that a disk delivers, where it is known to be scaled down.
    pub(crate) fn share(&self, label: &str) -> Option<f64> {
        self.scaled.get(label).or_else(|| self.scaled.get(role(label))).copied()
    }

    /// Takes the release from a Timeline that notes which ones run, unless it is known already: the oldest, for a cluster whose
    /// nodes are not all upgraded yet has its defaults somewhere.
    pub fn learn_release(&mut self, timeline: &Timeline) {
        let noted = timeline.about.notes.get(RELEASES).map_or("", String::as_str);
        let oldest = noted.split(", ").filter_map(|release| release.parse::<Release>().ok()).min();
        self.release = self.release.or(oldest);
    }

    /// Takes what a Timeline notes of itself: the disks, the instance, the releases. Facts that are known already stay.
    pub fn learn_noted(&mut self, timeline: &Timeline) {
        for (key, text) in &timeline.about.notes {
            if let (Some(name), Ok(disk)) = (key.strip_prefix("disk "), text.parse()) {
                self.disks.entry(name.to_owned()).or_insert(disk);
            }
        }
        self.learn_release(timeline);
        self.instance = self.instance.take().or_else(|| timeline.about.notes.get("instance").cloned());
    }

    /// Takes a disk under its cloud's name; one that is known already stays.
    pub fn learn_disk(&mut self, name: &str, disk: &Disk) {
        self.disks.entry(name.to_owned()).or_insert_with(|| disk.clone());
    }

    /// Takes the instance to which a disk is attached, and its type. A type that the catalogue lacks has no limits that are known.
    pub fn learn_attachment(&mut self, disk: &str, instance: &str, instance_type: Option<&str>) {
        self.attached.insert(disk.to_owned(), instance.to_owned());
        if let Some(kind) = instance_type.filter(|kind| self.view.instance(kind).is_ok()) {
            self.instances.entry(instance.to_owned()).or_insert_with(|| kind.to_owned());
        }
    }

    /// Threads of a pool on so many vCPU: as set, else the default of the release; `None` where that is not known. A Timeline
    /// `without_grpc` has gRPC's threads in the scheduler's pool.
    pub(crate) fn threads(&self, pool: &str, vcpu: u32, without_grpc: bool) -> Option<f64> {
        let both = without_grpc && pool == SCHEDULER;
        let default = || threads(if both { SCHEDULER_WITH_GRPC } else { pool }, vcpu, self.release());
        self.pools.get(pool).copied().or_else(default)
    }

    /// Where the size of a pool is from, in a clause.
    pub(crate) fn says_threads(&self, pool: &str) -> String {
        match self.release {
            _ if self.pools.contains_key(pool) => "as was said".to_owned(),
            Some(release) => format!("the default of TiKV {release}"),
            None => format!(
                "the default of TiKV {}, which is assumed: nothing tells the release; say it with --tikv",
                self.release()
            ),
        }
    }

    fn release(&self) -> Release {
        self.release.unwrap_or(Release::NEWEST)
    }

    /// The group of a storage node: by its number, or the only one there is.
    fn group(&self, node: &str) -> Option<&NodeGroup> {
        let deployment = self.deployment.as_ref()?;
        let number = node.strip_prefix('n').and_then(|number| number.parse::<u32>().ok()).filter(|number| *number > 0);
        let mut groups = deployment.storage().map(|(_, group)| group);
        match number {
            Some(number) => {
                let mut before = 0;
                groups.find(|group| {
                    before += group.count;
                    number <= before
                })
            }
            None => groups.next().filter(|_| groups.next().is_none()),
        }
    }
}

/// `data` of `n1/data` and of `vol-data`.
fn role(label: &str) -> &str {
    label.rsplit(['/', '-']).next().unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{deployment, view};

    #[test]
    fn a_node_is_found_by_its_number_and_a_disk_by_its_role() {
        let mut two = deployment("gp2:100GiB", Some("gp3:20GiB"));
        let mut second = two.nodes[0].clone();
        (second.instance, second.log) = ("m5.4xlarge".to_owned(), None);
        two.nodes.push(second);
        let known = KnownFacts::deployment(view(), two);
        assert_eq!(known.disk("n1", "log").unwrap().to_string(), "gp3:20GiB");
        assert_eq!(known.disk("n4", "log"), None);
        assert_eq!(known.instance("n4").unwrap().name, "m5.4xlarge");
        assert_eq!(known.instance("n99"), None);
        assert_eq!(known.instance("elsewhere"), None, "two groups: which is not known");
    }

    #[test]
    fn what_is_given_goes_before_the_deployment() {
        let mut known = KnownFacts::deployment(view(), deployment("gp2:100GiB", None));
        known.disks.insert("data".to_owned(), "gp3:100GiB".parse().unwrap());
        known.disks.insert("n2/data".to_owned(), "io2:100GiB,4000iops".parse().unwrap());
        assert_eq!(known.disk("n1", "data").unwrap().volume.kind, "gp3");
        assert_eq!(known.disk("n2", "data").unwrap().volume.kind, "io2");
    }

    #[test]
    fn the_oldest_release_that_is_noted_holds_unless_one_was_said() {
        let mut timeline = Timeline::default();
        timeline.about.notes.insert("release".to_owned(), "8.5.4, 8.5.3".to_owned());
        let mut known = KnownFacts::nothing(view());
        assert_eq!(known.threads("grpc_server", 16, false), Some(8.0), "the newest is assumed");
        assert!(known.says_threads("grpc_server").contains("8.5.7, which is assumed"));
        known.learn_release(&timeline);
        assert_eq!(known.threads("grpc_server", 16, false), Some(5.0));
        assert_eq!(known.says_threads("grpc_server"), "the default of TiKV 8.5.3");
        known.release = Some(Release::new(8, 5, 6));
        known.learn_release(&timeline);
        assert_eq!(known.threads("grpc_server", 16, false), Some(8.0));
        known.pools.insert("grpc_server".to_owned(), 12.0);
        assert_eq!(
            (known.threads("grpc_server", 16, false), known.says_threads("grpc_server").as_str()),
            (Some(12.0), "as was said")
        );
    }

    #[test]
    fn what_no_cloud_sells_is_refused_by_name() {
        let mut known = KnownFacts::nothing(view());
        known.instance = Some("m5.2xlrge".to_owned());
        assert!(known.check().unwrap_err().to_string().contains("m5.2xlrge"));
        known.instance = None;
        known.disks.insert("data".to_owned(), "gp3:100GiB,999999iops".parse().unwrap());
        assert!(known.check().unwrap_err().to_string().starts_with("disk `data`: "));
    }
}
