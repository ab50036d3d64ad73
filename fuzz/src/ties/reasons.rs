//! The two numbers in the reason of a comparison: each is rounded half away from zero, to the usual decimals or more,
//! and stays on the same side of the other as before rounding. Knows no other sentence.

use lendwright::decision::Decision;

use crate::exact::{self, Exact, Way};
use crate::policy::evaluate::{Case, Expected};
use crate::policy::model::{Condition, Expr, Kind, Op, Person, Policy, Value};
use crate::policy::numbers::{exactly, order};

/// More decimals than these carry no information.
const DECIMALS_MAX: usize = 80;

/// A requirement whose reason shows both sides of its comparison.
pub fn sides(policy: &Policy, at: usize) -> Option<[&Expr; 2]> {
    let requirement = policy.requirements.get(at).filter(|one| one.is_told)?;
    match &requirement.condition {
        Condition::When(Expr { op: Op::Compare(_, parts), .. }) => Some([&parts[0], &parts[1]]),
        _ => None,
    }
}

/// How the reasons of a decision differ from this. Counts those that were checked.
pub fn wrong(
    policy: &Policy,
    person: &Person,
    expected: &Expected,
    decision: &Decision,
    told: &mut u64,
) -> Option<String> {
    let mut case = Case::begun(policy, person);
    case.metrics.clone_from(&expected.metrics);
    for ((id, _, why), reason) in expected.reasons.iter().zip(&decision.reasons) {
        let at = id.strip_prefix('R').and_then(|number| number.parse().ok());
        let Some([left, right]) = at.and_then(|at| sides(policy, at)).filter(|_| why.is_none()) else { continue };
        let (Ok(one), Ok(other)) = (case.value(left), case.value(right)) else { continue };
        let wrong = |what: &str| Some(format!("reason {id} {what}: {one:?} beside {other:?} in `{}`", reason.text));
        let Some((first, second)) = reason.text.split_once(": ").and_then(|(_, rest)| rest.split_once(" beside "))
        else {
            return wrong("tells nothing");
        };
        let (Some(first), Some(second)) = (read(left.kind, first), read(right.kind, second)) else {
            return wrong("tells no numbers");
        };
        if !is_rounded(left.kind, &exactly(&one), &first) || !is_rounded(right.kind, &exactly(&other), &second) {
            return wrong("rounds otherwise");
        }
        // Two numbers that are equal as doubles may differ in digits that no double has.
        let is_of_doubles = matches!((&one, &other), (Value::Double(_), _) | (_, Value::Double(_)));
        let wanted = order(&one, &other);
        if wanted != first.number.cmp(&second.number) && !(is_of_doubles && wanted.is_eq()) {
            return wrong("tells another order");
        }
        *told += 1;
    }
    None
}

/// A number as shown.
struct Told {
    number: Exact,
    decimals: usize,
    in_hundredths: bool,
}

fn read(kind: Kind, text: &str) -> Option<Told> {
    let digits: String = text.chars().filter(|letter| letter.is_ascii_digit() || ".-".contains(*letter)).collect();
    if !digits.contains(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let in_hundredths = text.contains('%');
    // Money is shown in major units, a ratio as a percentage.
    let shift = match (is_money(kind), in_hundredths) {
        (true, _) => 2,
        (_, true) => -2,
        _ => 0,
    };
    Some(Told { number: exact::decimal(&format!("{digits}e{shift}")), decimals, in_hundredths })
}

fn is_money(kind: Kind) -> bool {
    matches!(kind, Kind::Money | Kind::MoneyMean)
}

/// Whether a number is shown rounded to the usual decimals or more; zeros at the end are dropped.
fn is_rounded(kind: Kind, number: &Exact, told: &Told) -> bool {
    // The usual decimals and the shown ones, of the number itself.
    let (usual, shown) = match told.in_hundredths {
        _ if is_money(kind) => (0, told.decimals.saturating_sub(2)),
        true => (3, told.decimals + 2),
        false => (2, told.decimals),
    };
    let rounded = |decimals: usize| {
        let unit = Exact::from(10).pow(-(decimals as isize));
        exact::stepped(number, &unit, Way::Nearest)
    };
    (usual.max(shown)..=DECIMALS_MAX + 2).any(|decimals| rounded(decimals) == told.number)
}
