//! A book that real steps have filled, with a loan in each situation that people meet. The records of its decisions are
//! those of a policy.

mod cases;

use std::sync::Arc;

use crate::base::date::Zone;
use crate::base::time::{DAY, TimeOfDay, Timestamp};
use crate::lender::loan::{
    AfterNotFound, At, Backoff, Cause, Event, LoanDecision, LoanState, OrderKind, Plan, Retry, Terms,
};
use crate::lender::loan_book::{
    Facts, LoanBook, LoanRow, MIGRATIONS, MessageOutcome, NewAcceptance, NewDecision, NewRequest, OfferRow,
    RecordedRequest,
};
use crate::lender::operations::ReferralDesk;
use crate::lender::runner::call::{Call, CallOutcome, DecisionRequest};
use crate::lender::runner::decide::{Decided, decide_by_policies};
use crate::lender::runner::steps::{BegunStep, begin_step, finish_step};
use crate::lender::runner::{Private, Vault};
use crate::lender::store::database::{Database, InstanceId};
use crate::lender::store::sqlite::{self, Sqlite};
use crate::provider::wire::Offer;
use crate::provider::wire::lender::Payment;
use crate::rules::{Policies, compile};

/// 2026-01-05, 09:00 in Lagos.
pub(crate) const BEGIN: i64 = 1_767_600_000_000;
const MINUTE: i64 = 60_000;

pub(crate) fn at(after_ms: i64) -> Timestamp {
    Timestamp::from_milliseconds(BEGIN + after_ms).unwrap()
}

/// Encrypts nothing, but knows whether data is in its place, and its key's number.
pub(crate) struct PlainVault(pub(crate) u8);

impl Vault for PlainVault {
    fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, String> {
        Ok([&[self.0], context.as_bytes(), b"\n", plain].concat())
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, String> {
        let rest = sealed.get(1..).and_then(|rest| rest.strip_prefix(context.as_bytes()));
        rest.and_then(|rest| rest.strip_prefix(b"\n")).map(<[u8]>::to_vec).ok_or_else(|| "moved".to_owned())
    }

    fn is_outdated(&self, sealed: &[u8]) -> bool {
        sealed.first() != Some(&self.0)
    }

    fn digest(&self, purpose: &str, plain: &[u8]) -> Option<[u8; 32]> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(purpose.as_bytes()).update(plain);
        Some(*hasher.finalize().as_bytes())
    }
}

pub(crate) fn plan() -> Plan {
    Plan {
        zone: Zone::parse("Africa/Lagos").unwrap(),
        collect_at: TimeOfDay::from_milliseconds(9 * 60 * MINUTE).unwrap(),
        backoff: Backoff { first_ms: 5_000, longest_ms: 10 * MINUTE },
        give_up_after_ms: DAY,
        requery: Backoff { first_ms: 10_000, longest_ms: 30 * MINUTE },
        settling_ms: 15 * MINUTE,
        fund_after_ms: 1_000,
        own_debit_ms: 3 * 86_400_000,
        unknown_ms: DAY,
        after_not_found: AfterNotFound::Review,
        retries: vec![Retry { after_ms: DAY, percent: 100 }],
    }
}

/// Refers those with one or two records, and declines those without.
pub(crate) const POLICY: &str = "[policy]\nname = 'starter'\nversion = '3'\ncurrency = '566'\n\
    time_zone = 'Africa/Lagos'\n[request]\namount = 'money'\npurpose = 'text'\n[bureau]\nmost = 'money'\n\
    [metric]\nrecords = 'COUNT(*)'\nincome = 'SUM(credit)'\n\
    [[require]]\nid = 'R1'\ntitle = 'Enough records'\nwhen = 'records >= 3'\nelse = 'refer'\n\
    reason = 'Only {records} records'\n\
    [[require]]\nid = 'R2'\nwhen = 'records >= 1'\nreason = 'No records'\n\
    [[offer]]\nid = 'loan'\ntenure = 30\ninstalments = 2\namount = 20000\nfloor = 5000\ninterest = 2.5\n";

pub(crate) fn policies(text: &str) -> Arc<Policies> {
    Arc::new(Policies::from(compile("starter.toml", text, &mut |_| Err("no other files".into()), &[]).unwrap()))
}

/// A narration that would steer a terminal or a page.
pub(crate) const HOSTILE: &str = "PAY<script>alert(1)</script>\u{1b}[31mRED";

/// A statement as the provider gives it.
pub(crate) fn statement(records: usize) -> bytes::Bytes {
    let record = |number: usize| {
        serde_json::json!({
            "id": format!("{number}"), "credit": 1_000.5, "trans_date": "2026-01-03T09:00:00Z",
            "notes": { "desc": HOSTILE },
        })
    };
    let records: Vec<_> = (0..records).map(record).collect();
    serde_json::json!({ "status": "success", "data": { "transactions": records } }).to_string().into()
}

