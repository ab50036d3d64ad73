//! The page of the table, which a test prints and draws. Knows nothing of files but that page.

mod tests;
