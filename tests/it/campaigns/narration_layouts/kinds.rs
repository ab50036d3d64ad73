//! How often a policy of a market tells the kinds of its layouts: pay, loans, instalments, bets, reversals, own money
//! and fees. A record counts if the flag of its kind is set, and against a kind if the flag is set beside another kind.

use std::collections::BTreeMap;

use super::filling::{self, Filled, Filling, Layout};

/// A kind of the table of layouts, on which side, and the flag of metrics.toml for it. The table calls reversal what
/// others say that they give back, too.
const FLAGS: [(&str, bool, &str); 9] = [
    ("salary", true, "is_salary"),
    ("loan_out", true, "is_loan_credit"),
    ("repayment", false, "is_loan_repayment"),
    ("betting", true, "is_betting_credit"),
    ("betting", false, "is_betting_debit"),
    ("reversal", true, "is_reversal OR (is_refund AND mentions(refund))"),
    ("own", true, "is_own_transfer"),
    ("own", false, "is_own"),
    ("fee", false, "is_bank_charges"),
];

/// The least share of a market's records of these kinds whose flags are right.
const FLOORS: [(&str, f64); 7] = [
    ("Ghana", 0.98),
    ("India", 0.98),
    ("Kenya", 0.98),
    ("Nigeria", 0.97),
    ("South Africa", 0.93),
    ("United Kingdom", 0.88),
    ("United States", 0.98),
];

/// Records of the kind, those with its flag, and other records with its flag.
#[derive(Default)]
struct Share {
    records: f64,
    found: f64,
    false_alarms: f64,
}

fn flag_of(kind: &str, is_credit: bool) -> Option<&'static str> {
    FLAGS.iter().find(|(of, side, _)| *of == kind && *side == is_credit).map(|(_, _, flag)| *flag)
}

#[test]
fn kinds_are_right_in_the_layouts_of_banks() {
    let Some(table) = super::table() else { return };
    let layouts = filling::read(&table);
    let mut shares: BTreeMap<(&str, &str), Share> = BTreeMap::new();
    let bits = FLAGS
        .iter()
        .enumerate()
        .map(|(bit, (_, _, flag))| format!("CASE WHEN COALESCE({flag}, FALSE) THEN {} ELSE 0 END", 1 << bit));
    let what = format!("SUM({})", bits.collect::<Vec<_>>().join(" + "));
    for (market, statements) in super::markets(&layouts, Filling::Speaking) {
        let policy = super::policy(market, super::most(&statements), &what);
        let found = super::asked(&policy, &statements, |bits| bits.as_u64());
        for (filled, bits) in statements.iter().flatten().zip(found.iter().flatten()) {
            let bits = bits.unwrap_or_else(|| panic!("no flags of {}", filled.text));
            count(&mut shares, market, &layouts[filled.layout], filled, bits);
        }
    }
    println!("| market | kind | records | found | false alarms |\n|---|---|---|---|---|");
    let mut of_markets: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for ((market, kind), share) in &shares {
        let found = share.found / share.records;
        println!("| {market} | {kind} | {} | {found:.3} | {} |", share.records, share.false_alarms);
        assert_eq!(share.false_alarms, 0.0, "{market}: {kind}");
        let of_market = of_markets.entry(market).or_default();
        *of_market = (of_market.0 + share.found, of_market.1 + share.records);
    }
    for (market, floor) in FLOORS {
        let (found, records) = of_markets[market];
        println!("| {market} | all | {records} | {:.3} | |", found / records);
        assert!(found / records >= floor, "{market}: {:.3}", found / records);
    }
}

/// Whether records of one kind are rightly of another too: banks charge levies and the tax on their fees.
fn is_part(kind: &str, of: &str) -> bool {
    kind == "airtime" || (kind == "tax" && of == "fee")
}

fn count<'l>(
    shares: &mut BTreeMap<(&'l str, &'l str), Share>,
    market: &'l str,
    layout: &'l Layout,
    filled: &Filled,
    bits: u64,
) {
    let own = flag_of(&layout.kind, filled.is_credit);
    for (bit, (kind, is_credit, flag)) in FLAGS.iter().enumerate() {
        let is_set = bits >> bit & 1 == 1;
        let share = shares.entry((market, kind)).or_default();
        if own == Some(*flag) {
            share.records += 1.0;
            share.found += f64::from(u8::from(is_set));
            if !is_set {
                println!("{market}: no {flag}: {}", filled.text);
            }
        } else if is_set && *is_credit == filled.is_credit && layout.kind != *kind && !is_part(&layout.kind, kind) {
            share.false_alarms += 1.0;
            println!("{market}: {flag} of {}: {}", layout.kind, filled.text);
        }
    }
}
