//! What no file says is a hole with the option that fills it.

use catalog::Catalog;
use deployment::Deployment;
use import::{ImportOptions, import};
use textfile::Text;

const TOPOLOGY: &str = "\
server_configs:
  pd:
    replication.max-replicas: 3
pd_servers:
  - host: 10.0.0.1
  - host: 10.0.0.2
  - host: 10.0.0.3
tidb_servers:
  - host: 10.0.0.4
tikv_servers:
  - host: 10.0.0.5
    config: { server.labels: { zone: a, host: h5 }, raft-engine.dir: /raft/engine }
  - host: 10.0.0.6
    config: { server.labels: { zone: b, host: h6 }, raft-engine.dir: /raft/engine }
  - host: 10.0.0.7
    config: { server.labels: { zone: c, host: h7 }, raft-engine.dir: /raft/engine }
";

#[test]
fn options_fill_every_hole_and_what_comes_out_is_a_deployment() {
    let text = [Text::new("topology.yaml", TOPOLOGY)];
    let view = Catalog::embedded().at(None);
    let open = import(&text, &ImportOptions::default(), &view).unwrap();
    let holes: Vec<(&str, &str)> = open.holes.iter().map(|hole| (hole.key.as_str(), hole.option.as_str())).collect();
    assert_eq!(
        holes,
        [
            ("region", "--region us-west-2"),
            ("nodes.0.instance", "--instance tikv=m5.2xlarge"),
            ("nodes.0.data", "--disk data=gp3:1000GiB"),
            ("nodes.0.log", "--disk log=gp3:20GiB"),
            ("nodes.1.instance", "--instance tidb=m5.2xlarge"),
            ("nodes.2.instance", "--instance pd=m5.2xlarge"),
        ]
    );
    assert_eq!((open.deployment(), open.zones), (None, 3));
    assert!(open.to_toml().contains("# instance = …  # the instance type: --instance tikv=m5.2xlarge"));

    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let options = ImportOptions {
        region: Some("us-west-2".to_owned()),
        instances: [pair("tikv", "m5.4xlarge"), pair("*", "m5.large")].into(),
        disks: [("data", "gp3:1000GiB"), ("log", "gp3:20GiB")]
            .map(|(name, disk)| (name.to_owned(), disk.parse().unwrap()))
            .into(),
        ..ImportOptions::default()
    };
    let filled = import(&text, &options, &view).unwrap();
    let deployment = filled.deployment().unwrap();
    deployment.validate(&view).unwrap();
    assert_eq!((deployment.zones, deployment.settings.replicas), (3, Some(3)));
    let back = Deployment::from_text(&Text::new("back", filled.to_toml())).unwrap();
    assert_eq!(back, deployment);
}

#[test]
fn an_option_that_names_nothing_is_refused() {
    let text = [Text::new("topology.yaml", TOPOLOGY)];
    let view = Catalog::embedded().at(None);
    let refused = |options: ImportOptions| import(&text, &options, &view).unwrap_err().to_string();
    let instance = |name: &str, kind: &str| ImportOptions {
        instances: [(name.to_owned(), kind.to_owned())].into(),
        ..ImportOptions::default()
    };
    assert!(refused(instance("tikf", "m5.large")).contains("did you mean `tikv`"));
    assert!(refused(instance("tikv", "m5.lrge")).contains("m5.lrge"));
    assert!(
        refused(ImportOptions { region: Some("moon-1".to_owned()), ..ImportOptions::default() }).contains("moon-1")
    );
    let disk =
        ImportOptions { disks: [("cache".to_owned(), "gp3:1GiB".parse().unwrap())].into(), ..ImportOptions::default() };
    assert!(refused(disk).contains("expected data, log or tiflash"));
}
