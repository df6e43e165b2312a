use super::super::pd::tests::pd;
use super::*;

const OURS: &str =
    r#"{"type":"diskwright-pilot","id":"pilot-1","start_timestamp":1800000000,"description":"\"run 3\""}"#;

fn conflict(task: &str) -> String {
    format!(r#"{{"error":"Another maintenance task is already running","existing_task":{task}}}"#)
}

fn other(kind: &str, id: &str) -> String {
    conflict(&OURS.replace("diskwright-pilot", kind).replace("pilot-1", id))
}

#[test]
fn pds_lock_is_taken_where_it_is_offered_and_is_another_ones_only_by_its_whole_name() {
    let (ours, longer, foreign) = (conflict(OURS), other("diskwright-pilot", "pilot-17"), other("restart", "pilot-1"));
    let nameless = conflict("null");
    let (pd, asked) = pd(&[
        (200, "\"Maintenance task started successfully.\""),
        (404, "404 page not found"),
        (409, &ours),
        (409, &longer),
        (409, &foreign),
        (409, &nameless),
    ]);
    let lock = PdLock::new(pd, "pilot-1");
    let take = || lock.take("run 3").unwrap();
    assert_eq!((take(), take()), (PilotLease::Held, PilotLease::NotOffered));
    assert_eq!(take(), PilotLease::Held, "a pilot that was killed holds it still");
    for name in ["diskwright-pilot/pilot-17", "restart/pilot-1", "does not name"] {
        assert!(matches!(take(), PilotLease::Other(words) if words.contains(name)), "{name}");
    }
    let asked = asked.join().unwrap();
    assert_eq!(asked[0], r#"PUT /pd/api/v2/maintenance/diskwright-pilot/pilot-1 "run 3""#);
}

#[test]
fn what_answers_yes_to_everything_gives_no_lock() {
    let (pd, asked) = pd(&[(200, "<html>"), (200, "{}"), (409, "{\"existing_task\":7}"), (409, "busy")]);
    let lock = PdLock::new(pd, "pilot-1");
    for _ in 0..4 {
        let error = lock.take("run 3").unwrap_err();
        assert!(matches!(error, WorldError::Strange { .. }), "{error}");
    }
    asked.join().unwrap();
}

#[test]
fn the_lock_is_given_back_and_is_left_where_it_is_another_ones() {
    let (ours, foreign) = (conflict(OURS), other("restart", "a"));
    let (pd, asked) = pd(&[
        (200, "\"Maintenance task deleted successfully.\""),
        (404, "\"No maintenance task is running for this type\""),
        (409, &foreign),
        (409, &ours),
        (200, "<html>"),
    ]);
    let lock = PdLock::new(pd, "pilot-1");
    (0..3).for_each(|_| lock.release().unwrap());
    (0..2).for_each(|_| assert!(matches!(lock.release(), Err(WorldError::Strange { .. }))));
    assert!(asked.join().unwrap()[0].starts_with("DELETE /pd/api/v2/maintenance/diskwright-pilot/pilot-1"));
}

#[test]
fn who_holds_the_lock_and_why_is_told() {
    let listed = format!("[{OURS}]");
    let (pd, asked) = pd(&[(200, &listed), (404, "\"No maintenance task is running\""), (200, "{}")]);
    let lock = PdLock::new(pd, "pilot-1");
    let holder = lock.holder().unwrap().unwrap();
    assert!(holder.is_ours && holder.says == "run 3", "{holder:?}");
    assert_eq!(holder.to_string(), "diskwright-pilot/pilot-1 since 2027-01-15T08:00:00Z (run 3)");
    assert_eq!(lock.holder().unwrap(), None);
    assert!(matches!(lock.holder(), Err(WorldError::Strange { .. })));
    asked.join().unwrap();
}
