//! What goes wrong with a cluster, and how it ends.

use std::fmt;
use std::thread::sleep;
use std::time::Duration;

use disk::DiskFault;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

use crate::faults::place::Place;

/// How many nodes there are.
pub(crate) const NODES: usize = 3;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// `kill -9`, and a restart so much later.
    Kill(usize, Duration),
    /// All nodes at once.
    KillAll(Duration),
    /// What the disks had not been asked to keep is gone, and so is the process.
    PowerCut(usize, Duration),
    /// All nodes at once.
    PowerCutAll(Duration),
    /// Leaderships move to and fro, so many times.
    Transfers(u64),
    /// All leaderships leave a node, and may come back.
    Evict(usize),
    /// The raft log's disk answers nothing.
    StallRaft(usize, Duration),
    /// The state's disk answers nothing.
    StallData(usize, Duration),
    /// The process stands still, as if the machine's clock jumped.
    Pause(usize, Duration),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = |node: &usize| format!("n{}", node + 1);
        match self {
            Self::Kill(of, down) => write!(f, "kill {}, down for {down:?}", node(of)),
            Self::KillAll(down) => write!(f, "kill all, down for {down:?}"),
            Self::PowerCut(of, down) => write!(f, "cut the power of {}, down for {down:?}", node(of)),
            Self::PowerCutAll(down) => write!(f, "cut all power, down for {down:?}"),
            Self::Transfers(times) => write!(f, "move {times} leaderships"),
            Self::Evict(of) => write!(f, "evict the leaders of {}", node(of)),
            Self::StallRaft(of, lasts) => write!(f, "stall the raft disk of {} for {lasts:?}", node(of)),
            Self::StallData(of, lasts) => write!(f, "stall the data disk of {} for {lasts:?}", node(of)),
            Self::Pause(of, lasts) => write!(f, "pause {} for {lasts:?}", node(of)),
        }
    }
}

impl Fault {
    /// Draws one for a node; `longest` is how long a disk may stall.
    pub(crate) fn draw(node: usize, longest: Duration, random: &mut Xoshiro256PlusPlus) -> Self {
        let mut up_to = |longest: Duration| Duration::from_millis(random.random_range(0..=longest.as_millis() as u64));
        let down = up_to(Duration::from_millis(1200));
        let stall = Duration::from_secs(1) + up_to(longest - Duration::from_secs(1));
        // Around the time that leases and elections take.
        let pause = Duration::from_millis(300) + up_to(Duration::from_millis(1500));
        match random.random_range(0..100) {
            0..16 => Self::Kill(node, down),
            16..24 => Self::KillAll(down),
            24..38 => Self::PowerCut(node, down),
            38..46 => Self::PowerCutAll(down),
            46..58 => Self::Transfers(random.random_range(3..20)),
            58..65 => Self::Evict(node),
            65..77 => Self::StallRaft(node, stall),
            77..83 => Self::StallData(node, stall),
            _ => Self::Pause(node, pause),
        }
    }

    /// Whether no other fault may happen meanwhile.
    pub(crate) fn is_for_all(self) -> bool {
        matches!(self, Self::KillAll(_) | Self::PowerCutAll(_))
    }

    /// Lets it happen and waits until it is over, and the node serves again if it was down.
    ///
    /// # Errors
    /// When the machine fails to do it, or a node does not come back.
    pub(crate) fn happen(self, place: &Place, seed: u64) -> Result<(), String> {
        let lasts = |time: Duration| Nanos(time.as_nanos() as u64);
        let error = |error: cluster::ClusterError| error.to_string();
        match self {
            Self::Kill(node, down) => {
                place.node(node).kill9();
                sleep(down);
                place.node(node).restart().map_err(error)
            }
            Self::KillAll(down) => {
                on_all(|node| {
                    place.node(node).kill9();
                    Ok(())
                })?;
                sleep(down);
                on_all(|node| place.node(node).restart().map_err(error))
            }
            Self::PowerCut(node, down) => {
                place.node(node).power_cut().map_err(error)?;
                sleep(down);
                place.node(node).restart().map_err(error)
            }
            Self::PowerCutAll(down) => {
                on_all(|node| place.node(node).power_cut().map_err(error))?;
                sleep(down);
                on_all(|node| place.node(node).restart().map_err(error))
            }
            Self::Transfers(times) => {
                transfers(place, times, seed);
                Ok(())
            }
            Self::Evict(node) => {
                let store = place.store(node);
                place.cluster().pd().evict_leaders(store).map_err(error)?;
                sleep(Duration::from_millis(700));
                place.cluster().pd().let_lead(store).map_err(error)
            }
            Self::StallRaft(node, time) => {
                let stalled = place.node(node).fault(place.node(node).log_disk(), DiskFault::Stall, lasts(time));
                sleep(time);
                stalled.map_err(error)
            }
            Self::StallData(node, time) => {
                let stalled = place.node(node).fault("data", DiskFault::Stall, lasts(time));
                sleep(time);
                stalled.map_err(error)
            }
            Self::Pause(node, time) => {
                place.node(node).pause();
                sleep(time);
                place.node(node).resume();
                Ok(())
            }
        }
    }
}

/// On all nodes at once, as far as threads are.
fn on_all(what: impl Fn(usize) -> Result<(), String> + Sync) -> Result<(), String> {
    std::thread::scope(|scope| {
        let what = &what;
        let threads: Vec<_> = (0..NODES).map(|node| scope.spawn(move || what(node))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("what happens to a node does not panic"))
    })
}

fn transfers(place: &Place, times: u64, seed: u64) {
    let mut random = <Xoshiro256PlusPlus as rand::SeedableRng>::seed_from_u64(seed);
    let regions = place.regions();
    for _ in 0..times {
        let region = regions[random.random_range(0..regions.len())];
        // PD refuses while another operator works on the region.
        let _ = place.cluster().pd().transfer_leader(region, place.store(random.random_range(0..NODES)));
        sleep(Duration::from_millis(random.random_range(0..150)));
    }
}