/// A book and its process.
pub(crate) struct Fixture {
    pub(crate) book: LoanBook,
    pub(crate) plan: Plan,
    pub(crate) instance: InstanceId,
    now: Timestamp,
    payments: u32,
}

impl Fixture {
    pub(crate) fn new(database: Sqlite) -> Fixture {
        let database: Arc<dyn Database> = Arc::new(database);
        let book = LoanBook::open(database, "chance", at(0)).unwrap();
        let instance = book.database().enlist(BEGIN).unwrap();
        Fixture { book, plan: plan(), instance, now: at(0), payments: 0 }
    }

    /// In memory, with a loan in each situation, 40 days later.
    pub(crate) fn filled() -> Fixture {
        let mut fixture = Fixture::new(sqlite::open_memory_database(MIGRATIONS, BEGIN).unwrap());
        fixture.fill();
        fixture
    }

    pub(crate) fn fill(&mut self) {
        let (moved, offers) = (|_: &Call| Event::Moved, || Some("offer"));
        self.life("OR-CLOSED", "C-1", offers(), moved);
        self.life("OR-OPEN", "C-2", offers(), |call| match call {
            Call::Move(transfer) if transfer.kind == OrderKind::Debit => Event::NotMoved,
            _ => Event::Moved,
        });
        self.life("OR-REFERRED", "C-3", Some("refer"), moved);
        self.life("OR-BARE", "C-4", Some("bare"), moved);
        self.life("OR-UNKNOWN", "C-5", offers(), |call| match call {
            Call::Move(_) => Event::Unknown,
            _ => Event::Pending,
        });
        self.life("OR-FAILED", "C-6", offers(), |_| Event::NotMoved);
        self.life("OR-DECLINED", "C-7", Some("decline"), moved);
        self.life("OR-DAMAGED", "C-8", None, moved);
        self.pay("OR-CLOSED", "C-1", 2_500);
        self.pay("OR-NOWHERE", "C-9", 700);
        self.now = at(40 * DAY);
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn at(&self) -> At<'_> {
        self.plan.at(self.now)
    }

    /// What decisions on its referrals need.
    pub(crate) fn desk(&self) -> ReferralDesk {
        let load = || Ok(policies(POLICY));
        ReferralDesk {
            vault: Arc::new(PlainVault(1)),
            policies: Arc::new(load),
            decline_codes: Arc::new(["INCOME_NOT_PROVEN".to_owned()]),
        }
    }

    pub(crate) fn row(&self, name: &str) -> LoanRow {
        self.book.find_loan(name).unwrap().unwrap()
    }

    fn pay(&mut self, reference: &str, customer: &str, amount_minor: i64) {
        self.payments += 1;
        let payment = Payment {
            loan_id: format!("L-{reference}"),
            payment_ref: format!("PAY-{}", self.payments),
            customer_id: customer.to_owned(),
            amount_minor,
        };
        self.book.record_payment(&payment, self.at()).unwrap();
    }

    /// The life of one loan, until it waits for a person or is at an end.
    pub(crate) fn life(
        &mut self,
        reference: &str,
        customer: &str,
        decision: Option<&str>,
        mut outcome: impl FnMut(&Call) -> Event,
    ) {
        self.now = at(0);
        let request = NewRequest {
            reference: reference.to_owned(),
            customer_id: customer.to_owned(),
            request: serde_json::json!({ "amount": 20_000, "date_of_birth": "1990-12-24" }),
            fingerprint: customer.to_owned(),
        };
        let RecordedRequest::New(claimed) = self.book.record_request(&request, self.instance, self.now).unwrap() else {
            panic!("a new request");
        };
        let decided = self.decided(reference, decision);
        finish_step(&self.book, &claimed, &decided, self.at()).unwrap();
        for _ in 0..400 {
            if self.row(reference).loan.state == LoanState::Offered {
                self.accept(reference, customer);
            }
            let wakes = [self.book.next_wake().unwrap(), self.book.next_message_wake().unwrap()];
            let Some(wake) = wakes.into_iter().flatten().min() else { return };
            self.now = self.now.max(wake);
            for claimed in self.book.claim_loans(self.instance, self.now, 10).unwrap() {
                if let BegunStep::Call(call) = begin_step(&self.book, &PlainVault(1), &claimed, self.at()).unwrap() {
                    let answer = answered(&call, &mut outcome);
                    finish_step(&self.book, &claimed, &answer, self.at()).unwrap();
                }
            }
            for claim in self.book.claim_messages(self.instance, self.now, 10).unwrap() {
                let failed = MessageOutcome::Failed("rejected, HTTP 400".to_owned());
                let outcome = if reference == "OR-OPEN" { failed } else { MessageOutcome::Sent };
                self.book.settle_message(&claim, &outcome, self.now).unwrap();
            }
        }
        panic!("{reference} has no end");
    }

