//! The pilot's peers over HTTP: who may be asked, how it is let in, and what their answers mean.

mod lock;
mod pd;
mod peer;
mod tikv;

pub use lock::{LockHolder, PdLock};
pub use pd::PdHttp;
pub use peer::PilotAccess;
pub(crate) use peer::server;
pub use tikv::TikvHttp;
