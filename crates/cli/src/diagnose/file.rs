//! `diskwright diagnose FILE`, and a subcommand for each format of `ingest`: from files that somebody brings.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches, Subcommand};
use deployment::Deployment;
use ingest::iostat::FirstReport;
use ingest::{FORMATS, GatherError, InputFile, InputFormat, LARGEST, ReadOptions, ReportStream, formats};
use textfile::Text;
use timeline::Timeline;
use units::Nanos;

use super::given::Given;
use super::watch::{Asked, Watch};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;

/// Arguments of files.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct FileArgs {
    /// Files to read; what they are is recognised; - reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// How long each report is of, or how far apart samples or points are, where the file does not say
    #[arg(long, visible_alias = "period", value_name = "SPAN")]
    interval: Option<Nanos>,
    /// The first report of iostat counts, too: it was recorded with -y
    #[arg(long)]
    first_counts: bool,
    /// Metric of a column that has a name of its own: 'db write iops=WriteIOPS'; may be repeated
    #[arg(long, value_name = "LABEL=METRIC")]
    map: Vec<String>,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    given: Given,
}

/// A subcommand of a format.
#[derive(Debug)]
pub(crate) struct FormatCommand {
    format: FormatChoice,
    args: FileArgs,
}

/// A format of the table, shown by its name.
#[derive(Clone, Copy)]
struct FormatChoice(&'static dyn InputFormat);

impl std::fmt::Debug for FormatChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

impl FromArgMatches for FormatCommand {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let format = formats::named(name).ok_or_else(missing)?;
        Ok(Self { format: FormatChoice(format), args: FileArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for FormatCommand {
    fn augment_subcommands(command: Command) -> Command {
        FORMATS.into_iter().fold(command, |command, format| {
            let of_format = FileArgs::augment_args(Command::new(format.name()));
            let of_format = of_format.about(sentence(format.about())).after_help(format.help());
            command.subcommand(of_format.aliases(format.aliases().iter().copied()))
        })
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        formats::named(name).is_some()
    }
}

/// A clause as it begins a line of help.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

impl FormatCommand {
    pub(super) fn run(&self, json: bool) -> Result<Output, Failure> {
        self.args.run(Some(self.format.0), json)
    }
}

impl FileArgs {
    /// Reads files of a format, or of the one that they are recognised to be of, and diagnoses.
    pub(super) fn run(&self, format: Option<&'static dyn InputFormat>, json: bool) -> Result<Output, Failure> {
        let options = self.options()?;
        let is_piped = self.watch.is_on() && self.files == [Path::new("-")];
        let stream = is_piped.then(|| ReportStream::listen(std::io::stdin(), LARGEST)).transpose();
        let stream = stream.map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
        let ask = || {
            let files = match &stream {
                Some(stream) => match stream.text() {
                    Some(text) => vec![InputFile::new("-", text.content())],
                    None => return Ok(None),
                },
                None => self.read(format)?,
            };
            self.asked(format, &files, &options).map(Some)
        };
        self.watch.answer(ask, self.given.out.as_deref(), json)
    }

    /// A file alone, of a format that has a subcommand of its own beside a server's.
    pub(super) fn of(file: PathBuf, interval: Option<Nanos>, watch: Watch, given: Given) -> Self {
        Self { files: vec![file], interval, first_counts: false, map: Vec::new(), watch, given }
    }

    fn options(&self) -> Result<ReadOptions, Failure> {
        let first = if self.first_counts { FirstReport::Counts } else { FirstReport::Alone };
        let mut options = ReadOptions { interval: self.interval, first, ..ReadOptions::default() };
        for text in &self.map {
            let (label, metric) = text.rsplit_once('=').ok_or_else(|| {
                Failure::input(format!("--map {text}: expected LABEL=METRIC, such as 'db write iops=WriteIOPS'"))
            })?;
            options.columns.insert(label.trim().to_owned(), metric.trim().to_owned());
        }
        Ok(options)
    }

    fn read(&self, format: Option<&'static dyn InputFormat>) -> Result<Vec<InputFile>, Failure> {
        if let Some(word) = self.files.first().and_then(|file| file.to_str()).filter(|_| format.is_none())
            && !word.contains(['/', '.'])
            && word != "-"
            && !Path::new(word).exists()
        {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.name()).chain(super::SERVERS).collect();
            let meant = textfile::did_you_mean(word, &known);
            return Err(Failure::input(format!(
                "there is neither a file nor a source `{word}`; {meant} See `diagnose --help`"
            )));
        }
        let largest = format.map_or(LARGEST, InputFormat::largest);
        Ok(self.files.iter().map(|file| InputFile::read(file, largest)).collect::<Result<_, _>>()?)
    }

    fn asked(
        &self,
        format: Option<&'static dyn InputFormat>,
        files: &[InputFile],
        options: &ReadOptions,
    ) -> Result<Asked, Failure> {
        let first = self.files.first().map_or(Path::new("-"), PathBuf::as_path);
        let read = progress::reading(first, || match format {
            Some(format) => formats::read(format, files, options).map(|timeline| (format, timeline)),
            None => formats::read_any(files, options),
        });
        let (format, timeline) = read.map_err(|error| match error {
            GatherError::NoInterval { .. } => Failure::input(format!("{error}: --interval 1s")),
            error => error.into(),
        })?;
        let names: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
        let mut known = self.given.known(brought(&timeline))?;
        known.learn_noted(&timeline);
        self.given.asked(names.join(", "), timeline, known, format.has_mapper_names())
    }
}

/// The deployment that a Timeline of simulate brings along.
fn brought(timeline: &Timeline) -> Option<Deployment> {
    let text = timeline.about.notes.get("deployment")?;
    Deployment::from_text(&Text::new("the Timeline's deployment", &**text)).ok()
}
