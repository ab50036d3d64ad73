//! A world of some loans: what happens in which order, and when the process dies, all from one seed. `acts` says what
//! each of those outside does.

mod acts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::check::{check_any_moment, check_the_end};
use super::database::{Death, FailingDatabase};
use super::outside::Outside;
use crate::base::date::Zone;
use crate::base::digest::Hasher;
use crate::base::time::{DAY, TimeOfDay, Timestamp};
use crate::lender::loan::{AfterNotFound, At, Backoff, LoanState, Plan, Retry, Terms};
use crate::lender::loan_book::{BookError, Claimed, LoanBook, LoanRow, MessageOutcome, OfferRow, Verified};
use crate::lender::runner::Vault;
use crate::lender::runner::steps::{BegunStep, begin_step, finish_step};
use crate::lender::store::database::{Database, InstanceId};
use crate::lender::store::error::StoreError;
use crate::provider::generate::random::Draw;
use crate::provider::wire::Offer;
use crate::provider::wire::lender::Payment;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// 2026-01-01.
const BEGIN: i64 = 1_767_225_600_000;
/// No world takes longer.
const STEPS_MAX: u32 = 100_000;

/// What is to be simulated.
#[derive(Clone, Copy, Debug)]
pub struct SimulationOptions {
    /// The first seed.
    pub seed: u64,
    /// How many loans, in worlds of [`SimulationOptions::each`].
    pub loans: u64,
    /// How many loans there are in a world.
    pub each: u64,
    /// How many threads.
    pub threads: usize,
}

/// What was simulated.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many loans.
    pub loans: u64,
    /// How often the process died.
    pub deaths: u64,
    /// How many orders of money were given.
    pub orders: u64,
    /// How many steps there were.
    pub steps: u64,
    /// How many loans ended in each state.
    pub ends: BTreeMap<&'static str, u64>,
    /// What went wrong, with the seed.
    pub violations: Vec<String>,
    /// Of everything that happened, in order of the seeds.
    pub trace: String,
}

/// Simulates worlds until there are enough loans. Reports at most ten violations.
pub fn run_simulation(options: &SimulationOptions) -> Report {
    let worlds = options.loans.div_ceil(options.each.max(1));
    let (next, threads) = (AtomicU64::new(0), options.threads.max(1));
    let one = || {
        let mut reports = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= worlds {
                return reports;
            }
            reports.push((number, simulate_one_world(options.seed.wrapping_add(number), options.each)));
        }
    };
    let mut reports: Vec<(u64, Report)> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a world does not panic")).collect()
    });
    reports.sort_by_key(|(number, _)| *number);
    let (mut sum, mut hasher) = (Report::default(), Hasher::new());
    for (_, report) in reports {
        sum.loans += report.loans;
        sum.deaths += report.deaths;
        sum.orders += report.orders;
        sum.steps += report.steps;
        report.ends.iter().for_each(|(state, count)| *sum.ends.entry(state).or_default() += count);
        sum.violations.extend(report.violations);
        hasher.update(report.trace.as_bytes());
    }
    sum.violations.truncate(10);
    sum.trace = hasher.finish().to_string();
    sum
}

fn simulate_one_world(seed: u64, loans: u64) -> Report {
    let mut world = World::new(seed, loans);
    let mut report = world.run();
    report.violations.iter_mut().for_each(|violation| violation.insert_str(0, &format!("seed {seed}: ")));
    report
}

/// Encrypts nothing, but knows whether data is in its place.
pub(super) struct NoVault;

