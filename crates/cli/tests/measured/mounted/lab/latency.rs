//! Latencies while no limit binds, against the same load on the model in virtual time.

use units::{Bytes, Iops};

use super::figure::{Figure, Target};
use super::load::{self, Load, micros};
use super::rig::Rig;
use super::{Found, Length, limits_of, measured, model, spec};

const SPAN: Bytes = Bytes::mib(64);

/// A load below the limit of a disk.
struct Case {
    disk: &'static str,
    reads: f64,
    depth: u32,
    /// The share of the IOPS limit that is asked for; `None`: what the depth gives.
    share: Option<f64>,
    in_short: bool,
}

const fn case(disk: &'static str, reads: f64, depth: u32, share: Option<f64>, in_short: bool) -> Case {
    Case { disk, reads, depth, share, in_short }
}

const GP3: &str = "gp3:100GiB";
const GP3_FAST: &str = "gp3:100GiB,16000iops";
const IO2: &str = "io2:200GiB,64000iops";

/// From 10 to 90 % of the limits at depths 1 to 16, paced and as the depth gives, reads and writes.
const CASES: &[Case] = &[
    case(GP3, 1.0, 1, Some(0.1), false),
    case(GP3, 1.0, 1, None, true),
    case(GP3, 0.0, 1, Some(0.4), true),
    case(GP3, 1.0, 4, Some(0.5), false),
    case(GP3, 0.7, 4, Some(0.7), false),
    // Requests that a neighbour delays are made up for at once, and at 90 % of the limit that takes long to drain.
    case(GP3, 1.0, 16, Some(0.9), false),
    case(GP3, 1.0, 16, Some(0.5), true),
    case(GP3_FAST, 1.0, 1, None, false),
    case(GP3_FAST, 1.0, 4, None, true),
    case(GP3_FAST, 0.0, 4, Some(0.3), false),
    case(GP3_FAST, 1.0, 16, Some(0.9), false),
    case(IO2, 1.0, 1, None, false),
    case(IO2, 0.0, 4, None, false),
    case(IO2, 1.0, 16, Some(0.3), false),
    case(IO2, 1.0, 16, None, true),
];

pub(super) fn below_the_limits(length: Length) -> Found {
    let rig = Rig::new()?;
    let mut figures = Vec::new();
    for case in CASES.iter().filter(|case| length == Length::Long || case.in_short) {
        let (spec, limit) = (spec(case.disk, None)?, limits_of(case.disk, None)?.iops);
        let pace = case.share.map(|share| Iops(limit.0 * share));
        let load = Load { pace, ..Load::small(case.reads, case.depth, SPAN) };
        let (of, ideal) = (format!("{}, {}", case.disk, load.name()), model::latencies(&spec, &load));
        figures.extend(measured(|| {
            // Each time a new mount, for what is taken off for the way to the disk is measured at mounting.
            let mounted = rig.mount(case.disk, &[])?;
            let seen = load::latency(&load::run(load.job(&mounted.file("", SPAN)?, length.pick(4, 10)))?)?;
            let near = |share, tolerance| Target::Near(ideal.percentile(share), tolerance);
            Ok(vec![
                Figure::new(&of, "p50", "µs", near(0.5, 0.05), micros(seen.p50)).of_the_clock(length, 0.5),
                Figure::new(&of, "p95", "µs", near(0.95, 0.1), micros(seen.p95)).of_the_clock(length, 0.95),
            ])
        })?);
    }
    Ok(figures)
}
