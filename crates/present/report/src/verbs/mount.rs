//! The answers of `disk mount`, `up`, `down`, `modify` and `fault`.

use mount::{AcceptedModification, DiskDaemon, MountedDisk, MountedNode};
use serde_json::{Value, json};
use textfile::shell_word;
use units::Nanos;

use crate::text::{Table, bold, line_width, wrap};

/// What was mounted, as text.
pub fn text(node: &MountedNode) -> String {
    let mut table = Table::new(&["mounted at", "disk", "device", "data"], &[]);
    for disk in &node.disks {
        table.row([
            disk.at.display().to_string(),
            disk.disk.clone(),
            disk.device.display().to_string(),
            disk.backing.display().to_string(),
        ]);
    }
    let mut text = format!("{table}\n");
    for note in &node.notes {
        text += &format!("{note}\n");
    }
    let dir = shell_word(&node.dir);
    text += &format!("{}  http://{}/metrics\n", bold("metrics"), node.metrics);
    text += &format!(
        "{}    diskwright disk ls {dir} --watch\n{}  diskwright disk down {dir}\n",
        bold("watch"),
        bold("unmount")
    );
    text
}

/// A node as JSON.
pub fn document(node: &MountedNode) -> Value {
    let disks: Vec<Value> = node
        .disks
        .iter()
        .map(|disk| {
            json!({
                "name": disk.name, "at": disk.at, "disk": disk.disk, "device": disk.device, "backing": disk.backing
            })
        })
        .collect();
    json!({
        "dir": node.dir, "alive": node.is_alive(), "pid": node.pid, "started": node.started, "instance": node.instance,
        "zone": node.zone, "filesystem": node.filesystem, "metrics": format!("http://{}/metrics", node.metrics),
        "log": node.state.join("log"), "notes": node.notes, "disks": disks,
    })
}

/// Disks that were unmounted.
#[derive(Debug)]
pub struct UnmountedDisks<'n> {
    /// Their nodes.
    pub nodes: &'n [MountedNode],
    /// Whether their data was removed.
    pub deleted: bool,
    /// Daemons that go on without their state files.
    pub unrecorded: &'n [DiskDaemon],
}

impl UnmountedDisks<'_> {
    fn backing(&self) -> impl Iterator<Item = &std::path::PathBuf> {
        self.nodes.iter().flat_map(|node| &node.disks).map(|disk| &disk.backing)
    }

    /// The answer as JSON.
    pub fn document(&self) -> Value {
        let dirs: Vec<_> = self.nodes.iter().map(|node| &node.dir).collect();
        let left: Vec<_> = self.unrecorded.iter().map(|daemon| daemon.pid).collect();
        let backing: Vec<_> = self.backing().collect();
        json!({ "unmounted": dirs, "deleted": self.deleted, "backing": backing, "unrecorded": left })
    }

    /// The answer as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for node in self.nodes {
            text += &format!("{} is unmounted\n", node.dir.display());
        }
        let verb = if self.deleted { "removed" } else { "kept" };
        for file in self.backing() {
            text += &format!("{verb} {}\n", file.display());
        }
        for daemon in self.unrecorded {
            text += &format!("{}\n", wrap(&daemon.refusal().to_string(), line_width(), 2));
        }
        if text.is_empty() {
            text += "nothing is mounted\n";
        }
        text
    }
}

/// A modification that a disk accepted, as JSON.
pub fn modification_document(disk: &MountedDisk, done: &AcceptedModification) -> Value {
    let after = |instant: Nanos| instant - done.started;
    json!({
        "at": disk.at, "from": disk.disk, "to": done.disk,
        "optimizing_in_s": after(done.optimizing).as_secs_f64(),
        "completed_in_s": after(done.completed).as_secs_f64(),
        "grow": done.grow,
    })
}

/// A modification that a disk accepted, as text.
pub fn modification_text(disk: &MountedDisk, done: &AcceptedModification) -> String {
    let after = |instant: Nanos| instant - done.started;
    let mut text = format!(
        "{}: {} becomes {}\nmodifying now, optimizing in {}, completed in {}\n",
        disk.at.display(),
        disk.disk,
        done.disk,
        after(done.optimizing),
        after(done.completed)
    );
    if let Some(command) = &done.grow {
        text += &format!("the device grows when it is optimizing; the filesystem grows with: {command}\n");
    }
    text
}
