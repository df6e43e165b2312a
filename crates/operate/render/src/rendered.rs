//! From a deployment to its files.

use catalog::View;
use deployment::Deployment;

use crate::formats;
use crate::site::Site;
use crate::traps;
use crate::{Format, RenderError, Version};

/// What is to be rendered.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The deployment.
    pub deployment: &'a Deployment,
    /// The facts of its day.
    pub view: &'a View,
    /// Of which TiKV.
    pub version: Version,
    /// The formats wanted; all that say something of the deployment if none is named.
    pub only: &'a [Format],
    /// Timestamps a second that the workload takes from PD, if it is known.
    pub timestamps: Option<f64>,
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What it is.
    pub format: Format,
    /// Its name in the folder.
    pub name: String,
    /// What it says.
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
}

impl File {
    pub(crate) fn new(format: Format, name: impl Into<String>, content: String) -> Self {
        Self { format, name: name.into(), content, executable: false }
    }
}

/// The files, and what to know before they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The files, by format.
    pub files: Vec<File>,
    /// Warnings: traps of the version, what was assumed, what was left out.
    pub notes: Vec<String>,
}

/// Renders a deployment.
///
/// # Errors
/// When the deployment cannot be had, the database would refuse one of its settings, or a format was asked for that says
/// nothing of it.
pub fn render(request: &Request<'_>) -> Result<Rendered, RenderError> {
    let site = Site::new(request.deployment, request.view, request.version, request.timestamps)?;
    let mut rendered = Rendered { files: Vec::new(), notes: Vec::new() };
    let mut chosen = Vec::new();
    for format in Format::ALL {
        let asked = request.only.contains(&format);
        match format.unfit(&site) {
            _ if !request.only.is_empty() && !asked => {}
            Some(unfit) if asked => return Err(RenderError::Unfit { format, why: unfit.why }),
            Some(unfit) if unfit.expected => {}
            Some(unfit) => rendered.notes.push(format!("{format} is left out: {}.", unfit.why)),
            None => {
                rendered.files.extend(formats::files(format, &site)?);
                chosen.push(format);
            }
        }
    }
    rendered.notes.extend(request.version.assumption().map(|assumed| format!("TiKV: {assumed}.")));
    rendered.notes.extend(traps::notes(&site, &chosen)?);
    Ok(rendered)
}
