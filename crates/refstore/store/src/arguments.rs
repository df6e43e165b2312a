//! The command line of `diskwright-store`: TiKV's own flags, as far as they mean something here.

use std::path::PathBuf;

use clap::Parser;

use crate::config::{ConfigDuration, ConfigValues, KEYS_BY_NAME};

/// A node of diskwright's reference store: RocksDB and Raft Engine under TiKV's settings.
///
/// It is a measuring instrument, not a database to run in production.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "diskwright-store",
    version,
    after_help = "\
Once it serves it prints one line of JSON on standard output:
{\"addr\":\"127.0.0.1:20160\",\"status_addr\":\"127.0.0.1:20180\"}. The command line wins over the file.
SIGTERM stops it.

Exit codes:
  0  stopped as asked, or the configuration is fine
  2  wrong usage or input, or a key that means nothing here with --config-check
  3  the environment fails: no placement driver, an address in use, a folder that cannot be written"
)]
pub struct StoreArguments {
    /// TiKV's configuration file; what means nothing here is reported and left alone
    #[arg(short = 'C', long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Read the configuration, list keys that mean nothing here, and end
    #[arg(long)]
    pub config_check: bool,

    /// Where gRPC listens; port 0 takes a free one
    #[arg(short = 'A', long, value_name = "ADDR")]
    pub addr: Option<String>,

    /// Where the status server listens; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    pub status_addr: Option<String>,

    /// Addresses of the placement driver, with commas between
    #[arg(long, visible_alias = "pd", value_name = "ADDRS")]
    pub pd_endpoints: Option<String>,

    /// Folder of all data
    #[arg(short = 's', long, value_name = "DIR")]
    pub data_dir: Option<String>,

    /// Labels for placement, as in zone=a,host=h1
    #[arg(long, value_name = "LABELS")]
    pub labels: Option<String>,

    /// Round trip to nodes and clients of another zone, as if they were there
    #[arg(long, default_value = "0s", value_name = "TIME")]
    pub zone_round_trip: ConfigDuration,

    /// Listen on addresses that other machines reach, too: nothing here asks who they are
    #[arg(long)]
    pub allow_remote: bool,
}

impl StoreArguments {
    /// The keys that the command line sets.
    ///
    /// # Errors
    /// When a value is not what its key takes.
    pub fn values(&self) -> Result<ConfigValues, String> {
        let given = [
            ("addr", "server.addr", &self.addr),
            ("status-addr", "server.status-addr", &self.status_addr),
            ("pd-endpoints", "pd.endpoints", &self.pd_endpoints),
            ("data-dir", "storage.data-dir", &self.data_dir),
            ("labels", "server.labels", &self.labels),
        ];
        let mut values = ConfigValues::new();
        for (flag, name, text) in given {
            if let (Some(text), Some(key)) = (text, KEYS_BY_NAME.get(name)) {
                let value = key.kind.read_text(text).map_err(|error| format!("--{flag}: {error}"))?;
                values.insert(name.to_owned(), value);
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::config::ConfigValue;

    #[test]
    fn the_command_line_is_tikvs() {
        StoreArguments::command().debug_assert();
        let line =
            "diskwright-store --addr 127.0.0.1:0 --pd a:1,b:2 -s /data --labels zone=a,host=h --zone-round-trip 1ms";
        let arguments = StoreArguments::try_parse_from(line.split(' ')).unwrap();
        let values = arguments.values().unwrap();
        assert_eq!(values["pd.endpoints"], ConfigValue::Texts(vec!["a:1".to_owned(), "b:2".to_owned()]));
        assert_eq!(arguments.zone_round_trip.0.as_millis(), 1);
        let wrong = StoreArguments::try_parse_from(["diskwright-store", "--labels", "zone"]).unwrap();
        assert_eq!(wrong.values(), Err("--labels: label `zone` is not like zone=a".to_owned()));
    }
}
