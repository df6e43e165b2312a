//! Reads of the local state, once they may be done.

use proto::kvrpcpb::{
    KeyRange, KvPair, RawBatchGetRequest, RawBatchGetResponse, RawBatchScanRequest, RawBatchScanResponse,
    RawGetRequest, RawGetResponse, RawScanRequest, RawScanResponse,
};
use proto::metapb::Region;
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::Response;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use raftstore::{KeyScan, StateStore};

use super::keys;
use super::kind::{Fault, Kind, answer};

/// Pairs that a scan gives at most; `MaxRawKVScanLimit` of client-go, which asks for no more.
const MOST_PAIRS: u32 = 10_240;

/// Reads the local state of a region.
pub(crate) struct Lookup<'a> {
    pub(crate) state: &'a dyn StateStore,
    pub(crate) region: &'a Region,
    pub(crate) max_key_size: usize,
    /// A key as the state has it, made anew for each.
    pub(crate) key: &'a mut Vec<u8>,
}

impl Lookup<'_> {
    /// The answer to a read.
    pub(crate) fn answer(&mut self, kind: Kind, ask: &Ask) -> Response {
        let outcome = match ask {
            Ask::RawGet(ask) => self.get(ask).map(Answer::RawGet),
            Ask::RawBatchGet(ask) => self.batch_get(ask).map(Answer::RawBatchGet),
            Ask::RawScan(ask) => self.scan(ask).map(Answer::RawScan),
            Ask::RawBatchScan(ask) => self.batch_scan(ask).map(Answer::RawBatchScan),
            _ => Err(Fault::Text("this request reads nothing".to_owned())),
        };
        match outcome {
            Ok(cmd) => Response { cmd: Some(cmd) },
            Err(fault) => answer(kind, Err(fault)),
        }
    }

    fn value(&mut self, cf: raftstore::ColumnFamily, key: &[u8]) -> Result<Option<bytes::Bytes>, Fault> {
        keys::length(key, self.max_key_size)?;
        keys::inside(key, self.region)?;
        self.key.clear();
        self.key.push(keys::PREFIX);
        self.key.extend_from_slice(key);
        Ok(self.state.get(cf, self.key)?)
    }

    fn get(&mut self, ask: &RawGetRequest) -> Result<RawGetResponse, Fault> {
        let value = self.value(keys::family(&ask.cf)?, &ask.key)?;
        Ok(RawGetResponse { not_found: value.is_none(), value: value.unwrap_or_default(), ..Default::default() })
    }

    fn batch_get(&mut self, ask: &RawBatchGetRequest) -> Result<RawBatchGetResponse, Fault> {
        let cf = keys::family(&ask.cf)?;
        let mut pairs = Vec::with_capacity(ask.keys.len());
        for key in &ask.keys {
            if let Some(value) = self.value(cf, key)? {
                pairs.push(KvPair { key: key.clone(), value, ..Default::default() });
            }
        }
        Ok(RawBatchGetResponse { pairs, ..Default::default() })
    }

    fn scan(&mut self, ask: &RawScanRequest) -> Result<RawScanResponse, Fault> {
        let walk = Walk { cf: &ask.cf, limit: ask.limit, keys_only: ask.key_only, reverse: ask.reverse };
        let mut kvs = Vec::new();
        self.walk(&walk, &ask.start_key, &ask.end_key, &mut kvs)?;
        Ok(RawScanResponse { kvs, ..Default::default() })
    }

    fn batch_scan(&mut self, ask: &RawBatchScanRequest) -> Result<RawBatchScanResponse, Fault> {
        let walk = Walk { cf: &ask.cf, limit: ask.each_limit, keys_only: ask.key_only, reverse: ask.reverse };
        let mut kvs = Vec::new();
        for (at, range) in ask.ranges.iter().enumerate() {
            let end = range_end(&ask.ranges, at, ask.reverse)?;
            self.walk(&walk, &range.start_key, end, &mut kvs)?;
        }
        Ok(RawBatchScanResponse { kvs, ..Default::default() })
    }

    /// From `start` on, up to but without `end`; reverse from below `start`, down to and with `end`. The region's ends clip it.
    fn walk(&mut self, walk: &Walk<'_>, start: &[u8], end: &[u8], pairs: &mut Vec<KvPair>) -> Result<(), Fault> {
        let cf = keys::family(walk.cf)?;
        let region = self.region;
        let (low, high) = if walk.reverse { (end, start) } else { (start, end) };
        if walk.reverse {
            keys::inside_or_end(high, region)?;
        } else {
            keys::inside(low, region)?;
        }
        let Some((low, high)) = keys::clipped(low, high, region) else {
            return Ok(());
        };
        let found = self.state.scan(&KeyScan {
            cf,
            from: keys::stored(low),
            until: keys::stored_end(high),
            limit: walk.limit.min(MOST_PAIRS) as usize,
            reverse: walk.reverse,
            keys_only: walk.keys_only,
        })?;
        let pair = |(key, value)| KvPair { key: keys::shown(&key), value, ..Default::default() };
        pairs.extend(found.into_iter().map(pair));
        Ok(())
    }
}

/// How to walk.
struct Walk<'a> {
    cf: &'a str,
    limit: u32,
    keys_only: bool,
    reverse: bool,
}

/// Where a range of several ends: one without an end ends where the next begins. TiKV's `check_key_ranges`.
fn range_end(ranges: &[KeyRange], at: usize, reverse: bool) -> Result<&[u8], Fault> {
    let range = &ranges[at];
    let next = ranges.get(at + 1).map_or(&[][..], |next| &next.start_key[..]);
    let end = if range.end_key.is_empty() { next } else { &range.end_key[..] };
    let ordered = end.is_empty() || if reverse { &range.start_key[..] >= end } else { &range.start_key[..] <= end };
    if ordered {
        return Ok(end);
    }
    Err(Fault::Text("Invalid KeyRanges: a range ends before it begins".to_owned()))
}
