//! The manual against the program: its reference, its pages, the commands in it.

mod options;
