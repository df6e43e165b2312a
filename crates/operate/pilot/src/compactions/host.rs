//! A host's disks by its node_exporter. It tells what they did; what they let through is the deployment's to say, and credits follow
//! from both.

use std::cell::RefCell;

use compaction_control::{CompletedIo, CreditState, DiskAllowance};
use diagnose::KnownFacts;
use disk::{CreditBalance, CreditEstimate};
use http_client::ApiServer;
use metrics::MetricsExposition;

use super::disks::{DiskSource, StoreDiskView};
use crate::http::server;
use crate::{ClockReading, PilotAccess, PilotError, WorldError};

/// The disks of a host.
#[derive(Debug)]
pub struct HostDisks {
    peer: ApiServer,
    path: String,
    /// The one that holds the store's files first.
    devices: Vec<String>,
    /// Of the volume and of the instance.
    books: RefCell<[Book; 2]>,
}

/// What one of the two lets through, with credits as far as what was seen of it says.
#[derive(Debug, Clone)]
struct Book {
    allowance: DiskAllowance,
    /// I/Os and bytes a second while credits last.
    bursts: [f64; 2],
    credits: Option<CreditEstimate>,
    /// What it had done when it was looked at last.
    done: Option<CompletedIo>,
}

impl HostDisks {
    /// From `http://HOST:9100/metrics#nvme1n1,nvme2n1`: the address of a node_exporter, the device of the store's files, and those
    /// that hang on the instance beside it. Limits are those of the storage nodes of a deployment. Nobody tells what credits there are
    /// (CloudWatch does, minutes late): counted on are those that were saved up since the pilot began to look.
    ///
    /// # Errors
    /// When it is no such address, or the deployment has no storage nodes whose limits are known.
    pub fn new(place: &str, known: &KnownFacts, access: &PilotAccess) -> Result<Self, PilotError> {
        let wrong = |why: &str| {
            PilotError::Input(format!("`{place}` {why}; expected one such as http://10.0.0.6:9100/metrics#nvme1n1"))
        };
        if place.contains('@') {
            let message = "the address of node_exporter holds a name or password, which others could read in the list of \
                           processes: put a token into DISKWRIGHT_NODE_TOKEN";
            return Err(PilotError::Input(message.to_owned()));
        }
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
        let peer = server("node_exporter", base, access)?;
        let books = RefCell::new(books(known)?);
        // It is asked some times a second: node_exporter then reads this one collector's file and no other.
        let path = if path.contains('?') { path.to_owned() } else { format!("{path}?collect%5B%5D=diskstats") };
        Ok(Self { peer, path, devices, books })
    }

    fn done<'d>(
        &self,
        told: &MetricsExposition,
        devices: impl Iterator<Item = &'d String>,
    ) -> Result<CompletedIo, WorldError> {
        let one = |device: &String| {
            let missing =
                || WorldError::Missing { peer: self.peer.name().to_owned(), what: format!("disk `{device}`") };
            let counted = |value: &f64| value.is_finite() && *value >= 0.0;
            let of = |metric: &str| told.sum(metric, &[("device", device)]).filter(counted).ok_or_else(missing);
            let writes = of("node_disk_writes_completed_total")?;
            Ok(CompletedIo {
                ios: of("node_disk_reads_completed_total")? + writes,
                writes,
                read: of("node_disk_read_bytes_total")?,
                written: of("node_disk_written_bytes_total")?,
            })
        };
        devices.map(one).sum()
    }

    /// What the volume and the instance have done, and let through from now on.
    fn booked(&self, now: ClockReading, [volume_done, instance_done]: [CompletedIo; 2]) -> StoreDiskView {
        let mut books = self.books.borrow_mut();
        let [volume, instance] = books.each_mut();
        StoreDiskView {
            volume: volume.allow(now, volume_done),
            instance: instance.allow(now, instance_done),
            volume_done,
            instance_done,
        }
    }
}

impl Book {
    fn allow(&mut self, now: ClockReading, done: CompletedIo) -> DiskAllowance {
        let before = self.done.replace(done);
        let Some(reckoning) = &mut self.credits else { return self.allowance };
        let fell = |was: &CompletedIo| done.ios < was.ios || done.read < was.read || done.written < was.written;
        match before {
            Some(was) if !fell(&was) => {
                let bytes = done.read + done.written - was.read - was.written;
                reckoning.book(now.mono, done.ios - was.ios, bytes);
            }
            // Nobody has seen what was done before, nor between the last look and a restart.
            _ => reckoning.forget(now.mono),
        }
        let left = reckoning.credits();
        let credit = |balance: Option<CreditBalance>, burst: f64| {
            balance.map(|balance| CreditState { left: balance.now, burst })
        };
        let [ios, bytes] = self.bursts;
        DiskAllowance { io_credit: credit(left.ios, ios), byte_credit: credit(left.bytes, bytes), ..self.allowance }
    }
}

impl DiskSource for HostDisks {
    fn look(&self, now: ClockReading) -> Result<StoreDiskView, WorldError> {
        let told = MetricsExposition::parse(&self.peer.text(&self.path)?).map_err(|error| {
            let (peer, why) = (self.peer.name().to_owned(), format!("{}: {error}", self.path));
            WorldError::Refused { peer, why }
        })?;
        let volume = self.done(&told, self.devices.iter().take(1))?;
        Ok(self.booked(now, [volume, self.done(&told, self.devices.iter())?]))
    }
}

