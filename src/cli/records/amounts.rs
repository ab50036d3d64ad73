//! Amounts of a table in major units, for files that people open. Knows nothing of records.

use polars::prelude::{Column, DataFrame, DataType, PolarsResult};

use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::engine::decision::Verdicts;
use crate::rules::{Repr, Unit};

/// The columns with amounts in minor units, whole or not.
pub(super) fn money_columns(verdicts: &Verdicts) -> Vec<String> {
    let is_money = |ty: crate::rules::Type| ty.unit == Unit::Money && ty.repr != Repr::List;
    let flags = verdicts.flags.iter().filter(|flag| is_money(flag.ty)).map(|flag| flag.name.clone());
    ["credit", "debit", "balance"].map(str::to_owned).into_iter().chain(flags).collect()
}

/// Writes amounts as decimals: 250050 kobo become `2500.50`, exactly. Parts of a kobo are approximate.
pub(super) fn in_major_units(table: &mut DataFrame, columns: &[String], currency: &Currency) -> PolarsResult<()> {
    for name in columns {
        let digits = |minor: i64| amount_digits(minor, AmountUnit::Major, currency.exponent());
        let amounts = table.column(name)?;
        let name = name.as_str().into();
        let shown = match amounts.dtype() {
            DataType::Float64 => {
                let unit = 10_f64.powi(currency.exponent() as i32);
                Column::new(
                    name,
                    amounts.f64()?.iter().map(|minor| minor.map(|minor| minor / unit)).collect::<Vec<_>>(),
                )
            }
            _ => {
                let texts = amounts.i64()?.iter().map(|minor| minor.map(digits));
                Column::new(name, texts.collect::<Vec<Option<String>>>())
            }
        };
        table.with_column(shown)?;
    }
    Ok(())
}
