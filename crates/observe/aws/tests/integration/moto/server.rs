//! A moto server with an account in it, and how to read it as one user or another.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws::{AwsError, AwsOptions, AwsSession, MetricRange};
use jiff::Timestamp;

/// The account, as `account.py` prints it.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Account {
    pub(crate) busy: String,
    pub(crate) unused: String,
    pub(crate) instance: String,
    pub(crate) zone: String,
    /// One that tests may modify.
    pub(crate) spare: String,
    pub(crate) role: String,
    /// Access key and secret by user; a user named like an action has the policy without it.
    pub(crate) keys: BTreeMap<String, [String; 2]>,
}

/// The server of all tests. It ends when this process does, however that ends: it reads a pipe that nobody else holds.
pub(crate) fn moto() -> &'static Moto {
    static MOTO: LazyLock<Moto> = LazyLock::new(Moto::start);
    &MOTO
}

/// A server on a free port of this machine.
pub(crate) struct Moto {
    _server: Child,
    pub(crate) endpoint: String,
    pub(crate) account: Account,
    /// Of the metrics: a multiple of an hour.
    pub(crate) start: Timestamp,
    /// How many profiles were written, each into a file of its own.
    profiles: AtomicUsize,
}

/// `make test` puts it beside the target folder's profiles.
fn program(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target folder");
    let program = target.join("moto/bin").join(name);
    assert!(program.exists(), "{} is missing: run `make moto`", program.display());
    program
}

fn script(name: &str) -> PathBuf {
    // Tests of another crate use it, too.
    Path::new("../../observe/aws/tests/integration/moto").join(name)
}

impl Moto {
    fn start() -> Self {
        let mut server = Command::new(program("python"))
            .arg(script("serve.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python starts");
        let told = BufReader::new(server.stdout.take().expect("it is piped")).lines().next();
        let Some(Ok(endpoint)) = told else { panic!("moto does not say where it listens: {:?}", server.wait()) };
        let hour = Timestamp::now().as_second() / 3600 * 3600;
        let start = Timestamp::from_second(hour - 3 * 3600).expect("now");
        let mut moto = Self { _server: server, endpoint, account: nobody(), start, profiles: AtomicUsize::new(0) };
        let filled = Command::new(program("python"))
            .arg(script("account.py"))
            .args([&moto.endpoint, &start.as_second().to_string(), &aws::policy()])
            .output()
            .expect("python starts");
        assert!(filled.status.success(), "{}", String::from_utf8_lossy(&filled.stderr));
        moto.account = serde_json::from_slice(&filled.stdout).expect("it prints an account");
        // From now on calls need a policy that allows them.
        let answer = ureq::post(format!("{}/moto-api/reset-auth", moto.endpoint)).send("0").expect("moto answers");
        assert_eq!(answer.status(), 200);
        moto
    }

    /// An hour of metrics.
    pub(crate) fn range(&self) -> MetricRange {
        let until = self.start + jiff::SignedDuration::from_hours(1);
        MetricRange::new(self.start, until, Timestamp::now()).expect("an hour that is over")
    }

    /// Options for that user, by a profile of its name.
    pub(crate) fn options(&self, user: &str) -> AwsOptions {
        let [key, secret] = &self.account.keys[user];
        self.options_with(&format!("aws_access_key_id = {key}\naws_secret_access_key = {secret}\n"))
    }

    /// Options for a profile with those lines.
    pub(crate) fn options_with(&self, lines: &str) -> AwsOptions {
        let number = self.profiles.fetch_add(1, Ordering::Relaxed);
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("aws-config-{number}"));
        std::fs::write(&file, format!("[profile test]\nregion = us-west-2\n{lines}")).expect("a file");
        AwsOptions {
            profile: Some("test".to_owned()),
            config_file: Some(file),
            endpoint: Some(self.endpoint.clone()),
            ..AwsOptions::default()
        }
    }

    pub(crate) fn session(&self, user: &str) -> AwsSession {
        AwsSession::new(&self.options(user)).expect("the profile is there")
    }
}

fn nobody() -> Account {
    let none = String::new;
    Account {
        busy: none(),
        unused: none(),
        spare: none(),
        instance: none(),
        zone: none(),
        role: none(),
        keys: BTreeMap::new(),
    }
}

/// All that can be read of the account, and the first error.
pub(crate) fn read_all(session: &AwsSession, moto: &Moto) -> Result<(), AwsError> {
    session.volume(&moto.account.busy, moto.range())?;
    session.db_instance("orders", moto.range())?;
    session.each_volume(moto.range(), |_, _| (), std::ops::ControlFlow::Continue)
}
