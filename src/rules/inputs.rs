//! `[request]`: what a request may bring beside the statement. Knows no value.

use super::check::Checker;
use super::file::RuleFile;
use super::ir::{Type, Unit};
use super::program::RequestField;
use super::source::word;

/// Makes every declared input known.
pub(super) fn declare(checker: &mut Checker, files: &[RuleFile]) {
    for (name, kind) in files.iter().flat_map(|file| &file.request) {
        let units = Unit::ALL.map(|unit| (unit.word(), unit));
        let unit = word(Some(kind), &units, Unit::Number, checker.diagnostics);
        checker.request.push(RequestField { name: name.text.clone(), ty: Type::declared(unit) });
    }
}
