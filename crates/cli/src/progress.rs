//! Progress of long work, on terminals only.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use units::Nanos;

/// Delay before anything is shown: most answers take less.
const PATIENCE: Duration = Duration::from_secs(2);
/// Interval between two drawings.
const TICK: Duration = Duration::from_millis(100);
/// Parts of a bar whose work is a share.
const PARTS: u64 = 1000;

/// Does `work`. Shows `what` and the elapsed time if it takes longer than two seconds and standard error is a terminal.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let bar = || {
        let style = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}");
        let bar = ProgressBar::new_spinner().with_style(style.expect("the template is a constant that a test draws"));
        show(&bar, what);
        bar
    };
    watched(bar, ProgressBar::tick, work)
}

/// Reads a file. Shows its name and the elapsed time if that takes longer than two seconds.
pub(crate) fn reading<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    during(&format!("reading {}", path.display()), work)
}

/// Does `work`. Shows how much of it is done, by `share` from 0 to 1, and the time that is probably left, if it takes longer than two
/// seconds and standard error is a terminal.
pub(crate) fn measured<T>(what: &str, share: impl Fn() -> f64 + Send, work: impl FnOnce() -> T) -> T {
    let bar = || {
        let style = ProgressStyle::with_template("{bar:20} {percent} % {elapsed}  {wide_msg}");
        ProgressBar::new(PARTS).with_style(style.expect("the template is a constant that a test draws"))
    };
    let draw = move |bar: &ProgressBar| {
        let share = share();
        bar.set_position((share * PARTS as f64) as u64);
        show(bar, &left(what, bar.elapsed(), share));
        bar.tick();
    };
    watched(bar, draw, work)
}

/// What is being done, and the time left if the rest goes on as before; without a share there is no estimate.
fn left(what: &str, elapsed: Duration, share: f64) -> String {
    if share <= 0.0 {
        return what.to_owned();
    }
    format!("{what}: about {:.0} s left", elapsed.as_secs_f64() * (1.0 - share) / share)
}

/// Does `work` beside a bar that is drawn again and again, from two seconds on.
fn watched<T>(
    bar: impl FnOnce() -> ProgressBar + Send,
    draw: impl Fn(&ProgressBar) + Send,
    work: impl FnOnce() -> T,
) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = bar().with_elapsed(PATIENCE);
            // Ends when the sender is dropped, whether the work ended or panicked.
            while wait.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                draw(&bar);
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}

/// Shows a text beside a bar. The bar writes to the terminal itself, so that hidden characters of the data are escaped here.
pub(crate) fn show(bar: &ProgressBar, text: &str) {
    bar.set_message(textfile::escape_hidden(text).into_owned());
}

/// A bar for work of known steps, with the time that is probably left; only where people watch.
#[derive(Debug)]
pub(crate) struct Steps {
    bar: ProgressBar,
    begun: u64,
}

impl Steps {
    /// A bar for `steps` steps of about equal length.
    pub(crate) fn new(steps: u64) -> Self {
        // indicatif draws nothing where standard error is no terminal.
        let bar = ProgressBar::new(steps);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed}  {wide_msg}");
        bar.set_style(style.expect("the template is a constant that a test draws"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, begun: 0 }
    }

    /// The next step, after the one before is done.
    pub(crate) fn begin(&mut self, what: &str) {
        self.bar.set_position(self.begun);
        let left = self.bar.eta().as_secs();
        let left = if self.begun == 0 { String::new() } else { format!("about {left} s left: ") };
        show(&self.bar, &format!("{left}{what}"));
        self.begun += 1;
    }

    /// Step `step` of `of`, with the time that is left as planned.
    pub(crate) fn at(&self, step: u64, of: u64, what: &str, remaining: Nanos) {
        self.bar.set_length(of);
        self.bar.set_position(step.saturating_sub(1));
        show(&self.bar, &format!("about {:.0} s left: {what}", remaining.as_secs_f64()));
    }

    /// All is done, or given up.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_drawn_from_its_template() {
        let mut steps = Steps::new(2);
        steps.begin("first");
        steps.end();
    }

    #[test]
    fn the_time_left_is_that_of_the_rest_at_the_same_pace() {
        assert_eq!(left("planning", Duration::from_secs(6), 0.75), "planning: about 2 s left");
        assert_eq!(left("planning", Duration::from_secs(6), 0.0), "planning");
    }

    #[test]
    fn a_name_beside_a_bar_does_not_act_on_the_terminal() {
        let bar = ProgressBar::hidden();
        show(&bar, "n1 \u{1b}]0;owned\u{7}\n  n2");
        assert_eq!(bar.message(), "n1 \\u{1b}]0;owned\\u{7}\n  n2");
    }
}
