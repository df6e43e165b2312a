//! The emulator without a socket, in virtual time.

use std::cell::{Cell, RefCell};

use jiff::Timestamp;

use super::{EmulatorRequest, LongPollReply, MetadataEmulator};
use crate::{MachineCloud, MaintenanceError, MetadataAnswer, MetadataQuery, MetadataService};

/// A metadata server in memory. Waiting moves its clock.
#[derive(Debug)]
pub struct MetadataTwin {
    cloud: MachineCloud,
    now: Cell<Timestamp>,
    emulator: RefCell<MetadataEmulator>,
}

impl MetadataTwin {
    /// At that time.
    pub fn new(cloud: MachineCloud, emulator: MetadataEmulator, now: Timestamp) -> Self {
        Self { cloud, now: Cell::new(now), emulator: RefCell::new(emulator) }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.now.get()
    }

    /// Lets time go by; it never goes back.
    pub fn wait_until(&self, at: Timestamp) {
        self.now.set(self.now.get().max(at));
    }

    /// Changes what is planned.
    pub fn with<T>(&self, act: impl FnOnce(&mut MetadataEmulator) -> T) -> T {
        act(&mut self.emulator.borrow_mut())
    }
}

impl MetadataService for MetadataTwin {
    fn ask(&self, ask: &MetadataQuery) -> Result<MetadataAnswer, MaintenanceError> {
        let arrived = self.now.get();
        let mut request = EmulatorRequest::new(ask.method, &ask.path, arrived);
        request.body.clone_from(&ask.body);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let gives_up = arrived + ask.patience;
        loop {
            let now = self.now.get();
            let reply = self.emulator.borrow_mut().answer(now, &request);
            let until = match reply {
                LongPollReply::Now(response) => {
                    let etag = response.headers.iter().find(|(name, _)| *name == "etag");
                    let etag = etag.map(|(_, value)| value.clone());
                    return Ok(MetadataAnswer { status: response.status, etag, body: response.body, at: now });
                }
                LongPollReply::Wait(until) => until,
            };
            let next = self.emulator.borrow().next_change(now);
            self.now.set(next.map_or(until, |next| next.min(until)).min(gives_up));
            if self.now.get() == gives_up {
                let what = format!("did not answer within {:?}", ask.patience);
                return Err(MaintenanceError::Busy { cloud: self.cloud, what });
            }
        }
    }
}
