//! The lender's servicing in a world of chance: a provider that loses answers, a process that dies at any
//! moment, a clock that jumps, notifications that come twice, early and in another order. It runs the very steps of
//! `runner` on the very loan book, in memory, and checks after each that no money is sent twice, lost or made. The
//! same seed gives the same world, byte for byte. Must not know HTTP, files or threads.

mod check;
mod database;
mod outside;
mod scripted;
mod world;

pub use scripted::{Scripted, Strides, try_every_death};
pub use world::{Report, SimulationOptions, run_simulation};

#[cfg(test)]
mod tests;
