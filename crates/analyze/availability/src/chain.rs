//! Continuous-time Markov chains of a few hundred states, solved without subtraction, so that probabilities of 1e-15
//! keep all their digits.

use std::collections::BTreeMap;

/// A chain over the states reachable from a first one. `E` labels why a transition happens.
#[derive(Debug)]
pub(crate) struct Chain<S, E> {
    /// The states; the first is where the search began.
    pub(crate) states: Vec<S>,
    /// From, to, rate, label.
    pub(crate) transitions: Vec<(usize, usize, f64, E)>,
}

impl<S: Ord + Clone, E> Chain<S, E> {
    /// All states reachable from `first` over transitions of positive rate.
    pub(crate) fn explore(first: S, mut next: impl FnMut(&S) -> Vec<(S, f64, E)>) -> Self {
        let mut index = BTreeMap::from([(first.clone(), 0)]);
        let mut chain = Self { states: vec![first], transitions: Vec::new() };
        let mut from = 0;
        while from < chain.states.len() {
            for (state, rate, label) in next(&chain.states[from]) {
                if rate > 0.0 {
                    let to = *index.entry(state).or_insert_with_key(|state| {
                        chain.states.push(state.clone());
                        chain.states.len() - 1
                    });
                    chain.transitions.push((from, to, rate, label));
                }
            }
            from += 1;
        }
        chain
    }

    /// The share of time spent in each state in the long run. The chain must come back to its first state from any.
    ///
    /// Elimination after Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for
    /// Markov chains", Operations Research 33 (1985).
    pub(crate) fn stationary(&self) -> Vec<f64> {
        let n = self.states.len();
        let mut q = vec![vec![0.0; n]; n];
        for (from, to, rate, _) in &self.transitions {
            q[*from][*to] += rate;
        }
        for k in (1..n).rev() {
            let (above, rest) = q.split_at_mut(k);
            let row = &rest[0][..k];
            let leaving: f64 = row.iter().sum();
            for (i, other) in above.iter_mut().enumerate() {
                other[k] /= leaving;
                let share = other[k];
                if share > 0.0 {
                    for (j, rate) in row.iter().enumerate().filter(|(j, _)| *j != i) {
                        other[j] += share * rate;
                    }
                }
            }
        }
        let mut time = vec![1.0; n];
        for k in 1..n {
            time[k] = (0..k).map(|i| time[i] * q[i][k]).sum();
        }
        let total: f64 = time.iter().sum();
        time.iter().map(|t| t / total).collect()
    }

    /// The mean time until the chain, begun with the weights of `start`, leaves the states marked `inside`, and how
    /// often each label is on the transition out. Weights sum to 1 and are zero outside.
    pub(crate) fn leave(&self, inside: &[bool], start: &[f64]) -> (f64, BTreeMap<E, f64>)
    where
        E: Copy + Ord,
    {
        // Time spent in each state before leaving: t (D - Q) = start, with D the rates out and Q those between
        // inside states; a diagonally dominant system, so no pivoting.
        let states: Vec<usize> = (0..self.states.len()).filter(|i| inside[*i]).collect();
        let place: BTreeMap<usize, usize> = states.iter().enumerate().map(|(row, state)| (*state, row)).collect();
        let n = states.len();
        let mut matrix = vec![vec![0.0; n]; n];
        for (from, to, rate, _) in self.transitions.iter().filter(|(from, ..)| inside[*from]) {
            matrix[place[from]][place[from]] += rate;
            if let Some(to) = place.get(to) {
                matrix[*to][place[from]] -= rate;
            }
        }
        let mut time: Vec<f64> = states.iter().map(|i| start[*i]).collect();
        for k in 0..n {
            let (done, below) = matrix.split_at_mut(k + 1);
            let row = &done[k];
            for (i, other) in below.iter_mut().enumerate().filter(|(_, other)| other[k] != 0.0) {
                let factor = other[k] / row[k];
                for j in k..n {
                    other[j] -= factor * row[j];
                }
                time[k + 1 + i] -= factor * time[k];
            }
        }
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| matrix[k][j] * time[j]).sum();
            time[k] = (time[k] - known) / matrix[k][k];
        }
        let mut labels = BTreeMap::new();
        for (from, to, rate, label) in &self.transitions {
            if inside[*from] && !inside[*to] {
                *labels.entry(*label).or_insert(0.0) += time[place[from]] * rate;
            }
        }
        (time.iter().sum(), labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue with `capacity` places: arrivals at rate `a`, one served at rate `b`.
    fn queue(capacity: u32, a: f64, b: f64) -> Chain<u32, bool> {
        Chain::explore(0, |n: &u32| {
            let mut next = Vec::new();
            if *n < capacity {
                next.push((n + 1, a, true));
            }
            if *n > 0 {
                next.push((n - 1, b, false));
            }
            next
        })
    }

    #[test]
    fn a_queue_has_geometric_occupancy_down_to_the_rarest_state() {
        let shares = queue(10, 0.01, 1.0).stationary();
        for pair in shares.windows(2) {
            assert!((pair[1] / pair[0] / 0.01 - 1.0).abs() < 1e-12, "{pair:?}");
        }
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn leaving_a_full_queue_takes_a_service_for_each_place() {
        let chain = queue(4, 0.0001, 2.0);
        let full = queue(4, 0.0, 2.0);
        assert_eq!(full.states.len(), 1, "no arrivals: nothing else is reachable");
        let inside: Vec<bool> = chain.states.iter().map(|n| *n > 0).collect();
        let start: Vec<f64> = chain.states.iter().map(|n| if *n == 4 { 1.0 } else { 0.0 }).collect();
        let (time, labels) = chain.leave(&inside, &start);
        assert!((time - 2.0).abs() < 0.001, "{time}");
        assert!((labels[&false] - 1.0).abs() < 1e-9);
    }
}
