//! Tests through the binary that need no more than its files.

mod bounds;
mod browser;
mod deaf_peers;
mod end_to_end;
mod golden;
mod layers;
mod manual;
mod packaging;
mod scripted;
