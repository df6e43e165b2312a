//! `diskwright completions` and `diskwright man`: what shells and `man` know of the command line, made from its definition.

use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::failure::Failure;
use crate::output::Output;
use crate::{Cli, inputs, version};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright completions bash > ~/.local/share/bash-completion/completions/diskwright
  diskwright completions zsh > ~/.zfunc/_diskwright
  diskwright completions fish > ~/.config/fish/completions/diskwright.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright man ~/.local/share/man/man1 && man diskwright-plan")]
pub(crate) struct ManArgs {
    /// The folder of the pages, which is made if needed
    dir: PathBuf,
}

/// The completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs, json: bool) -> Result<Output, Failure> {
    if json {
        return Err(Failure::input("--json: a completion script is no JSON: leave it out"));
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_hints(Cli::command()), "diskwright", &mut script);
    let script = String::from_utf8_lossy(&script);
    Ok(Output::verbatim(if args.shell == Shell::Bash { files_in_bash(&script) } else { script.into_owned() }))
}

/// Writes a page for the program and one for each verb.
pub(crate) fn man(args: &ManArgs, json: bool) -> Result<Output, Failure> {
    inputs::make_folder(&args.dir)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut written = Vec::new();
    pages(&command, &args.dir, &mut written)?;
    let paths: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    Ok(if json {
        Output::json(&serde_json::json!({ "written": paths }))
    } else {
        Output::text(paths.iter().map(|path| format!("{path}\n")).collect::<String>())
    })
}

fn pages(command: &Command, dir: &Path, written: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let date = version::built().map_or_else(String::new, |date| date.to_string());
    let page = Man::new(command.clone())
        .date(date)
        .source(format!("diskwright {}", version::PACKAGE))
        .manual("Diskwright manual");
    let path = dir.join(page.get_filename());
    let mut text = Vec::new();
    rendered(&page, command, &mut text)
        .map_err(|error| Failure::environment(format!("{}: {error}", path.display())))?;
    inputs::write(&path, &String::from_utf8_lossy(&text))?;
    written.push(path);
    command.get_subcommands().filter(|verb| !verb.is_hide_set()).try_for_each(|verb| pages(verb, dir, written))
}

/// A page: the sections of every command's, then examples and notes as they stand below the help.
fn rendered(page: &Man, command: &Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    if command.get_subcommands().any(|verb| !verb.is_hide_set()) {
        page.render_subcommands_section(out)?;
    }
    let below = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    for section in below.iter().flat_map(|text| text.split("\n\n")) {
        below_help(section).to_writer(out)?;
    }
    Ok(())
}

/// A paragraph below the help as a section: examples and tables line by line, text filled.
fn below_help(paragraph: &str) -> Roff {
    let mut roff = Roff::new();
    let (title, lines) = match paragraph.split_once('\n') {
        Some(("Examples:", lines)) => ("EXAMPLES", lines),
        Some(("Exit codes:", lines)) => ("EXIT STATUS", lines),
        _ => ("NOTES", paragraph),
    };
    roff.control("SH", [title]);
    let is_table = lines.starts_with(' ');
    if is_table {
        roff.control("nf", []);
    }
    for line in lines.lines() {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    if is_table {
        roff.control("fi", []);
    }
    roff
}

/// Files are offered for arguments that name files, folders for those that name folders, and nothing for the others.
fn with_hints(command: Command) -> Command {
    let hinted = |arg: Arg| {
        let names_folder = arg.get_value_names().is_some_and(|names| names.iter().any(|name| name.as_str() == "DIR"))
            || arg.get_id() == "dir";
        let hint = match arg.get_value_hint() {
            ValueHint::AnyPath if names_folder => ValueHint::DirPath,
            ValueHint::AnyPath => ValueHint::FilePath,
            ValueHint::Unknown => ValueHint::Other,
            hint => hint,
        };
        if arg.get_action().takes_values() { arg.value_hint(hint) } else { arg }
    };
    command.mut_args(hinted).mut_subcommands(with_hints)
}

/// What the generated script offers: a verb's options.
const OPTIONS: &str = "( $(compgen -W \"${opts}\" -- \"${cur}\") )";

/// The script for bash, with files offered for positional arguments. As generated it offers a verb's options and the names of its
/// arguments there.
fn files_in_bash(script: &str) -> String {
    let mut lines = Vec::new();
    let (mut is_leaf, mut offers) = (false, 0);
    for line in script.lines() {
        if let Some((before, words)) = line.split_once("opts=\"") {
            let words = words.trim_end_matches('"').split(' ').filter(|word| !word.starts_with(['<', '[']));
            let words: Vec<&str> = words.collect();
            (is_leaf, offers) = (words.iter().all(|word| word.starts_with('-')), 0);
            lines.push(format!("{before}opts=\"{}\"", words.join(" ")));
            continue;
        }
        offers += usize::from(line.contains("compgen -W \"${opts}\""));
        lines.push(match line.split_once(" || ${COMP_CWORD} -eq ") {
            Some((before, _)) if is_leaf => format!("{before} ]] ; then"),
            // The first offer is that for a word with a dash; the second, for any other word, gives way to files.
            None if is_leaf && offers == 2 && line.contains("compgen -W") => line.replace(OPTIONS, "()"),
            _ => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}
