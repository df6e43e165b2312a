//! Evaluators, one file each: a closed set, whose arguments are the tables of recipes.

pub(crate) mod catalogue_facts;
pub(crate) mod device_rates;
pub(crate) mod diagnosis;
pub(crate) mod disk_load;
pub(crate) mod figures;
pub(crate) mod fio;
pub(crate) mod log_disks;
pub(crate) mod lowest_latency;
pub(crate) mod mounted;
pub(crate) mod placement_driver;
pub(crate) mod plan_choice;
pub(crate) mod recovery;
pub(crate) mod rehearsal;
pub(crate) mod rendered;
pub(crate) mod simulation;
pub(crate) mod sql_study;
pub(crate) mod store;
pub(crate) mod store_recipe;
pub(crate) mod volume_choice;
