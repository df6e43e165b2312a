//! A placement driver with three stores that answers, until it is told to fall silent.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::deaf_peers::peers::{Peer, request};

/// PD and the status servers of its stores on one port.
pub(crate) struct LivePd {
    pub(crate) peer: Peer,
    silent: Arc<AtomicBool>,
    lock: Arc<MaintenanceLock>,
}

/// The lock of newer drivers.
#[derive(Default)]
struct MaintenanceLock {
    is_offered: bool,
    /// How long an answer to its taking stays away.
    stalls: Duration,
    /// The path of the task that holds it.
    holder: Mutex<Option<String>>,
}

const MAINTENANCE: &str = "/pd/api/v2/maintenance";

impl MaintenanceLock {
    fn answer(&self, method: &str, path: &str) -> Option<(u16, Value)> {
        let task = path.strip_prefix(MAINTENANCE).filter(|_| self.is_offered)?;
        let mut holder = self.holder.lock().unwrap();
        match method {
            "PUT" => {
                *holder = Some(task.to_owned());
                drop(holder);
                thread::sleep(self.stalls);
                Some((200, json!("Maintenance task started.")))
            }
            "DELETE" if holder.as_deref() == Some(task) => {
                *holder = None;
                Some((200, json!("Maintenance task ended.")))
            }
            _ => None,
        }
    }
}

impl LivePd {
    pub(crate) fn start() -> Self {
        Self::serve(MaintenanceLock::default())
    }

    /// One that offers its lock, and answers that it is taken so much later.
    pub(crate) fn with_lock(stalls: Duration) -> Self {
        Self::serve(MaintenanceLock { is_offered: true, stalls, ..MaintenanceLock::default() })
    }

    /// Whether somebody holds its lock.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.holder.lock().unwrap().is_some()
    }

    fn serve(lock: MaintenanceLock) -> Self {
        let silent = Arc::new(AtomicBool::new(false));
        let lock = Arc::new(lock);
        let serves = Arc::clone(&lock);
        let (falls_silent, limit) = (Arc::clone(&silent), AtomicU64::new(4));
        let peer = Peer::serve(move |mut stream| {
            while let Ok((head, body)) = request(&mut stream) {
                while falls_silent.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(100));
                }
                let place = stream.local_addr().unwrap().to_string();
                let mut words = head.split_whitespace();
                let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                let said = serves.answer(method, path);
                let (status, answer) = said.unwrap_or_else(|| answer(&head, &body, &place, &limit));
                if reply(&mut stream, status, &answer).is_err() {
                    return;
                }
            }
        });
        Self { peer, silent, lock }
    }

    /// Says nothing more.
    pub(crate) fn fall_silent(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }
}

fn reply(stream: &mut TcpStream, status: u16, answer: &Value) -> std::io::Result<()> {
    let body = answer.to_string();
    write!(stream, "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn answer(head: &str, body: &str, place: &str, limit: &AtomicU64) -> (u16, Value) {
    let mut words = head.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = path.split('?').next().unwrap_or_default();
    let store = |id: u64| {
        let address = format!("127.0.0.1:{}", 20160 + id);
        json!({
            "store": { "id": id, "address": address, "status_address": place, "version": "8.5.1", "state_name": "Up" },
            "status": { "leader_count": 10, "region_count": 30 },
        })
    };
    match (method, path.strip_prefix("/pd/api/v1/").unwrap_or(path)) {
        ("GET", "cluster") => (200, json!({ "id": 7 })),
        ("GET", "stores") => (200, json!({ "count": 3, "stores": [store(1), store(2), store(3)] })),
        ("GET", "health") => (200, json!([{ "name": "pd", "member_id": 1, "health": true }])),
        ("GET", "leader") => (200, json!({ "name": "pd" })),
        // PD's, and that of each store.
        ("GET", "config" | "/config") => {
            let limit = limit.load(Ordering::Relaxed);
            (200, json!({ "schedule": { "leader-schedule-limit": limit, "schedulers-payload": {} } }))
        }
        ("GET", "schedulers") => (200, json!(["balance-leader-scheduler"])),
        ("POST", "config") => {
            let told: Value = serde_json::from_str(body).unwrap_or_default();
            if let Some(value) = told["schedule.leader-schedule-limit"].as_u64() {
                limit.store(value, Ordering::Relaxed);
            }
            (200, json!("The config is updated."))
        }
        ("GET", path) if path.starts_with("regions/check/") => (200, json!({ "count": 0 })),
        // Neither an eviction nor the lock of newer drivers.
        _ => (404, json!("404 page not found")),
    }
}
