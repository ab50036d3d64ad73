//! Answers the editor's requests with the module `editor`. Knows the form of requests and answers, but no rules.

use std::collections::HashMap;
use std::path::Path;

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as Kind,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, CompletionItem,
    CompletionItemKind, CompletionParams, CompletionResponse, CompletionTextEdit, DocumentFormattingParams,
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Documentation, GotoDefinitionParams,
    GotoDefinitionResponse, Hover, HoverContents, HoverParams, Location, MarkupContent, MarkupKind,
    PrepareRenameResponse, ReferenceParams, RenameParams, SymbolKind as Icon, TextDocumentPositionParams, TextEdit,
    WorkspaceEdit,
};

use super::folders::rule_files;
use super::mapping::{IndexedText, uri_to_path};
use super::server::{Server, read_unopened_file};
use crate::authoring::editor::format::format_rule_file;
use crate::authoring::editor::{FileMistake, Proposal, ProposalKind, Symbol, SymbolKind, outline_rule_file};

/// An answer, or why there is none.
type ServerAnswer<R> = Result<R, String>;

impl Server {
    /// Answers one request.
    pub(super) fn answer(&mut self, request: Request) -> Response {
        self.workspace.refresh(&read_unopened_file);
        match request.method.as_str() {
            HoverRequest::METHOD => self.reply::<HoverRequest>(request, Self::hover),
            Completion::METHOD => self.reply::<Completion>(request, Self::completion),
            GotoDefinition::METHOD => self.reply::<GotoDefinition>(request, Self::definition),
            References::METHOD => self.reply::<References>(request, Self::references),
            PrepareRenameRequest::METHOD => self.reply::<PrepareRenameRequest>(request, Self::prepare_rename),
            Rename::METHOD => self.reply::<Rename>(request, Self::rename),
            Formatting::METHOD => self.reply::<Formatting>(request, Self::formatting),
            CodeActionRequest::METHOD => self.reply::<CodeActionRequest>(request, Self::code_actions),
            DocumentSymbolRequest::METHOD => self.reply::<DocumentSymbolRequest>(request, Self::symbols),
            other => {
                let message = format!("unknown method `{other}`");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, message)
            }
        }
    }

    fn reply<K: Kind>(
        &self,
        request: Request,
        answer: impl FnOnce(&Self, K::Params) -> ServerAnswer<K::Result>,
    ) -> Response {
        let Request { id, params, .. } = request;
        let params: K::Params = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => return Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
        };
        match answer(self, params).map(serde_json::to_value) {
            Ok(Ok(result)) => Response::new_ok(id, result),
            Ok(Err(error)) => Response::new_err(id, ErrorCode::InternalError as i32, error.to_string()),
            Err(why) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
        }
    }

    /// The path, the text and the byte of a position. `None` if the file is not open.
    fn resolve(&self, at: &TextDocumentPositionParams) -> Option<(String, &str, usize)> {
        let path = uri_to_path(&at.text_document.uri);
        let text = self.workspace.text(&path)?;
        Some((path, text, IndexedText::new(text).byte(at.position)))
    }

    fn hover(&self, params: HoverParams) -> ServerAnswer<Option<Hover>> {
        Ok(self.resolve(&params.text_document_position_params).and_then(|(path, text, at)| {
            let hover = self.workspace.hover(&path, at, &read_unopened_file)?;
            let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: hover.markdown });
            Some(Hover { contents, range: Some(IndexedText::new(text).lines(hover.range)) })
        }))
    }

    fn completion(&self, params: CompletionParams) -> ServerAnswer<Option<CompletionResponse>> {
        let Some((path, text, at)) = self.resolve(&params.text_document_position) else { return Ok(None) };
        let lines = IndexedText::new(text);
        let proposals = self.workspace.complete(&path, at);
        let items = proposals.into_iter().map(|proposal| completion_item_of(proposal, &lines)).collect();
        Ok(Some(CompletionResponse::Array(items)))
    }

    fn location(&self, found: crate::authoring::editor::Location) -> Option<Location> {
        let text = self.text(&found.path)?;
        let (start, end) = found.range;
        Some(Location { uri: self.uri(&found.path)?, range: IndexedText::new(&text).lines(start..end) })
    }

    fn definition(&self, params: GotoDefinitionParams) -> ServerAnswer<Option<GotoDefinitionResponse>> {
        Ok(self.resolve(&params.text_document_position_params).and_then(|(path, _, at)| {
            let found = self.workspace.definition(&path, at, &read_unopened_file)?;
            self.location(found).map(GotoDefinitionResponse::Scalar)
        }))
    }

    fn references(&self, params: ReferenceParams) -> ServerAnswer<Option<Vec<Location>>> {
        let with_definition = params.context.include_declaration;
        Ok(self.resolve(&params.text_document_position).map(|(path, _, at)| {
            let found = self.workspace.references(&path, at, with_definition);
            found.into_iter().filter_map(|found| self.location(found)).collect()
        }))
    }

    fn prepare_rename(&self, params: TextDocumentPositionParams) -> ServerAnswer<Option<PrepareRenameResponse>> {
        let Some((path, text, at)) = self.resolve(&params) else { return Ok(None) };
        let range = self.workspace.renameable(&path, at).map_err(|why| why.to_string())?;
        Ok(Some(PrepareRenameResponse::Range(IndexedText::new(text).lines(range))))
    }

    fn rename(&self, params: RenameParams) -> ServerAnswer<Option<WorkspaceEdit>> {
        let Some((path, _, at)) = self.resolve(&params.text_document_position) else { return Ok(None) };
        let files = self.files_that_may_use(&path, at)?;
        let edits = self
            .workspace
            .rename(&path, at, &params.new_name, &files, &read_unopened_file)
            .map_err(|why| why.to_string())?;
        let mut changes = HashMap::new();
        for (file, edits) in edits {
            let (Some(uri), Some(text)) = (self.uri(&file), self.text(&file)) else {
                return Err(format!("`{file}` cannot be read any more"));
            };
            let lines = IndexedText::new(&text);
            let edits = edits.into_iter().map(|(range, new_text)| TextEdit { range: lines.lines(range), new_text });
            changes.insert(uri, edits.collect());
        }
        Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
    }

    /// The rule files that may use a name: those of the workspace, and those in the folder of its definition.
    fn files_that_may_use(&self, path: &str, at: usize) -> ServerAnswer<Vec<String>> {
        let definition =
            self.workspace.definition(path, at, &read_unopened_file).map_or(path.to_owned(), |found| found.path);
        rule_files(&self.roots, Path::new(&definition).parent().unwrap_or(Path::new("")))
    }

    fn formatting(&self, params: DocumentFormattingParams) -> ServerAnswer<Option<Vec<TextEdit>>> {
        let path = uri_to_path(&params.text_document.uri);
        let Some(text) = self.workspace.text(&path) else { return Ok(None) };
        // If the text is not TOML, its mistakes are published already.
        let Ok(formatted) = format_rule_file(text) else { return Ok(None) };
        Ok(Some(changed_lines(text, &formatted).into_iter().collect()))
    }

    /// What was meant, for mistakes in a range where there is little doubt.
    fn code_actions(&self, params: CodeActionParams) -> ServerAnswer<Option<CodeActionResponse>> {
        let path = uri_to_path(&params.text_document.uri);
        let is_wanted = |wanted: &CodeActionKind| CodeActionKind::QUICKFIX.as_str().starts_with(wanted.as_str());
        let (Some(text), true) =
            (self.workspace.text(&path), params.context.only.is_none_or(|only| only.iter().any(is_wanted)))
        else {
            return Ok(None);
        };
        let lines = IndexedText::new(text);
        let fixes = self.workspace.fixes(&path, lines.bytes(params.range));
        let action = |(mistake, place, new): (FileMistake, std::ops::Range<usize>, String)| {
            let title = format!("Replace `{}` by `{new}`", text.get(place.clone()).unwrap_or_default());
            let edit = TextEdit { range: lines.lines(place), new_text: new };
            let changes = HashMap::from([(params.text_document.uri.clone(), vec![edit])]);
            CodeActionOrCommand::CodeAction(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![self.diagnostic(&lines, &mistake)]),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                is_preferred: Some(true),
                ..CodeAction::default()
            })
        };
        Ok(Some(fixes.into_iter().map(action).collect()))
    }

    fn symbols(&self, params: DocumentSymbolParams) -> ServerAnswer<Option<DocumentSymbolResponse>> {
        let path = uri_to_path(&params.text_document.uri);
        Ok(self.workspace.text(&path).map(|text| {
            let lines = IndexedText::new(text);
            DocumentSymbolResponse::Nested(
                outline_rule_file(text).into_iter().map(|one| document_symbol_of(one, &lines)).collect(),
            )
        }))
    }
}

