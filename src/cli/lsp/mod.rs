//! `lsp`: a language server over standard input and output. Speaks the protocol; the answers come from `editor`.

mod folders;
mod mapping;
mod publish;
mod requests;
mod server;
mod wire;

use std::process::ExitCode;

use clap::Args;
use lsp_server::{Connection, ErrorCode, Message, Request, Response};
use lsp_types::notification::{Exit, Notification as _};
use lsp_types::request::{Request as _, Shutdown};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions, HoverProviderCapability, OneOf,
    RenameOptions, SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
};

use super::output::Failure;
use server::Server;

/// The command line of `lsp`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright lsp
      editors start this; docs/guides/editor.md explains the setup of VS Code, Neovim and Helix")]
pub struct LspArgs {
    /// Accepted and ignored: editors pass it, and there is no other transport
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Serves until the editor shuts it down.
pub fn run(_: &LspArgs) -> Result<ExitCode, Failure> {
    let (connection, reading, writing) = wire::connect_over_stdio();
    let capabilities = serde_json::to_value(server_capabilities()).map_err(Failure::message)?;
    let in_order = match connection.initialize(capabilities) {
        Ok(initialize) => {
            let server = Server { roots: folders::workspace_folders(&initialize), ..Server::default() };
            answer_until_exit(&connection, server)
        }
        Err(error) if error.channel_is_disconnected() => false,
        Err(error) => return Err(Failure::message(error)),
    };
    drop(connection);
    if let Ok(Err(why)) = writing.join() {
        return Err(Failure::message(format!("the editor stopped reading: {why}")));
    }
    if in_order {
        return Ok(ExitCode::SUCCESS);
    }
    // The protocol demands an error if the editor leaves without `shutdown` and `exit`. The input has ended, so the
    // reading thread has too.
    match reading.join() {
        Ok(Err(why)) => Err(Failure::Message(why)),
        _ => Err(Failure::message("the editor left without `shutdown` and `exit`")),
    }
}

/// Answers messages until the editor leaves. Returns whether it sent `shutdown` and `exit`.
fn answer_until_exit(connection: &Connection, mut server: Server) -> bool {
    let mut next = None;
    while let Some(message) = next.take().or_else(|| connection.receiver.recv().ok()) {
        match message {
            Message::Request(request) => {
                let is_last = request.method == Shutdown::METHOD;
                let response = if is_last { Response::new_ok(request.id, ()) } else { server.answer(request) };
                if connection.sender.send(response.into()).is_err() {
                    return false;
                }
                if is_last {
                    return wait_for_exit(connection);
                }
            }
            Message::Notification(notification) => server.note(notification),
            Message::Response(_) => {}
        }
        // Messages that are waiting may bring a newer text. Only the last one is checked.
        next = connection.receiver.try_recv().ok();
        if next.is_some() {
            continue;
        }
        for notification in server.mistakes() {
            if connection.sender.send(notification.into()).is_err() {
                return false;
            }
        }
    }
    false
}

/// Waits for `exit`, and refuses other requests. Returns whether `exit` came.
fn wait_for_exit(connection: &Connection) -> bool {
    for message in &connection.receiver {
        match message {
            Message::Notification(notification) if notification.method == Exit::METHOD => return true,
            Message::Request(Request { id, .. }) => {
                let refused =
                    Response::new_err(id, ErrorCode::InvalidRequest as i32, "the server is shut down".to_owned());
                if connection.sender.send(refused.into()).is_err() {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}

fn server_capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let trigger_characters = ["$", ".", "(", "{", "[", "\""].map(str::to_owned).to_vec();
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(trigger_characters),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
