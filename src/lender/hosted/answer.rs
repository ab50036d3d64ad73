//! Answers and refusals as HTTP: status, code, message. Knows nothing of how a request came.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

use super::body::BodyFault;
use super::lender::Refusal;
use crate::provider::wire::lender::AcceptanceReply;
use crate::provider::wire::{LenderCodes, tidy_provider_message};

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    Unauthorized,
    FailedLogins(Duration),
    TooOften(Duration),
    TooManyAtOnce,
    UnknownPath,
    WrongMethod(&'static str),
    NotJson,
    BodyTooLong,
    BodyTooSlow,
    BodyBroken,
    TookTooLong,
    Lender(Refusal),
}

/// `Retry-After` where nothing better is known.
const SOON: Duration = Duration::from_secs(1);

impl Failure {
    pub(super) fn invalid(problem: impl std::fmt::Display) -> Self {
        Failure::Lender(Refusal::Invalid(problem.to_string()))
    }

    /// The word for it in metrics and logs.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Failure::Unauthorized => "unauthorized",
            Failure::FailedLogins(_) => "failed_logins",
            Failure::TooOften(_) => "rate",
            Failure::TooManyAtOnce => "in_flight",
            Failure::UnknownPath => "unknown_path",
            Failure::WrongMethod(_) => "method",
            Failure::NotJson => "content_type",
            Failure::BodyTooLong => "body_too_long",
            Failure::BodyTooSlow => "body_too_slow",
            Failure::BodyBroken => "body_broken",
            Failure::TookTooLong => "answer_timeout",
            Failure::Lender(Refusal::Invalid(_)) => "invalid",
            Failure::Lender(Refusal::NotFound) => "not_found",
            Failure::Lender(Refusal::Conflict(_)) => "conflict",
            Failure::Lender(Refusal::Busy(_)) => "busy",
            Failure::Lender(Refusal::Unavailable) => "unavailable",
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Failure::Unauthorized => StatusCode::UNAUTHORIZED,
            Failure::FailedLogins(_) | Failure::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
            Failure::UnknownPath | Failure::Lender(Refusal::NotFound) => StatusCode::NOT_FOUND,
            Failure::WrongMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Failure::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Failure::BodyTooLong => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Failure::BodyBroken | Failure::Lender(Refusal::Invalid(_)) => StatusCode::BAD_REQUEST,
            Failure::Lender(Refusal::Conflict(_)) => StatusCode::CONFLICT,
            Failure::TooManyAtOnce
            | Failure::TookTooLong
            | Failure::Lender(Refusal::Busy(_) | Refusal::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn code<'a>(&self, codes: &'a LenderCodes) -> &'a str {
        match self {
            Failure::Unauthorized => &codes.unauthorized,
            Failure::FailedLogins(_) | Failure::TooOften(_) | Failure::TooManyAtOnce => &codes.busy,
            Failure::Lender(Refusal::Busy(_)) => &codes.busy,
            Failure::UnknownPath | Failure::Lender(Refusal::NotFound) => &codes.not_found,
            Failure::Lender(Refusal::Conflict(_)) => &codes.conflict,
            Failure::TookTooLong | Failure::Lender(Refusal::Unavailable) => &codes.unavailable,
            Failure::WrongMethod(_)
            | Failure::NotJson
            | Failure::BodyTooLong
            | Failure::BodyTooSlow
            | Failure::BodyBroken
            | Failure::Lender(Refusal::Invalid(_)) => &codes.invalid,
        }
    }

    fn message(&self) -> String {
        match self {
            Failure::Unauthorized => "the user name or the password is missing or wrong",
            Failure::FailedLogins(_) => "too many failed logins; try again later",
            Failure::TooOften(_) => "too many requests; try again later",
            Failure::TooManyAtOnce | Failure::Lender(Refusal::Busy(_)) => "too many requests at once; try again later",
            Failure::UnknownPath => "there is no such endpoint",
            Failure::WrongMethod(method) => return format!("this endpoint takes {method}"),
            Failure::NotJson => "the content type is not application/json",
            Failure::BodyTooLong => "the body is too long",
            Failure::BodyTooSlow => "the body came too slowly",
            Failure::BodyBroken => "the body broke off",
            Failure::TookTooLong => "there is no answer yet; send the same request again",
            Failure::Lender(Refusal::NotFound) => "not found",
            Failure::Lender(Refusal::Unavailable) => "the lender cannot answer now; try again later",
            Failure::Lender(Refusal::Invalid(problem) | Refusal::Conflict(problem)) => {
                return tidy_provider_message(problem);
            }
        }
        .to_owned()
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            Failure::FailedLogins(wait) | Failure::TooOften(wait) | Failure::Lender(Refusal::Busy(wait)) => Some(*wait),
            Failure::TooManyAtOnce | Failure::TookTooLong | Failure::Lender(Refusal::Unavailable) => Some(SOON),
            _ => None,
        }
    }

    /// The refusal as a response.
    pub(super) fn to_response(&self, codes: &LenderCodes) -> Response<Body> {
        let reply = AcceptanceReply {
            response_code: self.code(codes).to_owned(),
            response_message: self.message(),
            loan_id: None,
        };
        let mut response = json_response(self.status(), &reply);
        let headers = response.headers_mut();
        if let Some(wait) = self.retry_after() {
            // Rounded up, so that a caller that waits for it does not come too early.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        if let Failure::WrongMethod(method) = self {
            headers.insert(header::ALLOW, HeaderValue::from_static(method));
        }
        if matches!(self, Failure::BodyTooLong | Failure::BodyTooSlow | Failure::BodyBroken) {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl From<BodyFault> for Failure {
    fn from(fault: BodyFault) -> Failure {
        match fault {
            BodyFault::TooLong => Failure::BodyTooLong,
            BodyFault::TooSlow => Failure::BodyTooSlow,
            BodyFault::Broken => Failure::BodyBroken,
        }
    }
}

/// A response with a JSON body, which no cache may keep.
pub(super) fn json_response<T: Serialize>(status: StatusCode, reply: &T) -> Response<Body> {
    // Texts and numbers are always serializable.
    let body = serde_json::to_vec(reply).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
