//! What the words of a header, a type or a status mean, in the languages of banks.

/// What a column may be for, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    TransactionDate,
    BookingDate,
    ValueDate,
    Description,
    Counterparty,
    Amount,
    Net,
    Debit,
    Credit,
    Balance,
    Fee,
    Currency,
    Id,
    Side,
    Status,
    Account,
    Customer,
    Code,
    /// An amount of another currency, a part of an amount: nothing to read.
    Aside,
}

/// The days that a record may have.
pub(super) const DAYS: [Meaning; 3] = [TransactionDate, BookingDate, ValueDate];

/// The amounts of which a record needs one.
pub(super) const AMOUNTS: [Meaning; 4] = [Net, Amount, Credit, Debit];

use Meaning::*;

use crate::statement::cells::balance_names;

/// Names of columns: lower case, without accents and marks. A longer one that fits wins.
const NAMES: &[(Meaning, &str)] = &[
    (
        TransactionDate,
        "transaction date, trans date, tran date, txn date, trxn date, trn date, date of transaction, \
            transaction time, trans time, completion time, transaction date time, date time, started date, \
            created on, created at, created utc, date de l operation, date operation, dateop, \
            fecha operacion, fecha de operacion, data da transacao, data operacji, data transakcji, \
            transactiedatum, transaktionsdatum, datum transakce, data operazione, date d operation, \
            transaction timestamp, timestamp",
    ),
    (
        BookingDate,
        "date, datum, fecha, data, buchungstag, buchungsdatum, buchung, booking date, book date, \
            posting date, post date, posted date, posted, post, date comptable, date de comptabilisation, \
            boekdatum, boekingsdatum, bokforingsdag, bokforingsdatum, bokforingsdag, data ksiegowania, \
            datum zauctovani, datum provedeni, data contabile, data lancamento, data do lancamento, \
            data movimento, data mov, fecha contable, completed date, process date, dag, day, entry date, \
            datum zaksiegowania, trans, transaction, payment date, finished on, dt",
    ),
    (
        ValueDate,
        "value date, value dt, value dat, val date, valutadatum, valuta, wertstellung, \
            wertstellungsdatum, date de valeur, date valeur, dateval, fecha valor, data valor, data valuta, \
            rentedatum, valutadag, valutadatum, data waluty, datum valuty, cleared date, clearing date, \
            effective date, settlement date, available on, interest date, rantedag",
    ),
    (
        Description,
        "description, transaction description, detail, narration, narrative, remarks, remark, \
            transaction remarks, details, transaction details, particulars, payment details, memo, \
            verwendungszweck, buchungstext, buchungsdetails, vorgang, text, libelle, libelle operation, \
            libelle simplifie, libelle de l operation, motif, concepto, descripcion, detalle, descricao, \
            historico, omschrijving, mededelingen, naam omschrijving, opis, opis operacji, opis transakcji, \
            tytul, tytulem, popis, poznamka, zprava pro prijemce, zprava, descrizione, causale, \
            beskrivning, rubrik, meddelande, specifikation, payment reference, original description, \
            supplementary details, comment, comments, note, notes, notes and tags, subject, lancamento, \
            transactie omschrijving, transaction narration, extended details",
    ),
    (
        Counterparty,
        "counterparty, counter party, counterparty name, name, payee, payer, partner name, merchant, \
            beguenstigter zahlungspflichtiger, beguenstigter auftraggeber, auftraggeber empfanger, \
            auftraggeber beguenstigter, empfanger, name zahlungsbeteiligter, zahlungsempfanger, \
            naam tegenpartij, tegenpartij, naam, nombre, beneficiario, favorecido, nazwa odbiorcy, \
            nadawca odbiorca, kontrahent, nazev protiuctu, nazev protistrany, controparte, namn, \
            sender receiver, to from, other party, nazwa nadawcy odbiorcy",
    ),
    (
        Amount,
        "amount, transaction amount, txn amount, betrag, umsatz, montant, importe, importo, valor, \
            monto, bedrag, kwota, kwota operacji, castka, objem, belopp, summe, bedrag eur, \
            kwota transakcji, transactiebedrag, transaktionsbelopp, amt, value, paid amount, gross",
    ),
    (Net, "net, netto, net amount"),
    (
        Debit,
        "debit, debit amount, debits, dr, withdrawal, withdrawals, withdrawal amt, withdrawal amount, \
            withdrawn, paid out, money out, pay out, payment out, out, soll, lastschrift, belastung, \
            ausgang, ausgaben, debet, debito, cargo, cargos, saida, saidas, af, uscite, uscita, addebiti, \
            addebito, dare, obciazenia, wydatki, uttag, vydaje, wd, debit dr, money spent",
    ),
    (
        Credit,
        "credit, credit amount, credits, cr, deposit, deposits, deposit amt, deposit amount, deposited, \
            lodgement, lodgements, paid in, money in, pay in, payment in, in, haben, gutschrift, eingang, \
            einnahmen, credito, abono, abonos, entrada, entradas, bij, entrate, entrata, accrediti, \
            accredito, avere, uznania, wplywy, insattning, prijmy, kredit, credit cr, money received",
    ),
    (
        Balance,
        "balance, running balance, closing balance, available balance, account balance, balance after, \
            bal after, book balance, current balance, saldo, saldo nach buchung, solde, saldo na trn, \
            saldo na mutatie, saldo po operacji, zustatek, zustatek po transakci, saldo disponibile, \
            bokfort saldo, kontostand, ending balance, balance after transaction, saldo posterior, \
            running bal, bal, accountbalance, saldo apos, endsaldo, balance owed, amount owed, outstanding balance",
    ),
    (
        Fee,
        "fee, fees, total fees, transaction fee, gebuhr, charge, charges, frais, comision, commission, \
            kosten, prowizja, poplatek, taxa, avgift, txn charge",
    ),
    (
        Currency,
        "currency, ccy, curr, wahrung, waehrung, devise, divisa, moneda, moeda, valuta, munt, waluta, \
            mena, currency code, mutation currency",
    ),
    (
        Id,
        "id, transaction id, transaction reference, transaction ref, transaction no, transaction number, \
            trans id, txn id, reference, reference number, reference no, ref, ref no, ref number, \
            receipt no, receipt number, session id, referenz, kundenreferenz, kundenreferenz end to end, \
            referencia, referentie, chq ref no, chq ref number, ref no cheque no, ref no cheque no, \
            cheque no, cheque number, transferwise id, identificador, docto, documento, volgnr, \
            balance transaction id, numer transakcji, id transakce, id pohybu, referens, transaktions id, \
            instrument no, trans ref, payout id, transaction code, f id, doc no, document number, \
            journal no, cheque, check or slip, tran id, referenznummer, numero de reference",
    ),
    (
        Side,
        "type, transaction type, cr dr, dr cr, credit debit, debit credit, debit credit indicator, \
            direction, soll haben, s h, af bij, bij af, d c, c d, sens, sign, credit or debit, umsatztyp, \
            tipo, typ, dc, kennzeichen, transaction direction, money in or out, cr db, db cr, indicator",
    ),
    (
        Status,
        "status, state, estado, statut, transaction status, stav, stato, txn status, zustand, info, \
            payment status",
    ),
    (
        Account,
        "account, account number, account no, auftragskonto, konto, iban, iban bban, rekening, \
            rekeningnummer, compte, cuenta, conta, numero de compte, kontonummer, acct no, acct, \
            iban auftragskonto, numer rachunku, cislo uctu, clearingnummer, card no, card number, \
            iban of account, wallet, msisdn, account id",
    ),
    (Customer, "customer, customer id, client id, client, customer number, customer no, cif, user id, cliente"),
    (
        Code,
        "category, transaction category, kategorie, categorie, categoria, code, mutatiesoort, \
            categorie operation, sous categorie, mutationstyp, kategoria, type operation, typ transakce, \
            spending category, product, channel, parent category, subcategory, type of transaction",
    ),
    (
        Aside,
        "local amount, local currency, original amount, foreign amount, fremdwahrung, \
            lastschrift ursprungsbetrag, auslagenersatz rucklastschrift, auslagenersatz ruecklastschrift, \
            opening balance, balance before, bal before, saldo voor, oorspr bedrag, instructed amount, \
            exchange rate, wechselkurs, koers, originalbetrag, amount foreign currency, wechselkurs, \
            startsaldo, original currency, originalwahrung, tax, vat, ledger balance before, \
            amount in foreign currency, exchange amount, exchange from, exchange to, exchange fee, \
            counterparty iban, partner iban, counterparty account, tegenrekening, tegenrekening iban bban, \
            beneficiary account, gegenkonto, kontonummer iban, iban zahlungsbeteiligter, receipt, \
            account of counterparty, protiucet, cislo protiuctu, rachunek przeciwny, to account, \
            from account, pay in reference, mandate id, mandatsreferenz, glaeubiger id, glaubiger id, bic, \
            bic swift code, machtigingskenmerk, incassant id, sammlerreferenz, product name, \
            zahlungspflichtige r, zahlungsempfanger in, avsandare, mottagare, to name, from name, \
            payee name, payer name, recipient, sender, beneficiary, beneficiary name, \
            card last four digits, payer details, exchange to amount, serial no, s no, sr no",
    ),
];

