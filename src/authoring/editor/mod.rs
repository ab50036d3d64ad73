//! What an analyst's editor asks of rule files: layout, schema, names, completion. Knows no protocol and opens
//! no file.

mod complete;
pub(crate) mod described;
mod find;
pub mod format;
mod keys;
mod layout;
mod outline;
mod place;
mod rename;
mod rename_part;
pub mod schema;
mod under;
mod values;
mod workspace;

pub use complete::{Proposal, ProposalKind};
pub use find::{Hover, Location};
pub use outline::{Symbol, SymbolKind, outline_rule_file};
pub use rename::{Edits, RenameError};
pub use workspace::{Disk, FileMistake, Workspace};
