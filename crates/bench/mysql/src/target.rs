//! Where a database is, and as whom to speak to it.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use mysql_async::{ClientIdentity, OptsBuilder, SslOpts};

use crate::SqlError;

/// A password, which nothing prints. Its clones share it: a token that is renewed is so for all.
#[derive(Clone)]
pub struct Password(Arc<Mutex<String>>);

impl Password {
    /// The variable that holds it, so that it stands in no list of processes and no history.
    pub const VARIABLE: &str = "DISKWRIGHT_DB_PASSWORD";

    /// Takes it over.
    pub fn new(text: String) -> Self {
        Self(Arc::new(Mutex::new(text)))
    }

    /// Takes another, for connections that are opened from now on.
    pub fn renew(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// In the clear, to be sent.
    pub(crate) fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What [`Password::VARIABLE`] holds.
    pub fn from_environment() -> Option<Self> {
        std::env::var(Self::VARIABLE).ok().map(Self::new)
    }
}

impl PartialEq for Password {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Password {}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Where a database is, and as whom to speak to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlTarget {
    /// Name or address; unused with a socket.
    pub host: String,
    /// TCP port; unused with a socket.
    pub port: u16,
    /// A socket of this machine.
    pub socket: Option<PathBuf>,
    /// The user.
    pub user: String,
    /// Its password, if it has one.
    pub password: Option<Password>,
    /// The schema that is worked in.
    pub schema: String,
    /// TLS, the server's certificate being signed by this authority: a PEM file. Without it nothing is encrypted.
    pub tls_ca: Option<PathBuf>,
    /// With TLS, a certificate of our own and its key, which the server asks for: PEM files.
    pub tls_identity: Option<(PathBuf, PathBuf)>,
}

/// MySQL's port; TiDB's is 4000.
const PORT: u16 = 3306;

impl SqlTarget {
    /// Reads `mysql://user@host:port/schema`.
    ///
    /// # Errors
    /// When it is none, or holds a password, which does not belong on a command line.
    pub fn parse(url: &str) -> Result<Self, SqlError> {
        let expected = "mysql://USER@HOST[:PORT]/SCHEMA";
        Self::read(url, &|fault| SqlError::Url { option: "--db".to_owned(), fault: fault.to_owned(), expected })
    }

    /// Reads `mysql://user@host:port`, a server whose schemas do not matter, as the value of an option.
    ///
    /// # Errors
    /// When it is none, or holds a password.
    pub fn server(option: &str, url: &str) -> Result<Self, SqlError> {
        let url = url.strip_suffix('/').unwrap_or(url);
        let expected = "mysql://USER@HOST[:PORT]";
        let wrong = |fault: &str| SqlError::Url { option: option.to_owned(), fault: fault.to_owned(), expected };
        if url.strip_prefix("mysql://").is_some_and(|rest| rest.contains('/')) {
            return Err(wrong("it names a schema, which is not wanted here"));
        }
        Self::read(&format!("{url}/mysql"), &wrong)
    }

