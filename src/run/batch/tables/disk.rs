//! A bound on temporary disk, which sorted runs and extracted members of archives take up.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::first_pass::FirstPass;

/// How much temporary disk is in use, and the most that may be.
pub(crate) struct Disk<'p> {
    max_bytes: Option<u64>,
    used: AtomicU64,
    pass: &'p FirstPass<'p>,
}

impl<'p> Disk<'p> {
    pub(crate) fn new(max_bytes: Option<u64>, pass: &'p FirstPass<'p>) -> Disk<'p> {
        Disk { max_bytes, used: AtomicU64::new(0), pass }
    }

    /// Starts again with nothing in use.
    pub(crate) fn reset(&self) {
        self.used.store(0, Relaxed);
    }

    /// Reserves bytes before they are written. `times` is how many copies exist at once when runs are merged into new
    /// ones.
    pub(crate) fn reserve(&self, bytes: u64, times: u64) -> io::Result<()> {
        let used = self.used.fetch_add(bytes, Relaxed).saturating_add(bytes);
        let Some(max_bytes) = self.max_bytes.filter(|max_bytes| used > *max_bytes) else { return Ok(()) };
        let (seen, all) = self.pass.bytes();
        let whole = u128::from(used) * u128::from(all.max(1)) / u128::from(seen.clamp(1, all.max(1)));
        // Later rows may take more bytes than those seen so far.
        let wanted = whole.saturating_mul(u128::from(times)).saturating_mul(11) / 10;
        let (allowed, wanted) = (max_bytes >> 20, (wanted >> 20) + 1);
        Err(io::Error::new(
            io::ErrorKind::QuotaExceeded,
            format!(
                "this takes about {wanted} MiB of temporary disk in all, but --temp-max allows {allowed} MiB: give at \
                 least --temp-max {wanted}MiB, and use another disk with --temp if this one lacks the space"
            ),
        ))
    }

    pub(crate) fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }
}
