//! Acts on a live cluster inside guardrails: every change is bounded, written down before it is made, read back after, and
//! reversible. Controllers decide what should change; this crate makes the change safe.

#![forbid(unsafe_code)]

mod advance;
mod attention;
mod audit;
mod clock;
pub mod compactions;
mod controller;
mod error;
mod guard;
mod health;
mod http;
mod journal;
mod lock;
pub mod maintenance;
mod metrics;
mod pilot;
mod procedure;
mod prometheus;
mod run;
mod settings;
mod step;
mod text;
pub mod twin;
mod unanswered;
mod value;
pub mod volumes;
mod waits;
mod watch;
mod world;

pub use attention::{Attention, Told};
pub use audit::{Audit, Event};
pub use clock::{Clock, Now, SystemClock};
pub use controller::{Controller, Kept, Proposal, Seen, Source};
pub use error::{PilotError, WorldError};
pub use guard::{Bounds, Guard, gate, sound, vet};
pub use health::{Health, StoreHealth};
pub use http::{Access, Answer, Holder, PdHttp, PdLock, Peer, TikvHttp};
pub use journal::{Came, Damage, Ended, Entry, Folder, Journal, Lines, RefusedRun, Replay, Stop, Undone};
pub use lock::{ClusterLock, Lease};
pub use metrics::{Meters, MetricsServer};
pub use pilot::Pilot;
pub use procedure::{Condition, Ending, Found, Late, Procedure, Stage, Wait};
pub use prometheus::{Metrics, Prometheus};
pub use run::{Made, Next, Run};
pub use settings::Settings;
pub use step::{Reversal, Step, Subject};
pub use value::same;
pub use watch::{Notes, Plan, regain, settle, watch};
pub use world::{Events, Kubernetes, Pd, Tidb, Tikv, Volumes, World, at};
