//! All facts of all days, read once; the large tables of a cloud only when it is asked for.

use std::sync::{Arc, LazyLock, OnceLock};

use crate::facts::{CloudFacts, CloudTexts, EMBEDDED, SharedFacts, Texts};
use crate::{CatalogView, Cloud, Date, TableError, check};

/// All facts of all days, as embedded in the program.
#[derive(Debug, Default)]
pub struct Catalog {
    known: Arc<Known>,
}

/// Facts that the catalogue and its views share.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) shared: SharedFacts,
    texts: Option<[CloudTexts; 3]>,
    clouds: [OnceLock<CloudFacts>; 3],
}

impl Catalog {
    /// The tables that ship with the program.
    ///
    /// # Panics
    /// When they cannot be read, which a test rules out.
    pub fn embedded() -> &'static Self {
        static EMBEDDED_CATALOG: LazyLock<Catalog> = LazyLock::new(|| match Catalog::lazy(&EMBEDDED) {
            Ok(catalog) => catalog,
            Err(error) => panic!("{error}"),
        });
        &EMBEDDED_CATALOG
    }

    /// Reads the small tables of `texts`, and each cloud's large ones when a view first needs them.
    pub(crate) fn lazy(texts: &Texts) -> Result<Self, TableError> {
        let known = Known { shared: SharedFacts::read(texts)?, texts: Some(texts.clouds), ..Known::default() };
        Ok(Self { known: Arc::new(known) })
    }

    /// The facts of a day; of the newest ones without a day.
    ///
    /// A fact holds from the day of its observation until a later one contradicts it. Before its first observation the
    /// nearest later one is taken if the type existed by then; [`View::observed_later`] tells. A type exists from the
    /// first day on which any source shows it.
    pub fn at(&self, date: Option<Date>) -> CatalogView {
        CatalogView::new(date, Arc::clone(&self.known))
    }

    /// The day of the newest price of a disk or of traffic, by which the catalogue's age is told. Prices of instances are of the same
    /// observations, and are not read for it.
    pub fn newest(&self) -> Option<Date> {
        let shared = &self.known.shared;
        let volumes = shared.volume_prices.values().flatten().map(|price| price.provenance.as_of);
        let transfer = shared.transfer.iter().map(|(_, price)| price.provenance.as_of);
        volumes.chain(transfer).max()
    }

    /// Reads every table and lists what contradicts itself or another table; empty if all is well.
    ///
    /// # Errors
    /// When a table cannot be read: a row without a source or a date, a value that does not parse.
    pub fn problems(&self) -> Result<Vec<String>, TableError> {
        let mut problems = check::shared(&self.known.shared);
        for (cloud, texts) in [Cloud::Aws, Cloud::Gcp, Cloud::Azure].into_iter().zip(self.known.texts.iter().flatten())
        {
            let facts = CloudFacts::read(texts, &self.known.shared.sources)?;
            problems.extend(check::cloud(cloud, &facts, &self.known.shared));
        }
        Ok(problems)
    }
}

impl Known {
    /// The instance types of a cloud.
    pub(crate) fn cloud(&self, cloud: Cloud) -> &CloudFacts {
        self.clouds[cloud as usize].get_or_init(|| match &self.texts {
            None => CloudFacts::default(),
            Some(texts) => match CloudFacts::read(&texts[cloud as usize], &self.shared.sources) {
                Ok(facts) => facts,
                Err(error) => panic!("{error}"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_tables_have_no_contradiction() {
        assert_eq!(Catalog::embedded().problems(), Ok(Vec::new()));
    }

    #[test]
    fn every_day_has_a_view() {
        for text in ["2010", "2018-02", "2020-11-25", "2022-06", "2026"] {
            let view = Catalog::embedded().at(Some(crate::parse_date(text).unwrap()));
            let names: usize = view.regions().map(|(_, cloud)| view.instances(cloud).count()).sum();
            assert_eq!(names > 0, text != "2010", "{text}");
        }
    }
}
