//! Users who listen at this machine's ports.

use std::net::{IpAddr, SocketAddr};

/// The user whose process listens at a TCP address of this machine, as the kernel tells (proc_net_tcp(5)); `None` if it does not.
pub(crate) fn owner(address: SocketAddr) -> Option<u32> {
    let table = if address.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    owner_in(&std::fs::read_to_string(table).ok()?, address)
}

fn owner_in(table: &str, address: SocketAddr) -> Option<u32> {
    /// `TCP_LISTEN` of the kernel's tcp_states.h.
    const LISTEN: &str = "0A";
    let wanted = printed(address);
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1) == Some(&wanted.as_str()) && fields.get(3) == Some(&LISTEN);
        is_it.then(|| fields.get(7)?.parse().ok()).flatten()
    })
}

/// An address as the kernel prints it: words in the byte order of the machine.
fn printed(address: SocketAddr) -> String {
    let bytes = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let word = |word: &[u8; 4]| format!("{:08X}", u32::from_ne_bytes(*word));
    let words: String = bytes.as_chunks().0.iter().map(word).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_user_of_a_listening_port_is_told_and_of_no_other() {
        for place in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(place).unwrap();
            let address = listener.local_addr().unwrap();
            assert_eq!(owner(address), Some(rustix::process::geteuid().as_raw()));
            drop(listener);
            assert_eq!(owner(address), None);
        }
    }

    #[test]
    fn a_connection_from_the_same_port_is_no_listener() {
        let address = "127.0.0.1:20160".parse().unwrap();
        let line =
            |state: &str, uid: u32| format!("   0: {} 00000000:0000 {state} 0:0 0:0 0 {uid} 0 1", printed(address));
        assert_eq!(owner_in(&format!("{}\n{}", line("01", 1), line("0A", 65520)), address), Some(65520));
        assert_eq!(owner_in(&line("01", 1), address), None);
    }
}
