//! Loans through the running service.

mod accounts;
mod kept_decisions;
mod loan_life;
mod own_history;
mod sources;
