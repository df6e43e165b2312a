//! The folder with the disks, as the kernel sees it through FUSE.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, InitFlags, KernelConfig,
    LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request,
    WriteFlags,
};

use crate::buffers::MOST;
use crate::desk::Desk;

/// How many requests the kernel has under way here at most; above, they queue in the kernel. More than all block devices
/// together have, or the requests of one stalled disk would keep out those of the others.
const UNDER_WAY: u16 = 8192;

/// Names never change.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// Sizes may: they are asked for anew each time.
const NEVER: Duration = Duration::ZERO;

/// A folder with a file for each disk; the inode of disk i is i + 2.
pub(crate) struct Files(pub(crate) Arc<Desk>);

const FIRST: u64 = 2;

impl Files {
    fn disk(&self, inode: INodeNo) -> Option<usize> {
        let index = inode.0.checked_sub(FIRST)? as usize;
        (index < self.0.disks.len()).then_some(index)
    }

    fn attributes(&self, inode: INodeNo) -> Option<FileAttr> {
        let (kind, perm, size) = match self.disk(inode) {
            Some(disk) => (FileType::RegularFile, 0o600, self.0.disks[disk].size()),
            None if inode == INodeNo::ROOT => (FileType::Directory, 0o700, 0),
            None => return None,
        };
        let then = UNIX_EPOCH;
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Some(FileAttr {
            ino: inode,
            size,
            blocks: size / 512,
            atime: then,
            mtime: then,
            ctime: then,
            crtime: then,
            kind,
            perm,
            nlink: 1,
            uid,
            gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    /// Whether the disk has these bytes.
    fn has(&self, disk: usize, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.0.disks[disk].size())
    }
}

impl Filesystem for Files {
    fn init(&mut self, _request: &Request, config: &mut KernelConfig) -> io::Result<()> {
        // The only refusals are of zero and of more than the kernel has, which then gives what it has.
        let _ = config.set_max_background(UNDER_WAY);
        let _ = config.set_congestion_threshold(UNDER_WAY);
        let _ = config.set_max_write(MOST as u32);
        // Direct I/O that does not wait for the answer, as a loop device's.
        let _ = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        Ok(())
    }

    fn lookup(&self, _request: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let disk = self.0.disks.iter().position(|disk| parent == INodeNo::ROOT && name == disk.name.as_str());
        match disk.and_then(|i| self.attributes(INodeNo(FIRST + i as u64))) {
            Some(attributes) => reply.entry_with_ttls(&NEVER, &FOREVER, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _request: &Request, inode: INodeNo, _file: Option<FileHandle>, reply: ReplyAttr) {
        match self.attributes(inode) {
            Some(attributes) => reply.attr(&NEVER, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn readdir(&self, _: &Request, _: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let dots = [(INodeNo::ROOT, FileType::Directory, "."), (INodeNo::ROOT, FileType::Directory, "..")];
        let disks = self.0.disks.iter().zip(FIRST..);
        let files = disks.map(|(disk, i)| (INodeNo(i), FileType::RegularFile, disk.name.as_str()));
        for ((inode, kind, name), next) in dots.into_iter().chain(files).zip(1..).skip(offset as usize) {
            if reply.add(inode, next, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn open(&self, _request: &Request, inode: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        match self.disk(inode) {
            // Whose block device stands on the backing file itself: two ways to it would not see each other's writes in order.
            Some(disk) if self.0.disks[disk].passthrough.is_some() => reply.error(Errno::EBUSY),
            // The kernel must not cache what is a disk, nor let its requests wait for each other.
            Some(_) => {
                reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES);
            }
            None => reply.error(Errno::EISDIR),
        }
    }

    fn read(
        &self,
        _request: &Request,
        inode: INodeNo,
        _file: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let Some(disk) = self.disk(inode) else { return reply.error(Errno::ENOENT) };
        let left = self.0.disks[disk].size().saturating_sub(offset);
        let bytes = left.min(u64::from(size)).min(MOST as u64) as u32;
        if bytes == 0 {
            return reply.data(&[]);
        }
        self.0.read(disk, offset, bytes, reply);
    }

    fn write(
        &self,
        _request: &Request,
        inode: INodeNo,
        _file: FileHandle,
        offset: u64,
        data: &[u8],
        _write: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.disk(inode) {
            Some(disk) if self.has(disk, offset, data.len() as u64) => self.0.write(disk, offset, data, reply),
            Some(_) => reply.error(Errno::ENOSPC),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn fsync(&self, _request: &Request, inode: INodeNo, _file: FileHandle, _data_only: bool, reply: ReplyEmpty) {
        match self.disk(inode) {
            Some(disk) => self.0.flush(disk, reply),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn fallocate(
        &self,
        _request: &Request,
        inode: INodeNo,
        _file: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        use rustix::fs::FallocateFlags;
        let mode = FallocateFlags::from_bits_retain(mode as u32);
        let Some(disk) = self.disk(inode) else { return reply.error(Errno::ENOENT) };
        let discard = mode.contains(FallocateFlags::PUNCH_HOLE);
        if !discard && !mode.contains(FallocateFlags::ZERO_RANGE) {
            return reply.error(Errno::EOPNOTSUPP);
        }
        if !self.has(disk, offset, length) {
            return reply.error(Errno::ENOSPC);
        }
        self.0.clear(disk, offset, length, discard, reply);
    }
}