impl Vault for NoVault {
    fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, String> {
        Ok([context.as_bytes(), b"\n", plain].concat())
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, String> {
        let plain = sealed.strip_prefix(context.as_bytes()).and_then(|rest| rest.strip_prefix(b"\n"));
        plain.map(<[u8]>::to_vec).ok_or_else(|| "moved".to_owned())
    }
}

pub(super) fn build_plan(after_not_found: AfterNotFound) -> Plan {
    Plan {
        zone: Zone::parse("Africa/Lagos").expect("INVARIANT: a zone"),
        collect_at: TimeOfDay::from_milliseconds(9 * HOUR).expect("INVARIANT: a time of day"),
        backoff: Backoff { first_ms: 5_000, longest_ms: 10 * MINUTE },
        give_up_after_ms: DAY,
        requery: Backoff { first_ms: 10_000, longest_ms: 30 * MINUTE },
        settling_ms: 15 * MINUTE,
        unknown_ms: DAY,
        after_not_found,
        fund_after_ms: 1_000,
        own_debit_ms: 3 * DAY,
        retries: vec![Retry { after_ms: DAY, percent: 100 }, Retry { after_ms: 3 * DAY, percent: 50 }],
    }
}

/// What happens from outside.
#[derive(Clone, Debug)]
enum Outer {
    /// The provider requests offers.
    Request(usize),
    /// A customer accepts: the offer of this place, under a reference, to an account.
    Accept { subject: usize, offer: usize, reference: u64, account: u64 },
    /// The provider notifies.
    Notify(Payment),
    /// The customer pays by themselves.
    Pay(usize),
    /// A payout or a debit is taken back.
    Reverse(usize),
    /// A person looks at a loan.
    Person(usize),
    /// A process that was taken for dead goes on.
    Zombie(Box<Claimed>),
    /// The clock jumps.
    Jump(i64),
}

/// A customer with one request.
struct Subject {
    reference: String,
    customer_id: String,
    /// The ids of loans that were promised.
    promised: BTreeSet<String>,
    is_person_called: bool,
}

struct World {
    draw: Draw,
    /// The true time. The book's clock differs by `skew`.
    now: i64,
    skew: i64,
    faults_until: i64,
    database: Arc<FailingDatabase>,
    book: LoanBook,
    plan: Plan,
    outside: Outside,
    instance: InstanceId,
    subjects: Vec<Subject>,
    agenda: BTreeMap<(i64, u64), Outer>,
    /// How often each message was sent.
    messages_sent: BTreeMap<i64, u32>,
    counter: u64,
    report: Report,
    hasher: Hasher,
}

impl World {
    fn new(seed: u64, loans: u64) -> World {
        let mut key = [0_u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut draw = Draw::new(key, 0);
        let database = Arc::new(FailingDatabase::new().expect("a database in memory"));
        let shared: Arc<dyn Database> = database.clone();
        let at = Timestamp::from_milliseconds(BEGIN).expect("INVARIANT: a moment");
        let book = LoanBook::open(shared, &seed.to_string(), at).expect("a book");
        let instance = database.revive();
        let is_idempotent = draw.chance(300);
        let after_not_found = if is_idempotent { AfterNotFound::SendAgain } else { AfterNotFound::Review };
        let mut agenda = BTreeMap::new();
        let mut subjects = Vec::new();
        for number in 0..loans {
            let at = BEGIN + draw.range(0, 20 * DAY);
            agenda.insert((at, number), Outer::Request(subjects.len()));
            // Some customers ask twice.
            let customer = if draw.chance(100) { number / 2 } else { number };
            subjects.push(Subject {
                reference: format!("OR-{number}"),
                customer_id: format!("C-{customer}"),
                promised: BTreeSet::new(),
                is_person_called: false,
            });
        }
        World {
            now: BEGIN,
            skew: 0,
            faults_until: BEGIN + draw.range(20 * DAY, 120 * DAY),
            database,
            book,
            plan: build_plan(after_not_found),
            outside: Outside { is_idempotent, ..Outside::default() },
            instance,
            subjects,
            agenda,
            messages_sent: BTreeMap::new(),
            counter: loans,
            report: Report { loans, ..Report::default() },
            hasher: Hasher::new(),
            draw,
        }
    }

    fn is_faulty(&self) -> bool {
        self.now < self.faults_until
    }

    fn clock(&self) -> Timestamp {
        Timestamp::from_milliseconds(self.now + self.skew).expect("INVARIANT: within the calendar")
    }

    fn at(&self) -> At<'_> {
        self.plan.at(self.clock())
    }

    fn trace(&mut self, what: &str) {
        self.hasher.update(format!("{} {what}\n", self.now).as_bytes());
    }

    fn later(&mut self, wait: i64, what: Outer) {
        self.counter += 1;
        self.agenda.insert((self.now + wait, self.counter), what);
    }

    fn violation(&mut self, what: String) {
        self.report.violations.push(what);
    }

