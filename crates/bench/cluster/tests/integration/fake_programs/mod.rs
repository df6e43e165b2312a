//! Starting, hurting and taking down a cluster whose disks are real and whose programs are scripts: nothing is left behind,
//! however it ends. Needs root.

mod world;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use disk::DiskFault;
use units::Nanos;

use crate::fake_programs::world::World;

fn starts(node: &cluster::ClusterNode) -> usize {
    fs::read_to_string(node.data_dir().join("starts")).unwrap().lines().count()
}

#[test]
fn a_cluster_starts_is_hurt_and_leaves_nothing() {
    let world = World::new();
    let cluster = world.start(2).unwrap();
    let node = cluster.node(1);
    assert_eq!((node.name(), node.zone(), node.log_disk()), ("n2", Some("b"), "raft"));
    assert_eq!(starts(node), 1);
    let groups = world.groups();
    assert_eq!(groups.iter().filter(|group| group.is_dir()).count(), 2);
    let procs = fs::read_to_string(groups[1].join("cgroup.procs")).unwrap();
    assert!(procs.lines().any(|pid| pid.parse() == Ok(node.pid().unwrap())), "{procs} is without {:?}", node.pid());
    assert_eq!(cluster.pd().leaders().unwrap().values().sum::<u64>(), 2);

    node.kill9();
    assert_eq!(node.pid(), None);
    node.restart().unwrap();
    assert_eq!(starts(node), 2);
    let error = node.restart().unwrap_err();
    assert!(error.to_string().contains("n2 runs already"), "{error}");

    node.power_cut().unwrap();
    assert_eq!(node.pid(), None);
    fs::write(node.data_dir().join("after"), "the disk works again").unwrap();
    node.restart().unwrap();

    // A stalled disk does not keep the cluster from ending.
    node.fault("data", DiskFault::Stall, Nanos::secs(3600)).unwrap();
    assert_eq!(cluster.stop().unwrap(), Vec::<String>::new());
    assert_eq!(world.left(), Vec::<String>::new());
    assert!(groups.iter().all(|group| !group.exists()));
}

fn user_of(pid: i32) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap().trim().to_owned()
}

/// What another user finds in a folder; `None` if it may not look.
fn seen_by_nobody(folder: &Path) -> Option<String> {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "ls"]).arg(folder);
    let output = command.output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn what_root_starts_runs_as_a_user_of_its_own_which_can_read_only_what_it_was_given() {
    let mut world = World::new();
    // As under a home: programs lie where only their owner can go.
    world.hide_programs();
    let cluster = world.start(2).unwrap();
    let node = cluster.node(0);
    let users: Vec<String> = [node, cluster.node(1)].map(|node| user_of(node.pid().unwrap())).into();
    assert!(users[0] == users[1] && !users[0].split_whitespace().any(|id| id == "0" || id == "65534"), "{users:?}");
    let owner = fs::metadata(node.data_dir().join("starts")).unwrap();
    assert_eq!((owner.uid().to_string().as_str(), owner.uid()), (users[0].split('\t').next().unwrap(), owner.gid()));

    let environment = fs::read_to_string(format!("/proc/{}/environ", node.pid().unwrap())).unwrap();
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")), "the test has something to keep to itself");
    assert!(!environment.contains("CARGO"), "{environment}");

    let own = [cluster.folder().join("n1-own"), cluster.folder().join("pd"), node.data_dir().to_owned()];
    let shared = [world.root().join("lab"), cluster.folder().to_owned(), cluster.folder().join("n1")];
    for folder in own.iter().chain(&shared) {
        assert!(folder.is_dir(), "{} is not there", folder.display());
        assert_eq!(seen_by_nobody(folder), None, "{} can be listed", folder.display());
        assert_eq!(folder.metadata().unwrap().mode() & 0o067, 0, "{}", folder.display());
    }
    assert_eq!(seen_by_nobody(Path::new("/")).map(|seen| seen.contains("tmp")), Some(true));
    for file in ["cluster.json", "n1.log", "pd.log"] {
        let found = cluster.folder().join(file).metadata().unwrap();
        assert_eq!((found.uid(), found.mode() & 0o077), (0, 0), "{file}");
    }
    // It may change its own settings and nothing else, as a change online does.
    node.restart_with(&"log-level = \"warn\"".parse().unwrap()).unwrap();
    let config = cluster.folder().join("n1-own/config.toml").metadata().unwrap();
    assert_eq!((config.uid(), config.mode() & 0o777), (owner.uid(), 0o600));
    assert_eq!(cluster.stop().unwrap(), Vec::<String>::new());
    assert_eq!(world.left(), Vec::<String>::new());
}

#[test]
fn settings_that_a_node_replaced_by_a_link_are_not_written_through_it() {
    let world = World::new();
    let cluster = world.start(1).unwrap();
    let (config, elsewhere) = (cluster.folder().join("n1-own/config.toml"), world.root().join("elsewhere"));
    fs::rename(&config, &elsewhere).unwrap();
    let before = fs::read_to_string(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &config).unwrap();
    cluster.node(0).restart_with(&"log-level = \"warn\"".parse().unwrap()).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), before);
    assert!(config.symlink_metadata().unwrap().is_file());
    cluster.stop().unwrap();
}

