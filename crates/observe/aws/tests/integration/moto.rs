//! The real SDK against a real server: moto, with IAM switched on where it matters.

#[path = "moto/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use aws::{AwsError, AwsOptions, AwsSession};
use server::{moto, read_all};
use timeline::Timeline;
use units::Nanos;

/// Starts in seconds, lengths in seconds and values of a series.
fn points(timeline: &Timeline, name: &str) -> Vec<(f64, f64, f64)> {
    let series: Vec<_> = timeline.select(name, &[]).collect();
    assert_eq!(series.len(), 1, "{name}");
    let point = |p: &timeline::SeriesPoint| (p.from.as_secs_f64(), (p.until - p.from).as_secs_f64(), p.value);
    series[0].points().iter().map(point).collect()
}

#[test]
fn a_volume_reads_as_it_was_written() {
    let moto = moto();
    let (timeline, volume) = moto.session("reader").volume(&moto.account.busy, moto.range()).unwrap();
    assert_eq!(volume.disk.to_string(), "gp3:400GiB,6000iops,250MiB/s");
    assert_eq!((volume.name.as_deref(), &volume.zone), (Some("data"), &moto.account.zone));
    let [attachment] = &volume.attachments[..] else { panic!("{:?}", volume.attachments) };
    let instance = &attachment.instance;
    assert_eq!((&instance.id, instance.instance_type.as_deref()), (&moto.account.instance, Some("m5.large")));
    assert_eq!((instance.nitro, instance.detailed), (Some(true), false));
    let before: Vec<String> = volume.modifications.iter().flat_map(|m| &m.before).map(ToString::to_string).collect();
    assert_eq!(before, ["gp2:200GiB"]);

    assert_eq!(timeline.about.start, Some(moto.start));
    let reads = [(0.0, 60.0, 1500.0), (60.0, 60.0, 600.0), (120.0, 60.0, 0.0), (300.0, 60.0, 700.0)];
    assert_eq!(points(&timeline, "VolumeReadOps"), reads, "a sum for each minute, a hole where there was none");
    assert_eq!(points(&timeline, "VolumeQueueLength"), [(0.0, 60.0, 1.5)]);
    assert_eq!(points(&timeline, "VolumeIOPSExceededCheck"), [(0.0, 60.0, 1.0), (60.0, 60.0, 0.0)]);
    assert_eq!(points(&timeline, "EBSReadOps"), [(0.0, 300.0, 3000.0), (300.0, 300.0, 1500.0)]);
    assert_eq!(timeline.select("BurstBalance", &[]).count(), 0);
    let check = timeline.select("VolumeIOPSExceededCheck", &[]).next().unwrap();
    let labels = BTreeMap::from([("InstanceId", &moto.account.instance), ("VolumeId", &moto.account.busy)]);
    assert!(check.labels.iter().map(|(name, value)| (name.as_str(), value)).eq(labels));
}

#[test]
fn an_instance_type_says_what_the_catalogue_says() {
    let moto = moto();
    let (_, volume) = moto.session("reader").volume(&moto.account.busy, moto.range()).unwrap();
    let view = catalog::Catalog::embedded().at(None);
    assert_eq!(volume.attachments[0].instance.caps, view.instance("m5.large").unwrap().caps);
}

#[test]
fn longer_steps_add_up_what_shorter_ones_have() {
    let moto = moto();
    let range = moto.range().in_steps_of(Nanos::secs(300)).unwrap();
    let (timeline, _) = moto.session("reader").volume(&moto.account.busy, range).unwrap();
    assert_eq!(points(&timeline, "VolumeReadOps"), [(0.0, 300.0, 2100.0), (300.0, 300.0, 700.0)]);
}

#[test]
fn every_volume_comes_also_one_without_any_point() {
    let moto = moto();
    let mut seen = BTreeMap::new();
    let session = moto.session("reader");
    session
        .each_volume(
            moto.range(),
            |timeline, volume| (volume.id, (volume.disk.to_string(), timeline.series.len())),
            |(id, what)| {
                seen.insert(id, what);
                ControlFlow::Continue(())
            },
        )
        .unwrap();
    // Another is the root volume of the instance, which moto makes: it has the instance's series only.
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert_eq!(seen[&moto.account.unused], ("io1:100GiB,2000iops".to_owned(), 0));
    assert_eq!(seen[&moto.account.busy], ("gp3:400GiB,6000iops,250MiB/s".to_owned(), 4));
    let error = session.volume(&moto.account.unused, moto.range()).unwrap_err();
    assert!(matches!(error, AwsError::NoData { .. }), "{error}");
}

#[test]
fn a_database_reads_as_it_was_written() {
    let moto = moto();
    let (timeline, facts) = moto.session("reader").db_instance("orders", moto.range()).unwrap();
    assert_eq!((facts.class.as_str(), facts.engine.as_str(), facts.multi_az), ("db.m5.large", "mysql", true));
    assert_eq!(facts.disk.map(|disk| disk.to_string()).as_deref(), Some("gp3:400GiB,12000iops"));
    assert_eq!(points(&timeline, "ReadIOPS"), [(0.0, 60.0, 150.0)]);
    assert_eq!(timeline.series.len(), 1);
}

