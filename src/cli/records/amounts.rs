//! Amounts of a table in major units, for files that people open. Knows nothing of records.

use polars::prelude::{Column, DataFrame, PolarsResult};

use crate::decision::Verdicts;
use crate::rules::{Repr, Unit};
use crate::words::money::{AmountUnit, Currency, amount_digits};

/// The columns with amounts in minor units.
pub(super) fn money_columns(verdicts: &Verdicts) -> Vec<String> {
    let is_money = |ty: crate::rules::Type| ty.unit == Unit::Money && ty.repr == Repr::Int;
    let flags = verdicts.flags.iter().filter(|flag| is_money(flag.ty)).map(|flag| flag.name.clone());
    ["credit", "debit", "balance"].map(str::to_owned).into_iter().chain(flags).collect()
}

/// Writes amounts as decimals, exactly: 250050 kobo become `2500.50`.
pub(super) fn in_major_units(table: &mut DataFrame, columns: &[String], currency: &Currency) -> PolarsResult<()> {
    for name in columns {
        let digits = |minor: i64| amount_digits(minor, AmountUnit::Major, currency.exponent());
        let texts: Vec<Option<String>> = table.column(name)?.i64()?.iter().map(|minor| minor.map(digits)).collect();
        table.with_column(Column::new(name.as_str().into(), texts))?;
    }
    Ok(())
}
