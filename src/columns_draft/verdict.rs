//! What the rows prove: sides, fees, rows that are no records, the order, day or month first. What they do not prove is
//! a doubt, and asked. Must not know how a columns file is written.

use super::amounts::Notation;
use super::balances;
use super::dates::{DateOrder, DateReading};
use super::facts::{Fact, Follow, Reading, Sense, best_follow, follow};
use super::grid::Line;
use super::roles::{Column, Roles};
use super::words;
use super::{Answers, Doubt, Fees};
use crate::words::date::Day;

/// The order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    OldestFirst,
    NewestFirst,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) reading: Reading,
    /// Why the side is certain.
    pub(crate) side_reason: String,
    pub(crate) follow: Follow,
    pub(crate) order: Option<Order>,
    pub(crate) trans_date: DateReading,
    pub(crate) cleared_date: Option<DateReading>,
    /// Why the day or the month comes first, if both were possible.
    pub(crate) date_reason: String,
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) notes: Vec<String>,
}

/// Decides, as far as the rows prove it.
pub(crate) fn decide(
    columns: &[Column<'_>],
    roles: &Roles,
    facts: &[Fact],
    notation: &Notation,
    around: &[Line],
    answers: &Answers,
) -> Verdict {
    let (mut doubts, mut notes) = (Vec::new(), Vec::new());
    let (reading, side_reason) = sides(facts, roles, notation, answers, &mut doubts, &mut notes);
    let forwards = follow(facts, &reading, false);
    let backwards = follow(facts, &reading, true);
    let by_balance = match (forwards.proves(), backwards.proves()) {
        (true, false) => Some(Order::OldestFirst),
        (false, true) => Some(Order::NewestFirst),
        _ => None,
    };
    let trans = columns.get(roles.trans_date).map(|column| column.dates.as_slice()).unwrap_or_default();
    let cleared = roles.cleared_date.and_then(|at| columns.get(at)).map(|column| column.dates.as_slice());
    let groups: Vec<&str> = facts.iter().map(|fact| fact.group.as_str()).collect();
    let proofs = DateProofs { cleared: cleared.unwrap_or_default(), groups: &groups, by_balance, around };
    let (trans_date, date_reason) = choose_dates(trans, &proofs, answers, &mut doubts);
    let cleared_date = cleared.and_then(|readings| {
        let same = |reading: &&DateReading| reading.order == trans_date.order || readings.len() == 1;
        readings.iter().find(same).cloned()
    });
    let order = order(&trans_date.days, &groups, by_balance, forwards.checked > 0);
    let follow = if order == Some(Order::NewestFirst) { backwards } else { forwards };
    let follow = if order.is_none() && backwards.beats(follow) { backwards } else { follow };
    doubts.extend(balances::doubts(columns, roles, facts, &reading, answers));
    Verdict { reading, side_reason, follow, order, trans_date, cleared_date, date_reason, doubts, notes }
}

/// Which side amounts are on, whether fees are beside them, and whether some rows are no records.
fn sides(
    facts: &[Fact],
    roles: &Roles,
    notation: &Notation,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
    notes: &mut Vec<String>,
) -> (Reading, String) {
    let has_states = facts.iter().any(|fact| fact.is_done == Some(false));
    let has_fees = facts.iter().any(|fact| fact.fee.unwrap_or(0) != 0);
    let yes_no = |both: bool| if both { vec![true, false] } else { vec![false] };
    let mut readings = Vec::new();
    for sense in senses(facts, roles, notation, answers) {
        for skips in yes_no(has_states) {
            for has_fee in yes_no(has_fees) {
                let reading = Reading { sense, has_fee, skips };
                readings.push((reading, best_follow(facts, &reading)));
            }
        }
    }
    // The first of the best: readings stand in the order in which they are likely.
    let best = readings.iter().copied().reduce(|best, next| if next.1.beats(best.1) { next } else { best });
    let Some((best, share)) = best else {
        doubts.push(Doubt::open("nothing says which side an amount is on"));
        return (Reading { sense: Sense::PositiveCredit, has_fee: false, skips: has_states }, String::new());
    };
    let mut best = best;
    let is_proved = share.proves();
    if !is_proved {
        let agreement = |reading: &Reading| {
            let (agree, contradict) = agreeing_narrations(facts, reading);
            agree as i64 - contradict as i64
        };
        let same = readings.iter().map(|(reading, _)| *reading).filter(|reading| reading.skips == best.skips);
        let most = same.rev().max_by_key(agreement);
        best.sense = most.filter(|most| agreement(most) > agreement(&best)).map_or(best.sense, |most| most.sense);
    }
    let rival = |differs: &dyn Fn(&Reading) -> bool| {
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
    doubts.extend(unknown_states(facts, roles, is_proved));
    if !is_proved {
        doubts.extend(kept_reversal(facts, &best));
    }
    let has_fee = match answers.fees {
        Some(fees) => has_fees && fees == Fees::Beside,
        None => best.has_fee,
    };
    let reading = Reading { has_fee, ..best };
    let is_proved = is_proved && !rival(&|other| other.sense != best.sense);
    let reason = side_reason(facts, roles, &reading, is_proved, answers, doubts);
    (reading, reason)
}

/// A doubt about states that are not known, on rows that no balance confirms.
fn unknown_states(facts: &[Fact], roles: &Roles, is_proved: bool) -> Option<Doubt> {
    roles.status?;
    let is_unclear = |fact: &&Fact| fact.is_done.is_none() && !(is_proved && fact.balance.is_some());
    let unclear: Vec<&Fact> = facts.iter().filter(is_unclear).collect();
    let first = unclear.first()?;
    let words: std::collections::BTreeSet<String> =
        unclear.iter().map(|fact| if fact.state.is_empty() { "nothing".into() } else { fact.state.clone() }).collect();
    let words: Vec<String> = words.into_iter().take(4).collect();
    Some(Doubt::open(format!(
        "the column of states has {} (first at line {}), which is not known here, and no balance says whether the \
         money moved; list the states of rows that are no records under `skip`",
        words.join(", "),
        first.place.line
    )))
}

/// A doubt about a reversed row that is left out, while the row that reverses it is kept.
fn kept_reversal(facts: &[Fact], reading: &Reading) -> Option<Doubt> {
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
fn senses(facts: &[Fact], roles: &Roles, notation: &Notation, answers: &Answers) -> Vec<Sense> {
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
    let has_both = moves().any(|fact| fact.amount < Some(0)) && moves().any(|fact| fact.amount > Some(0));
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
    reading: &Reading,
    is_proved: bool,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
) -> String {
    let agreeing = agreeing_narrations(facts, reading);
    match reading.sense {
        Sense::Columns | Sense::Swapping if roles.debit.is_none() => {
            doubts.push(Doubt::open("only a column of credits was found; add `debit` if the table has debits"));
            String::new()
        }
        Sense::Columns => "a column for each side".to_owned(),
        Sense::Swapping if is_proved => "balances follow if a minus puts an amount on the other side".to_owned(),
        Sense::Swapping => {
            doubts.push(Doubt::open(
                "some amounts have a minus in a column of one side, and nothing says what it means; see `negative`",
            ));
            String::new()
        }
        Sense::Stated => "by the values".to_owned(),
        _ if answers.positive_is_credit.is_some() => "as --positive says".to_owned(),
        _ if roles.side.is_some() => "the sign and the type agree on every row".to_owned(),
        _ if is_proved && agreeing.1 <= agreeing.0 => {
            "balances follow with this sign, and not with the other".to_owned()
        }
        _ => sign_by_narrations(facts, reading, is_proved, doubts),
    }
}

/// How many narrations agree with a reading's sides, and how many contradict.
fn agreeing_narrations(facts: &[Fact], reading: &Reading) -> (usize, usize) {
    let mut count = (0, 0);
    for fact in facts {
        let Some((credit, debit)) = fact.sides(reading.sense) else { continue };
        let (Some(named), true) = (words::narration_side(&fact.narration), credit != debit) else { continue };
        if named == (credit > debit) { count.0 += 1 } else { count.1 += 1 }
    }
    count
}

/// Without balances: what the narrations of both signs say.
fn sign_by_narrations(facts: &[Fact], reading: &Reading, is_proved: bool, doubts: &mut Vec<Doubt>) -> String {
    let (agree, contradict) = agreeing_narrations(facts, reading);
    let has_both = facts.iter().any(|fact| fact.amount < Some(0)) && facts.iter().any(|fact| fact.amount > Some(0));
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
        (false, ..) => "every amount has the same sign, and no column says the side".to_owned(),
        _ => "no balance proves the sign, and the narrations do not either".to_owned(),
    };
    doubts.push(Doubt::asked(format!(
        "{why}; say --positive credit if a positive amount is money in, or --positive debit if it is money out"
    )));
    String::new()
}

/// How often days rise and fall from row to row.
fn direction(days: &[Option<i32>], groups: &[&str]) -> Option<Order> {
    let (mut rises, mut falls) = (0, 0);
    let mut last: std::collections::BTreeMap<&str, i32> = std::collections::BTreeMap::new();
    for (day, group) in days.iter().zip(groups) {
        let Some(day) = day else { continue };
        if let Some(before) = last.insert(group, *day) {
            rises += usize::from(before < *day);
            falls += usize::from(before > *day);
        }
    }
    match (rises, falls) {
        (1.., 0) => Some(Order::OldestFirst),
        (0, 1..) => Some(Order::NewestFirst),
        _ => None,
    }
}

/// The order to declare: that of the days, unless the balances run another way.
fn order(days: &[Option<i32>], groups: &[&str], by_balance: Option<Order>, has_balances: bool) -> Option<Order> {
    let by_days = direction(days, groups);
    match (by_days, by_balance) {
        (Some(days), Some(balances)) if days == balances => Some(days),
        (Some(_), None) if !has_balances => by_days,
        (None, Some(_)) if days.iter().flatten().min() == days.iter().flatten().max() => by_balance,
        _ => None,
    }
}

/// What may prove how dates are read.
struct DateProofs<'p> {
    cleared: &'p [DateReading],
    groups: &'p [&'p str],
    by_balance: Option<Order>,
    /// The lines above and below the table.
    around: &'p [Line],
}

