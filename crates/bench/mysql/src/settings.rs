//! The server's settings: what the deployment says, what RDS has, and what the user sets over both.

use std::fmt::Write;
use std::path::Path;

use deployment::Deployment;
use units::Bytes;

use crate::SqlError;

#[derive(serde::Deserialize)]
struct Row {
    key: String,
    value: String,
    #[serde(rename = "source")]
    _source: String,
}

/// RDS gives the buffer pool so much of the memory (`innodb_buffer_pool_size`, DBInstanceClassMemory × 3/4).
const POOL_SHARE: f64 = 0.75;

/// The server takes so much beside its pool, its program included: with less, it is read from the disk again and again.
const OWN: Bytes = Bytes::mib(128);

/// Without a limit to the memory, the server is given so much of this machine's: two programs and page cache share it.
const MACHINE_SHARE: f64 = 0.25;

/// Connections besides those of clients: loaders, the watching thread, the user's own.
const SPARE: usize = 32;

/// MariaDB takes no smaller one: 5 MiB for pages of 16 KiB, in pieces of 2 MiB.
const LEAST_POOL: Bytes = Bytes::mib(6);

/// How much memory there is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerMemory {
    /// What the server may take; `None` for what the machine has.
    pub limit: Option<Bytes>,
    /// What the machine has.
    pub machine: Bytes,
}

impl ServerMemory {
    /// This machine's; a GiB if it does not say.
    pub fn here(limit: Option<Bytes>) -> Self {
        let machine = nix::sys::sysinfo::sysinfo().map_or(Bytes::gib(1), |info| Bytes(info.ram_total()));
        Self { limit, machine }
    }

    /// The buffer pool, where the deployment does not say.
    fn pool(&self) -> Bytes {
        let all = self.limit.unwrap_or(self.machine * MACHINE_SHARE);
        (all * POOL_SHARE).min(Bytes(all.0.saturating_sub(OWN.0))).max(LEAST_POOL)
    }
}

/// The folder in the server's own that statements can read files from and write files to, and no other.
pub(crate) const FILES: &str = "files";

/// The variable of the buffer pool.
pub(crate) const POOL: &str = "innodb_buffer_pool_size";

/// The buffer pool of the load and that of the runs, where the deployment's is smaller than the memory allows: rows all over
/// the indexes are loaded much faster into the larger one. `None` where both are the same, or the user has set it.
pub(crate) fn pools(deployment: &Deployment, memory: ServerMemory, set: &[(String, String)]) -> Option<(Bytes, Bytes)> {
    let run = deployment.settings.block_cache?;
    let is_set = set.iter().any(|(key, _)| key.replace('-', "_") == POOL);
    let load = memory.pool();
    (load > run && !is_set).then_some((load, run))
}

