//! `diskwright pilot iam`: the least that AWS must allow a pilot.

use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `pilot iam`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot iam > policy.json
  diskwright pilot iam --tag team=storage

Volumes without the tag can be read, and not modified.")]
pub(crate) struct Args {
    /// Tag that volumes must have to be modified
    #[arg(long, value_name = "KEY=VALUE", default_value = "diskwright=yes", value_parser = tag)]
    tag: (String, String),
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as diskwright=yes")?;
    if key.is_empty() || text.contains(['"', '\\', '$', '*', '?']) {
        return Err("expected a key and a value without quotes, backslashes, `$`, `*` and `?`".to_owned());
    }
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(feature = "cloud")]
pub(crate) fn run(args: &Args) -> Result<Output, Failure> {
    let (key, value) = &args.tag;
    Ok(Output::verbatim(aws::policy_of_pilot(key, value)))
}

#[cfg(not(feature = "cloud"))]
pub(crate) fn run(args: &Args) -> Result<Output, Failure> {
    let Args { tag: _ } = args;
    Err(crate::diagnose::cloud::without())
}
