//! Publishes mistakes to the editor, for each file whose mistakes changed. Knows nothing of the editor's requests.

use lsp_server::Notification;
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, PublishDiagnosticsParams,
};

use super::mapping::IndexedText;
use super::server::{Server, read_unopened_file};
use crate::authoring::editor::FileMistake;
use crate::base::diagnostic::Severity;

impl Server {
    /// The notifications for every file whose text or mistakes changed.
    pub(super) fn mistakes(&mut self) -> Vec<Notification> {
        self.workspace.refresh(&read_unopened_file);
        let mut found = self.workspace.mistakes();
        // A file without mistakes, or one that is no longer used, gets an empty list.
        for path in self.published.keys() {
            found.entry(path.clone()).or_default();
        }
        let changed = std::mem::take(&mut self.changed);
        let mut notifications = Vec::new();
        for (path, mistakes) in found {
            let diagnostics = self.diagnostics(&path, &mistakes);
            let before = self.published.get(&path);
            if !changed.contains(&path) && before.map_or(diagnostics.is_empty(), |before| *before == diagnostics) {
                continue;
            }
            if let Some(uri) = self.uri(&path) {
                let version = self.open.get(&path).map(|(_, version)| *version);
                let params = PublishDiagnosticsParams { uri, diagnostics: diagnostics.clone(), version };
                notifications.push(Notification::new(PublishDiagnostics::METHOD.to_owned(), params));
            }
            if diagnostics.is_empty() && !self.open.contains_key(&path) {
                self.published.remove(&path);
            } else {
                self.published.insert(path, diagnostics);
            }
        }
        notifications
    }

    fn diagnostics(&self, path: &str, mistakes: &[FileMistake]) -> Vec<Diagnostic> {
        if mistakes.is_empty() {
            return Vec::new();
        }
        let text = self.text(path).unwrap_or_default();
        let lines = IndexedText::new(&text);
        mistakes.iter().map(|mistake| self.diagnostic(&lines, mistake)).collect()
    }

    pub(super) fn diagnostic(&self, lines: &IndexedText, mistake: &FileMistake) -> Diagnostic {
        let found = &mistake.diagnostic;
        let message = match &found.help {
            Some(help) => format!("{}\nhelp: {help}", found.message),
            None => found.message.clone(),
        };
        let elsewhere = mistake.elsewhere.as_ref().and_then(|(path, range)| {
            let text = self.text(path)?;
            let location = Location { uri: self.uri(path)?, range: IndexedText::new(&text).lines(range.clone()) };
            Some(vec![DiagnosticRelatedInformation { location, message: "the other place".to_owned() }])
        });
        Diagnostic {
            range: lines.lines(found.span.start as usize..found.span.end as usize),
            severity: Some(match found.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Note => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(found.code.to_owned())),
            source: Some("lendwright".to_owned()),
            message,
            related_information: elsewhere,
            ..Diagnostic::default()
        }
    }
}
