//! What the pilot sees of volumes at a look.

use timeline::Timeline;
use units::Nanos;
use volume_control::ManagedVolume;

/// The volumes of a cloud and their use. All instants are on one clock, the fleet's.
#[derive(Debug, Clone, Default)]
pub struct VolumesSeen {
    /// When it was looked.
    pub now: Nanos,
    /// All that the budget pays for.
    pub volumes: Vec<ManagedVolume>,
    /// What they were asked for.
    pub timeline: Timeline,
}
