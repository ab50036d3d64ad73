//! The server's state: which files are open under which address. Takes notifications; answers and mistakes are made beside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_server::Notification;
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as Kind,
};
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent, Url};
use serde::de::DeserializeOwned;

use super::mapping::{Text, path_of, uri_of};
use crate::editor::Workspace;

/// What the editor has open, and what it was told.
#[derive(Default)]
pub(super) struct Server {
    pub workspace: Workspace,
    /// The folders that the editor works in.
    pub roots: Vec<PathBuf>,
    /// The addresses as the editor writes them, and the versions of the texts.
    pub open: BTreeMap<String, (Url, i32)>,
    pub published: BTreeMap<String, Vec<Diagnostic>>,
    /// Files whose text changed since mistakes were told.
    pub changed: Vec<String>,
}

/// Reads what is not open.
pub(super) fn disk(path: &str) -> Result<String, String> {
    crate::files::read_rules(Path::new(path)).map_err(|error| error.to_string())
}

impl Server {
    /// Takes what the editor tells. What it tells in a form that is not understood is passed over, as the protocol asks.
    pub(super) fn note(&mut self, notification: Notification) {
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(told) = read::<DidOpenTextDocument>(notification) else { return };
                let document = told.text_document;
                let path = path_of(&document.uri);
                self.open.insert(path.clone(), (document.uri, document.version));
                self.workspace.set(&path, document.text);
                self.changed.push(path);
            }
            DidChangeTextDocument::METHOD => {
                let Some(told) = read::<DidChangeTextDocument>(notification) else { return };
                let path = path_of(&told.text_document.uri);
                let Some(text) = self.workspace.text(&path) else { return };
                let text = told.content_changes.into_iter().fold(text.to_owned(), change);
                if let Some((_, version)) = self.open.get_mut(&path) {
                    *version = told.text_document.version;
                }
                self.workspace.set(&path, text);
                self.changed.push(path);
            }
            DidCloseTextDocument::METHOD => {
                let Some(told) = read::<DidCloseTextDocument>(notification) else { return };
                let path = path_of(&told.text_document.uri);
                self.open.remove(&path);
                self.workspace.close(&path);
            }
            DidSaveTextDocument::METHOD => {
                let Some(told) = read::<DidSaveTextDocument>(notification) else { return };
                self.workspace.touch(&path_of(&told.text_document.uri));
            }
            DidChangeWatchedFiles::METHOD => {
                let Some(told) = read::<DidChangeWatchedFiles>(notification) else { return };
                told.changes.iter().for_each(|change| self.workspace.touch(&path_of(&change.uri)));
            }
            _ => {}
        }
    }

    /// The address of a file, as the editor writes it where it is open.
    pub(super) fn uri(&self, path: &str) -> Option<Url> {
        self.open.get(path).map(|(uri, _)| uri.clone()).or_else(|| uri_of(path))
    }

    /// The text of a file, open or not.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        self.workspace.text(path).map(str::to_owned).or_else(|| disk(path).ok())
    }
}

fn read<K: Kind>(notification: Notification) -> Option<K::Params>
where
    K::Params: DeserializeOwned,
{
    serde_json::from_value(notification.params).ok()
}

/// The text after a change: of a part, or of the whole.
fn change(mut text: String, change: TextDocumentContentChangeEvent) -> String {
    let Some(lines) = change.range else { return change.text };
    let bytes = Text::new(&text).bytes(lines);
    text.replace_range(bytes, &change.text);
    text
}
