//! Mounting.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use textfile::shell_word;

use crate::home::State;
use crate::plan::{Facts, Order, Planned, absolute};
use crate::process::Process;
use crate::{MountError, MountHome, MountRequest, MountedNode, abort, backing, check, clear, files, system};

/// Mounts disks: starts a daemon that serves them and waits until they can be used. If a daemon that served the same
/// folder died, its leftovers go first and the same data is served again. A failure leaves nothing behind.
///
/// # Errors
/// When the request cannot be met, the machine lacks something, or the folder or its data are in use.
pub fn up(home: &MountHome, request: &MountRequest) -> Result<MountedNode, MountError> {
    let dir = absolute(&request.dir)?;
    let request = MountRequest { dir, backing: absolute(&request.backing)?, ..request.clone() };
    check::values(&request)?;
    check::names(home, &request)?;
    let planned = Facts::of(&request)?.plan(&request)?;
    check::machine(&request)?;
    let state = home.state(&request.dir);
    reserve(home, &state, &request, &planned)?;
    let mut made = Vec::new();
    let mounted = mount(home, &state, &request, &planned, &mut made);
    if let Err(error) = &mounted {
        // New files hold no one's data yet. The folders go with the state, once they are empty.
        made.iter().for_each(|file| drop(std::fs::remove_file(file)));
        clear::end(&state);
        clear::clear(&state).map_err(|left| {
            MountError::Environment(format!("{error}. What had been begun could not be cleared away: {left}"))
        })?;
    }
    mounted
}

/// Checks that the place is free and writes down that it is not any more.
fn reserve(home: &MountHome, state: &State, request: &MountRequest, planned: &[Planned]) -> Result<(), MountError> {
    // Only for now: what takes its time is done while others mount elsewhere.
    let _lock = home.lock()?;
    let notes = clear_dead(state)?;
    check::place(home, request, planned)?;
    let mut created = missing(&request.backing);
    let places = planned.iter().map(|planned| planned.at.as_path());
    for folder in std::iter::once(request.dir.as_path()).chain(places).flat_map(missing) {
        if !created.contains(&folder) {
            created.push(folder);
        }
    }
    let made = DirBuilder::new().mode(0o700).create(&state.folder);
    made.map_err(|error| MountError::system(state.folder.display(), error))?;
    // Written down before anything is made, so that it goes even if this process dies now.
    let order = Order { request: request.clone(), created, notes, starter: Process::this() };
    files::write(&state.order(), &order).inspect_err(|_| drop(std::fs::remove_dir(&state.folder)))
}

/// Clears away what a dead daemon left for the same folder; answers what people should know of it.
fn clear_dead(state: &State) -> Result<Vec<String>, MountError> {
    if !state.folder.exists() {
        return Ok(Vec::new());
    }
    let node = MountedNode::read(state);
    match &node {
        Some(node) if node.is_alive() => {
            let (dir, word, pid) = (node.dir.display(), shell_word(&node.dir), node.pid);
            return Err(MountError::Input(format!(
                "disks are already mounted at {dir} (daemon {pid}): unmount them first with `diskwright disk down {word}`"
            )));
        }
        Some(_) => {}
        None => clear::abandoned(state)?,
    }
    clear::clear(state)?;
    let note = |node: MountedNode| {
        format!(
            "the daemon of before ({}) had died; the filesystem was mounted again, which replays its journal",
            node.pid
        )
    };
    Ok(node.map(note).into_iter().collect())
}

fn mount(
    home: &MountHome,
    state: &State,
    request: &MountRequest,
    planned: &[Planned],
    made: &mut Vec<PathBuf>,
) -> Result<MountedNode, MountError> {
    backing::folder(&request.backing)?;
    for place in planned.iter().map(|planned| &planned.at) {
        std::fs::create_dir_all(place).map_err(|e| MountError::Input(format!("{}: {e}", place.display())))?;
    }
    for planned in planned {
        if backing::prepare(planned, request.filesystem)? {
            made.push(planned.backing.clone());
        }
    }
    ready(state, start(home, state)?)
}

/// The folders of a path that do not exist yet, outermost first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path.ancestors().take_while(|a| !a.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn start(home: &MountHome, state: &State) -> Result<Child, MountError> {
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(state.log());
    let log = log.and_then(|log: File| Ok((log.try_clone()?, log)));
    let (out, err) = log.map_err(|error| MountError::system(state.log().display(), error))?;
    let mut command = Command::new(&home.program);
    command.arg("daemon").arg(&state.folder).current_dir("/").stdin(Stdio::null()).stdout(out).stderr(err);
    command.spawn().map_err(|error| {
        MountError::system(format!("the daemon cannot be started with {}", home.program.display()), error)
    })
}

/// Waits until the daemon is ready or has ended. There is no other bound: a large journal on a slow disk takes its time.
fn ready(state: &State, mut child: Child) -> Result<MountedNode, MountError> {
    const PAUSE: Duration = Duration::from_millis(5);
    loop {
        if let Some(node) = MountedNode::read(state) {
            // If this process lives longer than the daemon, somebody has to see it end.
            std::thread::spawn(move || child.wait());
            return Ok(node);
        }
        match child.try_wait() {
            Ok(None) => {
                // Killed, but a thread of it waits for its own disk.
                if system::process_started(child.id() as i32).is_none() {
                    abort::connection(state);
                }
                std::thread::sleep(PAUSE);
            }
            Ok(Some(status)) => {
                return Err(files::read(&state.error()).unwrap_or_else(|| {
                    let log = std::fs::read_to_string(state.log()).unwrap_or_default();
                    MountError::Environment(format!("the daemon ended with {status}: {}", tail(&log)))
                }));
            }
            Err(error) => return Err(MountError::system("the daemon cannot be waited for", error)),
        }
    }
}

/// The last few lines.
fn tail(log: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_to_be_made_outermost_first() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "a/b"].map(|name| folder.path().join(name));
        assert_eq!(missing(&b), [a, b.clone()]);
        std::fs::create_dir_all(&b).unwrap();
        assert_eq!(missing(&b), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_end_of_a_log_is_short() {
        assert_eq!(tail("1\n2\n3\n4\n5\n6\n"), "2; 3; 4; 5; 6");
    }
}
