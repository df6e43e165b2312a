//! From a deployment to its files.

use catalog::CatalogView;
use deployment::Deployment;

use crate::formats;
use crate::site::Site;
use crate::traps;
use crate::unfit::unfit;
use crate::{FileFormat, RenderError, RenderedFile, TikvVersion};

/// What is to be rendered.
#[derive(Debug, Clone, Copy)]
pub struct RenderRequest<'a> {
    /// The deployment.
    pub deployment: &'a Deployment,
    /// The facts of its day.
    pub view: &'a CatalogView,
    /// Of which TiKV.
    pub version: TikvVersion,
    /// The formats wanted; all that say something of the deployment if none is named.
    pub only: &'a [FileFormat],
    /// Timestamps a second that the workload takes from PD, if it is known.
    pub timestamps: Option<f64>,
}

/// The files, and what to know before they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderResult {
    /// The files, by format.
    pub files: Vec<RenderedFile>,
    /// Warnings: traps of the version, what was assumed, what was left out.
    pub notes: Vec<String>,
}

/// Renders a deployment.
///
/// # Errors
/// When the deployment cannot be had, the database would refuse one of its settings, or a format was asked for that says
/// nothing of it.
pub fn render(request: &RenderRequest<'_>) -> Result<RenderResult, RenderError> {
    let site = Site::new(request.deployment, request.view, request.version, request.timestamps)?;
    let mut rendered = RenderResult { files: Vec::new(), notes: Vec::new() };
    let mut chosen = Vec::new();
    for format in FileFormat::ALL {
        let asked = request.only.contains(&format);
        match unfit(format, &site) {
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
