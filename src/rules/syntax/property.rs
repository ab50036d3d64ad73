//! Reads `[[property]]`.

use crate::base::diagnostic::Span;
use crate::rules::syntax::source::Text;
use crate::rules::syntax::toml_reader::{Reader, Table};

/// One `[[property]]` as written.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub increasing: Option<Text>,
    pub decreasing: Option<Text>,
    pub of: Text,
    pub span: Span,
}

/// Takes the section from the document.
pub(in crate::rules) fn read<'a>(root: &mut Table<'a>, reader: &mut Reader<'a>, properties: &mut Vec<Written>) {
    for mut table in root.tables("property", reader) {
        let span = table.span();
        let (increasing, decreasing) = (table.text("increasing", reader), table.text("decreasing", reader));
        let of = table.required_text("of", reader);
        table.finish(reader);
        properties.extend(of.map(|of| Written { increasing, decreasing, of, span }));
    }
}
