//! The cluster: all nodes and the placement driver, from their start until nothing of them is left.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deployment::Deployment;
use mount::{DaemonClient, MountRequest};
use units::{Bytes, Nanos};
use workload::Engine;

use crate::base::ClusterBase;
use crate::config::{NodePlace, config};
use crate::http::Http;
use crate::process::{Process, Ready, tail};
use crate::record::sweep_in;
use crate::{
    ClusterError, ClusterNode, ClusterOptions, NodeSampler, PlacementDriver, StartProgress, TestBed, UnfitDeployment,
};

/// A running cluster. However it goes, nothing of it is left when it is dropped; after a kill of this process its programs
/// end, and [`sweep`](crate::sweep) clears the rest away.
#[derive(Debug)]
pub struct RunningCluster {
    nodes: Vec<Arc<ClusterNode>>,
    pd: PlacementDriver,
    pd_process: Mutex<Option<Process>>,
    notes: Vec<String>,
    /// Last: what it clears away must not be in use.
    base: Arc<ClusterBase>,
}

/// A round trip between zones unless the deployment says otherwise, as [`deployment::Settings`] has it.
const ZONE_ROUND_TRIP: Nanos = Nanos::millis(1);

impl RunningCluster {
    /// Mounts the disks of a deployment's storage nodes and starts a node on each, and PD. Nodes of other roles are left
    /// out. If it fails, nothing is left of what was begun.
    ///
    /// # Errors
    /// When the deployment is none of TiKV's, the machine lacks something, or a program does not become ready.
    pub fn start(
        lab: &TestBed,
        deployment: &Deployment,
        options: &ClusterOptions,
        progress: &mut dyn FnMut(StartProgress),
    ) -> Result<Self, ClusterError> {
        let nodes = check(deployment)?;
        let base = Arc::new(ClusterBase::new(&lab.home, &lab.scratch, options)?);
        let mut notes = Vec::new();
        match sweep_in(&lab.home, &base.scratch) {
            Ok(0) => {}
            Ok(swept) => notes.push(format!("{swept} cluster(s) of processes that were killed have been cleared away")),
            Err(error) => notes.push(format!("what a killed process left stays: {error}")),
        }
        progress(StartProgress::Pd);
        let (pd, process) = base.start_pd(&lab.programs.pd, nodes, deployment.replicas())?;
        let pd_process = Mutex::new(Some(process));
        let mut cluster = Self { nodes: Vec::new(), pd, pd_process, notes, base };
        for node in 1..=nodes {
            options.go_on()?;
            progress(StartProgress::Mounting { node, of: nodes });
            cluster.mount(lab, deployment, node)?;
        }
        for node in &cluster.nodes {
            node.launch()?;
        }
        for (node, number) in cluster.nodes.iter().zip(1..) {
            progress(StartProgress::Starting { node: number, of: nodes });
            node.await_ready()?;
        }
        progress(StartProgress::Leaders);
        cluster.await_leaders()?;
        Ok(cluster)
    }

    /// Mounts the disks of a node and gets it ready to be started.
    fn mount(&mut self, lab: &TestBed, deployment: &Deployment, number: u32) -> Result<(), ClusterError> {
        let base = &self.base;
        let name = format!("n{number}");
        let folder = base.folder.join(&name);
        let request = base.request(&folder, deployment, number)?;
        let place = place(&request, base.options.memory);
        let mounted = base.mount(&request)?;
        self.notes.extend(mounted.notes.iter().map(|note| format!("{name}: {note}")));
        let data_dir = folder.join("data").join("store");
        // A folder of its own, for it writes what is changed online beside the file first.
        let own = base.folder.join(format!("{name}-own"));
        base.give(&own)?;
        let file = own.join("config.toml");
        let text = config(&deployment.settings, &place, &base.options.keys);
        base.give_file(&file, &text)?;
        for dir in [Some(&data_dir), place.raft_dir.as_ref()].into_iter().flatten() {
            base.give(dir)?;
            // A power cut does not take away what the node was given.
            let synced = std::fs::File::open(dir).and_then(|dir| dir.sync_all());
            synced.map_err(|error| ClusterError::system(dir.display(), error))?;
        }
        let group = base.options.memory.map(|limit| base.group(&name, limit)).transpose()?;
        let mut arguments = vec!["--config".to_owned(), file.display().to_string()];
        arguments.extend(["--pd-endpoints".to_owned(), self.pd.addr().to_string()]);
        arguments.extend(["--data-dir".to_owned(), data_dir.display().to_string()]);
        if let Some(zone) = &mounted.zone {
            arguments.extend(["--labels".to_owned(), format!("zone={zone}")]);
        }
        if deployment.zones > 1 {
            let round_trip = deployment.settings.zone_round_trip.unwrap_or(ZONE_ROUND_TRIP);
            // In the finest unit of TiKV's durations.
            arguments.extend(["--zone-round-trip".to_owned(), format!("{}us", round_trip.0 / 1000)]);
        }
        self.nodes.push(Arc::new(ClusterNode {
            name,
            program: lab.programs.store.clone(),
            arguments,
            config: file,
            given: Mutex::new(text),
            folder,
            data_dir,
            disks: DaemonClient::of(&mounted)?,
            mounted,
            process: Mutex::new(None),
            ready: Mutex::new(Ready::ANY),
            group,
            http: Http::new(Duration::from_secs(2)),
            base: Arc::clone(base),
        }));
        Ok(())
    }

