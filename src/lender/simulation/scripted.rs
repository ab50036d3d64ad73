//! One loan, and every death: the process dies at each transaction, before or after its commit, and once more at each
//! later one, for every fate of the payout and of the debit. Nothing is left to chance.

use std::sync::Arc;

use super::check::{check_any_moment, check_the_end};
use super::database::{Death, FailingDatabase};
use super::outside::{Fate, Notification, Ordered, Outside};
use super::world::{NoVault, build_offer, build_plan};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{AfterNotFound, At, Cause, Event, LoanDecision, LoanState, Order, OrderKind, Plan};
use crate::lender::loan_book::{
    Actor, BookError, Claimed, Facts, LoanBook, LoanRow, MessageOutcome, NewAcceptance, NewDecision, NewRequest,
    Person, RecordedRequest,
};
use crate::lender::runner::Private;
use crate::lender::runner::call::{Call, CallOutcome, TransactionQuery};
use crate::lender::runner::steps::{BegunStep, begin_step, finish_step};
use crate::lender::store::database::{Database, InstanceId};
use crate::provider::generate::random::Draw;

/// What was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scripted {
    /// How many lives.
    pub lives: u64,
    /// How many deaths.
    pub deaths: u64,
    /// What went wrong.
    pub violations: Vec<String>,
}

/// Which lives are tried. Each is left out but every so manieth; 1 leaves out none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// Of the pairs of fates, of the payout and of the debit.
    pub fates: usize,
    /// Of the second deaths; 0 for none.
    pub seconds: u64,
}

/// Tries every death, and every second death after it.
pub fn try_every_death(strides: Strides) -> Scripted {
    let mut all = Scripted::default();
    let pairs = Fate::ALL.into_iter().flat_map(|fund| Fate::ALL.map(|debit| (fund, debit)));
    for (fund, debit) in pairs.step_by(strides.fates.max(1)) {
        let whole = Life::live(fund, debit, &[]);
        all.lives += 1;
        all.violations.extend(whole.violations);
        let moments = whole.writes;
        for (first, death) in (0..moments).flat_map(|first| [(first, Death::Before), (first, Death::After)]) {
            let is_tried = |second: &u64| strides.seconds > 0 && (first + second).is_multiple_of(strides.seconds);
            let other = if first % 2 == 0 { Death::After } else { Death::Before };
            for second in std::iter::once(None).chain((0..moments).filter(is_tried).map(Some)) {
                let deaths: Vec<_> = [(first, death)].into_iter().chain(second.map(|second| (second, other))).collect();
                let life = Life::live(fund, debit, &deaths);
                all.lives += 1;
                all.deaths += life.deaths;
                let script = format!("{fund:?}, {debit:?}, {deaths:?}: ");
                all.violations.extend(life.violations.into_iter().map(|wrong| script.clone() + &wrong));
            }
        }
    }
    all.violations.truncate(10);
    all
}

/// What came of one life.
struct Lived {
    writes: u64,
    deaths: u64,
    violations: Vec<String>,
}

struct Life {
    now: i64,
    database: Arc<FailingDatabase>,
    book: LoanBook,
    plan: Plan,
    outside: Outside,
    draw: Draw,
    instance: InstanceId,
    fates: [Fate; 2],
    /// Notifications that have not arrived.
    mail: Vec<Notification>,
    /// Those that are still to come, each in transactions from the life's begin or from the death before.
    deaths: Vec<(u64, Death)>,
    died: u64,
    violations: Vec<String>,
}

const BEGIN: i64 = 1_767_225_600_000;

