//! The pages of operations: what needs a person, what is in flight, what failed, and each loan's story. They are for
//! this machine's browser alone, because they need no password. Knows nothing of sockets.

mod frame;
mod guard;
mod loan;
mod queue;
mod record;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Form, Path, Query, State};
use axum::http::StatusCode;
use axum::middleware::from_fn;
use axum::response::Response;
use axum::routing::{get, post};

use self::frame::{redirect_to, render_refusal};
use super::act::{Act, ActError, carry_out_act};
use super::in_words::LocalTime;
use super::referral::{ReferralDesk, Ruling, read_major_amount};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Plan};
use crate::lender::loan_book::{BookError, LoanBook, LoanRow, Person};
use crate::lender::runner::Clock;
use crate::lender::store::error::StoreError;

/// What the pages are made of.
#[derive(Clone)]
pub(crate) struct Pages {
    /// The book.
    pub(crate) book: LoanBook,
    /// The lender's settings of a loan's life.
    pub(crate) plan: Arc<Plan>,
    /// What time it is.
    pub(crate) clock: Clock,
    /// What decisions on referrals need.
    pub(crate) desk: ReferralDesk,
    /// Whether people may decide on the pages (`operations.actions`).
    pub(crate) has_actions: bool,
}

/// The pages, and the token that their forms carry.
#[derive(Clone)]
struct Shared {
    pages: Pages,
    /// Of this process alone. Another site cannot read it.
    token: Arc<str>,
}

/// The most bytes of a form.
const FORM_BYTES_MAX: usize = 16_384;

/// The routes below `/loans`. Served on a loopback address only.
///
/// # Errors
/// If the system has no random numbers.
pub(crate) fn build_routes(pages: Pages) -> Result<Router, StoreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Unavailable("the system has no random numbers".to_owned()))?;
    let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Router::new()
        .route("/loans", get(answer_loan_list))
        .route("/loans/style.css", get(frame::serve_style))
        .route("/loans/live.js", get(frame::serve_script))
        .route("/loans/{name}", get(answer_one_loan))
        .route("/loans/{name}/decide", post(answer_loan_decision))
        .route("/loans/{name}/record", post(answer_opened_record))
        .layer(DefaultBodyLimit::max(FORM_BYTES_MAX))
        .layer(from_fn(guard::guard_request))
        .with_state(Shared { pages, token: token.into() }))
}

impl Shared {
    fn now(&self) -> Timestamp {
        (self.pages.clock)()
    }

    fn at(&self) -> At<'_> {
        self.pages.plan.at(self.now())
    }

    fn time(&self) -> LocalTime {
        LocalTime(self.pages.plan.zone.clone())
    }

    /// Runs something that waits for the book, off the async runtime.
    async fn blocking(&self, work: impl FnOnce(&Shared) -> Result<Response, ActError> + Send + 'static) -> Response {
        let shared = self.clone();
        match tokio::task::spawn_blocking(move || work(&shared)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => refuse_failed_act(&error),
            Err(_) => render_refusal(StatusCode::INTERNAL_SERVER_ERROR, "the page could not be made"),
        }
    }
}

fn refuse_failed_act(error: &ActError) -> Response {
    let status = match error {
        ActError::Person(_) | ActError::Amount(_) | ActError::NotLowered(_) | ActError::UnknownCode { .. } => {
            StatusCode::BAD_REQUEST
        }
        ActError::Book(BookError::NotFound(_)) => StatusCode::NOT_FOUND,
        ActError::Book(BookError::Store(error)) => {
            tracing::error!(%error, "the loan book failed");
            return render_refusal(StatusCode::SERVICE_UNAVAILABLE, "the loan book cannot be used now");
        }
        ActError::NoOffers | ActError::NothingToOffer(_) | ActError::Book(_) => StatusCode::CONFLICT,
    };
    render_refusal(status, &error.to_string())
}

/// A field of a form or a query; empty if it is missing.
fn trimmed_form_field<'f>(fields: &'f [(String, String)], name: &str) -> &'f str {
    fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value.trim())
}

