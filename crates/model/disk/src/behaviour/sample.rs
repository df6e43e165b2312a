//! Draws service times.

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::BehaviourConstants;
use crate::{IoDirection, ServiceTime};

/// Draws the service times that a [`ServiceTime`] describes.
#[derive(Debug, Clone)]
pub(crate) struct Sampler {
    rng: Xoshiro256PlusPlus,
    service: ServiceTime,
    /// Medians of a 4 KiB read and write, in nanoseconds.
    idle: [f64; 2],
    /// Nanoseconds for each byte beyond 4 KiB.
    transfer: f64,
    /// The least factor on a median.
    floor: f64,
}

impl Sampler {
    pub(crate) fn new(service: ServiceTime, seed: u64) -> Self {
        Self::with_rng(service, Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    fn with_rng(service: ServiceTime, rng: Xoshiro256PlusPlus) -> Self {
        Self {
            rng,
            service,
            idle: [service.read.0 as f64, service.write.0 as f64],
            transfer: 1e9 / service.link.0,
            floor: (-BehaviourConstants::embedded().floor_sigmas * service.sigma).exp(),
        }
    }

    /// Changes the distribution; the random numbers go on.
    pub(crate) fn set_service(&mut self, service: ServiceTime) {
        *self = Self::with_rng(service, self.rng.clone());
    }

    /// The time of one I/O, in nanoseconds, at a utilisation of the throughput between 0 and 1, of which `writing` says
    /// how much of what the disk can write it writes.
    pub(crate) fn draw(&mut self, direction: IoDirection, bytes: u64, utilisation: f64, writing: f64) -> f64 {
        let median = self.idle[direction as usize] + bytes.saturating_sub(4096) as f64 * self.transfer;
        let soft = 1.0 + self.service.softness * utilisation * utilisation;
        let own = median * soft * self.factor();
        match direction {
            IoDirection::Read => own + self.wait_for_writes(writing),
            IoDirection::Write => own,
        }
    }

    /// Whether reads wait for writes.
    pub(crate) fn reads_wait_for_writes(&self) -> bool {
        self.service.program.0 > 0
    }

    /// The rest of the page that a read's die programs, in nanoseconds; zero where it programs none.
    fn wait_for_writes(&mut self, writing: f64) -> f64 {
        if !self.reads_wait_for_writes() || !self.rng.random_bool(writing) {
            return 0.0;
        }
        self.service.program.0 as f64 * self.rng.random::<f64>()
    }

    /// The time of a flush, in nanoseconds.
    pub(crate) fn draw_flush(&mut self) -> f64 {
        if self.service.flush.0 == 0 { 0.0 } else { self.service.flush.0 as f64 * self.factor() }
    }

    fn factor(&mut self) -> f64 {
        let normal: f64 = self.rng.sample(StandardNormal);
        (self.service.sigma * normal).exp().max(self.floor)
    }
}

/// A running average of the throughput, as a share of the limit.
#[derive(Debug, Clone)]
pub(crate) struct Utilisation {
    share: f64,
    at: f64,
    /// Time constant, in nanoseconds.
    window: f64,
}

impl Default for Utilisation {
    fn default() -> Self {
        Self { share: 0.0, at: 0.0, window: BehaviourConstants::embedded().utilisation_window.0 as f64 }
    }
}

impl Utilisation {
    /// The share at `at`, before work that takes `busy` nanoseconds at the limit; then adds that work.
    pub(crate) fn add(&mut self, at: f64, busy: f64) -> f64 {
        self.share *= ((self.at - at) / self.window).exp();
        self.at = at;
        let before = self.share;
        self.share += busy / self.window;
        before.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VolumeCalibration;
    use units::{Bytes, Nanos};

    #[test]
    fn what_is_drawn_has_the_median_and_mean_that_the_formula_says() {
        for kind in VolumeCalibration::kinds() {
            let service = VolumeCalibration::of(kind).unwrap().service;
            let mut sampler = Sampler::new(service, 7);
            for (direction, size, load) in [(IoDirection::Read, 4096, 0.0), (IoDirection::Write, 65_536, 0.7)] {
                let mut drawn: Vec<f64> = (0..100_000).map(|_| sampler.draw(direction, size, load, 0.0)).collect();
                drawn.sort_by(f64::total_cmp);
                let median = service.median(direction, Bytes(size), load);
                let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
                assert!((drawn[50_000] / median.0 as f64 - 1.0).abs() < 0.01, "{kind} {direction:?}");
                assert!((mean / 1e9 / service.mean(median) - 1.0).abs() < 0.01, "{kind} {direction:?}");
            }
        }
    }

    #[test]
    fn a_read_waits_for_dies_that_program_as_long_as_the_formula_says_and_a_write_does_not() {
        let service = VolumeCalibration::of("nvme").unwrap().service;
        assert!(service.program > Nanos(0));
        let mean = |direction, writing| {
            let mut sampler = Sampler::new(service, 7);
            (0..100_000).map(|_| sampler.draw(direction, 4096, 0.0, writing)).sum::<f64>() / 100_000.0 / 1e9
        };
        let waited = mean(IoDirection::Read, 0.6) - mean(IoDirection::Read, 0.0);
        assert!((waited / service.mean_wait_for_writes(0.6) - 1.0).abs() < 0.02, "{waited}");
        assert_eq!(mean(IoDirection::Write, 0.6), mean(IoDirection::Write, 0.0));
    }

    #[test]
    fn the_utilisation_settles_at_the_offered_share() {
        let mut load = Utilisation::default();
        let last = (0..10_000).map(|i| load.add(f64::from(i) * 1e6, 0.6e6)).last().unwrap();
        assert!((last - 0.6).abs() < 0.01, "{last}");
    }
}
