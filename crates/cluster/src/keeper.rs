//! Starts processes from one thread that lives as long as they may: the kernel ends a process with the thread that started
//! it, not with that thread's process (`PR_SET_PDEATHSIG`, prctl(2)).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use crate::ClusterError;

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
}

/// Enters the control group `$1`, if any, and becomes the rest; ends with its parent where `setpriv` (util-linux) can say so.
const BECOME: &str = r#"[ -z "$1" ] || echo $$ > "$1" || exit 126
shift
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
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(BECOME).arg("sh").arg(order.door.as_deref().unwrap_or(Path::new("")));
        command.arg(order.program).args(order.arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        // Ctrl-C is for the one who started us; it takes the cluster down in order.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let (answer, started) = channel();
        let gone = || ClusterError::Environment("the thread that starts processes has ended".to_owned());
        self.0.send((command, answer)).map_err(|_| gone())?;
        let started = started.recv().map_err(|_| gone())?;
        started.map_err(|error| ClusterError::system(format!("{} cannot be started", order.program.display()), error))
    }
}
