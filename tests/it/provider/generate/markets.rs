//! People of other markets: stable bytes, balances that chain, narrations of their own banks without gaps.

use lendwright::generate::{Customer, Hard, Market, Options, Plan, statement_json};

use super::{listed, rows};
use crate::fixtures::zones::local_time;

/// All but the first, which has tests of its own bytes.
fn markets() -> impl Iterator<Item = Market> {
    Market::ALL.into_iter().filter(|market| *market != Market::Nigeria)
}

fn with_debits(market: Market, noise: f64) -> Options {
    Options { records: 200, debits: true, noise, market, ..Options::default() }
}

#[test]
fn each_market_gives_the_same_bytes_for_ever() {
    let digest = |market| {
        let mut hasher = blake3::Hasher::new();
        for noise in [0.1, 0.5] {
            for index in 0..10 {
                let plan = Plan::new(7, index, &with_debits(market, noise)).expect("options");
                let mut bytes = Vec::new();
                plan.write_json(&mut bytes).expect("memory");
                plan.write_csv(&mut bytes).expect("memory");
                plan.write_labels("one", &mut bytes).expect("memory");
                hasher.update(&bytes);
            }
        }
        hasher.finalize().to_hex()[..16].to_owned()
    };
    let found: Vec<(&str, String)> = markets().map(|market| (market.name(), digest(market))).collect();
    let expected = [
        ("ghana", "80f134594556c073"),
        ("india", "402bc2fd66577e57"),
        ("kenya", "525903cc56b311ad"),
        ("south-africa", "b0d795ac7cb7a5be"),
        ("united-kingdom", "4ae4168ed353cfe2"),
    ];
    assert_eq!(found, expected.map(|(name, digest)| (name, digest.to_owned())));
}

#[test]
fn people_differ_between_markets_and_are_named_as_there() {
    for market in markets() {
        assert_eq!(Market::of_name(market.name()), Some(market));
        let person = |market| Plan::new(1, 0, &with_debits(market, 0.1)).expect("options").person().clone();
        assert_ne!(person(market).customer, person(Market::Nigeria).customer);
        assert_ne!(person(market).name, person(Market::Nigeria).name);
    }
    assert_eq!(Market::of_name("Kenya"), None, "as policies write it");
}

#[test]
fn balances_chain_in_every_currency() {
    for market in markets() {
        for index in 0..40 {
            let noise = if index % 2 == 0 { 0.1 } else { 0.9 };
            let plan = Plan::new(9, index, &with_debits(market, noise)).expect("options");
            for pair in listed(&plan).windows(2) {
                let moved = pair[0].balance.map(|before| before + pair[1].amount);
                assert_eq!(pair[1].balance, moved, "{} {index}: {}", market.name(), pair[1].desc);
                assert_ne!(pair[1].amount, 0);
            }
        }
    }
}

/// The amounts of a salaried person, who earns what people earn there.
#[test]
fn pay_is_plausible_in_the_currency() {
    let expected = [(1_500, 30_000), (8_000, 130_000), (15_000, 260_000), (4_000, 65_000), (500, 9_000)];
    for (market, (least, most)) in markets().zip(expected) {
        let mut pays: Vec<i64> = (0..200)
            .filter_map(|index| {
                let plan = Plan::new(3, index, &with_debits(market, 0.0)).expect("options");
                let salaried = plan.person().profile == lendwright::generate::Profile::Salaried;
                salaried.then(|| rows(&plan).iter().map(|row| row.amount).max().unwrap_or_default() / 100)
            })
            .collect();
        pays.sort_unstable();
        let middle = pays[pays.len() / 2];
        assert!((least..most).contains(&middle), "{}: {middle}", market.name());
    }
}

#[test]
fn no_narration_has_a_gap_and_none_is_nigerian() {
    // Brands of both countries are as good in the other.
    let elsewhere = [
        ("ghana", vec!["MTN", "SPORTYBET", "1XBET", "MSPORT"]),
        ("india", vec!["AIRTEL"]),
        ("kenya", vec!["AIRTEL"]),
        ("south-africa", vec!["MTN"]),
        ("united-kingdom", vec!["STERLING"]),
    ];
    let nigerian = "NIP|ZENITH|GTB|GTBANK|FBN|UBA|FCMB|FDP|STANBIC|WEMA|STERLING|KUDA|OPAY|PALMPAY|MONIEPOINT|BET9JA|\
         SPORTYBET|BETKING|1XBET|NAIRABET|MSPORT|FAIRMONEY|RENMONEY|PALMCREDIT|QUICKCHECK|AELLA|OKASH|MTN|AIRTEL|GLO|\
         9MOBILE|LAGOS|IBADAN|ABUJA|NGN|NAIRA|PAYSTACK|REMITA|IKEDC|PAYCOM|ACCELEREX|LANG";
    let all = |market| Options { hard: Hard { misleading: true, ..Hard::default() }, ..with_debits(market, 0.3) };
    for (market, (name, known)) in markets().zip(elsewhere) {
        assert_eq!(market.name(), name);
        for options in [with_debits(market, 0.1), all(market), Options { accounts: 3, ..with_debits(market, 0.1) }] {
            for index in 0..60 {
                for plan in Customer::new(5, index, &options).expect("options").statements() {
                    for row in rows(plan) {
                        assert!(!row.desc.contains(['{', '}']), "{name}: {}", row.desc);
                        let text = row.desc.to_uppercase();
                        let found = text
                            .split(|letter: char| !letter.is_ascii_alphanumeric())
                            .find(|word| !known.contains(word) && nigerian.split('|').any(|other| other == *word));
                        assert_eq!(found, None, "{name}: {}", row.desc);
                    }
                }
            }
        }
    }
}

/// In the statement's format, days are those of the market, also where the clock is put forward.
#[test]
fn both_forms_of_a_date_name_the_same_day_there() {
    let zones = ["Africa/Accra", "Asia/Kolkata", "Africa/Nairobi", "Africa/Johannesburg", "Europe/London"];
    for (market, zone) in markets().zip(zones) {
        for index in 0..30 {
            let options = Options { months: Some(12), ..with_debits(market, 0.1) };
            let bytes = statement_json(11, index, &options).expect("options");
            let answer: serde_json::Value = serde_json::from_slice(&bytes).expect("json");
            for record in answer["data"]["transactions"].as_array().expect("records") {
                let text = |field: &str| record[field].as_str().expect("a text").to_owned();
                let utc = chrono::DateTime::parse_from_rfc3339(&text("trans_date")).expect("a time stamp");
                let local = local_time(zone, utc.timestamp()).date();
                assert_eq!(local.format("%d-%m-%Y").to_string(), text("unformatted_trans_date"), "{zone}");
            }
        }
    }
}

#[test]
fn nine_accounts_have_nine_banks_in_every_market() {
    for market in Market::ALL {
        let options = Options { accounts: 9, records: 20, market, ..Options::default() };
        let customer = Customer::new(2, 4, &options).expect("options");
        let banks: std::collections::HashSet<String> = customer
            .statements()
            .iter()
            .map(|plan| {
                let mut bytes = Vec::new();
                plan.write_csv(&mut bytes).expect("memory");
                String::from_utf8(bytes).expect("text").split(',').nth(9).expect("a bank").to_owned()
            })
            .collect();
        assert_eq!(banks.len(), 9, "{}", market.name());
    }
}
