//! The house itself: its rules, its pages, its packaging.

mod alerts;
mod docs_site;
mod packaging;
mod rule_pages;
