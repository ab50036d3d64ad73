//! What the rows prove: sides, fees, rows that are no records, the order, day or month first. What they do not prove is
//! a doubt, and asked.

use std::collections::BTreeSet;

use super::amounts::Notation;
use super::answers::{Answers, Doubt, Fees};
use super::balances;
use super::date_choice::{self, DateProofs, DayOrder, row_day_direction};
use super::dates::DateReading;
use super::facts::{
    Fact, Follow, RowPlace, RowReading, Sense, agreeing_narrations, best_chain, best_follow, follow_balance_chain,
    has_both_signs,
};
use super::grid::Line;
use super::roles::{CandidateColumn, Roles};
use super::words;

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conclusion {
    pub(crate) reading: RowReading,
    /// Why the side is certain.
    pub(crate) side_reason: String,
    pub(crate) follow: Follow,
    pub(crate) order: Option<DayOrder>,
    pub(crate) trans_date: DateReading,
    pub(crate) cleared_date: Option<DateReading>,
    /// Why the day or the month comes first, if both were possible.
    pub(crate) date_reason: String,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) notes: Vec<String>,
}

/// Decides, as far as the rows prove it.
pub(crate) fn decide_from_evidence(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    facts: &[Fact],
    notation: &Notation,
    around: &[Line],
    answers: &Answers,
) -> Conclusion {
    let (mut doubts, mut notes) = (Vec::new(), Vec::new());
    let (reading, side_reason) = infer_amount_sides(facts, roles, notation, answers, &mut doubts, &mut notes);
    let forwards = follow_balance_chain(facts, &reading, false).follow();
    let backwards = follow_balance_chain(facts, &reading, true).follow();
    let by_balance = match (forwards.proves(), backwards.proves()) {
        (true, false) => Some(DayOrder::OldestFirst),
        (false, true) => Some(DayOrder::NewestFirst),
        _ => None,
    };
    let trans = columns.get(roles.trans_date).map(|column| column.dates.as_slice()).unwrap_or_default();
    let cleared = roles.cleared_date.and_then(|at| columns.get(at)).map(|column| column.dates.as_slice());
    let groups: Vec<&str> = facts.iter().map(|fact| fact.group.as_str()).collect();
    let proofs = DateProofs { cleared: cleared.unwrap_or_default(), groups: &groups, by_balance, around };
    let (trans_date, date_reason) = date_choice::choose_date_reading(trans, &proofs, answers, &mut doubts);
    let cleared_date = cleared.and_then(|readings| date_choice::find_matching_reading(readings, &trans_date));
    let order = infer_declared_order(&trans_date.days, &groups, by_balance, forwards.checked > 0);
    let follow = if order == Some(DayOrder::NewestFirst) { backwards } else { forwards };
    let follow = if order.is_none() && backwards.beats(follow) { backwards } else { follow };
    doubts.extend(balances::find_balance_doubts(columns, roles, facts, &reading, answers, around));
    Conclusion { reading, side_reason, follow, order, trans_date, cleared_date, date_reason, doubts, notes }
}

