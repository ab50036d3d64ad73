//! `lsp`: a language server over standard input and output. Speaks the protocol; what is answered comes from `editor`.

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
    CompletionOptions, HoverProviderCapability, OneOf, RenameOptions, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions,
};

use super::output::Failure;
use server::Server;

/// The command line of `lsp`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright lsp
      what an editor starts; docs/guides/editor.md says how VS Code, Neovim and Helix are set up")]
pub struct LspArgs {
    /// Taken and passed over: editors give it, and there is no other way to be spoken to
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Serves until the editor says that it is done.
pub fn run(_: &LspArgs) -> Result<ExitCode, Failure> {
    let (connection, reading, writing) = wire::stdio();
    let capabilities = serde_json::to_value(capabilities()).map_err(Failure::said)?;
    let in_order = match connection.initialize(capabilities) {
        Ok(greeting) => {
            let server = Server { roots: folders::roots(&greeting), ..Server::default() };
            serve(&connection, server)
        }
        Err(error) if error.channel_is_disconnected() => false,
        Err(error) => return Err(Failure::said(error)),
    };
    drop(connection);
    if let Ok(Err(why)) = writing.join() {
        return Err(Failure::said(format!("the editor reads no more: {why}")));
    }
    if in_order {
        return Ok(ExitCode::SUCCESS);
    }
    // As the protocol has it: who leaves without a word leaves an error. Nothing more came, so reading has ended.
    match reading.join() {
        Ok(Err(why)) => Err(Failure::Said(why)),
        _ => Err(Failure::said("the editor left without `shutdown` and `exit`")),
    }
}

/// Whether the editor said that it was done, and then left.
fn serve(connection: &Connection, mut server: Server) -> bool {
    let mut waiting = None;
    while let Some(message) = waiting.take().or_else(|| connection.receiver.recv().ok()) {
        match message {
            Message::Request(request) => {
                let is_last = request.method == Shutdown::METHOD;
                let response = if is_last { Response::new_ok(request.id, ()) } else { server.answer(request) };
                if connection.sender.send(response.into()).is_err() {
                    return false;
                }
                if is_last {
                    return leave(connection);
                }
            }
            Message::Notification(notification) => server.note(notification),
            Message::Response(_) => {}
        }
        // While the editor has more to say there may be a newer text: mistakes are looked for in the last one.
        waiting = connection.receiver.try_recv().ok();
        if waiting.is_some() {
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

/// Waits for the editor to go; refuses whatever else it asks. Whether it went as it should.
fn leave(connection: &Connection) -> bool {
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

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let signs = ["$", ".", "(", "{", "[", "\""].map(str::to_owned).to_vec();
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(signs),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}
