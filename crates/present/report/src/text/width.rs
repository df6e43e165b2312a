//! Columns that texts are laid out for. The command line fixes them once, before it answers.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Columns where nobody says how many there are: in files and pipes.
pub const USUAL_WIDTH: usize = 100;
/// Longest line of a paragraph; longer ones are hard to follow.
const LONGEST_PARAGRAPH: usize = 100;
/// Columns below which nothing is laid out: no table would be left.
const LEAST: usize = 40;
/// Columns beyond which a table's cells are too far apart.
const MOST: usize = 160;

static COLUMNS: AtomicUsize = AtomicUsize::new(USUAL_WIDTH);

/// Lays out what follows for a terminal of `columns`, at least 40, at most 160.
pub fn lay_out_for(columns: usize) {
    COLUMNS.store(columns.clamp(LEAST, MOST), Ordering::Relaxed);
}

/// Columns that no line of a paragraph exceeds.
pub fn line_width() -> usize {
    table_width().min(LONGEST_PARAGRAPH)
}

/// Columns that no line of a table exceeds.
pub fn table_width() -> usize {
    COLUMNS.load(Ordering::Relaxed)
}
