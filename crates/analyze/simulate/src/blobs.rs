//! Values kept apart from the tree, and how their garbage is collected: by itself, as Titan does, or as compactions meet it, as
//! RocksDB's BlobDB does.

use std::collections::VecDeque;

/// Blob files of a node.
#[derive(Debug, Clone)]
pub(crate) enum Blobs {
    /// Files that are mostly garbage are rewritten by themselves; so many bytes at rest.
    Titan(f64),
    /// Living values of the oldest files move when a compaction meets their keys.
    BlobDb(Aged),
}

/// Files by age.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aged {
    /// The oldest first: by when they were opened, for so they are numbered.
    files: VecDeque<File>,
    /// Files that were ever opened.
    opened: u64,
    /// Share of the files, by number, that counts as old: `blob_garbage_collection_age_cutoff`.
    cutoff: f64,
}

/// What a compaction takes of blob files, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Met {
    /// Values that move.
    pub(crate) alive: f64,
    /// Of them and of what is dead between them, for files are read ahead, what the page cache does not have any more.
    pub(crate) read: f64,
    /// Files, not bytes: those of which it has nothing any more.
    pub(crate) files: f64,
}

#[derive(Debug, Clone, Copy)]
struct File {
    number: u64,
    /// Bytes that the node had written when it was written.
    written: f64,
    bytes: f64,
    /// Of these, values that nothing newer has replaced.
    alive: f64,
}

/// A file with less than this share of living values is gone: what is left is a matter of arithmetic.
const DEAD: f64 = 1e-3;

impl Blobs {
    /// Of a node that holds so many bytes with their garbage, under Titan.
    pub(crate) fn titan(bytes: f64) -> Self {
        Self::Titan(bytes)
    }

    /// As a load without updates leaves them: `alive` bytes flushed into files of `file` bytes, which may be those of many memtables,
    /// one compaction of all keys for each `trigger` of them. They were the last that the node wrote.
    pub(crate) fn loaded(alive: f64, file: f64, trigger: f64, cutoff: f64) -> Self {
        let mut aged = Aged { cutoff, ..Aged::default() };
        let flushes = if file > 0.0 { (alive / file).ceil() as usize } else { 0 };
        let mut written = 0.0;
        for flush in 1..=flushes {
            let bytes = alive / flushes as f64;
            let opened = aged.open();
            aged.add((opened, written), bytes);
            written += bytes;
            if flush.is_multiple_of((trigger as usize).max(1)) {
                let met = aged.take(1.0, (written, f64::INFINITY));
                let opened = aged.open();
                aged.add((opened, written), met.alive);
                written += met.alive;
            }
        }
        aged.files.iter_mut().for_each(|file| file.written -= written);
        Self::BlobDb(aged)
    }

    /// A file is opened, to be written: its number.
    pub(crate) fn open(&mut self) -> u64 {
        match self {
            Self::Titan(_) => 0,
            Self::BlobDb(aged) => aged.open(),
        }
    }

    /// A flush adds the file of a number, of which a share `updates` replaces what is there; the node had written so much until
    /// now.
    pub(crate) fn flushed(&mut self, file: (u64, f64), bytes: f64, updates: f64) {
        match self {
            Self::Titan(all) => *all += bytes * (1.0 - updates),
            Self::BlobDb(aged) => {
                aged.replace(bytes * updates);
                aged.add(file, bytes);
            }
        }
    }

    /// Bytes that are to be rewritten for those of a flush, by themselves.
    pub(crate) fn garbage(&self, bytes: f64, updates: f64) -> f64 {
        match self {
            Self::Titan(_) => bytes * updates,
            Self::BlobDb(_) => 0.0,
        }
    }

    /// What a compaction of a share of all keys, 0 to 1, takes with it; it hands the living back with [`moved`](Self::moved). Of
    /// what the node has `written`, its page cache keeps the last `cached` bytes.
    pub(crate) fn met(&mut self, share: f64, (written, cached): (f64, f64)) -> Met {
        match self {
            Self::Titan(_) => Met::default(),
            Self::BlobDb(aged) => aged.take(share, (written, cached)),
        }
    }

    /// A compaction has written what it took into the file of a number; the node had written so much until now.
    pub(crate) fn moved(&mut self, file: (u64, f64), bytes: f64) {
        if let Self::BlobDb(aged) = self {
            aged.add(file, bytes);
        }
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> f64 {
        match self {
            Self::Titan(bytes) => *bytes,
            Self::BlobDb(aged) => aged.files.iter().map(|file| file.bytes).sum(),
        }
    }
}

impl Aged {
    fn open(&mut self) -> u64 {
        self.opened += 1;
        self.opened
    }

    fn add(&mut self, (number, written): (u64, f64), bytes: f64) {
        if bytes > 0.0 {
            let place = self.files.partition_point(|file| file.number < number);
            self.files.insert(place, File { number, written, bytes, alive: bytes });
        }
    }

    /// Newer values replace so many bytes, wherever they are.
    fn replace(&mut self, bytes: f64) {
        let alive: f64 = self.files.iter().map(|file| file.alive).sum();
        let left = if alive > 0.0 { (1.0 - bytes / alive).max(0.0) } else { 0.0 };
        self.files.iter_mut().for_each(|file| file.alive *= left);
    }

