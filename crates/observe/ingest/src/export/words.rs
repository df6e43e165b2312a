//! Names that people gave columns, understood by their words: `db write iops`, `orders burst balance`.

use timeline::{SeriesSpec, vocabulary};

/// Words of which all must be in a name, any of which one word of the name begins with, and the series that it is then. Quantities
/// whose unit a name leaves open, such as latencies and throughputs, are not understood.
const ROWS: [(&[&[&str]], SeriesSpec); 4] = [
    (&[&["read"], &["iops", "io/s", "ops/s", "reads/s"]], vocabulary::READ_IOPS),
    (&[&["write"], &["iops", "io/s", "ops/s", "writes/s"]], vocabulary::WRITE_IOPS),
    (&[&["burst"]], vocabulary::IO_BALANCE),
    (&[&["queue"]], vocabulary::QUEUE_DEPTH),
];

/// The series that a name is taken for; `None` where its words do not tell, or tell of several.
pub(super) fn guess(name: &[String]) -> Option<SeriesSpec> {
    let words: Vec<String> = name
        .iter()
        .flat_map(|word| word.split(|c: char| !(c.is_alphanumeric() || c == '/')))
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty())
        .collect();
    let has = |any: &&[&str]| words.iter().any(|word| any.iter().any(|begin| word.starts_with(begin)));
    let mut fits = ROWS.iter().filter(|(all, _)| all.iter().all(has));
    let (_, spec) = fits.next()?;
    fits.next().is_none().then_some(*spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_a_quantity_are_understood_and_others_are_not() {
        let guess = |name: &str| guess(&name.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(|spec| spec.name);
        assert_eq!(guess("db write iops"), Some("write_iops"));
        assert_eq!(guess("Read IOPS (orders)"), Some("read_iops"));
        assert_eq!(guess("nvme1n1-reads io/s"), Some("read_iops"));
        assert_eq!(guess("db burst"), Some("io_balance"));
        for none in ["write latency", "read write iops", "iops", "cpu", "burst queue", ""] {
            assert_eq!(guess(none), None, "{none}");
        }
    }
}
