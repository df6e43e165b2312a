//! A gp2 volume that runs out of burst credits inside somebody else's simulator (turmoil).
//!
//! A storage host answers reads over a simulated network when the disk model says; a client with 32 connections reads as fast as it
//! can. The volume begins with one hundredth of its credits, 54,000: they last 20 s at 3,000 IOPS, then the 300 IOPS that its 100 GiB
//! earn remain. Run it with `cargo run --package diskwright-disk --example gp2_in_turmoil`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use diskwright_disk::catalog::Catalog;
use diskwright_disk::units::Nanos;
use diskwright_disk::{Device, Disk, InstanceLink, IoOperation, IoRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;
use turmoil::net::{TcpListener, TcpStream};

/// Connections of the client, each with one request outstanding.
const CONNECTIONS: u64 = 32;

/// Seconds for which the client reads.
const SECONDS: usize = 40;

/// Answers reads of 4 KiB at the offsets that come in, each when the device completes it.
async fn serve(device: Rc<RefCell<(Device, InstanceLink)>>) -> turmoil::Result {
    let start = Instant::now();
    let listener = TcpListener::bind("0.0.0.0:9000").await?;
    loop {
        let (mut connection, _) = listener.accept().await?;
        let device = device.clone();
        tokio::task::spawn_local(async move {
            while let Ok(offset) = connection.read_u64().await {
                let now = Nanos::from_secs_f64(start.elapsed().as_secs_f64());
                let completion = {
                    let (device, link) = &mut *device.borrow_mut();
                    device.submit(link, now, IoRequest { op: IoOperation::Read, offset, bytes: 4096 })
                };
                tokio::time::sleep_until(start + Duration::from_nanos(completion.at.0)).await;
                if connection.write_u8(1).await.is_err() {
                    break;
                }
            }
        });
    }
}

/// Reads over one connection until the end, and counts completed reads by the second.
async fn read(number: u64, start: Instant, counts: Rc<[Cell<u32>]>) -> turmoil::Result {
    let mut connection = TcpStream::connect("storage:9000").await?;
    for block in 0_u64.. {
        // Far apart, so that no two are adjacent.
        connection.write_u64((number + block * CONNECTIONS) * 7_919 * 4096 % (100 << 30)).await?;
        connection.read_u8().await?;
        match counts.get(start.elapsed().as_secs() as usize) {
            Some(count) => count.set(count.get() + 1),
            None => break,
        }
    }
    Ok(())
}

fn main() -> turmoil::Result {
    let mut simulation = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(SECONDS as u64 + 10))
        .min_message_latency(Duration::from_micros(50))
        .max_message_latency(Duration::from_micros(500))
        .tcp_capacity(4096)
        .build();
    simulation.host("storage", || async {
        let view = Catalog::embedded().at(None);
        let disk: Disk = "gp2:100GiB".parse()?;
        let mut device = Device::new(disk.spec(&view, None)?, 7);
        device.set_credits(Nanos(0), 0.01);
        serve(Rc::new(RefCell::new((device, InstanceLink::new(None))))).await
    });
    let counts: Rc<[Cell<u32>]> = (0..SECONDS).map(|_| Cell::new(0)).collect();
    let counted = counts.clone();
    simulation.client("client", async move {
        let start = Instant::now();
        let readers: Vec<_> =
            (0..CONNECTIONS).map(|number| tokio::task::spawn_local(read(number, start, counted.clone()))).collect();
        for reader in readers {
            reader.await??;
        }
        Ok(())
    });
    simulation.run()?;

    for (second, count) in counts.iter().enumerate().step_by(4) {
        println!("{second:>3} s {:>6} reads/s", count.get());
    }
    let (first, last) = (counts[2].get(), counts[SECONDS - 2].get());
    assert!(first > 2_500 && last < 400, "3,000 IOPS while there are credits, 300 after: {first} and {last}");
    Ok(())
}
