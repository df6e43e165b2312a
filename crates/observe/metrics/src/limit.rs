//! What can hold up a request, and for which share of the time it did.

use limits::BindingLimit;
use units::Nanos;

use crate::LimitTimes;
use crate::rates::share;
use crate::thresholds::THRESHOLDS;

/// Shares of time, 0 to 1, by limit. They may add up to more than 1: several limits may hold up requests at once.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct LimitShares {
    /// I/Os a second of the volume.
    pub volume_iops: f64,
    /// Bytes a second of the volume.
    pub volume_throughput: f64,
    /// I/Os a second of the instance.
    pub instance_iops: f64,
    /// Bytes a second of the instance.
    pub instance_throughput: f64,
    /// A stall.
    pub fault: f64,
}

impl LimitShares {
    pub(crate) fn of(before: &LimitTimes, after: &LimitTimes, span: Nanos) -> Self {
        // Two counters read an instant apart may make a hair more than the time.
        let share = |before, after| share(before, after, span).min(1.0);
        Self {
            volume_iops: share(before.volume_iops, after.volume_iops),
            volume_throughput: share(before.volume_throughput, after.volume_throughput),
            instance_iops: share(before.instance_iops, after.instance_iops),
            instance_throughput: share(before.instance_throughput, after.instance_throughput),
            fault: share(before.fault, after.fault),
        }
    }

    /// The share of a limit; zero where it holds up no request.
    pub fn get(&self, limit: BindingLimit) -> f64 {
        match limit {
            BindingLimit::VolumeIops => self.volume_iops,
            BindingLimit::VolumeThroughput => self.volume_throughput,
            BindingLimit::InstanceIops => self.instance_iops,
            BindingLimit::InstanceThroughput => self.instance_throughput,
            BindingLimit::Fault => self.fault,
            _ => 0.0,
        }
    }

    pub(crate) fn binds(&self) -> Option<BindingLimit> {
        let largest = BindingLimit::OF_REQUESTS.into_iter().max_by(|a, b| self.get(*a).total_cmp(&self.get(*b)))?;
        (self.get(largest) >= THRESHOLDS.binds_share).then_some(largest)
    }
}

impl LimitTimes {
    /// The time of a limit; zero where it holds up no request.
    pub fn get(&self, limit: BindingLimit) -> Nanos {
        match limit {
            BindingLimit::VolumeIops => self.volume_iops,
            BindingLimit::VolumeThroughput => self.volume_throughput,
            BindingLimit::InstanceIops => self.instance_iops,
            BindingLimit::InstanceThroughput => self.instance_throughput,
            BindingLimit::Fault => self.fault,
            _ => Nanos(0),
        }
    }

    /// The times of all limits of requests, in the order of [`BindingLimit::OF_REQUESTS`].
    pub fn of_requests(times: [Nanos; BindingLimit::OF_REQUESTS.len()]) -> Self {
        let [volume_iops, volume_throughput, instance_iops, instance_throughput, fault] = times;
        Self { volume_iops, volume_throughput, instance_iops, instance_throughput, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_shares_are_those_of_the_limits_that_hold_up_requests() {
        let times = LimitTimes::of_requests([1, 2, 3, 4, 5].map(Nanos));
        assert_eq!(BindingLimit::OF_REQUESTS.map(|limit| times.get(limit)), [1, 2, 3, 4, 5].map(Nanos));
        let shares = LimitShares::of(&LimitTimes::default(), &times, Nanos(10));
        let keys = serde_json::to_value(shares).unwrap();
        for limit in BindingLimit::ALL {
            let held = limit.of_request().is_some();
            assert_eq!(times.get(*limit) > Nanos(0), held, "{limit}");
            assert_eq!(keys.get(limit.label()).is_some(), held, "{limit}");
        }
    }
}
