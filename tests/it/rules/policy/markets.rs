//! The markets that ship, and policies that name one.

use std::path::Path;

use lendwright::Policy;
use lendwright::rules::{AprRate, compile};

fn rules() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// A policy in the folder of the shipped rules.
fn policy(head: &str) -> Result<Policy, String> {
    let text = format!("[policy]\nname = \"m\"\nversion = \"1\"\n{head}\n");
    let mut read = |path: &str| std::fs::read_to_string(rules().join(path)).map_err(|error| error.kind().to_string());
    compile("m.toml", &text, &mut read, &[]).map_err(|refused| refused.to_string())
}

/// Currency, zone, the words of the law, and the least cost of living: what a market is.
#[test]
fn every_market_is_a_policy_by_itself() {
    let mut told = String::new();
    let mut names: Vec<String> = std::fs::read_dir(rules().join("markets"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        let policy = policy(&format!("market = \"{name}\"")).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let header = policy.header();
        let floor = policy.parameters().iter().find(|parameter| parameter.name == "living_floor").unwrap();
        let value = &floor.values.last().unwrap().text;
        let (currency, zone, rate) = (header.currency.alphabetic(), header.zone.name(), &header.apr_name);
        told += &format!("{name}: {currency}, {zone}, {rate} ({:?}), living {value}\n", header.apr_rate);
        assert!(policy.warnings().is_empty(), "{name}: {:?}", policy.warnings());
        assert!(policy.metrics().any(|(metric, _)| metric == "counted_income"), "{name}");
    }
    insta::assert_snapshot!("markets", told);
}

#[test]
fn the_policy_has_the_last_word() {
    let own = "market = \"united-kingdom\"\ncurrency = \"978\"\ntime_zone = \"Europe/Dublin\"\n\
               [parameters]\nliving_floor = { override = 600 }\nlow_balance = { override = 7 }";
    let policy = policy(own).unwrap();
    assert_eq!((policy.header().currency.numeric(), policy.header().zone.name()), ("978", "Europe/Dublin"));
    assert_eq!(policy.header().apr_rate, AprRate::Effective);
    let floor = policy.parameters().iter().find(|parameter| parameter.name == "living_floor").unwrap();
    assert_eq!(floor.values.last().unwrap().text, "600");
}

#[test]
fn mistakes_of_markets_say_what_to_do() {
    let cases = [
        ("market = \"atlantis\"", "`markets/atlantis.toml` cannot be read"),
        ("market = \"kenya\"\nuse = [\"markets/ghana.toml\"]", "there is another [market] already"),
        ("version_of = 1", "`currency` is missing in [policy]"),
        ("market = \"words/kenya.toml\"", "`currency` is missing in [policy]"),
    ];
    for (head, wanted) in cases {
        let wrong = policy(head).unwrap_err();
        assert!(wrong.contains(wanted), "{head}: {wrong}");
    }
}

/// Where the law means the rate with interest on interest, an explanation prints that under the law's name.
#[test]
fn an_explanation_prints_the_rate_that_the_law_means() {
    let text = std::fs::read_to_string(rules().join("starter.toml")).unwrap();
    let options = lendwright::generate::Options { records: 200, ..Default::default() };
    let statement = lendwright::generate::statement_json(4, 0, &options).unwrap();
    let summary = |market: &str| {
        let text = text.replace("[parameters]", &format!("[market]\n{market}\n\n[parameters]"));
        let mut read = |path: &str| std::fs::read_to_string(rules().join(path)).map_err(|error| error.to_string());
        let policy = compile("starter.toml", &text, &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"));
        let read = lendwright::read_json(&statement, "s", &lendwright::reading(&policy)).unwrap();
        let day = lendwright::Day::parse_iso("2026-10-31").unwrap();
        let told = lendwright::decision::explain(&policy, &read, &lendwright::Request::on(day)).unwrap();
        told[0].offers[0].summary.clone()
    };
    let (plain, effective) = (summary("apr_name = \"APR\""), summary("apr_name = \"JKP\"\napr_rate = \"effective\""));
    assert!(plain.contains("APR"), "{plain}");
    assert!(effective.contains("JKP"), "{effective}");
    let rate = |summary: &str, name: &str| -> f64 {
        let after = summary.split(&format!("{name} ")).nth(1).unwrap();
        after.split(' ').next().unwrap().parse().unwrap()
    };
    assert!(rate(&effective, "JKP") > rate(&plain, "APR"), "{plain} {effective}");
}

/// Only firms can have the bank write so: pay is pay, whatever the payer's name reads like. What a friend sends is not.
#[test]
fn a_friend_cannot_write_what_comes_by_a_firms_own_way() {
    let said = |market: &str, narration: &str| {
        let head = format!("market = \"{market}\"\n\n[metric]\nsaid = \"COUNT(*) FILTER (WHERE anybody_may_say)\"");
        let policy = policy(&head).unwrap_or_else(|wrong| panic!("{market}: {wrong}"));
        let table = format!("customer,trans_date,credit,desc\none,2026-10-25,1000,{narration}\n");
        let reading = lendwright::decision::reading(&policy);
        let read = lendwright::statement::read_csv(table.as_bytes(), "t", &reading, &Default::default()).unwrap();
        let decisions = lendwright::decide(&policy, &read, &lendwright::Request::default()).unwrap();
        decisions[0].metrics["said"].as_u64().unwrap()
    };
    for (market, by_firm, by_friend) in [
        ("kenya", "Salary Payment from 400200 - MARIDADI WORKS via API.", "PESALINK IN MARIDADI WORKS/SALARY"),
        ("ghana", "GAPS BULK/JEWELBEAD/JUNE SALARY", "GIP CR/CBG/JEWELBEAD/SALARY"),
        ("india", "CMS/123456789/QUTUBLINE PRINT PVT LTD SALARY", "NEFT:RAHUL CHOPRA QUTUBLINE PVT LTD SALARY JUN"),
        ("south-africa", "MAGTAPE CREDIT ROOIBAKEN SALARY JUN", "PAYSHAP CR ROOIBAKEN SALARY"),
        ("united-kingdom", "BANK GIRO CREDIT REF WEXHOLM COUNCIL SALARY", "FPI WEXHOLM SALARY BANK GIRO CREDIT"),
        ("united-states", "ORIG CO NAME:QUARRYDENE CO ENTRY DESCR:SALARY", "Zelle payment from QUARRYDENE SALARY"),
    ] {
        assert_eq!((said(market, by_firm), said(market, by_friend)), (0, 1), "{market}");
    }
    assert_eq!(said("nigeria", "NIP/GTB/RIDWAN/SALARY"), 1);
    // A number of NEFT begins with the sender's bank, and that is not part of the payer's name.
    assert_eq!(said("india", "NEFT-HDFCN5202012345-RAJVAN TEXTILES LTD-SALARY JUN-0012345678"), 0);
}
