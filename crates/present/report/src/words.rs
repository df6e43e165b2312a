//! What an answer says in plain words; the page and the terminal share them.

use deployment::{BlockCompression, Deployment, EngineSettings, NodeGroup, NodeRole};
use engine::Resource;
use plan::{Plan, PlanResult, PlanUncertainty, RejectedCandidate, RejectionReason, WhyNot};
use units::{Nanos, Ratio};
use workload::Engine;

/// A number with its thousands apart and so many decimals: `55,730`.
pub fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::from(if value < 0.0 { "-" } else { "" });
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

/// A number to three digits or whole, whichever says more: `1.25`, `12.5`, `55,730`.
pub fn count(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 100.0 || v == 0.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let text = grouped(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with all it has, up to four decimals: `99.999`, `593.75`, `16,000`.
pub fn significant(value: f64) -> String {
    let text = grouped(value, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A span in milliseconds: `9.8 ms`.
pub fn millis(span: Nanos) -> String {
    format!("{} ms", count(span.as_millis_f64()))
}

/// A share as a percentage: `23 %`.
pub fn percent(share: f64) -> String {
    Ratio(share).percent(0)
}

/// A chance: `0 %`, `under 1 %`, `37 %`.
pub fn odds(share: f64) -> String {
    if share > 0.0 && share < 0.01 { "under 1 %".to_owned() } else { percent(share) }
}

/// A database's name.
pub fn engine(engine: Engine) -> &'static str {
    engine.facts().name
}

/// A resource's name in a sentence.
pub fn resource(resource: Resource) -> &'static str {
    match resource {
        Resource::Cpu => "CPU",
        Resource::DataIops => "data disk IOPS",
        Resource::DataThroughput => "data disk throughput",
        Resource::LogIops => "log disk IOPS",
        Resource::LogThroughput => "log disk throughput",
        Resource::InstanceIops => "instance IOPS",
        Resource::InstanceThroughput => "instance throughput",
        Resource::Clients => "clients",
    }
}

/// A resource's name in a narrow column.
pub fn short(resource: Resource) -> &'static str {
    match resource {
        Resource::Cpu => "CPU",
        Resource::DataIops => "data IOPS",
        Resource::DataThroughput => "data MiB/s",
        Resource::LogIops => "log IOPS",
        Resource::LogThroughput => "log MiB/s",
        Resource::InstanceIops => "instance IOPS",
        Resource::InstanceThroughput => "instance MB/s",
        Resource::Clients => "clients",
    }
}

/// The groups of nodes that hold data.
pub fn storage(deployment: &Deployment) -> impl Iterator<Item = &NodeGroup> {
    deployment.nodes.iter().filter(|group| group.role == NodeRole::Storage)
}

/// The storage nodes: `3 × m5.4xlarge`.
pub fn machines(deployment: &Deployment) -> String {
    join(storage(deployment).map(|group| format!("{} × {}", group.count, group.instance)))
}

/// The data disk of each storage node.
pub fn data_disk(deployment: &Deployment) -> String {
    join(storage(deployment).filter_map(|group| group.data.as_ref()).map(ToString::to_string))
}

/// The log's own disk of each storage node, if any.
pub fn log_disk(deployment: &Deployment) -> Option<String> {
    let text = join(storage(deployment).filter_map(|group| group.log.as_ref()).map(ToString::to_string));
    (!text.is_empty()).then_some(text)
}

/// The type of the data disk, with its stripe: `gp3`, `2 × gp2`.
pub fn kind(deployment: &Deployment) -> String {
    let disks = storage(deployment).filter_map(|group| group.data.as_ref());
    join(disks.map(|disk| match disk.stripe {
        0 | 1 => disk.volume.kind.clone(),
        n => format!("{n} × {}", disk.volume.kind),
    }))
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" + ")
}

/// A plan's machines and disks: `3 × m5.4xlarge, each with gp3:1TiB for data and gp3:20GiB for the log`.
pub fn layout(plan: &Plan) -> String {
    let disks = match log_disk(&plan.deployment) {
        Some(log) => format!("{} for data and {log} for the log", data_disk(&plan.deployment)),
        None => format!("{} for data and log", data_disk(&plan.deployment)),
    };
    let each = if storage(&plan.deployment).map(|group| group.count).sum::<u32>() > 1 { "each with" } else { "with" };
    format!("{}, {each} {disks}", machines(&plan.deployment))
}