/// The items of a list with commas.
fn split_word_list(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split(',').map(str::trim)
}

fn is_listed(words: &'static str, word: &str) -> bool {
    split_word_list(words).any(|listed| listed == word)
}

/// Lower case, without accents, words with one blank between them; `createdAt` is two words.
pub(crate) fn normalize_header_name(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    let mut last_was_lower = false;
    for character in name.trim().chars() {
        let folded = fold_accented_letter(character);
        if !character.is_alphanumeric() || folded.is_empty() {
            if !words.ends_with(' ') && !words.is_empty() {
                words.push(' ');
            }
            last_was_lower = false;
            continue;
        }
        if character.is_uppercase() && last_was_lower {
            words.push(' ');
        }
        last_was_lower = character.is_lowercase() || character.is_numeric();
        words.push_str(&folded);
    }
    words.truncate(words.trim_end().len());
    words
}

/// A letter without its accent, in lower case.
fn fold_accented_letter(character: char) -> String {
    let lower: String = character.to_lowercase().collect();
    let plain = match lower.as_str() {
        "ä" | "á" | "à" | "â" | "ã" | "å" | "ą" => "a",
        "é" | "è" | "ê" | "ë" | "ě" | "ę" => "e",
        "í" | "ì" | "î" | "ï" => "i",
        "ö" | "ó" | "ò" | "ô" | "õ" | "ø" => "o",
        "ü" | "ú" | "ù" | "û" | "ů" => "u",
        "ç" | "č" | "ć" => "c",
        "ñ" | "ň" | "ń" => "n",
        "ß" => "ss",
        "š" | "ś" => "s",
        "ž" | "ź" | "ż" => "z",
        "ř" => "r",
        "ť" => "t",
        "ď" => "d",
        "ý" => "y",
        "ł" => "l",
        _ => return lower,
    };
    plain.to_owned()
}

