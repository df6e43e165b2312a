//! Deployments with one known cause each, drawn at random: what is asked of them is made so that this cause, and no other,
//! holds them up.

use catalog::{CatalogView, InstanceType};
use deployment::{BlockCompression, Deployment};
use diagnose::FindingKind;
use engine::OfferedLoad;
use simulate::{EventScript, SimulationOptions};
use textfile::Text;
use units::{Bytes, Nanos};
use workload::Task;

use crate::parts::{Dice, plain, reads, writes};

/// What is simulated, and what is wrong with it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) truth: FindingKind,
    pub(crate) deployment: Deployment,
    pub(crate) task: Task,
    pub(crate) options: SimulationOptions,
}

/// The causes that are made, in turn. PD is not simulated, and in the simulation the page cache holds what a small block cache
/// does not. `healthy` comes twice, for false alarms are counted in it.
pub(crate) const CAUSES: [FindingKind; 19] = [
    FindingKind::Healthy,
    FindingKind::DiskStalled,
    FindingKind::DiskSlow,
    FindingKind::VolumeIops,
    FindingKind::VolumeThroughput,
    FindingKind::InstanceIops,
    FindingKind::InstanceThroughput,
    FindingKind::BurstExhausted,
    FindingKind::BurstEnding,
    FindingKind::InstanceBurstSpent,
    FindingKind::RaftLogContention,
    FindingKind::CompactionDebt,
    FindingKind::CompactionUnthrottled,
    FindingKind::BlockCacheLarge,
    FindingKind::BlockSize,
    FindingKind::ThreadPool,
    FindingKind::Cpu,
    FindingKind::OverProvisioned,
    FindingKind::Healthy,
];

