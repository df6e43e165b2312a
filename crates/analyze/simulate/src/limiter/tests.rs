use super::*;

/// Compactions ask for `asked` bytes a second; what they get.
fn granted(limiter: &mut Limiter, from: f64, seconds: f64, asked: f64) -> f64 {
    const CHUNK: f64 = 1_048_576.0;
    let (mut now, mut bytes) = (from, 0.0);
    while now < from + seconds {
        let at = limiter.request(Nanos::from_secs_f64(now), CHUNK, false).as_secs_f64();
        bytes += CHUNK;
        now = (now + CHUNK / asked).max(at);
    }
    bytes / seconds
}

#[test]
fn a_low_ceiling_is_kept() {
    let ceiling = 50.0 * 1024.0 * 1024.0;
    for tuner in [WriteRateTuner::Tikv, WriteRateTuner::Rocksdb, WriteRateTuner::Fixed, WriteRateTuner::Pilot] {
        let mut limiter = Limiter::new(ceiling, tuner);
        let rate = granted(&mut limiter, 0.0, 100.0, 500e6);
        assert!(rate <= ceiling * 1.02, "{tuner:?}: {rate}");
    }
}

#[test]
fn a_fixed_rate_is_shared_with_flushes_which_go_first() {
    let mut limiter = Limiter::new(20e6, WriteRateTuner::Fixed);
    assert_eq!(limiter.request(Nanos(0), 20e6, true), Nanos(0));
    let compacted = granted(&mut limiter, 0.0, 10.0, 500e6);
    assert!((compacted / 18e6 - 1.0).abs() < 0.05, "nine seconds of ten are left: {compacted}");
}

#[test]
fn a_burst_after_quiet_is_spread_until_there_is_a_hurry() {
    let mut limiter = Limiter::new(10e9, WriteRateTuner::Tikv);
    granted(&mut limiter, 0.0, 300.0, 20e6);
    let burst = granted(&mut limiter, 300.0, 5.0, 500e6);
    assert!(burst < 100e6, "{burst}");
    limiter.hurry(true);
    granted(&mut limiter, 305.0, 5.0, 500e6);
    assert!(granted(&mut limiter, 310.0, 5.0, 500e6) > burst, "{}", limiter.rate());
}

#[test]
fn rocksdb_goes_to_a_twentieth_when_nothing_waits_and_rises_again_when_it_does() {
    let mut limiter = Limiter::new(1e9, WriteRateTuner::Rocksdb);
    granted(&mut limiter, 0.0, 30.0, 1e6);
    assert_eq!(limiter.rate(), 1e9 / 20.0);
    granted(&mut limiter, 30.0, 30.0, 500e6);
    assert!(limiter.rate() > 1e9 / 20.0, "{}", limiter.rate());
}

#[test]
fn tuners_have_names() {
    assert_eq!("rocksdb".parse(), Ok(WriteRateTuner::Rocksdb));
    let refused = "pilt".parse::<WriteRateTuner>().unwrap_err();
    assert!(refused.to_string().contains("did you mean `pilot`"), "{refused}");
}
