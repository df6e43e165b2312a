//! The answer of `disk record`: what each disk did while a command ran.

use std::path::Path;
use std::process::ExitStatus;

use limits::BindingLimit;
use mount::RecordedDisk;
use serde_json::{Value, json};
use timeline::LatencyHistogram;
use units::Nanos;

use crate::text::{Table, bold};

/// What was recorded while a command ran.
#[derive(Debug)]
pub struct DiskRecording<'r> {
    /// The command and its arguments.
    pub command: &'r [String],
    /// The file that holds the Timeline.
    pub out: Option<&'r Path>,
    /// How long it was recorded.
    pub span: Nanos,
    /// The disks.
    pub disks: Vec<RecordedDisk>,
    /// How the command ended.
    pub status: ExitStatus,
}

/// The recording as text.
pub fn text(recording: &DiskRecording<'_>) -> String {
    let DiskRecording { out, span, disks, status, .. } = recording;
    let head = ["disk", "IOPS", "MB/s", "queue", "read p50", "p99 ms", "write p50", "p99 ms", "held up by"];
    let mut table = Table::new(&head, &[1, 2, 3, 4, 5, 6, 7]);
    let at = |h: &LatencyHistogram, share| match h.len() {
        0 => "-".to_owned(),
        _ => format!("{:.2}", h.value_at_quantile(share) as f64 / 1e6),
    };
    for RecordedDisk { name, rates: now, read, write } in disks {
        let binds = now.binds.map_or("-".to_owned(), |l| format!("{} ({:.0} %)", l, now.bound.get(l) * 100.0));
        table.row([
            name.clone(),
            format!("{:.0}", now.read.iops.0 + now.write.iops.0),
            format!("{:.1}", now.read.throughput.as_mb() + now.write.throughput.as_mb()),
            format!("{:.1}", now.queue_depth),
            at(read, 0.5),
            at(read, 0.99),
            at(write, 0.5),
            at(write, 0.99),
            binds,
        ]);
        table.note(now.disk.clone());
    }
    let ended = if status.success() { String::new() } else { format!("; the command failed ({status})") };
    let mut text = format!("{}\n{table}", bold(&format!("{:.1} s recorded{ended}", span.as_secs_f64())));
    if let Some(out) = out {
        text += &format!("\nwritten to {}\n", out.display());
    }
    text
}

/// The recording as JSON.
pub fn document(recording: &DiskRecording<'_>) -> Value {
    let DiskRecording { command, out, span, disks, status } = recording;
    let quantiles = |h: &LatencyHistogram| match h.len() {
        0 => Value::Null,
        _ => {
            let us = |share| h.value_at_quantile(share) as f64 / 1e3;
            json!({ "count": h.len(), "mean_us": h.mean() / 1e3, "p50_us": us(0.5), "p95_us": us(0.95), "p99_us": us(0.99),
                    "p999_us": us(0.999), "max_us": h.max() as f64 / 1e3 })
        }
    };
    let disk = |s: &RecordedDisk| {
        let bound: serde_json::Map<String, Value> = BindingLimit::OF_REQUESTS
            .into_iter()
            .map(|limit| (limit.label(), json!(s.rates.bound.get(limit))))
            .collect();
        json!({ "name": s.name, "disk": s.rates.disk, "rates": s.rates, "bound": bound,
                "read_latency": quantiles(&s.read), "write_latency": quantiles(&s.write) })
    };
    json!({
        "span_s": span.as_secs_f64(), "out": out.map(|out| out.to_string_lossy()), "command": command, "exit_code": status.code(),
        "disks": disks.iter().map(disk).collect::<Vec<_>>(),
    })
}