async fn answer_loan_list(State(shared): State<Shared>, Query(fields): Query<Vec<(String, String)>>) -> Response {
    shared
        .blocking(move |shared| match trimmed_form_field(&fields, "find") {
            "" => match trimmed_form_field(&fields, "state") {
                "" => queue::render_queue(shared, None),
                word => {
                    let listed = queue::Listed::from_word(word).ok_or(BookError::NotFound("list of loans"))?;
                    let after = trimmed_form_field(&fields, "after").parse().unwrap_or(0);
                    queue::render_list(shared, &listed, after)
                }
            },
            name => match shared.pages.book.find_loan(name)? {
                Some(row) => Ok(redirect_to(&format!("/loans/{}", row.id))),
                None => queue::render_queue(shared, Some("There is no loan with this number, id or reference.")),
            },
        })
        .await
}

async fn answer_one_loan(State(shared): State<Shared>, Path(number): Path<String>) -> Response {
    shared.blocking(move |shared| loan::render_loan(shared, &numbered_loan(&shared.pages.book, &number)?)).await
}

/// The loan of a page. Addresses have its number alone: a reference may look like the number of another loan.
fn numbered_loan(book: &LoanBook, number: &str) -> Result<LoanRow, BookError> {
    book.load_numbered_loan(number)?.ok_or(BookError::NotFound("loan"))
}

/// Why a form is refused before it is looked at, if it is.
fn refuse_form(shared: &Shared, fields: &[(String, String)]) -> Option<Response> {
    if !shared.pages.has_actions {
        let why = "decisions on these pages are switched off; use `lendwright service loans`, or set \
                   `operations.actions = true`";
        return Some(render_refusal(StatusCode::FORBIDDEN, why));
    }
    (trimmed_form_field(fields, "token") != &*shared.token).then(|| {
        render_refusal(StatusCode::FORBIDDEN, "this form is of an earlier start of the service; load the page again")
    })
}

async fn answer_opened_record(
    State(shared): State<Shared>,
    Path(number): Path<String>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
    if let Some(refused) = refuse_form(&shared, &fields) {
        return refused;
    }
    shared
        .blocking(move |shared| {
            let row = numbered_loan(&shared.pages.book, &number)?;
            let person = Person::new(trimmed_form_field(&fields, "by"), "on the page of the loan")?;
            record::render_record(shared, &row, &person)
        })
        .await
}

async fn answer_loan_decision(
    State(shared): State<Shared>,
    Path(number): Path<String>,
    Form(fields): Form<Vec<(String, String)>>,
) -> Response {
    if let Some(refused) = refuse_form(&shared, &fields) {
        return refused;
    }
    shared
        .blocking(move |shared| {
            let book = &shared.pages.book;
            let row = numbered_loan(book, &number)?;
            let act =
                Act::from_word(trimmed_form_field(&fields, "act")).ok_or(ActError::Person("choose what to do"))?;
            let person = Person::new(trimmed_form_field(&fields, "by"), trimmed_form_field(&fields, "note"))?;
            // A person who looks at an old page decides about something else.
            if trimmed_form_field(&fields, "version") != row.version.to_string() {
                return Err(BookError::Conflict("the loan has changed since you loaded the page; look again").into());
            }
            match act.is_ruling() {
                true => {
                    let ruling = read_ruling(book, &row, act, &fields)?;
                    shared.pages.desk.rule_on_loan(book, &row, &ruling, &person, shared.at())?;
                }
                false => drop(carry_out_act(book, &row, act, &person, shared.at())?),
            }
            Ok(redirect_to(&format!("/loans/{}", row.id)))
        })
        .await
}

/// The decision on a referral that a form asks for.
fn read_ruling(book: &LoanBook, row: &LoanRow, act: Act, fields: &[(String, String)]) -> Result<Ruling, ActError> {
    let field = |name: &str| Some(trimmed_form_field(fields, name)).filter(|text| !text.is_empty());
    if act == Act::Decline {
        return Ok(Ruling::Decline { code: field("code").map(str::to_owned) });
    }
    let amount_minor = field("amount").map(|amount| read_major_amount(book, row, amount)).transpose()?;
    Ok(Ruling::Approve { amount_minor, valid_for: None })
}
