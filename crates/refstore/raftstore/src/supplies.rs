//! What the threads of a node's pools are made with.

use std::sync::Arc;

use crossbeam_channel::Sender;

use crate::log::Engine;
use crate::messages::{Sending, ToGc};
use crate::node::Node;
use crate::{RaftTransport, RegionStatus, StateStore};

/// What threads are made with.
pub(crate) struct Supplies {
    pub(crate) node: Arc<Node>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) state: Arc<dyn StateStore>,
    pub(crate) transport: Arc<dyn RaftTransport>,
    pub(crate) gc: Sender<ToGc>,
    pub(crate) snapshots: Sender<Sending>,
    pub(crate) on_leader_change: Arc<dyn Fn(RegionStatus) + Send + Sync>,
}