    /// What is alive of a share of the keys leaves the old files, and what is dead of them goes.
    fn take(&mut self, share: f64, (written, cached): (f64, f64)) -> Met {
        let old = (self.cutoff * self.files.len() as f64) as usize;
        let share = share.clamp(0.0, 1.0);
        let mut met = Met::default();
        for file in self.files.iter_mut().take(old) {
            met.alive += file.alive * share;
            let evicted = written - file.written > cached;
            if evicted {
                met.read += file.bytes * share;
                met.files += 1.0;
            }
            file.alive *= 1.0 - share;
        }
        self.files.retain(|file| file.alive > DEAD * file.bytes);
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: f64 = 1e6;
    /// Nothing written, and a page cache for everything.
    const ALL: (f64, f64) = (0.0, f64::INFINITY);

    fn loaded(files: f64) -> Blobs {
        Blobs::loaded(files * FILE, FILE, 4.0, 0.25)
    }

    fn flush(blobs: &mut Blobs, updates: f64) {
        let file = blobs.open();
        blobs.flushed((file, 0.0), FILE, updates);
    }

    #[test]
    fn a_load_leaves_all_that_lives_in_few_files() {
        let Blobs::BlobDb(aged) = loaded(100.0) else { panic!("it is not Titan's") };
        let alive: f64 = aged.files.iter().map(|file| file.alive).sum();
        assert!((alive / (100.0 * FILE) - 1.0).abs() < 1e-9, "{alive}");
        // Four come, and a quarter becomes one, at a time.
        assert!((14..=20).contains(&aged.files.len()), "{}", aged.files.len());
    }

    #[test]
    fn a_load_that_flushes_do_not_keep_up_with_leaves_fewer_and_larger_files() {
        let [Blobs::BlobDb(one), Blobs::BlobDb(six)] =
            [1.0, 6.0].map(|memtables| Blobs::loaded(60.0 * FILE, memtables * FILE, 4.0, 0.25))
        else {
            panic!("they are not Titan's")
        };
        let alive = |aged: &Aged| aged.files.iter().map(|file| file.alive).sum::<f64>();
        assert!(six.files.len() < one.files.len() && (alive(&six) / alive(&one) - 1.0).abs() < 1e-9);
        assert!(six.files.iter().any(|file| file.bytes >= 6.0 * FILE));
    }

    #[test]
    fn a_compaction_takes_what_lives_in_the_oldest_quarter() {
        let mut blobs = loaded(3.0);
        assert_eq!(blobs.met(1.0, ALL), Met::default(), "a quarter of three files is none");
        flush(&mut blobs, 0.0);
        assert_eq!(blobs.met(0.5, ALL), Met { alive: 0.5 * FILE, ..Met::default() });
        assert_eq!(blobs.met(1.0, ALL).alive, 0.5 * FILE);
        assert_eq!(blobs.bytes(), 3.0 * FILE, "the emptied file is gone");
        let moved = blobs.open();
        blobs.moved((moved, FILE), FILE);
        assert_eq!(blobs.bytes(), 4.0 * FILE);
    }

    #[test]
    fn a_file_is_as_old_as_its_number_though_it_is_written_later() {
        let mut blobs = loaded(3.0);
        let first = blobs.open();
        flush(&mut blobs, 0.0);
        blobs.flushed((first, 0.0), FILE, 0.0);
        let Blobs::BlobDb(aged) = blobs else { panic!("it is not Titan's") };
        assert!(aged.files.iter().is_sorted_by_key(|file| file.number), "{:?}", aged.files);
    }

    #[test]
    fn updates_kill_values_of_all_ages_and_a_compaction_has_less_to_move() {
        let mut blobs = loaded(4.0);
        let mut updated = blobs.clone();
        for _ in 0..4 {
            flush(&mut blobs, 0.0);
            flush(&mut updated, 1.0);
        }
        assert!(updated.met(1.0, ALL).alive < 0.5 * blobs.met(1.0, ALL).alive);
    }

    #[test]
    fn what_was_written_long_ago_is_read_whole_though_most_of_it_is_dead() {
        let mut blobs = loaded(4.0);
        for _ in 0..4 {
            flush(&mut blobs, 1.0);
        }
        // Two files of eight are old; the load's last byte is ten files ago, and its first fourteen.
        let mut longer = blobs.clone();
        assert_eq!(blobs.met(1.0, (10.0 * FILE, 20.0 * FILE)).read, 0.0);
        let met = longer.met(1.0, (10.0 * FILE, 5.0 * FILE));
        assert!(met.read == 2.0 * FILE && met.files == 2.0 && met.alive < FILE, "{met:?}");
    }

    #[test]
    fn under_titan_garbage_is_collected_by_itself() {
        let mut blobs = Blobs::titan(10.0 * FILE);
        blobs.flushed((0, 0.0), FILE, 0.25);
        assert_eq!((blobs.bytes(), blobs.garbage(FILE, 0.25)), (10.75 * FILE, 0.25 * FILE));
        assert_eq!(blobs.met(1.0, ALL), Met::default());
        assert_eq!(loaded(10.0).garbage(FILE, 0.25), 0.0);
    }
}
