//! The names of balances and totals in narrations: `OPENING BALANCE`, `B/F`, `TOTAL DEBITS`.

use std::borrow::Cow;

/// What a narration names, if it is only the name of a balance or a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BalanceName {
    /// An opening or closing balance: `OPENING BALANCE`, `BALANCE B/F`, `BROUGHT FORWARD`.
    Forward,
    /// A balance, or a payment of one: `BALANCE`, `AVAILABLE BALANCE`.
    Balance,
    /// A total of one side: `TOTAL DEBITS`.
    Totals,
    /// A total, or a payment to someone with that name.
    Total,
    /// An opening or closing balance with other words after it, such as a name: `Opening Balance - ADA OBI`.
    Called,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Balance,
    /// Says which balance it is.
    Which,
    /// Says on its own that a balance is carried over.
    Forward,
    /// Says so together with [`Word::Ahead`]: `BROUGHT FORWARD`, `CARRIED DOWN`.
    Carried,
    Ahead,
    /// The first letter of `B/F`, `C/F`, `B/D`, `C/D`, `O/B`, `C/B`.
    FirstLetter,
    /// The second.
    SecondLetter,
    Total,
    /// The side that a total is for.
    Side,
    /// The same, as a word with which many payments begin and no name of a total.
    LaterSide,
    Filler,
    /// Joins other words. No name begins with it.
    Joint,
}

/// Whether a narration is only the name of a balance.
pub(crate) fn names_balance(desc: &str) -> bool {
    matches!(find_balance_name(desc), Some(BalanceName::Forward | BalanceName::Balance | BalanceName::Called))
}

/// What a narration names, if each of its words belongs to such a name, or if it begins with that of an opening or
/// closing balance. Numbers and punctuation are ignored.
pub(crate) fn find_balance_name(desc: &str) -> Option<BalanceName> {
    if !may_begin(desc.as_bytes()) {
        return None;
    }
    let (mut balance, mut which, mut forward, mut total, mut side) = (false, false, false, false, false);
    let mut before = Word::Filler;
    let words = desc.split(|letter: char| !letter.is_alphanumeric()).flat_map(|joined| {
        let texts = joined.split(|letter: char| !letter.is_alphabetic()).filter(|text| !text.is_empty());
        texts.map(move |text| (text, joined))
    });
    for (text, joined) in words {
        let known = word(text).filter(|found| !is_part_of_reference(*found, text, joined));
        let Some(found) = known else {
            // The letters of `B/F` may be those of a name.
            return (balance && (which || forward)).then_some(BalanceName::Called);
        };
        match (found, before) {
            // `O/B`, `C/B`
            (Word::FirstLetter, Word::FirstLetter) if text.eq_ignore_ascii_case("b") => forward = true,
            (Word::Forward, _)
            | (Word::Ahead, Word::Carried | Word::FirstLetter)
            | (Word::SecondLetter, Word::FirstLetter) => forward = true,
            (Word::Balance, _) => balance = true,
            (Word::Which | Word::Carried | Word::Ahead, _) => which = true,
            (Word::Total, _) => total = true,
            (Word::Side | Word::LaterSide, _) => side = true,
            (Word::FirstLetter | Word::SecondLetter | Word::Filler | Word::Joint, _) => {}
        }
        before = found;
    }
    match (balance, which, forward, total) {
        (_, _, true, false) | (true, true, false, false) => Some(BalanceName::Forward),
        (true, ..) => Some(BalanceName::Balance),
        (false, _, _, true) if side => Some(BalanceName::Totals),
        (false, _, _, true) => Some(BalanceName::Total),
        _ => None,
    }
}

/// Whether letters are part of a reference in hexadecimal digits, such as `0b7f31c9`, and not of an abbreviation such
/// as `B/F`. Only the second letter may have a number after it: `B/F01-03-2026`.
fn is_part_of_reference(found: Word, text: &str, joined: &str) -> bool {
    let is_abbreviation = match found {
        Word::FirstLetter => true,
        Word::SecondLetter => !joined.starts_with(text),
        Word::Forward => text.len() == 2,
        _ => false,
    };
    is_abbreviation && joined.contains(|letter: char| letter.is_ascii_digit())
}

