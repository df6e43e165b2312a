//! HTTP whose answers have a bound: the SDK reads an answer whole, however long it is.

use aws_smithy_runtime_api::client::connector_metadata::ConnectorMetadata;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http_body_util::Limited;

/// An answer of GetMetricData has two megabytes, one of DescribeVolumes less.
const MOST_BYTES: usize = 32 << 20;

/// How errors of bodies over the bound print.
pub(super) const TOO_LONG: &str = "LengthLimitError";

/// A client whose answers have a bound.
#[derive(Debug)]
pub(super) struct Bounded(pub(super) SharedHttpClient);

impl HttpClient for Bounded {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(BoundedConnector(self.0.http_connector(settings, components)))
    }

    fn connector_metadata(&self) -> Option<ConnectorMetadata> {
        self.0.connector_metadata()
    }
}

#[derive(Debug)]
struct BoundedConnector(SharedHttpConnector);

impl HttpConnector for BoundedConnector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let answer = self.0.call(request);
        HttpConnectorFuture::new(async move {
            let bound = |body: SdkBody| SdkBody::from_body_1_x(Limited::new(body, MOST_BYTES));
            Ok(answer.await?.map(bound))
        })
    }
}
