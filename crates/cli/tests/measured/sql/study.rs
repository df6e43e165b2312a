//! The study of gp2 against io1, as short as it can be.

use crate::sql::place::Place;

const STUDY: &str = "name = \"short\"\nscaled = \"All of it.\"\nworkload = \"inserts.toml\"\npairs = 1\n\
    deployments = [\"gp2.toml\", \"io1.toml\"]\ncredits = \"0%\"\nwarm-up = \"1s\"\nmeasure = \"7s\"\nslot = \"2s\"\n";

/// A study with its two deployments.
fn put(place: &Place, study: &str) {
    let fast = std::fs::read_to_string(place.path("fast.toml")).unwrap();
    // Small enough that even a busy machine asks for more than its 300 IOPS, so that credits stay gone.
    for (name, disk) in [("gp2", "gp2:100GiB"), ("io1", "io1:100GiB,5000iops")] {
        let text = format!("name = \"{name}\"\n{}", fast.replace("unlimited:2GiB", disk));
        std::fs::write(place.path(&format!("{name}.toml")), text).unwrap();
    }
    std::fs::write(place.path("study.toml"), study).unwrap();
}

#[test]
fn a_study_tells_both_sides_and_leaves_its_page_and_timelines() {
    let place = Place::new();
    put(&place, STUDY);
    let run =
        place.run("bench study @study.toml --scratch @scratch --out @page.html --out @all.json --timelines @kept");
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.stdout.contains("gp2 rows/min") && run.stdout.contains("one pair: no interval"), "{run:?}");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    let found: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("all.json")).unwrap()).unwrap();
    let ratio = found["phases"]["after"]["rows_per_minute"]["ratio"].as_f64();
    assert!(ratio.is_some_and(|ratio| ratio > 0.0), "{found:#}");
    assert_eq!(found["pairs"][0]["slots"].as_array().unwrap().len(), 3, "{found:#}");
    assert!(std::fs::read_to_string(place.path("page.html")).unwrap().contains("Burst balance"));
    let kept = timeline::Timeline::read(place.path("kept/pair-1-a.parquet")).unwrap();
    for series in ["io_balance", "VolumeWriteOps", "VolumeQueueLength"] {
        assert!(kept.select(series, &[]).next().is_some(), "{series} is missing");
    }
    place.is_clear();
}

#[test]
fn a_study_that_loses_a_server_compares_nothing() {
    let place = Place::new();
    put(&place, STUDY);
    let run = place.spawn("bench study @study.toml --scratch @scratch --out @all.json");
    place.until("rows come in", || place.sql("SELECT COUNT(*) > 2100 FROM bench.random_rows").as_deref() == Some("1"));
    place.kill(place.server().unwrap(), nix::sys::signal::Signal::SIGKILL);
    let run = place.wait(run);
    assert!(run.code == 1 && run.stderr.contains("the run of pair 1 failed: it lost its server"), "{run:?}");
    assert!(!place.path("all.json").exists());
    place.is_clear();
}

#[test]
fn a_study_that_cannot_be_is_refused_before_anything_starts() {
    let place = Place::new();
    put(&place, &STUDY.replace("inserts.toml", "tpcc.toml"));
    for (line, says) in [
        ("bench study @no.toml", "no.toml"),
        ("bench study @study.toml --out @page.pdf", ".html"),
        ("bench study @study.toml --scratch @scratch", "[inserts]"),
    ] {
        let run = place.run(line);
        assert!(run.code == 2 && run.stderr.contains(says), "{line}: {run:?}");
    }
    place.is_clear();
}