/// The server's settings as a file. `data` and `redo` are where its disks are mounted, `folder` is for its socket; `set` wins.
///
/// # Errors
/// When a key or value has a character that would begin another line.
pub fn settings(
    deployment: &Deployment,
    memory: ServerMemory,
    (data, redo, folder): (&Path, Option<&Path>, &Path),
    clients: usize,
    set: &[(String, String)],
) -> Result<String, SqlError> {
    let mut keys: Vec<(String, String)> = Vec::new();
    let mut put = |key: &str, value: String| match keys.iter_mut().find(|(has, _)| has == key) {
        Some((_, has)) => *has = value,
        None => keys.push((key.to_owned(), value)),
    };
    for row in csv::Reader::from_reader(include_str!("../tables/mariadb.csv").as_bytes()).into_deserialize::<Row>() {
        let row = row.expect("a table of this crate, which tests read");
        put(&row.key, row.value);
    }
    put("datadir", data.join("mysql").display().to_string());
    if let Some(redo) = redo {
        put("innodb_log_group_home_dir", redo.join("mysql").display().to_string());
    }
    put("log_bin", data.join("binlog").join("log").display().to_string());
    put("socket", folder.join("sql.sock").display().to_string());
    put("pid_file", folder.join("sql.pid").display().to_string());
    put("tmpdir", folder.display().to_string());
    put("secure_file_priv", folder.join(FILES).display().to_string());
    // Only its socket lets anybody in, in a folder that nobody else can enter.
    put("skip_networking", "ON".to_owned());
    put("max_connections", (clients + SPARE).to_string());
    // Each connection takes a file, each table some.
    put("open_files_limit", (2 * (clients + SPARE) + 1024).to_string());
    put("back_log", (clients + SPARE).to_string());
    // Each connection prepares its own; MariaDB takes no more than a million.
    put("max_prepared_stmt_count", ((clients + SPARE) * crate::target::STATEMENTS).min(1 << 20).to_string());
    let pool = deployment.settings.block_cache.unwrap_or_else(|| memory.pool());
    put(POOL, pool.0.to_string());
    let doublewrite = deployment.settings.doublewrite.unwrap_or(true);
    put("innodb_doublewrite", if doublewrite { "ON" } else { "OFF" }.to_owned());
    for (key, value) in set {
        let odd = |text: &str| text.is_empty() || text.contains(['\n', '\r', '[', '=', '#']);
        if odd(key) || value.contains(['\n', '\r']) {
            let why = "expected VARIABLE=VALUE on one line, such as innodb_io_capacity=2000".to_owned();
            return Err(SqlError::Option { option: format!("--set {key}={value}"), why });
        }
        put(&key.replace('-', "_"), value.clone());
    }
    let mut text = "[mariadbd]\n".to_owned();
    for (key, value) in keys {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key} = {value}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(settings_of: &str, set: &[(&str, &str)]) -> Result<String, SqlError> {
        let text = format!("engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\nnodes = []\n{settings_of}");
        let deployment = Deployment::from_text(&textfile::Text::new("d.toml", text)).unwrap();
        let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let memory = ServerMemory { limit: Some(Bytes::gib(4)), machine: Bytes::gib(64) };
        settings(&deployment, memory, (Path::new("/d"), Some(Path::new("/r")), Path::new("/f")), 250, &set)
    }

    #[test]
    fn the_deployment_says_where_and_how_large() {
        let text = of("[settings]\nblock-cache = \"1GiB\"\ndoublewrite = false", &[]).unwrap();
        for line in [
            "datadir = /d/mysql",
            "innodb_log_group_home_dir = /r/mysql",
            "innodb_buffer_pool_size = 1073741824",
            "innodb_doublewrite = OFF",
            "secure_file_priv = /f/files",
            "skip_networking = ON",
        ] {
            assert!(text.lines().any(|has| has == line), "{line} in\n{text}");
        }
        let text = of("", &[]).unwrap();
        assert!(text.contains(&format!("innodb_buffer_pool_size = {}\n", Bytes::gib(3).0)), "{text}");
    }

    #[test]
    fn the_load_has_a_larger_pool_unless_somebody_said_so() {
        let deployment = |settings: &str| {
            let text = format!("engine = \"innodb\"\nregion = \"us-west-2\"\nzones = 1\nnodes = []\n{settings}");
            Deployment::from_text(&textfile::Text::new("d.toml", text)).unwrap()
        };
        let memory = ServerMemory { limit: Some(Bytes::gib(4)), machine: Bytes::gib(64) };
        let small = deployment("[settings]\nblock-cache = \"64MiB\"");
        assert_eq!(pools(&small, memory, &[]), Some((Bytes::gib(3), Bytes::mib(64))));
        assert_eq!(pools(&small, memory, &[("innodb-buffer-pool-size".into(), "1".into())]), None);
        assert_eq!(pools(&deployment("[settings]\nblock-cache = \"8GiB\""), memory, &[]), None);
        assert_eq!(pools(&deployment(""), memory, &[]), None);
        let little = ServerMemory { limit: Some(Bytes::mib(160)), ..memory };
        assert_eq!(pools(&small, little, &[]), None, "the server needs the rest");
    }

    #[test]
    fn what_is_set_wins_and_stands_once() {
        let text = of("", &[("sync-binlog", "0"), ("innodb_io_capacity", "2000")]).unwrap();
        assert!(text.contains("sync_binlog = 0\n") && text.contains("innodb_io_capacity = 2000\n"), "{text}");
        assert_eq!(text.matches("sync_binlog").count(), 1);
        assert_eq!(of("", &[("a\nb", "1")]).unwrap_err().exit_code(), 2);
    }
}
