//! Reads a disk's text; every refusal says where, what was expected and what to try.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use catalog::{Catalog, Cloud};
use units::{Bytes, BytesPerSec, Iops};

use crate::{Disk, Volume};

/// Why a text is not a disk, and where in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at byte {at})")]
pub struct ParseDiskError {
    /// Byte offset in the text.
    pub at: usize,
    /// Fault, expectation and advice.
    pub message: String,
}

/// No disk needs more, and errors quote the text.
const LONGEST: usize = 1024;
/// EC2's largest attachment limit on one instance.
const WIDEST_STRIPE: u32 = 128;
const EXAMPLE: &str = "`gp3:1000GiB,6000iops,250MiB/s`, `2x(gp2:1000GiB)` or `gp2:1000GiB+cache(nvme:200GiB)`";

/// Names that may stand for a kind, whatever the day: the catalogue's newest facts have all of them.
static KINDS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let view = Catalog::embedded().at(None);
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let sold = clouds.into_iter().flat_map(|cloud| view.volumes(cloud)).map(|kind| kind.name.clone());
    sold.chain([Volume::LOCAL, Volume::UNLIMITED].map(str::to_owned)).collect()
});

/// A cursor over the text.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, ParseDiskError> {
        if text.len() > LONGEST {
            let message = format!("a disk of {} bytes is too long: expected at most {LONGEST}", text.len());
            return Err(ParseDiskError { at: LONGEST, message });
        }
        Ok(Self { text, at: 0 })
    }

    /// `[N x "("] volume [")"] ["+cache(" volume ")"]`, to the end of the text.
    pub(crate) fn disk(mut self) -> Result<Disk, ParseDiskError> {
        let stripe = self.stripe()?;
        let volume = self.volume()?;
        if stripe.is_some() {
            self.expect(")", "the end of the stripe")?;
        }
        let cache = if self.eat("+") { Some(self.cache()?) } else { None };
        self.skip_space();
        if self.at < self.text.len() {
            return Err(self.error(format!("unexpected `{}` after the disk: expected its end", self.rest())));
        }
        Ok(Disk { stripe: stripe.unwrap_or(1), volume, cache })
    }

    /// The number of volumes, if the text begins as a stripe does.
    fn stripe(&mut self) -> Result<Option<u32>, ParseDiskError> {
        self.skip_space();
        let start = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() || !self.eat("x") {
            self.at = start;
            return Ok(None);
        }
        let count = digits.parse().ok().filter(|n| (1..=WIDEST_STRIPE).contains(n)).ok_or(ParseDiskError {
            at: start,
            message: format!(
                "a stripe of {digits} volumes is not possible: expected 1 to {WIDEST_STRIPE}, such as `2x(gp2:1000GiB)`"
            ),
        })?;
        self.expect("(", "the volume of the stripe, as in `2x(gp2:1000GiB)`")?;
        let inner = self.at;
        if self.stripe()?.is_some() {
            self.at = inner;
            return Err(self.error("a stripe in a stripe is not a disk: write the product of the two numbers".into()));
        }
        Ok(Some(count))
    }

    fn cache(&mut self) -> Result<Volume, ParseDiskError> {
        self.expect("cache", "`cache(nvme:SIZE)` after `+`")?;
        self.expect("(", "the cache's volume, as in `+cache(nvme:200GiB)`")?;
        self.skip_space();
        let start = self.at;
        let volume = self.volume()?;
        if !volume.is_local() {
            let message = format!(
                "a cache on `{}` is not supported: it lives on the instance's own flash, as in `+cache(nvme:200GiB)`",
                volume.kind
            );
            return Err(ParseDiskError { at: start, message });
        }
        if self.eat("+") {
            return Err(self.error("a cache in a cache is not a disk: name one cache".into()));
        }
        self.expect(")", "the end of the cache")?;
        Ok(volume)
    }

    fn volume(&mut self) -> Result<Volume, ParseDiskError> {
        let kind = self.kind()?;
        if !self.eat(":") {
            return Err(self.error(format!("`{kind}` has no size: expected `:` and one, such as `{kind}:1000GiB`")));
        }
        let (at, text) = self.item();
        let wrong = |why: String| ParseDiskError { at, message: why };
        if text.is_empty() {
            return Err(wrong(format!("`{kind}` has no size: expected one such as `{kind}:1000GiB`")));
        }
        if number_length(text) == text.len() {
            return Err(wrong(format!("the size `{text}` has no unit: write `{text}GiB`")));
        }
        let size: Bytes = text.parse().map_err(|e: units::ParseError| wrong(e.to_string()))?;
        if size == Bytes(0) {
            return Err(wrong(format!("`{kind}` has size zero: expected one such as `{kind}:1000GiB`")));
        }
        let mut volume = Volume { kind, size, iops: None, throughput: None };
        while self.eat(",") {
            self.rate(&mut volume)?;
        }
        Ok(volume)
    }

    fn kind(&mut self) -> Result<String, ParseDiskError> {
        self.skip_space();
        let at = self.at;
        let kind = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if KINDS.contains(kind) {
            return Ok(kind.to_owned());
        }
        let message = match kind {
            "" => format!("expected a kind of disk, as in {EXAMPLE}"),
            _ => format!("no kind of disk is called `{kind}`: {}", suggestion(kind)),
        };
        Err(ParseDiskError { at, message })
    }

    /// One rate; its unit tells which.
    fn rate(&mut self, volume: &mut Volume) -> Result<(), ParseDiskError> {
        const EXPECTED: &str = "expected an I/O rate such as `6000iops` or a throughput such as `250MiB/s`";
        let (at, text) = self.item();
        let wrong = |why: String| ParseDiskError { at, message: why };
        let unit = text[number_length(text)..].trim().to_ascii_lowercase();
        let twice = |what: &str| wrong(format!("the {what} is given twice: leave one of them out"));
        match unit.as_str() {
            "" => Err(wrong(format!("`{text}` is not a rate with a unit: {EXPECTED}"))),
            "iops" | "kiops" | "k" | "k iops" => {
                let rate = text.parse::<Iops>().map_err(|e| wrong(e.to_string()))?;
                if volume.iops.replace(rate).is_some() { Err(twice("I/O rate")) } else { Ok(()) }
            }
            _ => {
                let rate = text.parse::<BytesPerSec>().map_err(|e| wrong(format!("{e}; {EXPECTED}")))?;
                if volume.throughput.replace(rate).is_some() { Err(twice("throughput")) } else { Ok(()) }
            }
        }
    }

    /// The text up to the next separator, and where it begins.
    fn item(&mut self) -> (usize, &'a str) {
        self.skip_space();
        let at = self.at;
        (at, self.take_while(|c| !matches!(c, ',' | '+' | '(' | ')')).trim_end())
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str, what: &str) -> Result<(), ParseDiskError> {
        if self.eat(token) { Ok(()) } else { Err(self.error(format!("expected `{token}`: {what}"))) }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, message: String) -> ParseDiskError {
        ParseDiskError { at: self.at, message }
    }
}

