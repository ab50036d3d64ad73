//! Generated statements: the same for ever, exact in number, valid in shape, and honest in their labels.

use std::collections::{HashMap, HashSet};

use lendwright::generate::{Label, Options, Person, Plan, Profile, labels_header, people, statement_json};
use serde::Deserialize;

use crate::fixtures::zones::local_time;

/// The envelope of section 2.3 of the interface; a missing or misspelt field fails.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    #[serde(rename = "_id")]
    id: String,
    status: String,
    #[serde(rename = "message")]
    _message: String,
    data: Data,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    transactions: Vec<Record>,
}

#[derive(Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Record {
    id: String,
    notes: Notes,
    fetched: Vec<String>,
    owner: Vec<String>,
    record: Vec<String>,
    branch: String,
    code: String,
    credit: serde_json::Value,
    #[serde(default)]
    debit: serde_json::Value,
    #[serde(default)]
    balance: serde_json::Value,
    customer: String,
    env: String,
    bank: String,
    cleared_date: String,
    unformatted_cleared_date: String,
    trans_date: String,
    unformatted_trans_date: String,
    created_at: String,
    last_updated: String,
}

#[derive(Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
struct Notes {
    topics: Vec<String>,
    places: Vec<String>,
    people: Vec<String>,
    actions: Vec<String>,
    subjects: Vec<String>,
    preopositions: Vec<String>,
    desc: String,
}

fn options(records: u64) -> Options {
    Options { records, ..Options::default() }
}

fn with_debits(records: u64) -> Options {
    Options { records, debits: true, ..Options::default() }
}

fn parsed(bytes: &[u8]) -> Vec<Record> {
    let envelope: Envelope = serde_json::from_slice(bytes).expect("the shape of section 2.3");
    assert_eq!(envelope.status, "success");
    assert_hex(&envelope.id);
    envelope.data.transactions
}

fn assert_hex(id: &str) {
    assert!(id.len() == 24 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "`{id}` is not 24 hex digits");
}

/// Minor units of an amount, by the digits of its text.
fn minor(value: &serde_json::Value) -> Option<i64> {
    let text = match value {
        serde_json::Value::Null => return None,
        serde_json::Value::String(text) => text.clone(),
        number => number.to_string(),
    };
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    assert!(part.len() <= 2, "`{text}` has more decimals than kobo");
    let digits = format!("{whole}{part:0<2}");
    Some(digits.parse().expect("digits"))
}

fn labels(plan: &Plan) -> Vec<(String, String, String, String)> {
    let mut bytes = labels_header().into_bytes();
    plan.write_labels("one", &mut bytes).expect("memory");
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    reader
        .records()
        .map(|row| row.expect("csv"))
        .map(|row| (row[2].to_owned(), row[3].to_owned(), row[4].to_owned(), row[5].to_owned()))
        .collect()
}

