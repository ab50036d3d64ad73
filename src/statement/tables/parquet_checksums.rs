//! Verifies the checksums of a Parquet column's pages.

use std::io::Cursor;

use flate2::Crc;
use polars_parquet_format::PageHeader;
use polars_parquet_format::thrift::protocol::TCompactInputProtocol;

/// Verifies the pages of a column with this number of values. A file without checksums passes. If one page has a
/// checksum, each must have one.
pub(crate) fn verify_page_checksums(column: &[u8], values: i64) -> Result<(), String> {
    let (mut at, mut seen, mut pages, mut checked) = (0_usize, 0_i64, 0_u32, 0_u32);
    while at < column.len() && seen < values {
        let Some(page) = next_page(column, at) else {
            // Without checksums, the decoder reports what is wrong with the pages.
            return if checked > 0 { Err(format!("page {} cannot be found", pages + 1)) } else { Ok(()) };
        };
        pages += 1;
        if let Some(written) = page.crc {
            checked += 1;
            let mut crc = Crc::new();
            crc.update(page.stored);
            if crc.sum() != written {
                return Err(format!("page {pages} does not match the checksum that was written with it"));
            }
        }
        seen = seen.saturating_add(page.values);
        at = page.end;
    }
    match checked {
        0 => Ok(()),
        _ if checked < pages => Err("some of its pages have a checksum and some have none".to_owned()),
        _ if seen != values => Err(format!("its pages hold {seen} values of {values}")),
        _ => Ok(()),
    }
}

struct ChecksummedPage<'c> {
    crc: Option<u32>,
    stored: &'c [u8],
    values: i64,
    end: usize,
}

fn next_page(column: &[u8], at: usize) -> Option<ChecksummedPage<'_>> {
    let rest = column.get(at..)?;
    let mut cursor = Cursor::new(rest);
    let header = {
        let mut protocol = TCompactInputProtocol::new(&mut cursor, rest.len());
        PageHeader::read_from_in_protocol(&mut protocol).ok()?
    };
    let from = usize::try_from(cursor.position()).ok()?;
    let to = from.checked_add(usize::try_from(header.compressed_page_size).ok()?)?;
    let values = match (&header.data_page_header, &header.data_page_header_v2) {
        (Some(page), _) => page.num_values,
        (None, Some(page)) => page.num_values,
        (None, None) => 0,
    };
    Some(ChecksummedPage {
        crc: header.crc.map(i32::cast_unsigned),
        stored: rest.get(from..to)?,
        values: values.into(),
        end: at.checked_add(to)?,
    })
}
