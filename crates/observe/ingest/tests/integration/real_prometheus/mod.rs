//! Gathering from a real Prometheus on loopback. Needs the program `prometheus` and its `promtool`, which `make tools` installs.

mod history;
mod scraped;
mod server;
mod trusted;
