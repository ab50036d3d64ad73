//! The word lists of other markets: each file ships without a warning where its words are asked for, and names are
//! found in the narrations of its market. People and firms are invented.

use lendwright::compile;
use lendwright::decision::{Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::{Columns, read_csv};

/// Market, side, narration, counterparty.
const CASES: &[(&str, &str, &str, Option<&str>)] = &[
    ("kenya", "debit", "Customer Transfer to - 2547******118 WANGARI PEBBLEMOOR", Some("wangari pebblemoor")),
    ("kenya", "credit", "Business Payment from 400200 - FERNDALE DAIRIES via API.", Some("ferndale dairies")),
    ("kenya", "debit", "Pay Bill Online to 888880 - KPLC PREPAID Acc. 14250091", Some("kplc prepaid")),
    (
        "kenya",
        "credit",
        "QX81 Confirmed.You have received Ksh900.00 from OTIENO MARSHGATE 0711000222 on 4/6/26",
        Some("otieno marshgate"),
    ),
    (
        "ghana",
        "debit",
        "FROM NAME=ABENA STONEQUAY; TRANS. TYPE=TRANSFER; TO NAME=KWAKU BRINEFORD; REF=1",
        Some("kwaku brineford"),
    ),
    ("ghana", "credit", "GIP TRANSFER FROM KWAKU BRINEFORD CALBANK", Some("kwaku brineford")),
    ("south-africa", "debit", "Banking App Immediate Payment: Thandi Reedwater", Some("thandi reedwater")),
    ("south-africa", "debit", "FNB OB Pmt REEDWATER TOOLS", Some("reedwater tools")),
    ("south-africa", "debit", "REV FNB APP PAYMENT FROM THANDI REEDWATER", Some("thandi reedwater")),
    ("india", "debit", "UPI/P2A/512309/MEERA COPPERVALE/HDFC BANK/rent", Some("meera coppervale")),
    ("india", "debit", "UPI/512309/sweets/MEERA COPPERVALE/AXIS BANK", Some("meera coppervale")),
    ("india", "debit", "UPI-COPPERVALE-mira.c1@okicici-SBIN0001234-88120-tea", Some("coppervale")),
    ("india", "debit", "TO TRANSFER-UPI/DR/512309/MEERA COPPERVALE/SBIN/mc@ybl/tea--", Some("meera coppervale")),
    ("india", "debit", "ACH D- COPPERVALE FINANCE-99120", Some("coppervale finance")),
    ("india", "debit", "UPI-DREAM11-entry@okbnk-HDFC0001234-88120-entry", Some("dream11")),
    (
        "united-kingdom",
        "debit",
        "BILL PAYMENT VIA FASTER PAYMENT TO JOAN MILLFORD REFERENCE piano lesson",
        Some("joan millford"),
    ),
    ("united-kingdom", "debit", "0021 05APR26 C , MILLFORD BAKERS , LEEDS GB", Some("millford bakers")),
    ("united-kingdom", "credit", "JOAN MILLFORD 400000001 GARDEN 05APR26 09:12", Some("joan millford")),
    ("united-kingdom", "credit", "FASTER PAYMENTS RECEIPT REF.88120 FROM BET365", Some("bet365")),
    ("united-states", "credit", "ORIG CO NAME:MILLFORD TOOLS ORIG ID:1200 DESC DATE:260405", Some("millford tools")),
    ("united-states", "credit", "Zelle payment from JOAN MILLFORD Conf# 9a1b", Some("joan millford")),
    ("united-states", "debit", "SQ *MILLFORD COFFEE AUSTIN TX", Some("millford coffee austin tx")),
];

/// A policy of a market that asks for the first record's counterparty, and for lists in names and in narrations.
fn policy(market: &str) -> Policy {
    let rules = format!(
        "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
         use = [\"metrics.toml\", \"words/{market}.toml\"]\n[metric]\nwho = \"FIRST(counterparty)\"\n\
         pays = \"COUNT(*) FILTER (WHERE is_salary OR is_loan_repayment OR is_rail)\"\n"
    );
    compile("x.toml", &rules, &mut super::shipped, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn markets() -> Vec<String> {
    let folder = std::fs::read_dir(super::root().join("rules/words")).unwrap();
    let mut names: Vec<String> =
        folder.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_lists_of_a_market_have_no_word_that_is_there_or_cannot_be_found() {
    assert_eq!(markets(), ["ghana", "india", "kenya", "south-africa", "united-kingdom", "united-states"]);
    for market in markets() {
        let policy = policy(&market);
        let warnings: Vec<String> = policy
            .warnings()
            .iter()
            .filter(|warning| warning.code != "no-offer")
            .map(|of| of.message.clone())
            .collect();
        assert_eq!(warnings, Vec::<String>::new(), "{market}");
    }
}

#[test]
fn names_are_found_in_the_narrations_of_each_market() {
    for market in markets() {
        let policy = policy(&market);
        for (_, side, text, who) in CASES.iter().filter(|(of, ..)| *of == market) {
            let mut table = csv::Writer::from_writer(Vec::new());
            let (credit, debit) = if *side == "credit" { ("100", "") } else { ("", "100") };
            table.write_record(["customer", "trans_date", "credit", "debit", "desc"]).unwrap();
            table.write_record(["c", "2026-01-05", credit, debit, text]).unwrap();
            let table = table.into_inner().unwrap();
            let read = read_csv(&table, "t", &reading(&policy), &Columns::default()).unwrap();
            let decisions = decide(&policy, &read, &Request::default()).unwrap();
            assert_eq!(decisions[0].metrics["who"].as_str(), *who, "{market}: {side} {text}");
        }
    }
}
