//! The same with fio as an outsider: it remembers what was acknowledged when its trigger kills the daemon, and verifies
//! that afterwards.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand::RngExt;
use serde_json::Value;

use crate::nothing_lost::overwrites::Keeps;
use crate::nothing_lost::place::{Place, random, times};
use crate::nothing_lost::process;
use crate::nothing_lost::writers::Writers;

/// At `RATE` writes a second it lasts longer than fio takes to see its trigger.
const SIZE: usize = 64 << 20;
const RATE: u32 = 2000;

fn fio(place: &Place, more: &[String]) -> Value {
    let mut command = Command::new("fio");
    // fio leaves its state in the working folder.
    command.current_dir(place.path("fio"));
    command.args(["--name=written", "--bs=4k", "--rw=randwrite", "--direct=1", "--ioengine=libaio"]);
    command.args(["--verify=crc32c", "--verify_fatal=1", "--output-format=json", "--output=answer"]);
    command.arg(format!("--size={SIZE}")).arg(format!("--filename={}", place.path("dir/fio").display())).args(more);
    let run = process::run(command, Duration::from_secs(90));
    // fio saves its state and then pulls the trigger: writes that are still under way may fail.
    let killed = more.iter().any(|option| option.starts_with("--trigger")) && run.stderr.contains("Input/output error");
    assert!(run.code == 0 || killed, "fio {more:?}\n{run}\n{}", answer(place));
    let answer = answer(place);
    // Warnings may stand before the document.
    serde_json::from_str(answer.split_at(answer.find('{').expect("fio answers in JSON")).1).unwrap()
}

fn answer(place: &Place) -> String {
    std::fs::read_to_string(place.path("fio/answer")).unwrap_or_default()
}

/// Overwrites must not depend on the filesystem's journal: the file is there, whole and flushed.
fn lay_out(path: &Path) {
    let mut file = File::create(path).unwrap();
    file.write_all(&vec![0; SIZE]).unwrap();
    file.sync_all().unwrap();
}

#[test]
fn fio_verifies_all_that_was_acknowledged_before_a_kill_9() {
    let place = Place::new();
    let mut random = random("fio");
    std::fs::create_dir(place.path("fio")).unwrap();
    let trigger = place.path("trigger");
    let (rounds, mut blocks) = (times(3, 100), 0);
    for round in 0..rounds {
        place.ok("mount unlimited:2GiB @dir");
        lay_out(&place.path("dir/fio"));
        let writers = Writers::start(&place.path("dir"), round, random.random(), true);
        let after = random.random_range(300..3000);
        eprintln!("round {round}: triggered after {after} ms");
        let pull = {
            let (trigger, daemon) = (trigger.clone(), place.daemon());
            // In half of the rounds the daemon is frozen a moment before: then as many writes are under way as can be.
            let frozen = round % 2 == 1;
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(after));
                if frozen {
                    kill(Pid::from_raw(daemon), Signal::SIGSTOP).unwrap();
                    std::thread::sleep(Duration::from_millis(50));
                }
                File::create(trigger).unwrap();
            })
        };
        let shot = format!("--trigger=kill -9 {}", place.daemon());
        let seed = format!("--randseed={}", random.random::<u32>());
        let file = format!("--trigger-file={}", trigger.display());
        let rate = format!("--rate_iops={RATE}");
        fio(
            &place,
            &[
                "--do_verify=0".into(),
                "--verify_state_save=1".into(),
                seed.clone(),
                "--iodepth=16".into(),
                rate,
                shot,
                file,
            ],
        );
        pull.join().unwrap();
        process::wait_for("the daemon to be killed", || place.daemons().is_empty());
        let written = writers.finish();
        place.ok("mount unlimited:2GiB @dir");
        // One after another: fio tells by its finished reads whether the next was among the last writes, of which it knows
        // which were acknowledged. With more reads at a time it takes writes for acknowledged that were under way.
        let one = "--iodepth=1".into();
        let verified = fio(&place, &["--verify_only=1".into(), "--verify_state_load=1".into(), seed, one]);
        blocks += verified["jobs"][0]["read"]["total_ios"].as_u64().unwrap();
        written.check(Keeps::Acknowledged);
        place.ok("down @dir");
        place.assert_filesystem_is_clean();
        // fio removes its trigger file itself.
        let _ = std::fs::remove_file(&trigger);
    }
    place.assert_nothing_left();
    // In some rounds the trigger comes before the first write.
    assert!(blocks > 100 * rounds, "fio verified only {blocks} blocks");
}
