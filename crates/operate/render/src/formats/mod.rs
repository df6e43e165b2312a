//! One file, one format.

mod ansible;
mod cloudformation;
mod host;
mod infrastructure;
mod manifest;
mod my_cnf;
mod operator;
mod operator_v2;
mod pd;
mod prometheus;
mod sql;
mod terraform;
mod tikv;
mod tiup;

use crate::document::comment;
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile};

/// The files of a format.
pub(crate) fn files(format: FileFormat, site: &Site<'_>) -> Result<Vec<RenderedFile>, RenderError> {
    Ok(match format {
        FileFormat::Tikv => tikv::files(site)?,
        FileFormat::Pd => vec![pd::file(site)?],
        FileFormat::Tiup => vec![tiup::file(site)?],
        FileFormat::Ansible => vec![ansible::file(site)],
        FileFormat::Operator => vec![operator::file(site)?],
        FileFormat::OperatorV2 => vec![operator_v2::file(site)?],
        FileFormat::Sql => vec![sql::file(site)?],
        FileFormat::MyCnf => my_cnf::files(site)?,
        FileFormat::Cloudformation => vec![cloudformation::file(site)?],
        FileFormat::Terraform => vec![terraform::file(site)?],
        FileFormat::Prometheus => vec![prometheus::file(site)],
        FileFormat::Host => host::files(site),
    })
}

/// How many resources the stack of CloudFormation has.
pub(crate) fn cloudformation_resources(site: &Site<'_>) -> usize {
    cloudformation::resources(site).0.len()
}

/// The head of a file: what it is of.
fn head(mark: &str, site: &Site<'_>, what: &str) -> String {
    let name: String = site.deployment.name.chars().filter(|c| !c.is_control()).collect();
    let name = if name.trim().is_empty() { String::new() } else { format!(" of \"{}\"", name.trim()) };
    let engine = if site.is_tikv() { format!("TiKV {}", site.version) } else { "MySQL 8.0".to_owned() };
    let zones =
        if site.deployment.zones == 1 { "1 zone".to_owned() } else { format!("{} zones", site.deployment.zones) };
    let text =
        format!("{what}{name}: {engine} in {}, {zones}. Written by `diskwright render`.", site.deployment.region);
    comment(mark, 0, &text)
}
