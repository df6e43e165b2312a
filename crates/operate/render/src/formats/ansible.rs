//! TiDB-Ansible's `inventory.ini`, as its archived roles read it.

use deployment::NodeRole;

use super::tiup::LABELS;
use crate::advice::{DATA_DIR, RAFT_DIR};
use crate::document::{Why, comment};
use crate::site::Site;
use crate::{FileFormat, RenderedFile};

/// A reason before the lines that it is of.
fn why(text: impl Into<String>, link: &str) -> String {
    Why::new(text, link).comment("#", 0)
}

pub(super) fn file(site: &Site<'_>) -> RenderedFile {
    let mut out = super::head("#", site, "TiDB-Ansible's inventory");
    out += &comment(
        "#",
        0,
        "TiDB-Ansible is archived since 2021: for clusters that it manages already, not for new ones. The keys of tikv.toml go to conf/tikv.yml.",
    );
    let section = |out: &mut String, name: &str, lines: Vec<String>| {
        *out += &format!("\n[{name}]\n");
        lines.iter().for_each(|line| *out += &format!("{line}\n"));
    };
    let names = |role| site.of(role).map(|host| host.name.clone()).collect();
    section(&mut out, "pd_servers", names(NodeRole::Pd));
    out += "\n[pd_servers:vars]\n";
    out += &why(
        "Copies of a range go to different zones first, then to different hosts. Each TiKV names both in its labels",
        LABELS,
    );
    out += "location_labels = [\"zone\", \"host\"]\n";
    section(&mut out, "tidb_servers", names(NodeRole::Sql));
    let store = |host: &crate::hosts::Host<'_>| {
        let labels = format!("labels=\"zone={},host={}\"", site.zone(host), host.name);
        let log = site.group(host).and_then(|group| group.log.as_ref());
        let raft = log.map(|_| format!(" raftdb_path={RAFT_DIR}/raft")).unwrap_or_default();
        format!("{} deploy_dir={DATA_DIR}/deploy {labels}{raft}", host.name)
    };
    out += "\n[tikv_servers]\n";
    for group in site.storage() {
        out += &why(format!("deploy_dir is on the data disk, {}", group.data_text()), group.volume_source());
        if let Some((_, log)) = &group.log {
            let text = format!(
                "raftdb_path is on a disk of its own, {log}: syncs of the raft log do not wait behind compactions"
            );
            out += &why(text, "https://docs.pingcap.com/tidb/stable/best-practices-on-public-cloud");
        }
    }
    site.of(NodeRole::Storage).for_each(|host| out += &format!("{}\n", store(host)));
    out += "\n[all:vars]\n";
    out += &comment(
        "#",
        0,
        "Who runs the programs and owns their folders: the script that makes the disks ready makes them this user's.",
    );
    out += &format!("cluster_name = {}\nansible_user = tidb\n", site.cluster());
    RenderedFile::new(FileFormat::Ansible, "inventory.ini", out)
}

#[cfg(test)]
mod tests {
    use crate::FileFormat;
    use crate::testing::file;

    #[test]
    fn the_inventory_of_an_example() {
        insta::assert_snapshot!(file("raft-dedicated.toml", FileFormat::Ansible).content);
    }

    #[test]
    fn only_a_log_on_its_own_disk_has_a_path_of_its_own() {
        assert!(file("raft-dedicated.toml", FileFormat::Ansible).content.contains("raftdb_path="));
        assert!(!file("raft-shared.toml", FileFormat::Ansible).content.contains("raftdb_path="));
    }
}
