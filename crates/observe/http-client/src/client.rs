//! Requests: how long, how much, where to.

use std::io::Read;
use std::time::{Duration, Instant};

use signals::{GivenUp, StopSignal};
use ureq::http::{self, HeaderMap, Uri};
use ureq::tls::TlsConfig;
use ureq::{Agent, Body};

use crate::{PeerError, is_loopback, redirect};

/// Bounds of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// From its beginning to the last byte of its answer, redirects included.
    pub patience: Duration,
    /// Bytes of an answer's body, unpacked.
    pub most_bytes: u64,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `GET`, `POST` …
    pub method: String,
    /// All of the address.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The body, if there is one.
    pub body: Option<String>,
    /// How long it may take, if not as the client's others.
    pub patience: Option<Duration>,
}

impl HttpRequest {
    /// A request without headers and body.
    pub fn new(method: impl Into<String>, url: impl Into<String>) -> Self {
        let (method, url) = (method.into(), url.into());
        Self { method, url, headers: Vec::new(), body: None, patience: None }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same with a body of that kind.
    #[must_use]
    pub fn body(self, kind: &str, body: impl Into<String>) -> Self {
        Self { body: Some(body.into()), ..self.header("content-type", kind) }
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The text; what is no UTF-8 in it is replaced.
    pub body: String,
    headers: HeaderMap,
}

impl HttpResponse {
    /// A header's value, if it is there and a text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Sends requests. Connections are kept between them; clones share those.
#[derive(Debug, Clone)]
pub struct HttpClient {
    /// Through the proxy that the environment names.
    through: Agent,
    direct: Agent,
    limits: RequestLimits,
    stop: StopSignal,
}

/// The library's own deadlines come first, with better words.
const SLACK: Duration = Duration::from_millis(500);

/// Bytes read at a time.
const PIECE: usize = 64 << 10;

impl HttpClient {
    /// A client for servers that show certificates of the world's authorities.
    pub fn new(limits: RequestLimits, stop: StopSignal) -> Self {
        Self::with_tls(limits, stop, TlsConfig::default())
    }

    pub(crate) fn with_tls(limits: RequestLimits, stop: StopSignal, tls: TlsConfig) -> Self {
        // Redirects are followed here, see `redirect`.
        let config = || {
            let config = Agent::config_builder().http_status_as_error(false).tls_config(tls.clone());
            config.max_redirects(0).max_redirects_will_error(false)
        };
        let (through, direct) = (config().build(), config().proxy(None).build());
        Self { through: through.new_agent(), direct: direct.new_agent(), limits, stop }
    }

    /// The same, through no proxy at all.
    #[must_use]
    pub fn directly(self) -> Self {
        Self { through: self.direct.clone(), ..self }
    }

    /// The same, its waits given up when told so.
    #[must_use]
    pub fn stop(self, stop: StopSignal) -> Self {
        Self { stop, ..self }
    }

    /// Sends a request and reads the answer, whatever its status.
    ///
    /// # Errors
    /// When there is no answer, or one that is not to be read or followed.
    pub fn send(&self, request: &HttpRequest) -> Result<HttpResponse, PeerError> {
        let patience = request.patience.unwrap_or(self.limits.patience);
        let sending =
            Sending { client: self.clone(), request: request.clone(), patience, until: Instant::now() + patience };
        match self.stop.run(patience + SLACK, move || sending.send()) {
            Ok(Ok(answer)) => answer,
            Ok(Err(GivenUp::Stopped)) => Err(PeerError::Stopped),
            Ok(Err(GivenUp::Late)) => Err(PeerError::Late(patience)),
            Err(error) => Err(PeerError::Unreachable(error.to_string())),
        }
    }
}

/// A request on its way.
struct Sending {
    client: HttpClient,
    request: HttpRequest,
    patience: Duration,
    until: Instant,
}

impl Sending {
    fn send(&self) -> Result<HttpResponse, PeerError> {
        let unfit = |error: &dyn std::fmt::Display| PeerError::Request {
            url: self.request.url.clone(),
            why: error.to_string(),
        };
        let mut uri: Uri = self.request.url.parse().map_err(|error| unfit(&error))?;
        for _ in 0..=redirect::MOST {
            let mut answer = self.once(&uri)?;
            let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
            let next = redirect::next(&uri, &self.request.method, answer.status().as_u16(), location)?;
            let Some(next) = next else {
                let body = self.read(answer.body_mut())?;
                return Ok(HttpResponse { status: answer.status().as_u16(), headers: answer.headers().clone(), body });
            };
            uri = next;
        }
        let (from, to) = (self.request.url.clone(), uri.to_string());
        Err(PeerError::Redirected { from, to, why: "once more after five others" })
    }

    fn left(&self) -> Result<Duration, PeerError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(PeerError::Late(self.patience)) } else { Ok(left) }
    }

    fn once(&self, uri: &Uri) -> Result<http::Response<Body>, PeerError> {
        // A proxy could not reach this machine's loopback.
        let local = uri.host().is_some_and(is_loopback);
        let agent = if local { &self.client.direct } else { &self.client.through };
        let mut request = http::Request::builder().method(self.request.method.as_str()).uri(uri.clone());
        for (name, value) in &self.request.headers {
            request = request.header(*name, value);
        }
        let unfit = |error: http::Error| PeerError::Request { url: self.request.url.clone(), why: error.to_string() };
        let left = Some(self.left()?);
        let answer = match &self.request.body {
            None => {
                let request = request.body(()).map_err(unfit)?;
                agent.run(agent.configure_request(request).timeout_global(left).build())
            }
            Some(body) => {
                let request = request.body(body.clone()).map_err(unfit)?;
                agent.run(agent.configure_request(request).timeout_global(left).build())
            }
        };
        answer.map_err(|error| PeerError::of(&error, self.patience))
    }

    /// Reads a body up to its bound. What it is packed in does not count: little can become much.
    fn read(&self, body: &mut Body) -> Result<String, PeerError> {
        let most = self.client.limits.most_bytes;
        let mut reader = body.with_config().limit(u64::MAX).reader();
        let (mut all, mut piece) = (Vec::new(), vec![0; PIECE]);
        loop {
            self.left()?;
            let read = reader.read(&mut piece).map_err(|error| PeerError::of_io(&error, self.patience))?;
            if read == 0 {
                break;
            }
            if all.len() as u64 + read as u64 > most {
                return Err(PeerError::TooLarge(most));
            }
            all.extend_from_slice(&piece[..read]);
            // Who has given up must not pay for more.
            if self.client.stop.is_set() {
                return Err(PeerError::Stopped);
            }
        }
        Ok(String::from_utf8(all).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }
}
