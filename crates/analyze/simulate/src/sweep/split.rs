//! Where one value of a sweep ends and the next begins: disks have commas of their own.

/// The values of `4KiB,16KiB` or `gp3:100GiB,6000iops,gp3:200GiB`. A rate belongs to the disk before it: what begins a disk
/// has a colon after its type.
pub(super) fn values(text: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for piece in text.split(',').map(str::trim) {
        match values.last_mut() {
            Some(disk) if is_disk(disk) && belongs(piece) => *disk += &format!(",{piece}"),
            _ => values.push(piece.to_owned()),
        }
    }
    values.retain(|value| !value.is_empty());
    values
}

fn is_disk(value: &str) -> bool {
    value.contains(':')
}

/// Whether it is a rate, a throughput, or the end of a disk that has them.
fn belongs(piece: &str) -> bool {
    piece.starts_with(|c: char| c.is_ascii_digit()) && !piece.split('+').next().unwrap_or_default().contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_stay_with_their_disk() {
        let disks = ["gp3:100GiB,6000iops,250MiB/s", "2x(gp2:100GiB)", "gp3:1TiB,4000iops+cache(nvme:20GiB)", "shared"];
        assert_eq!(values(&disks.join(",")), disks);
        assert_eq!(values("2x(gp3:10GiB,3000iops),own"), ["2x(gp3:10GiB,3000iops)", "own"]);
    }

    #[test]
    fn plain_values_are_split_at_every_comma() {
        assert_eq!(values("4KiB, 16KiB,"), ["4KiB", "16KiB"]);
        assert!(values("").is_empty());
    }
}