    fn read(url: &str, wrong: &dyn Fn(&str) -> SqlError) -> Result<Self, SqlError> {
        let rest = url.strip_prefix("mysql://").ok_or_else(|| wrong("it does not begin with mysql://"))?;
        let (user, rest) = rest.rsplit_once('@').ok_or_else(|| wrong("it names no user"))?;
        if user.contains(':') {
            let message = "it holds a password, which others could read in the list of processes";
            return Err(wrong(&format!("{message}: put it into {}", Password::VARIABLE)));
        }
        let (place, schema) = rest.split_once('/').ok_or_else(|| wrong("it names no schema"))?;
        let plain = |name: &str| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-$".contains(letter))
        };
        if !plain(schema) {
            return Err(wrong("the schema's name has other characters than letters, digits, `_`, `-` and `$`"));
        }
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && !port.contains(']') => {
                (host, port.parse().map_err(|_| wrong("the port is no number up to 65535"))?)
            }
            _ => (place, PORT),
        };
        if host.is_empty() || user.is_empty() {
            return Err(wrong(if user.is_empty() { "it names no user" } else { "it names no host" }));
        }
        Ok(Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            socket: None,
            user: user.to_owned(),
            password: None,
            schema: schema.to_owned(),
            tls_ca: None,
            tls_identity: None,
        })
    }

    /// Refuses to send a password in the clear beyond this machine, unless that is wanted. To MySQL's protocol applies what applies to
    /// HTTP: whoever reads on the way has what the password is checked by, and all the data.
    ///
    /// # Errors
    /// [`SqlError::Exposed`].
    pub fn admit(&self, option: &str, insecure: bool) -> Result<(), SqlError> {
        let has_secret = self.password.as_ref().is_some_and(|password| !password.text().is_empty());
        if insecure || !has_secret || !self.is_exposed() {
            return Ok(());
        }
        Err(SqlError::Exposed { option: option.to_owned(), server: self.server_title(), secret: true })
    }

    /// Refuses to speak in the clear beyond this machine altogether: what is asked and answered there decides what is done.
    ///
    /// # Errors
    /// [`SqlError::Exposed`].
    pub fn admit_only_safe(&self, option: &str, insecure: bool) -> Result<(), SqlError> {
        if insecure || !self.is_exposed() {
            return Ok(());
        }
        Err(SqlError::Exposed { option: option.to_owned(), server: self.server_title(), secret: false })
    }

    /// Whether anybody on the way could read and change what is sent: no TLS beyond this machine.
    fn is_exposed(&self) -> bool {
        self.socket.is_none() && self.tls_ca.is_none() && !http_client::is_loopback(&self.host)
    }

    /// For people, without the password.
    pub fn title(&self) -> String {
        match &self.socket {
            Some(socket) => format!("{}@{}", self.user, socket.display()),
            None => format!("mysql://{}@{}:{}/{}", self.user, self.host, self.port, self.schema),
        }
    }

    /// The server alone, for people.
    pub(crate) fn server_title(&self) -> String {
        match &self.socket {
            Some(socket) => format!("{}@{}", self.user, socket.display()),
            None => format!("mysql://{}@{}:{}", self.user, self.host, self.port),
        }
    }

    /// How to connect; in the schema, or in none to create it.
    pub(crate) fn opts(&self, in_schema: bool) -> mysql_async::Opts {
        // Both providers may be built in for other parts of the program: TLS must be told which.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let tls = self.tls_ca.as_ref().map(|ca| {
            let authority = vec![ca.clone().into()];
            let identity = self.tls_identity.clone();
            let identity = identity.map(|(chain, key)| ClientIdentity::new(chain.into(), key.into()));
            let opts = SslOpts::default().with_root_certs(authority).with_disable_built_in_roots(true);
            opts.with_client_identity(identity)
        });
        let opts = OptsBuilder::default()
            .ip_or_hostname(self.host.clone())
            .tcp_port(self.port)
            .socket(self.socket.as_ref().map(|socket| socket.display().to_string()))
            .user(Some(self.user.clone()))
            .pass(self.password.as_ref().map(|password| password.text()))
            .db_name(in_schema.then(|| self.schema.clone()))
            .prefer_socket(false)
            .tcp_nodelay(true)
            // Said here, it need not be asked of the server.
            .max_allowed_packet(Some(MOST_PACKET))
            .wait_timeout(Some(WAIT_TIMEOUT))
            // A token of AWS IAM is sent as it is, which only TLS makes safe.
            .enable_cleartext_plugin(tls.is_some())
            .ssl_opts(tls)
            .stmt_cache_size(STATEMENTS);
        opts.into()
    }
}

