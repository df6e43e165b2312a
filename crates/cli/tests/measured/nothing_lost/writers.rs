//! Threads that write to a folder until its disk fails them, and remember outside of it what the disk acknowledged.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::Duration;

use nix::errno::Errno;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::nothing_lost::numbered;
use crate::nothing_lost::overwrites::{self, Aligned, BLOCKS, Generations, Keeps};

/// The disk must answer or fail within this time, whatever happened to it.
const PATIENCE: Duration = Duration::from_secs(60);
/// Overwrites between two flushes by the same thread.
const FLUSH_EVERY: u64 = 64;
/// Threads that overwrite, each its own blocks: the disk has several requests at a time.
const OVERWRITERS: usize = 4;

/// What the threads know of the disk.
#[derive(Clone)]
pub(crate) struct Known {
    records: u64,
    /// Whether the filesystem took one more record into its journal after it had acknowledged these.
    confirmed: bool,
    generations: Generations,
}

/// Files of one round, and what must be in them.
pub(crate) struct Written {
    files: Files,
    known: Known,
}

#[derive(Clone)]
struct Files {
    records: PathBuf,
    blocks: PathBuf,
}

/// Threads at work.
pub(crate) struct Writers {
    stop: Arc<AtomicBool>,
    known: Arc<Mutex<Known>>,
    files: Files,
    ended: mpsc::Receiver<()>,
    threads: usize,
}

impl Writers {
    /// Starts on files named by `round`; without `appends` only the overwriting threads flush, and seldom.
    pub(crate) fn start(folder: &Path, round: u64, seed: u64, appends: bool) -> Self {
        let at = |kind| folder.join(format!("{kind}-{round}"));
        let files = Files { records: at("records"), blocks: at("blocks") };
        let log = File::create(&files.records).unwrap();
        let blocks = Arc::new(overwrites::create(&files.blocks).unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let known = Arc::new(Mutex::new(Known { records: 0, confirmed: false, generations: Generations::first() }));
        let (sender, ended) = mpsc::channel();
        for part in 0..OVERWRITERS {
            let (blocks, stop, known, sender) = (blocks.clone(), stop.clone(), known.clone(), sender.clone());
            std::thread::spawn(move || {
                overwrite(&blocks, part, seed, &stop, &known);
                drop(blocks);
                let _ = sender.send(());
            });
        }
        if appends {
            let (stop, known) = (stop.clone(), known.clone());
            std::thread::spawn(move || {
                append(log, &stop, &known);
                let _ = sender.send(());
            });
        }
        Self { stop, known, files, ended, threads: OVERWRITERS + usize::from(appends) }
    }

    /// Waits until the threads have ended, which they do by themselves when the disk fails.
    #[track_caller]
    pub(crate) fn finish(self) -> Written {
        self.stop.store(true, Ordering::Relaxed);
        for _ in 0..self.threads {
            self.ended.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("a writer hangs for {PATIENCE:?}"));
        }
        let known = lock(&self.known).clone();
        Written { files: self.files, known }
    }
}

impl Written {
    /// Asserts that all is there that the disk keeps; gives how many acknowledged overwrites are gone.
    #[track_caller]
    pub(crate) fn check(&self, keeps: Keeps) -> usize {
        numbered::check(&self.files.records, self.known.records, 0);
        overwrites::check(&self.files.blocks, &self.known.generations, keeps)
    }

    /// The same after ext4 gave its journal up. Then it may have acknowledged one record too many (seen with Linux 6.18 on a plain
    /// loop device, too): the transaction with the file's new length is committed for another thread's flush, which fails, while
    /// `fdatasync` still waits for the record itself; it then finds no such transaction and takes it for committed
    /// (`jbd2_complete_transaction`). The next write is refused with EROFS. If anything else came of it, the journal was whole until
    /// then, and so is the record.
    #[track_caller]
    pub(crate) fn check_after_abort(&self, keeps: Keeps) -> usize {
        numbered::check(&self.files.records, self.known.records, u64::from(!self.known.confirmed));
        overwrites::check(&self.files.blocks, &self.known.generations, keeps)
    }

    /// Asserts that the last record that was acknowledged is on the disk, though a filesystem may have lost its place.
    #[track_caller]
    pub(crate) fn check_disk(&self, image: &Path) {
        numbered::check_disk(image, self.known.records);
    }

    /// How many records and overwrites were acknowledged.
    pub(crate) fn acknowledged(&self) -> (u64, u64) {
        // Generations rise by one with each write of a block.
        (self.known.records, self.known.generations.acknowledged.iter().sum())
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().expect("no writer panics with the lock held")
}

fn append(mut log: File, stop: &AtomicBool, known: &Mutex<Known>) {
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = numbered::append(&mut log, number) {
            lock(known).confirmed = error.raw_os_error() != Some(Errno::EROFS as i32);
            return;
        }
        lock(known).records = number + 1;
    }
}

fn overwrite(file: &File, part: usize, seed: u64, stop: &AtomicBool, known: &Mutex<Known>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(part as u64));
    let mut buffer = Aligned::new();
    for count in 1.. {
        let block = random.random_range(0..BLOCKS / OVERWRITERS) * OVERWRITERS + part;
        let generation = lock(known).generations.acknowledged[block] + 1;
        lock(known).generations.issued[block] = generation;
        if stop.load(Ordering::Relaxed) || overwrites::write(file, &mut buffer, block, generation).is_err() {
            return;
        }
        lock(known).generations.acknowledged[block] = generation;
        if count % FLUSH_EVERY == 0 {
            let before = lock(known).generations.acknowledged.clone();
            if file.sync_data().is_err() {
                return;
            }
            let flushed = &mut lock(known).generations.flushed;
            flushed.iter_mut().zip(before).for_each(|(flushed, before)| *flushed = before.max(*flushed));
        }
    }
}
