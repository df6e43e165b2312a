//! The cheapest provisioning of one volume that carries a need: closed form, exact in whole GiB, I/Os and MiB/s.

use catalog::{IopsRule, ThroughputRule, VolumePrice, VolumeType};
use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Iops, Usd};

use super::{BeyondLimit, VolumeNeed, VolumeProvision};
use crate::Volume;

const GIB: f64 = (1_u64 << 30) as f64;
const MIB: f64 = (1_u64 << 20) as f64;

/// The law of sizing volumes of one type: its rules in the catalogue and the sizes in which it is sold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeSizing<'a> {
    kind: &'a VolumeType,
    /// Where only certain sizes are sold: those, ascending. Empty where any size is.
    fixed_sizes: &'a [(Bytes, Usd)],
}

impl<'a> VolumeSizing<'a> {
    /// The law of a type. Without a price, every size of the type counts as sold.
    pub fn new(kind: &'a VolumeType, price: Option<&'a VolumePrice>) -> Self {
        Self { kind, fixed_sizes: price.map_or(&[], |price| &price.fixed_sizes) }
    }

    /// Sustained I/Os a second.
    pub fn iops(&self, p: VolumeProvision) -> Iops {
        match self.kind.iops {
            IopsRule::BySize { base, per_gib, min, max } => Iops((base + per_gib * p.gib as f64).max(min.0).min(max.0)),
            IopsRule::Provisioned { min, .. } => Iops((p.iops as f64).max(min.0)),
            IopsRule::ByInstance => Iops(0.0),
        }
    }

    /// Sustained throughput.
    pub fn throughput(&self, p: VolumeProvision) -> BytesPerSec {
        match &self.kind.throughput {
            ThroughputRule::Provisioned { min, .. } => BytesPerSec((p.mib_s as f64 * MIB).max(min.0)),
            ThroughputRule::ByIops(bands) => {
                let iops = self.iops(p).0;
                let band = bands.iter().find(|b| iops <= b.up_to.0);
                BytesPerSec(band.map_or(0.0, |b| (b.per_io.as_f64() * iops).min(b.max.0)))
            }
            ThroughputRule::BySize(bands) => {
                let band = bands.iter().rev().find(|b| Bytes::gib(p.gib) >= b.from);
                BytesPerSec(band.map_or(0.0, |b| (b.base.0 + b.per_gib.0 * p.gib as f64).min(b.max.0)))
            }
            ThroughputRule::ByInstance => BytesPerSec(0.0),
        }
    }

    /// The volume as a deployment writes it.
    pub fn volume(&self, p: VolumeProvision) -> Volume {
        let sells_iops = matches!(self.kind.iops, IopsRule::Provisioned { min, .. } if p.iops as f64 > min.0);
        let sells_throughput =
            matches!(self.kind.throughput, ThroughputRule::Provisioned { min, .. } if p.mib_s as f64 * MIB > min.0);
        Volume {
            kind: self.kind.name.clone(),
            size: Bytes::gib(p.gib),
            iops: sells_iops.then_some(Iops(p.iops as f64)),
            throughput: sells_throughput.then_some(BytesPerSec::mib(p.mib_s as f64)),
        }
    }

    /// The cheapest volume that carries `need`, with at most `most_iops` I/Os a second provisioned.
    ///
    /// Prices do not fall in size, I/Os or throughput, and each limit asks the others for a least value only, so the least
    /// value of each at once is the cheapest.
    ///
    /// # Errors
    /// The limit that no volume of the type reaches.
    pub fn least(&self, need: VolumeNeed, most_iops: Option<u64>) -> Result<VolumeProvision, BeyondLimit> {
        let mut p = VolumeProvision { gib: (need.size.as_f64() / GIB).ceil() as u64, ..VolumeProvision::default() };
        if let ThroughputRule::Provisioned { min, max, .. } = self.kind.throughput {
            if need.throughput.0 > min.0 {
                p.mib_s = (need.throughput.0 / MIB).ceil() as u64;
            }
            if need.throughput.0 > (max.0 / MIB).floor().max(min.0 / MIB) * MIB {
                return Err(beyond(BindingLimit::VolumeThroughput, need.throughput.0, max.0));
            }
        }
        if let IopsRule::Provisioned { min, .. } = self.kind.iops {
            if need.iops.0 > min.0 {
                p.iops = need.iops.0.ceil() as u64;
            }
            let most = self.most_iops(most_iops);
            if need.iops.0 > most as f64 {
                return Err(beyond(BindingLimit::VolumeIops, need.iops.0, most as f64));
            }
        }
        if let ThroughputRule::ByIops(bands) = &self.kind.throughput {
            p.iops = self.least_in_iops_bands(bands, p.iops, need.throughput.0, most_iops)?;
        }
        self.settle(p, Some(need), most_iops)
    }

