//! What can go wrong with a request.

use units::Nanos;

/// A request of the pilot's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PilotRequest {
    /// Its number, from 0.
    pub number: u64,
    /// Whether it changes something.
    pub writes: bool,
    /// Of what.
    pub what: String,
}

/// What can go wrong with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFault {
    /// Nothing.
    None,
    /// There is no answer, and it was not carried out.
    Silent,
    /// There is no answer, and it was carried out.
    SilentDone,
    /// There is no answer, and it is carried out so much later.
    Late(Nanos),
    /// The answer is an error, and it was not carried out.
    Error,
    /// The answer is an error, and it was carried out.
    ErrorDone,
    /// The answer is a yes, and something else came of it: TiKV clamps.
    Half,
    /// The answer is an error, and something else came of it.
    ErrorHalf,
    /// The pilot is killed before it is sent.
    Kill,
    /// The pilot is killed when it has been carried out.
    KillDone,
    /// A store restarts before, and has what its file says.
    Restart,
}
