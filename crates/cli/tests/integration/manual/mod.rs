//! The manual against the program: its reference, its pages, the commands in it.

mod json;
mod options;
mod pages;
mod prose;
mod shown;
mod written;
