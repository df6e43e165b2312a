//! The pilot's peers over HTTP: who may be asked, how it is let in, and what their answers mean.

mod pd;
mod peer;
mod tikv;

pub use pd::{Lease, PdHttp};
pub use peer::{Access, Answer, Peer};
pub use tikv::TikvHttp;
