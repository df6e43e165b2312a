//! What people ask to go wrong with a disk, in words: `slow 20x for 60s`, `delay 50ms`, `detach`, `heal`.

use std::fmt;
use std::str::FromStr;

use units::{Nanos, Ratio};

use super::DiskFault;

/// Request of a person to a disk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RequestedRate {
    /// A fault, and for how long; [`Nanos::MAX`] is until healed or attached.
    Inject(DiskFault, Nanos),
    /// Ends all faults but detach and power-cut.
    Heal,
    /// Ends detach and power-cut.
    Attach,
    /// Burst credits become this share, 0 to 1, of the full bucket.
    Credits(f64),
}

/// Words that ask for nothing known; says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseWishError(String);

const NAMES: [&str; 10] =
    ["stall", "slow", "delay", "errors", "degrade", "detach", "power-cut", "attach", "heal", "credits"];

impl FromStr for RequestedRate {
    type Err = ParseWishError;

    fn from_str(text: &str) -> Result<Self, ParseWishError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        parse(&words).map_err(ParseWishError)
    }
}

impl fmt::Display for RequestedRate {
    /// The words that are read back as the same wish.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lasts = match self {
            Self::Heal => return f.write_str("heal"),
            Self::Attach => return f.write_str("attach"),
            Self::Credits(share) => return write!(f, "credits {}", percent(*share)),
            Self::Inject(DiskFault::Stall, lasts) => return write!(f, "stall {lasts}"),
            Self::Inject(DiskFault::Detach, _) => return f.write_str("detach"),
            Self::Inject(DiskFault::PowerCut, _) => return f.write_str("power-cut"),
            Self::Inject(DiskFault::Slow(k), lasts) => {
                write!(f, "slow {k}x")?;
                lasts
            }
            Self::Inject(DiskFault::Delay(by), lasts) => {
                write!(f, "delay {by}")?;
                lasts
            }
            Self::Inject(DiskFault::Errors(share), lasts) => {
                write!(f, "errors {}", percent(*share))?;
                lasts
            }
            Self::Inject(DiskFault::Degrade(share), lasts) => {
                write!(f, "degrade {}", percent(*share))?;
                lasts
            }
        };
        if *lasts == Nanos::MAX { Ok(()) } else { write!(f, " for {lasts}") }
    }
}

/// `40%`, without the dust of binary fractions.
fn percent(share: f64) -> String {
    format!("{}%", (share * 1e12).round() / 1e10)
}

fn parse(words: &[&str]) -> Result<RequestedRate, String> {
    let (name, rest) = words.split_first().ok_or("which? `stall 10s`, for example")?;
    let alone = |wish: RequestedRate| match rest {
        [] => Ok(wish),
        [more, ..] => Err(format!("nothing was expected after `{name}`, found `{more}`")),
    };
    match *name {
        "stall" => match rest {
            [span] | ["for", span] => Ok(RequestedRate::Inject(DiskFault::Stall, lasting(span)?)),
            _ => Err("expected how long, such as `stall 10s`".to_owned()),
        },
        "slow" => {
            amount(rest, "slow 20x for 60s", factor).map(|(k, lasts)| RequestedRate::Inject(DiskFault::Slow(k), lasts))
        }
        "delay" => amount(rest, "delay 50ms for 60s", lasting)
            .map(|(d, lasts)| RequestedRate::Inject(DiskFault::Delay(d), lasts)),
        "errors" => {
            amount(rest, "errors 1%", share).map(|(p, lasts)| RequestedRate::Inject(DiskFault::Errors(p), lasts))
        }
        "degrade" => match amount(rest, "degrade 40% for 5m", share)? {
            (0.0, _) => Err("0 % of the limits is a stall: expected a share over 0 %".to_owned()),
            (p, lasts) => Ok(RequestedRate::Inject(DiskFault::Degrade(p), lasts)),
        },
        "detach" => alone(RequestedRate::Inject(DiskFault::Detach, Nanos::MAX)),
        "power-cut" => alone(RequestedRate::Inject(DiskFault::PowerCut, Nanos::MAX)),
        "attach" => alone(RequestedRate::Attach),
        "heal" => alone(RequestedRate::Heal),
        "credits" => match rest {
            [text] => share(text).map(RequestedRate::Credits),
            _ => Err("expected a share of the full bucket, such as `credits 10%`".to_owned()),
        },
        other => Err(format!("no fault is called `{other}`: {}", textfile::did_you_mean(other, &NAMES))),
    }
}

/// `AMOUNT [for SPAN]`; without a span, until healed.
fn amount<T>(words: &[&str], example: &str, read: fn(&str) -> Result<T, String>) -> Result<(T, Nanos), String> {
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
    Ratio::share(text).map(|Ratio(share)| share).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(text: &str) -> Result<RequestedRate, String> {
        text.parse().map_err(|error: ParseWishError| error.to_string())
    }

    #[test]
    fn the_faults_of_the_manual_are_read() {
        assert_eq!(wish("stall 10s"), Ok(RequestedRate::Inject(DiskFault::Stall, Nanos::secs(10))));
        assert_eq!(wish("slow 20x for 60s"), Ok(RequestedRate::Inject(DiskFault::Slow(20.0), Nanos::secs(60))));
        assert_eq!(wish("delay 2ms"), Ok(RequestedRate::Inject(DiskFault::Delay(Nanos::millis(2)), Nanos::MAX)));
        assert_eq!(wish("errors 1%"), Ok(RequestedRate::Inject(DiskFault::Errors(0.01), Nanos::MAX)));
        assert_eq!(wish("degrade 40% for 5m"), Ok(RequestedRate::Inject(DiskFault::Degrade(0.4), Nanos::secs(300))));
        assert_eq!(wish("detach"), Ok(RequestedRate::Inject(DiskFault::Detach, Nanos::MAX)));
        assert_eq!(wish("power-cut"), Ok(RequestedRate::Inject(DiskFault::PowerCut, Nanos::MAX)));
        assert_eq!((wish("attach"), wish("heal")), (Ok(RequestedRate::Attach), Ok(RequestedRate::Heal)));
        assert_eq!(wish("credits 10%"), Ok(RequestedRate::Credits(0.1)));
    }

    #[test]
    fn a_wish_is_told_in_the_words_that_read_back_as_it() {
        for text in
            ["stall 10s", "slow 20x for 1m", "delay 2ms", "errors 1%", "degrade 40% for 5m", "detach", "power-cut"]
        {
            assert_eq!(wish(text).unwrap().to_string(), text);
        }
        for text in ["attach", "heal", "credits 10%"] {
            assert_eq!(wish(text).unwrap().to_string(), text);
        }
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
            ("delay", "expected `delay 50ms for 60s`"),
            ("errors 200%", "0 % to 100 %"),
            ("degrade 0%", "is a stall"),
            ("detach now", "nothing was expected after `detach`"),
        ] {
            let refused = wish(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
