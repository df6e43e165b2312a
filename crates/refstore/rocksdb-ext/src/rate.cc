// The two calls on a rate limiter that RocksDB's C interface lacks.

#include <cstdint>
#include <memory>

#include "rocksdb/rate_limiter.h"

// As RocksDB's db/c.cc defines what its handle points to; a test of the crate fails if it no longer does.
struct rocksdb_ratelimiter_t {
  std::shared_ptr<rocksdb::RateLimiter> rep;
};

extern "C" {

void diskwright_set_rate(rocksdb_ratelimiter_t* limiter, int64_t bytes_per_second) {
  limiter->rep->SetBytesPerSecond(bytes_per_second);
}

int64_t diskwright_rate(const rocksdb_ratelimiter_t* limiter) {
  return limiter->rep->GetBytesPerSecond();
}
}
