//! Prometheus' text format, as far as the nodes write it: names, labels, values; no time stamps, no exemplars.

use std::collections::{BTreeMap, HashMap};

/// A line that is none of Prometheus' text format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no metric: `{text}`")]
pub struct ExpositionError {
    /// Its number, from 1.
    pub line: usize,
    /// It, at most 80 characters of it.
    pub text: String,
}

/// Label names and values.
type Labels = BTreeMap<String, String>;

/// What a node's `/metrics` told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetricsExposition(HashMap<String, Vec<(Labels, f64)>>);

impl MetricsExposition {
    /// Reads the text of `/metrics`.
    ///
    /// # Errors
    /// The first line that is no metric.
    pub fn parse(text: &str) -> Result<Self, ExpositionError> {
        Self::parse_only(text, |_| true)
    }

    /// Reads the metrics of the names that are `wanted`; of other lines the name alone.
    ///
    /// # Errors
    /// The first line that is no metric, as far as it is read.
    pub fn parse_only(text: &str, wanted: impl Fn(&str) -> bool) -> Result<Self, ExpositionError> {
        let mut all = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = || ExpositionError { line: index + 1, text: line.chars().take(80).collect() };
            let (name, rest) = name(line).ok_or_else(wrong)?;
            if wanted(name) {
                let told = labels_and_value(rest).ok_or_else(wrong)?;
                all.0.entry(name.to_owned()).or_default().push(told);
            }
        }
        Ok(all)
    }

    /// All values of a name with their labels, in the order they were told.
    pub fn each(&self, name: &str) -> impl Iterator<Item = (&BTreeMap<String, String>, f64)> {
        self.0.get(name).into_iter().flatten().map(|(labels, value)| (labels, *value))
    }

    /// All values of a name whose labels are as wanted.
    pub fn with<'a>(&'a self, name: &'a str, wanted: &'a [(&'a str, &'a str)]) -> impl Iterator<Item = f64> + 'a {
        let fits =
            move |labels: &Labels| wanted.iter().all(|(key, value)| labels.get(*key).is_some_and(|v| v == value));
        self.each(name).filter(move |(labels, _)| fits(labels)).map(|(_, value)| value)
    }

    /// The sum of what [`with`](Self::with) gives; `None` if that is nothing.
    pub fn sum(&self, name: &str, wanted: &[(&str, &str)]) -> Option<f64> {
        self.with(name, wanted).reduce(|one, other| one + other)
    }

    /// The largest of what [`with`](Self::with) gives.
    pub fn max(&self, name: &str, wanted: &[(&str, &str)]) -> Option<f64> {
        self.with(name, wanted).reduce(f64::max)
    }
}

/// A line's name, and what follows.
fn name(line: &str) -> Option<(&str, &str)> {
    let end = line.find(|c: char| c == '{' || c.is_ascii_whitespace())?;
    let (name, rest) = line.split_at(end);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    (!name.is_empty() && name.chars().all(plain)).then_some((name, rest))
}

fn labels_and_value(rest: &str) -> Option<(Labels, f64)> {
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Labels::new(), rest),
    };
    // A time stamp may follow.
    let value = rest.split_ascii_whitespace().next()?;
    Some((labels, value.parse().ok()?))
}

/// Labels up to the closing brace, and what follows.
fn labels(mut rest: &str) -> Option<(Labels, &str)> {
    let mut labels = Labels::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (key, after) = rest.split_once("=\"")?;
        let (value, after) = quoted(after)?;
        labels.insert(key.trim().to_owned(), value);
        rest = after;
    }
}

/// A value up to its closing quote, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_labels_and_values_are_read_and_comments_passed_over() {
        let text =
            "# HELP a of things\n# TYPE a counter\na{db=\"kv\",type=\"x\"} 3\na{db=\"raft\"} 4.5e1\n\nb 7 1700000\n";
        let metrics = MetricsExposition::parse(text).unwrap();
        assert_eq!(metrics.sum("a", &[]), Some(48.0));
        assert_eq!(metrics.sum("a", &[("db", "kv")]), Some(3.0));
        assert_eq!(metrics.max("a", &[]), Some(45.0));
        assert_eq!(metrics.sum("b", &[]), Some(7.0));
        assert_eq!(metrics.sum("a", &[("db", "none")]), None);
        assert_eq!(metrics.sum("c", &[]), None);
    }

    #[test]
    fn infinities_are_numbers() {
        let metrics = MetricsExposition::parse("a +Inf\nb -Inf\nc NaN").unwrap();
        assert_eq!(metrics.sum("a", &[]), Some(f64::INFINITY));
        assert_eq!(metrics.sum("b", &[]), Some(f64::NEG_INFINITY));
        assert!(metrics.sum("c", &[]).unwrap().is_nan());
    }

    #[test]
    fn a_line_that_is_no_metric_is_told_with_its_number() {
        for bad in ["<html>", "a", "a{", "a{x=\"1\" 3", "a{x=1} 3", "a x", "{x=\"1\"} 3"] {
            let error = MetricsExposition::parse(&format!("fine 1\n{bad}")).unwrap_err();
            assert_eq!((error.line, error.text.as_str()), (2, bad));
        }
    }

    #[test]
    fn only_what_is_wanted_is_read_and_of_other_lines_the_name() {
        let text = "a{db=\"kv\"} 3\nb{db=\"kv\"} 4\na 5\nb{db= nothing\n";
        let metrics = MetricsExposition::parse_only(text, |name| name == "a").unwrap();
        assert_eq!((metrics.sum("a", &[]), metrics.sum("b", &[])), (Some(8.0), None));
        assert_eq!(MetricsExposition::parse_only("a 1\n<html>", |_| false).unwrap_err().line, 2);
    }

    proptest! {
        #[test]
        fn any_label_reads_back(value in "[ -~µ\n]{0,20}", number in -1e9..1e9f64) {
            let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let metrics = MetricsExposition::parse(&format!("m{{le=\"1\",a=\"{escaped}\"}} {number}")).unwrap();
            let (labels, read) = metrics.each("m").next().unwrap();
            prop_assert_eq!(&labels["a"], &value);
            prop_assert_eq!(read, number);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = MetricsExposition::parse(&text);
        }
    }
}
