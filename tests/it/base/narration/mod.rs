//! Counterparty keys and the shipped word lists: narrations with their keys, properties of any text, and how keys and
//! lists do on generated statements, whose truth is known.

mod figures;
mod markets;
mod properties;

use std::collections::BTreeMap;
use std::path::Path;

use lendwright::base::narration::{Normaliser, Parties};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a shipped rule file that a policy uses.
pub(crate) fn shipped(name: &str) -> Result<String, String> {
    std::fs::read_to_string(root().join("rules").join(name)).map_err(|error| error.to_string())
}

/// The lists of `rules/words.toml`.
fn lists() -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(root().join("rules/words.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    let words = |list: &toml::Value| {
        list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    table["words"].as_table().unwrap().iter().map(|(name, list)| (name.clone(), words(list))).collect()
}

fn normaliser() -> Normaliser {
    let lists = lists();
    Normaliser::new(|name| lists.get(name).map_or(&[][..], Vec::as_slice))
}

#[test]
fn narrations_have_the_keys_of_the_cases() {
    let normaliser = normaliser();
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).from_path(root().join("testdata/narration/keys.csv")).unwrap();
    let (mut cases, mut wrong) = (0, String::new());
    for case in reader.records() {
        let case = case.unwrap();
        let (side, desc, people, key) = (&case[0], &case[1], &case[2], &case[3]);
        assert!(["credit", "debit"].contains(&side), "{case:?}");
        let people = people.replace(" + ", "\u{1f}");
        let people = Some(people.as_str()).filter(|people| !people.is_empty());
        let found = normaliser.key(Some(desc), people, side == "credit").unwrap_or_default();
        if found != key {
            wrong += &format!("{side} {desc}\n    expected `{key}`\n    came out `{found}`\n");
        }
        cases += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(cases >= 80, "{cases} cases");
}

#[test]
fn sides_are_told_where_a_narration_names_them() {
    let normaliser = normaliser();
    let cases = [
        (true, "123456 TRF/UPKEEP/FRM ADA OBI TO EMEKA EZE", "ada obi", "emeka eze"),
        (false, "TRF FRM EMEKA EZE TO ADA OBI |FOOD .", "ada obi", "emeka eze"),
        (true, "NIP/GTB/ADA OBI /MOB/EMEKA EZE /OK", "ada obi", ""),
        (true, "TRANSFER FROM ADA OBI DEPOSIT", "ada obi", ""),
        // The channel alone, or the bank it went through, names nobody; at a terminal the bank is the payee.
        (true, "NIP/GTB/", "", ""),
        (false, "NIP CR/MOB", "", ""),
        (false, "MC Loc POS Prch-12--PAYCOM NIGERIA LIMITED Ikeja NG-", "paycom", ""),
        (false, "MC Loc ATM Wdl-098", "atm wdl", ""),
        (false, "STAMP DUTY CHARGE", "stamp duty charge", ""),
        // Whoever brings cash, it comes from no account.
        (true, "CASH DEPOSIT BY ADA OBI LAGOS", "cash deposit", ""),
    ];
    for (is_credit, desc, other, own) in cases {
        let [other, own] = [other, own].map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
        assert_eq!(normaliser.parties(Some(desc), None, is_credit), Parties { other, own }, "{desc}");
    }
    let other = |desc, people| normaliser.parties(desc, people, true).other;
    assert_eq!(other(None, Some("OBI  Ada")).as_deref(), Some("obi ada"));
    assert_eq!(other(Some("NIP/GTB/"), Some("OBI Ada")).as_deref(), Some("obi ada"));
    assert_eq!(other(Some("CASH DEPOSIT BY ADA OBI"), Some("ADA OBI")).as_deref(), Some("cash deposit"));
}

#[test]
fn the_page_shows_keys_as_they_are() {
    let normaliser = normaliser();
    let page = std::fs::read_to_string(root().join("docs/explanation/narration.md")).unwrap();
    let block = page.split_once("\n```keys\n").unwrap().1.split_once("\n```").unwrap().0;
    for line in block.lines() {
        let (narration, key) = line.rsplit_once(" -> ").unwrap();
        let (side, desc) = narration.split_once(' ').unwrap();
        assert_eq!(normaliser.key(Some(desc.trim()), None, side == "credit").as_deref(), Some(key.trim()), "{line}");
    }
    assert!(block.lines().count() >= 12);
}

#[test]
fn every_list_that_keys_need_is_shipped_and_no_word_is_in_a_list_twice() {
    let lists = lists();
    for (name, _) in lendwright::base::narration::LISTS {
        assert!(lists.get(name).is_some_and(|words| !words.is_empty()), "{name}");
    }
    for (name, words) in &lists {
        let mut seen = std::collections::BTreeSet::new();
        for word in words {
            assert!(seen.insert(word.to_lowercase()), "{name}: `{word}` twice");
            assert_eq!(word.trim(), word, "{name}");
        }
    }
}

/// Words that are also titles, names or parts of names, and must not be mistaken.
#[test]
fn names_are_not_taken_for_words() {
    let lists = lists();
    for (text, not) in [
        ("NIP/GTB/REV FR JOHN OKAFOR /OFFERING", "reversal"),
        ("NIP/GTB/REV. MRS ADA OBI /THANKS", "reversal"),
        ("NIP/GTB/ADELEKE SAL", "salary"),
        ("NIP/UBA/SALAMI SALMAN /UPKEEP", "salary"),
        ("NIP/FBN/IKEJA BRANCH /SUPPORT", "loan"),
        ("NIP/FBN/IKEJA BRANCH INTERNATIONAL SCHOOL /FEES", "betting"),
        ("NIP/GTB/MERRY KING /GIFT", "betting"),
        ("NIP/GTB/ALPHABET STORES /GOODS", "betting"),
    ] {
        assert!(!figures::mentions(&lists[not], text), "{not}: {text}");
    }
    for (text, list) in [
        ("**Rev MC Loc Web Prch-12--Bolt Lagos NG-", "reversal"),
        ("123 REV-ETZ-99X", "reversal"),
        ("QTM Rvrsl-AIRTIME 123", "reversal"),
        ("SAL FOR JAN 2026-ADA OBI", "salary"),
        ("TRF/SAL/FRM ACME TO ADA", "salary"),
        ("RTD CHQ 000123 INSUFFICIENT FUNDS", "bounce"),
        ("NIP/GTB/ACME /13TH MONTH", "bonus"),
        ("12//34////#GOtv Max NGN7200", "entertainment"),
        ("ELECTRONIC MONEY TRANSFER LEVY", "bank_charges"),
    ] {
        assert!(figures::mentions(&lists[list], text), "{list}: {text}");
    }
}
