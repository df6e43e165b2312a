//! What a person fixes or rules out before the search.

use units::Usd;

use crate::market::{FLASH, Market};
use crate::rules::SurvivalRule;
use crate::space::SearchSpace;

/// Wishes besides the workload.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// Only this instance type.
    pub instance: Option<String>,
    /// Only so many storage nodes.
    pub nodes: Option<u32>,
    /// Data only on this disk type.
    pub disk: Option<String>,
    /// Disk types, families and instance types not to use.
    pub exclude: Vec<String>,
    /// The most that a month may cost.
    pub max_usd: Option<Usd>,
    /// How many plans to show.
    pub top: usize,
}

impl Default for PlanOptions {
    /// Everything allowed, five plans.
    fn default() -> Self {
        Self { instance: None, nodes: None, disk: None, exclude: Vec::new(), max_usd: None, top: 5 }
    }
}

/// Why there is nothing to plan with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// A pin without `=`, or of something that cannot be pinned.
    #[error("`{text}` is not a pin; write instance=m5.4xlarge, nodes=6 or disk=gp3")]
    NotAPin {
        /// What was written.
        text: String,
    },
    /// A name that is not for sale in the region.
    #[error("no {what} `{name}` is for sale in {region}{help}")]
    Unknown {
        /// "instance type", "disk type" or "disk type, family or instance type".
        what: &'static str,
        /// The name.
        name: String,
        /// The region.
        region: String,
        /// "; did you mean …", why it cannot be planned with, or empty.
        help: String,
    },
    /// A node count that the promise of availability rules out.
    #[error(
        "{nodes} nodes cannot survive what the workload asks for; choose from {least} to {most} nodes, the same number in each of {zones} zone(s)"
    )]
    Nodes {
        /// The count asked for.
        nodes: u32,
        /// Fewest.
        least: u32,
        /// Most.
        most: u32,
        /// Zones.
        zones: u32,
    },
    /// Pins and excludes leave nothing.
    #[error("nothing is left to choose from in {region}: the pins and excludes rule out every {what}")]
    Nothing {
        /// The region.
        region: String,
        /// "instance type" or "disk type".
        what: &'static str,
    },
    /// Nodes in several zones, and no price for the traffic between them.
    #[error(
        "the catalogue has no price of traffic between zones for {region}, and the workload asks for {zones} zones"
    )]
    NoTransferPrice {
        /// The region.
        region: String,
        /// Zones.
        zones: u32,
    },
    /// Whoever watched did not want to wait longer.
    #[error("planning was given up")]
    GivenUp,
}

impl PlanOptions {
    /// Adds a pin as people write it: `instance=m5.4xlarge`, `nodes=6` or `disk=gp3`.
    ///
    /// # Errors
    /// When the text is no pin.
    pub fn pin(&mut self, text: &str) -> Result<(), PlanError> {
        let not_a_pin = || PlanError::NotAPin { text: text.to_owned() };
        let (key, value) = text.split_once('=').ok_or_else(not_a_pin)?;
        match key.trim() {
            "instance" => self.instance = Some(value.trim().to_owned()),
            "disk" => self.disk = Some(value.trim().to_owned()),
            "nodes" => self.nodes = Some(value.trim().parse().map_err(|_| not_a_pin())?),
            _ => return Err(not_a_pin()),
        }
        Ok(())
    }
}

/// What is left of a market after pins and excludes, as indices into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) instances: Vec<usize>,
    pub(crate) nodes: Vec<u32>,
    /// Volume types for data.
    pub(crate) kinds: Vec<usize>,
    /// Volume types for logs.
    pub(crate) logs: Vec<usize>,
    pub(crate) flash_data: bool,
    pub(crate) flash_cache: bool,
}

impl Allowed {
    pub(crate) fn new(
        options: &PlanOptions,
        market: &Market,
        space: &SearchSpace,
        rule: &SurvivalRule,
    ) -> Result<Self, PlanError> {
        let names = Names(market);
        if let Some(name) = &options.instance {
            names.known("instance type", name, &[Names::instances])?;
        }
        if let Some(name) = &options.disk {
            names.known("disk type", name, &[Names::disks])?;
        }
        for name in &options.exclude {
            let what = "disk type, family or instance type";
            names.known(what, name, &[Names::disks, Names::families, Names::instances])?;
        }
        let excluded = |name: &str| options.exclude.iter().any(|e| e == name);
        let pinned = |pin: &Option<String>, name: &str| pin.as_ref().is_none_or(|p| p == name);
        let instances: Vec<usize> = (0..market.instances.len())
            .filter(|i| {
                let kind = &market.instances[*i].kind;
                !excluded(&kind.name) && !excluded(&kind.family) && pinned(&options.instance, &kind.name)
            })
            .collect();
        let logs: Vec<usize> = (0..market.volumes.len()).filter(|v| !excluded(&market.volumes[*v].kind.name)).collect();
        let kinds: Vec<usize> =
            logs.iter().copied().filter(|v| pinned(&options.disk, &market.volumes[*v].kind.name)).collect();
        let flash_cache = !excluded(FLASH);
        let flash_data = flash_cache && pinned(&options.disk, FLASH);
        let region = market.region.clone();
        if instances.is_empty() {
            return Err(PlanError::Nothing { region, what: "instance type" });
        }
        if kinds.is_empty() && !flash_data {
            return Err(PlanError::Nothing { region, what: "disk type" });
        }
        if rule.zones > 1 && market.transfer.is_none() {
            return Err(PlanError::NoTransferPrice { region, zones: rule.zones });
        }
        let counts = space.node_counts(rule);
        let nodes: Vec<u32> = counts.iter().copied().filter(|n| options.nodes.is_none_or(|pin| pin == *n)).collect();
        match (options.nodes, counts.first(), counts.last()) {
            (Some(asked), Some(&least), Some(&most)) if nodes.is_empty() => {
                Err(PlanError::Nodes { nodes: asked, least, most, zones: rule.zones })
            }
            _ => Ok(Self { instances, nodes, kinds, logs, flash_data, flash_cache }),
        }
    }
}

struct Names<'m>(&'m Market);

impl<'m> Names<'m> {
    fn instances(&self) -> Vec<&'m str> {
        self.0.instances.iter().map(|i| i.kind.name.as_str()).collect()
    }

    fn families(&self) -> Vec<&'m str> {
        self.0.instances.iter().map(|i| i.kind.family.as_str()).collect()
    }

    fn disks(&self) -> Vec<&'m str> {
        self.0.disks().collect()
    }

    fn known(&self, what: &'static str, name: &str, among: &[fn(&Self) -> Vec<&'m str>]) -> Result<(), PlanError> {
        let all: Vec<&str> = among.iter().flat_map(|list| list(self)).collect();
        if all.contains(&name) {
            return Ok(());
        }
        let missing = self.0.missing.iter().find(|m| m.name == name);
        let help = missing.map(|m| format!(": {}", m.fact)).or_else(|| {
            let nearest = textfile::suggest(name, all.iter().copied());
            nearest.map(|nearest| format!("; did you mean `{nearest}`?"))
        });
        let (name, region) = (name.to_owned(), self.0.region.clone());
        Err(PlanError::Unknown { what, name, region, help: help.unwrap_or_default() })
    }
}
