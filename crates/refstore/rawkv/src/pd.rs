//! What the placement driver is asked: where regions and stores are.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use proto::metapb::{Peer, Region, Store};
use proto::pdpb::pd_client::PdClient;
use proto::pdpb::{self, GetAllStoresRequest, GetMembersRequest, RequestHeader, ResponseHeader, ScanRegionsRequest};
use tonic::transport::Channel;
use tonic::{Response, Status};

use crate::ClientError;
use crate::connection::{chain, connect};

/// How long the driver may take to answer.
const ANSWER: Duration = Duration::from_secs(3);
/// Regions in one answer.
const PAGE: i32 = 1024;
/// The most of an answer that is read: a page has some hundred kilobytes, more where keys are long.
const MOST_BYTES: usize = 64 << 20;

/// A region, and its leader if the driver knows it.
pub(crate) type Found = (Region, Option<Peer>);

/// The placement drivers of a cluster.
pub(crate) struct Pd {
    given: Vec<String>,
    /// The leader, and the cluster's number.
    leader: Option<(PdClient<Channel>, u64)>,
}

impl Pd {
    /// Takes addresses apart, as [`addresses`] does.
    pub(crate) fn new(text: &str) -> Result<Self, ClientError> {
        Ok(Self { given: addresses(text)?, leader: None })
    }

    /// All stores that are not gone for good.
    pub(crate) async fn stores(&mut self) -> Result<Vec<Store>, String> {
        let (mut client, header) = self.leader().await?;
        let request = GetAllStoresRequest { header, exclude_tombstone_stores: true };
        let answer = ask(client.get_all_stores(request), |answer| answer.header.as_ref()).await;
        Ok(self.noted(answer)?.stores)
    }

    /// Regions in the order of their keys from that of `from` on: all of them, or one page.
    pub(crate) async fn regions(&mut self, mut from: Bytes, all: bool) -> Result<Vec<Found>, String> {
        let mut found = Vec::new();
        loop {
            let (client, header) = self.leader().await?;
            let limit = if all { PAGE } else { 1 };
            let request = ScanRegionsRequest { header, start_key: from.clone(), limit, end_key: Bytes::new() };
            let mut client = client.max_decoding_message_size(MOST_BYTES);
            let answer = ask(client.scan_regions(request), |answer| answer.header.as_ref()).await;
            let page = page(self.noted(answer)?);
            let end = page.last().map(|(region, _)| region.end_key.clone()).unwrap_or_default();
            found.extend(page);
            // A driver that does not get on is not asked forever.
            if !all || end.is_empty() || end <= from {
                return Ok(found);
            }
            from = end;
        }
    }

    /// After a fault the leader is looked for anew.
    fn noted<T>(&mut self, answer: Result<T, String>) -> Result<T, String> {
        if answer.is_err() {
            self.leader = None;
        }
        answer
    }

    async fn leader(&mut self) -> Result<(PdClient<Channel>, Option<RequestHeader>), String> {
        if self.leader.is_none() {
            self.leader = Some(self.find().await?);
        }
        let (client, cluster_id) = self.leader.as_ref().expect("set above");
        Ok((client.clone(), Some(RequestHeader { cluster_id: *cluster_id, sender_id: 0 })))
    }

    async fn find(&self) -> Result<(PdClient<Channel>, u64), String> {
        let mut faults = Vec::new();
        for address in &self.given {
            match from_member(address).await {
                Ok(found) => return Ok(found),
                Err(fault) => faults.push(fault),
            }
        }
        Err(format!("no placement driver answers: {}", faults.join("; ")))
    }
}

