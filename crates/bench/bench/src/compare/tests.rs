//! What comparisons say of runs whose difference is known.

use rand::RngExt;
use rand_distr::Exp1;

use super::*;
use crate::statistics::testing::{autoregressive, random};

fn sample(run: u32, throughput: f64) -> RunSample {
    let error = Some((throughput * 0.01, 19.0));
    RunSample { run, throughput, error, steady: true, rejected: None, failed: false, kinds: BTreeMap::new() }
}

/// Runs with these throughputs.
fn samples(numbers: impl IntoIterator<Item = f64>) -> Vec<RunSample> {
    (1..).zip(numbers).map(|(run, throughput)| sample(run, throughput)).collect()
}

fn compared(a: &[RunSample], b: &[RunSample]) -> RunComparison {
    compare(("one disk", a), ("two disks", b), 1).unwrap()
}

#[test]
fn a_gain_beyond_the_noise_is_told_with_its_interval() {
    // Runs drift together, by far more than they differ: pairs show it.
    let a = samples([1000.0, 1500.0, 800.0, 1200.0]);
    let b = samples([1125.0, 1672.0, 899.0, 1340.0]);
    let found = compared(&a, &b);
    assert_eq!(found.throughput.verdict, DifferenceVerdict::Higher);
    assert!((found.throughput.ratio - 1.12).abs() < 0.005);
    let text = found.text();
    assert!(text.contains("throughput: B is 12.0 % ± 0.8 % faster"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn the_same_twice_is_no_difference_in_nineteen_of_twenty_cases() {
    let mut random = random(1);
    let differs = |_: &u32| {
        let mut draw = || samples(autoregressive(1000.0, 0.0, 5, &mut random));
        let (a, b) = (draw(), draw());
        !matches!(compared(&a, &b).throughput.verdict, DifferenceVerdict::NotSeen { .. })
    };
    let wrong = (0..1000).filter(differs).count();
    // 50 ± 4 standard errors.
    assert!((22..78).contains(&wrong), "{wrong} of 1000");
}

#[test]
fn where_no_difference_is_seen_it_says_how_many_pairs_would_show_one() {
    let found = compared(&samples([100.0, 110.0, 90.0]), &samples([104.0, 100.0, 98.0]));
    let DifferenceVerdict::NotSeen { more_pairs: Some(more) } = found.throughput.verdict else { panic!("{found:?}") };
    assert!((10..60).contains(&more), "{more}");
    let said = format!("throughput: no difference can be seen; {more} more pairs would show 5 %");
    assert!(found.text().contains(&said), "{}", found.text());
}

#[test]
fn one_run_each_is_compared_within_the_runs_and_warned_of() {
    let found = compared(&samples([1000.0]), &samples([1100.0]));
    assert_eq!(
        (found.throughput.method, found.throughput.verdict),
        (IntervalMethod::WithinRuns, DifferenceVerdict::Higher)
    );
    // Errors of 10 and 11 with 38 degrees of freedom: t is 2.024.
    assert!((found.throughput.difference_high.unwrap() - 100.0 - 30.1).abs() < 0.2);
    assert!(found.cautions[0].starts_with("one run each"));
}

#[test]
fn a_failed_run_is_compared_with_nothing_and_one_with_failures_is_told() {
    let [a, mut b] = [samples([10.0, 11.0]), samples([12.0, 13.0])];
    b[1].failed = true;
    let told = compared(&a, &b).cautions;
    assert_eq!(told, ["two disks: operations failed, which no rate or latency shows: run 2"]);
    b[1].rejected = Some("all 7 of write failed".to_owned());
    let error = compare(("one disk", &a), ("two disks", &b), 1).unwrap_err().to_string();
    assert!(error.starts_with("two disks: run 2 is a failed one (all 7 of write failed)"), "{error}");
}

#[test]
fn a_lost_server_makes_a_failed_run_in_the_report() {
    let limits = crate::RunLimits::default();
    let mut run = crate::RunReport::of(
        1,
        &crate::SteadyStateJudge::new(limits, 1),
        &[],
        &limits,
        crate::CpuUsage::default(),
        None,
    );
    run.lose_server(0, "it ended by itself");
    assert_eq!((run.failures, run.errors.len(), RunSample::of_report(&run).rejected), (0, 0, None));
    run.lose_server(2, "it ended by itself");
    assert_eq!((run.failures, run.errors[0].count, run.server_lost), (2, 2, 2));
    assert_eq!(RunSample::of_report(&run).rejected.unwrap(), "it lost its server: it ended by itself");
    // Reports of before are read, too.
    let mut old = serde_json::to_value(&run).unwrap();
    old.as_object_mut().unwrap().remove("server_lost");
    assert_eq!(serde_json::from_value::<crate::RunReport>(old).unwrap().server_lost, 0);
}

#[test]
fn runs_are_paired_by_number_and_others_left_out() {
    let a = vec![sample(3, 30.0), sample(1, 10.0), sample(2, 20.0)];
    let b = vec![sample(2, 40.0), sample(3, 60.0), sample(9, 1.0)];
    let found = compared(&a, &b);
    assert_eq!((found.pairs, found.throughput.ratio), (2, 2.0));
    assert_eq!(found.cautions, ["2 runs have no partner and are left out"]);
}

#[test]
fn runs_that_cannot_be_paired_are_refused() {
    let refused = |a: &[RunSample], b: &[RunSample]| compare(("A", a), ("B", b), 1).unwrap_err().to_string();
    let (one, two) = (vec![sample(1, 1.0)], vec![sample(2, 1.0)]);
    assert_eq!(refused(&one, &two), "no run of A has the number of a run of B: nothing can be paired");
    let twice = vec![sample(1, 1.0), sample(1, 2.0)];
    assert_eq!(refused(&twice, &one), "A: run 1 is there twice; give each file once");
    assert!(refused(&one, &[sample(1, 0.0)]).starts_with("B: run 1 measured no operations"));
}

/// A run of thirty seconds with exponential latencies around `mean_ns`.
fn with_latencies(run: u32, mean_ns: f64, random: &mut rand_xoshiro::Xoshiro256PlusPlus) -> RunSample {
    let second = |_| {
        let mut second = timeline::latencies();
        (0..200).for_each(|_| second.record((mean_ns * random.sample::<f64, _>(Exp1)) as u64 + 1).unwrap());
        second
    };
    let seconds: Vec<_> = (0..30).map(second).collect();
    let mut all = timeline::latencies();
    seconds.iter().for_each(|second| all.add(second).unwrap());
    let kind = KindSample { p99_ns: all.value_at_quantile(0.99) as f64, seconds };
    RunSample { kinds: [("read".to_owned(), kind)].into(), ..sample(run, 1000.0) }
}

#[test]
fn a_shorter_tail_is_seen_by_the_bootstrap() {
    let mut random = random(2);
    let mut runs = |mean: f64| (1..=3).map(|run| with_latencies(run, mean, &mut random)).collect::<Vec<_>>();
    let (a, b, same) = (runs(1e6), runs(0.6e6), runs(1e6));
    let found = compared(&a, &b);
    let read = &found.p99_ns["read"];
    assert_eq!((read.method, read.verdict), (IntervalMethod::Bootstrap, DifferenceVerdict::Lower));
    assert!(read.ratio_low.unwrap() < 0.6 && read.ratio_high.unwrap() > 0.6, "{read:?}");
    assert!(found.text().contains("p99 of read: B is 39.1 % ± 2.7 % shorter"), "{}", found.text());
    assert!(matches!(compared(&a, &same).p99_ns["read"].verdict, DifferenceVerdict::NotSeen { .. }));
}

#[test]
fn json_reads_back() {
    let found = compared(&samples([1.0, 2.0]), &samples([2.0, 3.0]));
    assert_eq!(serde_json::from_str::<RunComparison>(&found.json().unwrap()).unwrap(), found);
}
