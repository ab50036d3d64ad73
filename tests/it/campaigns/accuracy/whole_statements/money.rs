//! Of the money that moves: how much has a known kind, and how much is taken for what it is not, to whose cost.

use std::collections::HashMap;

use lendwright::decision::{Verdict, VerdictsAsked, verdicts};
use lendwright::rules::Value;

use super::{People, Truth, policy};

/// An amount, of how much.
#[derive(Default)]
struct Money {
    part: i64,
    of: i64,
}

impl Money {
    fn add(&mut self, amount: i64, is_part: bool) {
        self.of += amount;
        self.part += if is_part { amount } else { 0 };
    }

    fn row(&self, what: &str) -> String {
        format!("| {what} | {:.1}% |\n", 100.0 * self.part as f64 / self.of.max(1) as f64)
    }
}

pub(super) fn tables(people: &People) -> String {
    let policy = policy("starter");
    let mut asked = VerdictsAsked::default();
    asked.flags = ["is_income", "is_loan_repayment", "is_betting_debit"].map(str::to_owned).into();
    let found = verdicts(&policy, &people.statements(&policy, ""), &asked).expect("verdicts");
    let flag: HashMap<&str, usize> =
        found.flags.iter().enumerate().map(|(at, column)| (column.name.as_str(), at)).collect();
    let has = |record: &Verdict, name: &str| record.values[flag[name]] == Some(Value::Boolean(true));
    let of: HashMap<(&str, &str), &Truth> = people
        .people
        .iter()
        .flat_map(|person| person.truth.iter().map(|(id, truth)| ((person.customer.as_str(), id.as_str()), truth)))
        .collect();
    let is_known = |record: &Verdict| record.kind.as_deref().is_some_and(|kind| kind != "other");
    let [mut credits, mut debits, mut missed, mut wrong, mut unseen, mut unseen_stakes, mut accused] =
        <[Money; 7]>::default();
    for record in &found.records {
        let key = (record.customer.as_deref().expect("a customer"), record.id.as_deref().expect("an identifier"));
        let truth = of[&key];
        credits.add(truth.credit, is_known(record));
        debits.add(truth.debit, is_known(record));
        if truth.is_income() {
            missed.add(truth.credit, !has(record, "is_income"));
        }
        if has(record, "is_income") {
            wrong.add(truth.credit, !truth.is_income());
        }
        let (repaid, staked) = (has(record, "is_loan_repayment"), has(record, "is_betting_debit"));
        match truth.label.as_str() {
            "loan_repayment" => unseen.add(truth.debit, !repaid),
            "betting_stake" => unseen_stakes.add(truth.debit, !staked),
            _ => accused.add(truth.debit, repaid || staked),
        }
    }
    [
        "| money with a known kind | share |\n|---|---|\n".to_owned(),
        credits.row("of credits"),
        debits.row("of debits"),
        "\n| error, by money | share |\n|---|---|\n".to_owned(),
        wrong.row("the lender's cost: counted as income, and is none"),
        unseen.row("the lender's cost: repayments not seen"),
        unseen_stakes.row("the lender's cost: stakes not seen"),
        missed.row("the customer's cost: income not counted"),
        accused.row("the customer's cost: other payments taken for repayments or stakes"),
    ]
    .concat()
}
