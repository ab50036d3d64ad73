//! Loans through the running service.

mod loan_life;
