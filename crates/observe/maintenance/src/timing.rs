//! When to begin with what must be done before an event.

use std::time::Duration;

use jiff::Timestamp;

use crate::{EventCertainty, MaintenanceKind, MaintenanceNotice, NoticeState};

/// When to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainStart {
    /// At once.
    Now,
    /// Not yet: a store without leaders serves nobody.
    At(Timestamp),
    /// Not at all, and why.
    Never(&'static str),
}

/// When to begin so that work that takes `need` ends `margin` before the deadline. Without a deadline, or when it is too
/// near, at once: leaders that moved before the machine stops are better than none.
pub fn begin(notice: &MaintenanceNotice, need: Duration, margin: Duration, now: Timestamp) -> DrainStart {
    if notice.kind == MaintenanceKind::Unknown {
        return DrainStart::Never("this version does not know what the word means");
    }
    if notice.certainty == EventCertainty::Possible {
        return DrainStart::Never("nothing is decided yet");
    }
    if notice.state == NoticeState::Started {
        return DrainStart::Never("it is under way already");
    }
    let at = notice.deadline.and_then(|deadline| deadline.checked_sub(need + margin).ok());
    match at {
        Some(at) if at > now => DrainStart::At(at),
        _ => DrainStart::Now,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::MachineCloud;

    fn notice(deadline: Option<i64>) -> MaintenanceNotice {
        MaintenanceNotice {
            id: "1".to_owned(),
            cloud: MachineCloud::Aws,
            subject: "i-1".to_owned(),
            kind: MaintenanceKind::Reboot,
            word: "system-reboot".to_owned(),
            not_before: None,
            deadline: deadline.map(|second| Timestamp::from_second(second).unwrap()),
            until: None,
            certainty: EventCertainty::Announced,
            state: NoticeState::Scheduled,
            returns: true,
            machines: Vec::new(),
        }
    }

    #[test]
    fn what_nobody_decided_what_nobody_knows_and_what_has_begun_are_left_alone() {
        let at = |notice: MaintenanceNotice| begin(&notice, Duration::ZERO, Duration::ZERO, Timestamp::UNIX_EPOCH);
        let plain = notice(None);
        assert_eq!(at(plain.clone()), DrainStart::Now);
        assert!(matches!(
            at(MaintenanceNotice { certainty: EventCertainty::Possible, ..plain.clone() }),
            DrainStart::Never(_)
        ));
        assert!(matches!(
            at(MaintenanceNotice { kind: MaintenanceKind::Unknown, ..plain.clone() }),
            DrainStart::Never(_)
        ));
        assert!(matches!(at(MaintenanceNotice { state: NoticeState::Started, ..plain }), DrainStart::Never(_)));
    }

    proptest! {
        #[test]
        fn work_ends_a_margin_before_the_deadline_unless_it_is_too_near(
            deadline in 0..1_000_000i64, now in 0..1_000_000i64, need in 0..1000u64, margin in 0..100u64
        ) {
            let spans = [need, margin].map(Duration::from_secs);
            let now = Timestamp::from_second(now).unwrap();
            let begins = match begin(&notice(Some(deadline)), spans[0], spans[1], now) {
                DrainStart::At(at) => at,
                DrainStart::Now => now,
                DrainStart::Never(why) => return Err(TestCaseError::fail(why)),
            };
            let ends = begins + spans[0] + spans[1];
            let deadline = Timestamp::from_second(deadline).unwrap();
            prop_assert!(begins >= now && (ends == deadline || (begins == now && ends > deadline)));
        }
    }
}
