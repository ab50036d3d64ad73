//! Batches. Decides many statements into one folder, from any number of sources and in bounded memory. After a
//! kill at any moment, the next run resumes. Must not know the command line, nor how anything is shown.
//!
//! `inputs` lists the sources and reads their bytes. `tables` scans the tables once and sorts their rows by customer.
//! `units` cuts the work and decides it on several threads. `output` writes the results in order, with checkpoints.
//! `job` is the request, `plan` shows whether an earlier run may be resumed, and `run` joins the parts.
//!
//! A part imports only earlier parts: `job`, `error`, `tally`, `progress`, `gate`, `inputs`, `own_files`, `plan`,
//! `output`, `tables`, `units`, `run`.
//!
//! ```no_run
//! use lendwright::batch::{self, Job};
//! let policies = lendwright::load_policies("rules/starter.toml", &[])?;
//! let summary = batch::run(&Job::new(policies, vec!["statements".into()], "decided"), &mut ())?;
//! println!("{} decided, {} failed", summary.tally.statements, summary.tally.failures);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
pub(crate) mod gate;
mod inputs;
mod job;
pub(crate) mod output;
mod own_files;
mod plan;
mod progress;
mod run;
pub(crate) mod tables;
mod tally;
mod units;

pub use error::Error;
pub use job::{Job, OutputFormat, OutputTable, Shard};
pub use progress::{Advance, Progress};
pub use run::{Summary, run};
pub use tally::{FailedStatement, PassedOver, Tally};
