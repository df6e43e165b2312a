//! TiDB-Ansible's `inventory.ini`, as its archived roles read it.

use deployment::Role;

use crate::advice::{DATA_DIR, RAFT_DIR};
use crate::document::comment;
use crate::site::Site;
use crate::{File, Format};

pub(super) fn file(site: &Site<'_>) -> File {
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
    section(&mut out, "pd_servers", names(Role::Pd));
    out += "\n[pd_servers:vars]\n";
    out += &comment("#", 0, "Copies of a range go to different zones first, then to different hosts.");
    out += "location_labels = [\"zone\", \"host\"]\n";
    section(&mut out, "tidb_servers", names(Role::Sql));
    let store = |host: &crate::hosts::Host<'_>| {
        let labels = format!("labels=\"zone={},host={}\"", site.zone(host), host.name);
        let log = site.group(host).and_then(|group| group.log.as_ref());
        let raft = log.map(|_| format!(" raftdb_path={RAFT_DIR}/raft")).unwrap_or_default();
        format!("{} deploy_dir={DATA_DIR}/deploy {labels}{raft}", host.name)
    };
    section(&mut out, "tikv_servers", site.of(Role::Storage).map(store).collect());
    section(&mut out, "all:vars", vec![format!("cluster_name = {}", site.cluster()), "ansible_user = tidb".to_owned()]);
    File::new(Format::Ansible, "inventory.ini", out)
}

#[cfg(test)]
mod tests {
    use crate::Format;
    use crate::testing::file;

    #[test]
    fn the_inventory_of_an_example() {
        insta::assert_snapshot!(file("raft-dedicated.toml", Format::Ansible).content);
    }

    #[test]
    fn only_a_log_on_its_own_disk_has_a_path_of_its_own() {
        assert!(file("raft-dedicated.toml", Format::Ansible).content.contains("raftdb_path="));
        assert!(!file("raft-shared.toml", Format::Ansible).content.contains("raftdb_path="));
    }
}
