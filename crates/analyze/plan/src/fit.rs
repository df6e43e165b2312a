//! Provisions a layout as cheaply as its targets allow.

use disk::VolumeProvision;
use engine::{NodeCapacity, OperationDemand};
use units::Usd;

use crate::constraint::{LayoutConstraint, LayoutShortfall};
use crate::ladder::{Ladder, cheapest_pair};
use crate::layout::{Body, Candidate, Data, Layout, Log, capacity, flash_capacity, volume_capacity};
use crate::market::{InstanceOffer, VolumeOffer};
use crate::needs;
use crate::problem::Problem;
use crate::rows::{Row, Variant};

/// A layout on its instance under a demand.
struct Fit<'a> {
    problem: &'a Problem<'a>,
    instance: &'a InstanceOffer,
    demand: &'a OperationDemand,
    layout: Layout,
}

/// The cheapest provisioning of a layout that meets all targets.
///
/// # Errors
/// What it cannot reach, whatever is provisioned.
pub(crate) fn provision(
    problem: &Problem<'_>,
    body: &Body,
    (row, variant): (&Row, &Variant),
    layout: Layout,
    cached: bool,
) -> Result<Candidate, LayoutShortfall> {
    let fit = Fit { problem, instance: &problem.market.instances[body.instance], demand: &variant.demand, layout };
    fit.attachments()?;
    needs::through_instance(problem, fit.instance, fit.demand, units(problem, layout))?;
    let (data, log) = fit.in_time(fit.least_data()?, fit.least_log()?)?;
    Ok(Candidate {
        layout,
        nodes: body.nodes,
        instance: body.instance,
        settings: row.settings(variant),
        ordinal: row.ordinal(variant),
        cached,
        data,
        log,
        compute: body.compute,
        disks: needs::disks(body.nodes, fit.volume_usd(data), fit.stripe(), fit.log_usd(log)),
        transfer: variant.transfer,
    })
}

/// Bytes that the disks of a layout count as one I/O, as [`needs::through_instance`] asks for them.
pub(crate) fn units(problem: &Problem<'_>, layout: Layout) -> (Option<f64>, Option<f64>) {
    let unit = |kind: usize| problem.market.volumes[kind].kind.io_unit.as_f64();
    let data = if let Data::Network { kind, .. } = layout.data { Some(unit(kind)) } else { None };
    let log = if let Log::Own(kind) = layout.log { Some(unit(kind)) } else { None };
    (data, log)
}

impl<'a> Fit<'a> {
    fn data(&self) -> Option<(usize, &'a VolumeOffer)> {
        let Data::Network { kind, .. } = self.layout.data else { return None };
        Some((kind, &self.problem.market.volumes[kind]))
    }

    fn log(&self) -> Option<(usize, &'a VolumeOffer)> {
        let Log::Own(kind) = self.layout.log else { return None };
        Some((kind, &self.problem.market.volumes[kind]))
    }

    fn stripe(&self) -> u32 {
        if let Data::Network { stripe, .. } = self.layout.data { stripe } else { 1 }
    }

    /// The most I/Os a second of one volume that the instance carries.
    fn most_iops(&self, offer: &VolumeOffer) -> Option<u64> {
        self.problem.space.most_iops(&offer.kind.name, self.instance.kind.nitro)
    }

    fn attachments(&self) -> Result<(), LayoutShortfall> {
        let data = self.data().map_or(0, |_| self.stripe());
        let asked = data + u32::from(self.log().is_some()) + self.problem.space.root_volumes;
        match self.instance.kind.max_volumes {
            Some(most) if asked > most => {
                let (asked, available) = (f64::from(asked), f64::from(most));
                Err(LayoutShortfall { constraint: LayoutConstraint::Attachments, asked, available })
            }
            _ => Ok(()),
        }
    }

    /// The least that the volumes of the data disk must be given before latency is looked at; nothing is given to flash.
    fn least_data(&self) -> Result<VolumeProvision, LayoutShortfall> {
        let shared = self.layout.log == Log::Shared;
        match (self.data(), &self.instance.flash) {
            (Some((kind, offer)), _) => {
                needs::least_data(self.problem, self.demand, kind, self.stripe(), shared, self.most_iops(offer))
            }
            (None, Some(flash)) => {
                needs::on_flash(self.problem, flash, self.demand, shared).map(|()| VolumeProvision::default())
            }
            (None, None) => unreachable!("data on flash only where there is some"),
        }
    }

    /// The least that the log's own volume must be given, if it has one.
    fn least_log(&self) -> Result<VolumeProvision, LayoutShortfall> {
        let least = |(kind, offer)| needs::least_log(self.problem, self.demand, kind, self.most_iops(offer));
        self.log().map_or(Ok(VolumeProvision::default()), least)
    }

    /// Price of one volume of the data disk.
    fn volume_usd(&self, data: VolumeProvision) -> Usd {
        self.data().map_or(Usd(0.0), |(_, offer)| offer.monthly(data))
    }

    fn log_usd(&self, log: VolumeProvision) -> Usd {
        self.log().map_or(Usd(0.0), |(_, offer)| offer.monthly(log))
    }

    fn capacity(&self, data: VolumeProvision, log: VolumeProvision) -> NodeCapacity {
        let on = match self.data() {
            None => flash_capacity(self.instance, self.demand, self.layout.log),
            Some((_, offer)) => volume_capacity(offer, data, self.stripe()),
        };
        capacity(self.instance, on, self.log().map(|(_, offer)| volume_capacity(offer, log, 1)))
    }

    /// What is raised over the least, as cheaply as can be, so that latency is short enough.
    fn in_time(
        &self,
        data: VolumeProvision,
        log: VolumeProvision,
    ) -> Result<(VolumeProvision, VolumeProvision), LayoutShortfall> {
        let late = |data: VolumeProvision, log: VolumeProvision| {
            let latency = self.problem.model.latency(self.demand, &self.capacity(data, log), self.problem.rate());
            self.problem.late(self.demand, latency)
        };
        if late(data, log).is_none() {
            return Ok((data, log));
        }
        let raised = |disk: Option<(usize, &VolumeOffer)>, least: VolumeProvision, rung: u64| {
            disk.and_then(|(_, offer)| offer.raise(least, rung, self.most_iops(offer)).ok()).unwrap_or(least)
        };
        let rungs = |disk: Option<(usize, &VolumeOffer)>, least: VolumeProvision| {
            disk.map_or((0, 0), |(_, offer)| offer.rungs(least, self.most_iops(offer)))
        };
        let (data_at, log_at) = (|rung| raised(self.data(), data, rung), |rung| raised(self.log(), log, rung));
        let (data_rungs, log_rungs) = (rungs(self.data(), data), rungs(self.log(), log));
        if let Some(short) = late(data_at(data_rungs.1), log_at(log_rungs.1)) {
            return Err(short);
        }
        let data_usd = |rung| self.volume_usd(data_at(rung)) * f64::from(self.stripe());
        let log_usd = |rung| self.log_usd(log_at(rung));
        let data_ladder = Ladder { low: data_rungs.0, high: data_rungs.1, price: &data_usd };
        let log_ladder = Ladder { low: log_rungs.0, high: log_rungs.1, price: &log_usd };
        let pair = cheapest_pair(&data_ladder, &log_ladder, |data, log| late(data_at(data), log_at(log)).is_none());
        Ok(pair.map_or((data, log), |(data, log)| (data_at(data), log_at(log))))
    }
}
