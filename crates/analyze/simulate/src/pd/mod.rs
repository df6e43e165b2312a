//! The placement driver's leader under clients that ask for timestamps in batches and regions that send heartbeats: how many
//! requests a second, what they take of its processors, and how long it has each in hand.

mod constants;

use rand::{RngExt, SeedableRng};
use rand_distr::{Exp1, Poisson};
use rand_xoshiro::Xoshiro256PlusPlus;
use units::Nanos;

pub use constants::PdConstants;

use crate::agenda::EventAgenda;
use crate::cpu::{Cpu, Pool};

/// What is asked of a placement driver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PdLoad {
    /// Timestamps a second that all clients want.
    pub timestamps: f64,
    /// Clients, each of which has one request under way at a time: TiDB servers.
    pub clients: u32,
    /// From a client to the leader and back.
    pub round_trip: Nanos,
    /// `tidb_tso_client_batch_max_wait_time`: how long a client gathers after the first that wants one.
    pub batch_wait: Nanos,
    /// `tso-update-physical-interval`.
    pub update_interval: Nanos,
    /// Regions that send heartbeats.
    pub regions: f64,
    /// Hardware threads of the leader.
    pub threads: f64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PdRun {
    /// Requests for timestamps a second.
    pub requests: f64,
    /// Busy hardware threads.
    pub busy: f64,
    /// 99.9th percentile of the time from a request's arrival at the placement driver to its answer.
    pub handle_p999: Nanos,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// Somebody at an idle client wants a timestamp.
    Wanted(u32),
    /// A client sends what it has gathered.
    Sent(u32),
    /// A request arrives.
    Arrived(u32),
    /// A region's heartbeat arrives.
    Heartbeat,
    /// A client has its answer.
    Answered(u32),
    /// A new physical instant begins.
    Updated,
    /// The end.
    End,
}

#[derive(Debug, Clone, Copy)]
enum Task {
    Request(u32),
    Heartbeat,
}

#[derive(Debug, Clone, Copy)]
struct Client {
    /// When it sent last, and how many it asked for then.
    since: Nanos,
    asked: f64,
    arrived: Nanos,
}

/// Threads that handle requests, as Go makes them: as many as come.
const MANY: u32 = 1 << 20;
/// Requests of the first part of the time settle the clients.
const SETTLE: f64 = 0.1;

/// Runs it for so long.
///
/// # Panics
/// When there are no clients or nothing is wanted.
pub fn placement_driver(load: &PdLoad, c: &PdConstants, span: Nanos, seed: u64) -> PdRun {
    assert!(load.clients > 0 && load.timestamps > 0.0, "somebody wants timestamps");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut agenda = EventAgenda::new();
    let mut cpu: Cpu<Task> = Cpu::new(load.threads, 1.0, |_| MANY);
    let each = load.timestamps / f64::from(load.clients);
    let mut clients = vec![Client { since: Nanos(0), asked: 0.0, arrived: Nanos(0) }; load.clients as usize];
    for client in 0..load.clients {
        agenda.add(exponential(&mut random, each), Event::Wanted(client));
    }
    let heartbeats = load.regions / c.heartbeat_interval;
    if heartbeats > 0.0 {
        agenda.add(exponential(&mut random, heartbeats), Event::Heartbeat);
    }
    agenda.add(load.update_interval, Event::Updated);
    agenda.add(span, Event::End);
    let from = Nanos::from_secs_f64(span.as_secs_f64() * SETTLE);
    let (mut requests, mut busy_before) = (0u64, None);
    let mut handled = timeline::latencies();
    let (mut left, mut waiting): (f64, Vec<u32>) = (c.timestamps_per_step, Vec::new());
    let half = Nanos(load.round_trip.0 / 2);
    loop {
        let at = agenda.next_at();
        if cpu.next() < at {
            let now = cpu.next();
            let Some((pool, task)) = cpu.take() else { continue };
            cpu.free(now, pool);
            if let Task::Request(client) = task {
                let this = clients[client as usize];
                if left < this.asked {
                    waiting.push(client);
                    continue;
                }
                left -= this.asked;
                answer(now, &this, (from, &mut requests), &mut handled);
                agenda.add(now + half, Event::Answered(client));
            }
            continue;
        }
        let (now, event) = agenda.take().expect("the end is to come");
        if now >= from {
            busy_before.get_or_insert_with(|| cpu.busy(Pool::Read) + cpu.busy(Pool::Flush));
        }
        match event {
            Event::End => {
                let busy = cpu.busy(Pool::Read) + cpu.busy(Pool::Flush) - busy_before.unwrap_or(0.0);
                let seconds = (span - from).as_secs_f64();
                return PdRun {
                    requests: requests as f64 / seconds,
                    busy: busy / seconds,
                    handle_p999: Nanos(handled.value_at_quantile(0.999)),
                };
            }
            Event::Wanted(client) => {
                agenda.add(now + load.batch_wait, Event::Sent(client));
            }
            Event::Sent(client) => {
                let this = &mut clients[client as usize];
                this.asked = gathered(&mut random, each * (now - this.since).as_secs_f64()).max(1.0);
                this.since = now;
                agenda.add(now + half, Event::Arrived(client));
            }
            Event::Arrived(client) => {
                clients[client as usize].arrived = now;
                cpu.submit(now, Pool::Read, c.cpu_request, Task::Request(client));
            }
            Event::Answered(client) => {
                // Who came while the request was under way is asked for next.
                let wanted = gathered(&mut random, each * (now - clients[client as usize].since).as_secs_f64());
                let next = now + Nanos::from_secs_f64(c.client_overhead);
                let at = if wanted > 0.0 { next } else { next + exponential(&mut random, each) };
                agenda.add(at, Event::Wanted(client));
            }
            Event::Heartbeat => {
                cpu.submit(now, Pool::Flush, c.cpu_heartbeat, Task::Heartbeat);
                agenda.add(now + exponential(&mut random, heartbeats), Event::Heartbeat);
            }
            Event::Updated => {
                left = c.timestamps_per_step;
                for client in std::mem::take(&mut waiting) {
                    let this = clients[client as usize];
                    left -= this.asked;
                    answer(now, &this, (from, &mut requests), &mut handled);
                    agenda.add(now + half, Event::Answered(client));
                }
                agenda.add(now + load.update_interval, Event::Updated);
            }
        }
    }
}

