//! An instance with the disks that hang on it.

use units::Nanos;

use super::{Device, InstanceLink, IoCompletion, IoRequest};

/// An instance with its devices.
#[derive(Debug, Clone)]
pub struct DiskNode {
    /// The instance.
    pub host: InstanceLink,
    /// Devices attached to the instance.
    pub devices: Vec<Device>,
}

impl DiskNode {
    /// Submits to one of the devices; see [`Device::submit`].
    ///
    /// # Panics
    /// When there is no such device.
    pub fn submit(&mut self, device: usize, at: Nanos, io: IoRequest) -> IoCompletion {
        self.devices[device].submit(&mut self.host, at, io)
    }
}
