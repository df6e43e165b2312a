//! Refusals as TiKV words them.

use proto::errorpb::{
    DiskFull, EpochNotMatch, Error, MismatchPeerId, NotLeader, RaftEntryTooLarge, ReadIndexNotReady, RegionNotFound,
    ServerIsBusy, StaleCommand, StoreNotMatch,
};
use proto::metapb::{Peer, Region};

use crate::Refusal;

fn region(error: Error) -> Refusal {
    Refusal::Region(Box::new(error))
}

/// Nobody knows whether the write is done.
pub(crate) fn unknown(why: &str) -> Refusal {
    Refusal::Unknown(format!("{why}: fate unknown"))
}

/// Not now.
pub(crate) fn busy(reason: &str) -> Refusal {
    region(Error {
        message: format!("server is busy: {reason}"),
        server_is_busy: Some(ServerIsBusy { reason: reason.to_owned(), ..ServerIsBusy::default() }),
        ..Error::default()
    })
}

/// Ask the leader.
pub(crate) fn not_leader(region_id: u64, leader: Option<Peer>) -> Refusal {
    region(Error {
        message: format!("peer is not leader for region {region_id}"),
        not_leader: Some(NotLeader { region_id, leader }),
        ..Error::default()
    })
}

/// No replica of it here.
pub(crate) fn region_not_found(region_id: u64) -> Refusal {
    region(Error {
        message: format!("region {region_id} is not on this store"),
        region_not_found: Some(RegionNotFound { region_id }),
        ..Error::default()
    })
}

/// Meant for another store.
pub(crate) fn store_not_match(asked: u64, actual: u64) -> Refusal {
    region(Error {
        message: format!("the request is for store {asked}, this is store {actual}"),
        store_not_match: Some(StoreNotMatch { request_store_id: asked, actual_store_id: actual }),
        ..Error::default()
    })
}

/// Meant for another replica.
pub(crate) fn mismatch_peer(asked: u64, actual: u64) -> Refusal {
    region(Error {
        message: format!("the request is for peer {asked}, this is peer {actual}"),
        mismatch_peer_id: Some(MismatchPeerId { request_peer_id: asked, store_peer_id: actual }),
        ..Error::default()
    })
}

/// The asker's idea of the region is another one.
pub(crate) fn epoch_not_match(current: &Region) -> Refusal {
    region(Error {
        message: format!("region {} is of another epoch", current.id),
        epoch_not_match: Some(EpochNotMatch { current_regions: vec![current.clone()] }),
        ..Error::default()
    })
}

/// Not done, and it never will be.
pub(crate) fn stale() -> Refusal {
    region(Error {
        message: "command is stale: another leader's entry is in its place".to_owned(),
        stale_command: Some(StaleCommand {}),
        ..Error::default()
    })
}

/// Writes need room.
pub(crate) fn disk_full(stores: Vec<u64>, reason: &str) -> Refusal {
    region(Error {
        message: "no room for writes".to_owned(),
        disk_full: Some(DiskFull { store_id: stores, reason: reason.to_owned() }),
        ..Error::default()
    })
}

/// More than an entry of the log may have.
pub(crate) fn too_large(region_id: u64, entry_size: u64, limit: u64) -> Refusal {
    region(Error {
        message: format!("the write has {entry_size} bytes, raft-entry-max-size is {limit}: write it in parts"),
        raft_entry_too_large: Some(RaftEntryTooLarge { region_id, entry_size }),
        ..Error::default()
    })
}

/// No leader confirmed the read in time.
pub(crate) fn read_not_ready(region_id: u64) -> Refusal {
    let reason = "no leader confirmed the read in time";
    region(Error {
        message: reason.to_owned(),
        read_index_not_ready: Some(ReadIndexNotReady { reason: reason.to_owned(), region_id }),
        ..Error::default()
    })
}
