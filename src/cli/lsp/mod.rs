//! `lsp`: a language server over standard input and output. Speaks the protocol; what is answered comes from `editor`.

mod folders;
mod mapping;
mod publish;
mod requests;
mod server;

use std::process::ExitCode;

use clap::Args;
use lsp_server::{Connection, Message};
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
      what an editor starts; docs/rules/editor.md says how VS Code, Neovim and Helix are set up")]
pub struct LspArgs {
    /// Taken and passed over: editors give it, and there is no other way to be spoken to
    #[arg(long, hide = true)]
    pub stdio: bool,
}

/// Serves until the editor says that it is done.
pub fn run(_: &LspArgs) -> Result<ExitCode, Failure> {
    let (connection, threads) = Connection::stdio();
    let capabilities = serde_json::to_value(capabilities()).map_err(Failure::said)?;
    let greeting = match connection.initialize(capabilities) {
        Ok(greeting) => greeting,
        // Nobody spoke.
        Err(error) if error.channel_is_disconnected() => return Ok(ExitCode::FAILURE),
        Err(error) => return Err(Failure::said(error)),
    };
    let server = Server { roots: folders::roots(&greeting), ..Server::default() };
    let in_order = serve(&connection, server)?;
    drop(connection);
    threads.join().map_err(Failure::said)?;
    // As the protocol has it: who leaves without a word leaves an error.
    Ok(if in_order { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether the editor said that it was done.
fn serve(connection: &Connection, mut server: Server) -> Result<bool, Failure> {
    let mut waiting = None;
    while let Some(message) = waiting.take().or_else(|| connection.receiver.recv().ok()) {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(Failure::said)? {
                    return Ok(true);
                }
                let response = server.answer(request);
                if connection.sender.send(response.into()).is_err() {
                    return Ok(false);
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
                return Ok(false);
            }
        }
    }
    Ok(false)
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
