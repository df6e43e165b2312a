//! Times as programs print them: ISO 8601, and the dates of the locales that iostat and CloudWatch's console use.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// A date whose first two numbers may be month and day or day and month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Known(Timestamp),
    /// In the clock of where it was printed.
    Local(DateTime),
    /// `11/21/26`: the two numbers as written, the year, the time.
    Slashed(i8, i8, i16, Time),
}

/// Reads all stamps of one source alike; `None` for what is no stamp. Those without a zone are of `zone`. Between
/// month/day and day/month the first stamp decides that can be only one of them; without one it is month/day, as the C locale
/// writes it.
pub(crate) fn read_all<'s>(stamps: impl Iterator<Item = Option<&'s str>>, zone: Offset) -> Vec<Option<Timestamp>> {
    let written: Vec<Option<Written>> = stamps.map(|stamp| stamp.and_then(written)).collect();
    let day_first = written.iter().flatten().any(|stamp| matches!(stamp, Written::Slashed(first, ..) if *first > 12));
    let instant = |stamp: Written| {
        let local = match stamp {
            Written::Known(instant) => return Some(instant),
            Written::Local(local) => local,
            Written::Slashed(first, second, year, time) => {
                let (month, day) = if day_first { (second, first) } else { (first, second) };
                Date::new(year, month, day).ok()?.to_datetime(time)
            }
        };
        zone.to_timestamp(local).ok()
    };
    written.into_iter().map(|stamp| stamp.and_then(instant)).collect()
}

/// One stamp on its own.
pub(crate) fn read(stamp: &str, zone: Offset) -> Option<Timestamp> {
    read_all([Some(stamp)].into_iter(), zone).pop().flatten()
}

/// An instant from seconds or milliseconds since 1970: as many of the former are later than 2001 and of the latter than 1973.
pub(crate) fn epoch(number: f64) -> Option<Timestamp> {
    let seconds = match number {
        _ if (1e9..1e11).contains(&number) => number,
        _ if (1e11..1e14).contains(&number) => number / 1e3,
        _ => return None,
    };
    Timestamp::from_nanosecond((seconds * 1e9) as i128).ok()
}

/// A stamp in a line that holds nothing else, whatever frames it: `==== 2026-11-21 19:40:35 ====`, `# 1795290035`, and what `date`
/// prints.
pub(crate) fn found(line: &str, zone: Offset) -> Option<Timestamp> {
    let bare =
        line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '=' | '#' | '-' | '*' | '>' | '[' | ']' | '"'));
    if bare.len() < 8 || bare.len() > 60 || !bare.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let bare = ["date:", "time:", "timestamp:", "ts", "zzz"]
        .into_iter()
        .find_map(|word| {
            bare.get(..word.len()).filter(|begin| begin.eq_ignore_ascii_case(word)).map(|_| &bare[word.len()..])
        })
        .unwrap_or(bare)
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':' | '*'));
    read(bare, zone).or_else(|| dated(bare, zone))
}

/// Names of the months as `date` prints them in the C locale.
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `Sat Nov 28 22:11:37 UTC 2026` and `Sat 28 Nov 2026 10:11:37 PM UTC`. Zones other than UTC and GMT are taken for `zone`.
fn dated(text: &str, zone: Offset) -> Option<Timestamp> {
    let (mut month, mut day, mut year, mut time, mut half) = (None, None, None, None, None);
    let mut is_utc = false;
    for word in text.split_whitespace() {
        let word = word.trim_end_matches(',');
        let named = MONTHS.iter().position(|name| word.get(..3).is_some_and(|begin| begin.eq_ignore_ascii_case(name)));
        match word {
            "AM" | "PM" | "am" | "pm" => half = Some(word),
            "UTC" | "GMT" | "Z" => is_utc = true,
            _ if word.contains(':') => time = time.or(Some(word)),
            _ => match (word.parse::<i16>().ok(), named) {
                (Some(number @ 1..=31), _) if day.is_none() => day = i8::try_from(number).ok(),
                (Some(number @ 1970..), _) => year = Some(number),
                (None, Some(index)) => month = i8::try_from(index + 1).ok(),
                _ => {}
            },
        }
    }
    let time = clock(&format!("{} {}", time?, half.unwrap_or_default()))?;
    let local = Date::new(year?, month?, day?).ok()?.to_datetime(time);
    if is_utc { Offset::UTC } else { zone }.to_timestamp(local).ok()
}

