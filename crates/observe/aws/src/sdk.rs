//! The SDK behind the edge: profile, region, credentials, retries and TLS.

mod bounded;
mod cloudwatch;
mod ec2;
mod endpoint;
mod fault;
mod rds;

use std::time::Duration;

use aws_config::identity::IdentityCache;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::sts::AssumeRoleProvider;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_runtime::env_config::file::{EnvConfigFileKind, EnvConfigFiles};
use aws_smithy_http_client::tls;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use signals::StopSignal;
use tokio::runtime::Runtime;

use crate::api::{Answer, Api, Page, Query};
use crate::options::{CallTimeouts, shown};
use crate::range::MetricRange;
use crate::{AwsError, AwsOptions, DbFacts, EbsModification, InstanceEvent, InstanceFacts, VolumeFacts};
use bounded::{Bounded, Refusal};
use endpoint::admitted;
use fault::Faults;

/// How often a call is made before its throttling is an error. Adaptive retries also slow the client down to the rate that is
/// let through, so that few are needed, and an endpoint that is not there is told within some ten seconds.
const ATTEMPTS: u32 = 5;

/// A service that does not take a connection in that time is not there.
const CONNECT: Duration = Duration::from_secs(5);

/// Roles, logins and processes that give credentials take seconds, and a role retries.
const CREDENTIALS: Duration = Duration::from_secs(30);

/// Clients of the services, on threads of their own.
pub(crate) struct Sdk {
    /// Always there until it is dropped.
    runtime: Option<Runtime>,
    region: String,
    faults: Faults,
    config: SdkConfig,
    stop: StopSignal,
    cloudwatch: aws_sdk_cloudwatch::Client,
    ec2: aws_sdk_ec2::Client,
    rds: aws_sdk_rds::Client,
}

impl Sdk {
    pub(crate) fn new(options: &AwsOptions, stop: StopSignal) -> Result<Self, AwsError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("aws")
            .enable_io()
            .enable_time()
            .build()?;
        let refusal = Refusal::default();
        let loaded = runtime.block_on(stop.within(options.patience.call, config(options, &refusal)));
        let config = loaded.map_err(|_| AwsError::Interrupted)?;
        if let Some(endpoint) = config.endpoint_url() {
            admitted(endpoint, options.insecure)?;
        }
        let profile = options.profile.clone();
        let region = config.region().ok_or_else(|| AwsError::NoRegion { profile: profile.clone() })?.to_string();
        let endpoint = config.endpoint_url().map(shown);
        Ok(Self {
            cloudwatch: aws_sdk_cloudwatch::Client::new(&config),
            ec2: aws_sdk_ec2::Client::new(&config),
            rds: aws_sdk_rds::Client::new(&config),
            faults: Faults { profile, endpoint, region: region.clone(), refusal },
            region,
            config,
            stop,
            runtime: Some(runtime),
        })
    }

    /// Waits for an answer, which has its deadline, unless told to stop.
    fn ask<T>(&self, asked: impl Future<Output = Result<T, AwsError>>) -> Result<T, AwsError> {
        let runtime = self.runtime.as_ref().ok_or(AwsError::Interrupted)?;
        runtime.block_on(self.stop.during(asked)).unwrap_or(Err(AwsError::Interrupted))
    }
}

impl Drop for Sdk {
    /// A look-up of a name that was given up is not waited for.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn config(options: &AwsOptions, refusal: &Refusal) -> SdkConfig {
    let http = aws_smithy_http_client::Builder::new()
        .tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring))
        .build_https();
    let (insecure, refusal) = (options.insecure, refusal.clone());
    let http = SharedHttpClient::new(Bounded { http, insecure, refusal });
    let CallTimeouts { attempt, call } = options.patience;
    // A try's time ends also an answer that trickles: the SDK's own protection against stalls wants no more than a byte a second.
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT.min(attempt))
        .read_timeout(attempt)
        .operation_attempt_timeout(attempt)
        .operation_timeout(call)
        .build();
    let mut loader = aws_config::defaults(BehaviorVersion::latest())
        .http_client(http.clone())
        .retry_config(RetryConfig::adaptive().with_max_attempts(ATTEMPTS))
        .timeout_config(timeouts)
        .identity_cache(IdentityCache::lazy().load_timeout(CREDENTIALS).build());
    let files = options.config_file.as_ref().map(|file| {
        EnvConfigFiles::builder()
            .include_default_credentials_file(true)
            .with_file(EnvConfigFileKind::Config, file)
            .build()
    });
    if let Some(files) = &files {
        loader = loader.profile_files(files.clone());
    }
    if let Some(profile) = &options.profile {
        loader = loader.profile_name(profile);
    }
    if let Some(region) = &options.region {
        loader = loader.region(Region::new(region.clone()));
    }
    if let Some(endpoint) = &options.endpoint {
        loader = loader.endpoint_url(endpoint);
    }
    let mut config = loader.load().await;
    if let Some(profile) = &options.profile {
        // The SDK prefers keys of the environment even to a profile that was asked for by name; every other tool does not.
        let with = ProviderConfig::without_region().with_region(config.region().cloned()).with_http_client(http);
        let mut provider = ProfileFileCredentialsProvider::builder().configure(&with).profile_name(profile);
        if let Some(files) = files {
            provider = provider.profile_files(files);
        }
        config = config.into_builder().credentials_provider(SharedCredentialsProvider::new(provider.build())).build();
    }
    if let Some(role) = &options.role {
        let role = AssumeRoleProvider::builder(role).session_name("diskwright").configure(&config).build().await;
        config = config.into_builder().credentials_provider(SharedCredentialsProvider::new(role)).build();
    }
    config
}

impl Api for Sdk {
    fn region(&self) -> &str {
        &self.region
    }

    fn volumes(&self, id: Option<&str>, token: Option<String>) -> Result<Page<VolumeFacts>, AwsError> {
        self.ask(ec2::volumes(&self.ec2, &self.faults, id, token))
    }

    fn instances(&self, ids: &[String]) -> Result<Vec<InstanceFacts>, AwsError> {
        self.ask(ec2::instances(&self.ec2, &self.faults, ids))
    }

    fn instance_types(&self, names: &[String]) -> Result<Vec<InstanceFacts>, AwsError> {
        self.ask(ec2::instance_types(&self.ec2, &self.faults, names))
    }

    fn modifications(&self, volumes: &[String]) -> Result<Vec<EbsModification>, AwsError> {
        self.ask(ec2::modifications(&self.ec2, &self.faults, volumes))
    }

    fn modify(&self, volume: &str, to: &disk::Volume) -> Result<EbsModification, AwsError> {
        self.ask(ec2::modify(&self.ec2, &self.faults, volume, to))
    }

    fn db_instance(&self, id: &str) -> Result<DbFacts, AwsError> {
        self.ask(rds::db_instance(&self.rds, &self.faults, id))
    }

    fn events(&self, token: Option<String>) -> Result<Page<InstanceEvent>, AwsError> {
        self.ask(ec2::events(&self.ec2, &self.faults, token))
    }

    fn db_token(&self, host: &str, port: u16, user: &str) -> Result<String, AwsError> {
        self.ask(rds::token(&self.config, &self.faults, host, port, user))
    }

    fn metric_data(
        &self,
        queries: &[Query],
        range: MetricRange,
        token: Option<String>,
    ) -> Result<Page<Answer>, AwsError> {
        self.ask(cloudwatch::metric_data(&self.cloudwatch, &self.faults, queries, range, token))
    }
}
