//! What can be wrong with a Timeline, or stand between two.

use units::Nanos;

/// Why a Timeline cannot be used, joined, resampled or written. Series are named as Prometheus names them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TimelineError {
    /// A name of a series or a label that some file format or tool would trip over.
    #[error(
        "`{}` cannot name a series or label: expected a letter, digit, `_` or `:` first, no control characters, \
         at most {longest} bytes", .name.escape_debug()
    )]
    Name {
        /// The name.
        name: String,
        /// The longest that is allowed, in bytes.
        longest: usize,
    },
    /// A text too long to be read back.
    #[error("{what} is {bytes} bytes long, expected at most {longest}: shorten it")]
    TooLong {
        /// Which text.
        what: String,
        /// Its length.
        bytes: usize,
        /// The longest that is allowed.
        longest: usize,
    },
    /// Two series bear the same name and labels.
    #[error("{series} is there twice: give one of them another label")]
    Twice {
        /// The series.
        series: String,
    },
    /// A point that ends where it starts or before.
    #[error("{series}: the point from {from} ends at {until}, expected a later end")]
    NoInterval {
        /// The series.
        series: String,
        /// The point's start.
        from: Nanos,
        /// Its end.
        until: Nanos,
    },
    /// A point that ends after the last time that the file formats can hold.
    #[error("{series}: a point ends at {until}, expected at most 292 years: set the start of the Timeline nearer")]
    TooLate {
        /// The series.
        series: String,
        /// The point's end.
        until: Nanos,
    },
    /// Points out of order, or two that cover the same time.
    #[error("{series}: the point from {from} starts before the one before it ends, at {until}")]
    Overlap {
        /// The series.
        series: String,
        /// The later point's start.
        from: Nanos,
        /// The earlier point's end.
        until: Nanos,
    },
    /// Infinity or not a number.
    #[error("{series}: the point from {from} is {value}, expected a finite number: leave out what is not known")]
    NotFinite {
        /// The series.
        series: String,
        /// The point's start.
        from: Nanos,
        /// Its value.
        value: f64,
    },
    /// A histogram of another make than [`crate::latencies`] gives.
    #[error("{series}: the histogram from {from} {fault}")]
    Histogram {
        /// The series.
        series: String,
        /// The point's start.
        from: Nanos,
        /// Fault of the point and expectation.
        fault: String,
    },
    /// More points than a Timeline may have.
    #[error(
        "{points} points are too many, expected at most {most}: resample to a longer step, or take a shorter window"
    )]
    TooManyPoints {
        /// How many there are or would be.
        points: u64,
        /// The most that are allowed.
        most: u64,
    },
    /// A step of no length.
    #[error("a step of 0 is no interval: expected at least 1ns")]
    NoStep,
    /// One of two Timelines counts from an instant, the other in virtual time.
    #[error("`{real}` counts from an instant, `{other}` in virtual time: give both a start, or none")]
    Start {
        /// The title of the one with a start.
        real: String,
        /// The title of the one without.
        other: String,
    },
    /// Two Timelines say different things under one key.
    #[error("the note `{key}` is `{one}` in one Timeline and `{other}` in the other: rename one of them")]
    Note {
        /// The note.
        key: String,
        /// Value of the first.
        one: String,
        /// Value of the second.
        other: String,
    },
    /// Two Timelines measure the same series differently.
    #[error("{series} is in {one} in one Timeline and in {other} in the other: convert one, or add a label")]
    Kind {
        /// The series.
        series: String,
        /// Unit and kind in the first.
        one: String,
        /// Unit and kind in the second.
        other: String,
    },
}