fn written(stamp: &str) -> Option<Written> {
    let stamp = stamp.trim();
    let is_number = stamp.len() >= 10 && stamp.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if let Some(instant) = stamp.parse().ok().filter(|_| is_number).and_then(epoch) {
        return Some(Written::Known(instant));
    }
    if let Ok(instant) = stamp.parse::<Timestamp>() {
        return Some(Written::Known(instant));
    }
    // `date` and sysstat write the zone without a colon, which the parser above takes only with a `T`.
    let (date, time) = stamp.split_once(['T', ' '])?;
    if date.len() == 10 && date.as_bytes()[4] == b'-' {
        return Some(Written::Local(date.parse::<Date>().ok()?.to_datetime(clock(time)?)));
    }
    let separator = ['/', '.', '-'].into_iter().find(|separator| date.contains(*separator))?;
    let mut numbers = date.split(separator).map(str::parse::<i16>);
    let [Some(Ok(first)), Some(Ok(second)), Some(Ok(third)), None] =
        [numbers.next(), numbers.next(), numbers.next(), numbers.next()]
    else {
        return None;
    };
    let time = clock(time)?;
    if first > 31 {
        let date = Date::new(first, i8::try_from(second).ok()?, i8::try_from(third).ok()?).ok()?;
        return Some(Written::Local(date.to_datetime(time)));
    }
    // Two digits are of this century: sysstat is younger than the last one's end.
    let year = if third < 100 { third.checked_add(2000)? } else { third };
    let (first, second) = (i8::try_from(first).ok()?, i8::try_from(second).ok()?);
    if separator == '/' {
        return Some(Written::Slashed(first, second, year, time));
    }
    Some(Written::Local(Date::new(year, second, first).ok()?.to_datetime(time)))
}

/// `19:40`, `19:40:35.5`, `07:40:35 PM`.
fn clock(text: &str) -> Option<Time> {
    let mut words = text.split_whitespace();
    let (digits, half) = (words.next()?, words.next());
    let time: Time = digits.parse().ok()?;
    let hour = match (half, time.hour()) {
        (None, hour) => hour,
        (Some("AM" | "am"), hour @ 1..=12) => hour % 12,
        (Some("PM" | "pm"), hour @ 1..=12) => hour % 12 + 12,
        _ => return None,
    };
    Time::new(hour, time.minute(), time.second(), time.subsec_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utc(stamp: &str) -> Option<String> {
        read(stamp, Offset::UTC).map(|instant| instant.to_string())
    }

    #[test]
    fn the_forms_of_iostat_and_the_console_are_read() {
        let forms = [
            "2026-11-21T19:40:35Z",
            "2026-11-21T19:40:35+0000",
            "2026-11-21T20:40:35+01:00",
            "2026-11-21 19:40:35",
            "2026/11/21 19:40:35",
            "11/21/26 19:40:35",
            "11/21/2026 07:40:35 PM",
            "21/11/26 19:40:35",
            "21.11.2026 19:40:35",
        ];
        for form in forms {
            assert_eq!(utc(form).as_deref(), Some("2026-11-21T19:40:35Z"), "{form}");
        }
        assert_eq!(utc("11/21/26 12:00:00 AM").unwrap(), "2026-11-21T00:00:00Z");
        for none in ["", "11/21/26", "nonsense", "31/31/26 19:40:35", "11/21/26 19:40:35 XM", "1.2 3"] {
            assert_eq!(utc(none), None, "{none}");
        }
    }

    #[test]
    fn a_line_that_frames_a_stamp_tells_it() {
        let forms = [
            "=== 2026-11-21 19:40:35 ===",
            "# 1795290035",
            "1795290035.25",
            "1795290035000",
            "Sat Nov 21 19:40:35 UTC 2026",
            "Sat Nov 21 07:40:35 PM GMT 2026",
            "Sat 21 Nov 2026 07:40:35 PM UTC",
            "date: 2026-11-21T19:40:35Z",
            "zzz ***Sat Nov 21 19:40:35 UTC 2026",
        ];
        for form in forms {
            let second = found(form, Offset::UTC).map(|instant| instant.as_second());
            assert_eq!(second, Some(1_795_290_035), "{form}");
        }
        for none in ["", "8 0 sda 1 2 3", "Total Ops:", "Read: 1795290035", "-----------"] {
            assert_eq!(found(none, Offset::UTC), None, "{none}");
        }
    }

    #[test]
    fn a_day_over_twelve_says_what_the_others_are() {
        let read = read_all([Some("05/11/26 00:00:00"), None, Some("13/11/26 00:00:00")].into_iter(), Offset::UTC);
        assert_eq!(read[0].unwrap().to_string(), "2026-11-05T00:00:00Z");
        assert_eq!(read[1], None);
    }

    #[test]
    fn a_stamp_without_zone_is_of_the_given_one() {
        assert_eq!(read("11/21/26 19:40:35", Offset::constant(2)).unwrap().to_string(), "2026-11-21T17:40:35Z");
    }

    proptest! {
        #[test]
        fn any_instant_reads_back(second in 946_684_800i64..4_000_000_000) {
            let instant = Timestamp::from_second(second).unwrap();
            let local = Offset::UTC.to_datetime(instant);
            for format in ["%Y/%m/%d %H:%M:%S", "%d.%m.%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S"] {
                prop_assert_eq!(read(&local.strftime(format).to_string(), Offset::UTC), Some(instant));
            }
        }

        #[test]
        fn any_text_is_a_time_or_none(text in ".{0,40}") {
            let _ = read(&text, Offset::UTC);
        }
    }
}
