//! A sample in the text format that Prometheus reads: node_exporter's names for disks, and ours.

use std::fmt;

use limits::BindingLimit;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use units::Nanos;

use crate::{CreditGauge, DiskSample, NodeSample};

/// What the text of [`prometheus`] is served as.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The sample in Prometheus' text format 0.0.4. The label `device` is the block device, or the disk's name before there is
/// one; `diskwright_disk_info` joins the two.
pub fn prometheus(sample: &NodeSample) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Sample(sample.clone())));
    let mut text = String::new();
    // Writing to a string does not fail, and the encoder reports nothing else.
    let _ = encode_registry(&mut text, &registry);
    text
}

#[derive(Debug)]
struct Sample(NodeSample);

impl Collector for Sample {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut page = Page { node: &self.0, encoder: &mut encoder };
        page.node_exporter()?;
        page.ours()?;
        page.credits()?;
        page.cache()
    }
}

type Labels<'a> = Vec<(&'static str, &'a str)>;

struct Page<'a, 'e> {
    node: &'a NodeSample,
    encoder: &'a mut DescriptorEncoder<'e>,
}

impl Page<'_, '_> {
    /// Names and meanings as node_exporter's diskstats collector has them (prometheus/node_exporter,
    /// collector/diskstats_linux.go).
    fn node_exporter(&mut self) -> fmt::Result {
        self.counter("node_disk_reads_completed_total", "Reads that completed.", |d| d.read.count)?;
        self.counter("node_disk_read_bytes_total", "Bytes read.", |d| d.read.bytes.0)?;
        self.counter("node_disk_read_time_seconds_total", "Sum of read latencies.", |d| seconds(d.read.time))?;
        self.counter("node_disk_writes_completed_total", "Writes that completed.", |d| d.write.count)?;
        self.counter("node_disk_written_bytes_total", "Bytes written.", |d| d.write.bytes.0)?;
        self.counter("node_disk_write_time_seconds_total", "Sum of write latencies.", |d| seconds(d.write.time))?;
        self.counter("node_disk_flush_requests_total", "Flushes that completed.", |d| d.flush.count)?;
        self.counter("node_disk_flush_requests_time_seconds_total", "Sum of flush latencies.", |d| {
            seconds(d.flush.time)
        })?;
        self.gauge("node_disk_io_now", "Requests in flight.", |d| Some(d.in_flight))?;
        self.counter("node_disk_io_time_seconds_total", "Time with requests in flight.", |d| seconds(d.busy))?;
        self.counter("node_disk_io_time_weighted_seconds_total", "Requests in flight, integrated over time.", |d| {
            seconds(d.queued)
        })
    }

    fn ours(&mut self) -> fmt::Result {
        let info = self.node.disks.iter().map(|d| {
            let labels = vec![("device", device(d)), ("name", &d.name), ("disk", &d.disk), ("kind", &d.kind)];
            (labels, 1u64)
        });
        let info = info.collect();
        self.family(
            "diskwright_disk_info",
            "The disk as text, its name and its volume type.",
            MetricType::Gauge,
            info,
        )?;
        self.gauge("diskwright_disk_size_bytes", "Size of the disk.", |d| Some(d.size.0))?;
        self.gauge("diskwright_disk_limit_iops", "Sustained I/O limit, in I/Os a second.", |d| {
            d.iops_limit.map(|l| l.0)
        })?;
        self.gauge("diskwright_disk_limit_bytes_per_second", "Sustained throughput limit, in bytes a second.", |d| {
            d.throughput_limit.map(|l| l.0)
        })?;
        let labels = BindingLimit::OF_REQUESTS.map(BindingLimit::label);
        let bound = self.node.disks.iter().flat_map(|d| {
            let of = |limit: BindingLimit| {
                let label = labels[limit.of_request().expect("it holds up requests")].as_str();
                (vec![("device", device(d)), ("limit", label)], seconds(d.bound.get(limit)))
            };
            BindingLimit::OF_REQUESTS.map(of)
        });
        let bound = bound.collect();
        self.family(
            "diskwright_disk_bound_seconds_total",
            "Time in which the limit held up at least one request.",
            MetricType::Counter,
            bound,
        )?;
        self.counter("diskwright_disk_counted_ios_total", "I/Os as the volumes' limits count them.", |d| d.counted)?;
        self.counter("diskwright_disk_errors_total", "Requests that ended with an error.", |d| d.errors)?;
        self.counter("diskwright_disk_late_seconds_total", "Sum of the lateness of answers.", |d| seconds(d.late))
    }

