//! The control socket.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::disks::Disks;
use super::{aside, log};
use crate::MountError;
use crate::home::State;
use crate::protocol::{Answer, Ask, LONGEST_ASK};

/// Listens from now on. The socket is the user's own, for the process's mask and the folder around it are.
pub(crate) fn start(state: &State, disks: &Arc<Disks>, stopped: &Arc<Notify>) -> Result<(), MountError> {
    let path = state.socket();
    let listener = UnixListener::bind(&path).map_err(|error| MountError::system(path.display(), error))?;
    let (disks, stopped) = (Arc::clone(disks), Arc::clone(stopped));
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(converse(stream, Arc::clone(&disks), Arc::clone(&stopped)))),
                Err(error) => {
                    log(format!("a client cannot be heard: {error}"));
                    // Out of file descriptors, most likely: others have to end first.
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    });
    Ok(())
}

/// Answers a client until it has no more questions.
async fn converse(stream: UnixStream, disks: Arc<Disks>, stopped: Arc<Notify>) {
    let (asks, mut answers) = stream.into_split();
    let mut asks = BufReader::new(asks);
    loop {
        let mut line = String::new();
        match (&mut asks).take(LONGEST_ASK).read_line(&mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let (answer, last) = match serde_json::from_str::<Ask>(&line) {
            Ok(ask) => {
                let stop = ask == Ask::Stop;
                let answer = aside(&disks, move |disks| answer(disks, ask)).await;
                let answer = answer.unwrap_or_else(Answer::Error);
                let last = stop && answer == Answer::Done;
                (answer, last)
            }
            Err(error) => (Answer::Error(MountError::Input(format!("the daemon does not understand: {error}"))), false),
        };
        let mut text = serde_json::to_string(&answer).unwrap_or_default();
        text.push('\n');
        let told = answers.write_all(text.as_bytes()).await;
        if last {
            stopped.notify_one();
        }
        if last || told.is_err() {
            return;
        }
    }
}

fn answer(disks: &Disks, ask: Ask) -> Answer {
    let answered = match ask {
        Ask::Sample => disks.sample().map(Answer::Sample),
        Ask::Reading => disks.reading().map(|(sample, latencies)| Answer::Reading { sample, latencies }),
        Ask::History { since } => Ok(Answer::History(disks.history(since))),
        Ask::Modify { disk, to, fast_forward } => disks.modify(&disk, &to, fast_forward).map(Answer::Modified),
        Ask::Fault { disk, fault, lasts } => disks.fault(&disk, fault, lasts).map(|()| Answer::Done),
        Ask::Heal { disk } => disks.heal(&disk).map(|()| Answer::Done),
        Ask::Attach { disk } => disks.attach(&disk).map(Answer::Notes),
        Ask::SetCredits { disk, share } => disks.set_credits(disk.as_deref(), share).map(|()| Answer::Done),
        Ask::Stop => disks.unmount().map(|()| Answer::Done),
    };
    answered.unwrap_or_else(Answer::Error)
}