/// Counts an answer.
fn answer(now: Nanos, this: &Client, (from, requests): (Nanos, &mut u64), handled: &mut timeline::LatencyHistogram) {
    if now >= from {
        *requests += 1;
        handled.record((now - this.arrived).0.max(1)).expect("the histogram grows");
    }
}

fn exponential(random: &mut Xoshiro256PlusPlus, rate: f64) -> Nanos {
    let gap: f64 = random.sample(Exp1);
    Nanos::from_secs_f64(gap / rate)
}

/// How many come, of a mean.
fn gathered(random: &mut Xoshiro256PlusPlus, mean: f64) -> f64 {
    Poisson::new(mean).map_or(0.0, |poisson| random.sample(poisson))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load() -> PdLoad {
        PdLoad {
            timestamps: 1_000_000.0,
            clients: 20,
            round_trip: Nanos::from_secs_f64(PdConstants::embedded().local_round_trip),
            batch_wait: Nanos(0),
            update_interval: Nanos::millis(50),
            regions: 60_000.0,
            threads: 8.0,
        }
    }

    fn run(load: &PdLoad) -> PdRun {
        placement_driver(load, PdConstants::embedded(), Nanos::secs(1), 1)
    }

    #[test]
    fn a_client_has_one_request_under_way_and_gathers_for_the_next() {
        let c = PdConstants::embedded();
        let cycle = |wait: f64| c.local_round_trip + c.client_overhead + c.cpu_request + wait;
        for wait in [0, 2] {
            let found = run(&PdLoad { batch_wait: Nanos::millis(wait), ..load() });
            let expected = 20.0 / cycle(wait as f64 / 1000.0);
            assert!((found.requests / expected - 1.0).abs() < 0.05, "{} of {expected}", found.requests);
        }
    }

    #[test]
    fn processors_are_busy_with_requests_and_heartbeats() {
        let (c, found) = (PdConstants::embedded(), run(&load()));
        let expected = found.requests * c.cpu_request + 1000.0 * c.cpu_heartbeat;
        assert!((found.busy / expected - 1.0).abs() < 0.05, "{} of {expected}", found.busy);
        let fewer = run(&PdLoad { regions: 6000.0, ..load() });
        assert!(fewer.busy < found.busy);
    }

    #[test]
    fn timestamps_that_are_used_up_are_waited_for_until_the_next_update() {
        let many = PdLoad { timestamps: 8_000_000.0, ..load() };
        let (slow, fast) = (run(&many), run(&PdLoad { update_interval: Nanos::millis(10), ..many }));
        assert!(slow.handle_p999 > Nanos::millis(5) && fast.handle_p999 < Nanos::millis(1), "{slow:?} {fast:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_run() {
        assert_eq!(run(&load()), run(&load()));
    }
}
