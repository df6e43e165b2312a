//! RAID 0: consecutive chunks on consecutive volumes.

/// Where the bytes of a striped device lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    members: u64,
    chunk: u64,
}

/// A part of a request that lies in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) member: usize,
    /// On that volume.
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl Layout {
    pub(crate) fn new(members: usize, chunk: u64) -> Self {
        Self { members: members.max(1) as u64, chunk: chunk.max(1) }
    }

    /// The parts of a request, in order.
    pub(crate) fn parts(self, offset: u64, bytes: u64) -> impl Iterator<Item = Part> {
        let end = offset.saturating_add(bytes);
        let mut at = offset;
        // A request without bytes still is one.
        let mut first = true;
        std::iter::from_fn(move || {
            if at >= end && !first {
                return None;
            }
            first = false;
            let (chunk, within) = (at / self.chunk, at % self.chunk);
            let bytes = (self.chunk - within).min(end - at);
            at += bytes;
            let member = (chunk % self.members) as usize;
            Some(Part { member, offset: chunk / self.members * self.chunk + within, bytes })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn chunks_go_round() {
        let parts: Vec<Part> = Layout::new(2, 100).parts(150, 200).collect();
        let part = |member, offset, bytes| Part { member, offset, bytes };
        assert_eq!(parts, [part(1, 50, 50), part(0, 100, 100), part(1, 100, 50)]);
    }

    proptest! {
        #[test]
        fn every_byte_has_one_place(members in 1usize..9, chunk in 1u64..17, offset in 0u64..500, bytes in 1u64..500) {
            let layout = Layout::new(members, chunk);
            let places: Vec<(usize, u64)> = layout
                .parts(offset, bytes)
                .flat_map(|p| (p.offset..p.offset + p.bytes).map(move |b| (p.member, b)))
                .collect();
            prop_assert_eq!(places.len() as u64, bytes);
            prop_assert_eq!(places.iter().collect::<BTreeSet<_>>().len() as u64, bytes);
        }
    }
}
