//! Redirects: followed on the same server only.

use ureq::http::Uri;

use crate::PeerError;

/// More are a circle.
pub(crate) const MOST: u32 = 5;

/// Where an answer of `status` to a request of `method` leads; `None` if it is to be taken as it is.
///
/// # Errors
/// [`PeerError::Redirected`] when it leads to another server: a token would go along, and who answers there is not whom we asked.
pub(crate) fn next(from: &Uri, method: &str, status: u16, location: Option<&str>) -> Result<Option<Uri>, PeerError> {
    let reads = matches!(method, "GET" | "HEAD");
    let leads = matches!(status, 307 | 308) || matches!(status, 301..=303) && reads;
    // A write that is to become a read would not be what was asked for.
    let elsewhere = matches!(status, 301..=303);
    let Some(location) = location.filter(|_| leads || elsewhere) else { return Ok(None) };
    let refused = |why| PeerError::Redirected { from: shown(&from.to_string()), to: shown(location), why };
    let to = resolve(from, location).ok_or_else(|| refused("which cannot be read"))?;
    if origin(from) != origin(&to) {
        return Err(refused(
            "another server, which is not followed: a token would go along; give that address if it is the right one",
        ));
    }
    if !leads {
        return Err(refused("which a request that changes something does not follow; give that address"));
    }
    Ok(Some(to))
}

/// Scheme, host and port.
fn origin(uri: &Uri) -> (String, String, u16) {
    let scheme = uri.scheme_str().unwrap_or_default().to_ascii_lowercase();
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    (scheme, uri.host().unwrap_or_default().to_ascii_lowercase(), port)
}

/// A reference, read from where it stands.
fn resolve(from: &Uri, location: &str) -> Option<Uri> {
    let scheme = from.scheme_str()?;
    let authority = from.authority()?.as_str();
    let location = location.split('#').next()?;
    let absolute = if location.contains("://") {
        location.to_owned()
    } else if let Some(rest) = location.strip_prefix("//") {
        format!("{scheme}://{rest}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else if location.starts_with('?') {
        format!("{scheme}://{authority}{}{location}", from.path())
    } else {
        let folder = from.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        format!("{scheme}://{authority}{folder}/{location}")
    };
    // A name in it would be another way to be let in.
    let uri: Uri = absolute.parse().ok()?;
    (uri.host().is_some() && !uri.authority()?.as_str().contains('@')).then_some(uri)
}

/// An address fit for a line: without what may be secret in its query.
fn shown(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let bare = match text.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.rsplit_once('@').map_or(rest, |(_, rest)| rest)),
        None => text.to_owned(),
    };
    bare.chars().take(120).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(from: &str, method: &str, status: u16, to: &str) -> Result<Option<String>, String> {
        let next = next(&from.parse().unwrap(), method, status, Some(to));
        next.map(|uri| uri.map(|uri| uri.to_string())).map_err(|error| error.to_string())
    }

    #[test]
    fn on_the_same_server_it_is_followed() {
        for (to, found) in [
            ("/b?c", "http://h:1/b?c"),
            ("b", "http://h:1/x/b"),
            ("?c", "http://h:1/x/a?c"),
            ("http://H:1/b", "http://h:1/b"),
            ("//h:1/b#d", "http://h:1/b"),
        ] {
            let next = of("http://h:1/x/a", "GET", 302, to).unwrap().unwrap();
            assert_eq!(next.to_lowercase(), found, "{to}");
        }
        assert_eq!(of("http://h/a", "POST", 307, "http://h:80/b").unwrap().as_deref(), Some("http://h:80/b"));
        assert_eq!(of("http://h/a", "GET", 200, "/b"), Ok(None));
    }

    #[test]
    fn another_server_another_port_and_another_scheme_are_refused_with_both_named() {
        for (from, to) in [
            ("http://h:1/a", "http://other:1/a"),
            ("http://h:1/a", "http://h:2/a"),
            ("https://h/a", "http://h/a"),
            ("http://h/a", "https://h/a"),
            ("https://h/a", "//other/a"),
        ] {
            for status in [301, 302, 303, 307, 308] {
                let error = of(from, "GET", status, to).unwrap_err();
                assert!(error.contains(from) && error.contains(to) && error.contains("another server"), "{error}");
            }
        }
    }

    #[test]
    fn a_write_does_not_become_a_read() {
        assert!(of("http://h/a", "POST", 302, "/b").unwrap_err().contains("changes something"));
    }

    #[test]
    fn what_may_be_secret_in_an_address_is_not_shown() {
        let error = of("http://h/a?token=hush", "GET", 302, "http://me:hush@other/?token=hush").unwrap_err();
        assert!(!error.contains("hush") && error.contains("other"), "{error}");
    }
}
