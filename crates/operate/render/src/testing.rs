//! The examples, as tests read them.

use catalog::{Catalog, CatalogView};
use deployment::Deployment;

use crate::{FileFormat, RenderRequest, RenderResult, RenderedFile, TikvVersion, render};

/// A deployment of `examples/`.
pub(crate) fn deployment(name: &str) -> Deployment {
    let path = std::path::Path::new("../../../examples").join(name);
    Deployment::read(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The facts of a deployment's day.
pub(crate) fn view(deployment: &Deployment) -> CatalogView {
    Catalog::embedded().at(deployment.as_of)
}

/// What a deployment is rendered to.
pub(crate) fn of(deployment: &Deployment, version: TikvVersion, only: &[FileFormat]) -> RenderResult {
    let view = view(deployment);
    render(&RenderRequest { deployment, view: &view, version, only, timestamps: None })
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The one file of a format.
pub(crate) fn file(name: &str, format: FileFormat) -> RenderedFile {
    let mut files = of(&deployment(name), TikvVersion::default(), &[format]).files;
    assert_eq!(files.len(), 1, "{format}");
    files.remove(0)
}
