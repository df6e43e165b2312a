use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::{
    EventCertainty, HeardNotices, MachineMetadata, MaintenanceKind, MaintenanceNotice, MetadataQuery, MetadataService,
    NoticeChange, NoticeSource, NoticeState, NoticeWatch, aws, azure, gcp,
};

const MIGRATE: &str = "MIGRATE_ON_HOST_MAINTENANCE";

fn start() -> Timestamp {
    "2026-11-21T08:00:00Z".parse().unwrap()
}

fn after(seconds: i64) -> Timestamp {
    start() + SignedDuration::from_secs(seconds)
}

fn planned(cloud: MachineCloud, word: &str, announced: i64, takes: u64) -> AnnouncedEvent {
    AnnouncedEvent::usual(cloud, word, after(announced), None, Duration::from_secs(takes)).unwrap()
}

fn twin(cloud: MachineCloud, events: &[AnnouncedEvent]) -> MetadataTwin {
    let mut emulator = MetadataEmulator::new("vm-1");
    events.iter().cloned().for_each(|event| emulator.plan(event));
    MetadataTwin::new(cloud, emulator, start())
}

/// Looks until time has come, resting as the source says; what changed, and when.
fn watch(twin: &MetadataTwin, source: &mut dyn NoticeSource, until: i64) -> Vec<(i64, NoticeChange)> {
    let machine = source.identify(twin).unwrap();
    let (mut watch, mut changes) = (NoticeWatch::default(), Vec::new());
    while twin.now() < after(until) {
        let Ok(HeardNotices { at, notices, complaints }) = source.look(twin, &machine) else {
            twin.wait_until(twin.now() + source.rest());
            continue;
        };
        assert!(complaints.is_empty(), "{complaints:?}");
        let second = at.duration_since(start()).as_secs();
        changes.extend(watch.hear(notices).into_iter().map(|change| (second, change)));
        twin.wait_until(twin.now() + source.rest());
    }
    changes
}

fn status(twin: &MetadataTwin, ask: MetadataQuery) -> u16 {
    twin.ask(&ask).unwrap().status
}

fn ask(path: &str) -> MetadataQuery {
    MetadataQuery::get(path, Duration::from_secs(150))
}

#[test]
fn each_cloud_refuses_in_its_own_way_who_does_not_know_the_protocol() {
    let twin = twin(MachineCloud::Gcp, &[]);
    let maintenance = "/computeMetadata/v1/instance/maintenance-event";
    assert_eq!(status(&twin, ask(maintenance)), 403);
    assert_eq!(status(&twin, ask(maintenance).header("metadata-flavor", "Google")), 200);
    assert_eq!(status(&twin, ask("/latest/meta-data/instance-id")), 401);
    assert_eq!(status(&twin, MetadataQuery { method: "PUT", ..ask("/latest/api/token") }), 400);
    let long = MetadataQuery {
        method: "PUT",
        ..ask("/latest/api/token").header("x-aws-ec2-metadata-token-ttl-seconds", "21601")
    };
    assert_eq!(status(&twin, long), 400);
    assert_eq!(status(&twin, ask("/metadata/scheduledevents?api-version=2020-07-01")), 400);
    assert_eq!(status(&twin, ask("/metadata/scheduledevents").header("metadata", "true")), 400);
}

#[test]
fn a_live_migration_is_heard_in_the_second_in_which_it_is_announced_and_ends_when_it_is_over() {
    let twin = twin(MachineCloud::Gcp, &[planned(MachineCloud::Gcp, MIGRATE, 3600, 20)]);
    let changes = watch(&twin, &mut gcp::KeyListener::new(gcp::MetadataKey::Maintenance), 4000);
    let [(3600, NoticeChange::Announced(notice)), altered @ .., (3680, NoticeChange::Over(_))] = changes.as_slice()
    else {
        panic!("{changes:?}")
    };
    assert_eq!((notice.deadline, notice.kind), (Some(after(3660)), MaintenanceKind::Migrate));
    assert!(
        matches!(
            altered,
            [(_, NoticeChange::Altered { now: MaintenanceNotice { state: NoticeState::Started, .. }, .. })]
        ),
        "{altered:?}"
    );
}

