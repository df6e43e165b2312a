//! A violation tells people what to look at.

use super::generate::{Shape, made};
use super::{get, operation, put, verdict};
use crate::{CallOutcome, HistoryVerdict, RegisterCall};

const MS: u64 = 1_000_000;

#[test]
fn a_stale_read_is_told_with_the_writes_that_contradict_it() {
    let noise =
        Shape { clients: 8, operations: 200, slowness: MS, values: None, unknown: 0.02, deletes: 0.1, writes: 0.5 };
    let mut operations = made(noise, 7);
    let end = operations.iter().map(|o| o.answered).max().unwrap().next_multiple_of(MS);
    operations.push(put(90, end + MS, end + 2 * MS, "old"));
    operations.push(put(91, end + 3 * MS, end + 4 * MS, "new"));
    operations.push(get(92, end + 5 * MS, end + 6 * MS, Some("old")));
    // What comes later does not matter.
    operations.push(get(93, end + 7 * MS, end + 8 * MS, Some("new")));
    let verdict = verdict(&operations);
    let HistoryVerdict::Violated(violation) = &verdict else { panic!("{verdict}") };
    assert_eq!(violation.answer.client, 92);
    assert_eq!(violation.calls, operations.len() - 1);
    assert!(violation.possible.contains(&Some("new".to_owned())), "{verdict}");
    let core: Vec<u32> = violation.core.iter().map(|operation| operation.client).collect();
    assert_eq!(core, [90, 91, 92], "{verdict}");
}

#[test]
fn the_text_names_operations_times_and_what_was_expected() {
    let text = verdict(&[
        put(1, MS, 2 * MS, "a"),
        put(2, 3 * MS, 4 * MS, "b"),
        operation(4, 3 * MS, 0, RegisterCall::Put("c".to_owned()), CallOutcome::Unknown),
        get(3, 5 * MS, 6 * MS + 700, Some("a")),
    ])
    .to_string();
    assert_eq!(
        text,
        "key `k` is not linearizable: no order of the 4 calls until then explains\n     \
         5.000–   6.001 ms  client 3: get found `a`\n\
         It could have found `c` or `b`.\n\
         These contradict each other, whatever it held at 3.000 ms:\n     \
         1.000–   2.000 ms  client 1: put `a` was done\n     \
         3.000–   4.000 ms  client 2: put `b` was done\n     \
         5.000–   6.001 ms  client 3: get found `a`"
    );
}

#[test]
fn a_value_from_nowhere_is_told_as_such() {
    let text = verdict(&[put(1, 1, 2, "a"), get(3, 5, 6, Some("z"))]).to_string();
    assert!(text.contains("It could only have found `a`."), "{text}");
    assert!(text.ends_with("Nothing that was called until then makes it so."), "{text}");
}

#[test]
fn a_swap_over_what_was_not_there_is_told() {
    let swap = RegisterCall::CompareAndSwap { expected: Some("a".to_owned()), value: "c".to_owned() };
    let done = CallOutcome::Swapped { succeeded: true, previous: Some("a".to_owned()) };
    let verdict = verdict(&[put(1, 1, 2, "a"), put(2, 3, 4, "b"), operation(3, 5, 6, swap, done)]);
    let HistoryVerdict::Violated(violation) = &verdict else { panic!("{verdict}") };
    assert_eq!((violation.answer.client, &violation.possible[..]), (3, &[Some("b".to_owned())][..]));
    assert_eq!(violation.core.len(), 3, "{verdict}");
}

#[test]
fn what_is_long_past_is_left_out() {
    let delete = |from, to| operation(5, from, to, RegisterCall::Delete, CallOutcome::Done);
    let mut operations: Vec<_> = (0..50).map(|count| delete(10 * count, 10 * count + 5)).collect();
    operations.extend([
        put(1, 1000, 1010, "a"),
        delete(1020, 1030),
        get(2, 1022, 1025, None),
        get(3, 1026, 1028, Some("a")),
    ]);
    let verdict = verdict(&operations);
    let HistoryVerdict::Violated(violation) = &verdict else { panic!("{verdict}") };
    assert_eq!(violation.answer.client, 3);
    assert!(violation.since >= 1000 && violation.core.len() <= 4, "{verdict}");
}

#[test]
fn each_key_is_a_register_of_its_own() {
    let mut other = get(2, 3, 4, None);
    other.key = "other".to_owned();
    assert_eq!(verdict(&[put(1, 1, 2, "a"), other]), HistoryVerdict::Linearizable);
}
