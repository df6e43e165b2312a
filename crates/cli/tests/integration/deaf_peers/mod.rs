//! Peers that do not answer: every command that talks to one ends soon after Ctrl-C, in little memory; a second Ctrl-C ends any
//! program at once. And what is secret is sent to whom it is meant for only, and not in the clear.

mod cases;
mod live_pd;
mod lock;
mod options;
mod peers;
mod program;
mod secrets;
mod switch;

use std::sync::Mutex;
use std::time::Duration;

use nix::sys::signal::Signal;

use cases::{CASES, Case};
use live_pd::LivePd;
use peers::{Deaf, Peer};
use program::{Program, SOON};

/// Commands at a time: they wait, most of the time.
const AT_ONCE: usize = 4;

/// Told to end in the middle of a wait, it ends.
fn ends_when_told(case: &Case, deaf: Deaf) {
    let (peer, live, folder) = (Peer::start(deaf), LivePd::start(), tempfile::tempdir().unwrap());
    let line = case.line.replace("{deaf}", &peer.address).replace("{live}", &live.peer.address);
    let mut program = Program::start(&line.replace("{journal}", &folder.path().display().to_string()));
    if case.asks {
        program.until("the peer to be asked", || peer.reached() > 0);
        assert!(peer.reached() > 0, "{line}: it ended before it asked");
    }
    // In the midst of an answer, where there is one.
    program.rest(Duration::from_millis(1500));
    program.signal(Signal::SIGINT);
    program.end_within(SOON);
}

fn all_end_when_told(deaf: Deaf) {
    let left = Mutex::new(CASES.iter().filter(|case| cfg!(feature = "cloud") || !case.cloud).collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = { left.lock().unwrap().pop() } {
                    ends_when_told(case, deaf);
                }
            });
        }
    });
}

#[test]
fn each_command_ends_soon_after_ctrl_c_while_its_peer_says_nothing() {
    all_end_when_told(Deaf::Silent);
}

#[test]
fn each_command_ends_soon_after_ctrl_c_while_its_peer_says_a_byte_a_second() {
    all_end_when_told(Deaf::Trickling);
}

#[test]
fn each_command_ends_soon_after_ctrl_c_and_takes_little_memory_while_its_peer_never_ends() {
    all_end_when_told(Deaf::Endless);
}
