//! Whether the column of balances follows from the rows, and what to ask if it does not.

use super::answers::{Answers, Doubt};
use super::facts::{ChainStep, Fact, Follow, RowReading, Sense, agreeing_narrations, best_chain, best_follow};
use super::grid::Line;
use super::roles::{CandidateColumn, Roles};

/// The same rows with the balance of a debt.
pub(crate) fn negate_balances(facts: &[Fact]) -> Vec<Fact> {
    facts.iter().map(|fact| Fact { balance: fact.balance.map(|balance| -balance), ..fact.clone() }).collect()
}

/// The doubts about balances: they do not follow, or show that a row moved money otherwise than it says.
pub(crate) fn find_balance_doubts(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    facts: &[Fact],
    reading: &RowReading,
    answers: &Answers,
    around: &[Line],
) -> Vec<Doubt> {
    let chain = best_chain(facts, reading);
    let share = chain.follow();
    let mut doubts: Vec<Doubt> =
        doubt_broken_balances(columns, roles, facts, (reading, share), answers).into_iter().collect();
    if answers.balance.is_none() && answers.positive_is_credit.is_none() {
        doubts.extend(doubt_debt_balance(columns, roles, facts, reading, around));
    }
    if let Some(step) = chain.steps.iter().find(|step| step.is_silent && !step.follows) {
        doubts.push(Doubt::open(format!(
            "line {} has no amount, but its balance moved by {}; correct the row, or its money is lost",
            step.place.line,
            super::amounts::format_ten_thousandths(step.gap)
        )));
    }
    if share.holds() && answers.balance.is_none() {
        doubts.extend(chain.steps.iter().find_map(doubt_contradicting_row));
    }
    // Where nearly every row has its balance, those at the end without one may not be booked.
    let with_balance = facts.iter().filter(|fact| fact.balance.is_some()).count();
    if let (Some(first), true) = (chain.unconfirmed.iter().min(), with_balance * 2 > facts.len()) {
        let count = chain.unconfirmed.len();
        doubts.push(Doubt::open(format!(
            "{count} of the rows, first line {}, have an amount but no balance after it or later, as entries have that \
             are not booked yet; remove them, or list what marks them under `skip`",
            first.line
        )));
    }
    doubts
}

/// The doubt about a row whose own balance says that it moved no money, or moved it the other way.
fn doubt_contradicting_row(step: &ChainStep) -> Option<Doubt> {
    let is = |times: i64| step.moved != 0 && step.moved.checked_mul(times) == Some(step.gap);
    let how = match (is(-1), is(-2)) {
        (true, _) => "its balance did not move, as that of an entry that was declined or undone",
        (_, true) => "its balance moved to the other side",
        _ => return None,
    };
    Some(Doubt::open(format!(
        "line {} has an amount, but {how}; list what marks such rows under `skip`, or correct the row",
        step.place.line
    )))
}

/// The doubt about a balance that may be a debt: then it follows with the wrong sign of the amounts.
fn doubt_debt_balance(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    facts: &[Fact],
    reading: &RowReading,
    around: &[Line],
) -> Option<Doubt> {
    let column = columns.get(roles.balance?)?;
    let is_signed = matches!(reading.sense, Sense::PositiveCredit | Sense::PositiveDebit);
    if !is_signed || agreeing_narrations(facts, reading).0 > 0 {
        return None;
    }
    let texts = around.iter().flat_map(|line| &line.cells).map(|cell| cell.trimmed());
    let label = std::iter::once(column.name.trim()).chain(texts).find(|text| super::words::names_debt(text))?;
    let label: String = label.chars().take(40).collect();
    Some(Doubt::asked(format!(
        "`{label}` is of a card or a loan, whose balance is a debt, and no narration says which amounts are money in; \
         say --positive debit --balance owed if what is spent is positive, or --balance kept if it is money"
    )))
}

/// The doubt about balances that do not follow.
fn doubt_broken_balances(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    facts: &[Fact],
    (reading, share): (&RowReading, Follow),
    answers: &Answers,
) -> Option<Doubt> {
    let name = |column: Option<usize>| column.and_then(|at| columns.get(at)).map_or("", |column| column.name.trim());
    let balance = name(Some(roles.balance?));
    if share.holds() || answers.balance.is_some() {
        return None;
    }
    let counts = format!("`{balance}` follows in {} of {} rows", share.followed, share.checked);
    let opposite = best_follow(&negate_balances(facts), reading);
    if opposite.holds() {
        let (followed, checked) = (opposite.followed, opposite.checked);
        let (meaning, option) = match reading.sense {
            Sense::Columns | Sense::Swapping => (
                format!("`{}` is money in, as in the books of the account's holder", name(roles.debit)),
                "say --swap-sides",
            ),
            Sense::PositiveCredit => ("a positive amount is money out".to_owned(), "say --positive debit"),
            Sense::PositiveDebit => ("a positive amount is money in".to_owned(), "say --positive credit"),
            Sense::Stated => ("each side means the other".to_owned(), "swap them under [type] by hand"),
        };
        return Some(Doubt::of_balances(format!(
            "{counts}. It follows in {followed} of {checked} if {meaning}, or if the balance is a debt, as of a loan \
             or a card; {option} in the first case, or --balance owed in the second"
        )));
    }
    let first = share.broken_at.map(|line| format!(", first not at line {line}")).unwrap_or_default();
    Some(Doubt::of_balances(format!(
        "{counts}{first}. Rows may be missing there or out of order, charges may not be listed, or the balance may be \
         of another account or day; say --balance unread to leave the column out, or --balance kept if it is right"
    )))
}
