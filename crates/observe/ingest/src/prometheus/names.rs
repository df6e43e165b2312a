//! What nodes and disks are called: hosts without ports, and the names that our mounts give their disks.

use std::collections::{BTreeMap, BTreeSet};

use timeline::SeriesLabels;

use super::answer::Found;
use super::table::{Query, SeriesGroup};

/// What is known of a mounted disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mounted {
    /// `data`, `raft`.
    pub(super) name: String,
    /// The disk as a noun: `gp3:100GiB`.
    pub(super) disk: String,
}

/// Names by what Prometheus calls things.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Mounted disks by instance and device.
    pub(super) mounted: BTreeMap<(String, String), Mounted>,
    /// Nodes by exporter and instance.
    nodes: BTreeMap<(String, String), String>,
    /// The names that the user gave nodes, by instance or host.
    given_nodes: BTreeMap<String, String>,
    /// The names that the user gave disks, by device or `node/device`.
    given_disks: BTreeMap<String, String>,
}

/// The exporter of our mounts, which give disks the names of node_exporter, too.
const MOUNTS: &str = "mounts";

impl Names {
    /// Reads mounted disks off `diskwright_disk_info`.
    pub(super) fn new(
        info: Vec<Found>,
        given_nodes: &BTreeMap<String, String>,
        given_disks: &BTreeMap<String, String>,
    ) -> Self {
        let mounted = info.into_iter().filter_map(|found| {
            let label = |key: &str| found.labels.get(key).cloned();
            let mounted = Mounted { name: label("name")?, disk: label("disk").unwrap_or_default() };
            Some(((label("instance")?, label("device")?), mounted))
        });
        let (given_nodes, given_disks) = (given_nodes.clone(), given_disks.clone());
        Self { mounted: mounted.collect(), nodes: BTreeMap::new(), given_nodes, given_disks }
    }

    /// Learns the instances. A node is its host, so that what several programs tell of it comes together; where one program
    /// has several instances on a host, they are told apart by their ports.
    pub(super) fn learn(&mut self, found: &[(&'static Query, Found)]) {
        let pairs: BTreeSet<(String, String)> = found
            .iter()
            .filter_map(|(query, found)| {
                let instance = found.labels.get("instance")?;
                Some((self.exporter(query, instance).to_owned(), instance.clone()))
            })
            .collect();
        for (exporter, instance) in &pairs {
            let host = host(instance);
            let alone = pairs.iter().filter(|(other, _)| other == exporter).filter(|(_, i)| self::host(i) == host);
            let node = if alone.count() == 1 { host } else { instance };
            let given = self.given_nodes.get(instance).or_else(|| self.given_nodes.get(node));
            let node = given.cloned().unwrap_or_else(|| node.to_owned());
            self.nodes.insert((exporter.clone(), instance.clone()), node);
        }
    }

    fn exporter<'q>(&self, query: &'q Query, instance: &str) -> &'q str {
        let ours = query.group == SeriesGroup::Disks && self.mounted.keys().any(|(mounts, _)| mounts == instance);
        if ours { MOUNTS } else { &query.exporter }
    }

    /// What the node of a series is called.
    pub(super) fn node(&self, query: &Query, instance: &str) -> String {
        let key = (self.exporter(query, instance).to_owned(), instance.to_owned());
        self.nodes.get(&key).cloned().unwrap_or_else(|| instance.to_owned())
    }

    /// Our labels of a series of an instance; `None` for one that is not wanted.
    pub(super) fn labels(&self, query: &Query, found: &Found, instance: &str) -> Option<SeriesLabels> {
        let node = self.node(query, instance);
        let mut labels = SeriesLabels::new();
        for (ours, theirs) in &query.labels {
            let value = found.labels.get(theirs).map(String::as_str).unwrap_or_default();
            let value = if ours == "disk" { self.disk(instance, &node, value)? } else { value.to_owned() };
            labels.insert(ours.clone(), value);
        }
        labels.extend(query.fixed.clone());
        if !node.is_empty() {
            labels.insert("node".to_owned(), node);
        }
        Some(labels)
    }

    /// What a disk is called; `None` for a loop device that is none of our disks.
    pub(super) fn disk(&self, instance: &str, node: &str, device: &str) -> Option<String> {
        let given = self.given_disks.get(&format!("{node}/{device}")).or_else(|| self.given_disks.get(device));
        let mounted = || self.mounted.get(&(instance.to_owned(), device.to_owned())).map(|mounted| &mounted.name);
        match given.or_else(mounted) {
            Some(name) => Some(name.clone()),
            None if device.starts_with("loop") => None,
            None => Some(device.to_owned()),
        }
    }
}

/// `10.0.0.5:20180` without the port, and so with `[::1]:20180`.
fn host(instance: &str) -> &str {
    match instance.rsplit_once(':') {
        Some((host, port))
            if port.chars().all(|c| c.is_ascii_digit()) && (host.ends_with(']') || !host.contains(':')) =>
        {
            host
        }
        _ => instance,
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::QUERIES;
    use super::*;

    fn query(series: &str) -> &'static Query {
        QUERIES.iter().find(|query| query.series == series).unwrap()
    }

    fn found(labels: &[(&str, &str)]) -> Found {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Found { labels, values: vec![(0.0, 1.0)] }
    }

    fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn programs_of_one_host_come_together_and_twins_stay_apart() {
        let (disk, tikv) = (query("read_ops"), query("flush_bytes"));
        let mut names = Names::new(vec![], &of(&[("10.0.0.6", "n2")]), &BTreeMap::new());
        let found = [
            (disk, "10.0.0.5:9100"),
            (tikv, "10.0.0.5:20180"),
            (disk, "10.0.0.6:9100"),
            (tikv, "10.0.0.6:20180"),
            (tikv, "10.0.0.6:20181"),
        ];
        names.learn(&found.map(|(query, instance)| (query, self::found(&[("instance", instance)]))));
        assert_eq!(
            found.map(|(query, instance)| names.node(query, instance)),
            ["10.0.0.5", "10.0.0.5", "n2", "10.0.0.6:20180", "10.0.0.6:20181"]
        );
    }

    #[test]
    fn mounted_disks_have_their_names_and_other_loops_none() {
        let info = found(&[("instance", "h:9750"), ("device", "loop3"), ("name", "raft"), ("disk", "gp3:20GiB")]);
        let names = Names::new(vec![info], &BTreeMap::new(), &of(&[("h/sdb", "data"), ("sdc", "log")]));
        assert_eq!(names.disk("h:9750", "h", "loop3").as_deref(), Some("raft"));
        assert_eq!(names.disk("h:9100", "h", "loop3"), None);
        assert_eq!(names.disk("h:9100", "h", "sdb").as_deref(), Some("data"));
        assert_eq!(names.disk("g:9100", "g", "sdb").as_deref(), Some("sdb"));
        assert_eq!(names.disk("g:9100", "g", "sdc").as_deref(), Some("log"));
        // The mounts' exporter is another program than node_exporter, whatever it calls its series.
        assert_eq!(names.exporter(query("read_ops"), "h:9750"), MOUNTS);
    }

    #[test]
    fn a_port_is_cut_off_and_an_address_is_not() {
        let hosts = ["a:1", "[::1]:9090", "::1", "a", "a:b"].map(host);
        assert_eq!(hosts, ["a", "[::1]", "::1", "a", "a:b"]);
    }
}
