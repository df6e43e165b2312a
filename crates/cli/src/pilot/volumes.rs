//! The volumes that `pilot run` looks after: of an AWS account, or mounted on this machine.

use std::path::PathBuf;
use std::sync::Arc;

use ::pilot::volumes::{
    FleetBridge, JsonLinesFile, LedgerStore, MemoryBook, MountedFleet, VolumeController, VolumeFleet,
};
use ::pilot::{Attention, Pilot, SystemClock};
use diagnose::KnownFacts;
use volume_control::VolumePolicy;

use super::reach::{Place, Reach};
use crate::disk::modify;
use crate::failure::Failure;
use crate::home;

/// Chance enters only where a prediction draws service times: any will do, and always the same.
const SEED: u64 = 1;

/// Lets a pilot see and change something more.
pub(crate) type Join = Box<dyn FnOnce(Pilot) -> Pilot>;

/// How an account is asked: what ends a wait, and whether secrets may leave this machine in the clear.
pub(crate) struct Account {
    #[cfg(feature = "cloud")]
    attention: Attention,
    #[cfg(feature = "cloud")]
    insecure: bool,
}

/// Volumes, and what may be done to them.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Volumes")]
pub(crate) struct Volumes {
    /// Manage an EBS volume: grow it, shrink it, convert it to gp3; may be repeated
    #[arg(long, value_name = "ID", conflicts_with = "mounted")]
    volume: Vec<String>,
    /// Manage the disks mounted on this machine at or below a folder
    #[arg(long, value_name = "DIR")]
    mounted: Option<PathBuf>,
    /// Speed up modifications of mounted disks by this factor
    #[arg(long, value_name = "FACTOR", default_value = "1x", value_parser = modify::factor, requires = "mounted")]
    fast_forward: f64,
    /// Policy for volumes, a TOML file: budget, window, quota; without it only changes that save are made
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Region of the volumes' prices [default: the deployment's, else the profile's]
    #[arg(long)]
    region: Option<String>,
    /// Profile of ~/.aws/config
    #[arg(long)]
    profile: Option<String>,
    /// ARN of the AWS role to assume
    #[arg(long, value_name = "ARN")]
    role: Option<String>,
    /// Endpoint in place of AWS's
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
}

impl Volumes {
    fn policy(&self) -> Result<VolumePolicy, Failure> {
        let Some(path) = &self.policy else { return Ok(VolumePolicy::default()) };
        let text = textfile::read_text(path, textfile::LIMIT)?;
        VolumePolicy::from_toml(text.content()).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
    }

    /// How the account is asked, where the cluster is reached so.
    #[cfg(feature = "cloud")]
    pub(crate) fn account(&self, reach: &Reach, attention: &Attention) -> Account {
        Account { attention: attention.clone(), insecure: reach.is_insecure() }
    }

    /// How the account is asked: not at all.
    #[cfg(not(feature = "cloud"))]
    pub(crate) fn account(&self, _: &Reach, _: &Attention) -> Account {
        Account {}
    }

    /// Lets a pilot see and change them, so that a change can be undone.
    pub(crate) fn reach(&self, account: &Account) -> Result<Option<Join>, Failure> {
        self.fleet(&mut KnownFacts::nothing(crate::inputs::view(None)), &VolumePolicy::default(), account)
    }

    /// Lets a pilot look after them, with the facts that are known. A pilot that only looks writes no ledger.
    pub(crate) fn tend(
        &self,
        mut known: KnownFacts,
        place: &Place,
        act: bool,
        account: &Account,
    ) -> Result<Option<Join>, Failure> {
        let policy = self.policy()?;
        let Some(join) = self.fleet(&mut known, &policy, account)? else {
            return match self.policy {
                Some(_) => Err(Failure::input("--policy is for volumes: name them with --volume or --mounted")),
                None => Ok(None),
            };
        };
        if known.region().is_none() {
            return Err(Failure::input("volumes are priced by region: give --region, or --on with a deployment"));
        }
        known.check().map_err(|error| Failure::input(error.to_string()))?;
        let kept = JsonLinesFile::of(&place.path());
        let book: Box<dyn LedgerStore> = if act {
            Box::new(kept)
        } else {
            let mut copy = MemoryBook::default();
            copy.save(&kept.load()?)?;
            Box::new(copy)
        };
        let resizer = VolumeController::new(policy, known, book, SEED)?;
        Ok(Some(Box::new(|pilot| join(pilot).controller(Box::new(resizer)))))
    }

    fn fleet(&self, known: &mut KnownFacts, policy: &VolumePolicy, account: &Account) -> Result<Option<Join>, Failure> {
        if let Some(region) = &self.region {
            known.region = Some(region.clone());
        }
        match &self.mounted {
            Some(dir) => {
                let home = home::home()?;
                let node = mount::find(&home, dir)?;
                known.instance = known.instance.take().or(node.instance);
                Ok(Some(joins(MountedFleet::new(home, dir, self.fast_forward), policy)))
            }
            None if self.volume.is_empty() => Ok(None),
            None => self.ebs(known, policy, account).map(Some),
        }
    }

    #[cfg(not(feature = "cloud"))]
    fn ebs(&self, _: &mut KnownFacts, _: &VolumePolicy, _: &Account) -> Result<Join, Failure> {
        let Self { profile: _, role: _, endpoint: _, .. } = self;
        Err(crate::diagnose::cloud::without())
    }

    /// The account that is named.
    #[cfg(feature = "cloud")]
    pub(crate) fn session(&self, account: &Account) -> Result<aws::AwsSession, Failure> {
        let options = aws::AwsOptions {
            profile: self.profile.clone(),
            region: self.region.clone(),
            endpoint: self.endpoint.clone(),
            role: self.role.clone(),
            insecure: account.insecure,
            patience: aws::CallTimeouts::SHORT,
            ..aws::AwsOptions::default()
        };
        Ok(aws::AwsSession::heeding(&options, account.attention.stop())?)
    }

    #[cfg(feature = "cloud")]
    fn ebs(&self, known: &mut KnownFacts, policy: &VolumePolicy, account: &Account) -> Result<Join, Failure> {
        let session = self.session(account)?;
        known.region = known.region.take().or_else(|| known.region().is_none().then(|| session.region().to_owned()));
        let facts = session.facts(&self.volume)?;
        if let Some(missing) = self.volume.iter().find(|id| facts.iter().all(|facts| facts.id != **id)) {
            let region = session.region();
            return Err(Failure::input(format!(
                "--volume {missing}: there is none in {region}; is it another region's?"
            )));
        }
        facts.iter().for_each(|facts| crate::diagnose::cloud::add(known, facts));
        let fleet = ::pilot::volumes::EbsFleet::new(session, Arc::new(SystemClock::new()), self.volume.clone());
        Ok(joins(fleet, policy))
    }
}

fn joins<F: VolumeFleet + 'static>(fleet: F, policy: &VolumePolicy) -> Join {
    let bridge = FleetBridge::new(fleet, Arc::new(SystemClock::new()), policy.window);
    Box::new(move |pilot| pilot.with_volumes(&bridge))
}
