//! What each device moved, to compare devices by.

use std::collections::BTreeMap;

use timeline::{Series, Timeline, vocabulary};

/// Share by which two sums of bytes may differ and still be of the same requests: what is counted at two layers is counted at
/// two instants, and iostat rounds.
const SAME: f64 = 0.03;
/// Bytes that a device moves in an hour for its file system alone: below, sums are compared with this in mind.
const LITTLE: f64 = 64.0 * 1024.0;

/// Bytes of one device in each of a Timeline's intervals.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DeviceFlow {
    /// Read and written, by where the interval begins.
    pub(super) bytes: BTreeMap<u64, [f64; 2]>,
}

impl DeviceFlow {
    pub(super) fn total(&self) -> f64 {
        self.sums().iter().sum()
    }

    /// Bytes read and written in all.
    pub(super) fn sums(&self) -> [f64; 2] {
        self.bytes.values().fold([0.0; 2], |sum, bytes| [sum[0] + bytes[0], sum[1] + bytes[1]])
    }

    pub(super) fn is_idle(&self) -> bool {
        self.total() <= 0.0
    }

    /// The bytes of several devices.
    pub(super) fn of_all<'f>(flows: impl Iterator<Item = &'f Self>) -> Self {
        let mut all = Self::default();
        for flow in flows {
            for (at, bytes) in &flow.bytes {
                let sum = all.bytes.entry(*at).or_default();
                *sum = [sum[0] + bytes[0], sum[1] + bytes[1]];
            }
        }
        all
    }

    /// Whether both move the same bytes, in all and in most intervals.
    pub(super) fn moves_as_much_as(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.sums(), other.sums());
        if self.is_idle() || !(close(ours[0], theirs[0]) && close(ours[1], theirs[1])) {
            return false;
        }
        let intervals = self.bytes.iter().filter_map(|(at, bytes)| Some((bytes, other.bytes.get(at)?)));
        let (mut same, mut all) = (0, 0);
        for (ours, theirs) in intervals {
            all += 1;
            same += usize::from(alike(ours[0] + ours[1], theirs[0] + theirs[1], 0.15));
        }
        all > 0 && same * 10 >= all * 8
    }

    /// Whether everything that this moves can have passed through the other.
    pub(super) fn fits_into(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.sums(), other.sums());
        (0..2).all(|side| ours[side] <= theirs[side] * (1.0 + SAME) + LITTLE)
    }
}

/// Whether two sums are of the same requests.
fn close(one: f64, other: f64) -> bool {
    alike(one, other, SAME)
}

fn alike(one: f64, other: f64, share: f64) -> bool {
    (one - other).abs() <= one.max(other) * share + LITTLE
}

/// What each device of each node moved.
pub(super) fn flows(timeline: &Timeline) -> BTreeMap<String, BTreeMap<String, DeviceFlow>> {
    let mut all: BTreeMap<String, BTreeMap<String, DeviceFlow>> = BTreeMap::new();
    for series in &timeline.series {
        let Some(disk) = series.labels.get("disk") else { continue };
        let node = series.labels.get("node").cloned().unwrap_or_default();
        let flow = all.entry(node).or_default().entry(disk.clone()).or_default();
        if let Some((side, per_second)) = side(series) {
            for point in series.points() {
                let seconds = (point.until.0 - point.from.0) as f64 / 1e9;
                let bytes = if per_second { point.value * seconds } else { point.value };
                flow.bytes.entry(point.from.0).or_default()[side] += bytes;
            }
        }
    }
    all
}

/// Whether a series tells bytes read (0) or written (1), and whether a second.
fn side(series: &Series) -> Option<(usize, bool)> {
    let is = |spec: timeline::SeriesSpec| series.name == spec.name;
    match () {
        () if is(vocabulary::READ_BYTES) => Some((0, false)),
        () if is(vocabulary::WRITE_BYTES) => Some((1, false)),
        () if is(vocabulary::READ_BYTES_PER_SECOND) => Some((0, true)),
        () if is(vocabulary::WRITE_BYTES_PER_SECOND) => Some((1, true)),
        () => None,
    }
}
