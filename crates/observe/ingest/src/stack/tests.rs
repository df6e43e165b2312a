use super::*;
use proptest::prelude::*;
use timeline::{SeriesPoint, TimelineBuilder, vocabulary};
use units::Nanos;

/// Devices with bytes read and written in each of some intervals.
fn timeline(devices: &[(&str, &[[f64; 2]])]) -> Timeline {
    let mut builder = TimelineBuilder::default();
    for (device, bytes) in devices {
        let labels = timeline::labels([("disk", *device)]);
        for (index, [read, written]) in bytes.iter().enumerate() {
            let span = |value| SeriesPoint {
                from: Nanos::secs(index as u64 * 60),
                until: Nanos::secs(index as u64 * 60 + 60),
                value,
            };
            builder.value(vocabulary::READ_BYTES, &labels, span(*read));
            builder.value(vocabulary::WRITE_BYTES, &labels, span(*written));
        }
    }
    Timeline { series: builder.finish_sorted(), ..Timeline::default() }
}

fn disks(timeline: &Timeline) -> Vec<String> {
    let all: BTreeSet<String> = timeline.series.iter().map(|series| series.labels["disk"].clone()).collect();
    all.into_iter().collect()
}

fn folded(devices: &[(&str, &[[f64; 2]])], options: &StackOptions) -> (Vec<String>, FoldedDevices) {
    let mut timeline = timeline(devices);
    let folded = fold(&mut timeline, options).unwrap();
    (disks(&timeline), folded)
}

const MIB: f64 = 1_048_576.0;
const BUSY: [[f64; 2]; 3] = [[900.0 * MIB, 300.0 * MIB], [800.0 * MIB, 500.0 * MIB], [100.0 * MIB, 90.0 * MIB]];
const IDLE: [[f64; 2]; 3] = [[0.0; 2]; 3];

fn times(bytes: [[f64; 2]; 3], factor: f64) -> [[f64; 2]; 3] {
    bytes.map(|pair| pair.map(|value| value * factor))
}

fn claims(claims: &[(&str, u32)]) -> StackOptions {
    let claimed = claims.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect();
    StackOptions { claimed, mapper_names: true, ..StackOptions::default() }
}

#[test]
fn a_volume_its_partition_and_what_lies_on_it_are_one_disk() {
    let (left, folded) = folded(
        &[
            ("nvme1n1", &BUSY),
            ("nvme1n1p1", &BUSY),
            ("dm-0", &BUSY),
            ("vg0-data", &BUSY),
            ("loop0", &IDLE),
            ("zram0", &BUSY),
        ],
        &claims(&[]),
    );
    assert_eq!(left, ["nvme1n1"]);
    for part in ["nvme1n1p1", "dm-0", "vg0-data"] {
        assert_eq!(folded.stands_for[&(String::new(), part.to_owned())], "nvme1n1", "{part}");
    }
}

#[test]
fn several_logical_volumes_of_one_volume_are_that_volume() {
    let (left, folded) = folded(
        &[("sda", &BUSY), ("sdb", &IDLE), ("dm-0", &times(BUSY, 0.7)), ("dm-1", &times(BUSY, 0.3))],
        &claims(&[("dm-1", 1)]),
    );
    assert_eq!(left, ["sda", "sdb"]);
    assert_eq!(folded.stands_for.len(), 2);
}

#[test]
fn a_stripe_stands_for_its_members_whoever_lies_on_it() {
    let quarter = times(BUSY, 0.25);
    let devices: [(&str, &[[f64; 2]]); 7] = [
        ("nvme0n1", &times(BUSY, 0.001)),
        ("nvme1n1", &quarter),
        ("nvme2n1", &quarter),
        ("nvme3n1", &times(quarter, 1.02)),
        ("nvme4n1", &times(quarter, 0.98)),
        ("md127", &BUSY),
        ("dm-0", &BUSY),
    ];
    for options in [claims(&[]), claims(&[("md127", 4)]), StackOptions { others: Some(4), ..claims(&[]) }] {
        let (left, folded) = folded(&devices, &options);
        assert_eq!(left, ["md127", "nvme0n1"], "{options:?}");
        let members = &folded.stripes[&(String::new(), "md127".to_owned())];
        assert_eq!(members, &["nvme1n1", "nvme2n1", "nvme3n1", "nvme4n1"]);
        assert_eq!(folded.stands_for[&(String::new(), "dm-0".to_owned())], "md127");
        assert_eq!(folded.stands_for[&(String::new(), "nvme2n1".to_owned())], "md127");
    }
    // Who names the layer above has that one.
    let (left, _) = super::tests::folded(&devices, &claims(&[("dm-0", 4)]));
    assert_eq!(left, ["dm-0", "nvme0n1"]);
}

