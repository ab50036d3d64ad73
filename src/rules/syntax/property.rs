//! Reads `[[property]]`.

use crate::base::diagnostic::Span;
use crate::rules::syntax::source::Text;
use crate::rules::syntax::toml_reader::{TomlReader, TomlTable};

/// One `[[property]]` as written.
#[derive(Clone, Debug)]
pub(crate) struct WrittenProperty {
    pub increasing: Option<Text>,
    pub decreasing: Option<Text>,
    pub of: Text,
    pub span: Span,
}

/// Takes the section from the document.
pub(in crate::rules) fn read_property_sections<'a>(
    root: &mut TomlTable<'a>,
    reader: &mut TomlReader<'a>,
    properties: &mut Vec<WrittenProperty>,
) {
    for mut table in root.tables("property", reader) {
        let span = table.span();
        let (increasing, decreasing) = (table.text("increasing", reader), table.text("decreasing", reader));
        let of = table.required_text("of", reader);
        table.finish(reader);
        properties.extend(of.map(|of| WrittenProperty { increasing, decreasing, of, span }));
    }
}
