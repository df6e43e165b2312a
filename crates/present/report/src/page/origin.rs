//! Where a page comes from: the command, the program, and the days of its prices.

use catalog::{CatalogView, Date};
use deployment::Deployment;

use crate::words;

/// Command, program and catalogue of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageOrigin {
    /// The command line, quoted for a shell; empty where a program made the page.
    pub command: String,
    /// Name and version of the program.
    pub program: String,
    /// The day on which the page was made.
    pub made: Option<Date>,
    /// The day whose limits and prices were asked for; `None` for the newest.
    pub as_of: Option<Date>,
    /// The days of the prices that were used; `None` where none was.
    pub prices: Option<PriceDates>,
}

/// The days on which prices of a region were seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceDates {
    /// The region.
    pub region: String,
    /// The day of the oldest.
    pub oldest: Date,
    /// The day of the newest.
    pub newest: Date,
}

impl PriceDates {
    /// The days of the prices of all machines and volumes of `deployments`; `None` where no price is known.
    pub fn of<'a>(view: &CatalogView, deployments: impl IntoIterator<Item = &'a Deployment>) -> Option<Self> {
        let each = deployments.into_iter().filter_map(|deployment| {
            let region = deployment.region.as_str();
            let machines = deployment.nodes.iter().filter_map(|group| {
                view.instance_price_provenance(region, &group.instance).ok().map(|provenance| provenance.as_of)
            });
            let disks = deployment.nodes.iter().flat_map(deployment::NodeGroup::disks);
            let volumes = Self::of_volumes(view, region, disks.map(|(_, disk)| disk.volume.kind.as_str()));
            machines.map(|day| Self::on(region, day)).chain(volumes).reduce(Self::and)
        });
        each.reduce(Self::and)
    }

    /// The days of the prices of kinds of volumes in a region; `None` where no price is known.
    pub fn of_volumes<'a>(view: &CatalogView, region: &str, kinds: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let days = kinds.into_iter().filter_map(|kind| Some(view.volume_price(region, kind).ok()?.provenance.as_of));
        days.map(|day| Self::on(region, day)).reduce(Self::and)
    }

    fn on(region: &str, day: Date) -> Self {
        Self { region: region.to_owned(), oldest: day, newest: day }
    }

    fn and(self, other: Self) -> Self {
        Self { oldest: self.oldest.min(other.oldest), newest: self.newest.max(other.newest), ..self }
    }
}

impl PageOrigin {
    /// Sentences about the catalogue: the days of the prices, and how old they were when the page was made.
    pub(crate) fn catalogue(&self) -> Option<String> {
        let prices = self.prices.as_ref()?;
        let days = if prices.oldest == prices.newest {
            format!("seen on {}", prices.newest)
        } else {
            format!("seen from {} to {}", prices.oldest, prices.newest)
        };
        let asked = self.as_of.map_or_else(String::new, |day| format!("; asked for as of {day}"));
        let age = self.made.and_then(|made| age(prices, made));
        Some(format!("List prices of {}, {days}{asked}.{}", prices.region, age.unwrap_or_default()))
    }
}

/// The ages of the newest and the oldest price on the day of the page.
fn age(prices: &PriceDates, made: Date) -> Option<String> {
    let days = |seen: Date| made.since(seen).ok().map(|span| span.get_days()).filter(|days| *days >= 0);
    let (newest, oldest) = (days(prices.newest)?, days(prices.oldest)?);
    let oldest =
        if oldest == newest { String::new() } else { format!(", the oldest {}", words::grouped(f64::from(oldest), 0)) };
    Some(format!(" When this page was made the newest was {newest} days old{oldest}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_price_is_told_in_days() {
        let day = |text: &str| catalog::parse_date(text).unwrap();
        let prices = PriceDates { region: "us-west-2".into(), oldest: day("2026-10-01"), newest: day("2026-11-01") };
        let origin = PageOrigin { made: Some(day("2026-11-28")), prices: Some(prices), ..PageOrigin::default() };
        assert_eq!(
            origin.catalogue().unwrap(),
            "List prices of us-west-2, seen from 2026-10-01 to 2026-11-01. When this page was made the newest was 27 days \
             old, the oldest 58."
        );
    }
}
