//! What changes while the cluster runs, as SQL.

use crate::document::{Why, comment};
use crate::keys::SettingValue;
use crate::published::ADVICE;
use crate::settings::{Setting, Settings};
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

const FOLLOWER_READ: &str = "https://docs.pingcap.com/tidb/stable/best-practices-on-public-cloud";

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let mut out = super::head("--", site, "Settings by SQL");
    let about = "The same values as in the files, for a cluster that runs. Each statement is a request of its own, because \
                 TiKV applies one group of storage settings a request; look for warnings after each.";
    out += &comment("--", 0, about);
    let mut restart = Vec::new();
    let mut many = false;
    for group in site.storage() {
        let settings = advice::tikv(site, group, FileFormat::Sql.raft_dir())?;
        // With several groups a value holds for the nodes of one: they are named one by one.
        let targets = if site.storage().count() == 1 { vec!["tikv".to_owned()] } else { instances(site, group.index) };
        many |= targets.len() > 1;
        for setting in settings.iter() {
            if setting.key().is_online(site.version) {
                targets.iter().for_each(|target| config(&mut out, &settings, setting, target));
            } else if !restart.contains(&setting.name().to_owned()) {
                restart.push(setting.name().to_owned());
            }
        }
    }
    let pd = advice::pd(site)?;
    for setting in pd.iter() {
        if setting.key().is_online(site.version) {
            config(&mut out, &pd, setting, "pd");
        } else {
            restart.push(setting.name().to_owned());
        }
    }
    variables(&mut out, site);
    if many {
        out += &comment("--", 0, "Instances are named by host and status port.");
    }
    if !restart.is_empty() {
        let text =
            format!("Not here, for they need a restart: {}. They are in tikv.toml and pd.toml.", restart.join(", "));
        out += &format!("\n{}", comment("--", 0, &text));
    }
    Ok(RenderedFile::new(FileFormat::Sql, "settings.sql", out))
}

/// The stores of a group as SQL names them.
fn instances(site: &Site<'_>, index: usize) -> Vec<String> {
    let of_group = site.hosts.iter().filter(|host| host.group.is_some_and(|(of, _)| of == index));
    of_group.map(|host| format!("\"{}:20180\"", host.name)).collect()
}

fn config(out: &mut String, settings: &Settings, setting: &Setting, target: &str) {
    let value = match setting.value() {
        SettingValue::Bool(_) | SettingValue::Int(_) | SettingValue::Float(_) => setting.value().to_string(),
        // Lists are written with commas.
        SettingValue::Texts(values) => quoted(&values.join(",")),
        other => quoted(&other.to_string()),
    };
    *out += &format!("\n{}", setting.explained(settings.version()).comment("--", 0));
    *out += &format!("SET CONFIG {target} `{}` = {value};\nSHOW WARNINGS;\n", setting.name());
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

/// Variables of TiDB.
fn variables(out: &mut String, site: &Site<'_>) {
    let mut set = |name: &str, value: &str, why: &Why, asked: bool| {
        *out += &format!("\n{}", why.comment("--", 0));
        *out += &format!("{}SET GLOBAL {name} = {value};\n", if asked { "" } else { "-- " });
    };
    if site.deployment.settings.follower_read == Some(true) {
        let text = format!("Reads go to the copy in TiDB's own zone{}", site.transfer_text());
        set("tidb_replica_read", "'closest-adaptive'", &Why::new(text, FOLLOWER_READ), true);
    }
    let piece = &ADVICE.tso_batch_wait_ms;
    let asked = site.needs_tso_batches();
    let text = if asked {
        format!(
            "{} timestamps a second or more are asked of one PD: TiDB asks for them in batches",
            ADVICE.tso_requests.value
        )
    } else {
        format!(
            "For clusters that ask PD for {} timestamps a second or more: take the dashes away. A transaction waits up to {} ms longer",
            ADVICE.tso_requests.value, piece.value
        )
    };
    set("tidb_tso_client_batch_max_wait_time", &piece.value.to_string(), &Why::new(text, piece.link.clone()), asked);
}

#[cfg(test)]
mod tests {
    use catalog::Catalog;

    use crate::testing::{deployment, file};
    use crate::{FileFormat, RenderRequest, SettingsTable, TikvVersion, render};

    #[test]
    fn the_settings_of_an_example() {
        insta::assert_snapshot!(file("htap.toml", FileFormat::Sql).content);
    }

    #[test]
    fn only_what_changes_without_a_restart_is_set() {
        let text = file("raft-dedicated.toml", FileFormat::Sql).content;
        let keys = |prefix: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix(prefix)?.split('`').nth(1)).map(str::to_owned);
            lines.collect::<Vec<_>>()
        };
        let set = keys("SET CONFIG tikv ");
        assert!(!set.is_empty());
        for key in set {
            assert!(SettingsTable::tikv().key(TikvVersion::V8_5, &key).unwrap().is_online(TikvVersion::V8_5), "{key}");
        }
        assert!(text.contains("raft-engine.dir") && !text.contains("`raft-engine.dir`"), "told, not set");
    }

    #[test]
    fn timestamps_come_in_batches_where_the_workload_takes_many() {
        let deployment = deployment("raft-dedicated.toml");
        let view = Catalog::embedded().at(None);
        let text = |timestamps| {
            let only = &[FileFormat::Sql];
            let request =
                RenderRequest { deployment: &deployment, view: &view, version: TikvVersion::V8_5, only, timestamps };
            render(&request).unwrap().files[0].content.clone()
        };
        let line = "SET GLOBAL tidb_tso_client_batch_max_wait_time = 2;";
        assert!(text(Some(1e3)).lines().any(|l| l == format!("-- {line}")));
        assert!(text(Some(1e6)).lines().any(|l| l == line));
    }
}