/// Which side amounts are on, whether fees are beside them, and whether some rows are no records.
fn infer_amount_sides(
    facts: &[Fact],
    roles: &Roles,
    notation: &Notation,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
    notes: &mut Vec<String>,
) -> (RowReading, String) {
    let has_states = facts.iter().any(|fact| fact.is_done == Some(false));
    let has_fees = facts.iter().any(|fact| fact.fee.unwrap_or(0) != 0);
    let yes_no = |both: bool| if both { vec![true, false] } else { vec![false] };
    let mut readings = Vec::new();
    for sense in list_possible_senses(facts, roles, notation, answers) {
        for skips in yes_no(has_states) {
            for has_fee in yes_no(has_fees) {
                let reading = RowReading { sense, has_fee, skips };
                readings.push((reading, best_follow(facts, &reading)));
            }
        }
    }
    // The first of the best: readings stand in the order in which they are likely.
    let best = readings.iter().copied().reduce(|best, next| if next.1.beats(best.1) { next } else { best });
    let Some((mut best, share)) = best else {
        doubts.push(Doubt::open("nothing says which side an amount is on"));
        return (RowReading { sense: Sense::PositiveCredit, has_fee: false, skips: has_states }, String::new());
    };
    let is_proved = share.proves();
    if !is_proved {
        let agreement = |reading: &RowReading| {
            let (agree, contradict) = agreeing_narrations(facts, reading);
            agree as i64 - contradict as i64
        };
        let same = readings.iter().map(|(reading, _)| *reading).filter(|reading| reading.skips == best.skips);
        let most = same.rev().max_by_key(agreement);
        best.sense = most.filter(|most| agreement(most) > agreement(&best)).map_or(best.sense, |most| most.sense);
    }
    let rival = |differs: &dyn Fn(&RowReading) -> bool| {
        readings.iter().filter(|(reading, _)| differs(reading)).any(|(_, other)| !share.beats(*other))
    };
    if has_fees && (!is_proved || rival(&|other| other.has_fee != best.has_fee)) && answers.fees.is_none() {
        doubts.push(Doubt::asked(
            "nothing proves whether the amounts contain the fees; say --fees within, or --fees beside",
        ));
    }
    if has_states && !is_proved {
        notes.push("rows are left out by the words of their status; no balance confirms it".to_owned());
    }
    doubts.extend(unknown_states(facts, roles, &best));
    if !is_proved {
        doubts.extend(kept_reversal(facts, &best));
    }
    doubts.extend(undecided_state(facts, &best));
    let has_fee = match answers.fees {
        Some(fees) => has_fees && fees == Fees::Beside,
        // A column that has no fee yet will have one in another file.
        None => best.has_fee || !has_fees && roles.fee.is_some(),
    };
    let reading = RowReading { has_fee, ..best };
    let is_proved = is_proved && !rival(&|other| other.sense != best.sense);
    let reason = side_reason(facts, roles, &reading, is_proved, answers, doubts);
    (reading, reason)
}

/// A doubt about states that are not known, on rows that no balance confirms.
fn unknown_states(facts: &[Fact], roles: &Roles, reading: &RowReading) -> Option<Doubt> {
    roles.status?;
    let chain = best_chain(facts, reading);
    let is_proved = chain.follow().proves();
    let confirmed: BTreeSet<RowPlace> = chain.steps.iter().filter(|step| step.follows).map(|step| step.place).collect();
    let is_unclear = |fact: &&Fact| fact.is_done.is_none() && !(is_proved && confirmed.contains(&fact.place));
    let unclear: Vec<&Fact> = facts.iter().filter(is_unclear).collect();
    let first = unclear.first()?;
    let words: BTreeSet<String> =
        unclear.iter().map(|fact| if fact.state.is_empty() { "nothing".into() } else { fact.state.clone() }).collect();
    let words: Vec<String> = words.into_iter().take(4).collect();
    Some(Doubt::open(format!(
        "the column of states has {} (first at line {}), which is not known here, and no balance says whether the \
         money moved; list the states of rows that are no records under `skip`",
        words.join(", "),
        first.place.line
    )))
}

/// A doubt about a row at either end whose state says that no money moved. It has a balance, but none before it, so
/// that the balances follow with it and without it.
fn undecided_state(facts: &[Fact], reading: &RowReading) -> Option<Doubt> {
    let [kept, skipped] = [false, true].map(|skips| best_follow(facts, &RowReading { skips, ..*reading }));
    if kept.followed == skipped.followed || kept.broken() != skipped.broken() {
        return None;
    }
    let fact = facts.iter().find(|fact| fact.is_done == Some(false) && fact.balance.is_some())?;
    Some(Doubt::open(format!(
        "line {} has the status `{}` and a balance, and no balance before it says whether its money moved; list the \
         status under `skip` or leave it out by hand",
        fact.place.line, fact.state
    )))
}

