//! What a server answers: the JSON of Prometheus' HTTP API, or something else, in words.

use std::collections::BTreeMap;

use crate::GatherError;

/// An answer over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// One series of an answer: its labels, and times in seconds with values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) values: Vec<(f64, f64)>,
}

/// Why a query has no series.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The query alone: it takes too much, or its series do not fit together.
    Query(String),
    /// The server, the credentials or what was asked for.
    All(GatherError),
}

#[derive(serde::Deserialize)]
struct Envelope {
    status: String,
    data: Option<Data>,
    error: Option<String>,
    #[serde(rename = "errorType")]
    kind: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Data {
    result: Vec<Item>,
}

#[derive(serde::Deserialize)]
struct Item {
    #[serde(default)]
    metric: BTreeMap<String, String>,
    values: Option<Vec<(f64, String)>>,
    value: Option<(f64, String)>,
}

/// Series and warnings.
pub(crate) type Read = (Vec<Found>, Vec<String>);

/// Reads the answer of `server`, as it may be shown.
pub(crate) fn read(server: &str, answer: &Answer) -> Result<Read, Fault> {
    match serde_json::from_str::<Envelope>(&answer.body) {
        Ok(envelope) if envelope.status == "success" => {
            // No series are an answer; no list of them is none, and would look like a cluster that is at rest.
            let found = envelope.data.and_then(|data| data.result.into_iter().map(Item::read).collect());
            found.map(|found| (found, envelope.warnings)).ok_or_else(|| Fault::All(no_api(server, answer)))
        }
        Ok(envelope) => Err(said(server, answer.status, &envelope)),
        Err(_) => Err(Fault::All(no_api(server, answer))),
    }
}

impl Item {
    /// Values that are not finite are left out: a gap. `None` where there are none, or one is no number.
    fn read(self) -> Option<Found> {
        let all = match (self.values, self.value) {
            (Some(values), None) => values,
            (None, Some(value)) => vec![value],
            _ => return None,
        };
        let numbers = all.into_iter().map(|(at, text)| Some((at, text.parse::<f64>().ok()?)));
        let numbers: Vec<(f64, f64)> = numbers.collect::<Option<_>>()?;
        let values = numbers.into_iter().filter(|(_, value)| value.is_finite()).collect();
        Some(Found { labels: self.metric, values })
    }
}

/// What the API said instead of series.
fn said(server: &str, status: u16, envelope: &Envelope) -> Fault {
    let error = excerpt(envelope.error.as_deref().unwrap_or("no reason given"));
    match (status, envelope.kind.as_deref()) {
        (401 | 403, _) => Fault::All(refused(server, status)),
        (_, Some("bad_data")) | (400, _) => {
            let text = format!("{server} does not take the query: {error}; check the selector and the range");
            Fault::All(GatherError::Asked(text))
        }
        (429, _) => Fault::All(GatherError::Server(format!("{server} has too much to do: {error}; try again later"))),
        _ => Fault::Query(error),
    }
}

fn refused(server: &str, status: u16) -> GatherError {
    GatherError::Refused(format!(
        "{server} refuses access ({status}): the token or password is missing, wrong or expired; give a fresh one"
    ))
}

/// An answer that is not of the API.
fn no_api(server: &str, answer: &Answer) -> GatherError {
    let begin = answer.body.trim_start();
    let page = begin.get(..1) == Some("<");
    match answer.status {
        401 | 403 | 407 => refused(server, answer.status),
        404 => GatherError::Server(format!(
            "{server} has no Prometheus API (404); give the address before `/api/v1`, with its path if it has one"
        )),
        502..=504 => GatherError::Server(format!(
            "{server} does not answer in time ({}); try again, with a shorter range or a longer step",
            answer.status
        )),
        _ if page => GatherError::Server(format!(
            "{server} answers with a web page, not with Prometheus' API; it may be a login page or a dashboard: give the \
             address of Prometheus itself, before `/api/v1`"
        )),
        status => GatherError::Server(format!(
            "{server} answers {status} with `{}`, expected the JSON of Prometheus' API; check the address",
            excerpt(begin)
        )),
    }
}

/// A short part of what a server said, on one line.
fn excerpt(text: &str) -> String {
    let line: String = text.chars().take(200).collect();
    line.trim().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fault(status: u16, body: &str) -> String {
        match read("http://p:9090", &Answer { status, body: body.to_owned() }).unwrap_err() {
            Fault::Query(text) => format!("query: {text}"),
            Fault::All(error) => error.to_string(),
        }
    }

    #[test]
    fn series_are_read_and_what_is_no_number_is_a_gap() {
        let body = r#"{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":"b"},
            "values":[[1.5,"2"],[2.5,"NaN"],[3.5,"+Inf"],[4.5,"-1e3"]]}]},"warnings":["partial"]}"#;
        let (found, warnings) = read("x", &Answer { status: 200, body: body.to_owned() }).unwrap();
        assert_eq!(found[0].values, [(1.5, 2.0), (4.5, -1000.0)]);
        assert_eq!((found[0].labels["a"].as_str(), &warnings[..]), ("b", &["partial".to_owned()][..]));
    }

    #[test]
    fn a_web_page_an_old_token_and_a_wrong_path_are_told_apart() {
        assert!(fault(200, "<!DOCTYPE html><html>Grafana").contains("answers with a web page"));
        for status in [401, 403] {
            assert!(fault(status, "<html>").contains("token or password is missing, wrong or expired"));
            let error = r#"{"status":"error","errorType":"x","error":"no"}"#;
            assert!(fault(status, error).contains("missing, wrong or expired"));
        }
        assert!(fault(404, "404 page not found").contains("before `/api/v1`"));
        assert!(fault(504, "<html>").contains("does not answer in time"));
        assert!(fault(200, "hello\nyou").contains("answers 200 with `hello\\nyou`"));
    }

    #[test]
    fn an_answer_without_its_series_is_no_cluster_at_rest() {
        for body in [
            r#"{"status":"success"}"#,
            r#"{"status":"success","data":{}}"#,
            r#"{"status":"success","data":{"result":{}}}"#,
            r#"{"status":"success","data":{"result":[{"metric":{}}]}}"#,
            r#"{"status":"success","data":{"result":[{"metric":{},"values":[[1,"many"]]}]}}"#,
            r#"{"status":"success","data":{"result":[{"metric":{},"values":[[1,2]]}]}}"#,
        ] {
            assert!(fault(200, body).contains("expected the JSON of Prometheus' API"), "{body}");
        }
        let none = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
        assert!(read("x", &Answer { status: 200, body: none.to_owned() }).unwrap().0.is_empty());
    }

    #[test]
    fn a_query_that_takes_too_much_is_no_fault_of_the_others() {
        let error =
            r#"{"status":"error","errorType":"execution","error":"query processing would load too many samples"}"#;
        assert!(fault(422, error).starts_with("query: query processing would load"));
        let error = r#"{"status":"error","errorType":"bad_data","error":"parse error: unexpected }"}"#;
        assert!(fault(400, error).contains("check the selector"));
    }

    proptest! {
        #[test]
        fn a_matrix_reads_back(values in proptest::collection::vec((0u32.., any::<f64>()), 0..20)) {
            let points: Vec<(f64, String)> =
                values.iter().map(|(at, value)| (f64::from(*at) / 8.0, value.to_string())).collect();
            let body = serde_json::json!({"status": "success", "data": {"resultType": "matrix", "result": [
                {"metric": {"instance": "a:1"}, "values": points}]}});
            let (found, _) = read("x", &Answer { status: 200, body: body.to_string() }).unwrap();
            let finite: Vec<(f64, f64)> = values
                .iter()
                .filter(|(_, value)| value.is_finite())
                .map(|(at, value)| (f64::from(*at) / 8.0, *value))
                .collect();
            prop_assert_eq!(&found[0].values, &finite);
        }

        #[test]
        fn any_answer_is_read_or_refused(status in 100u16..600, body in any::<String>()) {
            let _ = read("x", &Answer { status, body });
        }
    }
}
