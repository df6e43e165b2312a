//! Claims on what `render` writes: the files are made and read back.

use std::collections::BTreeSet;

use deployment::Deployment;
use render::{FileFormat, RenderRequest, TikvVersion};
use serde_json::Value as Json;
use textfile::Text;

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[("B13", zones_of_tiflash), ("D07", burst_alarm)];

/// An example with two TiFlash nodes over three zones.
const HTAP: &str = include_str!("../../../../examples/htap.toml");
/// The source's database on a volume that bursts.
const BURSTS: &str = include_str!("../../../../examples/rds-gp2.toml");

/// A deployment in a format, read back from what was written.
fn written(s: &Setting<'_>, name: &str, text: &str, format: FileFormat) -> Result<Json, ClaimError> {
    let deployment = Deployment::from_text(&Text::new(name, text))?;
    // The example's instances are of its own day.
    let view = s.catalog.at(deployment.as_of);
    let request = RenderRequest {
        deployment: &deployment,
        view: &view,
        version: TikvVersion::default(),
        only: &[format],
        timestamps: None,
    };
    let rendered = render::render(&request)?;
    let content = rendered.files.first().map_or("", |file| file.content.as_str());
    serde_saphyr::from_str(content).map_err(|error| ClaimError::Other(format!("{format} does not read back: {error}")))
}

/// How many zones the TiFlash nodes of a topology are in.
fn zones_of_tiflash(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let topology = written(s, "examples/htap.toml", HTAP, FileFormat::Tiup)?;
    let nodes = topology["tiflash_servers"].as_array().cloned().unwrap_or_default();
    let zones: BTreeSet<&str> =
        nodes.iter().filter_map(|node| node["learner_config"]["server.labels"]["zone"].as_str()).collect();
    let remark = format!("of {} nodes in the topology of examples/htap.toml", nodes.len());
    Ok(Ours { remark: Some(remark), ..Ours::from(ClaimValue::number(zones.len() as f64)) })
}

/// Threshold and periods of the alarm on a burst balance.
fn burst_alarm(s: &Setting<'_>) -> Result<Ours, ClaimError> {
    let stack = written(s, "examples/rds-gp2.toml", BURSTS, FileFormat::Cloudformation)?;
    let resources = stack["Resources"].as_object().cloned().unwrap_or_default();
    let alarm = resources.values().find(|resource| resource["Properties"]["MetricName"] == "BurstBalance");
    let alarm = alarm.ok_or_else(|| ClaimError::Other("the stack has no alarm on BurstBalance".to_owned()))?;
    let number = |key: &str| alarm["Properties"][key].as_f64().unwrap_or(f64::NAN);
    let remark = "in the stack of examples/rds-gp2.toml, which is EC2 with EBS in place of the source's RDS";
    let numbers = vec![number("Threshold"), number("EvaluationPeriods")];
    Ok(Ours { remark: Some(remark.to_owned()), ..Ours::from(ClaimValue::Numbers(numbers)) })
}
