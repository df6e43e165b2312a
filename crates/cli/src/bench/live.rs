//! Progress of a run.

use bench::RunStage;
use cluster::NodeActivity;
use indicatif::{ProgressBar, ProgressStyle};
use report::verbs::progress::stage_line;

use crate::progress;

/// A line of progress, and under it what each node does; only where people watch.
#[derive(Debug)]
pub(crate) struct Live {
    bar: ProgressBar,
    side: String,
}

impl Live {
    /// Nothing is shown yet.
    pub(crate) fn new() -> Self {
        // indicatif draws nothing where standard error is no terminal.
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("{bar:20} {elapsed}  {msg}");
        bar.set_style(style.expect("the template is a constant"));
        Self { bar, side: String::new() }
    }

    /// Sets the side that is run, where there are several.
    pub(crate) fn side(&mut self, side: String) {
        self.side = side;
    }

    /// Shows the stage of the run.
    pub(crate) fn show(&mut self, stage: &RunStage<'_, NodeActivity>) {
        let (share, text) = stage_line(stage);
        self.bar.set_position((1000.0 * share.clamp(0.0, 1.0)) as u64);
        progress::show(&self.bar, &format!("{}{text}", self.side));
    }

    /// All is done, or given up.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
