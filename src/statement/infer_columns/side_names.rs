//! What the names of columns say about sides: a column that says the side, a column of both sides, and two columns
//! that are one for each side. Must not look at a value.

use super::words::{Meaning, normalize_header_name, rank_name_meanings};
use crate::base::money::Currency;

/// How far a name says that the words of its column are sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SideName {
    /// Not at all: the country `IN`, the branch `CR`, the card type `Debit`.
    #[default]
    Silent,
    /// A kind of transaction, which a side may be.
    Kind,
    /// The two sides, or a direction.
    Sides,
}

/// The word for a debit and the one for a credit.
const PAIRS: [(&str, &str); 37] = [
    ("debit", "credit"),
    ("debits", "credits"),
    ("debited", "credited"),
    ("dr", "cr"),
    ("db", "cr"),
    ("db", "kr"),
    ("d", "c"),
    ("s", "h"),
    ("soll", "haben"),
    ("af", "bij"),
    ("uit", "in"),
    ("out", "in"),
    ("outflow", "inflow"),
    ("outflows", "inflows"),
    ("outgoing", "incoming"),
    ("spent", "received"),
    ("sent", "received"),
    ("withdrawn", "deposited"),
    ("withdrawal", "deposit"),
    ("withdrawals", "deposits"),
    ("withdrawal", "lodgement"),
    ("debito", "credito"),
    ("debitos", "creditos"),
    ("cargo", "abono"),
    ("cargos", "abonos"),
    ("debe", "haber"),
    ("saida", "entrada"),
    ("saidas", "entradas"),
    ("uscite", "entrate"),
    ("uscita", "entrata"),
    ("dare", "avere"),
    ("belastung", "gutschrift"),
    ("lastschrift", "gutschrift"),
    ("ausgang", "eingang"),
    ("ausgaben", "einnahmen"),
    ("obciazenia", "uznania"),
    ("debet", "kredit"),
];

/// Whether two words are the two sides: true if the first is the debit.
fn first_is_debit(first: &str, second: &str) -> Option<bool> {
    let has = |pair: (&str, &str)| PAIRS.contains(&pair);
    if has((first, second)) { Some(true) } else { has((second, first)).then_some(false) }
}

/// Whether a name has the words of both sides, as `Debit/Credit` and `Paid in / Paid out`.
pub(crate) fn names_both_sides(name: &str) -> bool {
    let name = normalize_header_name(name);
    let words: Vec<&str> = name.split(' ').collect();
    words
        .iter()
        .enumerate()
        .any(|(at, first)| words.iter().skip(at + 1).any(|second| first_is_debit(first, second).is_some()))
        || matches!(name.as_str(), "drcr" | "crdr" | "dc" | "cd" | "sh" | "debitcredit" | "creditdebit")
}

/// What a name says about a column of words of sides.
pub(crate) fn rank_side_name(name: &str) -> SideName {
    const DIRECTIONS: [&str; 8] = ["direction", "indicator", "sens", "sign", "kennzeichen", "side", "znak", "richtung"];
    const KINDS: [&str; 8] = ["type", "typ", "tipo", "umsatztyp", "umsatzart", "kind", "buchungsart", "transtype"];
    const NEUTRAL: [&str; 22] = [
        "transaction",
        "transactions",
        "trans",
        "tran",
        "txn",
        "trxn",
        "trn",
        "entry",
        "posting",
        "booking",
        "movement",
        "amount",
        "record",
        "of",
        "the",
        "operation",
        "operacji",
        "transakcji",
        "transaccion",
        "transacao",
        "movimiento",
        "movimento",
    ];
    if names_both_sides(name) {
        return SideName::Sides;
    }
    let name = normalize_header_name(name);
    let words = || name.split(' ').filter(|word| !NEUTRAL.contains(word));
    let all_in = |list: &[&str]| words().next().is_some() && words().all(|word| list.contains(&word));
    if all_in(&DIRECTIONS) {
        SideName::Sides
    } else if all_in(&KINDS) {
        SideName::Kind
    } else {
        SideName::Silent
    }
}