/// One edit of the lines that differ, so that the cursor stays where it is.
fn changed_lines(before: &str, after: &str) -> Option<TextEdit> {
    if before == after {
        return None;
    }
    let same = |(one, other): &(&str, &str)| one == other;
    let split = |text: &'_ str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let pairs = before.split_inclusive('\n').zip(after.split_inclusive('\n'));
    let first: usize = pairs.take_while(same).map(|(line, _)| line.len()).sum();
    let (rest_before, rest_after) = (&before[first..], &after[first..]);
    let (lines_before, lines_after) = (split(rest_before).len(), split(rest_after).len());
    let pairs = rest_before.split_inclusive('\n').rev().zip(rest_after.split_inclusive('\n').rev());
    let last: usize = pairs.take(lines_before.min(lines_after)).take_while(same).map(|(line, _)| line.len()).sum();
    let range = IndexedText::new(before).lines(first..before.len() - last);
    Some(TextEdit { range, new_text: after[first..after.len() - last].to_owned() })
}

fn completion_item_of(proposal: Proposal, lines: &IndexedText) -> CompletionItem {
    let kind = match proposal.kind {
        ProposalKind::Key => CompletionItemKind::PROPERTY,
        ProposalKind::Word => CompletionItemKind::ENUM_MEMBER,
        ProposalKind::Name => CompletionItemKind::FIELD,
        ProposalKind::Parameter => CompletionItemKind::CONSTANT,
        ProposalKind::Words | ProposalKind::List => CompletionItemKind::VALUE,
        ProposalKind::Function => CompletionItemKind::FUNCTION,
    };
    let markup = MarkupContent { kind: MarkupKind::Markdown, value: proposal.doc };
    let doc = (!markup.value.is_empty()).then_some(Documentation::MarkupContent(markup));
    CompletionItem {
        kind: Some(kind),
        detail: (!proposal.detail.is_empty()).then_some(proposal.detail),
        documentation: doc,
        // Editors match the label, whatever character comes before it.
        filter_text: Some(proposal.label.clone()),
        label: proposal.label,
        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
            range: lines.lines(proposal.replace),
            new_text: proposal.insert,
        })),
        ..CompletionItem::default()
    }
}

#[expect(deprecated, reason = "the protocol's type still has the field")]
fn document_symbol_of(symbol: Symbol, lines: &IndexedText) -> DocumentSymbol {
    DocumentSymbol {
        // The protocol forbids an empty name, which a half-written section has.
        name: if symbol.name.is_empty() { "?".to_owned() } else { symbol.name },
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind: match symbol.kind {
            SymbolKind::Section => Icon::NAMESPACE,
            SymbolKind::Key => Icon::KEY,
        },
        tags: None,
        deprecated: None,
        range: lines.lines(symbol.range),
        selection_range: lines.lines(symbol.name_range),
        children: Some(symbol.children.into_iter().map(|child| self::document_symbol_of(child, lines)).collect()),
    }
}