    fn decided(&self, reference: &str, decision: Option<&str>) -> CallOutcome {
        let until = self.plan.later(self.now, 7 * DAY);
        let Some(decision) = decision else {
            return CallOutcome::with_note(Event::Impossible(Cause::Undecidable), "the statement is malformed");
        };
        let (outcome, event) = match decision {
            "offer" => ("offer", Event::Decided { decision: LoanDecision::Offer { until }, is_answered: false }),
            "decline" => ("decline", Event::Decided { decision: LoanDecision::Decline, is_answered: false }),
            _ => ("refer", Event::Refer),
        };
        let recorded = self.recorded(reference, decision);
        let record = PlainVault(1).seal(&format!("decisions.record/{reference}"), &recorded.record.unwrap());
        let offers = match decision {
            "offer" => vec![offer(&format!("O-{reference}"), until)],
            _ => recorded.outcome.facts.decision.unwrap().offers,
        };
        let policy = ["starter".to_owned(), "3".to_owned(), "d1".to_owned()];
        let decided = NewDecision { outcome: outcome.to_owned(), policy, record: Some(record.unwrap()), offers };
        CallOutcome { event, facts: Facts { decision: Some(decided), ..Facts::default() } }
    }

    /// What the policy makes of a statement on which it decides so.
    fn recorded(&self, reference: &str, decision: &str) -> Decided {
        let records = match decision {
            "offer" => 5,
            "decline" => 0,
            _ => 2,
        };
        let request = DecisionRequest {
            reference: reference.to_owned(),
            customer_id: reference.to_owned(),
            request: serde_json::json!({ "purpose": "SECRET-RECORD", "amount": 2_000_000 }),
            own: Default::default(),
            found: Default::default(),
        };
        let policy = if decision == "bare" {
            POLICY.replace("amount = 20000", "amount = 'bureau.most'")
        } else {
            POLICY.to_owned()
        };
        decide_by_policies(&policies(&policy), &request, &statement(records), self.now)
    }

    fn accept(&self, reference: &str, customer: &str) {
        let private = Private {
            account_number: "0123456789".to_owned(),
            bank_code: "058".to_owned(),
            msisdn: Some("2348012345678".to_owned()),
        };
        let acceptance = NewAcceptance {
            offer_id: format!("O-{reference}"),
            customer_id: customer.to_owned(),
            loan_reference_id: format!("REF-{reference}"),
            loan_id: Some(format!("L-{reference}")),
            fingerprint: reference.to_owned(),
            private: Some(private.seal(&PlainVault(1), &format!("REF-{reference}")).unwrap()),
            loans_max: 1,
            verified_by: None,
        };
        self.book.accept_offer(&acceptance, self.at()).unwrap();
    }
}

fn answered(call: &Call, outcome: &mut impl FnMut(&Call) -> Event) -> CallOutcome {
    match call {
        Call::Decide { .. } => CallOutcome::new(Event::Impossible(Cause::Undecidable)),
        Call::Answer { .. } => CallOutcome::new(Event::AnswerTaken),
        Call::Verify { .. } => CallOutcome::new(Event::AccountVerified),
        Call::Move(transfer) => {
            let event = outcome(call);
            let moved = event == Event::Moved;
            let transaction_ref = moved.then(|| format!("TR-{}", &transfer.transaction_id[..12]));
            CallOutcome { event, facts: Facts { transaction_ref, ..Facts::default() } }
        }
        Call::Query { .. } => CallOutcome::new(outcome(call)),
        Call::QueryFailed { .. } => CallOutcome::new(Event::StillFailed),
    }
}

fn offer(id: &str, until: Timestamp) -> OfferRow {
    let terms = Terms {
        paid_out_minor: 2_000_000,
        payments_minor: vec![1_050_000, 1_050_000],
        length: 30,
        unit: "days".to_owned(),
        currency: "566".to_owned(),
        is_part_payment_allowed: false,
    };
    let offer = Offer {
        offer_id: id.to_owned(),
        amount_offered: 2_000_000,
        interest: 5.0,
        amount_payable: 2_100_000,
        fee: 0,
        tenure: 30,
        terms: String::new(),
        expiry_date: until.to_string(),
        currency: "566".to_owned(),
        is_part_payment_allowed: false,
    };
    OfferRow { offer, terms, expires_at: until }
}
