//! What the process as a whole takes, under the names of Prometheus' client libraries.

use std::fs;

use super::Page;
use crate::config::HostMachine;

/// Adds `process_*` and what the process may take.
pub(crate) fn process(page: &mut Page, machine: &HostMachine) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name is in brackets and may hold spaces: count from behind it. Fields as in proc_pid_stat(5).
    let fields: Vec<f64> = stat
        .rsplit_once(") ")
        .map(|(_, rest)| rest.split_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect())
        .unwrap_or_default();
    let field = |number: usize| fields.get(number - 3).copied().unwrap_or(0.0);
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let mut gauge = |name: &str, help: &str, value: f64| page.gauge(name, help, &[], value);
    gauge("process_virtual_memory_bytes", "Address space.", field(23));
    gauge("process_resident_memory_bytes", "Memory in use.", field(24) * rustix::param::page_size() as f64);
    gauge("process_threads", "Threads.", field(20));
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    gauge("process_open_fds", "Open files.", open as f64);
    let boot = fs::read_to_string("/proc/stat").unwrap_or_default();
    let boot = boot.lines().find_map(|line| line.strip_prefix("btime ")?.parse::<f64>().ok()).unwrap_or(0.0);
    gauge("process_start_time_seconds", "When it started, in Unix time.", boot + field(22) / ticks);
    gauge("tikv_server_cpu_cores_quota", "Processors it may use.", machine.cpus as f64);
    gauge("tikv_server_memory_quota_bytes", "Memory it may use.", machine.memory as f64);
    let cpu = (field(14) + field(15)) / ticks;
    page.counter("process_cpu_seconds_total", "Time on processors.", &[], cpu);
}
