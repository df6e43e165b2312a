//! What the pilot counts of itself, for Prometheus.

use std::net::SocketAddr;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use jiff::Timestamp;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::audit::{AuditLog, PilotEvent};
use crate::journal::{JournalEntry, StepOutcome, UndoOutcome};
use crate::{Pilot, PilotError};

type ByController = Family<Vec<(String, String)>, Counter>;

/// What the pilot counts of itself. Copies are one.
#[derive(Debug, Clone)]
pub struct PilotMeters {
    steps: ByController,
    undone: ByController,
    held: ByController,
    again: Counter,
    open: Gauge,
    stuck: Gauge,
    looked: Gauge<f64, AtomicU64>,
    registry: Arc<Mutex<Registry>>,
}

impl Default for PilotMeters {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("diskwright_pilot");
        let (steps, undone, held) = (ByController::default(), ByController::default(), ByController::default());
        let (again, open, stuck, looked) = (Counter::default(), Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("steps", "Steps made, by outcome.", steps.clone());
        registry.register("undone", "Steps undone, by outcome.", undone.clone());
        registry.register("held", "Proposals refused by the guard, by controller.", held.clone());
        registry.register("again", "Retries begun.", again.clone());
        registry.register("open_runs", "Runs under way.", open.clone());
        registry.register("stuck", "1 while a step cannot be undone.", stuck.clone());
        registry.register("looked_seconds", "Unix time at which the cluster was last read.", looked.clone());
        Self { steps, undone, held, again, open, stuck, looked, registry: Arc::new(Mutex::new(registry)) }
    }
}

impl PilotMeters {
    /// As Prometheus reads them.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry.lock().unwrap_or_else(PoisonError::into_inner));
        text
    }

    /// Takes down how a pilot stands.
    pub(crate) fn stands(&self, pilot: &Pilot, at: Timestamp) {
        let (open, stuck) = pilot.standing();
        self.open.set(open as i64);
        self.stuck.set(i64::from(stuck));
        self.looked.set(at.as_millisecond() as f64 / 1e3);
    }
}

impl AuditLog for PilotMeters {
    fn note(&mut self, _: Timestamp, event: &PilotEvent<'_>) {
        let of = |family: &ByController, name: &str, value: &str| {
            family.get_or_create(&vec![(name.to_owned(), value.to_owned())]).inc();
        };
        match event {
            PilotEvent::Wrote(JournalEntry::Outcome { came, .. }, _) => of(
                &self.steps,
                "came",
                match came {
                    StepOutcome::Done => "done",
                    StepOutcome::Already => "already",
                    StepOutcome::Failed(_) => "failed",
                },
            ),
            PilotEvent::Wrote(JournalEntry::UndoOutcome { came, .. }, _) => of(
                &self.undone,
                "came",
                match came {
                    UndoOutcome::Done => "done",
                    UndoOutcome::AsItWas => "as-it-was",
                    UndoOutcome::Left(_) => "left",
                    UndoOutcome::Never(_) => "never",
                },
            ),
            PilotEvent::Held(controller, ..) => of(&self.held, "controller", controller),
            PilotEvent::Again(..) => drop(self.again.inc()),
            PilotEvent::Wrote(..)
            | PilotEvent::Would(..)
            | PilotEvent::Tells(..)
            | PilotEvent::Unseen(_)
            | PilotEvent::OnItsWay { .. }
            | PilotEvent::NotBack { .. }
            | PilotEvent::Says(_) => {}
        }
    }
}

/// Serves the metrics on this machine, until the program ends.
#[derive(Debug)]
pub struct MetricsServer {
    /// Where.
    pub addr: SocketAddr,
}

impl MetricsServer {
    /// Serves them at an address of this machine.
    ///
    /// # Errors
    /// When the address is beyond this machine, or taken.
    pub fn start(addr: SocketAddr, meters: &PilotMeters) -> Result<Self, PilotError> {
        if !addr.ip().is_loopback() {
            return Err(PilotError::Input(format!(
                "metrics are served on this machine only, not at {addr}; expected one such as 127.0.0.1:9400"
            )));
        }
        let failed = |error: std::io::Error| PilotError::system(format!("metrics at {addr}"), error);
        let listener = std::net::TcpListener::bind(addr).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let addr = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
        let meters = meters.clone();
        let answer = async move || {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], meters.text())
        };
        let serve = move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                // It ends with the program.
                let _ = axum::serve(listener, Router::new().route("/metrics", get(answer))).await;
            });
        };
        thread::Builder::new().name("pilot-metrics".to_owned()).spawn(serve).map_err(failed)?;
        Ok(Self { addr })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_not_served_beyond_this_machine() {
        let error = MetricsServer::start("10.0.0.5:9400".parse().unwrap(), &PilotMeters::default()).unwrap_err();
        assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("not at 10.0.0.5:9400"), "{error}");
    }
}