/// Chooses among the readings of the dates.
fn choose_dates(
    trans: &[DateReading],
    proofs: &DateProofs<'_>,
    answers: &Answers,
    doubts: &mut Vec<Doubt>,
) -> (DateReading, String) {
    let first = trans.first().cloned().unwrap_or_else(|| DateReading {
        pattern: None,
        order: DateOrder::Year,
        two_digit_years: false,
        months: None,
        days: Vec::new(),
        seconds: Vec::new(),
    });
    let differ = trans.iter().any(|reading| reading.days != first.days);
    if !differ {
        return (first, String::new());
    }
    if let Some(day_first) = answers.day_first {
        let wanted = if day_first { DateOrder::Day } else { DateOrder::Month };
        if let Some(reading) = trans.iter().find(|reading| reading.order == wanted) {
            return (reading.clone(), "as the command line says".to_owned());
        }
    }
    if let Some((reading, reason)) = proved_dates(trans, proofs) {
        return (reading.clone(), reason);
    }
    doubts.push(date_question(trans));
    (first, String::new())
}

/// The reading that another column or the order of the rows proves.
fn proved_dates<'r>(trans: &'r [DateReading], proofs: &DateProofs<'_>) -> Option<(&'r DateReading, String)> {
    // Another column with one reading: days are near each other, on every row.
    if let [other] = proofs.cleared {
        let is_near = |reading: &&DateReading| {
            let mut pairs = reading.days.iter().zip(&other.days).filter_map(|(a, b)| Some((*a)? - (*b)?));
            pairs.all(|distance| distance.abs() <= 7)
        };
        let near: Vec<&DateReading> = trans.iter().filter(is_near).collect();
        if let [one] = near.as_slice() {
            return Some((one, "the other column of dates proves it".to_owned()));
        }
        let same: Vec<&DateReading> = trans.iter().filter(|reading| reading.order == other.order).collect();
        if let ([one], DateOrder::Day | DateOrder::Month) = (same.as_slice(), other.order) {
            return Some((one, "the other column of dates is written so".to_owned()));
        }
    }
    if let Some(order) = trans.first().and_then(|first| super::dates::order_around(proofs.around, first))
        && let Some(reading) = trans.iter().find(|reading| reading.order == order)
    {
        return Some((reading, "other dates of the file are written so".to_owned()));
    }
    let distinct = |reading: &DateReading| {
        let days: std::collections::BTreeSet<i32> = reading.days.iter().flatten().copied().collect();
        days.len()
    };
    let ordered: Vec<&DateReading> = trans
        .iter()
        .filter(|reading| distinct(reading) >= 4)
        .filter(|reading| {
            let direction = direction(&reading.days, proofs.groups);
            direction.is_some() && (proofs.by_balance.is_none() || direction == proofs.by_balance)
        })
        .collect();
    match ordered.as_slice() {
        // A program that sorts days as text fakes the order of months, not that of days, and not that of balances.
        [one] if proofs.by_balance.is_some() || one.order == DateOrder::Day => {
            Some((one, "only so are the rows in the order of their days".to_owned()))
        }
        _ => None,
    }
}

/// Shows what the dates would be in each reading, and asks.
fn date_question(trans: &[DateReading]) -> Doubt {
    let answer = |reading: &DateReading| {
        let days = || reading.days.iter().flatten();
        let (first, last) = (days().min().copied().unwrap_or(0), days().max().copied().unwrap_or(0));
        let (first, last) = (Day::from_days(first), Day::from_days(last));
        let pattern = reading.pattern.as_deref().unwrap_or_default();
        match reading.order {
            DateOrder::Day => format!("--day-first if the rows are of {first} to {last}"),
            DateOrder::Month => format!("--month-first if they are of {first} to {last}"),
            DateOrder::Year => format!("trans_date = \"{pattern}\", by hand, if they are of {first} to {last}"),
        }
    };
    let answers: Vec<String> = trans.iter().map(answer).collect();
    let what =
        format!("no date proves what comes first, the day, the month or the year; say {}", answers.join(", or "));
    let has_option = trans.iter().all(|reading| reading.order != DateOrder::Year);
    Doubt { what, has_option }
}
