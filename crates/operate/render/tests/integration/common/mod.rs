//! Examples rendered into a folder, and the programs that read them.

#![allow(dead_code, reason = "each test file takes what it needs")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use catalog::Catalog;
use deployment::Deployment;
use render::{FileFormat, RenderRequest, RenderedFile, TikvVersion};

/// Deployments of `examples/`: a raft disk, a stripe, a cache, a whole cluster, MySQL.
pub(crate) const EXAMPLES: [&str; 6] = [
    "raft-dedicated.toml",
    "tpcc-5000-raid0.toml",
    "tpcc-5000-m5d.2xlarge.toml",
    "htap.toml",
    "rds-gp2.toml",
    "rds-io1.toml",
];

pub(crate) fn deployment(name: &str) -> Deployment {
    Deployment::read(Path::new("../../../examples").join(name)).unwrap()
}

/// What a deployment is rendered to; formats that do not fit it are left out.
pub(crate) fn rendered(deployment: &Deployment, version: TikvVersion) -> Vec<RenderedFile> {
    let view = Catalog::embedded().at(deployment.as_of);
    render::render(&RenderRequest { deployment, view: &view, version, only: &[], timestamps: None }).unwrap().files
}

/// The files of a format of all examples and versions, in a folder each.
pub(crate) fn files(format: FileFormat, folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (name, version) in EXAMPLES.into_iter().flat_map(|name| TikvVersion::ALL.map(|version| (name, version))) {
        let into = folder.join(format!("{name}-{version}"));
        let files: Vec<RenderedFile> =
            rendered(&deployment(name), version).into_iter().filter(|file| file.format == format).collect();
        let written = render::write(&files, &into, false).unwrap();
        paths.extend(written.into_iter().map(|file| file.path));
    }
    assert!(!paths.is_empty(), "no example has {format}");
    paths
}

/// Runs a tool and asks for success.
#[track_caller]
pub(crate) fn passes(command: &mut Command) -> Output {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| panic!("{name} cannot be run: {error}; run `make tools`"));
    let said = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    assert!(output.status.success(), "{name} refuses: {said}");
    output
}
