//! A request made definite: every disk with its behaviour, its file and its place, all of it possible.

use std::path::{Path, PathBuf};

use catalog::{Catalog, CatalogView, InstanceType, VolumeMedium};
use disk::{DeviceSpec, Disk};
use units::Bytes;

use crate::loops::Manner;
use crate::process::Process;
use crate::{MountError, MountRequest, home};

/// What a daemon is to do; written to the state folder.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Order {
    /// What was asked for, with absolute paths.
    pub(crate) request: MountRequest,
    /// Folders that were made for it, outermost first; they go when it does.
    pub(crate) created: Vec<PathBuf>,
    /// What people should know of the daemon before.
    pub(crate) notes: Vec<String>,
    /// Who starts the daemon and waits for it.
    pub(crate) starter: Process,
}

/// A disk that can be had.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) disk: Disk,
    pub(crate) spec: DeviceSpec,
    pub(crate) at: PathBuf,
    pub(crate) backing: PathBuf,
}

/// The facts that hold for a request.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Of the request's day.
    pub(crate) view: CatalogView,
    instance: Option<InstanceType>,
}

impl Facts {
    pub(crate) fn of(request: &MountRequest) -> Result<Self, MountError> {
        let view = Catalog::embedded().at(request.as_of);
        let instance = request.instance.as_ref().map(|name| view.instance(name).cloned());
        let instance = instance.transpose().map_err(input)?;
        Ok(Self { view, instance })
    }

    /// How a disk behaves on the instance.
    pub(crate) fn spec(&self, disk: &Disk) -> Result<DeviceSpec, MountError> {
        disk.spec(&self.view, self.instance.as_ref()).map_err(input)
    }

    /// The caps that the disks share.
    pub(crate) fn caps(&self) -> Option<catalog::InstanceCaps> {
        self.instance.as_ref().and_then(|instance| instance.caps)
    }

    /// How its device is to present itself.
    pub(crate) fn manner(&self, planned: &Planned) -> Manner {
        let medium = self.view.volume(&planned.disk.volume.kind).map(|kind| kind.medium);
        Manner { volatile_cache: planned.spec.volume.service.flush.0 > 0, rotational: medium == Ok(VolumeMedium::Hdd) }
    }

    /// The disks of a request.
    ///
    /// # Errors
    /// When one cannot be had, or two would be in each other's way.
    pub(crate) fn plan(&self, request: &MountRequest) -> Result<Vec<Planned>, MountError> {
        if request.disks.is_empty() {
            return Err(MountError::Input("no disk is asked for: name one, such as gp3:100GiB".to_owned()));
        }
        for (i, wanted) in request.disks.iter().enumerate() {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            if wanted.name.is_empty() || wanted.name.len() > 32 || !wanted.name.chars().all(plain) {
                let name = &wanted.name;
                return Err(MountError::Input(format!("`{name}` is no name for a disk: use letters, digits, - and _")));
            }
            let below = wanted.at.components().all(|part| matches!(part, std::path::Component::Normal(_)));
            if !below || wanted.at.components().count() > 1 {
                let at = wanted.at.display();
                return Err(MountError::Input(format!("{at} is no place for a disk: name a folder directly in DIR")));
            }
            if request.disks[..i].iter().any(|other| other.name == wanted.name || other.at == wanted.at) {
                return Err(MountError::Input(format!("there are two disks {}: name them apart", wanted.name)));
            }
        }
        if request.disks.len() > 1 && request.disks.iter().any(|wanted| wanted.at.as_os_str().is_empty()) {
            return Err(MountError::Input("one of several disks cannot be mounted at DIR itself".to_owned()));
        }
        request.disks.iter().map(|wanted| self.planned(request, wanted)).collect()
    }

