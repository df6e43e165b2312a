//! Who measures claims and is told to stop takes down what it has mounted.

use nix::sys::signal::Signal;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::Place;
use crate::nothing_lost::process;

#[test]
fn claims_on_mounted_disks_that_are_told_to_stop_leave_nothing() {
    let place = Place::new();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let run = place.start("claims --run mount --id A22 --span 1s --scratch @scratch");
        process::wait_for("a disk to be mounted", || {
            leftovers::mounts(place.root()).iter().any(|(kind, _)| !kind.starts_with("fuse"))
        });
        process::signal(run.id() as i32, signal);
        let run = process::finish(run, std::time::Duration::from_secs(60));
        run.says(130, "claims --run mount", &["interrupted"]);
        place.assert_nothing_left();
    }
}
