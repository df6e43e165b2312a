//! Numbers without bounds: whatever a file or an option says, the program stays within memory and time and says what is too large.

mod confined;
mod extremes;
mod files;
mod options;
mod patience;
mod unreachable;
