//! Writes as clients ask for them, turned into commands of a region.

use std::sync::Arc;

use bytes::Bytes;
use proto::kvrpcpb::{Context, RawCasRequest};
use proto::metapb::Region;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use raftstore::{ColumnFamily, StateChange, WriteCommand};

use super::keys;
use super::kind::Fault;

/// What a write is checked against.
pub(crate) struct Rules<'a> {
    /// Finds regions.
    pub(crate) region: &'a dyn Fn(u64) -> Option<Arc<Region>>,
    /// The longest key.
    pub(crate) max_key_size: usize,
}

impl Rules<'_> {
    fn region(&self, context: &Context) -> Result<Arc<Region>, Fault> {
        keys::api(context)?;
        (self.region)(context.region_id).ok_or_else(|| keys::unknown_region(context.region_id))
    }

    fn key(&self, key: &[u8], region: &Region) -> Result<Bytes, Fault> {
        keys::length(key, self.max_key_size)?;
        keys::inside(key, region)?;
        Ok(keys::stored(key))
    }

    fn each<'k>(
        &self,
        context: &Context,
        keys: impl Iterator<Item = &'k Bytes>,
        change: impl Fn(usize, Bytes) -> StateChange,
    ) -> Result<WriteCommand, Fault> {
        let region = self.region(context)?;
        let changes = keys.enumerate().map(|(at, key)| Ok(change(at, self.key(key, &region)?)));
        Ok(WriteCommand::Write(changes.collect::<Result<_, Fault>>()?))
    }

    /// The command of a write. A read has none.
    pub(crate) fn command(&self, context: &Context, ask: &Ask) -> Result<WriteCommand, Fault> {
        match ask {
            Ask::RawPut(ask) => {
                keys::no_ttl(ask.ttl)?;
                let cf = keys::family(&ask.cf)?;
                self.each(context, [&ask.key].into_iter(), |_, key| StateChange::Put(cf, key, ask.value.clone()))
            }
            Ask::RawBatchPut(ask) => {
                keys::no_ttl(ask.ttl)?;
                ask.ttls.iter().try_for_each(|ttl| keys::no_ttl(*ttl))?;
                let cf = keys::family(&ask.cf)?;
                let put = |at: usize, key| StateChange::Put(cf, key, ask.pairs[at].value.clone());
                self.each(context, ask.pairs.iter().map(|pair| &pair.key), put)
            }
            Ask::RawDelete(ask) => {
                let cf = keys::family(&ask.cf)?;
                self.each(context, [&ask.key].into_iter(), |_, key| StateChange::Delete(cf, key))
            }
            Ask::RawBatchDelete(ask) => {
                let cf = keys::family(&ask.cf)?;
                self.each(context, ask.keys.iter(), |_, key| StateChange::Delete(cf, key))
            }
            Ask::RawDeleteRange(ask) => {
                let cf = keys::family(&ask.cf)?;
                let region = self.region(context)?;
                keys::inside(&ask.start_key, &region)?;
                // No end is the region's end: a client that means more asks each region.
                let end = if ask.end_key.is_empty() { &region.end_key } else { &ask.end_key };
                keys::inside_or_end(end, &region)?;
                if !end.is_empty() && ask.start_key >= end {
                    return Err(Fault::Text(
                        "a range to delete ends before it begins: swap start_key and end_key".to_owned(),
                    ));
                }
                let change = StateChange::DeleteRange(cf, keys::stored(&ask.start_key), keys::stored_end(end));
                Ok(WriteCommand::Write(vec![change]))
            }
            _ => Err(Fault::Text("this request writes nothing".to_owned())),
        }
    }

    /// The command of a compare and swap.
    pub(crate) fn swap(&self, context: &Context, ask: &RawCasRequest) -> Result<WriteCommand, Fault> {
        keys::no_ttl(ask.ttl)?;
        if keys::family(&ask.cf)? != ColumnFamily::Default {
            return Err(Fault::Text(format!("compare and swap works on cf default here, not {}", ask.cf)));
        }
        let region = self.region(context)?;
        let key = self.key(&ask.key, &region)?;
        let expected = (!ask.previous_not_exist).then(|| ask.previous_value.clone());
        Ok(WriteCommand::CompareAndSwap { key, expected, value: ask.value.clone() })
    }
}

/// Bytes of keys and values of a write, for the limits on what is under way.
pub(crate) fn size(ask: &Ask) -> u64 {
    let size = match ask {
        Ask::RawPut(ask) => ask.key.len() + ask.value.len(),
        Ask::RawBatchPut(ask) => ask.pairs.iter().map(|pair| pair.key.len() + pair.value.len()).sum(),
        Ask::RawDelete(ask) => ask.key.len(),
        Ask::RawBatchDelete(ask) => ask.keys.iter().map(Bytes::len).sum(),
        Ask::RawDeleteRange(ask) => ask.start_key.len() + ask.end_key.len(),
        _ => 0,
    };
    size as u64
}
