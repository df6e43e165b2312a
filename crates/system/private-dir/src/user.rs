//! Users by number and name.

use std::fmt;

use nix::unistd::{Uid, geteuid, getgroups};

/// A user of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalUser(pub u32);

impl LocalUser {
    /// The superuser.
    pub const ROOT: Self = Self(0);

    /// The effective user of this process.
    pub fn current() -> Self {
        Self(geteuid().as_raw())
    }

    /// Its account's name; `None` if it has no account here.
    pub fn name(self) -> Option<String> {
        nix::unistd::User::from_uid(Uid::from_raw(self.0)).ok().flatten().map(|account| account.name)
    }
}

impl fmt::Display for LocalUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} (uid {})", self.0),
            None => write!(f, "uid {}, which has no account here", self.0),
        }
    }
}

/// Whether this process is in a group. Root's is everybody's: its members can do anything root can.
pub(crate) fn is_own_group(gid: u32) -> bool {
    gid == 0
        || gid == nix::unistd::getegid().as_raw()
        || getgroups().is_ok_and(|groups| groups.iter().any(|group| group.as_raw() == gid))
}
