use std::fmt::Write;

use proto::metapb::{self, Peer, StoreLabel};
use proto::pdpb::{RegionHeartbeatRequest, StoreStats};

use super::*;
use crate::cluster::Layout;
use crate::cut;
use crate::record::Record;

const STARTED: u64 = 1_795_232_397;

/// The member and the cluster of the transcript of a real PD: three stores, 30 regions, leaders 10/10/10.
struct Desk {
    cluster: Cluster,
    about: About,
    now: Duration,
}

impl Desk {
    fn empty() -> Self {
        let layout = Layout { stores: 3, replicas: 3, split_keys: cut::evenly(30).unwrap() };
        let about = About {
            name: "pd1".to_owned(),
            addr: "127.0.0.1:12379".parse().unwrap(),
            started: Duration::from_secs(1_795_232_322),
            data_dir: "/data/pd".to_owned(),
        };
        let record = Record { member_id: 7, ..Record::new(STARTED, 5) };
        Self { cluster: Cluster::new(record, layout), about, now: Duration::new(STARTED + 46, 378_979_452) }
    }

    fn of_three() -> Self {
        let mut desk = Self::empty();
        for i in 1..=3 {
            let label = |key: &str, value| StoreLabel { key: key.to_owned(), value };
            let id = desk.cluster.alloc_id();
            let store = metapb::Store {
                id,
                address: format!("127.0.0.1:2{i}160"),
                status_address: format!("127.0.0.1:2{i}180"),
                version: "8.5.6".to_owned(),
                labels: vec![label("zone", format!("z{i}")), label("host", format!("h{i}"))],
                start_timestamp: STARTED as i64,
                ..Default::default()
            };
            desk.cluster.put_store(store, desk.now).unwrap();
        }
        for store_id in 1..=3 {
            let (capacity, available, used_size) = (1 << 40, 1 << 39, 1 << 38);
            let start_time = STARTED as u32;
            let stats = StoreStats { store_id, capacity, available, used_size, start_time, ..Default::default() };
            desk.cluster.hear_store(stats, desk.now).unwrap();
        }
        let metas: Vec<_> = desk.cluster.regions.all().iter().map(|region| region.meta.clone()).collect();
        metas.into_iter().for_each(|meta| {
            let leader = meta.peers[0];
            desk.lead(meta, leader, 5);
        });
        desk
    }

    fn lead(&mut self, meta: metapb::Region, leader: Peer, term: u64) {
        let said = RegionHeartbeatRequest { region: Some(meta), leader: Some(leader), term, ..Default::default() };
        self.cluster.hear_region(said, self.now).unwrap();
    }

