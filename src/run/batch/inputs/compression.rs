//! How a file is compressed, and how its bytes are decompressed.

use std::io::{self, Read};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Plain,
    Gzip,
    Zstd,
}

/// A reader of the decompressed bytes.
pub(crate) fn decompress_stream<'r>(
    stored: impl Read + 'r,
    compression: Compression,
) -> io::Result<Box<dyn Read + 'r>> {
    Ok(match compression {
        Compression::Plain => Box::new(stored),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(stored)),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(stored)?),
    })
}
