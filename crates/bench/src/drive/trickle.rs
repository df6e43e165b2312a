//! Whether answers come one by one, or many at a time.

use super::arrivals::ANSWERS;

/// Whether answers come so few at a time that a thread had better look for them seldom than be woken by each.
#[derive(Debug)]
pub(super) struct Trickle {
    /// Answers for each wake-up, in the mean of the last.
    each: f64,
    /// Looks until the next that is not put off, so that it is seen when they come many at a time again.
    looks: u32,
}

/// Of the mean each wake-up is so small a part.
const PART: f64 = 1.0 / 16.0;

/// Of so many looks that are put off one is not.
const SEEN: u32 = 64;

impl Trickle {
    pub(super) fn new() -> Self {
        Self { each: 2.0 * f64::from(ANSWERS), looks: SEEN }
    }

    /// Whether the next look is put off.
    pub(super) fn puts_off(&mut self) -> bool {
        if self.each >= f64::from(ANSWERS) {
            return false;
        }
        self.looks = self.looks.checked_sub(1).unwrap_or(SEEN);
        self.looks > 0
    }

    /// A look that was not put off found so many answers.
    pub(super) fn came(&mut self, answers: usize) {
        if answers > 0 {
            self.each += (answers as f64 - self.each) * PART;
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
            if trickle.puts_off() {
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