    /// As a healthy cluster would: what is ordered happens before the next round.
    fn run(&mut self, rounds: usize) {
        for _ in 0..rounds {
            self.now += Duration::from_millis(100);
            for (_, order) in self.cluster.tick(self.now) {
                let region = self.cluster.regions.by_id(order.region_id).unwrap().clone();
                self.lead(region.meta, order.transfer_leader.unwrap().peer.unwrap(), region.term + 1);
            }
        }
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> Reply {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let pair = |pair: &str| pair.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
        let path = path.trim_start_matches('/').split('/').collect();
        let query = query.split('&').filter_map(pair).collect();
        answer(&mut self.cluster, &self.about, self.now, &Ask { method, path, query, body: body.as_bytes() })
    }

    fn ask_v2(&mut self, method: &str, path: &str, body: &str) -> (u16, serde_json::Value) {
        let ask = Ask { method, path: path.split('/').collect(), query: Vec::new(), body: body.as_bytes() };
        let reply = maintenance::answer(&mut self.cluster, self.now, &ask);
        (reply.status, serde_json::from_str(&reply.body).unwrap())
    }

    /// A conversation, as the transcript of a real PD is written.
    fn transcript(&mut self, asked: &[&str]) -> String {
        let mut text = String::new();
        for ask in asked {
            let mut words = ask.splitn(3, ' ');
            let mut word = || words.next().unwrap_or_default();
            let reply = self.ask(word(), word(), word());
            write!(text, "$ {ask}\n{} {}\n{}\n", reply.status, reply.kind, reply.body).unwrap();
        }
        text
    }
}

#[test]
fn schedulers_answer_as_a_real_pd() {
    let asked = [
        "GET /schedulers",
        r#"POST /schedulers {"name":"evict-leader-scheduler","store_id":1}"#,
        r#"POST /schedulers {"name":"evict-leader-scheduler","store_id":1}"#,
        "GET /schedulers",
        "GET /scheduler-config/evict-leader-scheduler/list",
        r#"POST /schedulers {"name":"evict-leader-scheduler","store_id":99}"#,
        r#"POST /schedulers {"name":"evict-leader-scheduler","store_id":"1"}"#,
        r#"POST /schedulers {"name":"evict-leader-scheduler","store_id":2}"#,
        "GET /scheduler-config/evict-leader-scheduler/list",
        "DELETE /schedulers/evict-leader-scheduler-1",
        "DELETE /schedulers/evict-leader-scheduler-1",
        "DELETE /schedulers/evict-leader-scheduler-2",
        "DELETE /schedulers/evict-leader-scheduler",
        "GET /scheduler-config/evict-leader-scheduler/list",
        r#"POST /schedulers {"store_id":1}"#,
        r#"POST /schedulers {"name":"evict-leader","store_id":1}"#,
    ];
    insta::assert_snapshot!(Desk::of_three().transcript(&asked));
}

#[test]
fn a_store_without_leaders_is_printed_as_a_real_pd_does() {
    let mut desk = Desk::of_three();
    desk.ask("POST", "schedulers", r#"{"name":"evict-leader-scheduler","store_id":1}"#);
    desk.run(30);
    desk.ask("DELETE", "schedulers/evict-leader-scheduler-1", "");
    desk.cluster.hear_store(StoreStats { store_id: 1, ..desk.cluster.live(1).stats.unwrap() }, desk.now).unwrap();
    insta::assert_snapshot!(desk.transcript(&["GET /store/1", "GET /store/99", "GET /store/x"]));
}

#[test]
fn members_regions_and_settings_answer_as_a_real_pd() {
    let asked = [
        "GET /regions/check/miss-peer",
        "GET /regions/check/pending-peer",
        "GET /regions/check/down-peer",
        "GET /regions/count",
        "GET /regions/key?limit=1",
        "GET /region/id/99999",
        "GET /stats/region",
        r#"POST /config {"leader-schedule-limit":64}"#,
        r#"POST /config {"schedule.leader-schedule-limit":4}"#,
        r#"POST /config {"no-such-key":1}"#,
        r#"POST /config {"pd-server.tso-update-physical-interval":"10ms"}"#,
        "POST /leader/resign",
        "GET /leader",
        "GET /members",
        "GET /health",
        "GET /cluster",
        "GET /cluster/status",
        "GET /status",
        "POST /leader/transfer/nobody",
        "GET /config/replicate",
        "GET /nothing",
    ];
    insta::assert_snapshot!(Desk::of_three().transcript(&asked));
}

#[test]
fn until_all_stores_joined_it_says_that_nothing_is_there() {
    insta::assert_snapshot!(Desk::empty().transcript(&["GET /stores", "GET /regions/count", "GET /ping"]), @r#"
    $ GET /stores
    500 application/json; charset=UTF-8
    "[PD:cluster:ErrNotBootstrapped]TiKV cluster not bootstrapped, please start TiKV first"

    $ GET /regions/count
    500 application/json; charset=UTF-8
    "[PD:cluster:ErrNotBootstrapped]TiKV cluster not bootstrapped, please start TiKV first"

    $ GET /ping
    200 text/plain; charset=utf-8
    "#);
}

#[test]
fn all_leaders_leave_an_evicted_store_and_come_back_as_far_as_balance_brings_them() {
    let mut desk = Desk::of_three();
    let counts = |desk: &Desk| [1, 2, 3].map(|store| desk.cluster.leader_count(store));
    assert_eq!(counts(&desk), [10, 10, 10]);
    desk.ask("POST", "schedulers", r#"{"name":"evict-leader-scheduler","store_id":1}"#);
    desk.run(1);
    assert_eq!(counts(&desk)[0], 7, "three a round");
    desk.run(9);
    assert_eq!(counts(&desk), [0, 15, 15]);
    desk.ask("DELETE", "schedulers/evict-leader-scheduler-1", "");
    desk.run(20);
    assert_eq!(counts(&desk), [4, 13, 13], "stores may differ by ten");
    desk.ask("POST", "config", r#"{"tolerant-size-ratio":0.5}"#);
    desk.run(20);
    assert_eq!(counts(&desk), [10, 10, 10]);
}

#[test]
fn a_busy_store_loses_its_leaders() {
    let mut desk = Desk::of_three();
    let stats = StoreStats { is_busy: true, slow_score: 100, ..desk.cluster.live(2).stats.unwrap() };
    desk.cluster.hear_store(stats, desk.now).unwrap();
    desk.run(10);
    assert_eq!(desk.cluster.leader_count(2), 0);
    let reply = desk.ask("GET", "store/2", "");
    assert!(reply.body.contains("\"is_busy\": true"), "{}", reply.body);
}

#[test]
fn a_leader_is_transferred_by_hand_and_the_operator_is_shown_meanwhile() {
    let mut desk = Desk::of_three();
    let region = desk.cluster.regions.all()[0].meta.id;
    let body = format!(r#"{{"name":"transfer-leader","region_id":{region},"to_store_id":2}}"#);
    assert_eq!(desk.ask("POST", "operators", &body).body, "\"The operator is created.\"\n");
    let listed = desk.ask("GET", "operators?kind=admin", "").body;
    assert!(listed.contains("admin-transfer-leader"), "{listed}");
    desk.run(1);
    assert_eq!(desk.cluster.regions.by_id(region).unwrap().leads(), Some(2));
    desk.now += Duration::from_millis(100);
    desk.cluster.tick(desk.now);
    assert!(desk.ask("GET", &format!("operators/{region}"), "").body.contains("SUCCESS"));
    let body = format!(r#"{{"name":"transfer-leader","region_id":{region},"to_store_id":9}}"#);
    assert_eq!(desk.ask("POST", "operators", &body).status, 500);
}

#[test]
fn silent_stores_are_found_by_state() {
    let mut desk = Desk::of_three();
    desk.now += Duration::from_secs(30);
    let count = |desk: &mut Desk, path| desk.ask("GET", path, "").body.lines().nth(1).map(str::to_owned);
    assert_eq!(count(&mut desk, "stores/check?state=up"), Some("  \"count\": 0,".to_owned()));
    assert_eq!(count(&mut desk, "stores/check?state=disconnected"), Some("  \"count\": 3,".to_owned()));
    assert_eq!(count(&mut desk, "stores?state=2"), Some("  \"count\": 0,".to_owned()));
    assert_eq!(desk.ask("GET", "stores/check?state=asleep", "").body, "\"unknown StoreState: asleep\"\n");
}

#[test]
fn halted_and_paused_scheduling_moves_nothing() {
    for (path, body) in [
        ("config", r#"{"halt-scheduling":true}"#),
        ("config", r#"{"leader-schedule-limit":0}"#),
        ("schedulers/evict-leader-scheduler", r#"{"delay":3600}"#),
    ] {
        let mut desk = Desk::of_three();
        desk.ask("POST", "schedulers", r#"{"name":"evict-leader-scheduler","store_id":1}"#);
        assert_eq!(desk.ask("POST", path, body).status, 200, "{body}");
        desk.run(20);
        assert_eq!(desk.cluster.leader_count(1), 10, "{body}");
    }
}

#[test]
fn one_maintenance_task_holds_the_lock_whatever_its_type_until_it_gives_it_back() {
    let mut desk = Desk::empty();
    assert_eq!(desk.ask_v2("GET", "maintenance", "").0, 404);
    assert_eq!(desk.ask_v2("PUT", "maintenance/restart/a", "store 1").0, 200);
    for other in ["maintenance/restart/b", "maintenance/upgrade/a", "maintenance/restart/a"] {
        let (status, said) = desk.ask_v2("PUT", other, "");
        assert_eq!((status, &said["existing_task"]["id"]), (409, &"a".into()), "{other}: {said}");
    }
    let (_, task) = desk.ask_v2("GET", "maintenance/restart", "");
    assert_eq!((&task["type"], &task["description"]), (&"restart".into(), &"store 1".into()), "{task}");
    assert_eq!(task["start_timestamp"], STARTED + 46);
    assert_eq!(desk.ask_v2("GET", "maintenance", "").1[0], task);
    assert_eq!(desk.ask_v2("GET", "maintenance/upgrade", "").0, 404);
    assert_eq!(desk.ask_v2("DELETE", "maintenance/restart/b", "").0, 409);
    assert_eq!(desk.ask_v2("DELETE", "maintenance/upgrade/a", "").0, 404);
    assert_eq!(desk.ask_v2("DELETE", "maintenance/restart/a", "").0, 200);
    assert_eq!(desk.ask_v2("DELETE", "maintenance/restart/a", "").0, 404);
    assert_eq!(desk.ask_v2("PUT", "maintenance/upgrade/b", "").0, 200);
}

#[test]
fn the_configuration_tells_what_each_scheduler_keeps() {
    let mut desk = Desk::of_three();
    let payload = |desk: &mut Desk| {
        let config: serde_json::Value = serde_json::from_str(&desk.ask("GET", "config", "").body).unwrap();
        config["schedule"]["schedulers-payload"].clone()
    };
    let quiet = payload(&mut desk);
    assert_eq!(quiet["evict-slow-store-scheduler"]["evict-stores"], serde_json::json!([]));
    assert!(quiet.get("evict-leader-scheduler").is_none(), "{quiet}");
    let stats = StoreStats { is_busy: true, slow_score: 100, ..desk.cluster.live(2).stats.unwrap() };
    desk.cluster.hear_store(stats, desk.now).unwrap();
    desk.run(1);
    desk.ask("POST", "schedulers", r#"{"name":"evict-leader-scheduler","store_id":1}"#);
    let busy = payload(&mut desk);
    assert_eq!(busy["evict-slow-store-scheduler"]["evict-stores"], serde_json::json!([2]));
    assert!(busy["evict-leader-scheduler"]["store-id-ranges"]["1"].is_array(), "{busy}");
}
