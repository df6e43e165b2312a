//! Source 000: limits, striping and monthly costs of AWS disks and nodes.

use availability::stripe_durability;
use catalog::InstanceType;
use disk::{IoDirection, StartCredits};
use units::{Bytes, BytesPerSec, Iops, Ratio};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[
    ("A01", |s| alone(s, IO1)),
    ("A02", |s| behind(s, IO1, "m5.2xlarge")),
    ("A03", |s| alone(s, "gp2:334GiB")),
    ("A04", |s| Ok(ClaimValue::number(s.limits(GP2)?.iops.0).into())),
    ("A14", stripe_cost),
    ("A15", durability_of_a_stripe),
    ("A16", |s| node(s, "m5.2xlarge", GP2)),
    ("A17", |s| node(s, "m5.4xlarge", TWO_GP2)),
    ("A18", |s| node(s, "m5.4xlarge", IO1)),
    ("A19", |s| node(s, "m5.8xlarge", "io1:2000GiB,10000iops")),
    ("A20", |s| Ok(ClaimValue::number(s.disk_monthly("io1:40GiB,2000iops")?.0).into())),
    ("A21", small_gp2),
];

// Volumes sold by the "GB" are GiB.
const GP2: &str = "gp2:1000GiB";
const TWO_GP2: &str = "2x(gp2:1000GiB)";
const IO1: &str = "io1:1000GiB,6000iops";

/// MiB/s that the disk sustains.
fn alone(s: &Setting<'_>, disk: &str) -> Result<Ours, ClaimError> {
    Ok(ClaimValue::number(sustained(s, disk, None)?.as_mib()).into())
}

/// MB/s that the disk sustains behind an instance, its burst spent.
fn behind(s: &Setting<'_>, disk: &str, instance: &str) -> Result<Ours, ClaimError> {
    Ok(ClaimValue::number(sustained(s, disk, Some(s.view.instance(instance)?))?.as_mb()).into())
}

/// What comes of a minute of 256 KiB writes in virtual time, all burst credits spent before.
fn sustained(s: &Setting<'_>, disk: &str, instance: Option<&InstanceType>) -> Result<BytesPerSec, ClaimError> {
    let spec = disk.parse::<disk::Disk>()?.spec(&s.view, instance)?;
    let caps = instance.and_then(|instance| instance.caps.as_ref());
    Ok(disk::deliverable(spec, caps, Bytes::kib(256), IoDirection::Write, 60, StartCredits::Spent))
}

fn stripe_cost(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    Ok(ClaimValue::number(s.disk_monthly(TWO_GP2)?.0 / s.disk_monthly(IO1)?.0).into())
}

fn durability_of_a_stripe(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let gp2 = s.view.volume("gp2")?;
    let (low, _) = gp2.durability.ok_or_else(|| ClaimError::Other("the catalogue has no durability of gp2".into()))?;
    Ok(ClaimValue::number(stripe_durability(Ratio(low), 2).0 * 100.0).into())
}

/// USD a month of one node.
fn node(s: &Setting<'_>, instance: &str, disk: &str) -> Result<Ours, ClaimError> {
    let compute = s.view.instance_price(s.region, instance)? * plan::MONTH_HOURS;
    let month = compute + s.disk_monthly(disk)?;
    Ok(Ours {
        remark: Some("a month is 730 hours; the source takes 720".into()),
        ..Ours::from(ClaimValue::number(month.0))
    })
}

fn small_gp2(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let Iops(iops) = s.limits("gp2:350GiB")?.iops;
    Ok(ClaimValue::Numbers(vec![s.disk_monthly("gp2:350GiB")?.0, iops]).into())
}
