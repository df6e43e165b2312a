//! The steps that a run is told in, whichever world runs.

use std::collections::BTreeMap;

use deployment::Deployment;
use units::Nanos;

use crate::SimulationOptions;

/// Virtual time after which whoever watches hears how far a run is, where its steps are longer.
const LOOK: Nanos = Nanos::secs(1);

/// Why a world stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// A step ends.
    Tick,
    /// Whoever watches is to hear.
    Look,
    /// The same, for much has happened since.
    Pause,
}

/// Events after which a world pauses, so that whoever watches is asked about once a second, however much happens in a virtual one.
pub(crate) const PAUSE: u64 = 1 << 20;

/// A world in virtual time that can be stopped.
pub(crate) trait Stepped {
    /// How far it is.
    fn now(&self) -> Nanos;

    /// Lets it stop at an instant.
    fn stop_at(&mut self, at: Nanos, due: Due);

    /// Lets it run until it has to stop, or for [`PAUSE`] events.
    fn run(&mut self) -> Due;
}

/// The steps of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// How long each is.
    pub(crate) step: Nanos,
    /// How many are not measured.
    pub(crate) warm: u64,
    count: u64,
}

impl Steps {
    /// Those that a run of so many nodes comes to. At least the last is measured.
    pub(crate) fn of(options: &SimulationOptions, nodes: u32) -> Self {
        let step = options.actual_step(nodes);
        let count = options.span.0.div_ceil(step.0);
        Self { step, warm: (options.warm_up.0 / step.0).min(count - 1), count }
    }

    /// Lets a world run. `each` hears of the end of each step, numbered from 1, and `watch` how far it is; both may end the run.
    pub(crate) fn run<W: Stepped>(
        &self,
        world: &mut W,
        watch: &mut dyn FnMut(Nanos) -> bool,
        mut each: impl FnMut(&mut W, u64) -> bool,
    ) {
        world.stop_at(self.step, Due::Tick);
        if self.step > LOOK {
            world.stop_at(LOOK, Due::Look);
        }
        for number in 1..=self.count {
            loop {
                match world.run() {
                    Due::Tick => break,
                    _ if !watch(world.now()) => return,
                    Due::Look => world.stop_at(world.now() + LOOK, Due::Look),
                    Due::Pause => {}
                }
            }
            world.stop_at(Nanos((number + 1) * self.step.0), Due::Tick);
            if !each(world, number) || !watch(world.now()) {
                return;
            }
        }
    }

    /// What a Timeline says of its run.
    pub(crate) fn notes(
        &self,
        deployment: &Deployment,
        options: &SimulationOptions,
        until: Nanos,
    ) -> BTreeMap<String, String> {
        let mut notes = BTreeMap::from([
            ("seed".to_owned(), options.seed.to_string()),
            ("deployment".to_owned(), deployment.to_toml()),
            ("measured-from-ns".to_owned(), (self.warm * self.step.0).to_string()),
            ("measured-until-ns".to_owned(), until.0.to_string()),
        ]);
        notes.extend(options.script.text().map(|events| ("events".to_owned(), events.content().to_owned())));
        notes
    }
}
