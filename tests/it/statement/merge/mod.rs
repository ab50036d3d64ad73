//! Several accounts and exports of a customer as one statement.

mod accounts;
mod balances;
mod command_line;
mod generated_accounts;
