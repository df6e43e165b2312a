//! What a finding says to people: the rule's sentence, and the numbers that they ask for next.

use catalog::Cloud;
use disk::{ObservedRates, resembling};
use limits::BindingLimit;
use units::{BytesPerSec, Iops};

use crate::causes::Cause;
use crate::facts::{DiagnosisSignal, FindingScope};
use crate::rules::thresholds;
use crate::{FindingKind, KnownFacts, refuted};

/// Names that are told one by one.
const TOLD: usize = 4;

/// A rate is that of a limit which it differs from by no more than this share.
const NEAR: f64 = 0.03;

/// What the rule says, with the numbers that people ask for next.
pub(crate) fn says(cause: &Cause<'_>, known: &KnownFacts) -> String {
    let mean = |signal| cause.facts.mean(signal, cause.within.clone());
    let mib = |bytes: f64| bytes / 1_048_576.0;
    let more = match cause.rule.kind {
        FindingKind::BurstEnding => {
            mean(DiagnosisSignal::BurstTimeLeft).map(|left| format!(": in {:.0} min", left / 60.0))
        }
        FindingKind::WriteThroughputNear => {
            mean(DiagnosisSignal::Throughput).zip(mean(DiagnosisSignal::ReadShare)).map(|(all, read)| {
                let used = mean(DiagnosisSignal::ThroughputUse).map_or_else(
                    || "of a limit that these series do not tell".to_owned(),
                    |used| format!("{:.0} % of its throughput", 100.0 * used),
                );
                format!(": {:.0} MiB/s written and {:.0} MiB/s read, {used}", mib(all * (1.0 - read)), mib(all * read))
            })
        }
        FindingKind::ThreadPool => cause.facts.columns.get(&DiagnosisSignal::PoolUse).and_then(|drawn| {
            let pool = drawn.series.strip_prefix("cpu_time{pool=")?.strip_suffix('}')?;
            Some(format!(": {pool}, whose size is {}", known.says_threads(pool)))
        }),
        FindingKind::CannotTell if cause.rule.refutes => Some(refuted::more(cause)),
        FindingKind::CannotTell => Some(link_or_disk(cause, known)),
        FindingKind::Saturated => Some(saturated(cause, known)),
        FindingKind::VolumeLoading => Some(loading(cause)),
        FindingKind::SpaceEnding => Some(space(cause)),
        FindingKind::VolumeIops | FindingKind::VolumeThroughput | FindingKind::BurstExhausted => censored(cause),
        FindingKind::InstanceIops | FindingKind::InstanceThroughput | FindingKind::InstanceBurstSpent => {
            link_limit(cause, known)
        }
        FindingKind::FlushBound => mean(DiagnosisSignal::QueueDepth).and_then(|depth| {
            let (rate, what) = match mean(DiagnosisSignal::FlushRate).filter(|flushes| *flushes > 0.0) {
                Some(flushes) => (flushes, "flushes (fdatasync)"),
                None => (mean(DiagnosisSignal::Iops)?, "requests"),
            };
            let idle = mean(DiagnosisSignal::CpuUse).filter(|used| *used < 0.5);
            let idle = idle.map_or_else(String::new, |used| {
                format!(
                    ", while {:.0} % of the processors are busy: one thread waits for the disk again and again",
                    used * 100.0
                )
            });
            Some(format!(": {rate:.0} {what} a second, {depth:.2} in flight{idle}"))
        }),
        _ => None,
    };
    format!("{}{}", cause.rule.says, more.unwrap_or_default())
}