/// How many leading bytes of `text` are digits, points and separators of a number.
fn number_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '-'))).unwrap_or(text.len())
}

/// The closest kinds, or all of them where none is close.
fn suggestion(kind: &str) -> String {
    let mut near: Vec<(f64, &str)> =
        KINDS.iter().map(|k| (strsim::jaro_winkler(k, &kind.to_lowercase()), k.as_str())).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let close: Vec<String> = near.iter().take(3).filter(|n| n.0 > 0.7).map(|n| format!("`{}`", n.1)).collect();
    match close.is_empty() {
        true => format!("known are {}", KINDS.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        false => format!("did you mean {}?", close.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(text: &str) -> ParseDiskError {
        text.parse::<Disk>().unwrap_err()
    }

    #[track_caller]
    fn assert_refused(text: &str, at: usize, words: &str) {
        let error = refused(text);
        assert!(error.message.contains(words), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
    }

    #[test]
    fn rates_may_come_in_any_order_with_spaces() {
        let disk: Disk = " gp3 : 1000 GiB , 250 MiB/s , 6k iops ".parse().unwrap();
        assert_eq!(disk, "gp3:1000GiB,6000iops,250MiB/s".parse().unwrap());
    }

    #[test]
    fn an_unknown_kind_suggests_the_closest() {
        assert_refused("gp33:100GiB", 0, "`gp3`");
        assert_refused("GP3:100GiB", 0, "`gp3`");
        assert_refused("2x(nvm:100GiB)", 3, "`nvme`");
        assert_refused("zzz:100GiB", 0, "known are");
        assert_refused("", 0, "expected a kind");
    }

    #[test]
    fn sizes_must_be_there_with_their_unit() {
        assert_refused("gp3", 3, "no size");
        assert_refused("gp3:,6000iops", 4, "no size");
        assert_refused("gp3:1000", 4, "`1000GiB`");
        assert_refused("gp3:1000GiBs", 4, "unknown unit `GiBs`");
        assert_refused("gp3:0GiB", 4, "size zero");
        assert_refused("gp3:-5GiB", 4, "out of range");
    }

    #[test]
    fn rates_must_have_a_known_unit_and_come_once() {
        assert_refused("gp3:1GiB,6000", 9, "is not a rate");
        assert_refused("gp3:1GiB,6000iops,7000iops", 18, "given twice");
        assert_refused("gp3:1GiB,125MiB/s,1GiB/s", 18, "given twice");
        assert_refused("gp3:1GiB,500GiB", 9, "expected an I/O rate");
        assert_refused("gp3:1GiB,", 9, "is not a rate");
    }

    #[test]
    fn stripes_are_of_some_volumes_and_one_level() {
        assert_refused("0x(gp2:1GiB)", 0, "1 to 128");
        assert_refused("129x(gp2:1GiB)", 0, "1 to 128");
        assert_refused("99999999999x(gp2:1GiB)", 0, "1 to 128");
        assert_refused("2x(2x(gp2:1GiB))", 3, "stripe in a stripe");
        assert_refused("2x(gp2:1GiB", 11, "expected `)`");
        assert_refused("2xgp2:1GiB", 2, "expected `(`");
    }

    #[test]
    fn caches_are_local_and_one_level() {
        assert_refused("gp2:1GiB+cache(gp3:1GiB)", 15, "own flash");
        assert_refused("gp2:1GiB+cache(nvme:1GiB+cache(nvme:1GiB))", 25, "cache in a cache");
        assert_refused("gp2:1GiB+nvme:1GiB", 9, "cache(nvme:SIZE)");
    }

    #[test]
    fn what_follows_the_disk_is_refused_and_so_is_a_very_long_text() {
        assert_refused("gp2:1GiB) or so", 8, "unexpected `) or so`");
        assert_refused(&"x".repeat(2000), 1024, "too long");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*", near in "[0-9x(]{0,4}(gp[23]|nvme)?[:,+() a-zA-Z0-9./µ-]{0,40}") {
            let _ = text.parse::<Disk>();
            if let Err(error) = near.parse::<Disk>() {
                prop_assert!(near.is_char_boundary(error.at));
            }
        }
    }
}
