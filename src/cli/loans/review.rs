//! `loans review` and `loans resolve`: a person's decision. Knows nothing of which is possible.

use std::process::ExitCode;

use clap::Args;

use super::person::find_person_name;
use super::{BookArgs, Desk, desk};
use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::base::time::Duration;
use crate::cli::output::{self, Failure};
use crate::cli::serve::environment_variable;
use crate::lender::loan::LoanState;
use crate::lender::loan_book::{BookError, LoanRow, OfferRow};
use crate::lender::operations::{
    Act, ActError, Person, ProviderAnswer, Ruling, carry_out_act, contradicts_provider, format_money, format_state,
    list_allowed, question_order, read_major_amount,
};
use crate::lender::runner::call::TransactionQuery;

/// Who decides, and why.
#[derive(Debug, Clone, Args)]
pub(super) struct PersonArgs {
    /// Why: kept in the audit for ever, so leave personal data of customers out
    #[arg(long, value_name = "TEXT")]
    pub(super) note: String,
    /// Who decides; by default LENDWRIGHT_BY, or else the name of the system's user
    #[arg(long, value_name = "NAME")]
    pub(super) by: Option<String>,
}

impl PersonArgs {
    /// The person, by the option or by the environment.
    pub(super) fn person(&self) -> Result<Person, Failure> {
        let name = find_person_name(self.by.as_deref(), &environment_variable)?;
        Person::new(&name, &self.note).map_err(|error| Failure::Message(format!("{error} (--by, --note)")))
    }
}

/// The command line of `loans review`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans list --needs-person --config lender.toml
      what waits, and why
  lendwright service loans review 7 --approve --note \"pay slip seen\" \\
      --by \"Ada Obi\" --config lender.toml
      makes the offers of the recorded decision, valid from now on for as long as they were
  lendwright service loans review 7 --approve --amount 30000 \\
      --note \"pays rent elsewhere\" --config lender.toml
      the same offers with at most this amount, priced by the policy
  lendwright service loans review 7 --approve --valid-for P3D \\
      --note \"pay slip seen\" --config lender.toml
  lendwright service loans review 7 --decline --code R12 \\
      --note \"income not proven\" --config lender.toml

For loans that the policy refers to a person, and for statements that could not be decided on. An
approval makes the offers that the decision recorded; without any there is nothing to approve. The
service then sends the answer to the provider (E3). `lendwright service loans show 7 --personal`
shows the case: reasons, offers, explanation and statement.")]
pub(super) struct ReviewArgs {
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(value_name = "ID")]
    pub(super) id: String,
    #[command(flatten)]
    pub(super) verdict: VerdictArgs,
    #[command(flatten)]
    pub(super) ruling: RulingArgs,
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub(super) struct VerdictArgs {
    /// Make the offers of the recorded decision
    #[arg(long)]
    approve: bool,
    /// Make no offer
    #[arg(long)]
    decline: bool,
}

/// How a person approves or declines.
#[derive(Debug, Clone, Args)]
pub(super) struct RulingArgs {
    /// With --approve: at most this amount in major units, such as 30000; the policy prices it
    #[arg(long, value_name = "AMOUNT", requires = "approve")]
    amount: Option<String>,
    /// With --approve: how long the offers are valid from now on, such as P7D; by default as long as they were
    #[arg(long, value_name = "DURATION", requires = "approve", value_parser = parse_duration)]
    valid_for: Option<Duration>,
    /// With --decline: the reason as a code, of the policy or of `operations.decline_codes`
    #[arg(long, value_name = "CODE", requires = "decline")]
    code: Option<String>,
}

