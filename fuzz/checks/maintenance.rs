//! What metadata servers say: whatever is read has names that are not lost, and what is not read is refused in one line.

use maintenance::{MaintenanceNotice, aws, azure, gcp};

/// Reads the bytes as every answer of every cloud.
pub(crate) fn maintenance(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut notices: Vec<MaintenanceNotice> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for key in gcp::MetadataKey::ALL {
        said.extend(gcp::parse(key, text).err().map(|error| error.to_string()));
    }
    match aws::scheduled(text, "i-1") {
        Ok((read, complaints)) => {
            notices.extend(read);
            said.extend(complaints);
        }
        Err(error) => said.push(error.to_string()),
    }
    for read in [aws::instance_action(text, "i-1"), aws::rebalance(text, "i-1")] {
        match read {
            Ok(notice) => notices.push(notice),
            Err(error) => said.push(error.to_string()),
        }
    }
    match azure::parse(text) {
        Ok(document) => said.extend(document.complaints),
        Err(error) => said.push(error.to_string()),
    }
    assert!(notices.iter().all(|notice| notice.subject == "i-1" && notice.to_string().lines().count() == 1));
    assert!(said.iter().all(|line| line.lines().count() == 1), "{said:?}");
}