/// How well a name fits each meaning, the best first. A name that is the word is worth more than one that holds it.
pub(crate) fn rank_name_meanings(name: &str) -> Vec<(Meaning, u32)> {
    let name = normalize_header_name(name);
    let without_currency: Vec<&str> = name.split(' ').filter(|word| !is_currency_word(word)).collect();
    let short = without_currency.join(" ");
    let mut found: Vec<(Meaning, u32)> = Vec::new();
    for (meaning, words) in NAMES {
        let fit = split_word_list(words)
            .map(|word| fit_of_header_word(&name, word).max(fit_of_header_word(&short, word)))
            .max()
            .unwrap_or(0);
        if fit > 0 {
            found.push((*meaning, fit));
        }
    }
    found.sort_by_key(|(meaning, fit)| (std::cmp::Reverse(*fit), *meaning));
    found
}

fn is_currency_word(word: &str) -> bool {
    // Codes that are no words of their own, as ALL, TOP and TRY are.
    const CODES: &str = "\
        ngn, eur, gbp, usd, inr, kes, ghs, zar, brl, pln, czk, sek, cad, aud, chf, ugx, tzs, rwf, xof, xaf, zmw, egp, \
        aed, jpy, cny, nok, dkk, huf";
    is_listed(CODES, word)
}

/// The currency of a mark, where it has one. `$`, `R` and `kr` are of many countries, but of one in a file.
pub(crate) fn currency_of_mark(mark: &str) -> &str {
    match mark.trim_end_matches('.') {
        "₦" => "NGN",
        "$" | "US$" => "USD",
        "€" => "EUR",
        "£" => "GBP",
        "¥" => "JPY",
        "₹" | "Rs" => "INR",
        "R$" => "BRL",
        "R" => "ZAR",
        "GH₵" | "GH¢" | "GHC" | "₵" => "GHS",
        "KSh" | "Ksh" | "KSH" => "KES",
        "zł" => "PLN",
        "Kč" => "CZK",
        "kr" => "SEK",
        other => other,
    }
}

