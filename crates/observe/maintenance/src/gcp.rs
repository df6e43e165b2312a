//! GCP's metadata server: one word under a key, and a long poll until the word changes. The notice of a live migration comes
//! 60 s before it, and only to a machine that has asked since the last one.

use std::time::Duration;

use jiff::Timestamp;

use crate::table::{self, Event};
use crate::watch::{HeardNotices, NoticeSource};
use crate::{
    EventCertainty, MachineCloud, MaintenanceError, MaintenanceKind, MaintenanceNotice, MetadataAnswer, MetadataQuery,
    MetadataService, NoticeState,
};

/// Where the keys are.
pub(crate) const ROOT: &str = "/computeMetadata/v1/instance/";
/// The header without which nothing is told, so that no web page can ask.
pub(crate) const FLAVOR: (&str, &str) = ("metadata-flavor", "Google");
/// How long the server may wait for a change. Shorter than the notice, so that a connection that died unseen costs half of it.
const WAIT: Duration = Duration::from_secs(30);
/// How much longer than that its answer may take.
const SLACK: Duration = Duration::from_secs(5);

/// What is listened to. Each waits, so that they are heard on threads of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataKey {
    /// `maintenance-event`: live migration, or a stop where migration is not wanted.
    Maintenance,
    /// `preempted`: the machine is taken away; 30 s are left.
    Preempted,
}

impl MetadataKey {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Maintenance, Self::Preempted];

    /// Its name under [`ROOT`].
    pub const fn name(self) -> &'static str {
        match self {
            Self::Maintenance => "maintenance-event",
            Self::Preempted => "preempted",
        }
    }

    /// The word that says that nothing happens.
    pub(crate) const fn quiet(self) -> &'static str {
        match self {
            Self::Maintenance => "NONE",
            Self::Preempted => "FALSE",
        }
    }
}

/// What the word under a key says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaintenanceWord {
    /// Nothing is planned.
    Quiet,
    /// Something is, in that word.
    Event {
        /// As the cloud says it.
        word: String,
        /// What it is.
        kind: MaintenanceKind,
        /// How long before the event it is said.
        notice: Option<Duration>,
        /// Whether the machine comes back.
        returns: bool,
    },
}

/// Reads the word under a key. A word that is not known is an event of an unknown kind.
///
/// # Errors
/// When it is no word in capital letters: some other server's page.
pub fn parse(key: MetadataKey, text: &str) -> Result<MaintenanceWord, MaintenanceError> {
    let word = text.trim();
    let is_word = !word.is_empty() && word.len() <= 64 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    if !is_word {
        let what = format!("{} is {}, not a word such as {}", key.name(), MaintenanceError::quoted(text), key.quiet());
        return Err(MaintenanceError::Answer { cloud: MachineCloud::Gcp, what });
    }
    if word == key.quiet() {
        return Ok(MaintenanceWord::Quiet);
    }
    let known = table::event(MachineCloud::Gcp, key.name(), word);
    Ok(MaintenanceWord::Event {
        word: word.to_owned(),
        kind: known.map_or(MaintenanceKind::Unknown, |event: &Event| event.kind),
        notice: known.and_then(|event| event.notice),
        returns: known.is_some_and(|event| event.returns),
    })
}

/// Listens to one key.
#[derive(Debug)]
pub struct KeyListener {
    key: MetadataKey,
    etag: String,
    /// When the last answer came, and whether it was quiet and nothing failed since.
    last: Option<(Timestamp, bool)>,
    /// By when the event that goes on was to be ready for.
    event: Option<Option<Timestamp>>,
}

impl KeyListener {
    /// To that key, from now on.
    pub fn new(key: MetadataKey) -> Self {
        // The tag 0 is never a word's: the first answer comes at once.
        Self { key, etag: "0".to_owned(), last: None, event: None }
    }

    /// When the machine may be touched, of an event that is first seen now.
    fn deadline(&self, at: Timestamp, notice: Option<Duration>) -> Option<Timestamp> {
        match self.last {
            // It waited all the time: the word changed just now.
            Some((_, true)) => notice.map(|notice| at + notice),
            // It may have changed at any time since it was last seen to be quiet.
            Some((quiet, false)) => notice.map(|notice| (quiet + notice).max(at)),
            // It was there before us; how much of the notice is left nobody knows.
            None => Some(at),
        }
    }

    fn hear(&mut self, answer: &MetadataAnswer, machine: &str) -> Result<Vec<MaintenanceNotice>, MaintenanceError> {
        let word = parse(self.key, &answer.body)?;
        let at = answer.at;
        // A server that sends no tag is asked without waiting for news.
        self.etag = answer.etag.clone().unwrap_or_else(|| "0".to_owned());
        let MaintenanceWord::Event { word, kind, notice, returns } = word else {
            (self.event, self.last) = (None, Some((at, true)));
            return Ok(Vec::new());
        };
        let deadline = self.event.unwrap_or_else(|| self.deadline(at, notice));
        self.event = Some(deadline);
        let state =
            if deadline.is_some_and(|deadline| deadline < at) { NoticeState::Started } else { NoticeState::Scheduled };
        Ok(vec![MaintenanceNotice {
            // GCP names no events; a machine has one at a time, and a watcher that starts anew knows it again.
            id: format!("{}/{machine}", self.key.name()),
            cloud: MachineCloud::Gcp,
            subject: machine.to_owned(),
            kind,
            word,
            not_before: None,
            deadline,
            until: None,
            certainty: EventCertainty::Announced,
            state,
            returns,
            machines: vec![machine.to_owned()],
        }])
    }
}

