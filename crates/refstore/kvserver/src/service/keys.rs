//! Keys as clients give them, and as the state has them; which keys and column families are allowed.

use bytes::{BufMut, Bytes, BytesMut};
use proto::errorpb;
use proto::kvrpcpb::{ApiVersion, Context};
use proto::metapb::Region;
use raftstore::ColumnFamily;

use super::kind::Fault;

/// Stands before every key of clients in the state: TiKV's `DATA_PREFIX`, components/keys/src/lib.rs.
pub(crate) const PREFIX: u8 = b'z';

/// A key as the state has it.
pub(crate) fn stored(key: &[u8]) -> Bytes {
    let mut stored = BytesMut::with_capacity(key.len() + 1);
    stored.put_u8(PREFIX);
    stored.put_slice(key);
    stored.freeze()
}

/// A bound that no key reaches, as the state has it; empty is the end of all keys of clients.
pub(crate) fn stored_end(key: &[u8]) -> Bytes {
    if key.is_empty() { Bytes::from_static(&[PREFIX + 1]) } else { stored(key) }
}

/// A key as clients know it.
pub(crate) fn shown(stored: &Bytes) -> Bytes {
    stored.slice(stored.len().min(1)..)
}

/// The column family of a request.
pub(crate) fn family(name: &str) -> Result<ColumnFamily, Fault> {
    ColumnFamily::of_client(name)
        .ok_or_else(|| Fault::Text(format!("invalid cf name: {name}; there are default, lock and write")))
}

/// Whether the client speaks the API that this store has.
pub(crate) fn api(context: &Context) -> Result<(), Fault> {
    if context.api_version == ApiVersion::V1 as i32 {
        return Ok(());
    }
    Err(Fault::Text("Api version in request does not match with TiKV storage: this store has V1".to_owned()))
}

/// Values do not expire here.
pub(crate) fn no_ttl(ttl: u64) -> Result<(), Fault> {
    if ttl == 0 {
        Ok(())
    } else {
        Err(Fault::Text(format!("ttl is not enabled, but the request has ttl {ttl}: leave it 0")))
    }
}

/// The answer to whoever asks how long a key lives. Without `storage.enable-ttl` TiKV panics over it in the words at the end
/// (`src/storage/raw/store.rs`); as an answer they keep a client from trying again.
pub(crate) const NO_TTL: &str = "ttl is not enabled, but the request asks for a key's: get ttl on non-ttl store";

/// Whether a key is neither empty nor too long.
pub(crate) fn length(key: &[u8], most: usize) -> Result<(), Fault> {
    match key.len() {
        0 => Err(Fault::Text("a key is empty: it needs one byte at least".to_owned())),
        size if size > most => Err(Fault::Text(format!("max key size exceeded, size: {size}, limit: {most}"))),
        _ => Ok(()),
    }
}

/// Whether a key is one of the region's.
pub(crate) fn inside(key: &[u8], region: &Region) -> Result<(), Fault> {
    if key >= &region.start_key[..] && (region.end_key.is_empty() || key < &region.end_key[..]) {
        return Ok(());
    }
    Err(outside(key, region))
}

/// Whether a bound of keys is one of the region's, or its end.
pub(crate) fn inside_or_end(key: &[u8], region: &Region) -> Result<(), Fault> {
    if key == &region.end_key[..] { Ok(()) } else { inside(key, region) }
}

/// A range within the region, if any of it is; an empty end is the region's.
pub(crate) fn clipped<'a>(from: &'a [u8], until: &'a [u8], region: &'a Region) -> Option<(&'a [u8], &'a [u8])> {
    let from = from.max(&region.start_key[..]);
    let until = match (until.is_empty(), region.end_key.is_empty()) {
        (true, _) => &region.end_key[..],
        (false, true) => until,
        (false, false) => until.min(&region.end_key[..]),
    };
    (until.is_empty() || from < until).then_some((from, until))
}

fn outside(key: &[u8], region: &Region) -> Fault {
    let message = format!("key {} is not in region {}", hex(key), region.id);
    let key_not_in_region = Some(errorpb::KeyNotInRegion {
        key: Bytes::copy_from_slice(key),
        region_id: region.id,
        start_key: region.start_key.clone(),
        end_key: region.end_key.clone(),
    });
    Fault::Region(Box::new(errorpb::Error { message, key_not_in_region, ..Default::default() }))
}

/// There is no such region here.
pub(crate) fn unknown_region(region_id: u64) -> Fault {
    let message = format!("region {region_id} not found");
    let region_not_found = Some(errorpb::RegionNotFound { region_id });
    Fault::Region(Box::new(errorpb::Error { message, region_not_found, ..Default::default() }))
}

fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02X}")).collect()
}
