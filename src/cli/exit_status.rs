//! Exit statuses of the commands that ask what became of money. Scripts depend on them.

use std::process::ExitCode;

use crate::provider::client::{Class, Error, bill::NotPaid};
use crate::provider::wire::lending::TransactionStatus;

/// The money has not moved, and will not.
const FAILED: u8 = 4;
/// The provider has not finished with it.
const PENDING: u8 = 5;
/// The provider does not know it, or not yet.
const NOT_FOUND: u8 = 6;
/// The provider gave no usable answer.
const UNREACHABLE: u8 = 7;

/// The exit status for the status of a transaction.
pub(crate) fn for_transaction(status: &TransactionStatus) -> ExitCode {
    match status {
        TransactionStatus::Succeeded { .. } => ExitCode::SUCCESS,
        TransactionStatus::Failed { .. } => ExitCode::from(FAILED),
        TransactionStatus::Pending => ExitCode::from(PENDING),
        TransactionStatus::NotFound => ExitCode::from(NOT_FOUND),
    }
}

/// The exit status for a question without a usable answer.
pub(crate) fn for_error(error: &Error) -> ExitCode {
    match error.class() {
        Class::NotSent
        | Class::Timeout
        | Class::Unavailable
        | Class::RateLimited
        | Class::Malformed
        | Class::TooLarge
        | Class::Uncertain => ExitCode::from(UNREACHABLE),
        // Something to correct on this side, or the provider refused the question, which says nothing about the money.
        Class::Rejected | Class::Authentication | Class::Configuration => ExitCode::FAILURE,
    }
}

/// The exit status for a bill that does not count as paid.
pub(crate) fn for_bill(not_paid: &NotPaid) -> ExitCode {
    match not_paid {
        NotPaid::Pending { .. } => ExitCode::from(PENDING),
        NotPaid::Refused { is_final: true, .. } => ExitCode::from(FAILED),
        NotPaid::NotFound { .. } => ExitCode::from(NOT_FOUND),
        // An unknown code, or a payment that does not match: a person must look.
        NotPaid::Refused { is_final: false, .. } | NotPaid::Differs(_) => ExitCode::FAILURE,
        NotPaid::Unknown(error) => for_error(error),
    }
}
