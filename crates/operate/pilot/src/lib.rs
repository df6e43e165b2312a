//! Acts on a live cluster inside guardrails: every change is bounded, written down before it is made, read back after, and
//! reversible. Controllers decide what should change; this crate makes the change safe.

#![forbid(unsafe_code)]

mod advance;
mod attention;
mod audit;
mod by_hand;
mod clock;
pub mod compactions;
mod controller;
mod error;
mod guard;
mod http;
mod journal;
mod lease;
mod lock;
pub mod maintenance;
mod metrics;
mod opening;
mod pilot;
mod procedure;
mod prometheus;
mod run;
mod settings;
mod step;
mod stop_mode;
mod text;
mod tidb;
pub mod twin;
mod unanswered;
mod value;
pub mod volumes;
mod volumes_seen;
mod waits;
mod watch;
mod world;

pub use attention::{Attention, PilotOrder};
pub use audit::{AuditLog, PilotEvent};
pub use clock::{ClockReading, SystemClock, WallClock};
pub use controller::{ActionProposal, ClusterSnapshot, Controller, SnapshotSource, StandingChange};
pub use error::{PilotError, WorldError};
pub use guard::{ActionGuard, SettingBounds, gate, sound, vet};
pub use http::{LockHolder, PdHttp, PdLock, PilotAccess, TikvHttp};
pub use journal::{
    Journal, JournalDamage, JournalEntry, JournalReplay, JournalSink, PilotFolder, RefusedRun, RunEnd, StepOutcome,
    UndoOutcome,
};
pub use lease::{ClusterLock, PilotLease};
pub use metrics::{MetricsServer, PilotMeters};
pub use opening::{ClusterConnections, OpenedPilot};
pub use pd_client::{ClusterHealth, StoreHealth};
pub use pilot::Pilot;
pub use procedure::{
    LatePolicy, PilotWait, Procedure, ProcedureEnding, ProcedureStage, UnfinishedPolicy, WaitCondition,
};
pub use prometheus::{MetricSource, PrometheusSource};
pub use run::{BegunStep, NextMove, ProcedureRun};
pub use settings::SettingsController;
pub use step::{PilotStep, StepReversal, StepSubject};
pub use stop_mode::StopMode;
pub use value::same;
pub use watch::{LoopPlan, PilotNotes, regain, settle, watch};
pub use world::{CloudEvents, CloudVolumes, ClusterWorld, KubernetesClient, PdApi, TidbApi, TikvApi, at};
