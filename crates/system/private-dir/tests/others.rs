//! What another user placed or could place is refused, with whose it is. Needs root, to be two users.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use private_dir::{FolderPurpose, existing, open};

const NOBODY: u32 = 65534;

/// A folder in memory as it comes to strangers: below a sticky folder for everybody.
fn place() -> tempfile::TempDir {
    assert!(nix::unistd::geteuid().is_root(), "these tests give folders to `nobody`: run them as root");
    tempfile::Builder::new().prefix("private-").tempdir_in("/dev/shm").unwrap()
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn folder(path: PathBuf, owner: u32, bits: u32) -> PathBuf {
    fs::create_dir(&path).unwrap();
    mode(&path, bits);
    chown(&path, Some(owner), Some(owner)).unwrap();
    path
}

#[track_caller]
fn refused(path: &Path, says: &[&str]) {
    let error = open(path, FolderPurpose::SCRATCH).unwrap_err().to_string();
    for part in says.iter().chain(&[path.to_str().unwrap(), "--scratch DIR"]) {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    assert!(
        existing(path, FolderPurpose::SCRATCH).is_err() || !path.exists(),
        "what is there is refused in either way"
    );
}

#[test]
fn a_missing_folder_is_made_for_its_owner_only_with_all_that_lead_to_it() {
    let place = place();
    let path = place.path().join("a/b");
    assert_eq!(existing(&path, FolderPurpose::SCRATCH).unwrap(), None);
    assert_eq!(open(&path, FolderPurpose::SCRATCH).unwrap(), path);
    for made in [&path, &place.path().join("a")] {
        assert_eq!(made.metadata().unwrap().permissions().mode() & 0o7777, 0o700, "{}", made.display());
    }
    assert_eq!(existing(&path, FolderPurpose::SCRATCH).unwrap(), Some(path));
}

#[test]
fn a_folder_that_another_user_made_first_is_refused_with_its_owner() {
    let place = place();
    let says = ["belongs to nobody (uid 65534) and has mode 0700", "expected a folder of root (uid 0) with mode 0700"];
    refused(&folder(place.path().join("theirs"), NOBODY, 0o700), &says);
}

#[test]
fn a_folder_that_others_can_read_or_write_is_refused_with_how_to_close_it() {
    let place = place();
    for (bits, hint) in [
        (0o755, "`chmod 700 "),
        (0o701, "`chmod 700 "),
        (0o720, "mode 0700: name another"),
        (0o1777, "name a folder below it, or"),
    ] {
        let path = folder(place.path().join(format!("{bits:o}")), 0, bits);
        refused(&path, &["others can get into it", &format!("has mode {bits:04o}"), hint]);
    }
    let passed = folder(place.path().join("passed"), 0, 0o710);
    assert_eq!(open(&passed, FolderPurpose::SCRATCH).unwrap(), passed);
    let data = FolderPurpose { allowed: 0o055, ..FolderPurpose::SCRATCH };
    assert!(open(&place.path().join("755"), data).is_ok());
    let error = open(&place.path().join("1777"), data).unwrap_err().to_string();
    assert!(error.contains("expected mode 0755"), "{error}");
}

#[test]
fn a_link_that_another_user_placed_is_not_followed_and_an_own_one_is() {
    let place = place();
    let shared = folder(place.path().join("shared"), 0, 0o1777);
    let own = folder(place.path().join("own"), 0, 0o700);
    let link = shared.join("link");
    symlink(&own, &link).unwrap();
    assert_eq!(open(&link, FolderPurpose::SCRATCH).unwrap(), own);
    assert_eq!(open(&link.join("../own/x"), FolderPurpose::SCRATCH).unwrap(), own.join("x"));
    std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
    refused(&link, &["belongs to nobody (uid 65534)", "could put something else in its place"]);
    refused(&link.join("x"), &["belongs to nobody (uid 65534)"]);
}

#[test]
fn a_link_that_leads_to_itself_is_refused() {
    let place = place();
    let link = place.path().join("link");
    symlink(&link, &link).unwrap();
    refused(&link, &["too many symbolic links"]);
}

#[test]
fn a_folder_on_the_way_that_others_can_write_to_is_trusted_only_if_sticky() {
    let place = place();
    let shared = folder(place.path().join("shared"), 0, 0o1777);
    assert!(open(&shared.join("x"), FolderPurpose::SCRATCH).is_ok());
    for bits in [0o777, 0o772] {
        mode(&shared, bits);
        refused(&shared.join("x"), &["could put something else in its place", shared.to_str().unwrap(), "chmod go-w"]);
        refused(&shared.join("new/x"), &["could put something else in its place"]);
        assert!(!shared.join("new").exists(), "nothing is made in it");
    }
    // Root's group, whose members are as good as root.
    mode(&shared, 0o775);
    assert!(open(&shared.join("x"), FolderPurpose::SCRATCH).is_ok());
    chown(&shared, None, Some(NOBODY)).unwrap();
    refused(&shared.join("x"), &["could put something else in its place"]);
}

#[test]
fn a_folder_on_the_way_that_belongs_to_another_user_is_refused() {
    let place = place();
    let theirs = folder(place.path().join("theirs"), NOBODY, 0o755);
    let own = folder(theirs.join("own"), 0, 0o700);
    refused(&own, &[theirs.to_str().unwrap(), "belongs to nobody (uid 65534)", "expected it to be of root (uid 0)"]);
}

#[test]
fn what_is_no_folder_is_refused() {
    let place = place();
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    refused(&file, &["is no folder"]);
    refused(&file.join("x"), &["is no folder"]);
}

#[test]
fn an_owner_without_an_account_is_told_by_number() {
    let place = place();
    refused(&folder(place.path().join("theirs"), 54321, 0o700), &["belongs to uid 54321, which has no account here"]);
}
