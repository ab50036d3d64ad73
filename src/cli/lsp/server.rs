//! The state of the language server: open files and published mistakes. Handles notifications. Answers are in
//! `requests`, mistakes in `publish`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_server::Notification;
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as Kind,
};
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent, Url};
use serde::de::DeserializeOwned;

use super::mapping::{IndexedText, path_to_uri, uri_to_path};
use crate::authoring::editor::Workspace;

/// What the editor has open, and what was published to it.
#[derive(Default)]
pub(super) struct Server {
    pub workspace: Workspace,
    /// The folders that the editor works in.
    pub roots: Vec<PathBuf>,
    /// The URI as the editor writes it, and the version of the text, by path.
    pub open: BTreeMap<String, (Url, i32)>,
    pub published: BTreeMap<String, Vec<Diagnostic>>,
    /// Files whose text changed since mistakes were published.
    pub changed: Vec<String>,
}

/// Reads a file that is not open.
pub(super) fn read_unopened_file(path: &str) -> Result<String, String> {
    crate::run::files::read_rules(Path::new(path)).map_err(|error| error.to_string())
}

impl Server {
    /// Handles a notification. One that cannot be parsed is ignored, as the protocol demands.
    pub(super) fn note(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(params) = notification_params::<DidOpenTextDocument>(notification) else { return };
                let document = params.text_document;
                let path = uri_to_path(&document.uri);
                self.open.insert(path.clone(), (document.uri, document.version));
                self.workspace.set(&path, document.text);
                self.changed.push(path);
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = notification_params::<DidChangeTextDocument>(notification) else { return };
                let path = uri_to_path(&params.text_document.uri);
                let Some(text) = self.workspace.text(&path) else { return };
                let text = params.content_changes.into_iter().fold(text.to_owned(), apply_change);
                if let Some((_, version)) = self.open.get_mut(&path) {
                    *version = params.text_document.version;
                }
                self.workspace.set(&path, text);
                self.changed.push(path);
            }
            DidCloseTextDocument::METHOD => {
                let Some(params) = notification_params::<DidCloseTextDocument>(notification) else { return };
                let path = uri_to_path(&params.text_document.uri);
                self.open.remove(&path);
                self.workspace.close(&path);
            }
            DidSaveTextDocument::METHOD => {
                let Some(params) = notification_params::<DidSaveTextDocument>(notification) else { return };
                self.workspace.touch(&uri_to_path(&params.text_document.uri));
            }
            DidChangeWatchedFiles::METHOD => {
                let Some(params) = notification_params::<DidChangeWatchedFiles>(notification) else { return };
                params.changes.iter().for_each(|change| self.workspace.touch(&uri_to_path(&change.uri)));
            }
            _ => {}
        }
    }

    /// The URI of a file. If the file is open, as the editor writes it.
    pub(super) fn uri(&self, path: &str) -> Option<Url> {
        self.open.get(path).map(|(uri, _)| uri.clone()).or_else(|| path_to_uri(path))
    }

    /// The text of a file, open or not.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.workspace.text(path).map(str::to_owned).or_else(|| read_unopened_file(path).ok())
    }
}

fn notification_params<K: Kind>(notification: Notification) -> Option<K::Params>
where
    K::Params: DeserializeOwned,
{
    serde_json::from_value(notification.params).ok()
}

/// Applies a change of a part, or of the whole text.
fn apply_change(mut text: String, change: TextDocumentContentChangeEvent) -> String {
    let Some(lines) = change.range else { return change.text };
    let bytes = IndexedText::new(&text).bytes(lines);
    text.replace_range(bytes, &change.text);
    text
}
