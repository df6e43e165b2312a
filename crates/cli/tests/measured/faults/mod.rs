//! Every read is right and no acknowledged write is lost, whatever happens to nodes, leaders and disks: real programs on
//! mounted disks, and histories of their clients that a checker judges. Needs root, and `diskwright-store` and
//! `diskwright-pd` beside the program or named by `DISKWRIGHT_STORE` and `DISKWRIGHT_PD`. `DISKWRIGHT_LONG=1` runs the long
//! form, `DISKWRIGHT_SEED` draws other faults.

mod broken_disk;
mod clients;
mod fault;
mod full_disk;
mod linearizable;
mod place;
mod plan;
mod value;
