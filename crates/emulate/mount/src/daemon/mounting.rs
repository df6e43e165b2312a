//! Mounting anew and unmounting.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::attached::Attached;
use super::disks::{Disks, locked};
use super::log;
use crate::MountError;

impl Disks {
    /// Ends all faults and mounts the filesystem anew.
    pub(crate) fn attach(&self, name: &str) -> Result<Vec<String>, MountError> {
        let i = self.place(name)?;
        let disk = &self.disks[i];
        let _mounting = locked(&self.mounting);
        // What was only in memory when the disk went away must not reach it: unmount while it is still gone. A disk that
        // is there but stalled could not be unmounted.
        if !disk.cut.load(Ordering::Relaxed) {
            self.heal(name)?;
        }
        disk.unmount()?;
        self.heal(name)?;
        let noted = disk.mount()?;
        noted.iter().for_each(log);
        Ok(noted.into_iter().collect())
    }

    fn check_idle(&self) -> Result<(), MountError> {
        // A scanner that looks at new devices, or a process that just ended, lets go within moments.
        const PATIENCE: Duration = Duration::from_millis(300);
        const PAUSE: Duration = Duration::from_millis(20);
        let begun = Instant::now();
        loop {
            match self.disks.iter().try_for_each(Attached::check_idle) {
                Err(_) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                checked => return checked,
            }
        }
    }

    /// Unmounts and detaches all disks, or none.
    pub(crate) fn unmount(&self) -> Result<(), MountError> {
        let _mounting = locked(&self.mounting);
        self.check_idle()?;
        self.free();
        for (i, disk) in self.disks.iter().enumerate() {
            if let Err(error) = disk.unmount() {
                // Somebody was quicker.
                for unmounted in &self.disks[..i] {
                    if let Err(error) = unmounted.mount() {
                        log(error);
                    }
                }
                return Err(error);
            }
        }
        for disk in &self.disks {
            if let Err(error) = disk.device.detach() {
                // Nothing is mounted any more; the device goes when its last user does.
                log(error);
            }
        }
        Ok(())
    }

    /// Takes the disks away from whoever uses them.
    pub(crate) fn give_up(&self) {
        let _mounting = locked(&self.mounting);
        self.free();
        self.disks.iter().for_each(Attached::give_up);
    }

    /// Ends the faults of disks that are still there: nobody waits for a stall to end, nor for writes that fail. What was
    /// cut off stays so, that nothing reaches it any more.
    fn free(&self) {
        for (i, _) in self.disks.iter().enumerate().filter(|(_, disk)| !disk.cut.load(Ordering::Relaxed)) {
            let _ = self.with_server(|server| server.heal(i));
        }
    }
}
