//! `diskwright disk fault`: something goes wrong with a mounted disk.

use std::path::PathBuf;

use disk::RequestedRate;
use serde_json::json;
use units::Nanos;

use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `disk fault`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Faults:
  stall 10s              nothing starts for this time; requests in flight wait too
  slow 20x for 60s       every I/O takes 20 times as long
  delay 50ms for 60s     every I/O takes 50 ms longer
  errors 1% for 5m       this share of the I/Os fails
  degrade 40% for 5m     this share of the limits is delivered
  detach                 the volume is gone until `attach`; what is in flight fails
  power-cut              what is in flight is lost, and what only a volatile cache held; it is gone
                         until `attach`
  attach                 ends detach and power-cut, and mounts the filesystem again
  heal                   ends all other faults
  credits 10%            burst credits become this share of the full bucket

Without `for`, slow, delay, errors and degrade last until `heal`.

Examples:
  diskwright disk fault /mnt/tikv/raft stall 10s
  diskwright disk fault /mnt/tikv slow 20x for 60s
  diskwright disk fault /mnt/tikv power-cut && diskwright disk fault /mnt/tikv attach")]
pub(crate) struct Args {
    /// Mount point of the disk
    dir: PathBuf,
    /// Fault, as below
    #[arg(required = true, num_args = 1.., value_name = "FAULT")]
    fault: Vec<String>,
}

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let words = args.fault.join(" ");
    let requested: RequestedRate = words.parse().map_err(|why| Failure::input(format!("fault `{words}`: {why}")))?;
    let target = home::target(&args.dir)?;
    let (disk, client) = (&target.disk, &target.client);
    let mut notes = Vec::new();
    let (what, until) = match requested {
        RequestedRate::Inject(fault, lasts) => {
            client.fault(&disk.name, fault, lasts)?;
            (words, (lasts != Nanos::MAX).then_some(lasts))
        }
        RequestedRate::Heal => {
            client.heal(&disk.name)?;
            ("healed".to_owned(), None)
        }
        RequestedRate::Attach => {
            notes = client.attach(&disk.name)?;
            ("attached".to_owned(), None)
        }
        RequestedRate::Credits(share) => {
            client.set_credits(Some(&disk.name), share)?;
            (format!("burst credits at {:.0} %", share * 100.0), None)
        }
    };
    if json {
        let seconds = until.map(Nanos::as_secs_f64);
        return Ok(Output::json(&json!({
            "at": disk.at, "name": disk.name, "fault": what, "lasts_s": seconds, "notes": notes
        })));
    }
    let mut text = format!("{}: {what}\n", disk.at.display());
    for note in notes {
        text += &format!("{note}\n");
    }
    Ok(Output::text(text))
}
