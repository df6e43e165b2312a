//! Each check fails on the table that it is there to refuse.

use crate::Catalog;
use crate::facts::{EMBEDDED, Texts};

/// What is said of the embedded tables after one change to them.
fn said_of(change: impl FnOnce(&mut Texts)) -> String {
    let mut texts = EMBEDDED;
    change(&mut texts);
    match Catalog::lazy(&texts).and_then(|catalog| catalog.problems()) {
        Ok(problems) => problems.join("\n"),
        Err(error) => error.to_string(),
    }
}

/// The table with one text put for another, which must be in it.
fn with(table: &str, old: &str, new: &str) -> &'static str {
    assert!(table.contains(old), "`{old}` is not in the table");
    table.replacen(old, new, 1).leak()
}

/// The table with a further row.
fn and(table: &str, row: &str) -> &'static str {
    format!("{table}{row}\n").leak()
}

macro_rules! refused {
    ($($name:ident: |$texts:ident| $change:expr => $said:literal;)*) => {$(
        #[test]
        fn $name() {
            let said = said_of(|$texts| $change);
            assert!(said.contains($said), "{said}");
        }
    )*};
}

refused! {
    a_row_without_a_source: |t| t.transfer = with(t.transfer, "aws-cross-az,", ",") => "source is empty: every row has a source";
    a_row_without_a_date: |t| t.transfer = with(t.transfer, "az,2026-09-24", "az,") => "line 2: as_of is empty";
    a_source_that_is_not_listed: |t| t.transfer = with(t.transfer, "aws-cross-az", "hearsay") => "`hearsay`, which is not in sources.csv";
    a_date_for_an_undated_source: |t| t.gaps = with(t.gaps, "not-found,2026-11-21", "not-found,2020-01-01") => "its source has no date";
    a_date_to_come: |t| t.transfer = with(t.transfer, "2026-09-24", "2036-09-24") => "after the day of collection";
    a_source_given_twice: |t| t.sources = and(t.sources, "gcpdiag,yes,another") => "`gcpdiag`, which is there twice";
    a_column_too_few: |t| t.transfer = with(t.transfer, "usd_in,", "") => "the header is not";
    a_row_of_the_wrong_length: |t| t.transfer = and(t.transfer, "aws,1") => "transfer.csv, line 5";
    a_value_that_does_not_parse: |t| t.volumes = with(t.volumes, "16384GiB", "16384GB/s") => "max_size has the value `16384GB/s`";
    an_unknown_word: |t| t.volumes = with(t.volumes, "gp2,aws,ssd", "gp2,aws,tape") => "medium is `tape`, not one of ssd, hdd, local_nvme";
    overlapping_rows_of_a_volume_type: |t| t.volumes = with(t.volumes, "2025-10-03,,", "2025-10-01,,") => "gp3: the rows from 2020-12-01 and from 2025-10-01 overlap";
    a_volume_that_ends_before_it_begins: |t| t.volumes = with(t.volumes, "2020-12-01,2025-10-02", "2020-12-01,2019-10-02") => "its last day is before its first";
    a_smallest_size_over_the_largest: |t| t.volumes = with(t.volumes, "1GiB,65536GiB", "65537GiB,65536GiB") => "its smallest size is over its largest";
    a_least_io_rate_over_the_highest: |t| t.volumes = with(t.volumes, "3000,80000", "3000,2000") => "its least I/O rate is over its highest";
    throughput_limits_out_of_order: |t| t.volumes = with(t.volumes, "125MiB/s,2000MiB/s", "125MiB/s,2MiB/s") => "its throughput limits are out of order";
    a_durability_that_is_no_share: |t| t.volumes = with(t.volumes, "0.998,0.999", "99.8,99.9") => "its durability is no share";
    a_rule_without_its_bands: |t| t.bands = with(t.bands, "gp2,2014-05-01", "gp2,2014-06-01") => "needs bands from 2014-05-01";
    bands_without_their_rule: |t| t.bands = and(t.bands, "gp9,2014-05-01,,1GiB,,1MiB/s,0MiB/s,1MiB/s,,gcpdiag,2026-08-07") => "no row of volumes.csv for gp9";
    a_volume_price_for_an_unknown_type: |t| t.volume_prices = and(t.volume_prices, "us-east-1,gp9,,gib,,0.1,ebs-2020,2020-10-02") => "price of gp9 in us-east-1: no volume type has that name";
    a_volume_price_in_an_unknown_region: |t| t.volume_prices = and(t.volume_prices, "us-moon-1,gp2,,gib,,0.1,ebs-2020,2020-10-02") => "no region has that name";
    a_volume_price_in_another_cloud: |t| t.volume_prices = and(t.volume_prices, "eastus,gp2,,gib,,0.1,ebs-2020,2020-10-02") => "the region is of Azure, the type of AWS";
    two_prices_of_a_volume_on_one_day: |t| t.volume_prices = and(t.volume_prices, "us-east-1,gp2,,gib,,0.2,ebs-2020,2020-10-02") => "two rows for Gib on 2020-10-02";
    a_volume_price_of_nothing: |t| t.volume_prices = with(t.volume_prices, "gp2,,gib,,0.12", "gp2,,gib,,0") => "0 USD is no price";
    provisioned_ios_without_a_price: |t| t.volume_prices = and(t.volume_prices, "us-west-2,io2,,gib,,0.125,ebs-2020,2020-10-02") => "io2 in us-west-2: it has provisioned I/Os, and no price";
    a_region_given_twice: |t| t.regions = and(t.regions, "us-east-1,gcp,ebs-2020,2020-10-02") => "us-east-1 a second time";
    an_instance_given_twice: |t| t.clouds[0].instances = and(t.clouds[0].instances, "m5.large,m5,2,8,x86_64,yes,,,,2020-01-01,gcpdiag,gcpdiag,2020-01-01") => "m5.large: two rows";
    memory_in_the_wrong_unit: |t| t.clouds[0].instances = with(t.clouds[0].instances, "m5.large,m5,2,8,", "m5.large,m5,2,8192000,") => "m5.large: 2 processors and";
    a_sustained_limit_over_the_burst: |t| t.clouds[0].caps = with(t.clouds[0].caps, "287.5MB/s,593.75MB/s", "693.75MB/s,593.75MB/s") => "the sustained rate is over the burst";
    a_burst_without_its_time: |t| t.clouds[0].caps = with(t.clouds[0].caps, "593.75MB/s,12000,18750,30", "593.75MB/s,12000,18750,0") => "burst and its time do not agree";
    binary_units_for_decimal_ones: |t| t.clouds[0].caps = with(t.clouds[0].caps, "287.5MB/s", "287.5MiB/s") => "is not 287.5MiB/s";
    bits_for_bytes: |t| t.clouds[2].caps = with(t.clouds[2].caps, "24MB/s,24MB/s", "2400000MB/s,2400000MB/s") => "check the units";
    limits_of_an_unknown_instance: |t| t.clouds[1].caps = with(t.clouds[1].caps, "c2-standard-16", "c2-standard-17") => "limits of c2-standard-17: no instance type";
    flash_where_there_is_none: |t| t.clouds[0].local = and(t.clouds[0].local, "m5.large,1,1,,,published,gcpdiag,2026-08-07") => "local flash of m5.large: the instance type has none";
    flash_with_two_figures: |t| t.clouds[0].local = and(t.clouds[0].local, "m5d.large,1,1,,,published,gcpdiag,2026-08-07") => "read_iops is filled by two rows";
    an_instance_price_for_an_unknown_type: |t| t.clouds[0].prices = and(t.clouds[0].prices, "m5.huge,,on-demand,ec2info-2020,2020-11-10,1") => "price of m5.huge in us-east-1: no instance type";
    an_instance_price_in_another_cloud: |t| t.clouds[0].prices = with(t.clouds[0].prices, "us-east-2,", "eastus,") => "AWS has no such region";
    two_prices_of_an_instance_on_one_day: |t| t.clouds[0].prices = and(t.clouds[0].prices, "m5.large,,on-demand,ec2info-2020,2020-11-10,1") => "price of m5.large in us-east-1: two rows of one day";
    a_monthly_price_for_an_hourly_one: |t| t.clouds[0].prices = and(t.clouds[0].prices, "m5.large,,on-demand,ec2info-2020,2020-11-11,7000") => "7000 USD an hour";
    a_price_without_a_region: |t| t.clouds[1].prices = and(t.clouds[1].prices, "c2-standard-16,,on-demand,gcp-calculator,2026-07-30,1,1,1,1,1,1,1,1,1") => "more cells than the header names";
    a_term_that_nobody_sells: |t| t.clouds[0].prices = and(t.clouds[0].prices, "m5.large,,reserved-9y,ec2info-2020,2020-11-11,1") => "term is `reserved-9y`, not one of";
    a_type_that_a_service_makes_up: |t| t.sold_as = and(t.sold_as, "rds,gp9,1GiB,rds-gp9,gcpdiag,2026-08-07") => "RDS sells gp9 as rds-gp9: no volume type";
}
