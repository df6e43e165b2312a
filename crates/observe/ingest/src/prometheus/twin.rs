//! A server that answers as a test says.

use std::cell::Cell;

use super::answer::{Answer, Fault};
use super::ask::{Ask, Form};

type Answers<'a> = Box<dyn Fn(&str, Form<'_>) -> (u16, String) + 'a>;

/// Answers from a function of the path and the form.
pub(super) struct Twin<'a> {
    answers: Answers<'a>,
    asked: Cell<usize>,
}

impl<'a> Twin<'a> {
    pub(super) fn new(answers: impl Fn(&str, Form<'_>) -> (u16, String) + 'a) -> Self {
        Self { answers: Box::new(answers), asked: Cell::new(0) }
    }

    /// How many queries there were.
    pub(super) fn asked(&self) -> usize {
        self.asked.get()
    }
}

impl Ask for Twin<'_> {
    fn post(&self, path: &str, form: Form<'_>) -> Result<Answer, Fault> {
        self.asked.set(self.asked.get() + 1);
        let (status, body) = (self.answers)(path, form);
        Ok(Answer { status, body })
    }

    fn shown(&self) -> &str {
        "http://twin"
    }
}
