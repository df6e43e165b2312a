//! `diskwright fault`: something goes wrong with a mounted disk.

use std::path::PathBuf;

use disk::Fault;
use serde_json::json;
use units::{Nanos, Ratio};

use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// Arguments of `fault`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Faults:
  stall 10s              nothing starts for so long; what is in flight waits too
  slow 20x for 60s       every I/O takes 20 times as long
  errors 1% for 5m       this share of the I/Os ends with an error
  degrade 40% for 5m     this share of the limits is delivered
  detach                 the volume is gone until `attach`; what is in flight fails
  power-cut              what is in flight is lost, and what only a volatile cache held; it is gone
                         until `attach`
  attach                 ends detach and power-cut, and mounts the filesystem again
  heal                   ends all other faults
  credits 10%            burst credits become this share of the full bucket

Without `for`, slow, errors and degrade last until `heal`.

Examples:
  diskwright fault /mnt/tikv/raft stall 10s
  diskwright fault /mnt/tikv slow 20x for 60s
  diskwright fault /mnt/tikv power-cut && diskwright fault /mnt/tikv attach")]
pub(crate) struct Args {
    /// Where the disk is mounted
    dir: PathBuf,
    /// The fault, as below
    #[arg(required = true, num_args = 1.., value_name = "FAULT")]
    fault: Vec<String>,
}

/// What a person asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wish {
    Inject(Fault, Nanos),
    Heal,
    Attach,
    Credits(f64),
}

const FAULTS: [&str; 9] = ["stall", "slow", "errors", "degrade", "detach", "power-cut", "attach", "heal", "credits"];

pub(crate) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let words: Vec<&str> = args.fault.iter().flat_map(|word| word.split_whitespace()).collect();
    let wish = parse(&words).map_err(|why| Failure::input(format!("fault `{}`: {why}", words.join(" "))))?;
    let target = home::target(&args.dir)?;
    let (disk, client) = (&target.disk, &target.client);
    let mut notes = Vec::new();
    let (what, until) = match wish {
        Wish::Inject(fault, lasts) => {
            client.fault(&disk.name, fault, lasts)?;
            (words.join(" "), (lasts != Nanos::MAX).then_some(lasts))
        }
        Wish::Heal => {
            client.heal(&disk.name)?;
            ("healed".to_owned(), None)
        }
        Wish::Attach => {
            notes = client.attach(&disk.name)?;
            ("attached".to_owned(), None)
        }
        Wish::Credits(share) => {
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

/// Reads the words of a fault.
fn parse(words: &[&str]) -> Result<Wish, String> {
    let (name, rest) = words.split_first().ok_or("which? `stall 10s`, for example")?;
    let alone = |wish: Wish| match rest {
        [] => Ok(wish),
        [more, ..] => Err(format!("nothing was expected after `{name}`, found `{more}`")),
    };
    match *name {
        "stall" => match rest {
            [span] => Ok(Wish::Inject(Fault::Stall, lasting(span)?)),
            _ => Err("expected how long, such as `stall 10s`".to_owned()),
        },
        "slow" => amount(rest, "slow 20x for 60s", factor).map(|(k, lasts)| Wish::Inject(Fault::Slow(k), lasts)),
        "errors" => amount(rest, "errors 1%", share).map(|(p, lasts)| Wish::Inject(Fault::Errors(p), lasts)),
        "degrade" => match amount(rest, "degrade 40% for 5m", share)? {
            (0.0, _) => Err("0 % of the limits is a stall: expected a share over 0 %".to_owned()),
            (p, lasts) => Ok(Wish::Inject(Fault::Degrade(p), lasts)),
        },
        "detach" => alone(Wish::Inject(Fault::Detach, Nanos::MAX)),
        "power-cut" => alone(Wish::Inject(Fault::PowerCut, Nanos::MAX)),
        "attach" => alone(Wish::Attach),
        "heal" => alone(Wish::Heal),
        "credits" => match rest {
            [text] => share(text).map(Wish::Credits),
            _ => Err("expected a share of the full bucket, such as `credits 10%`".to_owned()),
        },
        other => Err(format!("no fault is called `{other}`: {}", input::did_you_mean(other, &FAULTS))),
    }
}

/// `AMOUNT [for SPAN]`; without a span, until healed.
fn amount(words: &[&str], example: &str, read: fn(&str) -> Result<f64, String>) -> Result<(f64, Nanos), String> {
    match words {
        [text] => Ok((read(text)?, Nanos::MAX)),
        [text, "for", span] => Ok((read(text)?, lasting(span)?)),
        _ => Err(format!("expected `{example}`")),
    }
}

fn lasting(text: &str) -> Result<Nanos, String> {
    match text.parse().map_err(|error: units::ParseError| error.to_string())? {
        Nanos(0) => Err("it would last no time: expected a span such as 10s".to_owned()),
        span => Ok(span),
    }
}

/// `20x`, at least 1.
fn factor(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix(['x', '×']).unwrap_or(text).parse::<f64>();
    let factor = number.ok().filter(|k| (1.0..=1e6).contains(k));
    factor.ok_or_else(|| format!("`{text}` is not a factor: expected one from 1x to 1000000x, such as `20x`"))
}

/// `40%`, from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    let Ratio(share) = text.parse().map_err(|error: units::ParseError| error.to_string())?;
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(format!("`{text}` is not a share: expected 0 % to 100 %"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Result<Wish, String> {
        parse(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn the_faults_of_the_manual_are_read() {
        assert_eq!(wish("stall 10s"), Ok(Wish::Inject(Fault::Stall, Nanos::secs(10))));
        assert_eq!(wish("slow 20x for 60s"), Ok(Wish::Inject(Fault::Slow(20.0), Nanos::secs(60))));
        assert_eq!(wish("errors 1%"), Ok(Wish::Inject(Fault::Errors(0.01), Nanos::MAX)));
        assert_eq!(wish("degrade 40% for 5m"), Ok(Wish::Inject(Fault::Degrade(0.4), Nanos::secs(300))));
        assert_eq!(wish("detach"), Ok(Wish::Inject(Fault::Detach, Nanos::MAX)));
        assert_eq!(wish("power-cut"), Ok(Wish::Inject(Fault::PowerCut, Nanos::MAX)));
        assert_eq!((wish("attach"), wish("heal")), (Ok(Wish::Attach), Ok(Wish::Heal)));
        assert_eq!(wish("credits 10%"), Ok(Wish::Credits(0.1)));
    }

    #[test]
    fn nonsense_is_refused_with_what_was_expected() {
        for (text, expected) in [
            ("stal 10s", "did you mean `stall`"),
            ("stall", "such as `stall 10s`"),
            ("stall 0s", "no time"),
            ("stall -1s", "time span"),
            ("slow 0.5x", "from 1x"),
            ("slow nanx", "not a factor"),
            ("slow 20x during 60s", "expected `slow 20x for 60s`"),
            ("errors 200%", "0 % to 100 %"),
            ("degrade 0%", "is a stall"),
            ("detach now", "nothing was expected after `detach`"),
        ] {
            let refused = wish(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
