//! Loads that fail half-way: what they leave, and what the next try makes of it.

use std::os::unix::fs::PermissionsExt;

use crate::sql::place::Place;

const SHORT: &str = "--warm-up 1s --least 1s --most 2s";

#[test]
fn a_load_that_cannot_begin_leaves_no_table_and_the_next_one_loads() {
    let place = Place::new();
    let port = place.serve();
    let bench = || place.run(&format!("bench @inserts.toml --db mysql://few@127.0.0.1:{port}/mine {SHORT}"));
    place.own("CREATE USER few@'127.0.0.1'; GRANT CREATE, DROP ON mine.* TO few@'127.0.0.1'").unwrap();
    let refused = bench();
    assert!(refused.code != 0 && refused.stderr.contains("no table of it is left"), "{refused:?}");
    assert_eq!(place.own("SHOW TABLES FROM mine").unwrap(), "");
    place.own("GRANT ALL ON mine.* TO few@'127.0.0.1'").unwrap();
    let again = bench();
    assert_eq!(again.code, 0, "{again:?}");
}

#[test]
fn a_load_that_was_cut_off_while_it_created_its_tables_goes_on() {
    let place = Place::new();
    let port = place.serve();
    let bench = || place.run(&format!("bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine {SHORT}"));
    let loaded = "CREATE TABLE mine.loaded (piece bigint NOT NULL PRIMARY KEY, seed varchar(100) NOT NULL)";
    place.own(loaded).unwrap();
    let first = bench();
    assert_eq!(first.code, 0, "nothing was noted: {first:?}");
    place.own("DROP DATABASE mine; CREATE DATABASE mine").unwrap();
    place.own(&format!("{loaded}; INSERT INTO mine.loaded VALUES (-1, '7'), (-2, '2000 rows')")).unwrap();
    let second = bench();
    assert_eq!(second.code, 0, "the rows were still to come: {second:?}");
    let counted = place.own("SELECT COUNT(*) >= 2000 FROM mine.random_rows").unwrap();
    assert_eq!(counted, "1");
}

#[test]
fn a_load_whose_server_stops_taking_rows_says_that_it_goes_on() {
    let place = Place::new();
    let port = place.serve();
    let bench = || place.run(&format!("bench @inserts.toml --db mysql://few@127.0.0.1:{port}/mine {SHORT}"));
    // The note is one update, and the first piece is some more.
    let grant = "GRANT ALL ON mine.* TO few@'127.0.0.1'";
    place.own(&format!("CREATE USER few@'127.0.0.1' WITH MAX_UPDATES_PER_HOUR 6; {grant}")).unwrap();
    let cut = bench();
    assert!(cut.code != 0 && cut.stderr.contains("the same command goes on"), "{cut:?}");
    place.own("ALTER USER few@'127.0.0.1' WITH MAX_UPDATES_PER_HOUR 0").unwrap();
    let again = bench();
    assert_eq!(again.code, 0, "{again:?}");
}

#[test]
fn a_load_by_sysbench_that_failed_is_dropped_and_one_that_was_cut_off_is_loaded_anew() {
    let place = Place::new();
    let port = place.serve();
    let line =
        format!("bench @sysbench.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 2s --most 2s");
    // One that creates a table and then fails, as sysbench does when the server goes away.
    let folder = place.path("programs");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("sysbench");
    let client = format!("mariadb --no-defaults -u bench -h 127.0.0.1 -P {port} mine");
    let script = format!("#!/bin/sh\n{client} -e 'CREATE TABLE sbtest1 (id int)'\necho 'FATAL: gone'\nexit 1\n");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let failed = place.run_among(&line, &folder);
    assert!(failed.code == 1 && failed.stderr.contains("no table of it is left"), "{failed:?}");
    assert_eq!(place.own("SHOW TABLES FROM mine").unwrap(), "");
    // What a load leaves that nobody could clear up.
    let loaded = "CREATE TABLE mine.loaded (piece bigint NOT NULL PRIMARY KEY, seed varchar(100) NOT NULL)";
    let note = "INSERT INTO mine.loaded VALUES (-1, '1'), (-2, '2 tables of 10000 rows'), (-3, '')";
    place.own(&format!("{loaded}; {note}; CREATE TABLE mine.sbtest1 (id int)")).unwrap();
    let anew = place.run(&line);
    assert_eq!(anew.code, 0, "{anew:?}");
    assert_eq!(place.own("SELECT COUNT(*) FROM mine.sbtest2").unwrap(), "10000");
    let loaded = place.run(&line);
    assert!(loaded.code == 2 && loaded.stderr.contains("loaded to the end"), "{loaded:?}");
}