#[test]
fn a_stripe_without_times_of_its_own_has_those_of_its_members() {
    let half = times(BUSY, 0.5);
    let mut one = timeline(&[("sdb", &half), ("sdc", &half), ("md0", &BUSY)]);
    let mut more = TimelineBuilder::default();
    for (disk, time) in [("sdb", 4.0), ("sdc", 6.0), ("md0", 0.0)] {
        let point = SeriesPoint { from: Nanos(0), until: Nanos::secs(60), value: time };
        for spec in [vocabulary::READ_TIME, vocabulary::QUEUE_DEPTH, vocabulary::BUSY_TIME] {
            more.value(spec, &timeline::labels([("disk", disk)]), point);
        }
    }
    more.value(
        vocabulary::VOLUME_IOPS_EXCEEDED,
        &timeline::labels([("disk", "sdc")]),
        SeriesPoint { from: Nanos(0), until: Nanos::secs(60), value: 9.0 },
    );
    one.series.extend(more.finish());
    fold(&mut one, &StackOptions::default()).unwrap();
    one.validate().unwrap();
    let value = |name: &str| one.find(name, &[("disk", "md0")]).unwrap().points()[0].value;
    assert_eq!((value("read_time"), value("queue_depth"), value("busy_time")), (10.0, 10.0, 5.0));
    assert_eq!(value("volume_iops_exceeded"), 9.0);
    assert_eq!(disks(&one), ["md0"]);
}

#[test]
fn the_members_of_a_mirror_are_volumes_of_their_own() {
    let mirrored = [[450.0 * MIB, 300.0 * MIB], [400.0 * MIB, 500.0 * MIB], [50.0 * MIB, 90.0 * MIB]];
    let (left, _) = folded(&[("sdb", &mirrored), ("sdc", &mirrored), ("md0", &BUSY)], &claims(&[]));
    assert_eq!(left, ["sdb", "sdc"]);
}

#[test]
fn a_layer_alone_is_all_that_is_known_and_one_that_nothing_carries_stays() {
    assert_eq!(folded(&[("dm-0", &BUSY)], &claims(&[])).0, ["dm-0"]);
    assert_eq!(folded(&[("sda", &times(BUSY, 0.1)), ("dm-0", &BUSY)], &claims(&[])).0, ["dm-0", "sda"]);
    // Roles are no devices: a simulated node has both.
    assert_eq!(folded(&[("data", &BUSY), ("log", &BUSY), ("n1-data", &BUSY)], &StackOptions::default()).0.len(), 3);
}

#[test]
fn what_is_noted_of_a_machine_goes_before_what_bytes_say() {
    let mut one = timeline(&[("sda", &BUSY), ("sdb", &times(BUSY, 3.0)), ("dm-0", &BUSY)]);
    one.about.notes.insert(format!("{NOTE}dm-0"), "sdb1".to_owned());
    one.about.notes.insert(format!("{NOTE}other/dm-0"), "sda".to_owned());
    let folded = fold(&mut one, &StackOptions::default()).unwrap();
    // A partition that was not counted is of a volume that was.
    assert_eq!(folded.stands_for[&(String::new(), "dm-0".to_owned())], "sdb");
    let mut one = timeline(&[("sda", &BUSY), ("sdb", &times(BUSY, 3.0)), ("dm-0", &BUSY)]);
    one.about.notes.insert(format!("{NOTE}dm-0"), "dm-1".to_owned());
    one.about.notes.insert(format!("{NOTE}dm-1"), "sdb".to_owned());
    let folded = fold(&mut one, &StackOptions::default()).unwrap();
    assert_eq!(folded.stands_for[&(String::new(), "dm-0".to_owned())], "sdb");
    assert!(one.about.notes[FOLDED].contains("sdb counts what passes through dm-0"), "{:?}", one.about.notes);
}