/// The text of a 200; what the other codes mean.
fn told(answer: MetadataAnswer, path: &str) -> Result<MetadataAnswer, MaintenanceError> {
    let what = || format!("{path} answered {} {}", answer.status, MaintenanceError::quoted(&answer.body));
    match answer.status {
        200 => Ok(answer),
        429 | 500..=599 => {
            Err(MaintenanceError::Busy { cloud: MachineCloud::Gcp, what: format!("answered {}", answer.status) })
        }
        _ => Err(MaintenanceError::Stranger { cloud: MachineCloud::Gcp, what: what() }),
    }
}

impl NoticeSource for KeyListener {
    fn name(&self, machine: &str) -> String {
        format!("GCP {} of {}", self.key.name(), machine.escape_debug())
    }

    fn identify(&mut self, web: &dyn MetadataService) -> Result<String, MaintenanceError> {
        let path = format!("{ROOT}name");
        let answer = told(web.ask(&MetadataQuery::get(&path, SLACK).header(FLAVOR.0, FLAVOR.1))?, &path)?;
        Ok(answer.body.trim().to_owned())
    }

    fn look(&mut self, web: &dyn MetadataService, machine: &str) -> Result<HeardNotices, MaintenanceError> {
        let name = self.key.name();
        let path = format!("{ROOT}{name}?wait_for_change=true&last_etag={}&timeout_sec={}", self.etag, WAIT.as_secs());
        let ask = MetadataQuery::get(&path, WAIT + SLACK).header(FLAVOR.0, FLAVOR.1);
        let heard = web.ask(&ask).and_then(|answer| told(answer, &format!("{ROOT}{name}"))).and_then(|answer| {
            let at = answer.at;
            self.hear(&answer, machine).map(|notices| HeardNotices { at, notices, complaints: Vec::new() })
        });
        if let (Err(_), Some((_, unbroken))) = (&heard, &mut self.last) {
            *unbroken = false;
        }
        heard
    }

    /// The long poll is the rest; a moment keeps a server that answers at once from being asked without pause.
    fn rest(&self) -> Duration {
        Duration::from_millis(250)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_known_and_unknown_words_are_told_apart() {
        assert_eq!(parse(MetadataKey::Maintenance, "NONE\n").unwrap(), MaintenanceWord::Quiet);
        assert_eq!(parse(MetadataKey::Preempted, "FALSE").unwrap(), MaintenanceWord::Quiet);
        let MaintenanceWord::Event { kind, notice, .. } =
            parse(MetadataKey::Maintenance, "MIGRATE_ON_HOST_MAINTENANCE").unwrap()
        else {
            panic!("an event")
        };
        assert_eq!((kind, notice), (MaintenanceKind::Migrate, Some(Duration::from_secs(60))));
        assert!(matches!(
            parse(MetadataKey::Preempted, "NONE").unwrap(),
            MaintenanceWord::Event { kind: MaintenanceKind::Unknown, .. }
        ));
    }

    #[test]
    fn a_page_of_another_server_is_no_word() {
        let error = parse(MetadataKey::Maintenance, "<html>\n<body>Log in").unwrap_err().to_string();
        assert!(error.contains("maintenance-event is `<html>\\n<body>Log in`, not a word such as NONE"), "{error}");
    }

    fn answer(second: i64, word: &str) -> MetadataAnswer {
        let at = Timestamp::from_second(second).unwrap();
        MetadataAnswer { status: 200, etag: Some(word.to_lowercase()), body: word.to_owned(), at }
    }

    fn deadline(listener: &mut KeyListener, second: i64, word: &str) -> Option<i64> {
        let notices = listener.hear(&answer(second, word), "vm").unwrap();
        notices.first().and_then(|notice| notice.deadline).map(|deadline| deadline.as_second())
    }

    const MIGRATE: &str = "MIGRATE_ON_HOST_MAINTENANCE";

    #[test]
    fn the_minute_counts_from_the_change_if_it_was_waited_for() {
        let mut listener = KeyListener::new(MetadataKey::Maintenance);
        assert_eq!(deadline(&mut listener, 1000, "NONE"), None);
        assert_eq!(deadline(&mut listener, 1500, MIGRATE), Some(1560));
        assert_eq!(deadline(&mut listener, 1530, MIGRATE), Some(1560), "it stays the same event");
    }

    #[test]
    fn the_minute_counts_from_the_last_quiet_answer_if_the_server_was_silent_between() {
        let mut listener = KeyListener::new(MetadataKey::Maintenance);
        deadline(&mut listener, 1000, "NONE");
        listener.last = Some((listener.last.unwrap().0, false));
        assert_eq!(deadline(&mut listener, 1040, MIGRATE), Some(1060));
        let mut late = KeyListener::new(MetadataKey::Maintenance);
        late.last = Some((Timestamp::from_second(1000).unwrap(), false));
        assert_eq!(deadline(&mut late, 2000, MIGRATE), Some(2000));
    }

    #[test]
    fn an_event_that_was_there_first_leaves_no_time() {
        assert_eq!(deadline(&mut KeyListener::new(MetadataKey::Maintenance), 1000, MIGRATE), Some(1000));
    }
}