impl Life {
    fn live(fund: Fate, debit: Fate, deaths: &[(u64, Death)]) -> Lived {
        let database = Arc::new(FailingDatabase::new().expect("a database in memory"));
        let shared: Arc<dyn Database> = database.clone();
        let at = Timestamp::from_milliseconds(BEGIN).expect("INVARIANT: a moment");
        let book = LoanBook::open(shared, "chance", at).expect("a book");
        let instance = database.revive();
        let before = database.writes();
        let mut life = Life {
            now: BEGIN,
            database,
            book,
            plan: build_plan(AfterNotFound::Review),
            outside: Outside::default(),
            draw: Draw::new([7; 32], 0),
            instance,
            fates: [fund, debit],
            mail: Vec::new(),
            deaths: deaths.to_vec(),
            died: 0,
            violations: Vec::new(),
        };
        life.arm();
        life.run();
        let Life { database, mut violations, mut outside, died, .. } = life;
        violations.append(&mut outside.violations);
        Lived { writes: database.writes() - before, deaths: died, violations }
    }

    fn arm(&self) {
        if let Some((transactions, death)) = self.deaths.first() {
            self.database.die_in(*transactions, *death);
        }
    }

    fn clock(&self) -> Timestamp {
        Timestamp::from_milliseconds(self.now).expect("INVARIANT: a moment")
    }

