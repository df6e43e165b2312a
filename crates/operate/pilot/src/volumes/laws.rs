//! Days in virtual time: volumes that are asked for anything at all, a cloud that fails as it likes, a pilot that is killed at any
//! line. The budget, the cloud's rules and what was needed are kept, and every change ends as meant or as it was.

use std::collections::BTreeMap;

use diagnose::KnownFacts;
use disk::Disk;
use proptest::prelude::*;
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};
use units::{Nanos, Usd};
use volume_control::{CloudError, CloudFault, ManagedVolume, VolumeCloud, VolumePolicy};

use super::testing::{Place, known};
use crate::{ClockReading, Pilot, PilotError, PilotStep, ProcedureRun};

const STEP: u64 = 1800;
const DAY: u64 = 86_400;
/// Six hours each, in which a load stays.
const PERIODS: usize = 12;
const KIB: f64 = 16.0;

#[derive(Debug, Clone)]
struct Days {
    disks: Vec<&'static str>,
    /// For each volume, what is asked of it in each six hours, in I/Os a second.
    asked: Vec<Vec<f64>>,
    faults: Vec<Option<CloudFault>>,
    /// In each round, the line of the journal that kills the pilot, counted from there.
    kills: Vec<Option<u64>>,
    cooldown: Nanos,
    /// Over what the volumes cost at first.
    budget: f64,
}

fn days() -> impl Strategy<Value = Days> {
    let disks =
        prop::sample::select(vec!["gp3:400GiB", "gp3:400GiB,12000iops,500MiB/s", "gp2:400GiB", "io1:400GiB,5000iops"]);
    let load = prop_oneof![3 => 50.0..2000.0, 1 => 2000.0..15_000.0];
    let fault = prop::sample::select(vec![
        None,
        None,
        Some(CloudFault::Throttle),
        Some(CloudFault::LoseRequest),
        Some(CloudFault::LoseAnswer),
        Some(CloudFault::Half),
        Some(CloudFault::FailInTheEnd),
    ]);
    let kill = prop_oneof![3 => Just(None), 1 => (0..6u64).prop_map(Some)];
    let volume = (disks, prop::collection::vec(load, PERIODS));
    let cooldown = prop::sample::select(vec![Nanos(0), Nanos::secs(6 * 3600)]);
    (
        prop::collection::vec(volume, 1..4),
        prop::collection::vec(fault, 0..12),
        prop::collection::vec(kill, 1..12),
        cooldown,
        prop_oneof![Just(0.0), 0.0..200.0],
    )
        .prop_map(|(volumes, faults, kills, cooldown, budget)| {
            let (disks, asked) = volumes.into_iter().unzip();
            Days { disks, asked, faults, kills, cooldown, budget }
        })
}

/// Volumes that are asked for something, and their pilot; `None` while it is dead.
struct World {
    place: Place,
    pilot: Option<Pilot>,
    known: KnownFacts,
    ids: Vec<String>,
    /// What was delivered, by volume and interval.
    delivered: Vec<Vec<f64>>,
    /// What each run's volume was when it began, and what it was to be.
    begun: BTreeMap<u64, (String, Disk, Disk)>,
}

impl World {
    fn new(days: &Days) -> Self {
        let ids: Vec<String> = (0..days.disks.len()).map(|i| format!("vol-{i}")).collect();
        let disks: Vec<(&str, &str)> = ids.iter().map(String::as_str).zip(days.disks.iter().copied()).collect();
        let policy = VolumePolicy {
            window: Nanos::secs(2 * DAY),
            shrink_after: Nanos::secs(DAY),
            recent: Nanos::secs(2 * STEP),
            rest: Nanos::secs(DAY / 2),
            ..VolumePolicy::default()
        };
        let place = Place::new(&disks, days.cooldown, policy);
        place.bridge.fleet().fake.fail(days.faults.iter().copied());
        let delivered = vec![Vec::new(); ids.len()];
        let mut world = Self { place, pilot: None, known: known(), ids, delivered, begun: BTreeMap::new() };
        world.place.policy.budget = Some(Usd(world.price().0 + days.budget));
        world
    }

    fn described(&self) -> Vec<ManagedVolume> {
        self.place.bridge.fleet().fake.describe(&self.ids).unwrap()
    }

