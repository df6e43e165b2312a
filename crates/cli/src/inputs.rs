//! Input files of the verbs, and the date of the catalogue.

use std::path::{Path, PathBuf};

use catalog::{Catalog, CatalogView, Date};
use deployment::Deployment;
use events::EventScript;
use textfile::{InputError, Text};
use units::Nanos;
use workload::Workload;

use crate::failure::Failure;

/// Reads the value of `--as-of`.
pub(crate) fn day(text: &str) -> Result<Date, String> {
    catalog::parse_date(text).map_err(|error| error.to_string())
}

/// Shortest and longest interval between two polls. Without a rest, polling would take all of a processor.
const INTERVALS: [Nanos; 2] = [Nanos::millis(10), Nanos::secs(86_400)];

/// Reads an interval between two polls.
pub(crate) fn interval(text: &str) -> Result<Nanos, String> {
    let [least, most] = INTERVALS;
    let every: Nanos = text.parse().map_err(|error: units::ParseError| error.to_string())?;
    if every < least || every > most {
        return Err(format!("expected {least} to {most}"));
    }
    Ok(every)
}

/// The catalogue as of a date; without one, as of now.
pub(crate) fn view(day: Option<Date>) -> CatalogView {
    Catalog::embedded().at(day)
}

/// A file: its text, to point into, and its content.
#[derive(Debug)]
pub(crate) struct Read<T> {
    /// The file's text, to point into.
    pub(crate) text: Text,
    /// Its content.
    pub(crate) noun: T,
}

/// The bytes of the file that an option names: a certificate, a key.
pub(crate) fn bytes(option: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    textfile::read_bytes(path, textfile::LIMIT).map_err(|error| Failure::input(format!("{option} {error}")))
}

/// A certificate of ours and its key, as bytes.
pub(crate) type Identity = (Vec<u8>, Vec<u8>);

/// The bytes of a certificate of ours and of its key, each an option and its file; `None` without them. Neither is given alone.
pub(crate) fn identity(
    certificate: (&str, Option<&Path>),
    key: (&str, Option<&Path>),
) -> Result<Option<Identity>, Failure> {
    let read = |(option, path): (&str, Option<&Path>)| path.map(|path| bytes(option, path)).transpose();
    Ok(read(certificate)?.zip(read(key)?))
}

/// Reads a workload; an iostat report that it names is read too.
pub(crate) fn workload(path: &Path) -> Result<Read<Workload>, InputError> {
    let text = textfile::read_text(path, textfile::LIMIT)?;
    let noun = Workload::from_text(&text, &mut |path| textfile::read_text(path, textfile::LIMIT))?;
    Ok(Read { text, noun })
}

/// Reads a deployment.
pub(crate) fn deployment(path: &Path) -> Result<Read<Deployment>, InputError> {
    let text = textfile::read_text(path, textfile::LIMIT)?;
    let noun = Deployment::from_text(&text)?;
    Ok(Read { text, noun })
}

/// Reads a file of events; none if none is named.
pub(crate) fn script(path: Option<&Path>) -> Result<EventScript, InputError> {
    path.map_or_else(
        || Ok(EventScript::default()),
        |path| EventScript::from_text(&textfile::read_text(path, textfile::LIMIT)?),
    )
}

/// Writes a file that the user asked for; a failure is the environment's.
pub(crate) fn write(path: &PathBuf, content: &str) -> Result<(), Failure> {
    textfile::write_atomically(path, content.as_bytes()).map_err(|error| Failure::environment(error.to_string()))
}

/// Refuses a page's file whose name does not end in .html.
pub(crate) fn is_page(out: Option<&Path>) -> Result<(), Failure> {
    match out {
        Some(out) if out.extension().is_none_or(|extension| extension != "html") => {
            Err(Failure::input(format!("{}: a page is a file whose name ends in .html", out.display())))
        }
        _ => Ok(()),
    }
}

/// Makes a folder for the files that the user asked for.
pub(crate) fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::environment(format!("{}: cannot be made a folder: {error}", folder.display())))
}