/// What MariaDB takes by default.
const MOST_PACKET: usize = 16 << 20;
/// MySQL's default.
const WAIT_TIMEOUT: usize = 28_800;
/// More than all statements of TPC-C for every length of an order and every number of districts.
pub(crate) const STATEMENTS: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_statement_of_tpcc_pushes_another_out() {
        use tpcc::{DISTRICTS, Many, Statement};
        let lengths = |many: &Many| match many {
            Many::Items | Many::LockStocks | Many::AddLines => 11,
            _ => DISTRICTS as usize,
        };
        let all = Statement::ALL.len() + Many::ALL.iter().map(lengths).sum::<usize>();
        assert!(all <= STATEMENTS, "{all}");
    }

    #[test]
    fn a_url_is_read_with_and_without_a_port() {
        let target = SqlTarget::parse("mysql://bench@db.example:4000/tpcc_1").unwrap();
        let of = |target: &SqlTarget| (target.user.clone(), target.host.clone(), target.port, target.schema.clone());
        assert_eq!(of(&target), ("bench".into(), "db.example".into(), 4000, "tpcc_1".into()));
        assert_eq!(SqlTarget::parse("mysql://a@[::1]/b").map(|target| (target.host, target.port)).unwrap().0, "::1");
        assert_eq!(SqlTarget::parse("mysql://a@h/b").unwrap().port, PORT);
    }

    #[test]
    fn a_server_is_read_without_a_schema() {
        let target = SqlTarget::server("--tidb", "mysql://pilot@10.0.0.7:4000").unwrap();
        assert_eq!((target.host.as_str(), target.port), ("10.0.0.7", 4000));
        assert!(SqlTarget::server("--tidb", "mysql://pilot@h/").is_ok());
        for url in ["mysql://pilot@h/s", "mysql://h", "h", "mysql://pilot:secret@h"] {
            let error = SqlTarget::server("--tidb", url).unwrap_err().to_string();
            assert!(error.starts_with("--tidb: ") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn a_password_leaves_this_machine_with_tls_or_not_at_all() {
        let secret = |url: &str| {
            let password = Some(Password::new("hunter2".into()));
            SqlTarget { password, ..SqlTarget::parse(url).unwrap() }
        };
        let far = secret("mysql://u@db.example/s");
        let told = far.admit("--db", false).unwrap_err();
        assert_eq!(told.exit_code(), 2);
        let told = told.to_string();
        assert!(told.contains("--insecure") && told.contains("db.example") && !told.contains("hunter2"), "{told}");
        assert!(far.admit("--db", true).is_ok());
        let encrypted = SqlTarget { tls_ca: Some("ca.pem".into()), ..far.clone() };
        assert!(encrypted.admit("--db", false).is_ok());
        for near in ["mysql://u@localhost/s", "mysql://u@127.0.0.1:4000/s", "mysql://u@[::1]/s"] {
            assert!(secret(near).admit("--db", false).is_ok(), "{near}");
        }
        for bare in [None, Some(Password::new(String::new()))] {
            let without = SqlTarget { password: bare, ..far.clone() };
            assert!(without.admit("--db", false).is_ok(), "there is no secret");
            assert!(
                without.admit_only_safe("--tidb", false).is_err() && without.admit_only_safe("--tidb", true).is_ok()
            );
        }
    }

    #[test]
    fn a_renewed_password_counts_for_all_who_have_it() {
        let password = Password::new("old".into());
        let target = SqlTarget { password: Some(password.clone()), ..SqlTarget::parse("mysql://u@h/s").unwrap() };
        password.renew("new".into());
        assert_eq!(target.opts(true).pass(), Some("new"));
    }

    #[test]
    fn a_url_that_is_none_is_refused_and_a_password_is_not_repeated() {
        for url in
            ["mysql://h/s", "mysql://u@h", "mysql://u@h/", "mysql://u@h:x/s", "mysql://u@/s", "mysql://u@h/s;x", "h"]
        {
            let error = SqlTarget::parse(url).unwrap_err();
            assert!(error.exit_code() == 2 && error.to_string().contains("mysql://USER@HOST"), "{url}: {error}");
        }
        let error = SqlTarget::parse("mysql://u:hunter2@h/s").unwrap_err().to_string();
        assert!(error.contains(Password::VARIABLE) && !error.contains("hunter2"), "{error}");
        let target =
            SqlTarget { password: Some(Password::new("hunter2".into())), ..SqlTarget::parse("mysql://u@h/s").unwrap() };
        assert!(!format!("{target:?} {}", target.title()).contains("hunter2"));
    }
}