#[test]
fn disks_are_chosen_by_any_name_of_theirs() {
    let devices: [(&str, &[[f64; 2]]); 4] = [("sda", &BUSY), ("sda1", &BUSY), ("sdb", &IDLE), ("dm-0", &BUSY)];
    let only = |name: &str| StackOptions { only: [name.to_owned()].into(), ..StackOptions::default() };
    for name in ["sda", "sda1", "dm-0", "/dev/sda1"] {
        assert_eq!(folded(&devices, &only(name)).0, ["sda"], "{name}");
    }
    let ignore = StackOptions { ignore: ["dm-0".to_owned()].into(), ..StackOptions::default() };
    assert_eq!(folded(&devices, &ignore).0, ["sdb"]);
    let error = fold(&mut timeline(&devices), &only("sdz")).unwrap_err().to_string();
    assert_eq!(error, "--only sdz: there is no such disk; the disks are dm-0, sda, sda1, sdb");
}

#[test]
fn a_disk_is_named_by_its_device_or_what_lies_on_it() {
    let mut one = timeline(&[("nvme1n1", &BUSY), ("dm-0", &BUSY), ("nvme0n1", &times(BUSY, 0.005))]);
    let folded = fold(&mut one, &StackOptions::default()).unwrap();
    let names = |device: &str| BTreeMap::from([("data".to_owned(), device.to_owned())]);
    assert!(rename(&mut one.clone(), &names("sdx"), &folded).is_err());
    let mut renamed = one.clone();
    rename(&mut renamed, &names("/dev/dm-0"), &folded).unwrap();
    assert_eq!(disks(&renamed), ["data", "nvme0n1"]);
    name_only_busy(&mut one, "data");
    assert_eq!(disks(&one), ["data", "nvme0n1"]);
    let mut two = timeline(&[("nvme1n1", &BUSY), ("nvme2n1", &BUSY)]);
    name_only_busy(&mut two, "data");
    assert_eq!(disks(&two), ["nvme1n1", "nvme2n1"], "which of two it is nothing tells");
}

#[test]
fn layers_of_a_machine_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["md127/slaves/nvme1n1p1", "md127/slaves/nvme2n1", "sda/slaves", "dm-0/slaves/md127"] {
        std::fs::create_dir_all(folder.path().join(path)).unwrap();
    }
    let stack = machine_stack(folder.path());
    assert_eq!(stack["md127"], ["nvme1n1p1", "nvme2n1"]);
    assert_eq!(stack["dm-0"], ["md127"]);
    assert_eq!(stack.len(), 2);
    assert!(machine_stack(std::path::Path::new("/nowhere")).is_empty());
}

proptest! {
    #[test]
    fn whatever_lies_on_volumes_the_volumes_are_left(
        volumes in proptest::collection::vec(1.0f64..1e4, 1..6),
        layered in proptest::collection::vec(any::<bool>(), 6),
    ) {
        let names: Vec<String> = (0..volumes.len()).map(|index| format!("sd{}", (b'b' + index as u8) as char)).collect();
        let bytes: Vec<[[f64; 2]; 3]> = volumes.iter().map(|factor| times(BUSY, *factor)).collect();
        let mut devices: Vec<(String, [[f64; 2]; 3])> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            devices.push((name.clone(), bytes[index]));
            devices.push((format!("{name}1"), bytes[index]));
            if layered[index] {
                devices.push((format!("dm-{index}"), bytes[index]));
            }
        }
        let devices: Vec<(&str, &[[f64; 2]])> = devices.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
        let (left, _) = folded(&devices, &StackOptions::default());
        prop_assert_eq!(left, names);
    }
}
