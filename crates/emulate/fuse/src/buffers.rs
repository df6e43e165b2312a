//! Buffers that are used again, and together never take more than a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

/// Sizes that are kept. The first takes most databases' pages, the last the largest request.
const CLASSES: [usize; 3] = [16 << 10, 128 << 10, MOST];

/// The largest request that the kernel sends.
pub(crate) const MOST: usize = 1 << 20;

/// What all buffers together may take: 256 large requests, or what 4096 small ones need four times over.
const BOUND: usize = 256 << 20;

/// Lends buffers.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: [Mutex<Vec<Vec<u8>>>; CLASSES.len()],
    /// In bytes, whether lent or free.
    made: AtomicUsize,
}

/// A buffer on loan.
#[derive(Debug)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    used: usize,
    pool: Arc<Pool>,
}

fn class(bytes: usize) -> Option<usize> {
    CLASSES.iter().position(|most| bytes <= *most)
}

impl Pool {
    /// A buffer with any content; `None` when the bound is reached or for more than [`MOST`] bytes.
    pub(crate) fn lend(self: &Arc<Self>, used: usize) -> Option<Buffer> {
        let class = class(used)?;
        let free = self.free[class].lock().pop();
        let bytes = match free {
            Some(bytes) => bytes,
            None => {
                let room = |made: usize| made.checked_add(CLASSES[class]).filter(|sum| *sum <= BOUND);
                self.made.fetch_update(Relaxed, Relaxed, room).ok()?;
                vec![0; CLASSES[class]]
            }
        };
        Some(Buffer { bytes, used, pool: self.clone() })
    }
}

impl Buffer {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.used]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        if let Some(class) = class(bytes.len()) {
            self.pool.free[class].lock().push(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_the_size_asked_for_and_is_used_again() {
        let pool = Arc::new(Pool::default());
        let mut first = pool.lend(4096).unwrap();
        first.bytes_mut().fill(7);
        drop(first);
        let second = pool.lend(512).unwrap();
        assert_eq!(second.bytes(), [7; 512]);
    }

    #[test]
    fn nothing_is_lent_beyond_the_bound_until_something_comes_back() {
        let pool = Arc::new(Pool::default());
        let mut lent: Vec<Buffer> = std::iter::from_fn(|| pool.lend(MOST)).collect();
        assert_eq!(lent.len(), BOUND / MOST);
        assert!(pool.lend(1).is_none());
        lent.pop();
        assert!(pool.lend(MOST).is_some());
        assert!(pool.lend(MOST + 1).is_none());
    }
}
