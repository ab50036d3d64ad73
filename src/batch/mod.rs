//! Floor 4: batches. Many statements decided into one folder: any number of sources, bounded memory, and after a kill at any moment the next run goes
//! on as if nothing had been. Must not know the command line, nor how anything is shown.
//!
//! `find` lists what there is, `survey` reads the tables once to see what they hold, `units` cuts the work, `decider` does it on as many
//! threads as there are, and here results are put back into their order and written. `state` is how far that has come,
//! on disk.
//!
//! ```no_run
//! use lendwright::batch::{self, Job};
//! let policies = lendwright::load_policies("rules/starter.toml", &[])?;
//! let summary = batch::run(&Job::new(policies, vec!["statements".into()], "decided"), &mut ())?;
//! println!("{} decided, {} failed", summary.tally.statements, summary.tally.failures);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod customers;
mod decider;
mod disk;
mod error;
mod find;
mod gate;
mod job;
mod kinds;
mod manifest;
mod members;
mod own;
mod parquet;
mod pass;
mod plan;
mod progress;
mod result_rows;
mod run;
mod sort;
mod source;
mod spool;
mod state;
mod survey;
mod tally;
mod threads;
mod unit;
mod units;
mod writer;

pub use error::Error;
pub use job::{Job, OutputFormat, OutputTable, Shard};
pub use progress::{Advance, Progress};
pub use run::{Summary, run};
pub use tally::{FailedStatement, PassedOver, Tally};
