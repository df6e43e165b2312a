use super::*;
use crate::ChangeUndo;
use crate::testing::{ID, Load, known, mix, volume};

fn proposal() -> ChangeProposal {
    let disk = |text: &str| text.parse::<Disk>().unwrap();
    let load = RequestMix { held_up: true, depth: Some(60.0), ..mix(3000.0, 4.0) };
    let to = disk("gp3:400GiB,9000iops,125MiB/s");
    let limits = crate::testing::limits(&to.to_string());
    ChangeProposal {
        volume: ID.to_owned(),
        direction: ChangeDirection::Grow,
        from: disk("gp3:400GiB,3000iops,125MiB/s"),
        to,
        reason: "full".to_owned(),
        monthly: Usd(30.0),
        load: Some(load),
        predicted: Some(predict(&load, &limits, None, 1)),
        done: Nanos::secs(60),
        undo: ChangeUndo { to: disk("gp3:400GiB,3000iops,125MiB/s"), from: Nanos::secs(60) },
    }
}

fn looked(load: &Load) -> ChangeLedger {
    let mut ledger = ChangeLedger::default();
    ledger.propose(&proposal(), Nanos(0));
    let mut volume = volume("gp3:400GiB,9000iops,125MiB/s");
    let started = Nanos::secs(30);
    let mut change =
        VolumeChange { started, to: proposal().to, progress: ModificationProgress::Optimizing, ends: None };
    volume.changes = vec![change.clone()];
    ledger.follow(Nanos::secs(40), std::slice::from_ref(&volume));
    assert_eq!((ledger.entries[0].taken, ledger.entries[0].done), (Some(started), None));
    change.progress = ModificationProgress::Completed;
    volume.changes = vec![change];
    ledger.follow(Nanos::secs(300), std::slice::from_ref(&volume));
    let policy = VolumePolicy::default();
    let early = ledger.look(Nanos::secs(600), &load.timeline, &known("gp3:400GiB"), &policy, 1);
    assert_eq!((early, ledger.entries[0].seen), (0, None), "too early to tell");
    ledger.look(load.now(), &load.timeline, &known("gp3:400GiB"), &policy, 1);
    ledger
}

#[test]
fn what_is_seen_is_held_against_the_model_for_the_same_load() {
    let calm = Load::every(60).of(30, 4000.0, 4.0, 0.7);
    let entry = looked(&calm).entries.remove(0);
    let seen = entry.seen.unwrap();
    assert_eq!((seen.from, seen.load.iops.0), (Nanos::secs(300), 4000.0));
    let model = predict(&seen.load, &crate::testing::limits("gp3:400GiB,9000iops"), None, 1);
    assert_eq!(seen.model, model);
    let error = 0.7e-3 / model.latency.as_secs_f64() - 1.0;
    assert!((seen.latency_error().unwrap() - error).abs() < 1e-6);
    // The load fell short of what was foretold: that is no fault of the model.
    assert!(entry.iops_against_prediction().unwrap() < -0.4 && seen.iops_error().abs() < 0.05, "{entry:?}");
}

#[test]
fn a_ledger_reads_back_and_a_line_that_was_cut_off_is_left_out() {
    let ledger = looked(&Load::every(60).of(30, 4000.0, 4.0, 0.7));
    let lines = ledger.to_lines();
    assert_eq!(ChangeLedger::from_lines(&lines), Ok(ledger.clone()));
    assert_eq!(ChangeLedger::from_lines(&format!("{lines}{{\"volume\":")), Ok(ledger));
    assert!(ChangeLedger::from_lines("nonsense\n").unwrap_err().to_string().starts_with("line 1 "));
}

#[test]
fn a_change_that_failed_is_forgotten_and_one_proposed_anew_takes_its_place() {
    let mut ledger = ChangeLedger::default();
    ledger.propose(&proposal(), Nanos(0));
    let other = ChangeProposal { to: "gp3:400GiB,8000iops,125MiB/s".parse().unwrap(), ..proposal() };
    ledger.propose(&other, Nanos::secs(1));
    ledger.propose(&other, Nanos::secs(2));
    assert_eq!(ledger.entries.iter().map(|entry| entry.at).collect::<Vec<_>>(), [Nanos::secs(1)]);
    let mut volume = volume("gp3:400GiB");
    let started = Nanos::secs(3);
    volume.changes = vec![VolumeChange { started, to: other.to, progress: ModificationProgress::Failed, ends: None }];
    ledger.follow(Nanos::secs(9), &[volume]);
    assert_eq!(ledger, ChangeLedger::default());
    assert_eq!(ledger.mean_latency_error(), None);
}
