//! Whatever deployment is valid, on whichever cloud: every file reads back as what it is.

use catalog::Catalog;
use deployment::{Deployment, EngineSettings, LockMode, NodeGroup, NodeRole};
use proptest::prelude::*;
use render::{FileFormat, RenderRequest, TikvVersion};
use serde_json::Value;
use units::{Bytes, BytesPerSec};
use workload::Engine;

/// A region of each cloud with an instance type and disks that it has.
const PLACES: [(&str, &str, &[&str]); 3] = [
    (
        "us-west-2",
        "m5d.4xlarge",
        &[
            "gp3:500GiB",
            "gp2:100GiB",
            "3x(gp3:100GiB,4000iops,200MiB/s)",
            "2x(io1:100GiB,2000iops)",
            "gp2:1000GiB+cache(nvme:200GiB)",
            "nvme:200GiB",
        ],
    ),
    ("us-central1", "n2-standard-16", &["pd-ssd:500GiB", "2x(pd-ssd:200GiB)", "pd-balanced:500GiB"]),
    ("eastus", "Standard_D16s_v5", &["premium-v2:500GiB,4000iops", "premium-v1-p30:1024GiB"]),
];

prop_compose! {
    fn deployments()(
        name in prop_oneof![any::<String>(), "[a-z \"'#:\n\u{1b}\u{7f}\u{85}\u{2028}\u{202e}\u{2066}]{0,30}"],
        (region, instance, disks) in prop::sample::select(PLACES.to_vec()),
        engine in prop::sample::select(vec![Engine::TiKv, Engine::InnoDb]),
        picks in prop::array::uniform3(any::<prop::sample::Index>()),
        counts in prop::array::uniform4(0..4u32),
        log in any::<bool>(),
        zones in 1..4u32,
        block_size in prop::option::of(1024u64..1 << 20),
        rate in prop::option::of(1e6..1e9f64),
        (follower_read, grpc_compression) in any::<(Option<bool>, Option<bool>)>(),
        locks in prop::option::of(prop::sample::select(vec![LockMode::Memory, LockMode::Pipelined, LockMode::Written])),
    ) -> Deployment {
        let disk = |i: usize| Some(picks[i].get(disks).parse().unwrap());
        let group = |role: NodeRole, count: u32, data, log| NodeGroup { role, count, instance: instance.to_owned(), data, log };
        let tikv = engine == Engine::TiKv;
        let mut nodes = vec![group(NodeRole::Storage, 3, disk(0), disk(1).filter(|_| log && tikv))];
        if tikv {
            let others = [(NodeRole::Sql, None), (NodeRole::Pd, None), (NodeRole::Tiflash, disk(2)), (NodeRole::Storage, disk(1))];
            for ((role, data), count) in others.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
                nodes.push(group(role, count, data, None));
            }
        }
        let settings = EngineSettings {
            block_size: block_size.map(Bytes).filter(|_| tikv),
            rate_limit: rate.map(BytesPerSec).filter(|_| tikv),
            follower_read: follower_read.filter(|_| tikv),
            grpc_compression: grpc_compression.filter(|_| tikv),
            locks: locks.filter(|_| tikv),
            ..EngineSettings::default()
        };
        Deployment { name, engine, region: region.to_owned(), as_of: None, zones, nodes, settings, asks: None }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_file_reads_back_as_what_it_is(deployment in deployments(), version in prop::sample::select(TikvVersion::ALL.to_vec())) {
        let view = Catalog::embedded().at(None);
        prop_assume!(deployment.validate(&view).is_ok());
        let request = RenderRequest { deployment: &deployment, view: &view, version, only: &[], timestamps: None };
        let rendered = render::render(&request).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut names = std::collections::BTreeSet::new();
        for file in &rendered.files {
            prop_assert!(names.insert(&file.name), "{} is written twice", file.name);
            prop_assert!(file.content.ends_with('\n') && !file.name.contains('/'));
            let wrong = |error: String| TestCaseError::fail(format!("{}: {error}\n{}", file.name, file.content));
            let hidden = file.content.find(|c| textfile::is_hidden(c) && !matches!(c, '\n' | '\t'));
            prop_assert!(hidden.is_none(), "{}: not all is as it reads: {:?}", file.name, file.content);
            match file.format {
                FileFormat::Tikv | FileFormat::Pd => {
                    toml::from_str::<toml::Table>(&file.content).map_err(|error| wrong(error.to_string()))?;
                }
                FileFormat::Tiup | FileFormat::Operator | FileFormat::OperatorV2 | FileFormat::Cloudformation | FileFormat::Prometheus => {
                    let documents: Vec<Value> =
                        serde_saphyr::from_multiple(&file.content).map_err(|error| wrong(error.to_string()))?;
                    prop_assert!(documents.iter().all(Value::is_object), "{}", file.content);
                }
                FileFormat::Terraform => {
                    hcl::from_str::<hcl::Body>(&file.content).map_err(|error| wrong(error.to_string()))?;
                }
                FileFormat::Ansible | FileFormat::Sql | FileFormat::MyCnf | FileFormat::Host => {
                    let mark = if file.format == FileFormat::Sql { "--" } else { "#" };
                    prop_assert!(file.content.starts_with(mark), "a name could end the first comment: {}", file.content);
                }
            }
        }
        for note in &rendered.notes {
            prop_assert!(!note.is_empty());
        }
    }
}

#[test]
fn every_disk_that_these_tests_draw_from_can_be_had_where_they_put_it() {
    let view = Catalog::embedded().at(None);
    for (region, instance, disks) in PLACES {
        for disk in disks {
            let text = format!(
                "engine = \"tikv\"\nregion = \"{region}\"\nzones = 3\n[[nodes]]\nrole = \"storage\"\ncount = 3\ninstance = \"{instance}\"\ndata = \"{disk}\"\n"
            );
            let deployment = Deployment::from_text(&textfile::Text::new("a.toml", text)).unwrap();
            assert_eq!(deployment.validate(&view), Ok(()), "{disk} in {region}");
        }
    }
}
