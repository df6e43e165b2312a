//! Whether answers come one by one, or many at a time.

/// Whether fewer answers come at a time than a thread would find that looks for them seldom, so that it had better not be woken by
/// each.
#[derive(Debug)]
pub(super) struct Trickle {
    /// Answers for each wake-up, in the mean of the last; `None` before the first.
    each: Option<f64>,
    /// Looks until the next that is not put off, so that it is seen when they come many at a time again.
    looks: u32,
}

/// Of the mean each wake-up is so small a part.
const PART: f64 = 1.0 / 16.0;

/// Of so many looks that are put off one is not.
const SEEN: u32 = 64;

impl Trickle {
    pub(super) fn new() -> Self {
        Self { each: None, looks: SEEN }
    }

    /// Whether the next look is put off, by which it would find so many.
    pub(super) fn puts_off(&mut self, found: f64) -> bool {
        if self.each.is_none_or(|each| each >= found) {
            return false;
        }
        self.looks = self.looks.checked_sub(1).unwrap_or(SEEN);
        self.looks > 0
    }

    /// A look that was not put off found so many answers.
    pub(super) fn came(&mut self, answers: usize) {
        if answers > 0 {
            let each = self.each.get_or_insert(answers as f64);
            *each += (answers as f64 - *each) * PART;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a thousand looks, how many are put off, with so many answers for each that is not.
    fn put_off(trickle: &mut Trickle, answers: usize) -> u32 {
        let mut put_off = 0;
        for _ in 0..1000 {
            if trickle.puts_off(4.0) {
                put_off += 1;
            } else {
                trickle.came(answers);
            }
        }
        put_off
    }

    #[test]
    fn looks_are_put_off_while_answers_come_one_by_one() {
        let mut trickle = Trickle::new();
        assert_eq!(put_off(&mut trickle, 40), 0);
        assert!(put_off(&mut trickle, 1) > 900);
        // It takes one that was not put off to see that they come otherwise.
        assert!(put_off(&mut trickle, 40) <= 65);
        assert_eq!(put_off(&mut trickle, 40), 0);
    }
}
