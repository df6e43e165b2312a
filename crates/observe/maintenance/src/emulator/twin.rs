//! The emulator without a socket, in virtual time.

use std::cell::{Cell, RefCell};

use jiff::Timestamp;

use super::{Emulator, Reply, Request};
use crate::{Answer, Ask, Cloud, MaintenanceError, Web};

/// A metadata server in memory. Waiting moves its clock.
#[derive(Debug)]
pub struct Twin {
    cloud: Cloud,
    now: Cell<Timestamp>,
    emulator: RefCell<Emulator>,
}

impl Twin {
    /// At that time.
    pub fn new(cloud: Cloud, emulator: Emulator, now: Timestamp) -> Self {
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
    pub fn with<T>(&self, act: impl FnOnce(&mut Emulator) -> T) -> T {
        act(&mut self.emulator.borrow_mut())
    }
}

impl Web for Twin {
    fn ask(&self, ask: &Ask) -> Result<Answer, MaintenanceError> {
        let arrived = self.now.get();
        let mut request = Request::new(ask.method, &ask.path, arrived);
        request.body.clone_from(&ask.body);
        for (name, value) in &ask.headers {
            request = request.header(name, value);
        }
        let gives_up = arrived + ask.patience;
        loop {
            let now = self.now.get();
            let reply = self.emulator.borrow_mut().answer(now, &request);
            let until = match reply {
                Reply::Now(response) => {
                    let etag = response.headers.iter().find(|(name, _)| *name == "etag");
                    let etag = etag.map(|(_, value)| value.clone());
                    return Ok(Answer { status: response.status, etag, body: response.body, at: now });
                }
                Reply::Wait(until) => until,
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
