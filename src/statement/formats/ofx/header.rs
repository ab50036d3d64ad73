//! The header of a file: lines `KEY:VALUE` of version 1, or `<?xml ..?>` and `<?OFX ..?>`.

use encoding_rs::Encoding;

use crate::statement::formats::Fault;
use crate::statement::formats::text_lines::shorten_for_message;

/// Bytes at the beginning of a file within which its header is.
const HEADER: usize = 4096;

/// The encoding that the header declares. A file without a header declares none.
pub(super) fn declared_ofx_encoding(bytes: &[u8]) -> Result<Option<&'static Encoding>, Fault> {
    let start = String::from_utf8_lossy(bytes.get(..HEADER).unwrap_or(bytes));
    let end = start.to_ascii_lowercase().find("<ofx").unwrap_or(start.len());
    let header = start.get(..end).unwrap_or(&start);
    for key in ["COMPRESSION", "SECURITY"] {
        let value = header_key_value(header, key).unwrap_or("NONE");
        if !value.is_empty() && !value.eq_ignore_ascii_case("NONE") {
            return Err(Fault::at(
                "the header",
                format!("it says {key}:{}; only NONE is read", shorten_for_message(value)),
            ));
        }
    }
    Ok(encoding_label_of(header).and_then(|label| Encoding::for_label(label.as_bytes())))
}

/// The name of the encoding: `CHARSET:1252`, or `encoding="iso-8859-1"`.
fn encoding_label_of(header: &str) -> Option<String> {
    if let Some(name) = header_key_value(header, "encoding") {
        return Some(name.to_owned());
    }
    let charset = header_key_value(header, "CHARSET")?;
    let is_number = !charset.is_empty() && charset.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_number { format!("windows-{charset}") } else { charset.to_owned() })
}

/// The value after `KEY:`, or after `KEY="`.
fn header_key_value<'t>(header: &'t str, key: &str) -> Option<&'t str> {
    let end = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '?' | '<');
    header.match_indices(key).find_map(|(at, _)| {
        let rest = header.get(at + key.len()..)?;
        let rest = match rest.strip_prefix(':') {
            Some(rest) => rest,
            None => rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']),
        };
        rest.split(end).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_is_that_of_the_header() {
        let name = |header: &str| declared_ofx_encoding(header.as_bytes()).map(|found| found.map(Encoding::name));
        assert_eq!(name("OFXHEADER:100\nENCODING:USASCII\nCHARSET:1252\n<OFX>"), Ok(Some("windows-1252")));
        assert_eq!(name("OFXHEADER:100 CHARSET:ISO-8859-2 <OFX>"), Ok(Some("ISO-8859-2")));
        assert_eq!(name("CHARSET:NONE\n<OFX>"), Ok(None));
        assert_eq!(name("<?xml version='1.0' encoding='windows-1251'?><OFX>"), Ok(Some("windows-1251")));
        assert_eq!(name("<OFX>CHARSET:1251"), Ok(None));
        let packed = declared_ofx_encoding(b"COMPRESSION:GZIP\n<OFX>").expect_err("packed");
        assert_eq!(packed, Fault::at("the header", "it says COMPRESSION:GZIP; only NONE is read"));
        assert_eq!(name("SECURITY:\n<OFX>"), Ok(None));
    }
}
