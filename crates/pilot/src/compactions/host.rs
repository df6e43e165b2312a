//! A host's disks by its node_exporter. It tells what they did; what they let through is the deployment's to say.

use diagnose::Known;
use limiter::{Allowance, Done};
use observe::Exposition;

use super::disks::{Disks, Looked};
use crate::{Access, Peer, PilotError, WorldError};

/// The disks of a host.
#[derive(Debug)]
pub struct Host {
    peer: Peer,
    path: String,
    /// The one that holds the store's files first.
    devices: Vec<String>,
    volume: Allowance,
    instance: Allowance,
}

impl Host {
    /// From `http://HOST:9100/metrics#nvme1n1,nvme2n1`: the address of a node_exporter, the device of the store's files, and those
    /// that hang on the instance beside it. Limits are those of the storage nodes of a deployment; credits are not known, and not
    /// counted on.
    ///
    /// # Errors
    /// When it is no such address, or the deployment has no storage nodes whose limits are known.
    pub fn new(place: &str, known: &Known, access: &Access) -> Result<Self, PilotError> {
        let wrong = |why: &str| {
            PilotError::Input(format!("`{place}` {why}; expected one such as http://10.0.0.6:9100/metrics#nvme1n1"))
        };
        let (address, devices) = place.split_once('#').ok_or_else(|| wrong("names no device"))?;
        let devices: Vec<String> =
            devices.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if devices.is_empty() {
            return Err(wrong("names no device"));
        }
        let rest = address.find("://").map_or(0, |at| at + 3);
        let (base, path) = match address[rest..].find('/') {
            Some(at) if at + rest + 1 < address.len() => address.split_at(at + rest),
            _ => (address.trim_end_matches('/'), "/metrics"),
        };
        let peer = Peer::new("node_exporter", base, access)?;
        let (volume, instance) = allowances(known)?;
        // It is asked some times a second: node_exporter then reads this one collector's file and no other.
        let path = if path.contains('?') { path.to_owned() } else { format!("{path}?collect%5B%5D=diskstats") };
        Ok(Self { peer, path, devices, volume, instance })
    }

    fn done<'d>(&self, told: &Exposition, devices: impl Iterator<Item = &'d String>) -> Result<Done, WorldError> {
        let mut sum = Done::default();
        for device in devices {
            let missing =
                || WorldError::Missing { peer: self.peer.name().to_owned(), what: format!("disk `{device}`") };
            let of = |metric: &str| told.sum(metric, &[("device", device)]).ok_or_else(missing);
            sum.ios += of("node_disk_reads_completed_total")? + of("node_disk_writes_completed_total")?;
            sum.read += of("node_disk_read_bytes_total")?;
            sum.written += of("node_disk_written_bytes_total")?;
        }
        Ok(sum)
    }
}

impl Disks for Host {
    fn look(&self) -> Result<Looked, WorldError> {
        let told = Exposition::parse(&self.peer.text(&self.path)?).map_err(|error| {
            let (peer, why) = (self.peer.name().to_owned(), format!("{}: {error}", self.path));
            WorldError::Refused { peer, why }
        })?;
        Ok(Looked {
            volume_done: self.done(&told, self.devices.iter().take(1))?,
            instance_done: self.done(&told, self.devices.iter())?,
            volume: self.volume,
            instance: self.instance,
        })
    }
}

/// What the data disk and the instance of a deployment's storage nodes let through.
fn allowances(known: &Known) -> Result<(Allowance, Allowance), PilotError> {
    let input = |why: String| PilotError::Input(format!("the limits of the store's disks are not known: {why}"));
    let deployment = known.deployment.as_ref().ok_or_else(|| input("give the deployment with --on".to_owned()))?;
    let group = deployment.nodes.iter().find(|group| group.data.is_some());
    let (group, data) = group
        .and_then(|group| Some((group, group.data.as_ref()?)))
        .ok_or_else(|| input("no nodes of the deployment have a data disk".to_owned()))?;
    let instance = known.view.instance(&group.instance).map_err(|error| input(error.to_string()))?;
    let limits = data.limits(&known.view, Some(instance)).map_err(|error| input(error.to_string()))?;
    let volume = Allowance { iops: Some(limits.iops), throughput: Some(limits.throughput), ..Allowance::default() };
    let instance = instance.caps.map_or_else(Allowance::default, |caps| Allowance {
        iops: Some(caps.iops),
        throughput: Some(caps.throughput),
        ..Allowance::default()
    });
    Ok((volume, instance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(device: &str, ios: u32) -> String {
        format!(
            "node_disk_reads_completed_total{{device=\"{device}\"}} {ios}\n\
             node_disk_writes_completed_total{{device=\"{device}\"}} 1\n\
             node_disk_read_bytes_total{{device=\"{device}\"}} 4096\n\
             node_disk_written_bytes_total{{device=\"{device}\"}} 8192\n"
        )
    }

    fn host(devices: &str) -> Host {
        let place = format!("http://127.0.0.1:9100/metrics#{devices}");
        let text = "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 3\n\
                    instance = \"m5.2xlarge\"\ndata = \"gp3:500GiB,6000iops\"\n";
        let deployment = deployment::Deployment::from_text(&input::Text::new("d.toml", text)).unwrap();
        let known = Known::deployment(catalog::Catalog::embedded().at(None), deployment);
        Host::new(&place, &known, &Access::default()).unwrap()
    }

    #[test]
    fn the_first_device_is_the_volume_and_all_are_the_instances() {
        let host = host("nvme1n1,nvme2n1");
        let told = Exposition::parse(&(told("nvme1n1", 9) + &told("nvme2n1", 4))).unwrap();
        let done = |take: usize| host.done(&told, host.devices.iter().take(take)).unwrap();
        assert_eq!(done(1), Done { ios: 10.0, read: 4096.0, written: 8192.0 });
        assert_eq!(done(2), Done { ios: 15.0, read: 8192.0, written: 16384.0 });
        assert_eq!(host.volume.iops, Some(units::Iops(6000.0)));
        assert!(host.instance.throughput.unwrap().0 > 100e6);
        let error = host.done(&Exposition::default(), host.devices.iter()).unwrap_err().to_string();
        assert!(error.contains("disk `nvme1n1`"), "{error}");
    }

    #[test]
    fn what_is_no_node_exporter_is_told_with_an_example() {
        let known = Known::nothing(catalog::Catalog::embedded().at(None));
        for place in ["http://127.0.0.1:9100", "http://127.0.0.1:9100/metrics#", "nvme1n1"] {
            let error = Host::new(place, &known, &Access::default()).unwrap_err();
            assert!(error.exit_code() == 2 && error.to_string().contains("#nvme1n1"), "{error}");
        }
        let error = Host::new("http://127.0.0.1:9100#nvme1n1", &known, &Access::default()).unwrap_err().to_string();
        assert!(error.contains("--on"), "{error}");
    }
}
