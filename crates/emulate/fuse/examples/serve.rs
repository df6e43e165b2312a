//! Serves disks until it is interrupted, as plainly as can be, to measure the server.
//!
//! `serve FOLDER [--instance TYPE] NAME=DISK=BACKING...` attaches a loop device to each, prints its name and ends at a
//! line on standard input or at its end. Backing files must exist and have the disks' sizes.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use fuse::{DiskAttachment, FuseServer, InstanceDisks};

fn run(program: &str, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let out = Command::new(program).args(arguments).output()?;
    match out.status.success() {
        true => Ok(String::from_utf8(out.stdout)?.trim().to_owned()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&out.stderr)).into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Err(error) = fuse::guard_memory() {
        eprintln!("{error}");
    }
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let catalog = catalog::Catalog::embedded();
    let view = catalog.at(None);
    let instance = match arguments.iter().position(|a| a == "--instance") {
        Some(i) => Some(view.instance(&arguments.drain(i..i + 2).next_back().ok_or("--instance TYPE")?)?),
        None => None,
    };
    let folder = PathBuf::from(arguments.first().ok_or("usage: serve FOLDER [--instance TYPE] NAME=DISK=BACKING...")?);
    let mut disks = Vec::new();
    for argument in &arguments[1..] {
        let [name, text, backing] =
            argument.splitn(3, '=').collect::<Vec<_>>().try_into().map_err(|_| "NAME=DISK=BACKING")?;
        let disk: disk::Disk = text.parse()?;
        disks.push(DiskAttachment {
            name: name.to_owned(),
            disk: disk.to_string(),
            kind: disk.volume.kind.clone(),
            spec: disk.spec(&view, instance)?,
            backing: backing.into(),
            degraded_minutes: false,
            passthrough: false,
        });
    }
    let names: Vec<String> = disks.iter().map(|disk| disk.name.clone()).collect();
    let caps = instance.and_then(|i| i.caps);
    let instance = instance.map(|i| i.name.clone());
    let server = FuseServer::start(InstanceDisks { folder: folder.clone(), instance, caps, disks, seed: 1 })?;
    let mut loops = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let file = folder.join(name);
        let device = run("losetup", &["--find", "--show", "--direct-io=on", &file.to_string_lossy()])?;
        std::fs::write(format!("/sys/block/{}/queue/write_cache", &device[5..]), "write through")?;
        let overhead = server.calibrate(i, Path::new(&device))?;
        println!("{name} {device} overhead {overhead}");
        loops.push(device);
    }
    let before = server.sample();
    std::io::stdin().read_line(&mut String::new())?;
    let after = server.sample();
    for (i, (before, after)) in before.disks.iter().zip(&after.disks).enumerate() {
        let latencies = server.latencies(i);
        let quantile = |q| (latencies.read.value_at_quantile(q) / 1000, latencies.write.value_at_quantile(q) / 1000);
        let count = after.answered() - before.answered();
        let late = (after.late - before.late).0 / count.max(1);
        println!(
            "{}: {count} requests, late {late} ns each, p50 {:?} p95 {:?} µs (reads, writes)",
            after.name,
            quantile(0.5),
            quantile(0.95)
        );
        println!("{after:?}");
    }
    for device in loops {
        run("losetup", &["-d", &device])?;
    }
    // The kernel lets go of a loop device's file a moment after it is detached.
    for _ in 0..100 {
        if server.stop().is_ok() {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Ok(server.stop()?)
}
