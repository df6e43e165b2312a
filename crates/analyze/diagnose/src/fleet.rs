//! Many volumes, each with its findings: ranked by what is at risk and what could be saved.

use disk::Disk;
use serde::{Serialize, Serializer};
use units::Usd;

use crate::{Finding, FindingKind};

/// Volumes in the order in which they are to be looked at: what is wrong first, then what saves most.
#[derive(Debug, Serialize)]
pub struct DiagnosedFleet {
    /// What the remedies of volumes with nothing wrong would add to a month; negative, for they save.
    #[serde(rename = "monthly_usd_delta", serialize_with = "plain")]
    pub monthly: Usd,
    /// The volumes.
    pub volumes: Vec<FleetVolume>,
    /// How many have something wrong.
    pub wrong: usize,
}

/// One volume.
#[derive(Debug, Serialize)]
pub struct FleetVolume {
    /// The cloud's name of it.
    #[serde(rename = "volume")]
    pub id: String,
    /// The name that its owner gave it.
    pub name: Option<String>,
    /// The disk, as text.
    pub disk: String,
    /// The first finding, which weighs most.
    pub kind: FindingKind,
    /// What its remedy adds to a month.
    #[serde(rename = "monthly_usd_delta", serialize_with = "number")]
    pub monthly: Option<Usd>,
    /// Its remedy.
    #[serde(skip)]
    pub remedy: Option<String>,
    /// All findings; empty where only the first was wanted.
    pub verdicts: Vec<Finding>,
}

impl FleetVolume {
    /// A volume with its findings, the first of which counts; `None` without any. All are stored if `all`.
    pub fn new(id: String, name: Option<String>, disk: &Disk, verdicts: Vec<Finding>, all: bool) -> Option<Self> {
        let first = verdicts.first()?;
        Some(Self {
            id,
            name,
            disk: disk.to_string(),
            kind: first.kind,
            monthly: first.monthly,
            remedy: first.remedy.as_ref().map(|remedy| remedy.text.clone()),
            verdicts: if all { verdicts } else { Vec::new() },
        })
    }
}

impl DiagnosedFleet {
    /// Ranks the volumes.
    pub fn rank(mut volumes: Vec<FleetVolume>) -> Self {
        let price = |volume: &FleetVolume| volume.monthly.map_or(0.0, |usd| usd.0);
        volumes.sort_by(|a, b| {
            b.kind.is_wrong().cmp(&a.kind.is_wrong()).then(price(a).total_cmp(&price(b))).then(a.id.cmp(&b.id))
        });
        let wrong = volumes.iter().filter(|volume| volume.kind.is_wrong()).count();
        let fine = volumes.iter().filter(|volume| !volume.kind.is_wrong());
        let monthly = Usd(fine.map(|volume| price(volume).min(0.0)).sum());
        Self { monthly, volumes, wrong }
    }
}

fn plain<S: Serializer>(usd: &Usd, serializer: S) -> Result<S::Ok, S::Error> {
    usd.0.serialize(serializer)
}

fn number<S: Serializer>(usd: &Option<Usd>, serializer: S) -> Result<S::Ok, S::Error> {
    usd.map(|usd| usd.0).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_comes_first_then_what_saves_most() {
        let volume = |id: &str, kind, usd| FleetVolume {
            id: id.to_owned(),
            name: None,
            disk: "gp2:100GiB".to_owned(),
            kind,
            monthly: Some(Usd(usd)),
            remedy: None,
            verdicts: Vec::new(),
        };
        let fleet = DiagnosedFleet::rank(vec![
            volume("a", FindingKind::Healthy, 0.0),
            volume("b", FindingKind::OverProvisioned, -5.0),
            volume("c", FindingKind::OverProvisioned, -9.0),
            volume("d", FindingKind::VolumeIops, 20.0),
        ]);
        assert_eq!(fleet.volumes.iter().map(|volume| volume.id.as_str()).collect::<String>(), "dcba");
        assert_eq!((fleet.wrong, fleet.monthly), (1, Usd(-14.0)));
    }
}
