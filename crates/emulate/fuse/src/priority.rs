//! Threads on whose wake-ups the disks' timing hangs.

use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};

/// Lets the calling thread, and those it starts from now on, run before all ordinary ones. Else a database that takes all
/// processors would see its disks late by whole slices of its own: milliseconds. A nice value is not enough, for it counts
/// only among the threads of one session (`sched_autogroup`) or control group. The lowest real-time priority is, and the
/// kernel keeps a share of each processor from such threads anyway (`sched_rt_runtime_us`). Without the right
/// (`CAP_SYS_NICE`) the thread stays as it is.
pub(crate) fn raise() {
    let fifo = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, fifo);
}
