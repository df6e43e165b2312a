//! Disks mounted for real: as root, over FUSE and loop devices.

mod changes;
mod clean;
mod place;
mod signals;
