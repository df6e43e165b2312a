//! A request under way.

use disk::IoOperation;
use fuser::{Errno, ReplyData, ReplyEmpty, ReplyWrite};
use units::Nanos;

use crate::buffers::Buffer;
use crate::volatile::Sealed;

/// A request.
#[derive(Debug)]
pub(crate) struct Ticket {
    pub(crate) disk: usize,
    pub(crate) op: IoOperation,
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
    pub(crate) arrived: Nanos,
    /// When the model wants the answer to be there.
    pub(crate) due: Nanos,
    pub(crate) hit: Option<bool>,
    /// How often its disk had been cut off.
    pub(crate) cuts: u64,
    pub(crate) outcome: Result<(), Errno>,
    /// Whether it is one of the operations that are counted.
    pub(crate) counts: bool,
}

/// The kernel's end of a request.
#[derive(Debug)]
pub(crate) enum Reply {
    /// To a read, with its data if there was a buffer for them.
    Data(ReplyData, Option<Buffer>),
    /// To a write, with what it replaced if that is kept.
    Written(ReplyWrite, Option<Buffer>),
    /// To a flush, with what it covers of a volatile cache.
    Flushed(ReplyEmpty, Option<Sealed>),
    /// To anything else.
    Done(ReplyEmpty),
}

/// A request whose work is done and whose time has not come.
pub(crate) type Pending = (Ticket, Reply);
