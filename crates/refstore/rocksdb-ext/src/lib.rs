//! What can be changed of a RocksDB that runs and its Rust binding cannot: the rate limiter of flushes and compactions, which its
//! C interface only sets before the database is opened, and options of the whole database.

mod database;

use std::ptr::NonNull;
use std::time::Duration;

use librocksdb_sys as ffi;
use rocksdb::{AsRawPtr, Options};

pub use database::{OptionError, set_db_options};

unsafe extern "C" {
    fn diskwright_set_rate(limiter: *mut ffi::rocksdb_ratelimiter_t, bytes_per_second: i64);
    fn diskwright_rate(limiter: *const ffi::rocksdb_ratelimiter_t) -> i64;
}

/// A rate limiter; databases that were opened with it share it, and outlive it.
#[derive(Debug)]
pub struct RateLimiter {
    handle: NonNull<ffi::rocksdb_ratelimiter_t>,
    /// The most that it chooses if it tunes itself, in bytes a second.
    ceiling: Option<u64>,
}

// SAFETY: the handle holds a shared pointer to a `rocksdb::RateLimiter`, whose methods may be called from any thread
// (include/rocksdb/rate_limiter.h); the handle itself is only read until it is dropped.
unsafe impl Send for RateLimiter {}
// SAFETY: as above.
unsafe impl Sync for RateLimiter {}

impl RateLimiter {
    /// One that lets so many bytes a second through, in portions of `refill`; low-priority requests go first in one of
    /// `fairness`. Tuned automatically, the rate is the most that it chooses. `None` for a rate that is no number over zero.
    pub fn new(bytes_per_second: u64, refill: Duration, fairness: i32, auto_tuned: bool) -> Option<Self> {
        let (rate, micros) = (rate(bytes_per_second)?, i64::try_from(refill.as_micros()).ok()?);
        // SAFETY: both take plain numbers and give a handle of their own.
        let limiter = unsafe {
            if auto_tuned {
                ffi::rocksdb_ratelimiter_create_auto_tuned(rate, micros, fairness)
            } else {
                ffi::rocksdb_ratelimiter_create(rate, micros, fairness)
            }
        };
        let handle = NonNull::new(limiter)?;
        Some(Self { handle, ceiling: auto_tuned.then_some(bytes_per_second) })
    }

    /// Lets it limit every database that is opened with these options.
    pub fn limit(&self, options: &mut Options) {
        // SAFETY: both handles live; RocksDB copies the shared pointer.
        unsafe { ffi::rocksdb_options_set_ratelimiter(options.as_raw_ptr(), self.handle.as_ptr()) }
    }

    /// From now on so many bytes a second.
    ///
    /// # Errors
    /// In a clause: for zero, with which RocksDB would stand still, and for another ceiling of one that tunes itself, which only
    /// TiKV's fork of RocksDB can change (util/rate_limiter_impl.h, `max_bytes_per_sec_` is constant).
    pub fn set(&self, bytes_per_second: u64) -> Result<(), &'static str> {
        if let Some(ceiling) = self.ceiling {
            let same = (ceiling == bytes_per_second).then_some(());
            return same.ok_or("RocksDB's limiter that tunes itself keeps the ceiling that it began with");
        }
        let rate = rate(bytes_per_second).ok_or("flushes and compactions would stand still")?;
        // SAFETY: the handle lives, and is what `rate.cc` takes it for: a test says so.
        unsafe { diskwright_set_rate(self.handle.as_ptr(), rate) };
        Ok(())
    }

    /// Bytes a second that it lets through now.
    pub fn rate(&self) -> u64 {
        // SAFETY: as in `set`.
        let rate = unsafe { diskwright_rate(self.handle.as_ptr()) };
        u64::try_from(rate).unwrap_or(0)
    }
}

impl Drop for RateLimiter {
    fn drop(&mut self) {
        // SAFETY: it was created here and is dropped once.
        unsafe { ffi::rocksdb_ratelimiter_destroy(self.handle.as_ptr()) }
    }
}

fn rate(bytes_per_second: u64) -> Option<i64> {
    i64::try_from(bytes_per_second).ok().filter(|rate| *rate > 0)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rocksdb::DB;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn limiter(rate: u64) -> RateLimiter {
        RateLimiter::new(rate, Duration::from_millis(100), 10, false).unwrap()
    }

    #[test]
    fn the_handle_is_what_rocksdb_made() {
        let limiter = limiter(7 * MIB);
        assert_eq!(limiter.rate(), 7 * MIB);
        limiter.set(3 * MIB).unwrap();
        assert_eq!(limiter.rate(), 3 * MIB);
        assert!(limiter.set(0).is_err() && limiter.rate() == 3 * MIB);
        assert!(RateLimiter::new(0, Duration::from_millis(100), 10, false).is_none());
    }

    #[test]
    fn one_that_tunes_itself_keeps_its_ceiling() {
        let limiter = RateLimiter::new(100 * MIB, Duration::from_millis(100), 10, true).unwrap();
        assert!(limiter.rate() <= 100 * MIB);
        assert!(limiter.set(100 * MIB).is_ok() && limiter.set(10 * MIB).is_err());
    }

    #[test]
    fn a_database_that_is_open_flushes_as_fast_as_it_is_told_to() {
        let dir = tempfile::tempdir().unwrap();
        let limiter = limiter(4 * MIB);
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_compression_type(rocksdb::DBCompressionType::None);
        limiter.limit(&mut options);
        let db = DB::open(&options, dir.path()).unwrap();
        let flush = || {
            for key in 0..12u32 {
                db.put(key.to_be_bytes(), vec![7; MIB as usize]).unwrap();
            }
            let from = Instant::now();
            db.flush().unwrap();
            from.elapsed().as_secs_f64()
        };
        let slow = flush();
        limiter.set(1 << 30).unwrap();
        let fast = flush();
        // 12 MiB at 4 MiB/s are three seconds; the first portion passes at once.
        assert!(slow > 1.5, "{slow}");
        assert!(fast < slow / 2.0, "{fast} after {slow}");
    }
}
