//! What recurs in a statement.

mod pay_days;
