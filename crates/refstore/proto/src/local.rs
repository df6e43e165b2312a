//! Where a store on this machine listens beside its port.

use std::net::SocketAddr;
use std::path::PathBuf;

/// The abstract Unix socket at which a store on loopback listens beside `addr`, and speaks the same: it spares both ends the way
/// through TCP, some 0.6 of the 3.9 us that a put takes the driver of bench (docs/results/store.md). `None` for an address that others can reach.
///
/// Its name is that of the network namespace, as the port is; a path that begins with a zero byte means it to tokio.
pub fn beside(addr: SocketAddr) -> Option<PathBuf> {
    addr.ip().is_loopback().then(|| format!("\0diskwright-store/{addr}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_listens_on_loopback_has_a_socket_beside_its_port() {
        let of = |addr: &str| beside(addr.parse().unwrap());
        assert_eq!(of("127.0.0.1:20160"), Some("\0diskwright-store/127.0.0.1:20160".into()));
        assert_eq!(of("[::1]:20160"), Some("\0diskwright-store/[::1]:20160".into()));
        assert_eq!(of("10.0.0.5:20160"), None);
    }
}
