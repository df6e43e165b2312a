//! Addresses of servers, as people give them.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;

use crate::PeerError;

/// The address of a server: scheme, host, port and the path that all of it lies under, without a slash at the end.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    base: String,
    uri: Uri,
}

impl ServerAddress {
    /// Reads an address. `what` is what people call the server, `PD`; `example` is an address of such a one. `secrets` says where a
    /// name and password belong that stand in it.
    ///
    /// # Errors
    /// [`PeerError::Address`] when it is no address of HTTP, [`PeerError::SecretInAddress`] when it holds a name or password: others
    /// on the machine can read arguments.
    pub fn parse(what: &str, text: &str, example: &str, secrets: &str) -> Result<Self, PeerError> {
        let base = text.trim().trim_end_matches('/');
        let (scheme, rest) = base.split_once("://").unwrap_or(("", base));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        // What holds a password is not repeated.
        if base.contains('@') {
            return Err(PeerError::SecretInAddress { what: what.to_owned(), remedy: secrets.to_owned() });
        }
        let wrong = |why: &'static str| {
            let shown = base.chars().take(80).flat_map(char::escape_debug).collect();
            PeerError::Address { what: what.to_owned(), why, shown, example: example.to_owned() }
        };
        if !matches!(scheme, "http" | "https") {
            return Err(wrong("lacks `http://` or `https://`"));
        }
        if authority.is_empty() {
            return Err(wrong("names no host"));
        }
        let uri: Uri = base.parse().map_err(|_| wrong("cannot be read"))?;
        if uri.host().is_none_or(str::is_empty) || uri.query().is_some() {
            return Err(wrong("names no host, or holds a query"));
        }
        Ok(Self { base: base.to_owned(), uri })
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.base
    }

    /// The host, with brackets around an address of IPv6.
    pub fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    /// The path that all of it lies under: `/` without one.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// Whether it is this machine.
    pub fn is_local(&self) -> bool {
        is_loopback(self.host())
    }

    /// Whether anybody on the way could read and change what is sent: plain HTTP beyond this machine.
    pub fn is_exposed(&self) -> bool {
        self.uri.scheme_str() == Some("http") && !self.is_local()
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.base, f)
    }
}

/// Whether a host, as it stands in an address, is this machine: it may be spoken to in the clear, and no proxy reaches it.
pub fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    host == "localhost" || bare.unwrap_or(host).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ServerAddress, PeerError> {
        ServerAddress::parse("PD", text, "http://127.0.0.1:2379", "give a token")
    }

    #[test]
    fn this_machine_is_known_by_name_and_by_address() {
        for host in ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "::1"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "10.0.0.1", "127.0.0.1.example", "[fd00::1]", "[127.0.0.1", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn plain_http_beyond_this_machine_is_exposed() {
        let exposed = |text: &str| read(text).unwrap().is_exposed();
        assert!(exposed("http://10.0.0.5:2379") && exposed("http://pd") && exposed("http://0.0.0.0:1"));
        assert!(!exposed("https://10.0.0.5") && !exposed("http://[::1]:1") && !exposed("http://localhost"));
        assert_eq!(read(" http://p:9090/under/ ").unwrap().as_str(), "http://p:9090/under");
    }

    #[test]
    fn what_is_no_address_is_told_as_such_and_a_password_is_not_repeated() {
        for wrong in ["127.0.0.1:2379", "ftp://a", "http://", "http:///x", "http://a b", "http://a?b", "", "https://:1"]
        {
            let error = read(wrong).unwrap_err().to_string();
            assert!(error.ends_with("expected one such as http://127.0.0.1:2379"), "{wrong}: {error}");
        }
        for secret in ["http://me:hush@a", "http://hush@a", "me:hush@a", "https://a/@hush"] {
            let error = read(secret).unwrap_err().to_string();
            assert!(error.ends_with("give a token") && !error.contains("hush"), "{secret}: {error}");
        }
    }
}
