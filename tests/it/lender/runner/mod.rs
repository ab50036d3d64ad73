//! Loans through the running service.

mod accounts;
mod loan_life;
mod own_history;
mod sources;