/// A draft for a cause.
pub(crate) fn draft(truth: FindingKind, seed: u64, view: &CatalogView) -> Draft {
    let mut dice = Dice::new(seed);
    let d = &mut dice;
    let mut draft = Draft {
        truth,
        deployment: plain(d),
        task: reads(d, 1000.0),
        options: SimulationOptions {
            seed,
            span: Nanos::secs(d.whole(90, 180)),
            warm_up: Nanos::secs(10),
            ..SimulationOptions::default()
        },
    };
    let gib = d.whole(300, 900);
    let nodes = f64::from(draft.deployment.nodes[0].count);
    match truth {
        FindingKind::Healthy => healthy(&mut draft, d, gib),
        FindingKind::DiskStalled => {
            healthy(&mut draft, d, gib);
            happens(&mut draft, format!("n1/data stall {}s", d.whole(10, 40)), d);
        }
        FindingKind::DiskSlow => {
            healthy(&mut draft, d, gib);
            let (times, by, lasts) = (d.whole(6, 20), d.whole(10, 60), d.whole(30, 80));
            let share = d.whole(10, 30);
            let what = match d.whole(0, 2) {
                0 => format!("slow {times}x for {lasts}s"),
                1 => format!("delay {by}ms for {lasts}s"),
                _ => format!("degrade {share}% for {lasts}s"),
            };
            happens(&mut draft, format!("n1/data {what}"), d);
        }
        FindingKind::VolumeIops => {
            let iops = d.whole(30, 60) * 100;
            data(&mut draft, &format!("gp3:{gib}GiB,{iops}iops,{}MiB/s", (iops / 4).min(1000)));
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(60.0, 200.0)));
        }
        FindingKind::VolumeThroughput => {
            data(&mut draft, &format!("gp3:{gib}GiB,{}iops,{}MiB/s", d.whole(100, 160) * 100, d.whole(125, 200)));
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(100.0, 250.0)));
        }
        FindingKind::InstanceIops | FindingKind::InstanceThroughput | FindingKind::InstanceBurstSpent => {
            link(&mut draft, d, view)
        }
        FindingKind::BurstExhausted | FindingKind::BurstEnding => burst(&mut draft, d),
        FindingKind::RaftLogContention | FindingKind::CompactionUnthrottled => {
            let mib = d.whole(125, 220);
            data(&mut draft, &format!("gp3:{gib}GiB,{}iops,{mib}MiB/s", d.whole(40, 160).max(mib / 25) * 100));
            let bytes = mib as f64 * 1024.0 * 1024.0 * d.between(0.045, 0.065);
            draft.task = writes(d, bytes);
            draft.options.span = Nanos::secs(180);
            if truth == FindingKind::CompactionUnthrottled {
                own_log(&mut draft);
                // Those who wait behind compaction are reads.
                draft.task.profile.point_reads = d.between(0.05, 0.15);
            }
        }
        FindingKind::CompactionDebt => {
            data(&mut draft, &format!("gp3:{gib}GiB,10000iops,600MiB/s"));
            own_log(&mut draft);
            let bytes = d.between(20.0, 40.0) * 1024.0 * 1024.0;
            draft.task = writes(d, bytes);
            draft.deployment.settings.rate_limit = Some(units::BytesPerSec(bytes * d.between(0.8, 1.4)));
            draft.options.span = Nanos::secs(300);
        }
        FindingKind::BlockCacheLarge => {
            data(&mut draft, &format!("gp3:{gib}GiB"));
            draft.task.profile.compressed = d.between(0.35, 0.5);
            let memory = view.instance(&draft.deployment.nodes[0].instance).expect("an instance").memory.as_f64();
            draft.deployment.settings.block_cache = Some(Bytes((memory * d.between(0.75, 0.9)) as u64));
            draft.task.profile.data = Bytes((memory * nodes * d.between(1.0, 1.3)) as u64);
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(60.0, 200.0)));
        }
        FindingKind::BlockSize => {
            data(&mut draft, &format!("gp3:{gib}GiB,{}iops,{}MiB/s", d.whole(60, 160) * 100, d.whole(125, 200)));
            draft.deployment.settings.block_size = Some(Bytes::kib(d.one(&[64, 128, 256])));
            draft.task.profile.row = Bytes(d.whole(200, 1500));
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(60.0, 200.0)));
        }
        FindingKind::ThreadPool => {
            instance(&mut draft, d.one(&["m5.4xlarge", "m5.8xlarge", "r5.4xlarge"]));
            data(&mut draft, &format!("gp3:{gib}GiB,16000iops,1000MiB/s"));
            own_log(&mut draft);
            draft.task = writes(d, 1.0);
            draft.task.profile.row = Bytes(d.whole(60, 120));
            draft.task.profile.data = Bytes::gib(40);
            draft.options.span = Nanos::secs(60);
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(2000.0, 4000.0)));
        }
        FindingKind::Cpu => {
            instance(&mut draft, d.one(&["m5.large", "m5.xlarge", "r5.large", "c5.2xlarge"]));
            data(&mut draft, &format!("gp3:{gib}GiB"));
            draft.task.profile.data = Bytes::gib(1);
            draft.options.span = Nanos::secs(40);
            draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(200.0, 400.0)));
        }
        FindingKind::OverProvisioned => {
            healthy(&mut draft, d, gib);
            data(&mut draft, &format!("gp3:{gib}GiB,{}iops,{}MiB/s", d.whole(80, 160) * 100, d.whole(300, 900)));
            draft.options.load = Some(OfferedLoad::Open(d.between(50.0, 400.0)));
            draft.options.span = Nanos::secs(700);
        }
        _ => unreachable!("not among the causes that are made"),
    }
    draft
}

/// A load of reads and writes at a share of what the disk carries.
fn healthy(draft: &mut Draft, d: &mut Dice, gib: u64) {
    let kind = d.one(&["gp3", "gp3", "gp2", "io2"]);
    let disk = match kind {
        "io2" => format!("io2:{gib}GiB,3000iops"),
        "gp2" => format!("gp2:{gib}GiB"),
        _ => format!("gp3:{gib}GiB"),
    };
    data(draft, &disk);
    let iops = if kind == "gp2" { 3.0 * gib as f64 } else { 3000.0 };
    let share = d.between(0.15, 0.6);
    draft.task.profile.updates = d.one(&[0.0, 0.05, 0.1]);
    let nodes = f64::from(draft.deployment.nodes[0].count);
    draft.options.load = Some(OfferedLoad::Open(nodes * (iops * share / 1.6).min(1500.0)));
    if d.one(&[true, false]) {
        own_log(draft);
    }
}