    /// What the volumes cost a month, each as it is or is becoming, whichever is more.
    fn price(&self) -> Usd {
        let price = |disk: &Disk, known: &KnownFacts| known.monthly(disk).unwrap().0;
        let volumes = self.described();
        let of = |volume: &ManagedVolume| {
            let pending = volume.pending().map_or(0.0, |change| price(&change.to, &self.known));
            Usd(price(&volume.disk, &self.known).max(pending))
        };
        volumes.iter().map(of).sum()
    }

    /// Lets an interval pass in which so much is asked.
    fn pass(&mut self, interval: u64, asked: &[f64]) {
        let volumes = self.described();
        for (i, (volume, asked)) in volumes.iter().zip(asked).enumerate() {
            let limits = self.known.limits("", &volume.disk).unwrap();
            let most = limits.iops.0.min(limits.throughput.0 / (KIB * 1024.0));
            let delivered = asked.min(most);
            self.delivered[i].push(delivered);
            let ms = if *asked > most { 25.0 } else { 1.0 };
            let (count, bytes) = (delivered * STEP as f64 / 2.0, delivered * STEP as f64 / 2.0 * KIB * 1024.0);
            let seconds = count * ms / 1e3;
            for (name, unit, merge, value) in [
                ("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, count),
                ("VolumeWriteOps", SeriesUnit::Count, MergeRule::Sum, count),
                ("VolumeReadBytes", SeriesUnit::Bytes, MergeRule::Sum, bytes),
                ("VolumeWriteBytes", SeriesUnit::Bytes, MergeRule::Sum, bytes),
                ("VolumeTotalReadTime", SeriesUnit::Seconds, MergeRule::Sum, seconds),
                ("VolumeTotalWriteTime", SeriesUnit::Seconds, MergeRule::Sum, seconds),
                ("VolumeQueueLength", SeriesUnit::Count, MergeRule::Mean, delivered * ms / 1e3),
            ] {
                self.put(name, &volume.id, (unit, merge), interval, value);
            }
        }
        self.place.pass(STEP);
    }

    fn put(&mut self, name: &str, id: &str, (unit, merge): (SeriesUnit, MergeRule), interval: u64, value: f64) {
        let of = |series: &Series| series.name == name && series.labels["VolumeId"] == id;
        let timeline = &mut self.place.bridge.fleet().timeline;
        if !timeline.series.iter().any(of) {
            let labels = BTreeMap::from([("VolumeId".to_owned(), id.to_owned())]);
            let points = SeriesPoints::Values(merge, Vec::new());
            timeline.series.push(Series { name: name.to_owned(), labels, unit, points });
        }
        let (from, until) = (Nanos::secs(interval * STEP), Nanos::secs((interval + 1) * STEP));
        let series = timeline.series.iter_mut().find(|series| of(series)).unwrap();
        if let SeriesPoints::Values(_, points) = &mut series.points {
            points.push(SeriesPoint { from, until, value });
        }
    }

    /// One turn of the pilot, killed at a line or not.
    fn turn(&mut self, kill: Option<u64>) {
        if let Some(line) = kill {
            let twin = &self.place.twin;
            twin.cut_line(twin.lines() + line);
        }
        let before = self.described();
        self.live(|pilot, now| pilot.tick(now, None));
        // From the journal: a run whose pilot was killed in it has begun, too.
        let runs = self.place.replay().runs;
        for (number, (id, to)) in runs.values().map(|run| (run.number, modified(run))) {
            if !self.begun.contains_key(&number) {
                let from = before.iter().find(|volume| volume.id == id).unwrap().disk.clone();
                self.keeps_what_was_needed(&id, &from, &to);
                self.begun.insert(number, (id, from, to));
            }
        }
    }

    /// Lets the pilot do something, a new one if the last was killed.
    fn live(&mut self, what: impl Fn(&mut Pilot, ClockReading) -> Result<(), PilotError>) {
        self.place.twin.revive();
        let now = self.place.twin.now();
        let pilot = self.pilot.take().map_or_else(|| self.place.start(), Ok);
        let done = pilot.and_then(|mut pilot| what(&mut pilot, now).map(|()| pilot));
        if !self.place.twin.is_dead() {
            self.pilot = Some(done.unwrap());
        }
    }

    /// No volume is to give less than it does and less than the most that was delivered in the window.
    fn keeps_what_was_needed(&self, id: &str, from: &Disk, to: &Disk) {
        let i = self.ids.iter().position(|other| other == id).unwrap();
        let window = (self.place.policy.window.0 / Nanos::secs(STEP).0) as usize;
        let most = self.delivered[i].iter().rev().take(window).copied().fold(0.0, f64::max);
        assert_eq!(from.volume.size, to.volume.size);
        let [from, to] = [from, to].map(|disk| self.known.limits("", disk).unwrap());
        assert!(to.iops.0 >= most.min(from.iops.0), "{id} of {most} I/Os a second is to have {}", to.iops);
        let most = most * KIB * 1024.0;
        assert!(to.throughput.0 >= most.min(from.throughput.0), "{id} of {most} bytes a second: {}", to.throughput);
    }
}

/// What a run makes of which volume.
fn modified(run: &ProcedureRun) -> (String, Disk) {
    let steps: Vec<&PilotStep> = run.procedure.steps().map(|(_, step)| step).collect();
    match steps[..] {
        [PilotStep::ModifyVolume { volume, to }] => (volume.clone(), to.clone()),
        _ => panic!("{steps:?}"),
    }
}

/// A volume that is asked for too much, and then for next to nothing.
#[test]
fn in_some_days_a_volume_grows_and_later_shrinks() {
    let mut asked = vec![100.0; PERIODS];
    asked[1] = 6000.0;
    let (disks, asked) = (vec!["gp3:400GiB"], vec![asked]);
    let days = Days { disks, asked, faults: Vec::new(), kills: Vec::new(), cooldown: Nanos(0), budget: 100.0 };
    let mut world = World::new(&days);
    world.place.policy.window = Nanos::secs(DAY);
    for interval in 0..6 * 3600 / STEP * PERIODS as u64 {
        world.pass(interval, &[days.asked[0][(interval * STEP / (6 * 3600)) as usize]]);
        world.turn(None);
    }
    let sizes: Vec<f64> = world.begun.values().map(|(_, _, to)| to.volume.iops.unwrap().0).collect();
    assert!(sizes[0] > 3000.0 && *sizes.last().unwrap() < sizes[0], "{sizes:?}");
    assert_eq!(world.place.disk("vol-0").volume.iops.unwrap().0, *sizes.last().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn whatever_is_asked_and_whatever_fails_the_bounds_are_kept_and_every_change_ends(days in days()) {
        let mut world = World::new(&days);
        let budget = world.place.policy.budget.unwrap();
        let in_six_hours = 6 * 3600 / STEP;
        for interval in 0..in_six_hours * PERIODS as u64 {
            let asked: Vec<f64> = days.asked.iter().map(|asked| asked[(interval / in_six_hours) as usize]).collect();
            world.pass(interval, &asked);
            if interval % 2 == 0 {
                world.turn(days.kills[(interval / 2) as usize % days.kills.len()]);
            }
            let price = world.price();
            prop_assert!(price.0 <= budget.0 + 1e-6, "{price} a month, and the budget is {budget}");
        }
        // Nothing fails any more, and nothing new is begun.
        world.place.bridge.fleet().fake.heal();
        for _ in 0..24 * 9 {
            world.live(Pilot::drive);
            world.place.pass(3600);
        }
        let idle = world.pilot.as_ref().is_some_and(Pilot::is_idle);
        prop_assert!(idle, "it does not come to an end:\n{}", world.place.lines.text());
        // Nobody else changes anything here, so each volume is what its last change meant, or what it was before.
        for (volume, first) in world.described().iter().zip(&days.disks) {
            let last = world.begun.values().rev().find(|(id, ..)| *id == volume.id);
            let first: Disk = first.parse().unwrap();
            let fits = match last {
                Some((_, from, to)) => [from, to].contains(&&volume.disk),
                None => volume.disk.volume.kind == first.volume.kind,
            };
            prop_assert!(fits, "{} is {}, and was last changed as {last:?}", volume.id, volume.disk);
        }
        // Nothing was ever asked for that is not sold.
        let fleet = world.place.bridge.fleet();
        let unsold = fleet.fake.refused.iter().find(|error| matches!(error, CloudError::Invalid { .. }));
        prop_assert_eq!(unsold, None);
    }
}
