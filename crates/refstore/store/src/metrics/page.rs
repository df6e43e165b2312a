//! Samples that are made when they are asked for, in Prometheus' text format.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{Encoder, TextEncoder};

/// A page of metrics under construction.
#[derive(Default)]
pub(crate) struct Page {
    families: Vec<MetricFamily>,
}

/// Label names with their values.
pub(crate) type Labels<'a> = [(&'a str, &'a str)];

impl Page {
    /// Adds a sample of a gauge. Samples of one name follow each other.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, labels: &Labels<'_>, value: f64) {
        let mut gauge = Gauge::default();
        gauge.set_value(value);
        let mut metric = labelled(labels);
        metric.set_gauge(gauge);
        self.add(name, help, MetricType::GAUGE, metric);
    }

    /// Adds a sample of a counter.
    pub(crate) fn counter(&mut self, name: &str, help: &str, labels: &Labels<'_>, value: f64) {
        let mut counter = Counter::default();
        counter.set_value(value);
        let mut metric = labelled(labels);
        metric.set_counter(counter);
        self.add(name, help, MetricType::COUNTER, metric);
    }

    fn add(&mut self, name: &str, help: &str, kind: MetricType, metric: Metric) {
        if let Some(last) = self.families.last_mut().filter(|family| family.get_name() == name) {
            last.mut_metric().push(metric);
            return;
        }
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.mut_metric().push(metric);
        self.families.push(family);
    }

    /// The text, after what the process's own registry has.
    pub(crate) fn text(self) -> String {
        let mut families = prometheus::gather();
        families.extend(self.families);
        let mut text = Vec::new();
        // A family without samples would be refused; there is none, and writing to memory does not fail.
        families.retain(|family| !family.get_metric().is_empty());
        let _ = TextEncoder::new().encode(&families, &mut text);
        String::from_utf8(text).unwrap_or_default()
    }
}

fn labelled(labels: &Labels<'_>) -> Metric {
    let pair = |(name, value): &(&str, &str)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).to_owned());
        pair.set_value((*value).to_owned());
        pair
    };
    let mut metric = Metric::default();
    let mut pairs: Vec<_> = labels.iter().map(pair).collect();
    // In the order in which the registry writes them.
    pairs.sort_by(|a, b| a.get_name().cmp(b.get_name()));
    metric.set_label(pairs.into_iter().collect());
    metric
}
