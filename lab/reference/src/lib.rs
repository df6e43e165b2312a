//! The manual's reference: tables of `docs/reference`, whose keys, types and meanings are read from the source code.
//!
//! A table stands between two markers, `<!-- table NAME -->` and `<!-- end -->`. Its first column is the key. Columns that the code
//! does not tell (defaults, ranges, examples) are written by hand and stay with their key when the table is made again.

#![forbid(unsafe_code)]

mod calls;
mod constants;
mod json;
mod keys;
mod page;
mod source;

pub use calls::{environment_variables, registered_metrics};
pub use constants::constants;
pub use json::json_keys;
pub use keys::{FileKey, file_keys};
pub use page::{PageTable, TableColumn, TableRow, check_page, table_keys};
pub use source::{SourceTree, SourceType, renamed, serde_value};
