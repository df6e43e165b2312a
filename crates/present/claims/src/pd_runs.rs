//! Source 001's placement driver in virtual time: before and after it and its clients were tuned.

use simulate::{PdConstants, PdLoad, PdRun, placement_driver};
use units::Nanos;

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Ours};

/// Runs what a claim is of.
type Answer = fn() -> Result<Ours, ClaimError>;

pub(crate) const CLAIMS: &[(&str, Answer)] = &[("B14", tuned)];

/// Statements a second of the source; each takes a timestamp.
const STATEMENTS: f64 = 1e6;
/// The source's requests for timestamps a second before it was tuned, from which the number of its TiDB servers is taken.
const REQUESTS: f64 = 162_000.0;
/// Threads of a placement driver of the source.
const THREADS: f64 = 56.0;
/// Data behind as many statements, one copy: the source does not tell.
const DATA: f64 = 100e12;
const SPAN: Nanos = Nanos::secs(2);

/// The placement driver with these settings; regions of so many bytes.
fn run(c: &PdConstants, batch_wait: Nanos, update_interval: Nanos, region: f64) -> PdRun {
    let load = PdLoad {
        timestamps: STATEMENTS,
        clients: (REQUESTS * (c.round_trip + c.client_overhead + c.cpu_request)) as u32,
        round_trip: Nanos::from_secs_f64(c.round_trip),
        batch_wait,
        update_interval,
        regions: DATA / region,
        threads: THREADS,
    };
    placement_driver(&load, c, SPAN, 1)
}

fn tuned() -> Result<Ours, ClaimError> {
    /// As TiKV counts them.
    const MIB: f64 = 1024.0 * 1024.0;
    let c = PdConstants::embedded();
    let before = run(c, Nanos(0), Nanos::millis(50), 96.0 * MIB);
    let after = run(c, Nanos::millis(2), Nanos::millis(10), 256.0 * MIB);
    let each = |of: fn(&PdRun) -> f64| [of(&before), of(&after)];
    let numbers = [each(|run| run.requests), each(|run| run.busy * 100.0), each(|run| run.handle_p999.as_millis_f64())];
    let remark = "Assumed: a timestamp a statement, 1 ms to the leader and back, as many TiDB servers as make 162,000 requests/s before, 100 TB in regions";
    Ok(Ours { remark: Some(format!("{remark}.")), ..Ours::from(ClaimValue::Numbers(numbers.concat())) })
}
