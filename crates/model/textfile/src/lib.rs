#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod escape;
mod open;
mod read;
mod suggest;
mod table;
mod text;
mod write;

pub use error::{InputError, TextPosition};
pub use escape::{escape_hidden, escape_line, is_hidden, log_line, shell_word};
pub use open::{open, read_bytes};
pub use read::{LIMIT, read_text};
pub use suggest::{did_you_mean, suggest};
pub use table::from_toml;
pub use text::Text;
pub use write::{replace, write_atomically};