/// An instance whose link is slower than its volume.
fn link(draft: &mut Draft, d: &mut Dice, view: &CatalogView) {
    let nodes = f64::from(draft.deployment.nodes[0].count);
    let bursts = draft.truth == FindingKind::InstanceBurstSpent;
    let is_fit = |one: &&InstanceType| {
        one.vcpu >= 2
            && one.speed.basis != catalog::SpeedBasis::Assumed
            && one.memory <= Bytes::gib(128)
            && one.memory >= Bytes::gib(8)
            && one.caps.is_some_and(|caps| {
                (caps.burst_iops.0 > caps.iops.0 * 1.2) == bursts && (2000.0..14_000.0).contains(&caps.iops.0)
                    || !bursts && (5000.0..21_000.0).contains(&caps.iops.0)
            })
    };
    let fit: Vec<String> = view.instances(catalog::Cloud::Aws).filter(is_fit).map(|one| one.name.clone()).collect();
    let chosen = fit[d.whole(0, fit.len() as u64 - 1) as usize].clone();
    let caps = view.instance(&chosen).expect("of the catalogue").caps.expect("it was asked for");
    instance(draft, &chosen);
    data(draft, "2x(gp3:300GiB,16000iops,1000MiB/s)");
    // Compressed blocks of this size make one limit or the other bind.
    let even = caps.throughput.0 / caps.iops.0;
    let (from, to) = if draft.truth == FindingKind::InstanceThroughput { (1.5, 3.0) } else { (0.3, 0.7) };
    let size = (even * d.between(from, to) / draft.task.profile.compressed).clamp(4096.0, 60_000.0);
    draft.deployment.settings.block_size = Some(Bytes((size as u64 / 1024).max(4) * 1024));
    draft.deployment.settings.compression = Some(BlockCompression::Default);
    draft.options.span = Nanos::secs(60);
    draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(150.0, 300.0)));
    if bursts {
        draft.options.credits = disk::StartCredits::Spent;
    }
}

/// A gp2 without credits, or with few.
fn burst(draft: &mut Draft, d: &mut Dice) {
    let gib = d.whole(250, 600);
    data(draft, &format!("gp2:{gib}GiB"));
    draft.task.profile.data = Bytes::gib(gib / 2);
    let baseline = 3.0 * gib as f64;
    let nodes = f64::from(draft.deployment.nodes[0].count);
    if draft.truth == FindingKind::BurstExhausted {
        draft.options.credits = disk::StartCredits::Spent;
        draft.options.load = Some(OfferedLoad::Closed(nodes * d.between(30.0, 150.0)));
    } else {
        draft.options.load = Some(OfferedLoad::Open(nodes * (baseline + (3000.0 - baseline) * d.between(0.4, 0.8))));
        happens_at(draft, &format!("all/data credits {}%", d.whole(15, 50)), 1);
    }
}

fn data(draft: &mut Draft, text: &str) {
    draft.deployment.nodes[0].data = Some(text.parse().expect("a disk"));
}

fn own_log(draft: &mut Draft) {
    draft.deployment.nodes[0].log = Some("gp3:30GiB,12000iops,500MiB/s".parse().expect("a disk"));
}

fn instance(draft: &mut Draft, name: &str) {
    draft.deployment.nodes[0].instance = name.to_owned();
}

fn happens(draft: &mut Draft, what: String, d: &mut Dice) {
    happens_at(draft, &what, d.whole(20, 40));
}

fn happens_at(draft: &mut Draft, what: &str, second: u64) {
    let events = format!("[[events]]\nat = \"{second}s\"\nfault = \"{what}\"\n");
    draft.options.script =
        EventScript::from_text(&Text::new("events.toml", &*events)).expect("events are as documented");
}