/// A doubt about a reversed row that is left out, while the row that reverses it is kept.
fn kept_reversal(facts: &[Fact], reading: &RowReading) -> Option<Doubt> {
    let sides = |fact: &Fact| fact.sides(reading.sense);
    let is_reversed = |fact: &&Fact| fact.is_left_out(reading) && words::is_reversed(&fact.state);
    let pair = facts.iter().filter(is_reversed).find_map(|reversed| {
        let (credit, debit) = sides(reversed).filter(|(credit, debit)| credit != debit)?;
        let undoes = |fact: &&Fact| !fact.is_left_out(reading) && sides(fact) == Some((debit, credit));
        Some((reversed, facts.iter().find(undoes)?))
    });
    let (reversed, undoing) = pair?;
    Some(Doubt::open(format!(
        "line {} is left out as `{}`, but line {} gives the same amount back and would be kept; keep both, or leave \
         out both under `skip`",
        reversed.place.line, reversed.state, undoing.place.line
    )))
}

/// The senses that the columns allow, the likely ones first.
fn list_possible_senses(facts: &[Fact], roles: &Roles, notation: &Notation, answers: &Answers) -> Vec<Sense> {
    if roles.amount.is_none() {
        let is_negative = |side: Option<i64>| side.is_some_and(|amount| amount < 0);
        let any = facts.iter().any(|fact| is_negative(fact.credit) || is_negative(fact.debit));
        return if any { vec![Sense::Columns, Sense::Swapping] } else { vec![Sense::Columns] };
    }
    if let Some(positive) = answers.positive_is_credit {
        return vec![if positive { Sense::PositiveCredit } else { Sense::PositiveDebit }];
    }
    let has_suffix = !notation.credit_suffix.is_empty() || !notation.debit_suffix.is_empty();
    let is_stated = roles.side.is_some() || (has_suffix && facts.iter().any(|fact| fact.side.is_some()));
    if !is_stated {
        return vec![Sense::PositiveCredit, Sense::PositiveDebit];
    }
    // A sign that says the same as the type on every row needs no list of values.
    let moves = || facts.iter().filter(|fact| fact.amount.is_some_and(|amount| amount != 0));
    let has_both = has_both_signs(facts);
    let agrees = |positive: bool| moves().all(|fact| fact.side == Some((fact.amount > Some(0)) == positive));
    if has_both && agrees(true) {
        vec![Sense::PositiveCredit]
    } else if has_both && agrees(false) {
        vec![Sense::PositiveDebit]
    } else {
        vec![Sense::Stated]
    }
}

/// Why the side is certain; a doubt if it is not.
fn side_reason(
    facts: &[Fact],
    roles: &Roles,
    reading: &RowReading,
    is_proved: bool,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
) -> String {
    let agreeing = agreeing_narrations(facts, reading);
    let exchanged = find_exchanged_sides(facts, reading, agreeing.0).filter(|_| !is_proved);
    match (reading.sense, exchanged) {
        (Sense::Columns | Sense::Swapping, _) if roles.debit.is_none() => {
            doubts.push(Doubt::open("only a column of credits was found; add `debit` if the table has debits"));
            String::new()
        }
        (Sense::Columns | Sense::Stated, Some((credit, debit))) => {
            doubts.push(Doubt::open(format!(
                "the sides contradict the narrations, and no balance says which is right: by its narration line \
                 {credit} is money in, and line {debit} is money out, but the table says the opposite; exchange the \
                 sides under [columns] or [type] by hand, or ask for an export with balances"
            )));
            String::new()
        }
        (Sense::Columns, _) => "a column for each side".to_owned(),
        (Sense::Swapping, _) if is_proved => "balances follow if a minus puts an amount on the other side".to_owned(),
        (Sense::Swapping, _) => {
            doubts.push(Doubt::open(
                "some amounts have a minus in a column of one side, and nothing says what it means; see `negative`",
            ));
            String::new()
        }
        (Sense::Stated, _) => "by the values".to_owned(),
        _ if answers.positive_is_credit.is_some() => "as --positive says".to_owned(),
        _ if roles.side.is_some() => "the sign and the type agree on every row".to_owned(),
        _ if is_proved && signs_are_sure(facts, agreeing) => {
            "balances follow with this sign, and not with the other".to_owned()
        }
        _ => sign_by_narrations(facts, reading, is_proved, doubts),
    }
}

