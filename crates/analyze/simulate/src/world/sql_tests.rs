use deployment::{Deployment, NodeGroup, NodeRole};
use workload::Task;

use crate::testing::{clients, deployment, seconds, view};
use crate::{Constants, SimulationRun, simulate};

const FAST: &str = "gp3:500GiB,16000iops,1000MiB/s";

/// Transactions of six statements that read four rows and write one.
fn transactions(many: f64) -> Task {
    let mut task = clients(many);
    (task.profile.transactional, task.profile.statements) = (true, 6.0);
    task.profile.point_reads = 4.0;
    task
}

/// With so many SQL nodes of a type.
fn with_sql(count: u32, instance: &str) -> Deployment {
    let mut deployment = deployment(FAST, Some(FAST));
    let sql = NodeGroup { role: NodeRole::Sql, count, instance: instance.to_owned(), data: None, log: None };
    deployment.nodes.push(sql);
    deployment
}

fn run(deployment: &Deployment, task: &Task) -> SimulationRun {
    simulate(deployment, task, &view(), &seconds(10)).unwrap()
}

#[test]
fn a_small_sql_node_holds_up_what_the_storage_nodes_could_carry_and_is_named_in_summary_and_series() {
    let task = transactions(200.0);
    let (free, held) = (run(&deployment(FAST, Some(FAST)), &task), run(&with_sql(1, "m5.large"), &task));
    let c = Constants::embedded();
    let most = 2.0 / (6.0 * c.sql_statement + 4.0 * c.sql_row_read + c.sql_record_written);
    let carried = held.summary.operations_per_second;
    assert!(free.summary.operations_per_second > 1.3 * most, "{} {most}", free.summary.operations_per_second);
    assert!((0.97..1.01).contains(&(carried / most)), "{carried} of {most}");
    assert_eq!(held.summary.bound.first().map(|bound| bound.what.as_str()), Some("SQL CPU"));
    let used = held.summary.used.sql_cpu.unwrap() / held.summary.used.seconds;
    assert!((1.95..2.01).contains(&used), "{used}");
    let labels = [("node", "sql1"), ("zone", "a")];
    assert_eq!(held.timeline.find("tidb_cpu_time", &labels).unwrap().points().len(), 10);
    let by = [("by", "SQL CPU"), ("node", "sql1"), ("zone", "a")];
    assert!(held.timeline.find("held_up_time", &by).is_some());
    held.timeline.validate().unwrap();
}

#[test]
fn without_sql_nodes_nothing_is_said_of_them() {
    let run = run(&deployment(FAST, Some(FAST)), &transactions(20.0));
    assert_eq!(run.summary.used.sql_cpu, None);
    assert!(run.timeline.series.iter().all(|series| series.name != "tidb_cpu_time"));
}

#[test]
fn a_sql_layer_that_is_idle_takes_no_longer_than_the_fixed_time_of_a_statement() {
    let mean = |mut deployment: Deployment| {
        (deployment.zones, deployment.settings.zone_round_trip) = (1, None);
        run(&deployment, &transactions(1.0)).summary.latency.unwrap().mean.as_secs_f64()
    };
    let (fixed, machines) = (mean(deployment(FAST, Some(FAST))), mean(with_sql(1, "m5.xlarge")));
    assert!((machines / fixed - 1.0).abs() < 0.01, "{machines} against {fixed}");
}

#[test]
fn clients_are_dealt_out_to_all_sql_nodes() {
    let run = run(&with_sql(2, "m5.large"), &transactions(200.0));
    let busy = |node: &str, zone: &str| -> f64 {
        let series = run.timeline.find("tidb_cpu_time", &[("node", node), ("zone", zone)]).unwrap();
        series.points().iter().map(|point| point.value).sum()
    };
    let (first, second) = (busy("sql1", "a"), busy("sql2", "b"));
    assert!((first / second - 1.0).abs() < 0.05, "{first} {second}");
}

#[test]
fn a_faster_thread_carries_more() {
    let of = |instance| run(&with_sql(1, instance), &transactions(200.0)).summary.operations_per_second;
    let speed = view().instance("c5.large").unwrap().thread_speed();
    let gain = of("c5.large") / of("m5.large");
    assert!(speed > 1.05 && (gain / speed - 1.0).abs() < 0.02, "{gain} for {speed}");
}

#[test]
fn raw_keys_do_not_pass_through_sql_nodes() {
    let task = clients(20.0);
    let mut without = with_sql(1, "m5.large");
    without.nodes.pop();
    assert_eq!(run(&with_sql(1, "m5.large"), &task).summary, run(&without, &task).summary);
}
