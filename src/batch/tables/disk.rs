//! Temporary disk and its bound: sorted runs, and members of archives that are laid down. Must not know what is in them.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::first_pass::Pass;

/// How much temporary disk is taken, and may be.
pub(crate) struct Disk<'p> {
    most: Option<u64>,
    used: AtomicU64,
    pass: &'p Pass<'p>,
}

impl<'p> Disk<'p> {
    pub(crate) fn new(most: Option<u64>, pass: &'p Pass<'p>) -> Disk<'p> {
        Disk { most, used: AtomicU64::new(0), pass }
    }

    /// Nothing is taken.
    pub(crate) fn begin(&self) {
        self.used.store(0, Relaxed);
    }

    /// Takes so many bytes before they are written; `times` says how often what is laid down is laid down again while it stays.
    pub(crate) fn take(&self, bytes: u64, times: u64) -> io::Result<()> {
        let used = self.used.fetch_add(bytes, Relaxed).saturating_add(bytes);
        let Some(most) = self.most.filter(|most| used > *most) else { return Ok(()) };
        let (seen, all) = self.pass.bytes();
        let whole = u128::from(used) * u128::from(all.max(1)) / u128::from(seen.clamp(1, all.max(1)));
        // What comes last may be laid down less densely.
        let wanted = whole.saturating_mul(u128::from(times)).saturating_mul(11) / 10;
        let (allowed, wanted) = (most >> 20, (wanted >> 20) + 1);
        Err(io::Error::new(
            io::ErrorKind::QuotaExceeded,
            format!(
                "temporary disk for this takes about {wanted} MiB in all, and --temp-max allows {allowed} MiB: give at least --temp-max {wanted}MiB, on another disk by --temp where this one lacks the room"
            ),
        ))
    }

    pub(crate) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}