    fn planned(&self, request: &MountRequest, wanted: &crate::DiskRequest) -> Result<Planned, MountError> {
        let spec = self.spec(&wanted.disk)?;
        if spec.volume.shares_instance_caps
            && let Some(instance) = self.instance.as_ref().filter(|instance| instance.caps.is_none())
        {
            return Err(MountError::Input(format!(
                "the limits of {} to network volumes are not known: leave the instance out, or name another",
                instance.name
            )));
        }
        if request.passthrough && !(wanted.disk.volume.is_unlimited() && wanted.disk.cache.is_none()) {
            return Err(MountError::Input(format!(
                "the kernel itself keeps no limits, as {} has them: ask for passthrough with `unlimited` disks only",
                wanted.disk
            )));
        }
        Ok(Planned {
            name: wanted.name.clone(),
            disk: wanted.disk.clone(),
            spec,
            // Joining nothing would end it in a slash.
            at: if wanted.at.as_os_str().is_empty() { request.dir.clone() } else { request.dir.join(&wanted.at) },
            backing: backing(request, &wanted.name),
        })
    }
}

impl Planned {
    /// Its whole size.
    pub(crate) fn size(&self) -> Bytes {
        self.spec.volume.size * u64::from(self.spec.stripe)
    }
}

/// The file that keeps a disk's data: the same for the same folder and name, whatever the disk.
pub(crate) fn backing(request: &MountRequest, disk: &str) -> PathBuf {
    request.backing.join(format!("{}-{disk}.img", home::name(&request.dir)))
}

/// Those of all its disks.
pub(crate) fn backings(request: &MountRequest) -> impl Iterator<Item = PathBuf> {
    request.disks.iter().map(|wanted| backing(request, &wanted.name))
}

fn input(error: impl std::fmt::Display) -> MountError {
    MountError::Input(error.to_string())
}

/// A path without `.`, `..` and symbolic links, whether or not its end exists yet.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, MountError> {
    let failed = |error: std::io::Error| MountError::Input(format!("{}: {error}", path.display()));
    let path = std::path::absolute(path).map_err(failed)?;
    let mut missing = Vec::new();
    let mut there = path.as_path();
    loop {
        match there.canonicalize() {
            Ok(found) => return Ok(missing.iter().rev().fold(found, |path, part| path.join(part))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !there.is_symlink() => {
                let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else { return Err(failed(error)) };
                missing.push(name.to_owned());
                there = parent;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
                let path = path.display();
                return Err(MountError::Input(format!(
                    "{path} lies in a file: name a folder, or one that can be made"
                )));
            }
            Err(error) => return Err(failed(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiskRequest;

    fn plan(request: &MountRequest) -> Result<Vec<Planned>, MountError> {
        Facts::of(request)?.plan(request)
    }

    fn request(disk: &str) -> MountRequest {
        MountRequest::single("/srv/db", disk.parse().unwrap())
    }

    #[test]
    fn a_stripe_is_as_large_as_all_its_volumes() {
        let planned = plan(&request("2x(gp3:10GiB)")).unwrap();
        assert_eq!(planned[0].size(), Bytes::gib(20));
        assert_eq!(planned[0].at, PathBuf::from("/srv/db"));
    }

    #[test]
    fn two_folders_never_share_a_backing_file_and_a_disk_keeps_its_own() {
        let (a, b) = (request("gp3:10GiB"), MountRequest { dir: "/mnt/db".into(), ..request("gp3:10GiB") });
        assert_ne!(backing(&a, "data"), backing(&b, "data"));
        assert_eq!(backing(&a, "data"), backing(&request("gp2:20GiB"), "data"));
    }

    #[test]
    fn what_cannot_be_had_is_bad_input() {
        let unknown = MountRequest { instance: Some("m5.hugest".to_owned()), ..request("gp3:10GiB") };
        let mut twice = request("gp3:10GiB");
        twice.disks.push(twice.disks[0].clone());
        let mut outside = request("gp3:10GiB");
        outside.disks[0].at = "../x".into();
        let mut slash = request("gp3:10GiB");
        slash.disks[0].name = "a/b".into();
        let none = MountRequest { disks: Vec::<DiskRequest>::new(), ..request("gp3:10GiB") };
        for bad in [request("gp3:100TiB"), request("nvme:10GiB"), unknown, twice, outside, slash, none] {
            let error = plan(&bad).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{error}");
        }
    }

    #[test]
    fn a_path_is_made_absolute_although_its_end_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::os::unix::fs::symlink(&real, real.join("link")).unwrap();
        std::fs::create_dir(real.join("a")).unwrap();
        assert_eq!(absolute(&real.join("link/a/../b")).unwrap(), real.join("b"));
        assert_eq!(absolute(&real.join("link/new")).unwrap(), real.join("new"));
    }
}
