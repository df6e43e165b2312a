//! A run second by second.

use units::Nanos;

use crate::WindowSlice;

/// What was seen in each step of a run. Steps double when there are too many, so that long runs take no more memory.
#[derive(Debug, Clone)]
pub struct StepTally {
    step: Nanos,
    steps: Vec<WindowSlice>,
}

/// The most steps: ten minutes in seconds. A step's histograms take up to some hundred kilobytes.
const MOST: usize = 600;

impl StepTally {
    pub(crate) fn new(step: Nanos) -> Self {
        Self { step, steps: Vec::new() }
    }

    /// Windows come in order.
    pub(crate) fn add(&mut self, window: &WindowSlice) {
        match self.steps.last_mut() {
            Some(last) if last.from.0 / self.step.0 == window.from.0 / self.step.0 => last.merge(window),
            _ => {
                self.steps.push(window.clone());
                if self.steps.len() > MOST {
                    self.halve();
                }
            }
        }
    }

    fn halve(&mut self) {
        self.step = Nanos(self.step.0 * 2);
        let steps = std::mem::take(&mut self.steps);
        steps.iter().for_each(|step| self.add(step));
    }

    /// The steps in order.
    pub fn steps(&self) -> &[WindowSlice] {
        &self.steps
    }

    /// From the start of the first to the end of the last.
    pub fn span(&self) -> (Nanos, Nanos) {
        let ends = self.steps.first().zip(self.steps.last());
        ends.map_or((Nanos(0), Nanos(0)), |(first, last)| (first.from, last.until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_have_longer_steps_and_lose_nothing() {
        let mut tally = StepTally::new(Nanos::secs(1));
        for index in 0..10_000 {
            let mut window = WindowSlice::new(index, Nanos::millis(200), 1);
            window.latencies[0].record(index + 1).unwrap();
            tally.add(&window);
        }
        assert_eq!(tally.steps().len(), 500);
        assert_eq!(tally.steps().iter().map(WindowSlice::succeeded).sum::<u64>(), 10_000);
        assert_eq!(tally.span(), (Nanos(0), Nanos::secs(2000)));
        assert!(tally.steps().windows(2).all(|pair| pair[0].until == pair[1].from));
    }
}
