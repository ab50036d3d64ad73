//! Statements whose means, quantiles, shares and sums meet a limit exactly, or miss it by one minor unit, against the
//! reference.

use super::expression::{Aggregate, Expression, Level};
use super::statement::{Record, Rules};
use crate::exact::{self, Exact, Way};
use crate::random::Source;
use Expression as E;

/// The limits in the rules.
struct Limits {
    /// Minor units.
    amount: i64,
    /// By their digits.
    fraction: &'static str,
    share: &'static str,
}

const FRACTIONS: [&str; 7] = ["0.9", "0.1", "0.25", "0.35", "0.05", "0.333", "0.5"];
const SHARES: [&str; 7] = ["0.35", "0.1", "0.3", "0.07", "0.29", "0.123456", "0.7"];
const SIGNS: [&str; 6] = ["<", "<=", ">", ">=", "=", "<>"];

/// Rules and `customers` statements. Counts which are below, at and above the limit they were made for. Returns how
/// many values are known.
pub fn compare(source: &mut Source, customers: usize, sides: &mut [u64; 3]) -> Result<usize, String> {
    let size = 10_usize.pow(1 + source.below(11) as u32);
    let major = 1 + source.below(size) as i64;
    let limits = Limits { amount: 100 * major, fraction: source.one(&FRACTIONS), share: source.one(&SHARES) };
    let rules = rules(source, &limits);
    let mut statement = || {
        let off = source.one(&[-1, 0, 1]);
        sides[(off + 1) as usize] += 1;
        statement(source, &limits, off)
    };
    let statements: Vec<_> = (0..customers).map(|_| statement()).collect();
    super::decided_alike(&rules, &statements, None)
}

fn aggregate(name: &'static str, arguments: Vec<Expression>, filter: Option<Expression>) -> Aggregate {
    let of_fractions = matches!(arguments.first(), Some(E::Defined(Level::Transaction, _)));
    Aggregate { name, distinct: false, arguments, of_fractions, fraction: None, filter: filter.map(Box::new) }
}

fn of(name: &'static str, argument: Expression) -> Expression {
    E::Aggregate(aggregate(name, vec![argument], None))
}

fn rules(source: &mut Source, limits: &Limits) -> Rules {
    let credit = || E::Name("credit");
    let (share, amount) = (|| E::BareRatio(limits.share), || E::BareMoney(limits.amount / 100));
    let binary = |sign, left, right| E::Arithmetic(sign, Box::new(left), Box::new(right));
    let mut compare = |left, right| E::Compare(source.one(&SIGNS), Box::new(left), Box::new(right));
    let filtered = |test| Some(Expression::Compare("=", Box::new(E::Name("code")), Box::new(test)));
    let scaled = || E::Defined(Level::Transaction, 0);
    let quantile =
        || E::Aggregate(Aggregate { fraction: Some(limits.fraction), ..aggregate("quantile", vec![credit()], None) });
    let by_transfer = || {
        let some = E::Aggregate(aggregate("sum", vec![credit()], filtered(E::Text("TRF"))));
        binary('/', some, of("sum", credit()))
    };
    let count = |test| E::Aggregate(aggregate("count", vec![], Some(test)));
    let mean = || of("avg", credit());
    let of_month = || E::Defined(Level::Month, 0);
    let metrics = vec![
        mean(),
        compare(mean(), amount()),
        quantile(),
        compare(quantile(), amount()),
        by_transfer(),
        compare(by_transfer(), share()),
        count(compare(credit(), binary('*', share(), E::Defined(Level::Metric, 0)))),
        of("stddev", credit()),
        E::Aggregate(aggregate("regr_slope", vec![E::Name("balance"), credit()], None)),
        E::Call("round", vec![mean()]),
        compare(binary('/', of("sum", credit()), count(E::IsNull(Box::new(credit()), false))), mean()),
        count(compare(scaled(), amount())),
        of("max", scaled()),
        compare(of("sum", scaled()), amount()),
        compare(of("avg", of_month()), amount()),
        compare(of("median", scaled()), amount()),
        of("stddev", scaled()),
        E::Aggregate(aggregate("arg_max", vec![E::Name("trans_date"), scaled()], None)),
        of("mode", scaled()),
        compare(of("avg_gap", E::Name("trans_date")), E::Parameter("while", 45)),
    ];
    let months = vec![of("sum", credit())];
    Rules { transactions: vec![binary('*', credit(), share())], groups: [months, vec![], vec![], vec![]], metrics }
}