/// The shape only: moto has no states, no waits and no limits (reference/metrics-aws.md 5).
#[test]
fn a_volume_is_modified_in_one_call_and_by_who_may() {
    let moto = moto();
    let to = "gp3:100GiB,6000iops,250MiB/s".parse().unwrap();
    let denied = moto.session("reader").modify_volume(&moto.account.spare, &to).unwrap_err();
    assert!(denied.to_string().starts_with("AWS denies ec2:ModifyVolume"), "{denied}");
    let session = moto.session("modifier");
    let change = session.modify_volume(&moto.account.spare, &to).unwrap();
    assert_eq!((change.volume.as_str(), change.after.as_ref()), (moto.account.spare.as_str(), Some(&to)));
    let [volume] = &session.facts(std::slice::from_ref(&moto.account.spare)).unwrap()[..] else { panic!("one") };
    assert_eq!((&volume.disk, volume.modifications.len()), (&to, 1));
    let unknown = session.modify_volume("vol-0123456789abcdef0", &to).unwrap_err();
    assert!(matches!(unknown, AwsError::Unknown { .. }), "{unknown}");
    let stripe = session.modify_volume(&moto.account.spare, &"2x(gp3:100GiB)".parse().unwrap()).unwrap_err();
    assert!(matches!(stripe, AwsError::Invalid { .. }), "{stripe}");
}

#[test]
fn the_policy_allows_what_is_read_and_without_any_of_its_actions_that_one_is_named() {
    let moto = moto();
    read_all(&moto.session("reader"), moto).unwrap();
    let actions = moto.account.keys.keys().filter(|name| name.contains(':'));
    let mut tried = 0;
    for action in actions {
        let error = read_all(&moto.session(action), moto).unwrap_err();
        assert!(error.to_string().starts_with(&format!("AWS denies {action} ")), "without {action}: {error}");
        assert!(matches!(error, AwsError::Denied { .. }), "{error}");
        tried += 1;
    }
    assert_eq!(tried, aws::IamAction::READS.len());
}

#[test]
fn a_role_reads_what_its_user_may_not() {
    let moto = moto();
    let plain = moto.options("assumer");
    let error = read_all(&AwsSession::new(&plain).unwrap(), moto).unwrap_err();
    assert!(matches!(error, AwsError::Denied { .. }), "{error}");
    let role = Some(moto.account.role.clone());
    read_all(&AwsSession::new(&AwsOptions { role: role.clone(), ..plain }).unwrap(), moto).unwrap();
    let error = read_all(&AwsSession::new(&AwsOptions { role, ..moto.options("reader") }).unwrap(), moto).unwrap_err();
    assert!(error.to_string().starts_with("AWS denies sts:AssumeRole"), "{error}");
}

#[test]
fn bad_input_is_told_in_one_line_without_secrets() {
    let moto = moto();
    let session = moto.session("reader");
    let unknown_volume = session.volume("vol-0123456789abcdef0", moto.range()).unwrap_err();
    let no_volume = session.volume("gp3", moto.range()).unwrap_err();
    let unknown_database = session.db_instance("order", moto.range()).unwrap_err();
    let secret = "unsafe-secret-of-nobody";
    let keys = format!("aws_access_key_id = AKIANOBODY0000000000\naws_secret_access_key = {secret}\n");
    let at = |endpoint: &str| {
        let endpoint = Some(endpoint.to_owned());
        let session = AwsSession::new(&AwsOptions { endpoint, ..moto.options_with(&keys) });
        session.and_then(|session| session.volume(&moto.account.busy, moto.range())).unwrap_err()
    };
    let without = AwsOptions { profile: Some("other".to_owned()), ..moto.options_with(&keys) };
    let no_profile = AwsSession::new(&AwsOptions { region: Some("us-west-2".to_owned()), ..without })
        .and_then(|session| session.volume(&moto.account.busy, moto.range()))
        .unwrap_err();
    let no_keys =
        AwsSession::new(&moto.options_with("")).unwrap().volume(&moto.account.busy, moto.range()).unwrap_err();
    for (error, words) in [
        (unknown_volume, "there is no volume `vol-0123456789abcdef0` in us-west-2"),
        (no_volume, "there is no volume `gp3` in us-west-2"),
        (unknown_database, "there is no database `order` in us-west-2"),
        (at(&moto.endpoint), "AWS does not accept these credentials"),
        (at("http://127.0.0.1:1"), "http://127.0.0.1:1 does not answer ec2:DescribeVolumes"),
        (at("http://user:unsafe-secret@127.0.0.1:1"), "the address of the endpoint for AWS holds a name or password"),
        (
            at("http://aws.example"),
            "the endpoint for AWS at http://aws.example is beyond this machine and not encrypted",
        ),
        (no_profile, "the AWS profile `other` cannot be used"),
        (no_keys, "no AWS credentials were found in the profile `test`"),
    ] {
        let message = error.to_string();
        assert!(message.starts_with(words), "{message}");
        assert!(!message.contains("secret") && !message.contains("AKIA") && !message.contains('\n'), "{message}");
    }
}
