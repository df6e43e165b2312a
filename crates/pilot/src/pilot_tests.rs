use jiff::Timestamp;
use units::Nanos;

use super::*;
use crate::twin::{MemoryAudit, MemoryLines, Twin};
use crate::{Replay, WorldError};

struct Quiet;

impl Source for Quiet {
    fn look(&mut self, _: Now, _: &mut Seen) -> Result<(), WorldError> {
        Ok(())
    }
}

struct Silent(&'static str);

impl Source for Silent {
    fn look(&mut self, _: Now, _: &mut Seen) -> Result<(), WorldError> {
        Err(WorldError::Silent { peer: self.0.to_owned(), why: "it rests".to_owned() })
    }
}

#[test]
fn each_source_that_is_silent_is_told_once_however_many_there_are() {
    let audit = MemoryAudit::default();
    let (replay, _) = Replay::read("journal", "").unwrap();
    let journal = Journal::open(Box::new(MemoryLines::default()), replay, "7001", "p", Timestamp::UNIX_EPOCH).unwrap();
    let now = |second| Now { wall: Timestamp::UNIX_EPOCH, mono: Nanos::secs(second) };
    let mut pilot = Pilot::new(Twin::new(1, &[]).world(), journal, Box::new(audit.clone()), now(0)).unwrap();
    for name in ["one", "two", "three", "four"] {
        pilot = pilot.source(Box::new(Silent(name))).source(Box::new(Quiet));
    }
    (1..10).for_each(|second| drop(pilot.look(now(second))));
    let said = audit.sentences();
    let times = |name: &str| said.iter().filter(|said| said.contains(&format!("{name} does not answer"))).count();
    assert_eq!(["one", "two", "three", "four"].map(times), [1, 1, 1, 1], "{said:?}");
}
