//! What the catalogue covers: each region's priced types, and how old each table is.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::facts::Texts;
use crate::{Catalog, CatalogView, Cloud, Date, SpeedBasis, VolumeMedium};

/// What is known of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegionRow {
    /// Its name.
    pub region: String,
    /// Its cloud.
    pub cloud: Cloud,
    /// Families of machines of the cloud that the catalogue knows.
    pub families: usize,
    /// Families with an on-demand price here.
    pub priced: usize,
    /// Of the priced, those of which some size has limits to network volumes.
    pub with_caps: usize,
    /// Of the priced, those whose processor, or one like it, a benchmark measured.
    pub with_speed: usize,
    /// Priced network volume types.
    pub disks: usize,
    /// Priced classes of managed services.
    pub classes: usize,
    /// The newest of its prices of machines; `None` without any.
    pub as_of: Option<Date>,
}

/// How old a table is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableRow {
    /// The file.
    pub table: String,
    /// Rows without the header.
    pub rows: usize,
    /// Its oldest row.
    pub oldest: Date,
    /// Its newest row.
    pub newest: Date,
}

impl CatalogView {
    /// Every region, by name.
    pub fn region_rows(&self) -> Vec<RegionRow> {
        self.regions().map(|(region, cloud)| self.region_row(region, cloud)).collect()
    }

    fn region_row(&self, region: &str, cloud: Cloud) -> RegionRow {
        let priced: Vec<_> =
            self.instances(cloud).filter(|instance| self.instance_price(region, &instance.name).is_ok()).collect();
        let families = |of: &dyn Fn(&crate::InstanceType) -> bool| {
            priced
                .iter()
                .filter(|instance| of(instance))
                .map(|instance| instance.family.as_str())
                .collect::<BTreeSet<_>>()
                .len()
        };
        let dates = priced.iter().filter_map(|instance| self.instance_price_provenance(region, &instance.name).ok());
        let disk = |kind: &&crate::VolumeType| {
            kind.medium != VolumeMedium::LocalNvme && self.volume_price(region, &kind.name).is_ok()
        };
        RegionRow {
            region: region.to_owned(),
            cloud,
            families: self.instances(cloud).map(|instance| instance.family.as_str()).collect::<BTreeSet<_>>().len(),
            priced: families(&|_| true),
            with_caps: families(&|instance| instance.caps.is_some()),
            with_speed: families(&|instance| instance.speed.basis != SpeedBasis::Assumed),
            disks: self.volumes(cloud).filter(disk).count(),
            classes: self.classes(cloud).filter(|class| self.instance_price(region, &class.name).is_ok()).count(),
            as_of: dates.map(|provenance| provenance.as_of).max(),
        }
    }
}

impl Catalog {
    /// Every table that has dated rows.
    pub fn table_rows(&self) -> Vec<TableRow> {
        self.texts().into_iter().flat_map(Texts::named).filter_map(|(name, text)| table_row(name, text)).collect()
    }
}

fn table_row(table: String, text: &str) -> Option<TableRow> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let at = reader.headers().ok()?.iter().position(|name| name == "as_of")?;
    let days: Vec<Date> = reader.records().filter_map(|row| row.ok()?.get(at)?.parse().ok()).collect();
    Some(TableRow { table, rows: days.len(), oldest: *days.iter().min()?, newest: *days.iter().max()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_all_clouds_are_covered_and_every_table_tells_its_age() {
        let rows = Catalog::embedded().at(None).region_rows();
        let priced = |cloud| rows.iter().filter(|row| row.cloud == cloud && row.priced > 20 && row.disks > 0).count();
        assert!(priced(Cloud::Aws) >= 30, "{}", priced(Cloud::Aws));
        assert!(rows.iter().filter(|row| row.cloud == Cloud::Gcp && row.priced > 5 && row.disks > 2).count() >= 40);
        assert!(priced(Cloud::Azure) >= 35, "{}", priced(Cloud::Azure));
        assert!(rows.iter().all(|row| row.with_caps <= row.priced && row.with_speed <= row.priced));
        let tables = Catalog::embedded().table_rows();
        assert!(tables.len() > 15 && tables.iter().all(|table| table.oldest <= table.newest), "{tables:?}");
    }
}
