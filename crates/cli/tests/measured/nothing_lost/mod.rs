//! Nothing acknowledged is lost and nothing is left behind, whatever happens to the daemon, the power or the backing
//! store: the whole program with real FUSE, loop devices and filesystems. Needs root. `DISKWRIGHT_LONG=1` runs the
//! long form, `DISKWRIGHT_SEED` chooses other random points.

mod backing_full;
mod bad_input;
mod busy;
mod cycles;
mod environment;
mod fio;
mod kills;
mod leftovers;
mod numbered;
mod overwrites;
mod place;
mod power;
mod private;
mod process;
mod stopped;
mod unrecorded;
mod volume;
mod writers;