/// A statement that is `off` away from one of the limits.
fn statement(source: &mut Source, limits: &Limits, off: i64) -> Vec<Record> {
    let credits = match source.below(4) {
        0 => mean_of(source, limits, off),
        1 => quantile_of(source, limits, off),
        2 => share_of(source, limits, off),
        _ => scaled_of(source, limits, off),
    };
    let mut date = 19_723 + source.below(40) as i64;
    let mut records = Vec::new();
    for (number, (credit, is_transfer)) in credits.into_iter().enumerate() {
        records.push(Record {
            id: format!("{number:03}"),
            date,
            cleared: None,
            credit: Some(credit.max(0)),
            debit: None,
            balance: source.once_in(3).then(|| source.below(1_000_000) as i64),
            code: Some(if is_transfer { "TRF" } else { "POS" }),
            desc: None,
            person: None,
        });
        date += source.one(&[0, 1, 7, 45, 44, 46]);
    }
    records
}

fn below(source: &mut Source, most: i64) -> i64 {
    source.below(most.max(1) as usize) as i64
}

/// Amounts whose mean is the limit.
fn mean_of(source: &mut Source, limits: &Limits, off: i64) -> Vec<(i64, bool)> {
    let count = 2 + source.below(8) as i64;
    let mut credits: Vec<i64> = (1..count).map(|_| below(source, limits.amount)).collect();
    credits.push(limits.amount * count - credits.iter().sum::<i64>() + off);
    credits.into_iter().map(|credit| (credit, false)).collect()
}

/// Amounts with a quantile at the limit: two neighbours around it at the right distances, and others beyond.
fn quantile_of(source: &mut Source, limits: &Limits, off: i64) -> Vec<(i64, bool)> {
    let count = 2 + source.below(12);
    let place = exact::decimal(limits.fraction) * Exact::from(count - 1);
    let low = exact::whole(&place, Way::Down);
    let between = place - &low;
    let low = exact::int(&low).expect("one of them") as usize;
    let [over, under] =
        [between.numerator(), &between.denominator().clone().into()].map(|part| i64::try_from(part.clone()));
    let (over, under) = (over.expect("few digits"), under.expect("few digits"));
    let apart = below(source, limits.amount / under / 2);
    let mut credits = vec![limits.amount - apart * over + off];
    if low + 1 < count {
        credits.push(limits.amount + apart * (under - over));
    }
    for number in 0..count - credits.len() {
        let further = below(source, limits.amount / 4);
        credits.push(if number < low {
            credits[0] - further
        } else {
            limits.amount + apart * (under - over) + further
        });
    }
    credits.into_iter().map(|credit| (credit, false)).collect()
}

/// Amounts in which transfers have the limit as their share.
fn share_of(source: &mut Source, limits: &Limits, off: i64) -> Vec<(i64, bool)> {
    let share = exact::decimal(limits.share);
    let parts = |part: &Exact| exact::int(part).expect("few digits");
    let (over, under) = (parts(&share.numerator().clone().into()), parts(&share.denominator().clone().into()));
    let times = 1 + below(source, limits.amount / under);
    let (some, others) = (over * times, (under - over) * times);
    let split = below(source, others);
    vec![(some + off, true), (split, false), (others - split, false)]
}

/// Amounts. Multiplied by the share, one of them equals the limit.
fn scaled_of(source: &mut Source, limits: &Limits, off: i64) -> Vec<(i64, bool)> {
    let one = Exact::from(limits.amount) / exact::decimal(limits.share);
    let one = exact::int(&exact::whole(&one, Way::Down)).expect("no large amount") + off;
    let mut credits = vec![(one, true), (one, false)];
    credits.extend((0..source.below(4)).map(|_| (below(source, 2 * limits.amount), false)));
    credits
}
