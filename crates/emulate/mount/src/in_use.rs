//! Who uses a filesystem or a device, as an error says it.

/// Someone who uses a filesystem.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct FilesystemHolder {
    /// The process; `None` where the kernel itself holds it: a nested mount, a loop device.
    pub pid: Option<i32>,
    /// The process's name, or what it is that the kernel holds.
    pub name: String,
    /// What it holds, in words: `its working folder /srv/db/x`, `the open file /srv/db/wal`.
    pub what: String,
}

/// ` by fio (pid 12): the open file …`, for the end of a sentence.
pub(crate) fn sentence(holders: &[FilesystemHolder]) -> String {
    /// More would bury the message.
    const NAMED: usize = 4;
    let one = |holder: &FilesystemHolder| match holder.pid {
        Some(pid) => format!("{} (pid {pid}, {})", holder.name, holder.what),
        None => format!("{} ({})", holder.name, holder.what),
    };
    let named: Vec<String> = holders.iter().take(NAMED).map(one).collect();
    match holders.len() {
        0 => ", but no user was found; a service of the kernel (NFS, swap) may be".to_owned(),
        n if n > NAMED => format!(" by {} and {} more: end them and try again", named.join(", "), n - NAMED),
        1 => format!(" by {}: end it and try again", named[0]),
        _ => format!(" by {}: end them and try again", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(pid: i32) -> FilesystemHolder {
        FilesystemHolder { pid: Some(pid), name: "fio".to_owned(), what: "the open file /a".to_owned() }
    }

    #[test]
    fn a_sentence_names_few_and_counts_the_rest() {
        assert_eq!(sentence(&[holder(7)]), " by fio (pid 7, the open file /a): end it and try again");
        let many: Vec<FilesystemHolder> = (1..7).map(holder).collect();
        assert!(sentence(&many).ends_with("and 2 more: end them and try again"), "{}", sentence(&many));
    }
}
