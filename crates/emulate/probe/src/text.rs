//! A probe for people.

use std::fmt;

use units::Nanos;

use crate::Probe;

/// Links faster than this, in bytes a second, are no link to speak of.
const NO_LINK: f64 = 1e11;

fn us(time: Nanos) -> String {
    format!("{:.0} us", time.0 as f64 / 1e3)
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.size.map_or(String::new(), |size| format!(", {size:.1}"));
        writeln!(f, "{}{size}: worked on {:.1}\n", self.target, self.range)?;
        let mut row = |name: &str, value: String| writeln!(f, "  {name:<20} {value}");
        for (name, value) in self.rows() {
            row(name, value)?;
        }
        writeln!(f)?;
        match &self.nearest {
            Some(nearest) => {
                let on = nearest.instance.as_ref().map_or(String::new(), |i| format!(" of {i}"));
                writeln!(f, "Nearest disk sold: {}{on}, {:.1} % off", nearest.disk, nearest.distance * 100.0)?;
                if !nearest.alike.is_empty() {
                    writeln!(f, "As near: {}", nearest.alike.join(", "))?;
                }
            }
            None => writeln!(f, "No disk of the catalogue is like it.")?,
        }
        writeln!(f, "\n  {:<18} {:<13} {:>12} {:>12} {:>8}", "step", "quantity", "measured", "fitted", "error")?;
        for r in &self.residuals {
            let error = format!("{:+.1} %", r.error() * 100.0);
            writeln!(f, "  {:<18} {:<13} {:>12.1} {:>12.1} {:>8}", r.step, r.quantity, r.measured, r.predicted, error)?;
        }
        Ok(())
    }
}

impl Probe {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let fitted = &self.fitted;
        let service = &fitted.service;
        let least = |reached: bool| if reached { "" } else { " or more: another limit came first" };
        let mut rows = vec![
            ("I/O rate", format!("{:.0}{}", fitted.iops.value, least(fitted.iops.reached))),
            ("throughput", format!("{:.1}{}", fitted.throughput.value, least(fitted.throughput.reached))),
            ("read, idle", format!("{} median, sigma {:.2}", us(service.read), service.sigma)),
        ];
        if fitted.written {
            rows.push(("write, idle", format!("{} median", us(service.write))));
            let flush =
                if service.flush == Nanos(0) { "free: no volatile cache".to_owned() } else { us(service.flush) };
            rows.push(("flush", flush));
        } else {
            rows.push((
                "write",
                "not measured: the device was only read, and never-written blocks may read faster".into(),
            ));
        }
        if service.link.0 < NO_LINK {
            rows.push(("bytes travel at", format!("{:.0}", service.link)));
        }
        rows.push(("near full rate", format!("{:.0} % slower", service.softness * 100.0)));
        if fitted.write_iops_cost != 1.0 || fitted.write_bytes_cost != 1.0 {
            let cost = format!("{:.2} reads; a byte {:.2}", fitted.write_iops_cost, fitted.write_bytes_cost);
            rows.push(("a write costs", cost));
        }
        if fitted.merge.0 > 0 {
            rows.push(("writes in a row", format!("merged into {} or more", fitted.merge)));
        }
        if let Some(shared) = fitted.reads_and_writes_share {
            let text = if shared { "share the I/O rate" } else { "have an I/O rate each" };
            rows.push(("reads and writes", text.into()));
        }
        if let Some(used) = fitted.limits_used_at_once {
            let text = if used > 1.2 { "independent" } else { "one takes from the other" };
            rows.push(("the two limits", format!("{text} ({:.0} % used at once)", used * 100.0)));
        }
        if let Some(burst) = fitted.burst {
            let (fast, slow) = (burst.burst, burst.sustained);
            rows.push((
                "burst",
                format!("{fast:.0} falls to {slow:.0} after {:.2} million I/Os of credit", burst.credits / 1e6),
            ));
        }
        rows
    }
}
