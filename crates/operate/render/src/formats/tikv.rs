//! `tikv.toml`: one for each kind of storage node.

use crate::document::comment;
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

pub(super) fn files(site: &Site<'_>) -> Result<Vec<RenderedFile>, RenderError> {
    let mut files = Vec::new();
    for group in site.storage() {
        let settings = advice::tikv(site, group, FileFormat::Tikv.raft_dir())?;
        let labels =
            "Each node names its zone and host besides: server.labels = { zone = \"…\", host = \"…\" }, or --labels.";
        let head = super::head("#", site, "TiKV's settings") + &comment("#", 0, labels);
        let content = format!("{head}\n{}", settings.map().to_toml());
        files.push(RenderedFile::new(FileFormat::Tikv, format!("{}.toml", site.group_name(group)), content));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::testing::{deployment, file, of};
    use crate::{FileFormat, SettingsTable, TikvVersion};

    /// Every key of a table, with dots.
    fn keys(table: &toml::Table, prefix: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (name, value) in table {
            let key = format!("{prefix}{name}");
            match value.as_table().filter(|_| key != "server.labels") {
                Some(inner) => found.extend(keys(inner, &format!("{key}."))),
                None => found.push(key),
            }
        }
        found
    }

    #[test]
    fn the_settings_of_an_example() {
        insta::assert_snapshot!(file("raft-dedicated.toml", FileFormat::Tikv).content);
        insta::assert_snapshot!(file("htap.toml", FileFormat::Tikv).content);
    }

    #[test]
    fn older_lines_have_their_own_keys_defaults_and_traps() {
        for version in [TikvVersion::V7_5, TikvVersion::V8_1] {
            let rendered =
                of(&deployment("raft-dedicated.toml"), version, &[FileFormat::Tikv, FileFormat::Pd, FileFormat::Sql]);
            let files: Vec<String> =
                rendered.files.iter().map(|file| format!("=== {}\n{}", file.name, file.content)).collect();
            insta::assert_snapshot!(version.line().as_str(), files.join("\n"));
        }
    }

    #[test]
    fn every_value_says_why() {
        for name in ["raft-dedicated.toml", "htap.toml"] {
            let text = file(name, FileFormat::Tikv).content;
            let mut settings = 0;
            // A source may take several lines.
            for block in text.split("\n# See ").collect::<Vec<_>>().windows(2) {
                settings += 1;
                assert_eq!(
                    block[1].lines().filter(|line| line.contains(" = ") && !line.starts_with('#')).count(),
                    1,
                    "{name}"
                );
                assert!(block[0].lines().last().is_some_and(|line| line.starts_with("# ")), "{name}");
            }
            assert!(settings > 3, "{name}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_valid_deployment_makes_toml_whose_keys_the_version_has(
            disk in prop::sample::select(vec![
                "gp3:1000GiB,6000iops,250MiB/s", "2x(gp2:1000GiB)", "io1:100GiB,2000iops", "gp2:400GiB", "unlimited:100GiB",
            ]),
            log in prop::sample::select(vec![None, Some("gp3:20GiB"), Some("2x(gp3:20GiB)")]),
            version in prop::sample::select(TikvVersion::ALL.to_vec()),
            block_size in prop::option::of(1024u64..=32 << 20),
            block_cache in prop::option::of(1u64..=32 << 30),
            separation in prop::option::of(any::<u64>()),
            rate in prop::option::of(1.0..1e12f64),
            compression in prop::sample::select(vec!["none", "default", "zstd"]),
            (follower, grpc) in any::<(Option<bool>, Option<bool>)>(),
        ) {
            let mut deployment = deployment("raft-shared.toml");
            deployment.nodes[0].data = Some(disk.parse().unwrap());
            deployment.nodes[0].log = log.map(|log| log.parse().unwrap());
            let settings = &mut deployment.settings;
            settings.block_size = block_size.map(units::Bytes);
            settings.block_cache = block_cache.map(units::Bytes);
            settings.value_separation = separation.map(units::Bytes);
            settings.rate_limit = rate.map(units::BytesPerSec);
            settings.compression = toml::Value::from(compression).try_into().ok();
            (settings.follower_read, settings.grpc_compression) = (follower, grpc);
            prop_assume!(deployment.validate(&crate::testing::view(&deployment)).is_ok());
            let rendered = of(&deployment, version, &[FileFormat::Tikv]);
            let read: toml::Table = toml::from_str(&rendered.files[0].content).unwrap();
            for key in keys(&read, "") {
                prop_assert!(SettingsTable::tikv().key(version, &key).is_ok(), "{key} in {version}");
            }
        }
    }
}
