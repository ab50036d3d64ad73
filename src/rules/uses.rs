//! `use`: brings in the files that a policy stands on. Reads none itself: the caller hands texts in. Knows no expression.

use std::path::Path;

use super::file::{self, RuleFile};
use super::judgement::Rows;
use crate::words::diagnostic::{Diagnostic, Sources};

/// The files that the policy `name` uses.
pub(super) fn used_files(
    written: &file::Header,
    name: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<RuleFile> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (index, used) in written.uses.iter().enumerate() {
        let mut wrong = |message: String, help: &str| {
            diagnostics.push(Diagnostic::error("use", used.span(), message).help(help));
        };
        let shown = folder.join(used.value());
        if shown == Path::new(name) {
            wrong("a policy cannot use itself".into(), "name the file that holds what several policies share");
            continue;
        }
        if written.uses[..index].iter().any(|before| before.value() == used.value()) {
            wrong(format!("`{}` is used already", used.value()), "once is enough");
            continue;
        }
        match read(used.value()) {
            Ok(text) => {
                let source = sources.add(shown.to_string_lossy(), text.clone());
                let mut file = file::read(source, &text, diagnostics);
                file.name = used.value().to_string();
                if let Some(header) = &file.header {
                    let message = "a file that is used brings no [policy] of its own";
                    let help = "put what both need into a file without [policy], and let both use that";
                    diagnostics.push(Diagnostic::error("shadowing", header.span, message).help(help));
                }
                files.push(file);
            }
            Err(why) => {
                wrong(format!("`{}` cannot be read: {why}", used.value()), "the path is relative to this file");
            }
        }
    }
    files
}

/// Brings in the rows of tables that lie in files of their own, each beside the rule file that names it.
pub(super) fn table_files(
    file: &mut RuleFile,
    name: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for table in &mut file.tables {
        let Rows::File(named) = &table.rows else { continue };
        let folder = Path::new(&file.name).parent().unwrap_or(Path::new(""));
        let path = folder.join(named.value());
        match read(&path.to_string_lossy()) {
            Ok(text) => {
                let shown = Path::new(name).parent().unwrap_or(Path::new("")).join(&path);
                let source = sources.add(shown.to_string_lossy(), text.clone());
                table.rows = super::csv::rows(source, &text, table, diagnostics);
            }
            Err(why) => {
                let message = format!("`{}` cannot be read: {why}", named.value());
                let help = "the path is relative to this file";
                diagnostics.push(Diagnostic::error("use", named.span(), message).help(help));
                table.rows = Rows::Here(Vec::new());
            }
        }
    }
}
