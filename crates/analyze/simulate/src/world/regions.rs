//! Regions whose writes wait for those before them: while so many of one are on their way to its leader's disk, what comes for it
//! waits, and goes together in the next.

use rand::RngExt;

use super::World;

/// Regions that one node leads, where there are so few that their writes meet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Regions {
    led: Vec<Region>,
    /// Outcomes of raft without entries: behind entries that are not durable they take their turn at the writer. Those that wait for
    /// it, and those that it has.
    told: Vec<Set>,
    telling: Vec<Set>,
}

/// Some of a node's regions, a bit each.
pub(crate) type Set = u64;

#[derive(Debug, Clone, Default)]
struct Region {
    /// Writes on their way to the disk.
    at_writer: u32,
    /// Requests that wait for one of them.
    waiting: Vec<u32>,
}

impl Regions {
    /// So many of them; more than a set holds do not meet often enough to matter.
    pub(super) fn led(count: u32) -> Self {
        let count = if count > Set::BITS { 0 } else { count };
        Self { led: vec![Region::default(); count as usize], ..Self::default() }
    }

    /// Writes of these regions go to the writer.
    pub(super) fn written(&mut self, set: Set) {
        self.of(set).for_each(|region| region.at_writer += 1);
    }

    /// Entries of these regions are committed: those that have others on the way tell so behind them.
    pub(super) fn committed(&mut self, set: Set) {
        let busy = self.led.iter().enumerate().filter(|(_, region)| region.at_writer > 0);
        let behind = busy.map(|(bit, _)| 1 << bit).sum::<Set>() & set;
        if behind > 0 {
            self.written(behind);
            self.told.push(behind);
        }
    }

    /// The writer has ended a batch, and begins the next: what it was told before is behind it, what it was told since goes with
    /// the next.
    pub(super) fn next_batch(&mut self) {
        for set in std::mem::replace(&mut self.telling, std::mem::take(&mut self.told)) {
            self.durable(set);
        }
    }

    /// Writes of these regions are durable.
    pub(super) fn durable(&mut self, set: Set) {
        self.of(set).for_each(|region| region.at_writer -= 1);
    }

    /// What waits where fewer than `most` writes are on their way: each with its region.
    fn free(&mut self, most: u32) -> Vec<(u32, usize)> {
        let free = self.led.iter_mut().enumerate().filter(|(_, region)| region.at_writer < most);
        free.flat_map(|(bit, region)| region.waiting.drain(..).map(move |req| (req, bit))).collect()
    }

    fn of(&mut self, set: Set) -> impl Iterator<Item = &mut Region> {
        self.led.iter_mut().enumerate().filter(move |(bit, _)| set >> bit & 1 == 1).map(|(_, region)| region)
    }
}

impl World {
    /// A write is proposed, or waits for those of its region that are on their way to the disk.
    pub(super) fn propose(&mut self, req: u32) {
        let leader = self.reqs[req as usize].node as usize;
        let led = &mut self.nodes[leader].regions.led;
        let mut set = 0;
        if !led.is_empty() {
            let bit = self.random.random_range(0..led.len());
            if led[bit].at_writer >= self.c.writes_at_once as u32 {
                return led[bit].waiting.push(req);
            }
            set = 1 << bit;
        }
        self.gather(req, set);
        self.round(leader);
    }

    /// Some of a node's writes are durable: those that waited for them are proposed.
    pub(super) fn proposes_on(&mut self, node: usize) {
        if self.nodes[node].regions.led.is_empty() {
            return;
        }
        let free = self.nodes[node].regions.free(self.c.writes_at_once as u32);
        if !free.is_empty() {
            free.into_iter().for_each(|(req, bit)| self.gather(req, 1 << bit));
            self.round(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clients, deployment, machine, seconds, view};
    use crate::{RunSummary, SharedMachine, SimulationOptions, simulate};

    #[test]
    fn what_comes_for_a_region_waits_while_two_of_its_writes_are_not_durable() {
        let mut regions = Regions::led(4);
        regions.written(0b11);
        regions.written(0b01);
        regions.led[0].waiting.push(7);
        assert_eq!(regions.free(2), []);
        regions.durable(0b11);
        assert_eq!(regions.free(2), [(7, 0)]);
    }

    #[test]
    fn a_commit_behind_a_write_counts_until_the_batch_that_it_goes_with_has_ended() {
        let mut regions = Regions::led(4);
        regions.written(0b01);
        regions.committed(0b11);
        assert_eq!([0, 1].map(|bit: usize| regions.led[bit].at_writer), [2, 0], "region 1 has nothing on its way");
        // The batch of the write ends, and the next one begins; then that ends as well.
        regions.durable(0b01);
        regions.next_batch();
        assert_eq!(regions.led[0].at_writer, 1);
        regions.next_batch();
        assert_eq!(regions.led[0].at_writer, 0);
    }

    #[test]
    fn more_regions_than_a_set_holds_do_not_meet() {
        assert_eq!((Regions::led(64).led.len(), Regions::led(65).led.len()), (64, 0));
    }

    #[test]
    fn writes_that_wait_for_others_of_their_region_make_a_slow_disk_slower_and_none_is_forgotten() {
        let slow = "gp3:100GiB";
        let run = |regions| -> RunSummary {
            let machine = SharedMachine { shares: [1.0, 0.1], regions, ..machine(64.0) };
            let options = SimulationOptions { machine: Some(machine), ..seconds(10) };
            simulate(&deployment(slow, Some(slow)), &clients(64.0), &view(), &options).unwrap().summary
        };
        let [many, twelve, three] = [0, 12, 3].map(|regions| run(regions).operations_per_second);
        for few in [twelve, three] {
            assert!((0.2 * many..0.95 * many).contains(&few), "{few} a second of {many}");
        }
    }
}