/// Lowest and highest of a signal in the window, as a share of its mean.
fn spread(cause: &Cause<'_>, signal: DiagnosisSignal) -> Option<f64> {
    let known: Vec<f64> = cause.within.clone().filter_map(|i| cause.facts.at(signal, i)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = known.iter().copied().fold(f64::INFINITY, f64::min);
    (known.len() > 2 && mean > 0.0).then(|| (most - least) / mean)
}

fn rates(cause: &Cause<'_>) -> (f64, f64) {
    let mean = |signal| cause.facts.mean(signal, cause.within.clone());
    let iops = mean(DiagnosisSignal::CountedIops).or_else(|| mean(DiagnosisSignal::Iops));
    (iops.unwrap_or(0.0), mean(DiagnosisSignal::Throughput).unwrap_or(0.0))
}

fn cloud(cause: &Cause<'_>, known: &KnownFacts) -> Option<Cloud> {
    let of_disk = cause.facts.disk.as_ref().and_then(|disk| known.view.volume(&disk.volume.kind).ok());
    let of_instance = || cause.facts.instance.as_ref().map(|instance| instance.cloud);
    of_disk.map(|kind| kind.cloud).or_else(of_instance).or_else(|| known.view.region(known.region()?).ok())
}

/// Instance types of a cloud whose sustained link lets just these rates through, by the side on which they are full.
fn links_like(cloud: Option<Cloud>, iops: f64, bytes: f64, known: &KnownFacts) -> Vec<String> {
    let near = |cap: f64, rate: f64| rate > 0.0 && (rate / cap - 1.0).abs() <= NEAR;
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().filter(|one| cloud.is_none_or(|of| of == *one));
    let all = clouds
        .flat_map(|cloud| known.view.instances(cloud))
        .filter(|instance| instance.caps.is_some_and(|caps| near(caps.throughput.0, bytes) || near(caps.iops.0, iops)));
    let mut names: Vec<(u32, String)> = all.map(|instance| (instance.vcpu, instance.name.clone())).collect();
    names.sort();
    names.into_iter().map(|(_, name)| name).collect()
}

fn listed(names: &[String]) -> String {
    match names.len() {
        0..=TOLD => names.join(", "),
        many => format!("{} and {} more", names[..TOLD].join(", "), many - TOLD),
    }
}

/// What speaks for the instance's link and what for the disk, and what would tell.
fn link_or_disk(cause: &Cause<'_>, known: &KnownFacts) -> String {
    let (iops, bytes) = rates(cause);
    let rate = format!("{iops:.0} I/Os and {:.1} MB a second", bytes / 1e6);
    let spreads = [DiagnosisSignal::Throughput, DiagnosisSignal::Iops].into_iter().filter_map(|of| spread(cause, of));
    let shape = match spreads.reduce(f64::min) {
        Some(spread) if spread <= thresholds().flat => format!(
            "for the link speaks that {rate} stay within {:.0} % while requests queue, as at a limit and not as at a sick disk",
            (spread * 100.0).ceil()
        ),
        Some(spread) => format!(
            "for the disk speaks that {rate} vary by {:.0} % while requests queue, as at no limit",
            spread * 100.0
        ),
        None => format!("{rate} pass; too little was seen to tell a limit's flat top"),
    };
    let like = links_like(cloud(cause, known), iops, bytes, known);
    let like = if like.is_empty() { String::new() } else { format!("; {} let just that through", listed(&like)) };
    format!(
        ": {shape}{like}. Name the instance (--instance m5.large), or give its EBSByteBalance%, EBSIOBalance% and \
             InstanceEBS…ExceededCheck"
    )
}

/// Near which rate a disk of unknown limits is full, and which disks for sale have just that limit.
fn saturated(cause: &Cause<'_>, known: &KnownFacts) -> String {
    let mean = |signal| cause.facts.mean(signal, cause.within.clone());
    let (iops, bytes) = rates(cause);
    let (depth, latency) = (mean(DiagnosisSignal::QueueDepth), mean(DiagnosisSignal::Latency));
    let little = depth.zip(latency).map_or_else(String::new, |(depth, latency)| {
        format!(
            ": {depth:.0} in flight for {:.0} ms each are {:.0} a second",
            latency * 1e3,
            depth / latency.max(f64::MIN_POSITIVE)
        )
    });
    let seen = ObservedRates { iops: Iops(iops), sustained: None, throughput: BytesPerSec(bytes) };
    let sold = resembling(&known.view, cloud(cause, known), &seen);
    let one = |one: &disk::ResemblingDisk| {
        let at = if one.limit == BindingLimit::VolumeIops {
            format!("{:.0} IOPS", one.rates.iops.0)
        } else {
            format!("{:.0} MiB/s", one.rates.throughput.as_mib())
        };
        format!("{} ({at})", one.disk)
    };
    let like: Vec<String> = sold.iter().take(TOLD).map(one).collect();
    let like = if like.is_empty() {
        "no single disk for sale has a limit there: a stripe, an instance's link, or a disk that is sick".to_owned()
    } else {
        format!("disks for sale with just that limit: {}", like.join(", "))
    };
    let subject = &cause.facts.subject.disk;
    format!(
        "{little}. The limit is near {iops:.0} I/Os or {:.0} MiB a second, whichever it is; {like}. Say which disk it is, with \
         --disk {subject}=TYPE:SIZE, and which instance, with --instance",
        bytes / 1_048_576.0
    )
}

/// How slow reads are beside writes, and whether they become faster.
fn loading(cause: &Cause<'_>) -> String {
    let facts = cause.facts;
    let mean = |signal| facts.mean(signal, cause.within.clone()).unwrap_or(0.0);
    let quarter = (cause.within.len() / 4).max(1);
    let (start, end) = (cause.within.start, cause.within.end);
    let ends = (facts.mean(DiagnosisSignal::ReadExcess, start..start + quarter))
        .zip(facts.mean(DiagnosisSignal::ReadExcess, end - quarter..end));
    let pace = match ends {
        Some((first, last)) if last < 0.8 * first => {
            format!("; it becomes better, from {first:.0} times at the beginning to {last:.0} at the end")
        }
        _ => "; it becomes better over hours, as more has been read once".to_owned(),
    };
    format!(
        ": reads take {:.0} times what the disk needs, writes {:.1} times{pace}",
        mean(DiagnosisSignal::ReadExcess),
        mean(DiagnosisSignal::WriteExcess)
    )
}

/// What is free, and for how long.
fn space(cause: &Cause<'_>) -> String {
    let last = |signal| cause.facts.values(signal).iter().flatten().next_back().copied();
    let left = last(DiagnosisSignal::SpaceLeft).map(|left| format!("{:.0} % are free", left * 100.0));
    let time = last(DiagnosisSignal::SpaceTimeLeft).map(|seconds| match seconds / 3600.0 {
        hours if hours < 48.0 => format!("nothing is in {hours:.0} h"),
        hours => format!("nothing is in {:.0} days", hours / 24.0),
    });
    let drawn = [DiagnosisSignal::SpaceTimeLeft, DiagnosisSignal::SpaceLeft];
    let series = drawn.into_iter().find_map(|signal| cause.facts.columns.get(&signal));
    let of = series.map_or("", |drawn| &drawn.series);
    let told: Vec<String> = [left, time].into_iter().flatten().collect();
    format!(" ({of}): {}", told.join(", and at the pace of what was seen "))
}

/// That what passed a limit is no more than what was asked of it, and how much that may have been: clients that wait would
/// send as many times more as their requests took longer, at most.
fn censored(cause: &Cause<'_>) -> Option<String> {
    let mean = |signal| cause.facts.mean(signal, cause.within.clone());
    let excess = mean(DiagnosisSignal::LatencyExcess)?;
    let (iops, bytes) = rates(cause);
    let t = thresholds();
    let by_bytes = cause.rule.kind == FindingKind::VolumeThroughput;
    let told = |times: f64| {
        if by_bytes { format!("{:.0} MiB/s", bytes * times / 1_048_576.0) } else { format!("{:.0} IOPS", iops * times) }
    };
    let most = if excess >= t.most_raise {
        format!("how much more cannot be told: requests took {excess:.0} times as long as without a limit")
    } else {
        format!("at most {}: requests took {excess:.1} times as long as without a limit", told(excess.max(1.0)))
    };
    Some(format!(": {} passed, so at least that was asked for, and {most}", told(1.0)))
}

/// What passed the link, and which instances have just that, where it is not known which one it is.
fn link_limit(cause: &Cause<'_>, known: &KnownFacts) -> Option<String> {
    if cause.facts.instance.is_some() || cause.facts.subject.scope == FindingScope::Cluster {
        return None;
    }
    let (iops, bytes) = rates(cause);
    if iops <= 0.0 && bytes <= 0.0 {
        return None;
    }
    let like = links_like(cloud(cause, known), iops, bytes, known);
    let like = if like.is_empty() { String::new() } else { format!("; {} let just that through", listed(&like)) };
    Some(format!(": {iops:.0} I/Os and {:.1} MB a second pass{like}", bytes / 1e6))
}
