//! Long properties and large samples: many policies, statements, layouts, kills, pages in a browser.

mod accuracy;
mod analysis_claims;
mod batch_kills;
mod browser;
mod collected_cases;
mod damage;
mod edited_policies;
mod fuzz_corpus;
mod held_out;
mod long_statements;
mod narration_layouts;
mod same_records;
