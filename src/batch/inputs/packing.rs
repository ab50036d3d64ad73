//! How a file is compressed, and its bytes unpacked. Must not know what they are.

use std::io::{self, Read};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Unpacks what is read.
pub(crate) fn unpacked<'r>(stored: impl Read + 'r, packing: Packing) -> io::Result<Box<dyn Read + 'r>> {
    Ok(match packing {
        Packing::Plain => Box::new(stored),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(stored)),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(stored)?),
    })
}