/// The answer in a sentence.
pub fn headline(answer: &PlanResult) -> String {
    if let Some(best) = answer.plans.first() {
        return format!(
            "The cheapest deployment costs {} a month: {}. It sustains {} {} with a 99th percentile of {} at the \
             target; {} gives first, with {} still free.",
            best.monthly(),
            layout(best),
            count(best.predicted.throughput),
            best.predicted.unit,
            millis(best.predicted.p99),
            resource(best.bottleneck),
            percent(best.headroom),
        );
    }
    let mut text = String::from("No deployment in the catalogue meets the targets.");
    if let Some(closest) = &answer.closest {
        text += &format!(" The closest costs {} a month: {}.", closest.monthly(), layout(closest));
    }
    text
}

/// What was not chosen: `io2`, `m5 family`.
pub fn subject(subject: &RejectedCandidate) -> String {
    match subject {
        RejectedCandidate::Disk(kind) => kind.clone(),
        RejectedCandidate::Family(family) => format!("{family} family"),
    }
}

/// Disk types as they come, then families, those that cost the least more first.
pub fn nearest_first(all: &[WhyNot]) -> (Vec<&WhyNot>, Vec<&WhyNot>) {
    let more = |why: &WhyNot| match &why.reason {
        RejectionReason::Costs { more, .. } => more.0,
        RejectionReason::RuledOut { .. } => f64::INFINITY,
    };
    let (disks, mut families): (Vec<_>, Vec<_>) =
        all.iter().partition(|why| matches!(why.subject, RejectedCandidate::Disk(_)));
    families.sort_by(|a, b| more(a).total_cmp(&more(b)));
    (disks, families)
}

/// Why it was not chosen.
pub fn why_not(why: &WhyNot) -> String {
    match &why.reason {
        RejectionReason::Costs { more, best } => format!("costs {more} a month more: {}", layout(best)),
        RejectionReason::RuledOut { constraint } => format!("is ruled out: {constraint}"),
    }
}

/// What stands out about a plan over sampled futures, if anything.
pub fn fate(uncertainty: &PlanUncertainty, plan: usize) -> String {
    let notes = [(uncertainty.cheapest, "cheapest in the middle future"), (uncertainty.least_regret, "least regret")];
    let notes: Vec<&str> = notes.into_iter().filter(|(of, _)| *of == plan).map(|(_, note)| note).collect();
    notes.join(", ")
}

/// The settings of a plan that are not the engine's own: `block-size 4KiB, compression zstd`.
pub fn settings(settings: &EngineSettings) -> String {
    let compression = match settings.compression {
        None | Some(BlockCompression::Default) => None,
        Some(BlockCompression::None) => Some("none"),
        Some(BlockCompression::Zstd) => Some("zstd"),
    };
    let set = [
        settings.block_size.map(|size| format!("block-size {size}")),
        settings.block_cache.map(|size| format!("block-cache {size:.1}")),
        compression.map(|name| format!("compression {name}")),
        settings.value_separation.map(|size| format!("value-separation {size}")),
        settings.rate_limit.map(|rate| format!("rate-limit {rate}")),
        settings.follower_read.map(|on| format!("follower-read {on}")),
        settings.grpc_compression.map(|on| format!("grpc-compression {on}")),
        settings.locks.map(|locks| format!("locks {locks}")),
        settings.doublewrite.map(|on| format!("doublewrite {on}")),
    ];
    set.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What a plan for this database leaves out.
pub fn not_covered(engine: Engine) -> Vec<&'static str> {
    let own = engine.facts().not_priced;
    vec![own, "Prices are on-demand list prices: no discounts, taxes, snapshots, backups or traffic to the internet."]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn numbers_keep_three_digits_or_are_whole() {
        let texts: Vec<String> = [0.0, 0.5, 1.254, 12.54, 99.99, 125.4, 55730.2, -1234.0].map(count).into();
        assert_eq!(texts, ["0", "0.5", "1.25", "12.5", "100", "125", "55,730", "-1,234"]);
    }

    #[test]
    fn the_headline_names_price_machines_disks_and_what_gives_first() {
        let text = headline(&sample::answer());
        for part in ["$1,234 a month", "3 × m5.4xlarge", "gp3:", "for the log", "CPU gives first"] {
            assert!(text.contains(part), "`{part}` is not in: {text}");
        }
    }

    #[test]
    fn out_of_reach_names_the_closest() {
        let text = headline(&sample::out_of_reach());
        assert!(text.starts_with("No deployment") && text.contains("The closest costs $1,234"), "{text}");
    }
}
