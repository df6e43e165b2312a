//! A headless Chromium, spoken to over pipes in its own protocol (DevTools): JSON messages that end with a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The longest that the browser may take for an answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColourScheme {
    Light,
    Dark,
}

impl ColourScheme {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// A browser with one tab; it ends with this value.
pub(super) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: String,
    /// Events since the page was opened.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts Chromium; `before` runs in every page before its own scripts.
    pub(super) fn start(before: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The protocol wants descriptors 3 and 4.
        let line = "command -v chromium >/dev/null || exit 127; exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut child = Command::new("sh")
            .args(["-c", line, "sh", "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .args([
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
            ])
            .args(["--hide-scrollbars", "--force-device-scale-factor=1", "--disable-component-update"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while lines.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser =
            Self { child, to, from, next: 0, session: String::new(), events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.call("Page.addScriptToEvaluateOnNewDocument", json!({ "source": before }));
        browser
    }

    /// Opens a file in a window of a width, and waits until its charts are drawn.
    pub(super) fn open(&mut self, file: &Path, width: u32, scheme: ColourScheme) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 480 }),
        );
        self.paint(scheme);
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", file.display()) }));
        self.wait("Page.loadEventFired");
        self.settle();
    }

    /// Changes the colour scheme under the page, as a system does at dusk.
    pub(super) fn dusk(&mut self) {
        self.paint(ColourScheme::Dark);
        self.settle();
    }

    /// Prints to paper, as far as styles and charts notice; the colour scheme of the screen stays.
    pub(super) fn paper(&mut self) {
        let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": "print", "features": dark }));
        self.evaluate("dispatchEvent(new Event('beforeprint'))");
        self.settle();
    }

    fn paint(&mut self, scheme: ColourScheme) {
        let scheme = json!([{ "name": "prefers-color-scheme", "value": scheme.name() }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": scheme }));
    }

    /// Waits for the next frames, in which observers of sizes report.
    fn settle(&mut self) {
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))",
        );
    }

    /// The value of an expression, or of what it promises.
    pub(super) fn evaluate(&mut self, script: &str) -> Value {
        let answer =
            self.call("Runtime.evaluate", json!({ "expression": script, "awaitPromise": true, "returnByValue": true }));
        assert!(answer["exceptionDetails"].is_null(), "{:#}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Errors of the console, exceptions, and requests for anything but the page itself, since it was opened.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        // What was sent before this answer has arrived with it.
        self.evaluate("1");
        let mut pages = 0;
        let mut complaint = |event: &Value| {
            let params = &event["params"];
            match event["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(format!("threw {}", params["exceptionDetails"])),
                "Runtime.consoleAPICalled" => Some(format!("said {}", params["args"])),
                "Log.entryAdded" if params["entry"]["source"] != "network" => {
                    Some(format!("logged {}", params["entry"]["text"]))
                }
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str()?;
                    pages += u32::from(url.starts_with("file:"));
                    (pages > 1 || !(url.starts_with("file:") || url.starts_with("data:")))
                        .then(|| format!("asked for {url}"))
                }
                _ => None,
            }
        };
        self.events.iter().filter_map(&mut complaint).collect()
    }

    /// Writes a picture of the whole page.
    pub(super) fn screenshot(&mut self, file: &Path) {
        let shot = self.call(
            "Page.captureScreenshot",
            json!({ "format": "png", "captureBeyondViewport": true, "optimizeForSpeed": true }),
        );
        let picture = from_base64(shot["data"].as_str().unwrap());
        std::fs::write(file, picture).unwrap();
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("chromium is there: `make tools` installs it");
        self.until(method, |message| message["id"] == json!(id)).map_or_else(
            || panic!("chromium does not answer {method}; `make tools` installs it"),
            |answer| {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                answer["result"].clone()
            },
        )
    }

    fn wait(&mut self, event: &str) {
        if !self.events.iter().any(|had| had["method"] == event) {
            self.until(event, |message| message["method"] == event).unwrap_or_else(|| panic!("{event} never came"));
        }
    }

    /// Reads until a message is the right one; the others are kept as events.
    fn until(&mut self, what: &str, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) if is_it(&message) => return Some(message),
                Ok(message) => self.events.push(message),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => panic!("{what} took more than {PATIENCE:?}"),
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that is gone already is what is wanted.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let deadline = Instant::now() + Duration::from_secs(5);
        while Instant::now() < deadline && !matches!(self.child.try_wait(), Ok(Some(_))) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte: u8| DIGITS.iter().position(|digit| *digit == byte);
    let digits: Vec<usize> = text.bytes().filter_map(digit).collect();
    let group = |digits: &[usize]| {
        let bits = digits.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - digits.len()));
        [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8].into_iter().take(digits.len() * 3 / 4)
    };
    digits.chunks(4).flat_map(group).collect()
}