impl RulingArgs {
    fn ruling(&self, desk: &Desk, row: &LoanRow, is_approval: bool) -> Result<Ruling, Failure> {
        if !is_approval {
            return Ok(Ruling::Decline { code: self.code.clone() });
        }
        let read = |amount: &str| read_major_amount(&desk.book, row, amount).map_err(Failure::message);
        let amount_minor = self.amount.as_deref().map(read).transpose()?;
        Ok(Ruling::Approve { amount_minor, valid_for: self.valid_for })
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    Duration::parse_iso(text)
        .filter(|duration| duration.milliseconds() > 0)
        .ok_or_else(|| "give a duration above zero, such as P7D or PT12H".to_owned())
}

/// The command line of `loans resolve`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans resolve L-1 --moved --ask \\
      --note \"on the statement of 3 March\" --config lender.toml
      asks the provider first, and does nothing if it says the opposite
  lendwright service loans resolve L-1 --not-moved \\
      --note \"confirmed by e-mail\" --by Ada --config lender.toml
  lendwright service loans resolve L-1 --retry --note \"account topped up\" \\
      --config lender.toml

What each is for, and when it is possible:
  --moved      the outcome of a payout or debit is open, and you know that the money moved
  --not-moved  the outcome is open, and you know that it did not move and never will. Being wrong
               here pays or collects twice: have it from the provider in writing
  --retry      a payout or all debits failed, or a call was given up: go on where the loan stopped.
               What may have left is only asked about, never sent again under another id. Before
               another order leaves, the provider confirms that the one before failed
  --cancel     no money has moved and none is under way: give the loan up
  --write-off  the loan is paid out and owed: give up collecting. Later payments still count
  --refunded   more was paid than owed, and you have paid this amount back, such as 25.00
  --approve, --decline  as `lendwright service loans review`
`lendwright service loans show` lists what is possible for a loan now.")]
pub(super) struct ResolveArgs {
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(value_name = "ID")]
    pub(super) id: String,
    #[command(flatten)]
    pub(super) outcome: OutcomeArgs,
    #[command(flatten)]
    pub(super) ruling: RulingArgs,
    /// Ask the provider first (E9) about the open transaction, or else the last one that failed, and do nothing if it
    /// says the opposite
    #[arg(long)]
    pub(super) ask: bool,
    #[command(flatten)]
    pub(super) person: PersonArgs,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

#[derive(Debug, Clone, Args)]
#[group(required = true, multiple = false)]
pub(super) struct OutcomeArgs {
    /// The money has moved
    #[arg(long)]
    moved: bool,
    /// The money has not moved and never will
    #[arg(long)]
    not_moved: bool,
    /// Go on where the loan stopped
    #[arg(long)]
    retry: bool,
    /// Give the loan up before any money moved
    #[arg(long)]
    cancel: bool,
    /// Give up what is still owed
    #[arg(long)]
    write_off: bool,
    /// What was paid too much, this amount, has been paid back
    #[arg(long, value_name = "AMOUNT")]
    refunded: Option<String>,
    /// Make the offers of the recorded decision
    #[arg(long)]
    approve: bool,
    /// Make no offer
    #[arg(long)]
    decline: bool,
}

impl OutcomeArgs {
    fn act(&self) -> Act {
        let all = [
            (self.moved, Act::Moved),
            (self.not_moved, Act::NotMoved),
            (self.retry, Act::Retry),
            (self.cancel, Act::Cancel),
            (self.write_off, Act::WriteOff),
            (self.approve, Act::Approve),
            (self.decline, Act::Decline),
        ];
        all.into_iter().find(|(is_given, _)| *is_given).map_or(Act::Refunded, |(_, act)| act)
    }
}

pub(super) fn run_review_loan(args: &ReviewArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_line(decide_reviewed_loan(args, &Desk::open(&args.book)?)?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn decide_reviewed_loan(args: &ReviewArgs, desk: &Desk) -> Result<String, Failure> {
    let row = desk.find(&args.id)?;
    let ruling = args.ruling.ruling(desk, &row, args.verdict.approve)?;
    carry_out_ruling(desk, &row, &ruling, &args.person.person()?)
}

pub(super) fn run_resolve_loan(args: &ResolveArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    let mut ask = |query: &TransactionQuery| desk::ask_about_transaction(&args.book, query);
    output::write_stdout_line(resolve_unclear_loan(args, &desk, &mut ask)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Asks the provider about a transaction of a loan.
type Ask<'a> = &'a mut dyn FnMut(&TransactionQuery) -> Result<ProviderAnswer, Failure>;

pub(super) fn resolve_unclear_loan(args: &ResolveArgs, desk: &Desk, ask: Ask<'_>) -> Result<String, Failure> {
    let (row, act, person) = (desk.find(&args.id)?, args.outcome.act(), args.person.person()?);
    if let Some(amount) = &args.outcome.refunded {
        check_refund(&row, amount)?;
    }
    if args.ask {
        let Some(query) = question_order(&desk.book, &row).map_err(Failure::message)? else {
            let problem = "no transaction of money of this loan is open or has failed, so there is nothing to ask; \
                           leave out --ask";
            return Err(Failure::Message(problem.to_owned()));
        };
        let answer = ask(&query)?;
        let (transaction, words) = (&query.transaction_id, answer.in_words());
        output::print_stderr_remark(format!("the provider says about {transaction}: {words}\n"));
        if contradicts_provider(&row, act, answer) {
            return Err(Failure::Message(format!(
                "the provider says that {}, which contradicts --{}; nothing was done. Leave out --ask to \
                 decide against it",
                answer.in_words(),
                act.word()
            )));
        }
    }
    if act.is_ruling() {
        let ruling = args.ruling.ruling(desk, &row, act == Act::Approve)?;
        return carry_out_ruling(desk, &row, &ruling, &person);
    }
    tell_what_came_of_it(desk, &row, &person, carry_out_act(&desk.book, &row, act, &person, desk.at_now()))
}

fn carry_out_ruling(desk: &Desk, row: &LoanRow, ruling: &Ruling, person: &Person) -> Result<String, Failure> {
    let ruled = desk.referrals.rule_on_loan(&desk.book, row, ruling, person, desk.at_now());
    let told = tell_what_came_of_it(desk, row, person, ruled)?;
    let offers = match ruling {
        Ruling::Approve { .. } => desk.book.list_offers(row.id).map_err(Failure::message)?,
        Ruling::Decline { .. } => Vec::new(),
    };
    let offer = |made: &OfferRow| {
        let (offer, show) = (&made.offer, |minor| format_money(minor, &made.offer.currency));
        let (amount, payable) = (show(offer.amount_offered), show(offer.amount_payable));
        format!("\noffers {amount}, {payable} payable, until {}", desk.time.show(made.expires_at))
    };
    Ok(told + &offers.iter().map(offer).collect::<String>())
}

/// Somebody may have paid more since the person looked.
fn check_refund(row: &LoanRow, amount: &str) -> Result<(), Failure> {
    let Some(terms) = row.loan.terms.as_ref().filter(|_| row.loan.state == LoanState::Overpaid) else { return Ok(()) };
    let exponent = Currency::from_numeric(&terms.currency).map_or(2, |currency| currency.exponent());
    let overpaid = format_money(row.loan.overpaid_minor, &terms.currency);
    match parse_amount(amount.as_bytes(), AmountUnit::Major, exponent) {
        Ok(minor) if minor == row.loan.overpaid_minor => Ok(()),
        Ok(_) => Err(Failure::Message(format!("{overpaid} was paid too much, not {amount}; nothing was done"))),
        Err(error) => Err(Failure::Message(format!("--refunded {amount}: {error}"))),
    }
}

/// What a person's decision made of a loan.
pub(super) fn describe_decision(before: &LoanRow, after: &LoanRow, person: &Person) -> String {
    let [from, to] = [before, after].map(|row| format_state(row.loan.state));
    format!("loan {}: {from} -> {to}, by {}", before.id, person.name)
}

fn tell_what_came_of_it(
    desk: &Desk,
    row: &LoanRow,
    person: &Person,
    done: Result<LoanRow, ActError>,
) -> Result<String, Failure> {
    match done {
        Ok(after) => Ok(describe_decision(row, &after, person)),
        Err(error) => Err(Failure::Message(with_help(desk, row, &error))),
    }
}

/// A refusal, with what is possible instead.
fn with_help(desk: &Desk, row: &LoanRow, error: &ActError) -> String {
    if !matches!(error, ActError::Book(BookError::Refused(_)) | ActError::NoOffers | ActError::NothingToOffer(_)) {
        return error.to_string();
    }
    let has_offers = desk.book.list_offers(row.id).is_ok_and(|offers| !offers.is_empty());
    let possible = list_allowed(row, has_offers, desk.at_now());
    let words: Vec<String> = possible.into_iter().map(|act| format!("--{}", act.word())).collect();
    match words.is_empty() {
        true => format!("{error}; nobody has to decide about this loan now"),
        false => format!("{error}; possible now: {}", words.join(", ")),
    }
}