    fn at(&self) -> At<'_> {
        self.plan.at(self.clock())
    }

    fn run(&mut self) {
        for _ in 0..500 {
            match self.turn() {
                Ok(true) => {}
                Ok(false) => return self.end(),
                Err(_) if self.database.is_dead() => self.restart(),
                Err(error) => return self.violations.push(error.to_string()),
            }
        }
        self.violations.push("the life has no end".to_owned());
    }

    fn restart(&mut self) {
        self.died += 1;
        self.instance = self.database.revive();
        let freed = self.book.free_ended_claims(self.clock());
        if freed.is_err() || self.book.post_received_payments(self.at()).is_err() {
            self.violations.push("a new process cannot take over".to_owned());
        }
        self.deaths.remove(0);
        self.arm();
    }

    fn turn(&mut self) -> Result<bool, BookError> {
        let Some(row) = self.book.find_loan("OR-1")? else {
            let request = NewRequest {
                reference: "OR-1".to_owned(),
                customer_id: "C-1".to_owned(),
                request: serde_json::json!({}),
                fingerprint: String::new(),
            };
            if let RecordedRequest::New(claimed) = self.book.record_request(&request, self.instance, self.clock())? {
                self.step(&claimed)?;
            }
            return Ok(true);
        };
        if row.loan.state == LoanState::Offered {
            self.accept()?;
        }
        if row.loan.state.needs_person() && row.loan.wake.is_none() {
            return self.person(&row);
        }
        let wakes = [self.book.next_wake()?, self.book.next_message_wake()?].into_iter().flatten();
        let wake = wakes.map(Timestamp::milliseconds).min();
        let next = self.mail.iter().enumerate().min_by_key(|(_, one)| one.at).map(|(place, one)| (place, one.at));
        let wake = match (wake, next) {
            (None, None) => return Ok(false),
            (Some(wake), next) if next.is_none_or(|(_, at)| wake < at) => wake,
            (_, Some((place, at))) => return self.deliver(place, at),
            (Some(wake), None) => wake,
        };
        self.now = self.now.max(wake);
        for claimed in self.book.claim_loans(self.instance, self.clock(), 1)? {
            self.step(&claimed)?;
        }
        for claim in self.book.claim_messages(self.instance, self.clock(), 1)? {
            self.book.settle_message(&claim, &MessageOutcome::Sent, self.clock())?;
        }
        Ok(true)
    }

    /// A notification arrives. If the process dies meanwhile, it comes again.
    fn deliver(&mut self, place: usize, at: i64) -> Result<bool, BookError> {
        self.now = self.now.max(at);
        self.book.record_payment(&self.mail[place].payment, self.at())?;
        self.mail.remove(place);
        Ok(true)
    }

    fn step(&mut self, claimed: &Claimed) -> Result<(), BookError> {
        let row = match begin_step(&self.book, &NoVault, claimed, self.at())? {
            BegunStep::Done(row) => *row,
            BegunStep::Call(call) => {
                let outcome = self.make_call(&call)?;
                finish_step(&self.book, claimed, &outcome, self.at())?
            }
        };
        for wrong in check_any_moment(&self.book, &row, &self.outside)? {
            self.violations.push(wrong);
        }
        Ok(())
    }

    fn make_call(&mut self, call: &Call) -> Result<CallOutcome, BookError> {
        Ok(match call {
            Call::Decide { .. } => {
                let until = self.plan.later(self.clock(), 7 * DAY);
                let decision = NewDecision {
                    outcome: "offer".to_owned(),
                    policy: [String::new(), String::new(), String::new()],
                    record: None,
                    offers: vec![build_offer("O-1", 2, 5_000, true, until)],
                };
                let event = Event::Decided { decision: LoanDecision::Offer { until }, is_answered: false };
                CallOutcome { event, facts: Facts { decision: Some(decision), ..Facts::default() } }
            }
            Call::Answer { .. } => CallOutcome::new(Event::AnswerTaken),
            Call::Verify { .. } => CallOutcome::new(Event::AccountVerified),
            Call::Move(transfer) => {
                // Only the first order of each kind has a fate of its own.
                let at = usize::from(transfer.kind == OrderKind::Debit);
                let fate = std::mem::replace(&mut self.fates[at], Fate::Done);
                let ordered = self.outside.receive_order(transfer, fate, self.now, &mut self.draw);
                let Ordered { outcome, notifications } = ordered;
                self.mail.extend(notifications);
                outcome
            }
            Call::Query(TransactionQuery { transaction_id, .. }) => {
                self.outside.answer_query(transaction_id, self.now, true)
            }
            Call::QueryFailed(TransactionQuery { transaction_id, .. }) => {
                self.outside.answer_query(transaction_id, self.now, true).about_failed()
            }
        })
    }

    fn accept(&mut self) -> Result<(), BookError> {
        let private = Private { account_number: "1".to_owned(), bank_code: "1".to_owned(), msisdn: None };
        let acceptance = NewAcceptance {
            offer_id: "O-1".to_owned(),
            customer_id: "C-1".to_owned(),
            loan_reference_id: "LR-1".to_owned(),
            loan_id: None,
            fingerprint: String::new(),
            private: private.seal(&NoVault, "LR-1").ok(),
            loans_max: 1,
            verified_by: Some(self.instance),
        };
        if let Some(claimed) = self.book.accept_offer(&acceptance, self.at())?.claimed {
            self.step(&claimed)?;
        }
        self.book.answer_acceptance(&acceptance, self.at()).map(drop)
    }

    fn person(&mut self, row: &LoanRow) -> Result<bool, BookError> {
        // A person asks the provider, and waits until it knows.
        self.now += DAY;
        let is_open = row.loan.order.as_ref().is_some_and(Order::may_have_left);
        let event = match (row.loan.state, self.book.questioned_transaction_id(row)?) {
            (LoanState::Review, Some(order)) if self.outside.moves(&order) => Event::Moved,
            (LoanState::Review, Some(_)) if is_open || row.loan.cause == Some(Cause::Unknown) => Event::NotMoved,
            (LoanState::Review | LoanState::FundingFailed, _) => Event::Retry,
            (LoanState::Overpaid, _) => Event::Refunded,
            _ => return Ok(false),
        };
        let actor = Actor::Person(Person { name: "ada".to_owned(), note: "asked".to_owned() });
        self.book.decide_loan(row.id, &event, &Facts::default(), &actor, self.at())?;
        Ok(true)
    }

    fn end(&mut self) {
        let ended = self.book.find_loan("OR-1").and_then(|row| match row {
            Some(row) => {
                let mut wrong = check_the_end(&self.book, &row, &self.outside)?;
                if row.loan.state != LoanState::Closed {
                    wrong.push(format!("it ends {}", row.loan.state.word()));
                }
                Ok(wrong)
            }
            None => Ok(vec!["it is lost".to_owned()]),
        });
        match ended {
            Ok(mut wrong) => self.violations.append(&mut wrong),
            Err(error) => self.violations.push(error.to_string()),
        }
    }
}
