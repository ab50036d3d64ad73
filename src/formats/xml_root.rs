//! Which format an XML file is in, by its first two elements. Must not read statements.

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::words::text::escape_terminal;

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
    let mut reader = Reader::from_reader(beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning));
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
        }
    }
}