    /// The volume of `least` with what its throughput hangs on raised to `rung`.
    ///
    /// # Errors
    /// The limit that is then exceeded.
    pub fn raise(
        &self,
        least: VolumeProvision,
        rung: u64,
        most_iops: Option<u64>,
    ) -> Result<VolumeProvision, BeyondLimit> {
        let raised = match self.kind.throughput {
            ThroughputRule::Provisioned { .. } => VolumeProvision { mib_s: least.mib_s.max(rung), ..least },
            ThroughputRule::ByIops(_) => VolumeProvision { iops: least.iops.max(rung), ..least },
            ThroughputRule::BySize(_) | ThroughputRule::ByInstance => {
                VolumeProvision { gib: least.gib.max(rung), ..least }
            }
        };
        self.settle(raised, None, most_iops)
    }

    /// The rungs of what throughput hangs on: that of `least`, and the highest there is.
    pub fn rungs(&self, least: VolumeProvision, most_iops: Option<u64>) -> (u64, u64) {
        // Where only certain sizes are sold, the last of them is the largest.
        let sold = self.fixed_sizes.iter().map(|(size, _)| *size).filter(|size| *size <= self.kind.size.1).max();
        let gib = sold.unwrap_or(self.kind.size.1).0 >> 30;
        match self.kind.throughput {
            ThroughputRule::Provisioned { max, max_per_iops, .. } => {
                let by_iops = match self.kind.iops {
                    IopsRule::Provisioned { .. } => self.most_iops(most_iops) as f64 * max_per_iops.as_f64(),
                    _ => f64::INFINITY,
                };
                (least.mib_s, ((max.0.min(by_iops) / MIB).floor() as u64).max(least.mib_s))
            }
            ThroughputRule::ByIops(_) => (least.iops, self.most_iops(most_iops).max(least.iops)),
            ThroughputRule::BySize(_) | ThroughputRule::ByInstance => (least.gib, gib.max(least.gib)),
        }
    }

    /// The most I/Os a second that one volume of any size can be given.
    fn most_iops(&self, most: Option<u64>) -> u64 {
        match self.kind.iops {
            IopsRule::Provisioned { max, max_per_gib, .. } => {
                let by_size = max_per_gib.map_or(f64::INFINITY, |per| per * (self.kind.size.1.0 >> 30) as f64);
                (max.0.min(by_size).floor() as u64).min(most.unwrap_or(u64::MAX))
            }
            IopsRule::BySize { max, .. } => max.0 as u64,
            IopsRule::ByInstance => 0,
        }
    }

    fn least_in_iops_bands(
        &self,
        bands: &[catalog::IopsBand],
        iops: u64,
        throughput: f64,
        most_iops: Option<u64>,
    ) -> Result<u64, BeyondLimit> {
        let own = self.iops(VolumeProvision::default()).0;
        let most = self.most_iops(most_iops);
        let mut from = 0;
        for band in bands {
            let last = most.min(band.up_to.0 as u64);
            if throughput <= band.max.0 {
                let start = iops.max(from).max((throughput / band.per_io.as_f64()) as u64);
                let carries = |n: u64| band.per_io.as_f64() * (n as f64).max(own) >= throughput;
                // Rounding may leave the quotient one off.
                if let Some(n) = (start..=last).take(3).find(|n| carries(*n)) {
                    return Ok(if n as f64 <= own { 0 } else { n });
                }
            }
            from = band.up_to.0 as u64 + 1;
        }
        let best = bands.iter().map(|b| b.max.0.min(b.per_io.as_f64() * b.up_to.0.min(most as f64)));
        Err(beyond(BindingLimit::VolumeThroughput, throughput, best.fold(0.0, f64::max)))
    }

