//! The commands' own help, read for options that name a peer: none may be without a case.

use std::collections::BTreeSet;
use std::process::Command;

use crate::deaf_peers::cases::CASES;

/// Names of values that are peers, in help. Addresses to listen at are `ADDR`.
const PEERS: [&str; 3] = ["<URL>", "<[STORE=]URL>", "<STORE=DISKS>"];

/// The help of a command.
fn help(path: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_diskwright")).args(path).arg("--help").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The options that name peers, of a command and all below it.
fn peers(path: &[String], found: &mut BTreeSet<String>) {
    let help = help(path);
    let mut section = "";
    for line in help.lines() {
        if !line.starts_with(' ') {
            section = line;
            continue;
        }
        let mut words = line.split_whitespace();
        if section == "Commands:" && line.starts_with("  ") && !line.starts_with("   ") {
            let word = words.next().unwrap();
            if word != "help" {
                peers(&[path, &[word.to_owned()]].concat(), found);
            }
        } else if section != "Examples:"
            && PEERS.iter().any(|peer| line.trim_start().split("  ").next().unwrap().contains(peer))
        {
            let option = words.find(|word| word.starts_with("--") || word.starts_with('<')).unwrap();
            found.insert(format!("{} {option}", path.join(" ")));
        }
    }
}

#[test]
fn every_option_that_names_a_peer_has_a_case() {
    let mut found = BTreeSet::new();
    peers(&[], &mut found);
    let covered: BTreeSet<String> =
        CASES.iter().flat_map(|case| case.covers).map(|option| (*option).to_owned()).collect();
    assert_eq!(found, covered, "left: the options that there are; right: those that cases stand for");
}
