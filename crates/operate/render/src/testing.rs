//! The examples, as tests read them.

use catalog::{Catalog, View};
use deployment::Deployment;

use crate::{File, Format, Rendered, Request, Version, render};

/// A deployment of `examples/`.
pub(crate) fn deployment(name: &str) -> Deployment {
    let path = std::path::Path::new("../../../examples").join(name);
    Deployment::read(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The facts of a deployment's day.
pub(crate) fn view(deployment: &Deployment) -> View {
    Catalog::embedded().at(deployment.as_of)
}

/// What a deployment is rendered to.
pub(crate) fn of(deployment: &Deployment, version: Version, only: &[Format]) -> Rendered {
    let view = view(deployment);
    render(&Request { deployment, view: &view, version, only, timestamps: None })
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The one file of a format.
pub(crate) fn file(name: &str, format: Format) -> File {
    let mut files = of(&deployment(name), Version::default(), &[format]).files;
    assert_eq!(files.len(), 1, "{format}");
    files.remove(0)
}
