//! Maintenance drills in virtual time: a metadata server that announces, a cluster that obeys, and a pilot that is killed.

mod drill;
mod kills;
mod mapped;
mod notices;
mod weaknesses;
