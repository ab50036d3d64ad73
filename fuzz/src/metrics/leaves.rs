//! The leaves of random expressions: columns, facts, tests and constants of each kind.

use super::expression::{Expression, Kind, Level};
use Expression as E;

pub(super) fn record_leaves(kind: Kind) -> Vec<Expression> {
    let names: &[&str] = match kind {
        Kind::Money => &["credit", "debit", "balance", "change"],
        Kind::Date => &["trans_date", "cleared_date"],
        Kind::Text => &["desc", "code", "counterparty"],
        _ => &[],
    };
    let mut leaves: Vec<Expression> = names.iter().map(|name| E::Name(name)).collect();
    let credit = || Box::new(E::Name("credit"));
    match kind {
        Kind::Bool => leaves.extend([
            E::Compare(">", credit(), Box::new(E::BareMoney(400))),
            E::Within(30),
            E::Within(400),
            E::Mentions,
            E::Named,
            E::Mirrored(Box::new(E::Bare(3))),
            E::Mirrored(Box::new(E::Parameter("while", 45))),
        ]),
        Kind::Text => leaves.push(E::Mentioned),
        Kind::Count => leaves.push(E::Call("day", vec![E::Name("trans_date")])),
        Kind::Ratio => leaves.push(E::Arithmetic('/', credit(), Box::new(E::Parameter("step", 75_025)))),
        Kind::MoneyMean => leaves.push(E::Arithmetic('*', credit(), Box::new(E::BareRatio("0.3")))),
        Kind::Days => {
            leaves.push(E::Arithmetic('-', Box::new(E::Name("cleared_date")), Box::new(E::Name("trans_date"))))
        }
        _ => {}
    }
    leaves
}

pub(super) fn group_leaves(level: Level, kind: Kind) -> Vec<Expression> {
    let names: &[&'static str] = match (level, kind) {
        (Level::Month, Kind::Count) => &["month_records", "month_number", "full_months_ago"],
        (Level::Month, Kind::Bool) => &["month_is_full"],
        (Level::Month, Kind::Date) => &["month_start"],
        (Level::Week, Kind::Count) => &["week_records", "week_number"],
        (Level::Week, Kind::Bool) => &["week_is_full"],
        (Level::Week, Kind::Date) => &["week_start"],
        (Level::Day, Kind::Count) => &["day_records", "day_number"],
        (Level::Day, Kind::Date) => &["day_date"],
        (Level::Counterparty, Kind::Count) => &["counterparty_records"],
        _ => &[],
    };
    names.iter().map(|name| E::Name(name)).collect()
}

pub(super) fn facts(kind: Kind) -> Vec<Expression> {
    match kind {
        Kind::Date => vec![E::Name("as_of"), E::Date("2024-02-29", 19_782)],
        Kind::Days => vec![E::Parameter("while", 45)],
        Kind::Money => vec![E::Parameter("step", 75_025)],
        Kind::Bool => vec![E::Name("has_debit"), E::Name("has_balance")],
        Kind::Text => vec![E::Name("balance_verdict")],
        _ => Vec::new(),
    }
}

pub(super) fn constant(kind: Kind) -> Expression {
    let date = || Box::new(E::Date("2024-02-29", 19_782));
    let step = || Box::new(E::Parameter("step", 75_025));
    match kind {
        Kind::Bool => E::Truth(true),
        Kind::Text => E::Text("TRF"),
        Kind::Count => E::Call("year", vec![*date()]),
        Kind::Ratio => E::Arithmetic('/', step(), step()),
        Kind::MoneyMean => E::Arithmetic('*', step(), Box::new(E::BareRatio("0.5"))),
        Kind::DaysMean => E::Arithmetic('*', Box::new(E::Parameter("while", 45)), Box::new(E::BareRatio("0.5"))),
        Kind::Money => *step(),
        Kind::Days => E::Parameter("while", 45),
        Kind::Date => *date(),
    }
}
