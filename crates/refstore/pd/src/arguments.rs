//! The command line of `diskwright-pd`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;

use crate::cluster::Layout;
use crate::cut;
use crate::error::PdError;

/// The placement driver of diskwright's reference store: one member, regions that are cut once and stay.
///
/// It is a measuring instrument, not part of a database to run in production.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "diskwright-pd",
    version,
    after_help = "\
Once it serves it prints one line of JSON on standard output: {\"addr\":\"127.0.0.1:2379\"}.
SIGTERM stops it.

Exit codes:
  0  stopped as asked
  2  wrong usage or input
  3  the environment fails: the address is in use, the data directory cannot be written"
)]
pub struct PdArguments {
    /// Its name among the members
    #[arg(long, default_value = "pd1")]
    pub name: String,

    /// Where clients find it; port 0 takes a free one
    #[arg(long, default_value = "http://127.0.0.1:2379", value_name = "URL")]
    pub client_urls: String,

    /// Where the state is kept
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,

    /// Stores to wait for before the regions are cut
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub stores: usize,

    /// Voters of each region
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub replicas: usize,

    /// Regions, of equal shares of the first two bytes of keys
    #[arg(long, default_value_t = 1, value_name = "R", conflicts_with = "split_keys")]
    pub regions: u32,

    /// A file of the keys at which regions begin, one a line in hexadecimal digits, rising
    #[arg(long, value_name = "FILE")]
    pub split_keys: Option<PathBuf>,

    /// Leader counts may differ by twice this before one is moved; a new PD's choice is 5. `POST /config` changes it later
    #[arg(long, value_name = "RATIO")]
    pub tolerant_size_ratio: Option<f64>,

    /// Listen on addresses that other machines reach, too: nothing here asks who they are
    #[arg(long)]
    pub allow_remote: bool,
}

impl PdArguments {
    /// Where to listen.
    pub(crate) fn listen(&self) -> Result<SocketAddr, PdError> {
        let text = self.client_urls.trim_start_matches("http://").trim_end_matches('/');
        let text = text.replace("localhost", "127.0.0.1");
        let addr: SocketAddr = text.parse().map_err(|_| {
            let url = &self.client_urls;
            PdError::Input(format!("--client-urls {url}: expected one address such as http://127.0.0.1:2379"))
        })?;
        if !addr.ip().is_loopback() && !self.allow_remote {
            return Err(PdError::Input(format!(
                "--client-urls {}: other machines could reach it, and nothing asks who they are: \
                 use 127.0.0.1, or add --allow-remote",
                self.client_urls
            )));
        }
        Ok(addr)
    }

    /// How regions are to be cut.
    pub(crate) fn layout(&self) -> Result<Layout, PdError> {
        let (stores, replicas) = (self.stores, self.replicas);
        if stores == 0 || replicas == 0 {
            return Err(PdError::Input(format!("--stores {stores} --replicas {replicas}: both must be at least 1")));
        }
        if replicas > stores {
            return Err(PdError::Input(format!(
                "--replicas {replicas} but --stores {stores}: replicas of a region are on distinct stores; \
                 start more stores, or ask for at most {stores}"
            )));
        }
        let split_keys = match &self.split_keys {
            Some(file) => cut::from_file(file)?,
            None => cut::evenly(self.regions)?,
        };
        if split_keys.first().is_some_and(Vec::is_empty) {
            return Err(PdError::Input(
                "--split-keys: the empty key begins the first region anyway: remove it".to_owned(),
            ));
        }
        Ok(Layout { stores, replicas, split_keys })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(more: &[&str]) -> PdArguments {
        PdArguments::parse_from(["diskwright-pd", "--data-dir", "/tmp/x"].iter().chain(more))
    }

    #[test]
    fn more_replicas_than_stores_are_refused() {
        let error = given(&["--stores", "2"]).layout().unwrap_err();
        assert!(error.to_string().starts_with("--replicas 3 but --stores 2: "), "{error}");
        assert_eq!(error.exit_code(), 2);
        assert!(given(&["--stores", "1", "--replicas", "1"]).layout().is_ok());
        assert!(given(&["--stores", "0"]).layout().is_err());
    }

    #[test]
    fn other_machines_are_kept_out_unless_asked_for() {
        let everywhere = ["--client-urls", "http://0.0.0.0:2379"];
        assert!(given(&everywhere).listen().unwrap_err().to_string().contains("--allow-remote"));
        assert!(given(&[&everywhere[..], &["--allow-remote"]].concat()).listen().is_ok());
        assert_eq!(given(&["--client-urls", "http://localhost:1/"]).listen().unwrap().to_string(), "127.0.0.1:1");
        assert!(given(&["--client-urls", "example.com"]).listen().is_err());
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = given(&["--split-keys", "/nowhere/keys"]).layout().unwrap_err();
        assert!(error.to_string().starts_with("--split-keys /nowhere/keys: there is no such file"), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}
