//! Files of clusters: what is imported reads back as a deployment, and what is not is told on one line.

use catalog::Catalog;
use deployment::Deployment;
use import::{ImportOptions, import};
use textfile::Text;

/// Reads the bytes as a topology, a manifest or settings, with every hole filled.
pub(crate) fn imported(bytes: &[u8]) {
    let Ok(content) = std::str::from_utf8(bytes) else { return };
    let options = ImportOptions {
        region: Some("us-west-2".to_owned()),
        stores: Some(3),
        instances: [("*".to_owned(), "m5.2xlarge".to_owned())].into(),
        disks: ["*", "log"].map(|name| (name.to_owned(), "gp3:100GiB".parse().expect("a disk"))).into(),
        ..ImportOptions::default()
    };
    match import(&[Text::new("cluster", content)], &options, &Catalog::embedded().at(None)) {
        Ok(cluster) => {
            let deployment = cluster.deployment().expect("no hole is left");
            let back = Deployment::from_text(&Text::new("back", cluster.to_toml())).expect("what was written is read");
            assert_eq!(back.nodes, deployment.nodes);
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}
