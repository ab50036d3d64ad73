//! The lender's service as a process: the real program on loopback ports, with SQLite in a folder, against a sandbox in
//! the test that drives it as the provider does.

mod failures;
mod guide;
mod logs;
mod metrics;
mod policy_reload;
mod privacy;
mod readiness;