    /// Raises what the provisioned rates ask for, and the size to what the rates hang on.
    fn settle(
        &self,
        mut p: VolumeProvision,
        need: Option<VolumeNeed>,
        most_iops: Option<u64>,
    ) -> Result<VolumeProvision, BeyondLimit> {
        if let ThroughputRule::Provisioned { max_per_iops, .. } = self.kind.throughput {
            let throughput = self.throughput(p).0;
            let per = max_per_iops.as_f64();
            if p.mib_s > 0
                && self.iops(p).0 * per < throughput
                && matches!(self.kind.iops, IopsRule::Provisioned { .. })
            {
                let start = (throughput / per) as u64;
                p.iops = (start..).take(3).find(|n| *n as f64 * per >= throughput).unwrap_or(start + 1).max(p.iops);
            }
        }
        let (smallest, largest) = (self.kind.size.0.0.div_ceil(1 << 30), self.kind.size.1.0 >> 30);
        p.gib = p.gib.max(smallest);
        if let IopsRule::Provisioned { min, max_per_gib, .. } = self.kind.iops {
            let most = self.most_iops(most_iops);
            if p.iops > most {
                return Err(beyond(BindingLimit::VolumeIops, p.iops as f64, most as f64));
            }
            // A volume too small for even the default rate is not sold with it: gp3 has 3000 from 1 GiB on.
            if let Some(per) = max_per_gib.filter(|_| p.iops as f64 > min.0) {
                p.gib = from_guess(p.gib, p.iops as f64 / per, |gib| gib as f64 * per >= p.iops as f64);
            }
        }
        if let (IopsRule::BySize { base, per_gib, max, .. }, Some(need)) = (self.kind.iops, need) {
            if need.iops.0 > max.0 {
                return Err(beyond(BindingLimit::VolumeIops, need.iops.0, max.0));
            }
            if self.iops(p).0 < need.iops.0 {
                let guess = (need.iops.0 - base) / per_gib;
                p.gib = from_guess(p.gib, guess, |gib| self.iops(VolumeProvision { gib, ..p }).0 >= need.iops.0);
            }
        }
        if let (ThroughputRule::BySize(bands), Some(need)) = (&self.kind.throughput, need) {
            p.gib = self.least_in_size_bands(bands, p, need.throughput.0)?;
        }
        if !self.fixed_sizes.is_empty() {
            let fixed = self.fixed_sizes.iter().map(|(size, _)| size.0 >> 30).find(|gib| *gib >= p.gib);
            p.gib = fixed.unwrap_or(u64::MAX);
        }
        if p.gib > largest {
            Err(beyond(BindingLimit::Capacity, p.gib as f64 * GIB, largest as f64 * GIB))
        } else {
            Ok(p)
        }
    }

    fn least_in_size_bands(
        &self,
        bands: &[catalog::SizeBand],
        p: VolumeProvision,
        throughput: f64,
    ) -> Result<u64, BeyondLimit> {
        for (i, band) in bands.iter().enumerate() {
            let end = bands.get(i + 1).map_or(u64::MAX, |next| next.from.0.div_ceil(1 << 30));
            let start = p.gib.max(band.from.0.div_ceil(1 << 30));
            if throughput > band.max.0 || start >= end {
                continue;
            }
            let carries = |gib: u64| self.throughput(VolumeProvision { gib, ..p }).0 >= throughput;
            if carries(start) {
                return Ok(start);
            }
            if band.per_gib.0 > 0.0 {
                let gib = from_guess(start, (throughput - band.base.0) / band.per_gib.0, carries);
                if gib < end {
                    return Ok(gib);
                }
            }
        }
        Err(beyond(BindingLimit::VolumeThroughput, throughput, bands.iter().map(|b| b.max.0).fold(0.0, f64::max)))
    }
}

fn beyond(limit: BindingLimit, asked: f64, most: f64) -> BeyondLimit {
    BeyondLimit { limit, asked, most }
}

/// The least whole number from `floor` on that `holds`, which `guess` misses by rounding at most.
fn from_guess(floor: u64, guess: f64, holds: impl Fn(u64) -> bool) -> u64 {
    let start = floor.max((guess.ceil().max(1.0) as u64) - 1);
    (start..).take(3).find(|n| holds(*n)).unwrap_or(start + 2)
}
