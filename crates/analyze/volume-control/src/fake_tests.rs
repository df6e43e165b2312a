use catalog::Cloud as Provider;
use units::{BytesPerSec, Iops};

use super::*;
use crate::testing::{ID, view};

fn fake(disk: &str) -> FakeCloud {
    FakeCloud::new(view(), None).with(ID, &disk.parse().unwrap()).unwrap()
}

fn now(fake: &mut FakeCloud) -> ManagedVolume {
    fake.describe(&[ID.to_owned()]).unwrap().remove(0)
}

fn modify(fake: &mut FakeCloud, to: &str) -> Result<(), CloudError> {
    fake.modify(ID, &to.parse().unwrap())
}

#[test]
fn a_modification_takes_its_course_and_the_next_waits_for_it() {
    let mut fake = fake("gp3:100GiB");
    modify(&mut fake, "gp3:100GiB,6000iops").unwrap();
    assert_eq!(now(&mut fake).disk.to_string(), "gp3:100GiB,3000iops,125MiB/s");
    assert_eq!(now(&mut fake).pending().unwrap().progress, ModificationProgress::Modifying);
    assert_eq!(now(&mut fake).pending().unwrap().ends, None, "no cloud foretells it");
    let early = modify(&mut fake, "gp3:100GiB,7000iops").unwrap_err();
    assert!(matches!(early, CloudError::UnderWay { .. }) && early.passes(), "{early:?}");
    fake.pass(Nanos::secs(60));
    assert_eq!(now(&mut fake).pending().unwrap().progress, ModificationProgress::Optimizing);
    fake.pass(Nanos::secs(86_400));
    assert_eq!(now(&mut fake).disk.to_string(), "gp3:100GiB,6000iops,125MiB/s");
    assert!(now(&mut fake).pending().is_none());
}

#[test]
fn a_day_has_as_many_modifications_as_the_rules_say() {
    let rules = ModificationRules::of(Provider::Aws).unwrap();
    let mut fake = fake("gp3:1GiB");
    for i in 0..u64::from(rules.per_day.unwrap()) {
        fake.pass(Nanos::secs(i * 3600));
        modify(&mut fake, "gp3:1GiB").unwrap();
    }
    fake.pass(Nanos::secs(80_000));
    let often = modify(&mut fake, "gp3:1GiB").unwrap_err();
    assert_eq!(often, CloudError::TooOften { volume: ID.to_owned(), until: Some(Nanos::secs(86_400)) });
    fake.pass(Nanos::secs(86_400));
    modify(&mut fake, "gp3:1GiB").unwrap();
}

#[test]
fn what_is_not_sold_is_refused_for_good_and_says_what_would_do() {
    let mut fake = fake("gp3:10GiB");
    for (to, words) in [
        ("gp3:10GiB,6000iops", "at most 5000iops"),
        ("gp3:10GiB,3000iops,900MiB/s", "need 3600iops"),
        ("gp3:5GiB", "cannot shrink"),
        ("pd-ssd:10GiB", "cannot become"),
    ] {
        let error = modify(&mut fake, to).unwrap_err();
        assert!(matches!(error, CloudError::Invalid { .. }) && !error.passes(), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let nobody = fake.modify("vol-2", &"gp3:10GiB".parse().unwrap()).unwrap_err();
    assert_eq!(nobody, CloudError::NotFound { volume: "vol-2".to_owned() });
}

#[test]
fn faults_do_what_they_say() {
    let to = "gp3:100GiB,6000iops,250MiB/s";
    for (fault, begins, iops, throughput) in [
        (CloudFault::Throttle, false, 3000.0, 125.0),
        (CloudFault::LoseRequest, false, 3000.0, 125.0),
        (CloudFault::LoseAnswer, true, 6000.0, 250.0),
        (CloudFault::Half, true, 6000.0, 125.0),
        (CloudFault::FailInTheEnd, true, 3000.0, 125.0),
    ] {
        let mut fake = fake("gp3:100GiB");
        fake.fail([Some(fault)]);
        let answer = modify(&mut fake, to);
        assert_eq!(answer.is_ok(), fault == CloudFault::FailInTheEnd, "{fault:?}");
        assert_eq!(fake.taken.len() == 1, begins, "{fault:?}");
        fake.pass(Nanos::secs(86_400));
        let volume = now(&mut fake).disk.volume;
        assert_eq!(
            (volume.iops, volume.throughput),
            (Some(Iops(iops)), Some(BytesPerSec::mib(throughput))),
            "{fault:?}"
        );
    }
}
