//! Peak memory and time of `decide` on one large statement, as multiples of the file. Uses Linux's process status.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time and peak memory of one run.
pub struct Took {
    pub peak_bytes: u64,
    pub time: Duration,
}

/// Runs a program until it ends, and records its peak resident memory.
pub fn measure(command: &mut Command) -> Result<Took, String> {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().map_err(|error| format!("it did not start: {error}"))?;
    let status = Path::new("/proc").join(child.id().to_string()).join("status");
    let mut peak_bytes = 0;
    loop {
        // Gone at the very end; the mark only rises, so that the last one read is close.
        if let Some(mark) = fs::read_to_string(&status).ok().as_deref().and_then(high_water) {
            peak_bytes = mark;
        }
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(Took { peak_bytes, time: began.elapsed() }),
            Some(status) => return Err(format!("it failed: {status}")),
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    }
}

/// The bytes of the line `VmHWM:   113392 kB`.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::high_water;

    #[test]
    fn the_mark_is_read() {
        assert_eq!(high_water("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t  2 kB\n"), Some(2_048));
        assert_eq!(high_water("Name:\tx\n"), None);
    }
}
