//! Workloads: whatever is read gives a sound task at both ends and in the middle of its intervals.

use std::path::Path;

use textfile::Text;
use workload::{Task, Workload};

const IOSTAT: &str = include_str!("../../examples/tikv-node-iostat.txt");

/// Reads the bytes as a workload; every file that it names is an iostat report.
pub(crate) fn workload(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Workload::from_text(&Text::new("workload.toml", text), &mut |path: &Path| Ok(Text::new(path, IOSTAT))) {
        Ok(workload) => {
            sound(&workload.task(&mut |_, interval| interval.low()).unwrap());
            sound(&workload.task(&mut |_, interval| interval.high()).unwrap());
            sound(&workload.middle().unwrap());
            assert!(workload.inputs().iter().all(|(_, interval)| !interval.is_certain()));
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.lines().count() == 1 && message.len() < 8192, "{message}");
        }
    }
}

fn sound(task: &Task) {
    let profile = &task.profile;
    let counts = [profile.statements, profile.point_reads, profile.scans, profile.inserts, profile.updates];
    assert!(counts.iter().all(|count| count.is_finite() && *count >= 0.0), "{profile:?}");
    assert!(profile.compressed > 0.0 && profile.compressed <= 1.0, "{profile:?}");
    let data: f64 = profile.popularity.iter().map(|band| band.data).sum();
    let accesses: f64 = profile.popularity.iter().map(|band| band.accesses).sum();
    assert!((data - 1.0).abs() < 1e-6 && (accesses - 1.0).abs() < 1e-6, "{data} {accesses} {profile:?}");
    assert!(profile.popularity.iter().all(|band| band.data >= 0.0 && band.accesses >= -1e-12), "{profile:?}");
    assert!(task.targets.throughput > 0.0 && task.targets.throughput.is_finite());
}