    fn credits(&mut self) -> fmt::Result {
        let of_disks = self.node.disks.iter().flat_map(|d| {
            let of = |(unit, credit): (_, Option<_>)| Some((vec![("device", device(d)), ("unit", unit)], credit?));
            [("ios", d.ios), ("bytes", d.bytes)].into_iter().filter_map(of)
        });
        let of_disks: Vec<(Labels<'_>, CreditGauge)> = of_disks.collect();
        let of_instance = [("ios", self.node.instance_ios), ("bytes", self.node.instance_bytes)];
        let of_instance: Vec<(Labels<'_>, CreditGauge)> =
            of_instance.iter().filter_map(|(unit, credit)| Some((vec![("unit", *unit)], (*credit)?))).collect();
        let (left, full) = split(&of_disks);
        self.family("diskwright_disk_credits", "Burst credits left, in I/Os or bytes.", MetricType::Gauge, left)?;
        self.family("diskwright_disk_credits_capacity", "Burst credits of a full bucket.", MetricType::Gauge, full)?;
        let (left, full) = split(&of_instance);
        self.family("diskwright_instance_credits", "Burst credits left, in I/Os or bytes.", MetricType::Gauge, left)?;
        self.family("diskwright_instance_credits_capacity", "Burst credits of a full bucket.", MetricType::Gauge, full)
    }

    fn cache(&mut self) -> fmt::Result {
        let reads = self.node.disks.iter().filter_map(|d| Some((d, d.cache?))).flat_map(|(d, cache)| {
            let of = |result, count| (vec![("device", device(d)), ("result", result)], count);
            [of("hit", cache.hits), of("miss", cache.misses)]
        });
        let reads = reads.collect();
        self.family("diskwright_disk_cache_reads_total", "Reads of a cached disk.", MetricType::Counter, reads)
    }

    fn counter<T: EncodeGaugeValue>(&mut self, name: &str, help: &str, of: impl Fn(&DiskSample) -> T) -> fmt::Result {
        let all = self.node.disks.iter().map(|d| (vec![("device", device(d))], of(d))).collect();
        self.family(name, help, MetricType::Counter, all)
    }

    fn gauge<T: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        of: impl Fn(&DiskSample) -> Option<T>,
    ) -> fmt::Result {
        let all = self.node.disks.iter().filter_map(|d| Some((vec![("device", device(d))], of(d)?))).collect();
        self.family(name, help, MetricType::Gauge, all)
    }

    /// One family; left out where it has no values. A counter is written as a gauge would be, under a name that already ends
    /// in `_total`: the encoder's own counters are OpenMetrics, where the family's name lacks the ending, and readers of the
    /// older format then take them for another family without type.
    fn family<T: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        values: Vec<(Labels<'_>, T)>,
    ) -> fmt::Result {
        if values.is_empty() {
            return Ok(());
        }
        let mut metric = self.encoder.encode_descriptor(name, help, None, kind)?;
        for (labels, value) in &values {
            metric.encode_family(labels)?.encode_gauge(value)?;
        }
        Ok(())
    }
}

/// Credits left and those of full buckets, each with its labels.
type Balances<'a> = (Vec<(Labels<'a>, f64)>, Vec<(Labels<'a>, f64)>);

fn split<'a>(credits: &[(Labels<'a>, CreditGauge)]) -> Balances<'a> {
    credits.iter().map(|(labels, credit)| ((labels.clone(), credit.now), (labels.clone(), credit.capacity))).unzip()
}

/// The device's name as node_exporter has it.
fn device(disk: &DiskSample) -> &str {
    disk.device.as_deref().unwrap_or(&disk.name)
}

fn seconds(time: Nanos) -> f64 {
    time.as_secs_f64()
}

#[cfg(test)]
#[path = "prometheus_tests.rs"]
mod tests;
