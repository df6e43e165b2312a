//! `/operators`: leader transfers under way, and by hand.

use std::time::Duration;

use proto::pdpb::OperatorStatus;

use super::reply::Reply;
use super::{Ask, format};
use crate::cluster::Cluster;
use crate::operators::Operator;

pub(super) fn answer(cluster: &mut Cluster, now: Duration, ask: &Ask) -> Reply {
    let parsed = |id: &str| {
        id.parse::<u64>().map_err(|_| Reply::text(400, &format!("strconv.ParseUint: parsing \"{id}\": invalid syntax")))
    };
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["operators"]) => {
            let kind = ask.query("kind");
            let wanted =
                |operator: &&Operator| kind.is_none_or(|kind| operator.kind.classes().split(',').any(|k| k == kind));
            let texts: Vec<_> = cluster.operators.running().values().filter(wanted).map(text).collect();
            Reply::json(200, &texts)
        }
        ("POST", ["operators"]) => post(cluster, now, ask),
        ("GET", ["operators", id]) => match parsed(id) {
            Ok(id) => match cluster.operators.of(id) {
                Some((operator, status)) => Reply::json(200, &format!("{}, status: {}", text(operator), name(status))),
                None => Reply::text(500, "operator not found"),
            },
            Err(reply) => reply,
        },
        ("DELETE", ["operators", id]) => match parsed(id) {
            Ok(id) if cluster.operators.cancel(id) => Reply::text(200, "The pending operator is canceled."),
            Ok(_) => Reply::text(500, "operator not found"),
            Err(reply) => reply,
        },
        _ => Reply::nowhere(),
    }
}

fn post(cluster: &mut Cluster, now: Duration, ask: &Ask) -> Reply {
    let input = match ask.object() {
        Ok(input) => input,
        Err(reply) => return reply,
    };
    let number = |key: &str| input.get(key).and_then(serde_json::Value::as_u64);
    match input.get("name").and_then(|name| name.as_str()) {
        None => Reply::text(400, "missing operator name"),
        Some("transfer-leader") => match (number("region_id"), number("to_store_id")) {
            (None, _) => Reply::text(400, "missing region id"),
            (_, None) => Reply::text(400, "missing store id to transfer leader to"),
            (Some(region), Some(store)) => match cluster.transfer_leader(region, store, now) {
                Ok(()) => Reply::text(200, "The operator is created."),
                Err(why) => Reply::text(500, &why),
            },
        },
        // Regions stay as they were cut, and where they were put.
        Some(_) => Reply::text(400, "unknown operator"),
    }
}

fn text(operator: &Operator) -> String {
    let (id, from, to) = (operator.region_id, operator.from, operator.to.store_id);
    let (name, classes, created) = (operator.kind.name(), operator.kind.classes(), format::instant(operator.created));
    format!(
        "{name} {{transfer leader: store {from} to {to}}} (kind:{classes}, region:{id}(1, 1), createAt:{created}, \
         steps:[transfer leader from store {from} to store {to}])"
    )
}

fn name(status: OperatorStatus) -> &'static str {
    match status {
        OperatorStatus::Success => "SUCCESS",
        OperatorStatus::Timeout => "TIMEOUT",
        OperatorStatus::Cancel => "CANCEL",
        OperatorStatus::Replace => "REPLACE",
        OperatorStatus::Running => "RUNNING",
    }
}
