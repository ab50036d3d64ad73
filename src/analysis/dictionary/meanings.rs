//! What each reason for an unknown means, in words. Must not know which value has which reason.

use crate::analysis::dictionary::Unknown;
use crate::metrics::Reason;
use crate::rules::program::Program;

/// The code of a reason and what it means; `program` knows the names in it.
pub(in crate::analysis) fn describe(program: &Program, reason: Reason) -> Unknown {
    let table = |index: u16| program.tables.get(usize::from(index)).map_or("", |table| table.name.as_str());
    let because = match reason {
        Reason::NoValue => "the formula gives no value in this case".to_owned(),
        Reason::NeedsDebit => "the statement shows no debits".to_owned(),
        Reason::NeedsBalance => "the statement shows no balances".to_owned(),
        Reason::NeedsAsOf => "the day of the decision was not given (`as_of`)".to_owned(),
        Reason::NeedsNarration => "no record of the statement has a readable narration".to_owned(),
        Reason::NeedsMonths(months) => format!("the statement has fewer than {months} full months"),
        Reason::NoRecords => "there is no record to compute it from".to_owned(),
        Reason::NeedsValues(values) => format!("there are fewer than {values} values"),
        Reason::ZeroDenominator => "the divisor is 0".to_owned(),
        Reason::Overflow => "it is too large to hold".to_owned(),
        Reason::MissingInput(index) => {
            let path = program.inputs.get(usize::from(index)).map(|input| input.path()).unwrap_or_default();
            format!("`{path}` is not given")
        }
        Reason::NotYet(index) => {
            let name = program.parameters.get(usize::from(index)).map_or("", |parameter| parameter.name.as_str());
            format!("the day is before the first value of `${name}`")
        }
        Reason::NoRow(index) => format!("no row of the table `{}` matches", table(index)),
        Reason::ManyRows(index) => format!("more than one row of the table `{}` matches", table(index)),
        Reason::NoBin(index) => {
            let item = program.score_items.get(usize::from(index)).map_or("", |item| item.text.as_str());
            format!("no bin of the score's `{item}` matches")
        }
        Reason::NotGiven => "it is not among the given metrics".to_owned(),
        Reason::NoPrice => "these numbers give no price".to_owned(),
    };
    Unknown { code: reason.code(program), because }
}
