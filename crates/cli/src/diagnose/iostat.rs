//! `diskwright diagnose iostat`: from what `iostat -x` printed.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ingest::iostat::{FirstReport, IostatOptions};
use textfile::Text;
use units::{Bytes, Nanos};

use super::given::Given;
use super::watch::{Asked, Watch};
use crate::failure::Failure;
use crate::output::Output;

/// A day of reports each second.
const LIMIT: Bytes = Bytes::mib(256);

/// Arguments of `diagnose iostat`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iostat -xty 5 60 > node.txt
  diskwright diagnose iostat node.txt --first-counts --disk sdb=gp3:500GiB
  diskwright diagnose iostat examples/tikv-node-iostat.txt --interval 1s
  iostat -xty -o JSON 1 60 | diskwright diagnose iostat - --first-counts --disk gp2:400GiB
  iostat -xty 5 | diskwright diagnose iostat - --first-counts --watch=30s --disk sdb=gp3:500GiB

Text and JSON of sysstat 10 to 12. Reports without time stamps (-t) need --interval. Of several
reports the first is left out, and the answer says so: without -y it is of all the time since the
machine started, and a report does not say how it was recorded. --first-counts says: with -y.")]
pub(crate) struct Args {
    /// What iostat printed; - reads standard input
    file: PathBuf,
    /// How long each report is of, where they have no time stamps
    #[arg(long, value_name = "SPAN")]
    interval: Option<Nanos>,
    /// The first report counts, too: it was recorded with -y
    #[arg(long)]
    first_counts: bool,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    let is_piped = args.watch.is_on() && args.file == Path::new("-");
    let heard = is_piped.then(Heard::listen).transpose()?;
    let ask = || match &heard {
        Some(heard) => match heard.text() {
            Some(text) => asked(args, &text).map(Some),
            None => Ok(None),
        },
        None => asked(args, &textfile::read_text(&args.file, LIMIT)?).map(Some),
    };
    args.watch.answer(ask, args.given.out.as_deref(), json)
}

fn asked(args: &Args, text: &Text) -> Result<Asked, Failure> {
    let first = if args.first_counts { FirstReport::Counts } else { FirstReport::Alone };
    let options = IostatOptions { interval: args.interval, first, ..IostatOptions::default() };
    let mut timeline = ingest::iostat::read(text, &options).map_err(|error| match error {
        ingest::GatherError::NoInterval { .. } => Failure::input(format!("{error}: --interval 1s")),
        error => error.into(),
    })?;
    if let Some(told) = timeline.about.notes.get_mut(ingest::iostat::LEFT_OUT) {
        told.push_str("; with --first-counts it counts");
    }
    Ok(Asked { of: args.file.display().to_string(), timeline, known: args.given.known(None)? })
}

/// What came over the pipe until now.
#[derive(Debug)]
struct Heard {
    text: Arc<Mutex<String>>,
    over: Arc<AtomicBool>,
}

/// Reports of iostat end with an empty line, those of devices and of the processors.
const END: &str = "\n\n";

/// How often one looks whether a first report has come.
const GLANCE: Duration = Duration::from_millis(50);

impl Heard {
    /// Listens to the standard input in a thread of its own.
    fn listen() -> Result<Self, Failure> {
        let heard = Self { text: Arc::default(), over: Arc::default() };
        let (text, over) = (heard.text.clone(), heard.over.clone());
        let thread = std::thread::Builder::new().name("iostat".to_owned()).spawn(move || {
            for line in lines(std::io::stdin().lock(), LIMIT.0) {
                let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
                text.push_str(&line);
                text.push('\n');
                forget(&mut text, LIMIT.0 as usize);
            }
            over.store(true, Ordering::Relaxed);
        });
        thread.map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
        Ok(heard)
    }

    /// All whole reports; waits for the first. `None` once nothing more comes.
    fn text(&self) -> Option<Text> {
        loop {
            let over = self.over.load(Ordering::Relaxed);
            let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
            let whole = text.rfind(END).map_or("", |end| &text[..end + END.len()]);
            if whole.contains("Device") && !over {
                return Some(Text::new("-", whole));
            }
            if over {
                // What came last is diagnosed once more, and then it has ended.
                return text.contains("Device").then(|| Text::new("-", std::mem::take(&mut *text)));
            }
            drop(text);
            std::thread::sleep(GLANCE);
        }
    }
}

/// The lines of a source. One that is longer than all that is kept is no report: there the source ends.
fn lines(mut source: impl BufRead, most: u64) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        let read = source.by_ref().take(most).read_line(&mut line).ok()?;
        let whole = read > 0 && (read as u64) < most;
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        whole.then_some(line)
    })
}

/// Leaves out the older half of what is longer than `most`, up to where a report begins.
fn forget(text: &mut String, most: usize) {
    if text.len() <= most {
        return;
    }
    let ends = text.match_indices(END).map(|(at, _)| at + END.len());
    let begins = |at: &usize| *at >= most / 2 && !text[*at..].starts_with("Device");
    if let Some(at) = ends.filter(|at| text.is_char_boundary(*at)).find(begins) {
        text.drain(..at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_their_source_or_where_one_has_no_end() {
        assert_eq!(lines(&b"a\nb\r\n\nc"[..], 10).collect::<Vec<_>>(), ["a", "b", "", "c"]);
        assert_eq!(lines(std::io::BufReader::new(std::io::repeat(b'x')), 1000).count(), 0);
    }

    #[test]
    fn what_is_forgotten_are_whole_reports_with_their_time_stamps() {
        let report = |second: u32| format!("11/21/2026 10:00:{second:02} AM\navg-cpu: 1\n\nDevice r/s\nsda 1\n\n");
        let mut text: String = (10..20).map(report).collect();
        let length = text.len();
        forget(&mut text, length);
        assert_eq!(text.len(), length, "nothing is too long yet");
        forget(&mut text, length - 1);
        assert!(text.starts_with("11/21/2026 10:00:15") && text.ends_with(&report(19)), "{text}");
    }
}
