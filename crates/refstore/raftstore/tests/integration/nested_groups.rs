//! Bytes from a peer that no raft writes. protobuf 2 has a known fault, RUSTSEC-2024-0437, which `deny.toml` leaves alone for what this
//! shows: it does not follow groups into groups.

use bytes::Bytes;
use protobuf::Message as _;
use raft::eraftpb::{Entry, Message, Snapshot};

/// The start of a group in field 100, a million times.
fn nested() -> Bytes {
    [0xA3, 0x06].repeat(1_000_000).into()
}

#[test]
fn groups_in_groups_are_refused_without_going_down_into_them() {
    // A call for each group would need a hundred times this stack.
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let parsed = small.spawn(|| {
        [
            Message::parse_from_carllerche_bytes(&nested()).is_ok(),
            Entry::parse_from_carllerche_bytes(&nested()).is_ok(),
            Snapshot::parse_from_carllerche_bytes(&nested()).is_ok(),
        ]
    });
    assert_eq!(parsed.unwrap().join().unwrap(), [false; 3]);
}
