//! What the analysis claims of random policies and tables, against their decisions.

mod random_policies;
mod small_tables;
