//! `diskwright --version`: the program, its commit, and how old its facts are.

use catalog::{Catalog, Date};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// The version of the package.
pub(crate) const PACKAGE: &str = env!("CARGO_PKG_VERSION");
/// The commit, as the build script found it.
const COMMIT: Option<&str> = option_env!("DISKWRIGHT_BUILT_FROM");
/// Its time in seconds since 1970.
const COMMITTED: Option<&str> = option_env!("DISKWRIGHT_BUILT_OF");

/// The program and the facts in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Version {
    commit: Option<&'static str>,
    date: Option<Date>,
    catalogue: Option<Date>,
    today: Date,
}

impl Version {
    /// The version of this program, with the catalogue's age as of now.
    pub(crate) fn now() -> Self {
        Self {
            commit: COMMIT,
            date: built(),
            catalogue: Catalog::embedded().newest(),
            today: Timestamp::now().to_zoned(TimeZone::UTC).date(),
        }
    }

    /// Days since the newest fact of the catalogue.
    fn age(&self) -> Option<i32> {
        self.catalogue.and_then(|day| self.today.since(day).ok()).map(|span| span.get_days())
    }

    /// The text: one line of the program, one of the catalogue.
    pub(crate) fn text(&self) -> String {
        let parts: Vec<String> =
            self.commit.map(str::to_owned).into_iter().chain(self.date.map(|date| date.to_string())).collect();
        let built = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" ")) };
        let mut text = format!("diskwright {PACKAGE}{built}\n");
        if let (Some(day), Some(age)) = (self.catalogue, self.age()) {
            let days = if age == 1 { "day" } else { "days" };
            text += &format!("catalogue of {day}, {age} {days} old\n");
        }
        text
    }

    /// The same as JSON.
    pub(crate) fn document(&self) -> Value {
        json!({
            "version": PACKAGE,
            "commit": self.commit,
            "date": self.date.map(|date| date.to_string()),
            "catalogue": self.catalogue.map(|date| date.to_string()),
            "catalogue_age_days": self.age(),
        })
    }
}

/// The day of the commit.
pub(crate) fn built() -> Option<Date> {
    let seconds = COMMITTED?.parse().ok()?;
    Some(Timestamp::from_second(seconds).ok()?.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        catalog::parse_date(text).unwrap()
    }

    #[test]
    fn the_version_tells_commit_date_and_age_of_the_catalogue() {
        let version = Version {
            commit: Some("0123456789ab"),
            date: Some(day("2026-11-27")),
            catalogue: Some(day("2026-11-20")),
            today: day("2026-11-28"),
        };
        let expected = format!("diskwright {PACKAGE} (0123456789ab 2026-11-27)\ncatalogue of 2026-11-20, 8 days old\n");
        assert_eq!(version.text(), expected);
        assert_eq!(version.document()["catalogue_age_days"], 8);
    }

    #[test]
    fn a_program_built_without_git_has_no_commit() {
        let version =
            Version { commit: None, date: None, catalogue: Some(day("2026-11-27")), today: day("2026-11-28") };
        assert_eq!(version.text(), format!("diskwright {PACKAGE}\ncatalogue of 2026-11-27, 1 day old\n"));
        assert_eq!(version.document()["commit"], Value::Null);
    }
}