/// The words in names of balances and totals.
const WORDS: [(Word, &[&str]); 23] = [
    (
        Word::Balance,
        &["balance", "balances", "bal", "saldo", "sdo", "solde", "salio", "kontostand", "zustatek", "balans"],
    ),
    (
        Word::Which,
        &[
            "opening", "closing", "previous", "starting", "ending", "initial", "inicial", "final", "anterior",
            "ancien", "nouveau", "start", "end", "beg", "openning", "op", "cl", "prev", "previo", "open", "close",
        ],
    ),
    (Word::Which, &["beginning", "ouverture", "cloture", "precedent", "alt", "alter", "neu", "neuer", "apertura"]),
    (Word::Which, &["cierre", "iniziale", "finale", "precedente", "poczatkowe", "koncowe", "pocatecni", "konecny"]),
    (Word::Which, &["ingaende", "utgaende", "vorig", "nieuw", "oud", "begin", "eind", "reporte"]),
    (Word::Which, &["old", "existing", "awal", "akhir", "mwanzo", "mwisho"]),
    (Word::Carried, &["brought", "carried", "carry", "bring"]),
    (Word::Ahead, &["forward", "fwd", "down"]),
    (
        Word::Forward,
        &["bf", "cf", "bfwd", "cfwd", "broughtforward", "carriedforward", "anfangssaldo", "endsaldo", "anfangsbestand"],
    ),
    (Word::Forward, &["opbal", "clbal", "openbal", "closebal", "openingbal", "closingbal", "openingbalance"]),
    (Word::Forward, &["closingbalance", "beginsaldo", "eindsaldo", "startsaldo", "slutsaldo", "saldovortrag"]),
    (Word::Forward, &["schlusssaldo", "endbestand", "beginbalans", "eindbalans", "vortrag"]),
    (Word::FirstLetter, &["b", "c", "o"]),
    (Word::SecondLetter, &["f", "d"]),
    (Word::Total, &["total", "totals", "subtotal", "totale", "totaux", "gesamt", "summe", "suma", "sum"]),
    (Word::Side, &["credit", "debit", "credits", "debits", "withdrawals", "deposits"]),
    (
        Word::Filler,
        &[
            "a", "account", "ac", "the", "date", "day", "month", "period", "ledger", "book", "current", "last", "next",
            "page", "amount", "cr", "dr", "sub", "grand", "st", "nd", "rd", "th",
        ],
    ),
    (
        Word::Filler,
        &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "january",
            "february", "march", "april", "june", "july", "august", "october", "november", "december",
        ],
    ),
    (
        Word::LaterSide,
        &[
            "credited",
            "debited",
            "lodgement",
            "lodgements",
            "withdrawal",
            "deposit",
            "inflow",
            "inflows",
            "outflow",
            "outflows",
            "turnover",
            "transactions",
            "payments",
            "receipts",
            "movements",
            "mouvements",
        ],
    ),
    (
        Word::Filler,
        &["wallet", "your", "main", "savings", "checking", "card", "number", "no", "konto", "compte", "acct"],
    ),
    (Word::Filler, &["statement", "available", "september", "ngn", "naira", "ghs", "kes", "usd", "eur", "gbp"]),
    (Word::Joint, &["by", "cash", "money", "out", "em", "am", "per", "del", "dia", "la", "ya", "general"]),
    (Word::Joint, &["as", "at", "on", "of", "for", "from", "to", "in", "de", "du", "do", "au", "le", "al"]),
];

/// The first letters of all words that may begin a name. The first two letters are the index, and each third letter has
/// a bit. Letter 0 is the end of a word.
static BEGINNINGS: [u32; 1 << 10] = {
    let mut found = [0; _];
    let mut kind = 0;
    while kind < WORDS.len() {
        let (word, words) = WORDS[kind];
        let mut at = 0;
        while at < words.len() && !matches!(word, Word::Joint) {
            let (pair, third) = beginning(words[at].as_bytes(), 0);
            found[pair] |= third;
            at += 1;
        }
        kind += 1;
    }
    found
};