/// Whether two columns of amounts are those of the two sides, because their names differ in nothing else: true if the
/// first is that of debits. `Amount Debit` and `Amount Credit` are, `Balance Debit` and `Balance Credit` are not.
pub(crate) fn pair_of_side_columns(first: &str, second: &str) -> Option<bool> {
    let (first, second) = (normalize_header_name(first), normalize_header_name(second));
    let words = |name: &str| name.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let (first, second) = (words(&first), words(&second));
    if first.len() != second.len() {
        return None;
    }
    let mut differing = first.iter().zip(&second).filter(|(one, other)| one != other);
    let (one, other) = differing.next().filter(|_| differing.next().is_none())?;
    let is_debit = first_is_debit(one, other)?;
    let rest: Vec<&str> =
        first.iter().zip(&second).filter(|(one, other)| one == other).map(|(word, _)| word.as_str()).collect();
    let is_other = |word: &&str| {
        matches!(
            *word,
            "total" | "totals" | "count" | "limit" | "rate" | "number" | "no" | "opening" | "closing" | "budget"
        )
    };
    let meaning = rank_name_meanings(&rest.join(" ")).first().map(|(meaning, _)| *meaning);
    let is_money = match meaning {
        // `Units In` and `Time Out` are two sides of something else.
        None => rest.iter().all(|word| is_money_word(word)),
        Some(meaning) => {
            matches!(meaning, Meaning::Amount | Meaning::Net | Meaning::Debit | Meaning::Credit | Meaning::Side)
        }
    };
    (is_money && !rest.iter().any(is_other)).then_some(is_debit)
}

/// Whether a word in the name of a column of amounts says no more than that they are money.
fn is_money_word(word: &str) -> bool {
    const WORDS: [&str; 16] = [
        "money",
        "cash",
        "payment",
        "payments",
        "paid",
        "transaction",
        "transactions",
        "txn",
        "tran",
        "trans",
        "value",
        "funds",
        "naira",
        "account",
        "in",
        "movement",
    ];
    WORDS.contains(&word) || Currency::from_alphabetic(&word.to_ascii_uppercase()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sides_are_told_from_others() {
        for name in ["DR/CR", "Debit/Credit Indicator", "D/C", "Soll/Haben", "Direction", "Cr_Dr", "In/Out", "Af Bij"] {
            assert_eq!(rank_side_name(name), SideName::Sides, "{name}");
        }
        for name in ["Type", "Transaction Type", "TRANS. TYPE", "Txn Type", "transactionType", "Umsatzart"] {
            assert_eq!(rank_side_name(name), SideName::Kind, "{name}");
        }
        for name in
            ["Country", "Branch", "Card Type", "Account Type", "Class", "Flag", "Grade", "Initials", "State", "Funding"]
        {
            assert_eq!(rank_side_name(name), SideName::Silent, "{name}");
        }
    }

    #[test]
    fn two_columns_are_the_two_sides_wherever_the_word_stands() {
        for (debit, credit) in [
            ("Amount Debit", "Amount Credit"),
            ("Amount (Debit)", "Amount (Credit)"),
            ("Amount - Debit", "Amount - Credit"),
            ("Value Debit", "Value Credit"),
            ("Amount DR", "Amount CR"),
            ("Transaction Amount (DR)", "Transaction Amount (CR)"),
            ("Amount out", "Amount in"),
            ("Betrag Soll", "Betrag Haben"),
            ("Montant débit", "Montant crédit"),
            ("Importe Cargo", "Importe Abono"),
            ("Amount Debited", "Amount Credited"),
            ("amountDebit", "amountCredit"),
            ("Money sent (NGN)", "Money received (NGN)"),
            ("Total Paid Out", "Total Paid In"),
        ] {
            let is_pair = !debit.starts_with("Total");
            assert_eq!(pair_of_side_columns(debit, credit), is_pair.then_some(true), "{debit}");
            assert_eq!(pair_of_side_columns(credit, debit), is_pair.then_some(false), "{credit}");
        }
        for (first, second) in [
            ("Balance Debit", "Balance Credit"),
            ("Amount", "Amount Credit"),
            ("Fee Debit", "Fee Credit"),
            ("Units Out", "Units In"),
            ("Points Out", "Points In"),
            ("Time Out", "Time In"),
            ("Sent Phone", "Received Phone"),
            ("Debit Bank Code", "Credit Bank Code"),
            ("Debit Branch", "Credit Branch"),
            ("Amount USD", "Amount NGN"),
            ("Debit", "Debit"),
        ] {
            assert_eq!(pair_of_side_columns(first, second), None, "{first}");
        }
    }
}
