//! Tests of `src/authoring`: analysis, the editor, differences, spreadsheets, DMN.

mod analysis;
mod diff;
mod dmn;
mod editor;
mod spreadsheets;
