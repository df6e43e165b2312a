use textfile::Text;

use super::*;

fn deployment(storage: u32, more: &str) -> Deployment {
    let text = format!(
        "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 3\n\
         [[nodes]]\nrole = \"storage\"\ncount = {storage}\ninstance = \"m5.2xlarge\"\ndata = \"2x(gp3:100GiB)\"\n{more}"
    );
    Deployment::from_text(&Text::new("d.toml", text)).unwrap()
}

#[test]
fn a_deployment_without_enough_nodes_is_refused_with_what_to_change() {
    let cases = [(0, 3, "no storage node"), (1, 3, "[settings] to 1"), (2, 3, "from 1 to 2"), (17, 3, "at most 16")];
    for (nodes, replicas, says) in cases {
        let error = check(&deployment(nodes, &format!("[settings]\nreplicas = {replicas}\n"))).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(ClusterError::from(error).exit_code(), 2);
    }
    assert_eq!(check(&deployment(3, "")).unwrap(), 3);
}

#[test]
fn a_deployment_of_another_engine_is_refused() {
    let other = Deployment { engine: Engine::InnoDb, ..deployment(3, "") };
    assert!(check(&other).unwrap_err().to_string().contains("engine = \"tikv\""));
}

#[test]
fn the_log_lies_where_its_disk_is_and_stripes_count_whole() {
    let shared = MountRequest::of_deployment("/lab/n1", &deployment(3, ""), 1).unwrap();
    let shared = place(&shared, None);
    assert_eq!((shared.raft_dir, shared.raft_disk), (None, Bytes::gib(200)));
    let own = MountRequest::of_deployment("/lab/n1", &deployment(3, "log = \"gp3:20GiB\"\n"), 1).unwrap();
    let own = place(&own, None);
    assert_eq!(own.raft_dir.unwrap(), std::path::Path::new("/lab/n1/raft/raft-engine"));
    assert_eq!((own.data_disk, own.raft_disk), (Bytes::gib(200), Bytes::gib(20)));
}