fn json(plan: &Plan) -> Vec<u8> {
    let mut bytes = Vec::new();
    plan.write_json(&mut bytes).expect("memory");
    bytes
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_ever() {
    let digest = |options: &Options| {
        let mut hasher = blake3::Hasher::new();
        for index in 0..20 {
            hasher.update(&statement_json(7, index, options).expect("options"));
        }
        hasher.finalize().to_hex()[..16].to_owned()
    };
    let noisy = Options { noise: 0.3, ..with_debits(120) };
    assert_eq!(
        [digest(&options(60)), digest(&with_debits(120)), digest(&noisy)],
        ["06af5577de2a1613", "60dc37b2e2f7bc1b", "dc53407d19e22e1c"]
    );
}

#[test]
fn another_seed_or_index_is_another_person() {
    let customers: HashSet<String> = (0..200)
        .map(|index| Plan::new(index % 2, index / 2, &options(1)).expect("options").person().customer.clone())
        .collect();
    assert_eq!(customers.len(), 200);
}

#[test]
fn there_are_exactly_as_many_records_as_asked_for() {
    for seed in 0..200 {
        for records in [0, 1, 2, 3, 7, 19, 30, 50] {
            for debits in [false, true] {
                let options = Options { records, debits, noise: 1.0, ..Options::default() };
                let plan = Plan::new(seed, 0, &options).expect("options");
                assert_eq!(plan.records(), records, "seed {seed}");
                assert_eq!(parsed(&json(&plan)).len() as u64, records, "seed {seed}");
            }
        }
    }
    assert_eq!(parsed(&statement_json(1, 0, &options(20_000)).expect("options")).len(), 20_000);
}

#[test]
fn no_records_from_one_to_fifty_fail() {
    for seed in 0..200 {
        for records in 1..=50 {
            let options = Options { records, debits: seed % 2 == 0, noise: seed as f64 / 200.0, ..Options::default() };
            let bytes = statement_json(seed, records, &options).expect("options");
            assert!(serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok(), "seed {seed}, {records} records");
        }
    }
}

#[test]
fn every_record_is_valid_for_a_strict_reader() {
    for index in 0..60 {
        let debits = index % 2 == 0;
        let records = parsed(&statement_json(11, index, &Options { debits, ..options(150) }).expect("options"));
        for record in &records {
            for id in [&record.id, &record.customer, &record.bank, &record.owner[0], &record.record[0]] {
                assert_hex(id);
            }
            assert!(
                record.fetched.is_empty()
                    && !record.branch.is_empty()
                    && !record.code.is_empty()
                    && !record.env.is_empty()
            );
            assert!(!record.notes.desc.is_empty());
            let (credit, debit) = (minor(&record.credit), minor(&record.debit));
            assert!(credit.is_some() != debit.is_some(), "one side, and one alone");
            assert!(debits || credit.is_some());
            assert!(credit.or(debit) > Some(0));
            assert_eq!(record.balance.is_null(), !debits);
            let traded = same_day(&record.trans_date, &record.unformatted_trans_date);
            let cleared = same_day(&record.cleared_date, &record.unformatted_cleared_date);
            assert!((0..=2).contains(&(cleared - traded).num_days()));
        }
    }
}

/// The day of a time stamp in Lagos, which must be the day written beside it.
fn same_day(stamp: &str, written: &str) -> chrono::NaiveDate {
    let utc = chrono::DateTime::parse_from_rfc3339(stamp).expect("a time stamp");
    let local = local_time("Africa/Lagos", utc.timestamp()).date();
    assert_eq!(local, chrono::NaiveDate::parse_from_str(written, "%d-%m-%Y").expect("a date"));
    local
}

#[test]
fn both_orders_and_all_forms_of_dates_and_missing_words_occur() {
    let mut seen = HashSet::new();
    for index in 0..300 {
        let records = parsed(&statement_json(5, index, &options(60)).expect("options"));
        let first = &records[0];
        seen.insert(if first.trans_date.contains("T23:00") {
            "local midnight"
        } else if first.trans_date.contains("T00:00") {
            "midnight"
        } else {
            "time"
        });
        seen.insert(if records[0].id < records[59].id { "oldest first" } else { "newest first" });
        seen.insert(if first.credit.is_string() { "text" } else { "number" });
        seen.insert(if first.trans_date.ends_with("000Z") { "fraction" } else { "no fraction" });
        let distinct: HashSet<&str> = records.iter().map(|record| record.id.as_str()).collect();
        if distinct.len() < records.len() {
            seen.insert("repeat");
        }
        for record in &records {
            seen.extend(["N/A", " "].iter().filter(|missing| **missing == record.notes.desc));
        }
    }
    let all = [
        "local midnight",
        "midnight",
        "time",
        "oldest first",
        "newest first",
        "text",
        "number",
        "fraction",
        "no fraction",
        "repeat",
        "N/A",
        " ",
    ];
    assert_eq!(all.iter().filter(|kind| !seen.contains(**kind)).count(), 0, "seen only {seen:?}");
}

#[test]
fn a_record_listed_twice_is_the_same_in_every_field() {
    let mut repeats = 0;
    for index in 0..200 {
        let records = parsed(&statement_json(3, index, &options(60)).expect("options"));
        let mut known: HashMap<String, Record> = HashMap::new();
        for record in records {
            if let Some(before) = known.insert(record.id.clone(), record.clone()) {
                assert_eq!(before, record);
                repeats += 1;
            }
        }
    }
    assert!(repeats > 0);
}

#[test]
fn balances_chain_to_the_kobo() {
    for index in 0..100 {
        let noise = if index % 2 == 0 { 0.1 } else { 0.9 };
        let mut records = parsed(&statement_json(9, index, &Options { noise, ..with_debits(400) }).expect("options"));
        records.sort_by(|one, other| one.id.cmp(&other.id));
        records.dedup_by(|one, other| one.id == other.id);
        for pair in records.windows(2) {
            let moved = minor(&pair[1].credit).unwrap_or(0) - minor(&pair[1].debit).unwrap_or(0);
            assert_eq!(minor(&pair[1].balance), minor(&pair[0].balance).map(|before| before + moved));
            assert!(pair[0].trans_date <= pair[1].trans_date, "identifiers ascend with time");
        }
    }
}

#[test]
fn labels_name_every_record_once() {
    let known: HashSet<&str> = Label::ALL.iter().map(|label| label.name()).collect();
    for index in 0..60 {
        let options = Options { noise: 0.5, debits: index % 2 == 0, ..options(200) };
        let plan = Plan::new(13, index, &options).expect("options");
        let records: HashSet<String> = parsed(&json(&plan)).into_iter().map(|record| record.id).collect();
        let labels = labels(&plan);
        let labelled: HashSet<String> = labels.iter().map(|(id, ..)| id.clone()).collect();
        assert_eq!(labels.len(), labelled.len(), "no identifier twice");
        assert_eq!(records, labelled);
        assert!(labels.iter().all(|(_, label, ..)| known.contains(label.as_str())));
    }
}

#[test]
fn the_average_record_is_about_620_bytes() {
    let bytes: usize = (0..100).map(|index| statement_json(17, index, &options(200)).expect("options").len()).sum();
    let average = bytes / (100 * 200);
    assert!((560..700).contains(&average), "{average} bytes");
}

#[test]
fn every_profile_and_label_occurs() {
    let mut profiles = HashSet::new();
    let mut seen = HashSet::new();
    for index in 0..400 {
        let plan = Plan::new(23, index, &Options { months: Some(12), ..with_debits(500) }).expect("options");
        profiles.insert(plan.person().profile);
        seen.extend(labels(&plan).into_iter().map(|(_, label, ..)| label));
    }
    assert_eq!(profiles.len(), Profile::ALL.len());
    let missing: Vec<&str> = Label::ALL.iter().map(|label| label.name()).filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn who_has_a_salary_is_paid_in_most_months_and_nobody_else_ever() {
    for index in 0..150 {
        let plan = Plan::new(29, index, &Options { months: Some(12), noise: 0.0, ..options(300) }).expect("options");
        let paid = labels(&plan).iter().filter(|(_, label, ..)| label == "salary").count();
        match plan.person().profile {
            Profile::JobChanger => assert!((7..=13).contains(&paid), "{paid} salaries"),
            profile if profile.has_salary() => assert!((9..=14).contains(&paid), "{paid} salaries"),
            _ => assert_eq!(paid, 0),
        }
    }
}

#[test]
fn a_job_changer_has_two_employers_in_turn() {
    let halima = people(1).into_iter().find(|person| person.profile == Profile::JobChanger).expect("in the cast");
    let plan = Plan::for_person(halima, &Options { months: Some(12), ..options(200) }).expect("options");
    let mut rows = labels(&plan);
    rows.sort();
    let mut employers: Vec<String> =
        rows.into_iter().filter(|(_, label, ..)| label == "salary").map(|(.., employer)| employer).collect();
    employers.dedup();
    assert_eq!(employers.len(), 2);
}

#[test]
fn noise_misleads_more_the_more_there_is() {
    let named = |noise: f64| -> f64 {
        let (mut named, mut all) = (0, 0);
        for index in 0..60 {
            let plan = Plan::new(31, index, &Options { noise, ..options(150) }).expect("options");
            let truth: HashMap<String, String> = labels(&plan).into_iter().map(|(id, label, ..)| (id, label)).collect();
            for record in parsed(&json(&plan)).iter().filter(|record| truth[&record.id] == "reversal") {
                let desc = record.notes.desc.to_uppercase();
                all += 1;
                named += u32::from(desc.contains("RVSL") || desc.contains("REV"));
            }
        }
        f64::from(named) / f64::from(all)
    };
    let (clean, some, much) = (named(0.0), named(0.3), named(1.0));
    assert!(clean > 0.999 && some < clean && much < some - 0.1, "{clean} {some} {much}");
}

#[test]
fn days_stay_within_those_asked_for() {
    use lendwright::base::date::Day;
    let start = Day::parse_iso("2024-02-29");
    let end = Day::parse_iso("2024-03-31");
    let days = Options { start, end, ..with_debits(90) };
    for index in 0..30 {
        for record in parsed(&statement_json(37, index, &days).expect("options")) {
            let day = same_day(&record.trans_date, &record.unformatted_trans_date).to_string();
            assert!(("2024-02-29"..="2024-03-31").contains(&day.as_str()), "{day}");
        }
    }
}

#[test]
fn options_out_of_range_are_refused() {
    use lendwright::base::date::Day;
    let said = |options: Options| statement_json(1, 0, &options).expect_err("refused").to_string();
    assert_eq!(said(Options { noise: 1.5, ..options(1) }), "a noise of `1.5`: give 0.0 to 1.0");
    assert_eq!(said(Options { noise: f64::NAN, ..options(1) }), "a noise of `NaN`: give 0.0 to 1.0");
    assert_eq!(said(Options { months: Some(0), ..options(1) }), "`0` months: give 1 to 1200");
    assert_eq!(said(options(u64::MAX)), "`18446744073709551615` records: a statement holds at most 4294967295");
    let late = Options { start: Day::parse_iso("2027-01-01"), ..options(1) };
    assert_eq!(said(late), "no days from `2027-01-01` to `2026-10-31`: give a start on or before the end");
    let far = Options { end: Day::parse_iso("2200-06-01"), ..options(1) };
    assert_eq!(said(far), "`2200-06-01` is outside the years 1901 to 2199");
}

#[test]
fn the_cast_keeps_its_names_and_stories() {
    let told = |seed| people(seed).iter().map(|person| (person.name.clone(), person.story.clone())).collect::<Vec<_>>();
    assert_eq!(told(1), told(2));
    assert_eq!(told(1)[0].1, "Ada, paid monthly by one employer");
    let statement = |person: Person| labels(&Plan::for_person(person, &options(200)).expect("options"));
    let cast = people(1);
    let count = |who: usize, label: &str| statement(cast[who].clone()).iter().filter(|row| row.1 == label).count();
    assert_eq!(cast.len(), 8);
    assert!(count(0, "salary") >= 5, "Ada is paid");
    assert_eq!(count(0, "loan_proceeds"), 0, "Ada owes nobody");
    assert!(count(1, "gig") > 20, "Bayo drives");
    assert!(count(1, "business") > 3, "Bayo sells");
    assert!(count(2, "betting_win") > 20, "Chidi bets");
    assert!(count(3, "loan_proceeds") >= 6, "Dupe borrows");
    assert!(count(4, "business") > 60, "Emeka sells");
    assert_eq!(statement(cast[5].clone()).len(), 3, "Funke's three records");
    assert!(count(6, "pension") >= 5, "Gbenga's pension");
}