    fn run(&mut self) -> Report {
        let jumps = self.draw.below(4);
        for _ in 0..jumps {
            let (at, by) = (self.draw.range(0, 60 * DAY), self.draw.range(-DAY, DAY));
            self.later(at, Outer::Jump(by));
        }
        self.restart();
        while self.report.steps < u64::from(STEPS_MAX) && self.report.violations.is_empty() {
            self.report.steps += 1;
            if self.is_faulty() && self.draw.chance(30) {
                let death = if self.draw.chance(500) { Death::Before } else { Death::After };
                let wait = self.draw.below(6);
                self.database.die_in(wait, death);
            }
            if self.is_faulty() && self.draw.chance(15) {
                let death = if self.draw.chance(500) { Death::Before } else { Death::After };
                let wait = self.draw.below(6);
                self.database.hiccup_in(wait, death);
            }
            let turned = self.turn();
            if self.database.has_hiccuped() {
                self.trace("hiccup");
                self.forget();
                continue;
            }
            match turned {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if self.database.is_dead() => {
                    self.trace(&format!("dies: {error}"));
                    self.restart();
                }
                Err(error) => self.violation(error.to_string()),
            }
        }
        if self.report.steps >= u64::from(STEPS_MAX) {
            self.violation("the world does not come to rest".to_owned());
        }
        if let Err(error) = self.end() {
            self.violation(error.to_string());
        }
        self.report.orders = self.outside.orders;
        let mut report = std::mem::take(&mut self.report);
        report.trace = std::mem::take(&mut self.hasher).finish().to_string();
        report.violations.append(&mut self.outside.violations);
        report
    }

    /// The process goes on after a failure: what it had claimed is free again.
    fn forget(&mut self) {
        let (book, now) = (&self.book, self.clock());
        let forgotten =
            book.list_claims(self.instance).and_then(|claims| book.free_claims(self.instance, &claims, now));
        if forgotten.is_err() && !self.database.is_dead() {
            self.violation("claims cannot be given up".to_owned());
        }
    }

    /// Another process takes over, at once.
    fn restart(&mut self) {
        self.report.deaths += 1;
        self.instance = self.database.revive();
        let now = self.clock();
        let taken = self.book.free_ended_claims(now).and_then(|_| {
            self.book.post_received_payments(self.plan.at(now)).map_err(|error| match error {
                BookError::Store(error) => error,
                other => StoreError::Programming(other.to_string()),
            })
        });
        if let Err(error) = taken {
            self.violation(format!("a new process cannot take over: {error}"));
        }
    }

