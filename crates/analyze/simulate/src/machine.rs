//! One machine that stands in for all nodes of a deployment.

use units::Bytes;

/// One machine on which all nodes run, with the clients' driver and the daemons of the mounted disks beside them: how the
/// reference store is measured. Instances count for their disks' caps only, and a rate limit is fixed, not tuned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedMachine {
    /// Hardware threads, shared by everything.
    pub processors: f64,
    /// What each node may take of the memory, its page cache included.
    pub memory: Bytes,
    /// Share of its limits that the data disk delivers, and that of the log's own disk; over 0 and up to 1.
    pub shares: [f64; 2],
    /// Regions that the keys are cut into, led by all nodes alike; 0 for so many that two writes of one seldom meet.
    pub regions: u32,
}

impl SharedMachine {
    /// As many as a node believes that it has.
    pub(crate) fn vcpu(&self) -> u32 {
        (self.processors as u32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{clients, deployment, machine, seconds, task, view};
    use crate::{Constants, RunSummary, SimulationOptions, simulate};

    const FAST: &str = "gp3:500GiB,16000iops,1000MiB/s";

    fn run(task: &workload::Task, options: SimulationOptions) -> RunSummary {
        simulate(&deployment(FAST, Some(FAST)), task, &view(), &options).unwrap().summary
    }

    #[test]
    fn nodes_that_share_processors_get_no_more_work_done_than_these_can() {
        let few = run(&clients(400.0), SimulationOptions { machine: Some(machine(2.0)), ..seconds(5) });
        let more = run(&clients(400.0), SimulationOptions { machine: Some(machine(6.0)), ..seconds(5) });
        assert!(few.used.node_cpu <= 2.0 * few.used.seconds * 1.01, "{}", few.used.node_cpu);
        assert!(few.used.node_cpu > 1.9 * few.used.seconds, "the processors bind: {}", few.used.node_cpu);
        assert!((more.operations_per_second / few.operations_per_second / 3.0 - 1.0).abs() < 0.1);
    }

    #[test]
    fn the_driver_and_the_disks_daemons_take_their_part_of_the_processors() {
        let carried = |constants| {
            let options = SimulationOptions { machine: Some(machine(2.0)), constants, ..seconds(5) };
            run(&clients(400.0), options).operations_per_second
        };
        let base = *Constants::embedded();
        let alone = carried(base);
        for name in ["cpu_client", "cpu_io", "cpu_sync"] {
            let busier = carried(base.with(name, base.cpu_write).unwrap());
            assert!(busier < 0.95 * alone, "{name}: {busier} of {alone}");
        }
    }

    /// Core-seconds of all nodes with a constant, over those without.
    fn busier(name: &str, value: f64, settings: impl Fn(&mut workload::Task, &mut deployment::Deployment)) -> f64 {
        let (mut task, mut deployment) = (task(3000.0), deployment(FAST, None));
        settings(&mut task, &mut deployment);
        let small = [("memtable", 2e6), ("level_base", 8e6), ("file_size", 1e6)];
        let small = small.iter().fold(*Constants::embedded(), |all, (name, value)| all.with(name, *value).unwrap());
        let [with, without] = [value, 0.0].map(|value| {
            let options = SimulationOptions { constants: small.with(name, value).unwrap(), ..seconds(10) };
            simulate(&deployment, &task, &view(), &options).unwrap().summary.used.node_cpu
        });
        with / without
    }

    #[test]
    fn entries_and_values_apart_take_processors_of_those_who_write_them() {
        assert!(busier("cpu_compaction_entry", 1e-4, |_, _| ()) > 1.2);
        let apart = |_: &mut workload::Task, of: &mut deployment::Deployment| {
            of.settings.value_separation = Some(units::Bytes::kib(1));
        };
        assert!(busier("cpu_blob_value", 1e-4, apart) > 1.2);
        assert_eq!(busier("cpu_blob_value", 1e-4, |_, _| ()), 1.0);
    }

    #[test]
    fn blocks_that_the_block_cache_lacks_take_processors_of_those_who_read() {
        let reads = |cache| {
            move |task: &mut workload::Task, of: &mut deployment::Deployment| {
                (task.profile.updates, task.profile.point_reads) = (0.0, 1.0);
                task.profile.data = Bytes::mib(64);
                of.settings.block_cache = Some(cache);
            }
        };
        let lacking = busier("cpu_block", 1e-4, reads(Bytes::mib(1)));
        let holding = busier("cpu_block", 1e-4, reads(Bytes::gib(8)));
        assert!(lacking > 1.5 && holding < 1.01, "{lacking} {holding}");
    }

    #[test]
    fn a_disk_that_delivers_a_share_of_its_limits_binds_at_that_share() {
        let of = |share| {
            let machine = SharedMachine { shares: [1.0, share], ..machine(64.0) };
            run(&clients(200.0), SimulationOptions { machine: Some(machine), ..seconds(5) }).operations_per_second
        };
        assert!(of(0.02) < 0.5 * of(1.0), "{} of {}", of(0.02), of(1.0));
    }

    #[test]
    fn a_batch_and_a_sync_that_cost_something_make_a_write_take_longer() {
        let base = *Constants::embedded();
        let p50 = |constants| {
            run(&task(300.0), SimulationOptions { constants, ..seconds(10) }).latency.unwrap().p50.as_secs_f64()
        };
        let usual = p50(base);
        let later = p50(base.with("sync_overhead", 0.002).unwrap());
        assert!((later - usual - 0.002).abs() < 0.0005, "{usual} {later}");
        assert!(p50(base.with("cpu_batch", 0.0005).unwrap()) > usual + 0.0005);
        // A whole number of writes a sync and a broken one lie in order.
        let writes = |mean| {
            let constants = base.with("log_writes_per_sync", mean).unwrap();
            run(&task(300.0), SimulationOptions { constants, ..seconds(10) }).used.disk_ios
        };
        let ios = [1.0, 1.5, 2.0].map(writes);
        assert!(ios[0] < ios[1] && ios[1] < ios[2], "{ios:?}");
    }
}