#[test]
fn a_machine_that_never_asked_gets_no_notice_of_a_migration() {
    let twin = twin(MachineCloud::Gcp, &[planned(MachineCloud::Gcp, MIGRATE, 100, 20)]);
    twin.wait_until(after(130));
    let ask = || ask("/computeMetadata/v1/instance/maintenance-event").header("metadata-flavor", "Google");
    assert_eq!(twin.ask(&ask()).unwrap().body, "NONE");
    // This question came after the time of the notice, and yet it counts.
    assert_eq!(twin.ask(&ask()).unwrap().body, MIGRATE);
}

#[test]
fn a_server_that_is_busy_while_it_moves_the_machine_does_not_end_the_event() {
    let twin = twin(MachineCloud::Gcp, &[planned(MachineCloud::Gcp, MIGRATE, 100, 30)]);
    twin.with(|emulator| emulator.busy(after(158), after(172)));
    let changes = watch(&twin, &mut gcp::KeyListener::new(gcp::MetadataKey::Maintenance), 400);
    let over: Vec<i64> =
        changes.iter().filter(|(_, change)| matches!(change, NoticeChange::Over(_))).map(|(at, _)| *at).collect();
    assert_eq!(over, [190]);
}

#[test]
fn a_preemption_leaves_half_a_minute() {
    let twin = twin(MachineCloud::Gcp, &[planned(MachineCloud::Gcp, "TRUE", 100, 30)]);
    let changes = watch(&twin, &mut gcp::KeyListener::new(gcp::MetadataKey::Preempted), 200);
    assert!(
        matches!(&changes[0], (100, NoticeChange::Announced(notice)) if notice.deadline == Some(after(130))),
        "{changes:?}"
    );
}

#[test]
fn a_token_is_asked_for_again_when_it_has_expired_or_is_not_taken() {
    let twin = twin(MachineCloud::Aws, &[]);
    let mut source = aws::Imds::new();
    let look = |source: &mut aws::Imds| source.look(&twin, "i-1").unwrap();
    look(&mut source);
    twin.with(MetadataEmulator::expire_tokens);
    look(&mut source);
    twin.wait_until(after(5 * 3600));
    look(&mut source);
    assert_eq!(twin.with(|emulator| emulator.aws.given()), 3);
}

#[test]
fn a_reboot_is_heard_hours_before_and_a_spot_notice_two_minutes() {
    const HOURS: i64 = 4 * 3600;
    let lead = Some(Duration::from_secs(HOURS as u64));
    let reboot =
        AnnouncedEvent::usual(MachineCloud::Aws, "system-reboot", after(10), lead, Duration::from_secs(300)).unwrap();
    let twin = twin(MachineCloud::Aws, &[reboot, planned(MachineCloud::Aws, "terminate", 1000, 60)]);
    let changes = watch(&twin, &mut aws::Imds::new(), HOURS + 400);
    let announced: Vec<_> = changes
        .iter()
        .filter_map(|(at, change)| match change {
            NoticeChange::Announced(notice) => Some((*at, notice.kind, notice.deadline, notice.certainty)),
            _ => None,
        })
        .collect();
    assert_eq!(
        announced,
        [
            (10, MaintenanceKind::Reboot, Some(after(10 + HOURS)), EventCertainty::Announced),
            (1000, MaintenanceKind::Preempt, Some(after(1120)), EventCertainty::BestEffort),
        ]
    );
    assert!(matches!(changes.last(), Some((at, NoticeChange::Over(_))) if *at == HOURS + 310), "{changes:?}");
}

#[test]
fn azures_first_answer_is_waited_for_and_its_number_rises_with_every_change() {
    let twin = twin(MachineCloud::Azure, &[planned(MachineCloud::Azure, "Freeze", 300, 9)]);
    let mut source = azure::ScheduledEvents::new();
    let first = source.look(&twin, "vm-1").unwrap();
    assert_eq!(first.at, after(120));
    let before = source.incarnation();
    let changes = watch(&twin, &mut source, 1300);
    let seconds: Vec<i64> = changes.iter().map(|(at, _)| *at).collect();
    assert_eq!(seconds, [300, 1200, 1209]);
    assert_eq!(source.incarnation().zip(before).map(|(after, before)| after - before), Some(3));
}

#[test]
fn an_approved_event_begins_at_once() {
    let twin = twin(MachineCloud::Azure, &[planned(MachineCloud::Azure, "Reboot", 200, 60)]);
    let mut source = azure::ScheduledEvents::new();
    twin.wait_until(after(300));
    let heard = source.look(&twin, "vm-1").unwrap();
    let event = &heard.notices[0];
    assert_eq!(event.state, NoticeState::Scheduled);
    azure::approve(&twin, &event.id).unwrap();
    assert_eq!(source.look(&twin, "vm-1").unwrap().notices[0].state, NoticeState::Started);
    twin.wait_until(twin.now() + Duration::from_secs(60));
    assert!(source.look(&twin, "vm-1").unwrap().notices.is_empty());
}