    /// Waits until every region has a leader, and a little longer for PD to spread them evenly.
    fn await_leaders(&self) -> Result<(), ClusterError> {
        /// PD moves four at a time; where it cannot, a run does not wait for it.
        const BALANCING: Duration = Duration::from_secs(10);
        let options = &self.base.options;
        let from = Instant::now();
        loop {
            options.go_on()?;
            let (regions, leaders) = match (self.pd.regions(), self.pd.leaders()) {
                // PD says so until it has heard of the regions.
                (Err(error), _) | (_, Err(error)) if error.is_no() => Default::default(),
                (regions, leaders) => (regions?, leaders?),
            };
            let led: u64 = leaders.values().sum();
            let most = leaders.values().max().copied().unwrap_or_default();
            let even = most <= regions.div_ceil(self.nodes.len().max(1) as u64);
            if regions > 0 && led >= regions && (even || from.elapsed() > BALANCING) {
                return Ok(());
            }
            if from.elapsed() > options.patience.max(BALANCING) {
                let said: Vec<String> = self.nodes.iter().map(|node| node.said()).collect();
                return Err(ClusterError::Program {
                    name: format!("{led} of {regions} regions"),
                    what: format!("have a leader after {:?}; the logs", options.patience),
                    said: said.join("\n"),
                });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[Arc<ClusterNode>] {
        &self.nodes
    }

    /// A node, counted from 0.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn node(&self, index: usize) -> &ClusterNode {
        &self.nodes[index]
    }

    /// Its placement driver.
    pub fn pd(&self) -> &PlacementDriver {
        &self.pd
    }

    /// Its folder, for mount points, settings and logs: it goes with it.
    pub fn folder(&self) -> &Path {
        &self.base.folder
    }

    /// What people should know of how it started.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// That no node and not its placement driver has ended by itself.
    ///
    /// # Errors
    /// Which one did and how, with the end of its log.
    pub fn holds(&self) -> Result<(), ClusterError> {
        self.nodes.iter().try_for_each(|node| node.holds())?;
        let mut pd = self.pd_process.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(status) = pd.as_mut().and_then(Process::ended) else { return Ok(()) };
        let what = format!("ended by itself with {status}");
        Err(ClusterError::Program { name: "the placement driver".to_owned(), what, said: tail(&self.base.pd_log()) })
    }

    /// Begins to look at every node each second.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn sampler(&self) -> Result<NodeSampler, ClusterError> {
        NodeSampler::start(&self.nodes)
    }

    /// Stops the nodes in order and clears all away, also the data. Says what did not end well.
    ///
    /// # Errors
    /// When something stays: a disk that somebody uses.
    pub fn stop(self) -> Result<Vec<String>, ClusterError> {
        let said = self.stop_programs();
        self.base.clear()?;
        Ok(said)
    }

    fn stop_programs(&self) -> Vec<String> {
        for node in &self.nodes {
            // A disk that is stalled or gone would keep its node from ending.
            let _ = node.heal();
            node.resume();
            node.tell_to_stop();
        }
        let mut said: Vec<String> = self.nodes.iter().filter_map(|node| node.stop()).collect();
        let pd = self.pd_process.lock().unwrap_or_else(PoisonError::into_inner).take();
        said.extend(pd.and_then(|mut process| process.stop()));
        said
    }
}

impl Drop for RunningCluster {
    fn drop(&mut self) {
        self.stop_programs();
        if let Err(error) = self.base.clear() {
            textfile::log_line(format_args!("not all of the cluster is cleared away: {error}"));
        }
    }
}

/// Most storage nodes: each is a process, a daemon and a filesystem of this machine.
const MOST_NODES: u32 = 16;

/// How many storage nodes there are.
fn check(deployment: &Deployment) -> Result<u32, UnfitDeployment> {
    if deployment.engine != Engine::TiKv {
        return Err(UnfitDeployment::OtherEngine);
    }
    let (nodes, replicas) = (deployment.storage_nodes(), deployment.replicas());
    match nodes {
        0 => Err(UnfitDeployment::NoStorageNode),
        nodes if nodes > MOST_NODES => Err(UnfitDeployment::TooManyNodes { nodes, most: MOST_NODES }),
        _ if replicas > nodes || replicas == 0 => Err(UnfitDeployment::Replicas { replicas, nodes }),
        nodes => Ok(nodes),
    }
}

fn place(request: &MountRequest, memory: Option<Bytes>) -> NodePlace {
    let size = |name: &str| {
        let wanted = request.disks.iter().find(|wanted| wanted.name == name);
        wanted.map(|wanted| Bytes(wanted.disk.volume.size.0 * u64::from(wanted.disk.stripe.max(1))))
    };
    let data_disk = size("data").unwrap_or_default();
    let raft_dir = size("raft").map(|_| request.dir.join("raft").join("raft-engine"));
    NodePlace { raft_dir, data_disk, raft_disk: size("raft").unwrap_or(data_disk), memory }
}

#[cfg(test)]
#[path = "cluster_tests.rs"]
mod tests;