/// Of the data disk and of the instance of a deployment's storage nodes.
fn books(known: &KnownFacts) -> Result<[Book; 2], PilotError> {
    let input = |why: String| PilotError::Input(format!("the limits of the store's disks are not known: {why}"));
    let deployment = known.deployment.as_ref().ok_or_else(|| input("give the deployment with --on".to_owned()))?;
    let group = deployment.nodes.iter().find(|group| group.data.is_some());
    let (group, data) = group
        .and_then(|group| Some((group, group.data.as_ref()?)))
        .ok_or_else(|| input("no nodes of the deployment have a data disk".to_owned()))?;
    let instance = known.view.instance(&group.instance).map_err(|error| input(error.to_string()))?;
    let limits = data.limits(&known.view, Some(instance)).map_err(|error| input(error.to_string()))?;
    let credits =
        CreditEstimate::of_disk(data, &known.view, Some(instance)).map_err(|error| input(error.to_string()))?;
    let allowance =
        |iops, throughput| DiskAllowance { iops: Some(iops), throughput: Some(throughput), ..DiskAllowance::default() };
    let (ios, bytes) = limits.bursts(data.stripe);
    let volume = Book {
        allowance: allowance(limits.iops, limits.throughput),
        bursts: [ios, bytes].map(|burst| burst.unwrap_or(0.0)),
        credits: Some(credits),
        done: None,
    };
    let free = Book { allowance: DiskAllowance::default(), bursts: [0.0; 2], credits: None, done: None };
    let instance = instance.caps.map_or(free, |caps| Book {
        allowance: allowance(caps.iops, caps.throughput),
        bursts: [caps.burst_iops.0, caps.burst_throughput.0],
        credits: Some(CreditEstimate::of_instance(&caps)),
        done: None,
    });
    Ok([volume, instance])
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

    fn host(devices: &str, disk: &str) -> HostDisks {
        let place = format!("http://127.0.0.1:9100/metrics#{devices}");
        let text = "engine = \"tikv\"\nregion = \"us-west-2\"\nzones = 1\n[[nodes]]\nrole = \"storage\"\ncount = 3\n\
                    instance = \"m5.2xlarge\"\n";
        let text = format!("{text}data = \"{disk}\"\n");
        let deployment = deployment::Deployment::from_text(&textfile::Text::new("d.toml", &text)).unwrap();
        let known = KnownFacts::deployment(catalog::Catalog::embedded().at(None), deployment);
        HostDisks::new(&place, &known, &PilotAccess::default()).unwrap()
    }

    #[test]
    fn the_first_device_is_the_volume_and_all_are_the_instances() {
        let host = host("nvme1n1,nvme2n1", "gp3:500GiB,6000iops");
        let told = MetricsExposition::parse(&(told("nvme1n1", 9) + &told("nvme2n1", 4))).unwrap();
        let done = |take: usize| host.done(&told, host.devices.iter().take(take)).unwrap();
        assert_eq!(done(1), CompletedIo { ios: 10.0, writes: 1.0, read: 4096.0, written: 8192.0 });
        assert_eq!(done(2), CompletedIo { ios: 15.0, writes: 2.0, read: 8192.0, written: 16384.0 });
        let [volume, instance] = host.books.borrow().clone();
        assert_eq!(volume.allowance.iops, Some(units::Iops(6000.0)));
        assert!(instance.allowance.throughput.unwrap().0 > 100e6);
        let error = host.done(&MetricsExposition::default(), host.devices.iter()).unwrap_err().to_string();
        assert!(error.contains("disk `nvme1n1`"), "{error}");
    }

    #[test]
    fn credits_are_those_that_were_saved_up_since_the_first_look() {
        let host = host("nvme1n1", "gp2:500GiB");
        let mut ios = 1e9;
        let mut look = |second: u64, more: f64| {
            ios += more;
            let now = ClockReading { wall: jiff::Timestamp::UNIX_EPOCH, mono: units::Nanos::secs(second) };
            let done = CompletedIo { ios, ..CompletedIo::default() };
            let looked = host.booked(now, [done, done]);
            looked.volume.io_credit.map(|credit| (credit.left, credit.burst))
        };
        assert_eq!(look(10, 0.0), Some((0.0, 3000.0)), "what was there before is not known");
        assert_eq!(look(20, 5000.0), Some((10_000.0, 3000.0)), "of 1,500 a second");
        assert_eq!(look(30, 20_000.0), Some((5000.0, 3000.0)));
        assert_eq!(look(40, -1e9), Some((0.0, 3000.0)), "counters that fell tell of a restart");
        assert_eq!(look(50, 5000.0), Some((10_000.0, 3000.0)));
    }

    #[test]
    fn instances_that_burst_save_up_and_disks_that_do_not_have_no_credits() {
        let host = host("nvme1n1", "gp3:500GiB");
        let now = |second| ClockReading { wall: jiff::Timestamp::UNIX_EPOCH, mono: units::Nanos::secs(second) };
        host.booked(now(0), [CompletedIo::default(); 2]);
        let looked = host.booked(now(10), [CompletedIo { ios: 1000.0, ..CompletedIo::default() }; 2]);
        assert_eq!((looked.volume.io_credit, looked.volume.byte_credit), (None, None));
        let (steady, credit) = (looked.instance.iops.unwrap().0, looked.instance.io_credit.unwrap());
        assert_eq!(credit.left, 10.0 * steady - 1000.0);
        assert!(credit.burst > steady && looked.instance.byte_credit.is_some());
    }

    #[test]
    fn what_is_no_node_exporter_is_told_with_an_example() {
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        for place in ["http://127.0.0.1:9100", "http://127.0.0.1:9100/metrics#", "nvme1n1"] {
            let error = HostDisks::new(place, &known, &PilotAccess::default()).unwrap_err();
            assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("#nvme1n1"), "{error}");
        }
        let error =
            HostDisks::new("http://127.0.0.1:9100#nvme1n1", &known, &PilotAccess::default()).unwrap_err().to_string();
        assert!(error.contains("--on"), "{error}");
    }
}
