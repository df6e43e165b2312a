//! Several subjects looked at side by side, a thread each, so that one that does not answer holds nobody up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use timeline::Timeline;

use crate::{ClusterError, SampleRound, SampleRounds};

/// Looks under way: each subject, and what was seen of it.
#[derive(Debug)]
pub(crate) struct Looks<Subject, Seen> {
    of: Vec<(Arc<Subject>, Arc<Mutex<Seen>>)>,
    rounds: Vec<SampleRounds>,
}

impl<Subject, Seen> Looks<Subject, Seen>
where
    Subject: Send + Sync + 'static,
    Seen: Default + Send + 'static,
{
    /// Begins; `look` is called each second, in a thread that `name` names.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(
        subjects: impl IntoIterator<Item = Arc<Subject>>,
        name: impl Fn(&Subject) -> String,
        look: impl Fn(&Subject, &Mutex<Seen>, SampleRound) + Clone + Send + 'static,
    ) -> Result<Self, ClusterError> {
        let mut looks = Self { of: Vec::new(), rounds: Vec::new() };
        for subject in subjects {
            let seen = Arc::<Mutex<Seen>>::default();
            let (of, into, look) = (Arc::clone(&subject), Arc::clone(&seen), look.clone());
            let rounds = SampleRounds::start(name(&subject), move |round| look(&of, &into, round));
            looks.rounds.push(rounds.map_err(|error| ClusterError::system("no thread can be started", error))?);
            looks.of.push((subject, seen));
        }
        Ok(looks)
    }

    /// What is to be told of each subject now, in their order.
    pub(crate) fn map<T>(&self, tell: impl Fn(&Subject, &Seen) -> T) -> Vec<T> {
        self.of.iter().map(|(subject, seen)| tell(subject, &locked(seen))).collect()
    }

    /// Looks once more and ends: the Timelines of all subjects as one.
    ///
    /// # Errors
    /// When the samples make no valid Timeline: a clock that went backwards.
    pub(crate) fn finish<const N: usize>(
        mut self,
        timelines: impl Fn(&Subject, &Seen) -> [Timeline; N],
    ) -> Result<Timeline, ClusterError> {
        self.rounds.iter().for_each(SampleRounds::hurry);
        self.rounds.clear();
        let mut all = Timeline::default();
        for timeline in self.map(timelines).into_iter().flatten() {
            let merged = all.merge(&timeline);
            all = merged.map_err(|error| ClusterError::system("the samples are no Timeline", error))?;
        }
        Ok(all)
    }
}

/// Every sample is whole: a look that panicked has added none.
pub(crate) fn locked<Seen>(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
