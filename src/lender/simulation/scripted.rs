//! One loan, and every death: the process dies at each transaction, before or after its commit, and once more at each
//! later one, for every fate of the payout and of the debit. Nothing is left to chance.

use std::sync::Arc;

use super::check::{at_any_moment, at_the_end};
use super::database::{Death, Mortal};
use super::outside::{Fate, Outside};
use super::world::{NoVault, offer, plan};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{AfterNotFound, Event, Kind, Plan, State, Verdict};
use crate::lender::loan_book::{
    Acceptance, Actor, BookError, Decided, Facts, LoanBook, MessageOutcome, NewRequest, Requested,
};
use crate::lender::runner::{Begun, Call, Heard, Private, begin, finish};
use crate::lender::store::database::{Database, InstanceId};
use crate::provider::generate::Draw;
use crate::provider::wire::lender::Payment;

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
pub fn every_death(strides: Strides) -> Scripted {
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
    database: Arc<Mortal>,
    book: LoanBook,
    plan: Plan,
    outside: Outside,
    draw: Draw,
    instance: InstanceId,
    fates: [Fate; 2],
    /// Those that are still to come, each in transactions from the life's begin or from the death before.
    deaths: Vec<(u64, Death)>,
    died: u64,
    violations: Vec<String>,
}

const BEGIN: i64 = 1_767_225_600_000;

impl Life {
    fn live(fund: Fate, debit: Fate, deaths: &[(u64, Death)]) -> Lived {
        let database = Arc::new(Mortal::new().expect("a database in memory"));
        let shared: Arc<dyn Database> = database.clone();
        let at = Timestamp::from_milliseconds(BEGIN).expect("INVARIANT: a moment");
        let book = LoanBook::open(shared, "chance", at).expect("a book");
        let instance = database.revive();
        let before = database.writes();
        let mut life = Life {
            now: BEGIN,
            database,
            book,
            plan: plan(AfterNotFound::Review),
            outside: Outside::default(),
            draw: Draw::new([7; 32], 0),
            instance,
            fates: [fund, debit],
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
        if self.book.adopt(self.clock()).is_err() || self.book.look_at_received(self.clock(), &self.plan).is_err() {
            self.violations.push("a new process cannot take over".to_owned());
        }
        self.deaths.remove(0);
        self.arm();
    }

    fn turn(&mut self) -> Result<bool, BookError> {
        let Some(row) = self.book.find("OR-1")? else {
            let asked = NewRequest {
                reference: "OR-1".to_owned(),
                customer_id: "C-1".to_owned(),
                request: serde_json::json!({}),
                fingerprint: String::new(),
            };
            if let Requested::New(claimed) = self.book.request(&asked, self.instance, self.clock())? {
                self.step(&claimed)?;
            }
            return Ok(true);
        };
        if row.loan.state == State::Offered {
            self.accept()?;
        }
        if row.loan.state.needs_person() {
            return self.person(row.id, row.loan.state, self.book.order_id(&row));
        }
        let wakes = [self.book.next_wake()?, self.book.next_message()?].into_iter().flatten();
        let Some(wake) = wakes.min() else { return Ok(false) };
        self.now = self.now.max(wake.milliseconds());
        for claimed in self.book.claim(self.instance, self.clock(), 1)? {
            self.step(&claimed)?;
        }
        for claim in self.book.claim_messages(self.instance, self.clock(), 1)? {
            self.book.settle_message(&claim, &MessageOutcome::Sent, self.clock())?;
        }
        Ok(true)
    }

    fn step(&mut self, claimed: &crate::lender::loan_book::Claimed) -> Result<(), BookError> {
        let row = match begin(&self.book, &NoVault, claimed, (self.clock(), &self.plan))? {
            Begun::Done(row) => *row,
            Begun::Call(call) => {
                let heard = self.make(&call)?;
                finish(&self.book, claimed, &heard, (self.clock(), &self.plan))?
            }
        };
        for wrong in at_any_moment(&self.book, &row, &self.outside)? {
            self.violations.push(wrong);
        }
        Ok(())
    }

    fn make(&mut self, call: &Call) -> Result<Heard, BookError> {
        Ok(match call {
            Call::Decide { .. } => {
                let until = self.plan.later(self.clock(), 7 * DAY);
                let decision = Decided {
                    outcome: "offer".to_owned(),
                    policy: [String::new(), String::new(), String::new()],
                    record: None,
                    offers: vec![offer("O-1", (2, 5_000), true, until)],
                };
                let event = Event::Decided { verdict: Verdict::Offer { until }, is_answered: false };
                Heard { event, facts: Facts { decision: Some(decision), ..Facts::default() } }
            }
            Call::Answer { .. } => Heard::event(Event::AnswerTaken),
            Call::Verify { .. } => Heard::event(Event::AccountVerified),
            Call::Move(money) => {
                // Only the first order of each kind has a fate of its own.
                let at = usize::from(money.kind == Kind::Debit);
                let fate = std::mem::replace(&mut self.fates[at], Fate::Done);
                let (heard, notes) = self.outside.order(money, fate, self.now, &mut self.draw);
                for (_, note) in notes {
                    self.note(&note)?;
                }
                heard
            }
            Call::Ask { transaction_id, .. } => self.outside.ask(transaction_id, self.now, true),
        })
    }

    fn note(&mut self, note: &super::outside::Note) -> Result<(), BookError> {
        let payment = Payment {
            loan_id: note.loan_id.clone(),
            payment_ref: note.payment_ref.clone(),
            amount_minor: note.amount_minor,
            customer_id: note.customer_id.clone(),
        };
        self.book.notified(&payment, (self.clock(), &self.plan)).map(drop)
    }

    fn accept(&mut self) -> Result<(), BookError> {
        let private = Private { account_number: "1".to_owned(), bank_code: "1".to_owned(), msisdn: None };
        let acceptance = Acceptance {
            offer_id: "O-1".to_owned(),
            customer_id: "C-1".to_owned(),
            loan_reference_id: "LR-1".to_owned(),
            loan_id: None,
            fingerprint: String::new(),
            private: private.seal(&NoVault, "LR-1").ok(),
            loans_max: 1,
        };
        self.book.accept(&acceptance, (self.clock(), &self.plan)).map(drop)
    }

    fn person(&mut self, loan: i64, state: State, order: Option<String>) -> Result<bool, BookError> {
        // A person asks the provider, and waits until it knows.
        self.now += DAY;
        let event = match (state, order) {
            (State::Review, Some(order)) if self.outside.moves(&order) => Event::Moved,
            (State::Review, Some(_)) => Event::NotMoved,
            (State::Review | State::FundingFailed, _) => Event::Retry,
            (State::Overpaid, _) => Event::Refunded,
            _ => return Ok(false),
        };
        let actor = Actor::Person { name: "ada".to_owned(), note: "asked".to_owned() };
        self.book.decide(loan, &event, &Facts::default(), &actor, (self.clock(), &self.plan))?;
        Ok(true)
    }

    fn end(&mut self) {
        let ended = self.book.find("OR-1").map_err(BookError::from).and_then(|row| match row {
            Some(row) => {
                let mut wrong = at_the_end(&self.book, &row, &self.outside)?;
                if row.loan.state != State::Closed {
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
