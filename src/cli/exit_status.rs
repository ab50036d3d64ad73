//! Exit statuses of the commands that ask what became of money: scripts go on by them.

use std::process::ExitCode;

use crate::client::{Class, Error, bill::NotPaid};
use crate::wire::lending::TransactionStatus;

/// It has not happened, and will not.
const FAILED: u8 = 4;
/// The provider is not done with it.
const PENDING: u8 = 5;
/// The provider does not know it, or not yet.
const NOT_FOUND: u8 = 6;
/// The provider gave no usable answer.
const UNREACHABLE: u8 = 7;

/// Of an answer about a transaction.
pub(crate) fn of_status(status: &TransactionStatus) -> ExitCode {
    match status {
        TransactionStatus::Succeeded { .. } => ExitCode::SUCCESS,
        TransactionStatus::Failed { .. } => ExitCode::from(FAILED),
        TransactionStatus::Pending => ExitCode::from(PENDING),
        TransactionStatus::NotFound => ExitCode::from(NOT_FOUND),
    }
}

/// Of a question that was not answered.
pub(crate) fn of_error(error: &Error) -> ExitCode {
    match error.class() {
        Class::NotSent
        | Class::Timeout
        | Class::Unavailable
        | Class::RateLimited
        | Class::Malformed
        | Class::TooLarge
        | Class::Uncertain => ExitCode::from(UNREACHABLE),
        // To be mended on this side, or said by the provider of the question and not of the money.
        _ => ExitCode::FAILURE,
    }
}

/// Of a bill that does not count as paid.
pub(crate) fn of_bill(not_paid: &NotPaid) -> ExitCode {
    match not_paid {
        NotPaid::Pending { .. } => ExitCode::from(PENDING),
        NotPaid::Refused { is_final: true, .. } => ExitCode::from(FAILED),
        NotPaid::NotFound { .. } => ExitCode::from(NOT_FOUND),
        // A code that no setting knows, and a payment of something else: somebody must look.
        NotPaid::Refused { is_final: false, .. } | NotPaid::Differs(_) => ExitCode::FAILURE,
        NotPaid::Unknown(error) => of_error(error),
    }
}
