//! Makes a Parquet file from rows that were collected line by line, one row group at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use polars::prelude::ParquetWriter;
use serde_json::Value;

use super::result_frame::frame_of_result_rows;
use super::result_rows::ResultColumn;
use crate::base::digest::{Digest, Hasher};
use crate::run::whole_file::{Access, WholeFile};

/// Rows per row group. It does not depend on memory, so that the same rows give the same bytes.
const GROUP_ROWS: usize = 32_768;

/// Writes the file, complete or not at all; returns its length and digest.
pub(crate) fn write_parquet_lines(columns: &[ResultColumn], lists: &Path, to: &Path) -> io::Result<(u64, Digest)> {
    let mut lines = BufReader::with_capacity(1 << 16, File::open(lists)?);
    let mut out = DigestingWriter { inner: WholeFile::begin(to, Access::Usual)?, bytes: 0, hasher: Hasher::new() };
    let mut rows = Vec::new();
    {
        let empty = frame_of_result_rows(columns, &rows).map_err(io::Error::other)?;
        // One thread writes the columns in turn, so that the bytes are the same everywhere.
        let writer = ParquetWriter::new(&mut out).set_parallel(false);
        let mut writer = writer.batched(empty.schema()).map_err(io::Error::other)?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let ended = lines.read_until(b'\n', &mut line)? == 0;
            if !ended {
                rows.push(serde_json::from_slice::<Vec<Value>>(&line)?);
            }
            if (ended && !rows.is_empty()) || rows.len() >= GROUP_ROWS {
                writer
                    .write_batch(&frame_of_result_rows(columns, &rows).map_err(io::Error::other)?)
                    .map_err(io::Error::other)?;
                rows.clear();
            }
            if ended {
                break;
            }
        }
        writer.finish().map_err(io::Error::other)?;
    }
    let (bytes, digest) = (out.bytes, out.hasher.finish());
    out.inner.finish()?;
    Ok((bytes, digest))
}

/// Counts and digests the bytes that are written.
struct DigestingWriter<W> {
    inner: W,
    bytes: u64,
    hasher: Hasher,
}

impl<W: Write> Write for DigestingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
