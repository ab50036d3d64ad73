//! The verdict on the balances of a merged statement: the worst of its inputs, and whether the exports of one account
//! continue each other.

use super::accounts::Account;
use crate::statement::columns::balance_breaks::{Chain, Rule, chain_of_rows};
use crate::statement::columns::balance_verdict::Finding;
use crate::statement::columns::frame::Head;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::stated::{Ends, Stated};

/// What the inputs say, and what each account says that was joined from several. `columns` hold the balances of the
/// accounts, not of all together. If it is `undecided` whether inputs are of one account, balances cannot show that
/// nothing between them is missing.
pub(super) fn judge_merged_balances(
    accounts: &[Account],
    shown: &[&Head],
    heads: &[Head],
    columns: &RecordColumns,
    undecided: bool,
) -> Finding {
    let major = 10_u128.pow(
        shown
            .iter()
            .filter_map(|head| head.origin.as_ref())
            .map(|origin| origin.currency().exponent())
            .max()
            .unwrap_or_default(),
    );
    let inputs = shown.iter().filter(|head| says_something(head));
    let of_input = |head: &&Head| Finding {
        verdict: head.quality.balance_verdict,
        first: head.quality.balance_discrepancy.clone(),
        warnings: Vec::new(),
    };
    let several = accounts.iter().filter(|account| account.exports.len() > 1);
    let of_several = |account: &Account| {
        let rule = Rule { major, is_ordered: account.is_ordered(heads) };
        let chain = chain_of_rows(columns, &account.rows, Ends::default(), rule);
        Finding::new(&chain, &stated_balances_of(account, heads), columns, major)
    };
    let single = accounts.iter().filter(|account| account.exports.len() == 1);
    let of_single = |account: &Account| {
        let Finding { warnings, .. } =
            Finding::new(&Chain::default(), &stated_balances_of(account, heads), columns, major);
        warnings
    };
    let mut findings = inputs.map(of_input).chain(several.map(of_several));
    let mut all = findings.next().unwrap_or_default();
    findings.for_each(|other| all.join(other));
    if undecided {
        all.join(Finding::default());
    }
    all.warnings.extend(single.flat_map(of_single));
    all
}

/// A statement of nothing neither proves nor hides anything.
fn says_something(head: &Head) -> bool {
    !head.rows.is_empty() || head.stated != Stated::default()
}

/// The stated balances of a customer's only account. Those of several say nothing about all of them.
pub(super) fn stated_balances_of_only(accounts: &[Account], heads: &[Head]) -> Stated {
    if let [only] = accounts { stated_balances_of(only, heads) } else { Stated::default() }
}

/// The stated balances of an account's exports.
fn stated_balances_of(account: &Account, heads: &[Head]) -> Stated {
    let exports = || account.exports.iter().filter_map(|index| heads.get(*index)).filter(|head| says_something(head));
    Stated {
        sections: exports().flat_map(|head| head.stated.sections.iter().copied()).collect(),
        contradicted: exports().flat_map(|head| head.stated.contradicted.iter().copied()).collect(),
        is_covering: exports().all(|head| head.stated.is_covering),
        unreadable: exports().flat_map(|head| head.stated.unreadable.iter().cloned()).collect(),
    }
}
