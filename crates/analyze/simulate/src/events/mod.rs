//! What the events of a script do to the simulated world.

mod bind;
#[cfg(test)]
mod tests;

pub(crate) use bind::{Action, Knob, bind};