/// The addresses of placement drivers, each `host:port`, of a text that names one or several with commas between them: `a:1`,
/// `tikv://a:1,b:2`, `http://a:1`. There is one at least.
///
/// # Errors
/// When the text has a scheme that is not spoken here, or an address has no port.
pub fn addresses(text: &str) -> Result<Vec<String>, ClientError> {
    let bare = ["tikv://", "http://", "pd://"].iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
    if bare.contains("://") {
        return Err(ClientError::Input(format!(
            "the placement driver's address {text:?} has a scheme that is not spoken here; write tikv://HOST:PORT"
        )));
    }
    let given: Vec<_> = bare.trim_end_matches('/').split(',').map(|one| one.trim().to_owned()).collect();
    for address in &given {
        let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
        if port.is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
            return Err(ClientError::Input(format!(
                "{address:?} is not the address of a placement driver: expected HOST:PORT, such as 127.0.0.1:2379"
            )));
        }
    }
    Ok(given)
}

/// Asks a member who leads, and connects to the leader.
async fn from_member(address: &str) -> Result<(PdClient<Channel>, u64), String> {
    let mut member = PdClient::new(connect(address, None).await?);
    let answer = ask(member.get_members(GetMembersRequest { header: None }), |answer| answer.header.as_ref()).await;
    let answer = answer.map_err(|fault| format!("{address}: {fault}"))?;
    let cluster = answer.header.map_or(0, |header| header.cluster_id);
    let urls = answer.leader.map(|leader| leader.client_urls).unwrap_or_default();
    let same = |url: &String| url.trim_end_matches('/').rsplit("://").next() == Some(address);
    if urls.is_empty() || urls.iter().any(same) {
        return Ok((member, cluster));
    }
    let mut faults = Vec::new();
    for url in &urls {
        match connect(url, None).await {
            Ok(channel) => return Ok((PdClient::new(channel), cluster)),
            Err(fault) => faults.push(fault),
        }
    }
    Err(format!("{address} says that another placement driver leads, which does not answer: {}", faults.join("; ")))
}

async fn ask<T>(
    call: impl Future<Output = Result<Response<T>, Status>>,
    header: impl Fn(&T) -> Option<&ResponseHeader>,
) -> Result<T, String> {
    let answer = match tokio::time::timeout(ANSWER, call).await {
        Ok(Ok(answer)) => answer.into_inner(),
        Ok(Err(status)) => return Err(said(&status)),
        Err(_) => return Err(format!("the placement driver did not answer in {} s", ANSWER.as_secs())),
    };
    match header(&answer).and_then(|header| header.error.as_ref()) {
        Some(error) if error.r#type() != pdpb::ErrorType::Ok => {
            Err(format!("the placement driver says: {}", error.message))
        }
        _ => Ok(answer),
    }
}

/// What a gRPC status says, with its cause.
pub(crate) fn said(status: &Status) -> String {
    match std::error::Error::source(status) {
        Some(source) => format!("{:?}: {}: {}", status.code(), status.message(), chain(source)),
        None => format!("{:?}: {}", status.code(), status.message()),
    }
}

/// Newer drivers fill `regions`, all fill the two older lists; a leader of number 0 is none.
fn page(answer: pdpb::ScanRegionsResponse) -> Vec<Found> {
    let known = |leader: Option<Peer>| leader.filter(|leader| leader.id != 0);
    if answer.regions.is_empty() {
        let leaders = answer.leaders.into_iter().map(Some).chain(std::iter::repeat(None));
        return answer.region_metas.into_iter().zip(leaders).map(|(region, leader)| (region, known(leader))).collect();
    }
    answer.regions.into_iter().filter_map(|one| Some((one.region?, known(one.leader)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_with_or_without_a_scheme() {
        assert_eq!(addresses("127.0.0.1:2379").unwrap(), ["127.0.0.1:2379"]);
        assert_eq!(addresses("tikv://a:1, b:2/").unwrap(), ["a:1", "b:2"]);
        assert_eq!(addresses("http://[::1]:2379").unwrap(), ["[::1]:2379"]);
    }

    #[test]
    fn an_address_without_a_port_is_explained() {
        let error = addresses("tikv://somewhere").unwrap_err();
        assert!(error.to_string().contains("expected HOST:PORT"), "{error}");
        assert_eq!(error.exit_code(), 2);
        assert!(addresses("").is_err() && addresses("mysql://a:1").is_err() && addresses(":1").is_err());
    }
}
