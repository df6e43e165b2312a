//! `diskwright diagnose cloudwatch` and `diagnose rds`: from an AWS account, where the program is built with its SDK.

use units::Nanos;

use super::given::Given;
use super::watch::Watch;
use crate::failure::Failure;
use crate::output::Output;

/// Which account, and how far back.
#[derive(Debug, clap::Args)]
pub(crate) struct Account {
    /// Time before now to read
    #[arg(long, value_name = "SPAN", default_value = "14d")]
    since: Nanos,
    /// Interval of the points [default: CloudWatch's]
    #[arg(long, value_name = "SPAN")]
    step: Option<Nanos>,
    /// Profile of ~/.aws/config
    #[arg(long)]
    profile: Option<String>,
    /// ARN of the role to assume
    #[arg(long, value_name = "ARN")]
    role: Option<String>,
    /// Endpoint in place of AWS's, for all services
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Allow plain HTTP to an endpoint beyond this machine, which exposes the credentials' token
    #[arg(long)]
    insecure: bool,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

/// Arguments of `diagnose cloudwatch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose cloudwatch --volume vol-0a1b2c3d --since 14d
  diskwright diagnose cloudwatch --all --since 14d --step 1h --region us-west-2
  diskwright diagnose cloudwatch --volume vol-0a1b2c3d --since 3h --watch=5m
  diskwright diagnose cloudwatch --policy > policy.json

--all is a table by volume of what is at risk and what could be saved. CloudWatch charges by the
series that are asked for, some twenty a volume; with --step 1h many volumes are read in minutes.
Only reads; --policy prints the least that IAM must allow.")]
pub(crate) struct Volumes {
    /// Volume
    #[arg(long, value_name = "ID", required_unless_present_any = ["all", "policy"])]
    volume: Option<String>,
    /// Diagnose every volume of the region
    #[arg(long, conflicts_with = "volume")]
    all: bool,
    /// Print the IAM policy that is needed
    #[arg(long, conflicts_with_all = ["volume", "all"])]
    policy: bool,
    #[command(flatten)]
    account: Account,
}

/// Arguments of `diagnose rds`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright diagnose rds orders-db --since 14d --region us-west-2")]
pub(crate) struct Database {
    /// Database instance
    name: String,
    #[command(flatten)]
    account: Account,
}

#[cfg(not(feature = "cloud"))]
mod asked {
    use super::*;

    /// Built without the SDK.
    pub(crate) fn without() -> Failure {
        Failure::environment("this diskwright was built without the AWS SDK: build it with `--features cloud`")
    }

    pub(crate) fn volumes(args: &Volumes, _json: bool) -> Result<Output, Failure> {
        let Volumes { volume: _, all: _, policy: _, account } = args;
        let Account { since: _, step: _, profile: _, role: _, endpoint: _, insecure: _, watch: _, given: _ } = account;
        Err(without())
    }

    pub(crate) fn database(args: &Database, _json: bool) -> Result<Output, Failure> {
        let Database { name: _, account: _ } = args;
        Err(without())
    }
}

#[cfg(feature = "cloud")]
mod asked {
    use std::ops::ControlFlow;

    use aws::{AwsOptions, AwsSession, InstanceFacts, MetricRange, VolumeFacts};
    use diagnose::{DiagnosedFleet, FleetVolume, KnownFacts, diagnose};
    use jiff::Timestamp;
    use report::verbs::fleet;

    use super::*;
    use crate::diagnose::watch::Asked;
    use crate::progress;

    impl Account {
        fn session(&self) -> Result<AwsSession, Failure> {
            Ok(AwsSession::new(&AwsOptions {
                profile: self.profile.clone(),
                region: self.given.region.clone(),
                endpoint: self.endpoint.clone(),
                role: self.role.clone(),
                insecure: self.insecure,
                ..AwsOptions::default()
            })?)
        }

        fn range(&self) -> Result<MetricRange, Failure> {
            let range = MetricRange::last(self.since, Timestamp::now())?;
            Ok(match self.step {
                Some(step) => range.in_steps_of(step)?,
                None => range,
            })
        }

        /// Facts of the command line, and the region for prices.
        fn known(&self, session: &AwsSession) -> Result<KnownFacts, Failure> {
            let mut known = self.given.known(None)?;
            known.region.get_or_insert_with(|| session.region().to_owned());
            Ok(known)
        }
    }

    /// Adds the facts of AWS about a volume; those of the command line take precedence.
    pub(crate) fn add(known: &mut KnownFacts, facts: &VolumeFacts) {
        known.learn_disk(&facts.id, &facts.disk);
        for attachment in &facts.attachments {
            let InstanceFacts { id, instance_type, .. } = &attachment.instance;
            known.learn_attachment(&facts.id, id, instance_type.as_deref());
        }
    }

    pub(crate) fn volumes(args: &Volumes, json: bool) -> Result<Output, Failure> {
        if args.policy {
            return Ok(Output::text(aws::policy()));
        }
        let account = &args.account;
        let session = account.session()?;
        let Some(id) = &args.volume else {
            if account.watch.is_on() {
                return Err(Failure::input("--watch is for one volume: name it with --volume"));
            }
            return every_volume(&session, account.range()?, &account.known(&session)?, account, json);
        };
        let ask = || {
            let (range, mut known) = (account.range()?, account.known(&session)?);
            let (timeline, facts) = progress::during("asking AWS", || session.volume(id, range))?;
            add(&mut known, &facts);
            Ok(Some(Asked { of: facts.id.clone(), timeline, known }))
        };
        account.watch.answer(ask, account.given.out.as_deref(), json)
    }

    /// Every volume by itself: memory does not grow with their number.
    fn every_volume(
        session: &AwsSession,
        range: MetricRange,
        given: &KnownFacts,
        account: &Account,
        json: bool,
    ) -> Result<Output, Failure> {
        if account.given.out.is_some() {
            return Err(Failure::input("--out is for one volume; of all, --json has every verdict"));
        }
        let look = |timeline, facts: VolumeFacts| {
            let mut known = given.clone();
            add(&mut known, &facts);
            FleetVolume::new(facts.id, facts.name, &facts.disk, diagnose(&timeline, &known), json)
        };
        let mut volumes = Vec::new();
        progress::during("asking AWS for every volume", || {
            session.each_volume(range, look, |row| {
                volumes.extend(row);
                ControlFlow::Continue(())
            })
        })?;
        let ranked = DiagnosedFleet::rank(volumes);
        let output = if json { Output::json(&ranked) } else { Output::text(fleet::text(&ranked)) };
        Ok(output.negative(ranked.wrong > 0))
    }

    pub(crate) fn database(args: &Database, json: bool) -> Result<Output, Failure> {
        let account = &args.account;
        let session = account.session()?;
        let ask = || {
            let (range, mut known) = (account.range()?, account.known(&session)?);
            let (timeline, facts) = progress::during("asking AWS", || session.db_instance(&args.name, range))?;
            if let Some(disk) = &facts.disk {
                known.learn_disk(&facts.id, disk);
            }
            // An instance of RDS is one of EC2 under another name.
            let kind = facts.class.strip_prefix("db.").unwrap_or(&facts.class);
            if known.instance.is_none() && known.view.instance(kind).is_ok() {
                known.instance = Some(kind.to_owned());
            }
            Ok(Some(Asked { of: facts.id.clone(), timeline, known }))
        };
        account.watch.answer(ask, account.given.out.as_deref(), json)
    }
}

#[cfg(feature = "cloud")]
pub(crate) use asked::add;
#[cfg(not(feature = "cloud"))]
pub(crate) use asked::without;
pub(super) use asked::{database, volumes};
