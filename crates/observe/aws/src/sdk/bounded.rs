//! HTTP that sends no secret in the clear, and whose answers have a bound: the SDK reads an answer whole, however long it is.

use std::sync::{Arc, OnceLock};

use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http_body_util::Limited;

use super::endpoint::admitted;

/// An answer of GetMetricData has two megabytes, one of DescribeVolumes less.
const MOST_BYTES: usize = 32 << 20;

/// How errors of bodies over the bound print.
pub(super) const TOO_LONG: &str = "LengthLimitError";

/// Why a request was not sent, for whoever waits for its answer: the SDK keeps a text at most.
pub(super) type Refusal = Arc<OnceLock<String>>;

/// A client that asks no endpoint in the clear beyond this machine, whatever named it, and whose answers have a bound.
#[derive(Debug)]
pub(super) struct Bounded {
    pub(super) http: SharedHttpClient,
    pub(super) insecure: bool,
    pub(super) refusal: Refusal,
}

impl HttpClient for Bounded {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let http = self.http.http_connector(settings, components);
        SharedHttpConnector::new(BoundedConnector { http, insecure: self.insecure, refusal: self.refusal.clone() })
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.http.connector_metadata()
    }
}

#[derive(Debug)]
struct BoundedConnector {
    http: SharedHttpConnector,
    insecure: bool,
    refusal: Refusal,
}

impl HttpConnector for BoundedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        if let Err(error) = admitted(request.uri(), self.insecure) {
            self.refusal.get_or_init(|| error.to_string());
            return HttpConnectorFuture::ready(Err(ConnectorError::user(error.into())));
        }
        let answer = self.http.call(request);
        HttpConnectorFuture::new(async move {
            let bound = |body: SdkBody| SdkBody::from_body_1_x(Limited::new(body, MOST_BYTES));
            Ok(answer.await?.map(bound))
        })
    }
}
