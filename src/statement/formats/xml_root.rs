//! Which format an XML file is in, by its first two elements. Must not read statements.

use encoding_rs::Encoding;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::base::text::escape_terminal;

/// What the first elements say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum XmlRoot {
    /// A message of a bank to its customer about entries of an account.
    Camt,
    Ofx,
    /// Something else, whose root has this name.
    Other(String),
}

/// The format of a file with this beginning. `None` if the beginning does not show it: a reader then says what is
/// wrong.
pub(crate) fn xml_root(beginning: &[u8]) -> Option<XmlRoot> {
    // A text in UTF-16 says so with its first two bytes. Half a letter at the end does no harm.
    let (text, _) = match Encoding::for_bom(beginning) {
        Some((encoding, mark)) => encoding.decode_without_bom_handling(beginning.get(mark..).unwrap_or_default()),
        None => (String::from_utf8_lossy(beginning), false),
    };
    let mut reader = Reader::from_str(&text);
    let mut is_in_document = false;
    loop {
        let event = reader.read_event().ok()?;
        let start = match &event {
            Event::Start(start) | Event::Empty(start) => start,
            Event::Eof | Event::End(_) => return None,
            _ => continue,
        };
        let name = start.local_name().as_ref().to_owned();
        match name.as_str() {
            name if is_in_document => {
                return Some(match name.starts_with("BkToCstmr") {
                    true => XmlRoot::Camt,
                    false => XmlRoot::Other(format!("Document with {}", escape_terminal(name))),
                });
            }
            "Document" => is_in_document = true,
            name if name.eq_ignore_ascii_case("OFX") => return Some(XmlRoot::Ofx),
            name => return Some(XmlRoot::Other(escape_terminal(name).into_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_elements_say_which_format_it_is() {
        let other = |name: &str| Some(XmlRoot::Other(name.to_owned()));
        for (text, wanted) in [
            ("<?xml version='1.0'?><Document xmlns='x'><BkToCstmrStmt>", Some(XmlRoot::Camt)),
            ("\u{feff}\n<!-- <OFX> -->\n<n:Document><n:BkToCstmrAcctRpt/>", Some(XmlRoot::Camt)),
            ("<Document><BkToCstmrDbtCdtNtfctn>", Some(XmlRoot::Camt)),
            ("<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?><OFX><SIGNONMSGSRSV1>", Some(XmlRoot::Ofx)),
            ("<OFX>", Some(XmlRoot::Ofx)),
            ("<Document><CstmrCdtTrfInitn>", other("Document with CstmrCdtTrfInitn")),
            ("<!DOCTYPE html><html>", other("html")),
            ("<Document>", None),
            ("<Document></Document>", None),
            ("<?xml version='1.0'?", None),
            ("", None),
        ] {
            assert_eq!(xml_root(text.as_bytes()), wanted, "{text}");
            let utf_16: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            assert_eq!(xml_root(&utf_16), wanted, "{text} in UTF-16");
        }
    }
}