#[test]
fn an_event_of_another_machine_of_the_set_is_not_told_of_this_one() {
    let event = AnnouncedEvent { others: vec!["vm-2".to_owned()], ..planned(MachineCloud::Azure, "Freeze", 0, 9) };
    let twin = twin(MachineCloud::Azure, &[event]);
    let mut source = azure::ScheduledEvents::new();
    assert_eq!(source.look(&twin, "VM-2").unwrap().notices.len(), 1);
    assert_eq!(source.look(&twin, "vm-3").unwrap().notices.len(), 0);
}

#[test]
fn a_machine_of_another_cloud_is_told_from_one_where_nothing_is_planned() {
    struct Nowhere;
    impl MetadataService for Nowhere {
        fn ask(&self, _: &MetadataQuery) -> Result<crate::MetadataAnswer, MaintenanceError> {
            Ok(crate::MetadataAnswer { status: 404, etag: None, body: "no".to_owned(), at: start() })
        }
    }
    let sources: [Box<dyn NoticeSource>; 3] = [
        Box::new(gcp::KeyListener::new(gcp::MetadataKey::Maintenance)),
        Box::new(aws::Imds::new()),
        Box::new(azure::ScheduledEvents::new()),
    ];
    for mut source in sources {
        let error = source.look(&Nowhere, "vm").unwrap_err();
        assert!(matches!(error, MaintenanceError::Stranger { .. }), "{error}");
        assert!(!error.is_passing());
    }
}

#[test]
fn the_long_poll_works_over_a_socket() {
    let server = MetadataServer::start(MetadataEmulator::new("vm-1"), "127.0.0.1:0".parse().unwrap()).unwrap();
    let web = MachineMetadata::new(MachineCloud::Gcp, Some(&server.base())).unwrap();
    let mut source = gcp::KeyListener::new(gcp::MetadataKey::Maintenance);
    assert_eq!(source.identify(&web).unwrap(), "vm-1");
    assert!(source.look(&web, "vm-1").unwrap().notices.is_empty());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| source.look(&web, "vm-1"));
        server.with(|emulator| {
            let now = Timestamp::now();
            emulator
                .plan(AnnouncedEvent::usual(MachineCloud::Gcp, MIGRATE, now, None, Duration::from_secs(60)).unwrap());
        });
        // Had the change not woken it, it would answer after half a minute that nothing is planned.
        assert_eq!(waiting.join().unwrap().unwrap().notices.len(), 1);
    });
    assert!(server.with(|emulator| emulator.happenings()[0].read).is_some());
}

#[test]
fn tokens_and_approvals_work_over_a_socket() {
    let mut emulator = MetadataEmulator::new("vm-1");
    emulator.azure_takes(Duration::ZERO);
    emulator.plan(
        AnnouncedEvent::usual(MachineCloud::Azure, "Freeze", Timestamp::now(), None, Duration::from_secs(9)).unwrap(),
    );
    let server = MetadataServer::start(emulator, "127.0.0.1:0".parse().unwrap()).unwrap();
    let aws = MachineMetadata::new(MachineCloud::Aws, Some(&server.base())).unwrap();
    assert_eq!(aws::Imds::new().identify(&aws).unwrap(), "vm-1");
    let azure = MachineMetadata::new(MachineCloud::Azure, Some(&server.base())).unwrap();
    let heard = azure::ScheduledEvents::new().look(&azure, "vm-1").unwrap();
    azure::approve(&azure, &heard.notices[0].id).unwrap();
    assert!(server.with(|emulator| emulator.happenings()[0].approved).is_some());
}

#[test]
fn a_server_that_is_gone_is_asked_again_and_ends_no_event() {
    let server = MetadataServer::start(MetadataEmulator::new("vm-1"), "127.0.0.1:0".parse().unwrap()).unwrap();
    let web = MachineMetadata::new(MachineCloud::Aws, Some(&server.base())).unwrap();
    drop(server);
    let error = aws::Imds::new().look(&web, "vm-1").unwrap_err();
    assert!(error.is_passing(), "{error}");
}