    /// The next thing that happens. Returns whether there is any.
    fn turn(&mut self) -> Result<bool, BookError> {
        let due = self.agenda.first_key_value().map(|((at, _), _)| *at);
        let woken = [self.book.next_wake()?, self.book.next_message_wake()?];
        let woken = woken.into_iter().flatten().map(|wake| (wake.milliseconds() - self.skew).max(self.now)).min();
        match (due, woken) {
            (None, None) => return Ok(false),
            (Some(due), woken) if woken.is_none_or(|woken| due <= woken) => {
                self.now = self.now.max(due);
                if let Some(((_, _), what)) = self.agenda.pop_first() {
                    self.carry_out_outer(what)?;
                }
            }
            (_, Some(woken)) => {
                self.now = woken;
                self.work()?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// The service works on what is due.
    fn work(&mut self) -> Result<(), BookError> {
        let most = self.draw.range(1, 3);
        let claimed = self.book.claim_loans(self.instance, self.clock(), most)?;
        for (place, one) in claimed.iter().enumerate() {
            if let Err(error) = self.step(one) {
                // What died with it may yet go on, if it only seemed dead.
                for rest in &claimed[place..] {
                    if self.draw.chance(250) {
                        let wait = self.draw.range(0, 2 * HOUR);
                        self.later(wait, Outer::Zombie(Box::new(rest.clone())));
                    }
                }
                return Err(error);
            }
        }
        for claim in self.book.claim_messages(self.instance, self.clock(), 5)? {
            let outcome = match self.draw.below(10) {
                0 if self.is_faulty() => MessageOutcome::Again(self.plan.later(self.clock(), MINUTE)),
                1 if self.is_faulty() => MessageOutcome::Unknown("lost".to_owned()),
                _ => MessageOutcome::Sent,
            };
            if !matches!(outcome, MessageOutcome::Again(_)) {
                *self.messages_sent.entry(claim.id).or_default() += 1;
            }
            self.book.settle_message(&claim, &outcome, self.clock())?;
        }
        Ok(())
    }

    fn step(&mut self, claimed: &Claimed) -> Result<(), BookError> {
        let begun = begin_step(&self.book, &NoVault, claimed, self.at())?;
        let row = match begun {
            BegunStep::Done(row) => *row,
            BegunStep::Call(call) => {
                let outcome = self.make_call(&call);
                let (reference, state) = (&claimed.row.reference, claimed.row.loan.state.word());
                self.trace(&format!("{reference} {state}: {}", outcome.event.word()));
                // The process may die while it waits.
                self.now += self.draw.range(1, 20_000);
                finish_step(&self.book, claimed, &outcome, self.at())?
            }
        };
        self.trace(&format!("{} becomes {}", row.reference, row.loan.state.word()));
        self.look_at(&row)
    }

    fn look_at(&mut self, row: &LoanRow) -> Result<(), BookError> {
        for wrong in check_any_moment(&self.book, row, &self.outside)? {
            self.violation(format!("{}: {wrong}", row.reference));
        }
        let subject = self.subjects.iter().position(|subject| subject.reference == row.reference);
        if let Some(subject) = subject.filter(|_| row.loan.state.needs_person()) {
            // Some wait in vain.
            let is_looked_at = self.is_faulty() && self.draw.chance(800);
            if is_looked_at && !std::mem::replace(&mut self.subjects[subject].is_person_called, true) {
                let wait = self.draw.range(HOUR, 48 * HOUR);
                self.later(wait, Outer::Person(subject));
            }
        }
        Ok(())
    }

    /// Nothing more happens by itself.
    fn end(&mut self) -> Result<(), BookError> {
        let mut running = BTreeSet::new();
        for subject in 0..self.subjects.len() {
            let reference = self.subjects[subject].reference.clone();
            let Some(row) = self.book.find_loan(&reference)? else {
                self.violation(format!("{reference} is lost"));
                continue;
            };
            for wrong in check_the_end(&self.book, &row, &self.outside)? {
                self.violation(format!("{reference}: {wrong}"));
            }
            let promised = self.subjects[subject].promised.clone();
            if promised.len() > 1 || promised.iter().any(|loan_id| row.loan_id.as_ref() != Some(loan_id)) {
                self.violation(format!("{reference}: a loan that was promised is lost"));
            }
            *self.report.ends.entry(row.loan.state.word()).or_default() += 1;
            let is_running = row.loan_id.is_some()
                && !row.loan.state.is_final()
                && !matches!(row.loan.state, LoanState::Overpaid | LoanState::AccountWrong);
            if is_running && !running.insert(row.customer_id.clone()) {
                self.violation(format!("{} has two loans", row.customer_id));
            }
        }
        for reference in self.outside.delivered.clone() {
            if self.book.count_payments(&reference)? != 1 {
                self.violation(format!("the payment {reference} is lost or doubled"));
            }
        }
        if self.messages_sent.values().any(|times| *times > 1) {
            self.violation("a message was sent twice".to_owned());
        }
        if !matches!(self.book.verify_audit()?, Verified::Whole { .. }) {
            self.violation("the audit is broken".to_owned());
        }
        let payments = self.book.list_payments(None)?;
        if payments.iter().any(|payment| payment.reason.is_none()) {
            self.violation("a payment is parked without a reason".to_owned());
        }
        Ok(())
    }
}

/// An offer of some payments of the same amount each.
pub(super) fn build_offer(
    id: &str,
    payments: i64,
    each: i64,
    is_part_payment_allowed: bool,
    until: Timestamp,
) -> OfferRow {
    let paid_out_minor = payments * each;
    OfferRow {
        offer: Offer {
            offer_id: id.to_owned(),
            amount_offered: paid_out_minor,
            interest: 0.0,
            amount_payable: paid_out_minor,
            fee: 0,
            tenure: u32::try_from(payments * 30).unwrap_or(30),
            terms: String::new(),
            expiry_date: until.to_string(),
            currency: "566".to_owned(),
            is_part_payment_allowed,
        },
        terms: Terms {
            paid_out_minor,
            payments_minor: vec![each; usize::try_from(payments).unwrap_or(1)],
            length: u32::try_from(payments * 30).unwrap_or(30),
            unit: "days".to_owned(),
            currency: "566".to_owned(),
            is_part_payment_allowed,
        },
        expires_at: until,
    }
}
