//! Why there is no answer, and the exit code that says so.

/// One message for people, and the exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What is wrong, where, what was expected, what to try.
    pub(crate) message: String,
    /// 2 for what people can mend in their input, 3 for what surrounds the program.
    pub(crate) code: u8,
}

impl Failure {
    /// Wrong usage or input.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }

    /// The environment fails.
    pub(crate) fn environment(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 3 }
    }
}

impl<E: std::error::Error> From<E> for Failure {
    /// The crates' errors are all about what they were given.
    fn from(error: E) -> Self {
        Self::input(error.to_string())
    }
}