#[test]
fn what_is_sampled_is_a_timeline_of_disks_and_engines() {
    let world = World::new();
    let cluster = world.start(2).unwrap();
    let sampler = cluster.sampler().unwrap();
    let file = cluster.node(0).data_dir().join("file");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    fs::File::open(&file).unwrap().sync_all().unwrap();
    let from = Instant::now();
    while sampler.latest().iter().any(|latest| latest.engine.is_none()) {
        assert!(from.elapsed() < Duration::from_secs(30), "two samples take two seconds");
        std::thread::sleep(Duration::from_millis(20));
    }
    let timeline = sampler.finish().unwrap();
    let has = |name: &str, of: &[(&str, &str)]| {
        let fits = |labels: &std::collections::BTreeMap<String, String>| of.iter().all(|(k, v)| labels[*k] == *v);
        timeline.series.iter().any(|series| series.name == name && fits(&series.labels))
    };
    assert!(has("write_bytes", &[("node", "n1"), ("zone", "a"), ("disk", "data")]));
    assert!(has("write_bytes", &[("node", "n2"), ("zone", "b"), ("disk", "raft")]));
    assert!(has("raft_log_bytes", &[("node", "n2")]));
    let refused = cluster.node(0).change(&serde_json::Map::new()).unwrap_err();
    assert_eq!(refused.exit_code(), 1);
    assert!(refused.to_string().ends_with("answered 500: failed to update, error: no"), "{refused}");
    drop(cluster);
    assert_eq!(world.left(), Vec::<String>::new());
}

#[test]
fn a_node_that_does_not_start_is_told_with_its_log_and_nothing_is_left() {
    let world = World::new();
    world.program("diskwright-store", "#!/bin/sh\necho 'config: unknown key `x`' >&2\nexit 2\n");
    let error = world.start(2).unwrap_err();
    assert_eq!(error.to_string(), "n1 ended before it was ready; its log:\nconfig: unknown key `x`");
    assert_eq!(world.left(), Vec::<String>::new());
}

#[test]
fn a_placement_driver_that_ends_by_itself_is_told_with_its_log() {
    let world = World::new();
    let ends = "#!/bin/sh\necho '{\"addr\":\"HTTP\"}'\ntrap 'exit 0' TERM\n\
                while [ ! -e \"$0.end\" ]; do sleep 0.02; done\necho 'out of room' >&2\nexit 3\n";
    world.program("diskwright-pd", ends);
    let cluster = world.start(1).unwrap();
    cluster.holds().unwrap();
    fs::write(world.root().join("diskwright-pd.end"), "").unwrap();
    let from = Instant::now();
    while cluster.holds().is_ok() {
        assert!(from.elapsed() < Duration::from_secs(60), "it is not seen to have ended");
        std::thread::sleep(Duration::from_millis(20));
    }
    let error = cluster.holds().unwrap_err().to_string();
    for part in ["the placement driver ended by itself with exit status: 3", "out of room"] {
        assert!(error.contains(part), "{error}");
    }
    drop(cluster);
    assert_eq!(world.left(), Vec::<String>::new());
}

#[test]
fn a_panic_leaves_nothing() {
    let world = World::new();
    let panicked = std::panic::catch_unwind(|| {
        let _cluster = world.start(1).unwrap();
        std::panic::resume_unwind(Box::new("as a test would"));
    });
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&"as a test would"));
    assert_eq!(world.left(), Vec::<String>::new());
}

/// Not a test of its own: what the next one runs as another process, and kills.
#[test]
#[ignore = "run by another test"]
fn hold_a_cluster() {
    let root = std::env::var_os("FAKE_CLUSTER_ROOT").expect("the test that runs this names its folder");
    let world = World::at(root.into());
    let _cluster = world.start(2).unwrap();
    fs::write(world.root().join("ready"), "").unwrap();
    std::thread::sleep(Duration::from_secs(600));
}

/// The other process; it does not outlive the test.
struct Holder(Child);

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn the_programs_end_with_a_killed_process_and_the_next_clears_the_rest_away() {
    let world = World::new();
    let mut holder = Command::new(std::env::current_exe().unwrap());
    holder.args(["--ignored", "--exact", "fake_programs::hold_a_cluster"]).env("FAKE_CLUSTER_ROOT", world.root());
    let holder = Holder(holder.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        let from = Instant::now();
        while !done() {
            assert!(from.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait("the cluster to be up", &|| world.root().join("ready").exists());
    assert_eq!(cluster::sweep(&world.lab()).unwrap(), 0, "a cluster whose process lives is left alone");
    let groups = world.groups();
    assert_eq!(groups.len(), 2);
    drop(holder);
    let programs = || world.left().iter().filter(|line| line.contains("diskwright-")).count();
    wait("the programs to end", &|| programs() == 0);
    assert_eq!(cluster::sweep(&world.lab()).unwrap(), 1);
    assert_eq!(world.left(), Vec::<String>::new());
    assert!(groups.iter().all(|group| !group.exists()));
}
