//! What people who write policies use: findings, the language server's knowledge, differences between two
//! policies, spreadsheets, DMN and scorecards of other programs. Must not know files, protocols, or how results look.

pub mod analysis;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "only commands use it"))]
pub mod blend;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "only commands use it"))]
pub mod corrections;
pub mod diff;
pub mod dmn;
pub mod editor;
#[cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports, reason = "only commands use it"))]
pub mod scorecards;
pub mod spreadsheets;
