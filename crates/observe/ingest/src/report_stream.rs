//! Reports of `iostat` read while it runs.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use textfile::Text;
use units::Bytes;

/// Reports of an `iostat` that is still running, as they come over a pipe.
#[derive(Debug)]
pub struct ReportStream {
    text: Arc<Mutex<String>>,
    over: Arc<AtomicBool>,
}

/// Reports of iostat end with an empty line, those of devices and of the processors.
const END: &str = "\n\n";

/// Interval of the looks whether a first report has come.
const GLANCE: Duration = Duration::from_millis(50);

impl ReportStream {
    /// Reads a source in a thread of its own; of what is longer than `most` bytes the older half is dropped.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn listen(source: impl Read + Send + 'static, most: Bytes) -> std::io::Result<Self> {
        let stream = Self { text: Arc::default(), over: Arc::default() };
        let (text, over) = (stream.text.clone(), stream.over.clone());
        std::thread::Builder::new().name("iostat".to_owned()).spawn(move || {
            for line in lines(BufReader::new(source), most.0) {
                let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
                text.push_str(&line);
                text.push('\n');
                forget(&mut text, most.0 as usize);
            }
            over.store(true, Ordering::Relaxed);
        })?;
        Ok(stream)
    }

    /// All whole reports until now; waits for the first. `None` once the source has ended.
    pub fn text(&self) -> Option<Text> {
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

/// The lines of a source. A line longer than `most` is no report: the source ends there.
fn lines(mut source: impl BufRead, most: u64) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        let read = source.by_ref().take(most).read_line(&mut line).ok()?;
        let whole = read > 0 && (read as u64) < most;
        line.truncate(line.trim_end_matches(['\n', '\r']).len());
        whole.then_some(line)
    })
}

/// Drops the older half of what is longer than `most`, up to where a report begins.
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
