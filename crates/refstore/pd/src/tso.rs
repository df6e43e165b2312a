//! Timestamps: the physical part is milliseconds of the epoch, the logical part counts within 18 bits.

/// How far ahead of what was given out the file says that timestamps may go (PD 8.5: `tso-save-interval` 3 s).
const WINDOW: u64 = 3_000;
/// Logical parts of a millisecond.
const LOGICAL: u64 = 1 << 18;

/// The oracle. It never gives what it gave before, neither when the clock is set back nor after a restart.
#[derive(Debug)]
pub(crate) struct Tso {
    physical: u64,
    /// Given out of `physical`.
    logical: u64,
}

impl Tso {
    /// Goes on where nothing was given out yet: `until` comes from the file.
    pub(crate) fn after(until: u64) -> Self {
        Self { physical: until, logical: 0 }
    }

    /// Takes `count` timestamps (1 to 2^18) and answers the last, as physical and logical part. `until` moves when the
    /// file must be written before the timestamps are handed out.
    pub(crate) fn take(&mut self, now_ms: u64, count: u32, until: &mut u64) -> (u64, u64) {
        let count = u64::from(count).clamp(1, LOGICAL - 1);
        if now_ms > self.physical {
            (self.physical, self.logical) = (now_ms, 0);
        }
        if self.logical + count >= LOGICAL {
            (self.physical, self.logical) = (self.physical + 1, 0);
        }
        self.logical += count;
        if self.physical >= *until {
            *until = self.physical + WINDOW;
        }
        (self.physical, self.logical)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Take { now: u64, count: u32 },
        Restart,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let take = (0u64..20_000, prop_oneof![1u32..9, 200_000u32..=262_143]);
        let take = take.prop_map(|(now, count)| Step::Take { now, count });
        prop::collection::vec(prop_oneof![6 => take, 1 => Just(Step::Restart)], 1..60)
    }

    proptest! {
        #[test]
        fn no_timestamp_is_given_twice_whatever_the_clock_does(steps in steps()) {
            let (mut until, mut last) = (0, 0);
            let mut tso = Tso::after(until);
            for step in steps {
                match step {
                    Step::Restart => tso = Tso::after(until),
                    Step::Take { now, count } => {
                        let (physical, logical) = tso.take(now, count, &mut until);
                        prop_assert!(logical < LOGICAL);
                        let first = (physical << 18) + logical - u64::from(count) + 1;
                        prop_assert!(first > last, "{first} after {last}");
                        last = (physical << 18) + logical;
                        prop_assert!(physical < until);
                    }
                }
            }
        }
    }

    #[test]
    fn it_follows_the_clock() {
        let (mut until, mut tso) = (0, Tso::after(0));
        assert_eq!(tso.take(1_000, 1, &mut until), (1_000, 1));
        assert_eq!(tso.take(1_000, 5, &mut until), (1_000, 6));
        assert_eq!(tso.take(1_001, 1, &mut until), (1_001, 1));
        assert_eq!(until, 4_000);
    }
}
