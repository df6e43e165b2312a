//! The least of a function of a few numbers between 0 and 1, by coordinate descent: one step along each axis in turn, longer
//! after a success, shorter after none. It needs no derivative, and bears the small steps that chance makes in a simulation.

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FitResult {
    /// Where.
    pub at: Vec<f64>,
    /// The function's value there.
    pub cost: f64,
    /// How often the function was asked.
    pub asked: usize,
}

/// The first steps along each axis: once they have become too short, it begins again with the next, for a valley that lies
/// across the axes ends a descent too early.
const FIRST: [f64; 3] = [0.15, 0.06, 0.03];
/// The last.
const LAST: f64 = 0.004;
/// A step grows and shrinks by so much.
const LONGER: f64 = 1.6;
const SHORTER: f64 = 0.4;

/// Looks for the least of `cost` from `start` on, asking it no more than `most` times or a sweep of all axes more.
///
/// # Errors
/// Those of `cost`.
pub fn descend<E>(start: &[f64], most: usize, cost: &mut dyn FnMut(&[f64]) -> Result<f64, E>) -> Result<FitResult, E> {
    let mut best = FitResult { at: start.to_vec(), cost: cost(start)?, asked: 1 };
    let mut firsts = FIRST.into_iter();
    let mut steps = vec![0.0f64; start.len()];
    while best.asked < most {
        if steps.iter().all(|step| step.abs() <= LAST) {
            match firsts.next() {
                Some(first) => steps.fill(first),
                None => break,
            }
        }
        for axis in 0..start.len() {
            if steps[axis].abs() <= LAST {
                continue;
            }
            let better = [1.0, -1.0].into_iter().find_map(|way| {
                let mut at = best.at.clone();
                at[axis] = (at[axis] + way * steps[axis]).clamp(0.0, 1.0);
                if at == best.at {
                    return None;
                }
                best.asked += 1;
                match cost(&at) {
                    Ok(found) if found < best.cost => Some(Ok((at, found, way))),
                    Ok(_) => None,
                    Err(error) => Some(Err(error)),
                }
            });
            match better.transpose()? {
                Some((at, found, way)) => {
                    (best.at, best.cost) = (at, found);
                    steps[axis] *= way * LONGER;
                }
                None => steps[axis] *= SHORTER,
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_least_of_a_bowl_is_found(least in prop::collection::vec(0.0..1.0f64, 1..5), lean in 0.0..0.4f64) {
            let mut bowl = |at: &[f64]| {
                let off: Vec<f64> = at.iter().zip(&least).map(|(at, least)| at - least).collect();
                let across: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
                Ok::<_, Infallible>(off.iter().map(|off| off * off).sum::<f64>() + lean * across)
            };
            let fit = descend(&vec![0.5; least.len()], 2000, &mut bowl).unwrap();
            for (at, least) in fit.at.iter().zip(&least) {
                prop_assert!((at - least).abs() < 0.03, "{:?} of {least:?}", fit.at);
            }
        }
    }

    #[test]
    fn it_stays_between_the_bounds_and_keeps_to_its_budget() {
        let mut asked = 0;
        let mut down = |at: &[f64]| {
            asked += 1;
            assert!((0.0..=1.0).contains(&at[0]) && (0.0..=1.0).contains(&at[1]));
            Ok::<_, Infallible>(at[0] - at[1])
        };
        let fit = descend(&[0.5, 0.5], 40, &mut down).unwrap();
        assert_eq!((fit.at, fit.asked), (vec![0.0, 1.0], asked));
        assert!(asked <= 40 + 4, "{asked}");
    }
}