/// The index into [`BEGINNINGS`] for the letters from a place on, and the bit of the third letter.
const fn beginning(text: &[u8], from: usize) -> (usize, u32) {
    const fn letter(text: &[u8], at: usize) -> usize {
        if at < text.len() && text[at].is_ascii_alphabetic() { (text[at] & 31) as usize } else { 0 }
    }
    let (first, second) = (letter(text, from), letter(text, from + 1));
    let third = if second == 0 { 0 } else { letter(text, from + 2) };
    (first << 5 | second, 1 << third)
}

/// Whether the first word may be one of [`WORDS`], by the first bytes. This rejects nearly all narrations.
#[inline]
pub(crate) fn may_begin_balance_name(head: [u8; 4]) -> bool {
    if head[0].is_ascii_alphabetic() { is_beginning(&head, 0) } else { head[0] != 0 }
}

fn may_begin(desc: &[u8]) -> bool {
    // No name begins with a letter beyond ASCII.
    desc.iter().position(u8::is_ascii_alphabetic).is_some_and(|first| is_beginning(desc, first))
}

fn is_beginning(text: &[u8], from: usize) -> bool {
    let (pair, third) = beginning(text, from);
    let thirds = BEGINNINGS.get(pair).copied().unwrap_or_default();
    // A letter with an accent is beyond ASCII, and `To Balance b/d` begins with a word as payments do.
    let has_accent = || thirds != 0 && text.get(from + 2).is_some_and(|third| *third >= 0x80);
    thirds & third != 0 || has_accent() || is_entry_of_balance(text, from)
}

/// Whether a text may be `By Balance ...` or `To Balance ...`, as ledgers write it.
fn is_entry_of_balance(text: &[u8], from: usize) -> bool {
    let head = text.get(from..from + 4).and_then(<[u8]>::first_chunk);
    head.is_some_and(|head: &[u8; 4]| {
        matches!(head.map(|letter| letter.to_ascii_lowercase()), [b'b', b'y', b' ', b'b'] | [b't', b'o', b' ', b'b'])
    })
}

fn word(word: &str) -> Option<Word> {
    let plain = fold_accents(word);
    let is_known = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(&plain));
    WORDS.iter().find_map(|(kind, words)| is_known(words).then_some(*kind))
}

