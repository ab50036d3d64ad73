//! Writes results in the order of their units, whatever order they arrive in, with regular checkpoints.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::checkpoint::{Checkpoint, Folder, Output, OutputProgress, Position};
use super::decided::Decided;
use crate::run::batch::error::Error;
use crate::run::batch::gate::Gate;
use crate::run::batch::plan::Plan;
use crate::run::batch::tally::Tally;

/// Writes decided units.
pub(crate) struct Writer<'f> {
    pub(crate) folder: &'f Folder,
    pub(crate) plan: &'f Plan,
    pub(crate) outputs: Vec<Output>,
    pub(crate) position: Position,
    pub(crate) tally: Tally,
    pub(crate) every: Duration,
    pub(crate) last: Instant,
    /// The index of the unit that is written next.
    pub(crate) next: u64,
    /// Units that arrived before their turn.
    pub(crate) early: BTreeMap<u64, Decided>,
    pub(crate) source_bytes: u64,
}

impl Writer<'_> {
    /// Takes a unit, and writes all units whose turn has come.
    pub(crate) fn take(&mut self, decided: Decided, gate: &Gate) -> Result<(), Error> {
        self.early.insert(decided.index, decided);
        while let Some(decided) = self.early.remove(&self.next) {
            for (output, page) in self.outputs.iter_mut().zip(&decided.pages) {
                output.append(&page.bytes, page.rows)?;
            }
            self.next += 1;
            self.position = decided.resume_at;
            self.source_bytes += decided.source_bytes;
            self.tally.add(decided.tally);
            gate.leave(decided.cost);
            if self.last.elapsed() >= self.every {
                self.checkpoint(false)?;
            }
        }
        Ok(())
    }

    /// Syncs the outputs to disk, then writes a checkpoint of them.
    pub(crate) fn checkpoint(&mut self, finished: bool) -> Result<Vec<OutputProgress>, Error> {
        let outputs: Vec<OutputProgress> = self.outputs.iter_mut().map(Output::sync).collect::<Result<_, _>>()?;
        self.folder.write_checkpoint(&Checkpoint {
            plan: self.plan.clone(),
            position: self.position.clone(),
            outputs: outputs.clone(),
            tally: self.tally.clone(),
            source_bytes: self.source_bytes,
            temp: self.folder.temp_elsewhere(),
            finished,
        })?;
        self.last = Instant::now();
        Ok(outputs)
    }
}
