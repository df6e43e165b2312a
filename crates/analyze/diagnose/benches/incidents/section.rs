//! A section of a document that a program writes, in a document that people write.

use std::path::Path;

use textfile::{InputError, LIMIT, read_text, write_atomically};

/// Puts a text between the lines `<!-- begin: written by NAME -->` and `<!-- end: written by NAME -->` of a document, and leaves
/// the rest as it is.
///
/// # Errors
/// When the document cannot be read or written, or lacks the lines.
pub(crate) fn replace(path: &Path, name: &str, text: &str) -> Result<(), InputError> {
    let document = read_text(path, LIMIT)?;
    let [begin, end] = ["begin", "end"].map(|what| format!("<!-- {what}: written by `{name}` -->"));
    let content = document.content();
    let places = content.find(&begin).zip(content.find(&end)).filter(|(begin, end)| begin < end);
    let Some((from, until)) = places else {
        return Err(InputError::new(path, format!("expected the lines `{begin}` and `{end}`")));
    };
    let (before, after) = (&content[..from + begin.len()], &content[until..]);
    write_atomically(path, format!("{before}\n\n{}\n\n{after}", text.trim()).as_bytes())
}