/// The code of a currency that the name of a column has, or whose mark it has.
pub(crate) fn currency_of(name: &str) -> Option<&str> {
    const MARKS: [&str; 6] = ["₦", "€", "£", "₹", "₵", "$"];
    let mut words = name.split(|mark: char| !mark.is_ascii_alphabetic());
    let marked = || MARKS.into_iter().find(|mark| name.contains(mark)).map(currency_of_mark);
    words.find(|word| is_currency_word(&word.to_ascii_lowercase())).or_else(marked)
}

/// 1,000 for the word itself; else the share of the name that the word takes, if it stands there as whole words.
fn fit_of_header_word(name: &str, word: &str) -> u32 {
    if name == word {
        return 1_000;
    }
    // transactiondate
    if word.contains(' ') && name == word.replace(' ', "") {
        return 990;
    }
    if word.len() < 3 || name.is_empty() {
        return 0;
    }
    let padded = format!(" {name} ");
    if padded.contains(&format!(" {word} ")) { (word.len() * 900 / name.len()) as u32 } else { 0 }
}

/// What the values of a column say about the side.
pub(crate) fn side_of_type_word(value: &str) -> Option<bool> {
    const CREDIT: &str = "\
        cr, c, credit, credits, haben, h, in, inflow, money in, paid in, deposit, bij, credito, uznanie, \
        incoming, eingang, gutschrift, received, prijem, entrada, k, kredit, abono, crdt, insattning, \
        cash in, transfer in, wplata";
    const DEBIT: &str = "\
        dr, d, debit, debits, soll, s, out, outflow, money out, paid out, withdrawal, af, debito, \
        obciazenie, outgoing, ausgang, lastschrift, sent, vydaj, saida, debet, db, cargo, dbit, uttag, \
        payment, transfer out, cash out, wyplata, fee, withdraw, vyber";
    let word = match value.trim() {
        "+" => return Some(true),
        "-" => return Some(false),
        other => normalize_header_name(other),
    };
    match (is_listed(CREDIT, &word), is_listed(DEBIT, &word)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Whether a value that `side` knows names a kind of payment rather than a side: a refund may be a `Payment` too.
pub(crate) fn is_kind_of_payment(value: &str) -> bool {
    const KINDS: &str = "payment, fee, received, sent, cash in, cash out, lastschrift";
    is_listed(KINDS, &normalize_header_name(value))
}

/// Whether a status says that a row was undone later, so that money moved twice or not at all.
pub(crate) fn is_reversed(status: &str) -> bool {
    const REVERSED: &str = "reversed, reverted, returned, refunded";
    is_listed(REVERSED, &normalize_header_name(status))
}

/// Whether a heading sets apart rows that are not booked.
pub(crate) fn names_pending(heading: &str) -> bool {
    const WORDS: &str = "\
        pending, blocked, hold, holds, held, uncleared, unposted, unbooked, authorised, authorized, authorisations, \
        authorizations, reserved, reservations, scheduled, upcoming, future, declined, failed, reversed, rejected, \
        vorgemerkt, vorgemerkte, reserviert, reservierte, attente, pendiente, pendientes, pendente, pendentes, \
        provisional, disputed, processing, cancelled, canceled, reservado, gereserveerd, oczekujace, blokady";
    normalize_header_name(heading).split(' ').any(|word| is_listed(WORDS, word))
}

/// Whether a line between rows only belongs to a page: its number, its month.
pub(crate) fn is_page_mark(line: &str) -> bool {
    const WORDS: &str =
        "page, pages, of, continued, seite, von, pagina, sheet, statement, to, next, from, previous, on, overleaf, the";
    let plain = normalize_header_name(line);
    let mut words = plain.split(' ').filter(|word| !word.is_empty());
    words.all(|word| {
        is_listed(WORDS, word) || word.bytes().all(|byte| byte.is_ascii_digit()) || super::months::is_month(word)
    })
}

/// Whether a line says that other pages follow it: `Page 1 of 3`, `Continued on next page`.
pub(crate) fn names_missing_page(line: &str) -> bool {
    if !is_page_mark(line) {
        return false;
    }
    let plain = normalize_header_name(line);
    let numbers: Vec<u32> = plain.split(' ').filter_map(|word| word.parse().ok()).collect();
    match numbers.as_slice() {
        [page, all] => page != all && plain.split(' ').any(|word| matches!(word, "of" | "von")),
        _ => {
            let has = |wanted: &str| plain.split(' ').any(|word| word == wanted);
            has("continued") && (has("next") || has("overleaf"))
        }
    }
}

/// Whether a name is that of the identifier of a record.
pub(crate) fn names_record_id(name: &str) -> bool {
    const NAMES: &str = "\
        id, transaction id, trans id, tran id, txn id, trxn id, session id, transferwise id, balance transaction id, \
        payout id, identificador, id transakce, id pohybu, transaktions id, f id, utr, utr no, utr number, rrn, fitid, \
        entry id, record id, payment id, transaction uuid, uuid, feed item uid";
    is_listed(NAMES, &normalize_header_name(name))
}

/// Whether a name is that of a cheque's number, which an account has once and others never.
pub(crate) fn names_cheque(name: &str) -> bool {
    const WORDS: [&str; 8] = ["cheque", "chq", "check", "slip", "instrument", "docto", "documento", "doc"];
    normalize_header_name(name).split(' ').any(|word| WORDS.contains(&word))
}

/// The word for the other side, for an export that has one side only.
pub(crate) fn opposite_side_word(value: &str, is_credit: bool) -> String {
    const PAIRS: &str = "\
        CR DR, C D, Credit Debit, CREDIT DEBIT, credit debit, H S, + -, Haben Soll, Bij Af, IN OUT, In Out, in out, \
        CRDT DBIT, K D";
    let mut pairs = split_word_list(PAIRS).filter_map(|pair| pair.split_once(' '));
    let found = pairs.find(|(credit, debit)| if is_credit { *debit == value } else { *credit == value });
    match (found, is_credit) {
        (Some((credit, _)), true) => (*credit).to_owned(),
        (Some((_, debit)), false) => (*debit).to_owned(),
        (None, true) => "CR".to_owned(),
        (None, false) => "DR".to_owned(),
    }
}

/// Whether a status says that the money moved; `None` if it is not known.
pub(crate) fn is_done(status: &str) -> Option<bool> {
    const DONE: &str = "\
        completed, complete, success, successful, succeeded, booked, posted, settled, cleared, done, paid, \
        executed, gebucht, umsatz gebucht, concluido, realizada, zauctovano, approved, ok, verbucht, \
        processed, available, efectuada, comptabilise, finished, bokford, zrealizowano";
    const NOT: &str = "\
        pending, reverted, declined, failed, failure, cancelled, canceled, reversed, rejected, expired, \
        vorgemerkt, umsatz vorgemerkt, authorised, authorized, processing, scheduled, en attente, \
        pendiente, pendente, in progress, on hold, voided, abgelehnt, returned, not completed, \
        unsuccessful, initiated, offen";
    let word = normalize_header_name(status);
    match (is_listed(DONE, &word), is_listed(NOT, &word)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Whether a narration is that of money that came in, or went out; `None` if it says neither, or both.
pub(crate) fn narration_side(narration: &str) -> Option<bool> {
    const IN: &str = "\
        salary, wages, payroll, gehalt, lohn, salaire, nomina, salario, loon, wynagrodzenie, stipendio, \
        lon, mzda, refund, deposit, interest paid to you, interest earned, credit interest, gutschrift, \
        cash lodgement, payment received, payment thank you, eingang, inward, dividend, direct credit, \
        direct dep, direct deposit, virement de, virement recu, remboursement, transfer from, pix recebido, \
        payout from, przelew przychodzacy, rente gutschrift, received from, pay from";
    const OUT: &str = "\
        purchase, card payment, pos, atm, withdrawal, fee, charge, charges, direct debit, bill payment, \
        lastschrift, kartenzahlung, abbuchung, prelevement, retrait, paiement, carte, airtime, rent, miete, \
        loyer, compra, recibo, zakup, betaalautomaat, incasso, ideal, transfer to, levy, stamp duty, \
        autopay, kortkop, nakup, platba kartou, pagamento, cash withdrawal, bankomat, grocery, supermarket, \
        restaurant, insurance, utility, electricity, subscription, huur, hyra, restaurants, supermarkets, \
        pagamento de, dauerauftrag, petrol, fuel, pharmacy";
    let padded = format!(" {} ", normalize_header_name(narration));
    let has = |words: &'static str| split_word_list(words).any(|word| padded.contains(&format!(" {word} ")));
    match (has(IN), has(OUT)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Whether a narration only names a balance, so that its row moved no money.
pub(crate) fn names_balance(narration: &str) -> bool {
    const NAMES: &str = "\
        opening balance, closing balance, balance b f, balance bf, balance brought forward, b f, \
        balance c f, brought forward, carried forward, balance carried forward, saldo inicial, saldo final, \
        saldo anterior, anfangssaldo, endsaldo, saldo do dia, opening bal, balance at start, start balance, \
        startsaldo, beginning balance, ending balance, solde initial, balance forward";
    let plain = normalize_header_name(narration);
    split_word_list(NAMES).any(|name| plain.starts_with(name)) || balance_names::names_balance(narration)
}

/// Whether a label is of a debt: of a card, a loan.
pub(crate) fn names_debt(label: &str) -> bool {
    const WORDS: &str = "\
        credit limit, amount owed, balance owed, outstanding balance, outstanding, owed, minimum payment, \
        minimum payment due, amount due, payment due, loan, loan account, credit card, card number, loan number, \
        kreditkarte, carte de credit, tarjeta de credito, cartao de credito, kreditlimit, kreditrahmen";
    let padded = format!(" {} ", normalize_header_name(label));
    split_word_list(WORDS).any(|word| padded.contains(&format!(" {word} ")))
}

/// Whether a label is of a sum, not of a payment: every word of it is one of such labels.
pub(crate) fn names_total(label: &str) -> bool {
    const SUMS: &str = "\
        total, totals, subtotal, subtotals, sum, summe, gesamt, gesamtsumme, somme, suma, soma, totaal, totale, \
        celkem, summa, balance, balances, saldo, solde, kontostand, zustatek, turnover, turnovers";
    const OTHERS: &str = "\
        sub, grand, page, debit, debits, credit, credits, withdrawal, withdrawals, deposit, deposits, lodgement, \
        lodgements, amount, amounts, money, paid, in, out, for, the, of, period, month, this, opening, closing, \
        available, book, ledger, final, account, per, am, zum, de, du, do, da, count, transactions, value, as, at, on, \
        a, no, number, net, and, total, soll, haben, ngn, eur, gbp, usd";
    let label = normalize_header_name(label);
    let words = || label.split(' ').filter(|word| !word.is_empty() && !word.bytes().all(|byte| byte.is_ascii_digit()));
    words().any(|word| is_listed(SUMS, word)) && words().all(|word| is_listed(SUMS, word) || is_listed(OTHERS, word))
}

/// Whether a label stands before an account number.
pub(crate) fn labels_account(label: &str) -> bool {
    const LABELS: &str = "\
        account number, account no, account num, acct no, acct number, a c no, a c number, account, konto, \
        kontonummer, iban, numero de compte, compte, rekeningnummer, rekening, girokonto, numero do conta, \
        conta, cuenta, numer rachunku, rachunek, cislo uctu, ucet, mobile number, wallet number, \
        account nr, account number name, account id, wallet account, phone number, compte n, nuban, \
        account no name, n de compte";
    let label = normalize_header_name(label);
    is_listed(LABELS, &label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_in_many_languages() {
        let best = |name: &str| rank_name_meanings(name).first().map(|(meaning, _)| *meaning);
        let cases = [
            ("Trans. Date", TransactionDate),
            ("Value Date", ValueDate),
            ("Buchungstag", BookingDate),
            ("Wertstellung", ValueDate),
            ("Withdrawal Amt.", Debit),
            ("Money In (NGN)", Credit),
            ("Solde", Balance),
            ("Betrag (€)", Amount),
            ("Verwendungszweck", Description),
            ("Zahlungsempfänger", Counterparty),
            // The payer or the payee: one of them is the customer.
            ("Zahlungsempfänger*in", Aside),
            ("Lastschrift Ursprungsbetrag", Aside),
            ("Saldo po operacji", Balance),
            ("transactionReference", Id),
            ("Available Balance", Balance),
            ("Chq./Ref.No.", Id),
        ];
        for (name, meaning) in cases {
            assert_eq!(best(name), Some(meaning), "{name}");
        }
        assert_eq!(best("xyz"), None);
    }

    #[test]
    fn sides_and_states_are_known_or_not() {
        assert_eq!(
            (
                side_of_type_word("CR"),
                side_of_type_word("Soll"),
                side_of_type_word("Bij"),
                side_of_type_word("-"),
                side_of_type_word("POS")
            ),
            { (Some(true), Some(false), Some(true), Some(false), None) }
        );
        assert_eq!((is_done("COMPLETED"), is_done("Vorgemerkt"), is_done("?")), (Some(true), Some(false), None));
        assert_eq!(narration_side("SALARY MARCH"), Some(true));
        assert_eq!(narration_side("SALARY CARD PAYMENT"), None);
    }
}