/// A word without the accents that occur in names of balances.
fn fold_accents(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let plain = |letter: char| match letter {
        'é' | 'è' | 'ê' | 'É' | 'È' | 'Ê' | 'ě' => 'e',
        'ô' | 'ó' | 'Ô' | 'Ó' => 'o',
        'á' | 'à' | 'å' | 'ä' | 'ą' | 'Å' | 'Ä' => 'a',
        'ů' | 'ú' | 'ü' => 'u',
        'č' | 'ć' | 'ç' => 'c',
        'ý' | 'í' => 'i',
        'ń' | 'ň' => 'n',
        other => other,
    };
    Cow::Owned(word.chars().map(plain).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bare_name_of_a_balance_or_a_total_is_one() {
        let cases = [
            ("OPENING BALANCE", Some(BalanceName::Forward)),
            ("Opening Balance 01-03-2026", Some(BalanceName::Forward)),
            ("BALANCE B/F", Some(BalanceName::Forward)),
            ("Bal. c/f", Some(BalanceName::Forward)),
            ("B/F", Some(BalanceName::Forward)),
            ("B / D", Some(BalanceName::Forward)),
            ("BROUGHT FORWARD", Some(BalanceName::Forward)),
            ("carried forward to next page", Some(BalanceName::Forward)),
            ("BALANCE AS AT 31 MARCH 2026", Some(BalanceName::Balance)),
            ("CLOSING LEDGER BALANCE AS AT 31ST MARCH, 2026", Some(BalanceName::Forward)),
            ("SALDO INICIAL", Some(BalanceName::Forward)),
            ("Solde au 01/03/2026", Some(BalanceName::Balance)),
            ("Balance", Some(BalanceName::Balance)),
            ("Carried down", Some(BalanceName::Forward)),
            ("TOTAL", Some(BalanceName::Total)),
            ("Total debits:", Some(BalanceName::Totals)),
            ("CREDIT BALANCE", Some(BalanceName::Balance)),
            ("Credit", None),
            ("", None),
            ("01/03/2026", None),
            ("FORWARD BALANCE", Some(BalanceName::Forward)),
            ("Fwd bal", Some(BalanceName::Forward)),
            ("31ST MARCH 2026 CLOSING BALANCE", Some(BalanceName::Forward)),
            ("A/C BALANCE", Some(BalanceName::Balance)),
            ("DOWN", None),
            ("FORWARD", None),
            ("F", None),
            ("ACCOUNT OPENING", None),
            ("RENT BALANCE", None),
            ("BALANCE OF SCHOOL FEES", None),
            ("TOTAL ENERGIES LAGOS", None),
            ("TRF FROM CLOSING BALANCE LTD", None),
            ("Opening Balance - ADA OBI", Some(BalanceName::Called)),
            ("CLOSING BALANCE LTD", Some(BalanceName::Called)),
            ("B F ENTERPRISES", None),
            ("O B OKAFOR", None),
            ("BALANCE PAYMENT FOR RENT", None),
            ("Wallet Opening Balance", Some(BalanceName::Forward)),
            (
                "OPENING BALANCE AS AT 01 MARCH 2026 BROUGHT FORWARD FROM PREVIOUS STATEMENT PAGE",
                Some(BalanceName::Forward),
            ),
            ("Opening balance for the period 01/03/2026 - 31/03/2026 account 0123456789", Some(BalanceName::Forward)),
            ("Prev. Bal", Some(BalanceName::Forward)),
            ("OPBAL", Some(BalanceName::Forward)),
            ("Bal B/Fwd", Some(BalanceName::Forward)),
            ("Solde précédent", Some(BalanceName::Forward)),
            ("Saldo previo", Some(BalanceName::Forward)),
            ("Kontostand alt", Some(BalanceName::Forward)),
            ("Beginsaldo", Some(BalanceName::Forward)),
            ("FINAL PAYMENT", None),
            ("By Balance B/F", Some(BalanceName::Forward)),
            ("To Balance b/d", Some(BalanceName::Forward)),
            ("TO BALOGUN TUNDE", None),
            ("Opening Cash Balance", Some(BalanceName::Forward)),
            ("Old balance", Some(BalanceName::Forward)),
            ("Existing balance", Some(BalanceName::Forward)),
            ("Acct Bal", Some(BalanceName::Balance)),
            ("Kontostand am 28.02.2026", Some(BalanceName::Balance)),
            ("Saldo em 28/02/2026", Some(BalanceName::Balance)),
            ("Saldo do dia", Some(BalanceName::Balance)),
            ("Saldo awal", Some(BalanceName::Forward)),
            ("Salio la mwanzo", Some(BalanceName::Forward)),
            ("Sdo inicial", Some(BalanceName::Forward)),
            ("Vortrag", Some(BalanceName::Forward)),
            ("Počáteční zůstatek", Some(BalanceName::Forward)),
            ("Total Money In", Some(BalanceName::Total)),
            ("Total Amount Credited", Some(BalanceName::Totals)),
            ("Total Lodgement/Withdrawal", Some(BalanceName::Totals)),
            ("TOTAL CREDIT TURNOVER", Some(BalanceName::Totals)),
            ("Sum of credits", Some(BalanceName::Totals)),
            ("Total inflow", Some(BalanceName::Totals)),
            ("Total transactions", Some(BalanceName::Totals)),
            ("Totaux", Some(BalanceName::Total)),
            ("Summe", Some(BalanceName::Total)),
            ("Total général", Some(BalanceName::Total)),
            ("DEPOSIT TOTAL ENERGIES", None),
            ("CASH DEPOSIT", None),
            ("CASH BALANCE", None),
            ("B/F01-03-2026", Some(BalanceName::Forward)),
            ("BF 01-03-2026", Some(BalanceName::Forward)),
            ("0b7f31c9", None),
            ("b6a109b19439521835067b88", None),
            ("9bf4", None),
            ("bf41", None),
            ("41-cf07", None),
            ("Opening Balance 0b7f31c9", Some(BalanceName::Called)),
        ];
        for (desc, wanted) in cases {
            assert_eq!(find_balance_name(desc), wanted, "{desc}");
        }
    }
}
