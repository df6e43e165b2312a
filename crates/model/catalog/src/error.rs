//! A fact that is not there, and what to ask for instead.

use crate::{Date, ManagedService};

/// A fact that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// No such name at all.
    #[error("no {what} is called `{name}`{suggestion}")]
    Unknown {
        /// "instance type", "disk type" or "region".
        what: &'static str,
        /// The name asked for.
        name: String,
        /// "; did you mean …?" or empty.
        suggestion: String,
    },
    /// The name is known, but only from a later day on.
    #[error("the {what} `{name}` is not yet there on {date}: the catalogue knows it from {since} on")]
    NotYet {
        /// "instance type" or "disk type".
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The day asked for.
        date: Date,
        /// The first day on which a source shows it.
        since: Date,
    },
    /// A service that does not sell a volume type.
    #[error("{service} has no storage of the type `{name}`: it has {sold}")]
    NotSoldBy {
        /// The name asked for.
        name: String,
        /// The service.
        service: ManagedService,
        /// What it sells.
        sold: String,
    },
    /// A volume type that only a service sells, on a machine.
    #[error(
        "`{name}` is storage of {service}, and {instance} is none of its classes: name `{said}`, or a class such as db.m5.large"
    )]
    OnlyOfService {
        /// The name asked for.
        name: String,
        /// The service.
        service: ManagedService,
        /// The machine.
        instance: String,
        /// The cloud's own type of that name.
        said: String,
    },
    /// The name is known, the fact is not.
    #[error("the catalogue has no {fact} for {subject}{when}")]
    Missing {
        /// Missing fact: "price", "EBS limits".
        fact: &'static str,
        /// Subject of the fact: "io2 in us-west-2".
        subject: String,
        /// " on 2020-11-30" or empty.
        when: String,
    },
}

impl CatalogError {
    /// An unknown name, with the closest of the known ones.
    pub(crate) fn unknown<'a>(what: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Unknown { what, name: name.to_owned(), suggestion: suggestion(name, known) }
    }

    /// A known name without the fact, on a day if one was asked for.
    pub(crate) fn missing(fact: &'static str, subject: String, date: Option<Date>) -> Self {
        Self::Missing { fact, subject, when: date.map(|d| format!(" on {d}")).unwrap_or_default() }
    }
}

/// At most three known names that a slip of the pen apart: one edit in three letters, at least two.
fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // Long texts are no slips, and the distance costs length × length.
    if name.len() > 64 {
        return String::new();
    }
    let within = (name.len() / 3).max(2);
    let mut close: Vec<_> = known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&name.to_lowercase(), &k.to_lowercase()), k))
        .filter(|(distance, _)| *distance <= within)
        .collect();
    close.sort_unstable();
    let best = close.first().map_or(0, |(distance, _)| *distance);
    let names: Vec<_> =
        close.iter().take_while(|(distance, _)| *distance == best).take(3).map(|(_, k)| format!("`{k}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [rest @ .., last] => format!("; did you mean {} or {last}?", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_answered_with_the_closest_names() {
        let known = ["gp2", "gp3", "io1", "m5.2xlarge", "m5.4xlarge"];
        assert_eq!(suggestion("gp4", known), "; did you mean `gp2` or `gp3`?");
        assert_eq!(suggestion("m5.2xlrage", known), "; did you mean `m5.2xlarge`?");
        assert_eq!(suggestion("IO1", known), "; did you mean `io1`?");
        assert_eq!(suggestion("floppy disk", known), "");
    }

    #[test]
    fn a_huge_name_costs_nothing() {
        assert_eq!(suggestion(&"x".repeat(1 << 20), ["gp2"]), "");
    }
}
