//! Offers, their limits and counter-offers, as docs/reference/rules.md defines them.

use super::evaluate::{Case, Counter, Known, Made, Why};
use super::model::{Expr, Kind, Offer, Op, Value};
use super::numbers::{exactly, minor, rounded};
use super::pricing::{interest, periods, rate};
use super::sql::Writer;
use crate::exact::Way;

/// The result of one offer at one tenure.
pub enum Came {
    Made(Made),
    Not,
    Unknown(Why),
}

/// Every offer of the policy at each of its tenures, in order, with the index of its rule.
pub fn offers(case: &mut Case) -> Vec<(usize, Came)> {
    let policy = case.policy;
    let mut all = Vec::new();
    for rule in policy.in_order(&policy.homes.offers) {
        let offer = &policy.offers[rule];
        for tenure in &offer.tenures {
            let came = within(case, offer, *tenure, one).unwrap_or_else(Came::Unknown);
            all.push((rule, came));
        }
    }
    all
}

/// Evaluates an offer with the names that exist only in it.
fn within<T>(case: &mut Case, offer: &Offer, tenure: u32, look: impl Fn(&mut Case, &Offer, u32) -> T) -> T {
    case.method = Some(offer.method);
    case.own = vec![("tenure", Ok(Value::Whole(i64::from(tenure))))];
    let instalments = offer.instalments.as_ref().map_or(Ok(Value::Whole(1)), |count| case.value(count));
    case.own.push(("instalments", instalments));
    let seen = look(case, offer, tenure);
    case.own.clear();
    case.method = None;
    seen
}

/// The bounds of an offer's amount, except what was asked for: its amount, each cap, the room under the limit.
fn bounds(case: &Case, offer: &Offer) -> Vec<(String, Known<Value>)> {
    let mut bounds = vec![("amount".to_owned(), case.value(&offer.amount))];
    let rule = case.policy.offers.iter().position(|one| std::ptr::eq(one, offer)).expect("an offer of the policy");
    let writer = Writer { policy: case.policy, file: case.policy.homes.offers[rule] };
    bounds.extend(offer.caps.iter().map(|cap| (format!("cap: {}", writer.sql(cap)), case.value(cap))));
    if let Some((limit, existing)) = &case.policy.exposure {
        let room = match existing {
            None => case.value(limit),
            Some(existing) => {
                let kind = if existing.kind == Kind::Money { limit.kind } else { existing.kind };
                let is_double = limit.is_double || existing.is_double;
                let op = Op::Arithmetic('-', vec![limit.clone(), existing.clone()]);
                case.value(&Expr { kind, op, is_double })
            }
        };
        bounds.push(("exposure".to_owned(), room));
    }
    bounds
}

/// The offered amount: the least of its bounds and of what was asked for, in whole steps.
fn amount(case: &Case, offer: &Offer) -> Known<i64> {
    let mut bounds: Vec<Value> = bounds(case, offer).into_iter().map(|(_, bound)| bound).collect::<Known<_>>()?;
    if let Some((Some(asked), _)) = &case.policy.ask {
        bounds.extend(case.value(asked));
    }
    let least = bounds.iter().map(exactly).min().expect("an amount at least");
    match &offer.step {
        None => minor(&Value::Exact(least), Way::Down),
        Some(step) => {
            let whole = rounded("round_down", &[Value::Exact(least), case.value(step)?], Kind::Money)?;
            minor(&whole, Way::Down)
        }
    }
}

fn one(case: &mut Case, offer: &Offer, tenure: u32) -> Known<Came> {
    if let Some(when) = &offer.when
        && !case.truth(when)?
    {
        return Ok(Came::Not);
    }
    let amount = amount(case, offer)?;
    case.own.push(("amount", Ok(Value::Whole(amount))));
    if amount <= 0 {
        return Ok(Came::Not);
    }
    if let Some(floor) = &offer.floor
        && amount < minor(&case.value(floor)?, Way::Up)?
    {
        return Ok(Came::Not);
    }
    let percent = case.value(&offer.interest);
    case.own.push(("interest", percent.clone()));
    let rate = rate(&exactly(&percent?))?;
    let instalments = case.own.iter().find(|(name, _)| *name == "instalments").map(|(_, count)| count.clone());
    let count = periods(&exactly(&instalments.expect("every offer has some")?))?;
    let fee = offer.fee.as_ref().map_or(Ok(0), |fee| minor(&case.value(fee)?, Way::Nearest))?;
    let deducted = case.policy.fee_deducted;
    if fee < 0 || deducted && fee >= amount {
        return Err(Why::Said("no_price"));
    }
    let interest = interest(offer.method, amount, rate, count).ok_or(Why::Said("no_price"))?;
    let payable = i128::from(amount) + interest + if deducted { 0 } else { i128::from(fee) };
    let payable = i64::try_from(payable).map_err(|_| Why::Said("no_price"))?;
    let day = case.person.as_of.ok_or(Why::Said("no_records"))?;
    let expires = day + offer.valid_for_days.unwrap_or(7);
    let (part_payment, terms) = (offer.part_payment, offer.terms);
    Ok(Came::Made(Made { tenure, amount, interest: rate as f64 / 1e9, payable, fee, expires, part_payment, terms }))
}

/// The tenure asked for, if known.
pub fn asked_tenure(case: &Case) -> Option<i64> {
    let (_, tenure) = case.policy.ask.as_ref()?;
    minor(&case.value(tenure.as_ref()?).ok()?, Way::Down).ok()
}

/// The counter-offer, and what limits it.
pub fn counter(case: &mut Case, made: &[(usize, Made)]) -> Option<Counter> {
    let policy = case.policy;
    let (amount, _) = policy.ask.as_ref()?;
    let asked_amount = amount.as_ref().and_then(|asked| minor(&case.value(asked).ok()?, Way::Down).ok());
    let asked_tenure = asked_tenure(case);
    // The greatest amount, then the tenure that is nearest to the one asked for, then the first.
    let apart = |one: &Made| asked_tenure.map_or(0, |asked| (i64::from(one.tenure) - asked).unsigned_abs());
    let most = made.iter().map(|(_, one)| one.amount).max()?;
    let (rule, best) = made.iter().filter(|(_, one)| one.amount == most).min_by_key(|(_, one)| apart(one))?;
    let mut limited_by = Vec::new();
    if let Some(asked) = asked_amount.filter(|asked| *asked > best.amount) {
        let bounds = within(case, &policy.offers[*rule], best.tenure, |case, offer, _| bounds(case, offer));
        let bounds: Vec<(String, i64)> =
            bounds.into_iter().filter_map(|(name, bound)| Some((name, minor(&bound.ok()?, Way::Down).ok()?))).collect();
        let tightest = bounds.iter().map(|(_, bound)| *bound).min().filter(|bound| *bound < asked);
        match tightest {
            None => limited_by.push("step".to_owned()),
            Some(tightest) => {
                limited_by.extend(bounds.into_iter().filter(|(_, bound)| *bound == tightest).map(|(name, _)| name));
            }
        }
    }
    if asked_tenure.is_some_and(|asked| asked != i64::from(best.tenure)) {
        limited_by.push("tenure".to_owned());
    }
    let counter = Counter { asked_amount, asked_tenure, amount: best.amount, tenure: best.tenure, limited_by };
    Some(counter).filter(|counter| !counter.limited_by.is_empty())
}
