//! Decisions at work: statements and policies from disk, a policy that is reloaded, threads that decide, and
//! batches. Must not know the command line, or what becomes of a decision.

pub mod batch;
#[cfg(feature = "service")]
pub mod decision_pool;
pub mod files;
pub mod live_policy;
pub(crate) mod whole_file;
