//! Which volumes lie under a layer, by what they move.

use super::flow::DeviceFlow;

/// How far the members of a stripe may differ from each other: chunks are dealt in turn, so each moves about as much.
const EVEN: f64 = 0.25;
/// How far the members' sum may be off for a stripe whose width was said.
const CLAIMED: f64 = 0.3;

/// What is said of how many volumes a layer lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Nothing.
    Unknown,
    /// So many, of this layer.
    Said(u32),
    /// So many, of any layer that is a stripe.
    OfAnyStripe(u32),
}

/// The volumes under a layer: one that it lies on alone, or all members of a stripe; none where nothing tells. `is_raid` says whether
/// it is one of md, which has several.
pub(super) fn members(layer: &DeviceFlow, volumes: &[(&str, &DeviceFlow)], width: Width, is_raid: bool) -> Vec<String> {
    match width {
        Width::Said(width) if width > 1 => return claimed(layer, volumes, width as usize),
        Width::OfAnyStripe(width) if !layer.is_idle() => {
            let stripe = claimed(layer, volumes, width as usize);
            if !stripe.is_empty() {
                return stripe;
            }
        }
        _ => {}
    }
    let same = |volume: &&(&str, &DeviceFlow)| layer.moves_as_much_as(volume.1);
    if let Some((name, _)) = volumes.iter().find(same).filter(|_| !is_raid) {
        return vec![(*name).to_owned()];
    }
    if let Some(stripe) = even_run(layer, volumes).filter(|_| width != Width::Said(1)) {
        return stripe;
    }
    if is_raid {
        return Vec::new();
    }
    // One of several layers on a volume: the only busy volume that can have carried it.
    let carriers: Vec<&(&str, &DeviceFlow)> =
        volumes.iter().filter(|volume| !volume.1.is_idle() && layer.fits_into(volume.1)).collect();
    match carriers.as_slice() {
        [(one, _)] if !layer.is_idle() => vec![(*one).to_owned()],
        _ => Vec::new(),
    }
}

/// Volumes by what they moved, the busiest first.
fn sorted<'v>(volumes: &[(&'v str, &'v DeviceFlow)]) -> Vec<(f64, &'v str, &'v DeviceFlow)> {
    let mut sorted: Vec<_> = volumes.iter().map(|(name, flow)| (flow.total(), *name, *flow)).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    sorted
}

/// The members of a stripe of known width: those of which the sum comes closest.
fn claimed(layer: &DeviceFlow, volumes: &[(&str, &DeviceFlow)], width: usize) -> Vec<String> {
    let sorted = sorted(volumes);
    let total = layer.total();
    let off = |run: &[(f64, &str, &DeviceFlow)]| (run.iter().map(|(bytes, ..)| bytes).sum::<f64>() - total).abs();
    let best = sorted.windows(width).min_by(|a, b| off(a).total_cmp(&off(b)));
    let best = best.filter(|run| off(run) <= total * CLAIMED || total <= 0.0);
    best.map_or_else(Vec::new, names)
}

/// Volumes that move about as much as each other, and together what the layer moves.
fn even_run(layer: &DeviceFlow, volumes: &[(&str, &DeviceFlow)]) -> Option<Vec<String>> {
    let sorted = sorted(volumes);
    let total = layer.total();
    for first in 0..sorted.len() {
        let most = sorted[first].0;
        let mut sum = 0.0;
        for (last, (bytes, ..)) in sorted.iter().enumerate().skip(first) {
            sum += bytes;
            if *bytes < most * (1.0 - EVEN) || sum > total * 1.1 {
                break;
            }
            let run = &sorted[first..=last];
            if run.len() > 1 && sum >= total * 0.9 {
                let all = DeviceFlow::of_all(run.iter().map(|(_, _, flow)| *flow));
                if layer.moves_as_much_as(&all) {
                    return Some(names(run));
                }
            }
        }
    }
    None
}

fn names(run: &[(f64, &str, &DeviceFlow)]) -> Vec<String> {
    let mut names: Vec<String> = run.iter().map(|(_, name, _)| (*name).to_owned()).collect();
    names.sort();
    names
}
