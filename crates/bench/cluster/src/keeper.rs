//! Starts processes from one thread that lives as long as they may: the kernel ends a process with the thread that started
//! it, not with that thread's process (`PR_SET_PDEATHSIG`, prctl(2)).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use crate::ClusterError;
use crate::account::Account;

/// Starts processes that end with this one, however this one ends. Its thread ends with the last clone.
#[derive(Debug, Clone)]
pub(crate) struct Keeper(Sender<Asked>);

/// A process to start, and where to tell how it went.
type Asked = (Command, Sender<std::io::Result<Child>>);

/// A process to start.
#[derive(Debug, Clone)]
pub(crate) struct Order<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [String],
    /// The file through which it enters its control group, before it does anything else.
    pub(crate) door: Option<PathBuf>,
    /// The user that it runs as; this process's if not given.
    pub(crate) account: Option<Account>,
    /// The folder of the cluster that it belongs to, which it carries in its environment.
    pub(crate) cluster: &'a Path,
}

/// The variable by which a process is known as one of a cluster's: its value is the cluster's folder.
pub(crate) const MARK: &str = "DISKWRIGHT_CLUSTER";

/// What programs get of this process's environment, which may hold passwords and keys.
const HANDED_ON: [&str; 9] = [
    "PATH",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "MALLOC_CONF",
    "_RJEM_MALLOC_CONF",
];

/// Enters the control group `$1`, if any, and becomes the rest, whose files are for their owner only; ends with its parent where
/// `setpriv` (util-linux) can say so.
/// With a user `$2` it becomes that user first, without a way back; a program that this user cannot reach (`$3`) is run from
/// an open file. Locked memory, which io_uring needs before Linux 5.12, is root's to grant.
const BECOME: &str = r#"[ -z "$1" ] || echo $$ > "$1" || exit 126
user=$2 reach=$3
shift 3
umask 077
if [ -n "$user" ]; then
    ulimit -l unlimited 2> /dev/null
    if [ "$reach" = open ]; then
        exec 9< "$1" || exit 126
        shift
        set -- /proc/self/fd/9 "$@"
    fi
    exec setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all --no-new-privs --pdeathsig KILL -- "$@"
fi
command -v setpriv > /dev/null && exec setpriv --pdeathsig KILL -- "$@"
exec "$@""#;

impl Keeper {
    pub(crate) fn new() -> Result<Self, ClusterError> {
        let (sender, receiver) = channel::<Asked>();
        let serve = move || {
            for (mut command, answer) in receiver {
                // Nobody waits any more: the process is ended, for nobody else would.
                if let Err(unheard) = answer.send(command.spawn())
                    && let Ok(mut child) = unheard.0
                {
                    let _ = child.kill().and_then(|()| child.wait());
                }
            }
        };
        let thread = std::thread::Builder::new().name("keeper".to_owned()).spawn(serve);
        thread.map_err(|error| ClusterError::system("no thread can be started", error))?;
        Ok(Self(sender))
    }

    /// Starts a process with its standard output piped and its standard error in `log`.
    pub(crate) fn start(&self, order: &Order<'_>, log: std::fs::File) -> Result<Child, ClusterError> {
        let failed = |error| ClusterError::system(format!("{} cannot be started", order.program.display()), error);
        // The process begins in another folder than this one.
        let program = std::path::absolute(order.program).map_err(failed)?;
        let user = order.account.map(|account| account.id().to_string()).unwrap_or_default();
        let stopped = order.account.is_some_and(|account| account.stopped_at(&program).is_some());
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(BECOME).arg("sh").arg(order.door.as_deref().unwrap_or(Path::new("")));
        command.args([user.as_str(), if stopped { "open" } else { "" }]).arg(program).args(order.arguments);
        let handed_on = HANDED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(handed_on).env("HOME", order.cluster).env(MARK, order.cluster).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        // Ctrl-C is for the one who started us; it takes the cluster down in order.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let (answer, started) = channel();
        let gone = || ClusterError::KeeperEnded;
        self.0.send((command, answer)).map_err(|_| gone())?;
        started.recv().map_err(|_| gone())?.map_err(failed)
    }
}