/// The lines of the first narrations that name money in and money out, if each is on the other side, and no
/// narration on its own.
fn find_exchanged_sides(facts: &[Fact], reading: &RowReading, agree: usize) -> Option<(usize, usize)> {
    let contradicts = |is_credit: bool| {
        let mut named = facts.iter().filter(|fact| words::narration_side(&fact.narration) == Some(is_credit));
        let is_other = |fact: &&Fact| {
            fact.sides(reading.sense).is_some_and(|(credit, debit)| credit != debit && (credit < debit) == is_credit)
        };
        named.find(is_other).map(|fact| fact.place.line)
    };
    contradicts(true).zip(contradicts(false)).filter(|_| agree == 0)
}

/// Whether balances prove a sign. Those of a debt follow with the wrong one, so narrations have to agree; and where all
/// amounts have one sign, the side of the first is not checked by any balance.
fn signs_are_sure(facts: &[Fact], (agree, contradict): (usize, usize)) -> bool {
    has_both_signs(facts) && agree > 2 * contradict
}

/// Without balances: what the narrations of both signs say.
fn sign_by_narrations(facts: &[Fact], reading: &RowReading, is_proved: bool, doubts: &mut Vec<Doubt>) -> String {
    let (agree, contradict) = agreeing_narrations(facts, reading);
    let has_both = has_both_signs(facts);
    let sides = [true, false].map(|is_credit| {
        facts.iter().any(|fact| {
            let named = words::narration_side(&fact.narration);
            let sides = fact.sides(reading.sense);
            named == Some(is_credit) && sides.is_some_and(|(credit, debit)| (credit > debit) == is_credit)
        })
    });
    if has_both && !is_proved && contradict == 0 && agree >= 3 && sides == [true, true] {
        return format!("no balance says so, but the narrations of {agree} rows do, on both sides");
    }
    let why = match (has_both, contradict, is_proved) {
        (_, 1.., true) => format!("the balances and the narrations of {contradict} rows contradict each other"),
        (false, ..) => match both_sides_named(facts) {
            Some((credit, debit)) => format!(
                "every amount has the same sign and no column says the side, but by their narrations line {credit} is \
                 money in and line {debit} is money out; ask for an export that says the side"
            ),
            None => "every amount has the same sign, and no column says the side".to_owned(),
        },
        (true, _, true) => {
            let side = if reading.sense == Sense::PositiveCredit { "in" } else { "out" };
            format!(
                "the balances follow if a positive amount is money {side}, or the other way round if they are a debt \
                 (--balance owed), and the narrations do not say which"
            )
        }
        _ => "no balance proves the sign, and the narrations do not either".to_owned(),
    };
    doubts.push(Doubt::asked(format!(
        "{why}; say --positive credit if a positive amount is money in, or --positive debit if it is money out"
    )));
    String::new()
}

/// The lines of narrations that name money in, and money out.
fn both_sides_named(facts: &[Fact]) -> Option<(usize, usize)> {
    let line = |is_credit: bool| {
        let mut moved = facts.iter().filter(|fact| fact.amount.is_some_and(|amount| amount != 0));
        moved.find(|fact| words::narration_side(&fact.narration) == Some(is_credit)).map(|fact| fact.place.line)
    };
    line(true).zip(line(false))
}

/// The order to declare: that of the days, unless the balances run another way.
fn infer_declared_order(
    days: &[Option<i32>],
    groups: &[&str],
    by_balance: Option<DayOrder>,
    has_balances: bool,
) -> Option<DayOrder> {
    let by_days = row_day_direction(days, groups);
    match (by_days, by_balance) {
        (Some(days), Some(balances)) if days == balances => Some(days),
        (Some(_), None) if !has_balances => by_days,
        (None, Some(_)) if days.iter().flatten().min() == days.iter().flatten().max() => by_balance,
        _ => None,
    }
}
