//! Tests of the whole module: the cases of testdata/recurring, streams that are found whatever is around them, no row
//! in two streams, and work that grows no faster than the records.

use proptest::prelude::*;

use super::ledger::{Ledger, alone, work_of};
use super::payment::{Payment, by_amount};
use super::run::are_similar;
use crate::base::date::Day;
use crate::engine::recurring::schedule::{When, days_early_or_late};
use crate::engine::recurring::selection_penalty::SelectionPenalty;
use crate::engine::recurring::stream::{Period, Stream, StreamEntry, TOLERANCE};
use crate::engine::recurring::{find_recurring_streams, fit, parts};

/// A statement as a case writes it.
struct Case<'a> {
    name: &'a str,
    as_of: i32,
    entries: Vec<StreamEntry>,
    keys: Vec<&'a str>,
    expected: &'a str,
}

fn day(text: &str) -> i32 {
    Day::parse_iso(text).unwrap_or_else(|| panic!("`{text}` is no day")).days()
}

fn case(text: &str) -> Case<'_> {
    let (input, expected) = text.split_once("\n=>").expect("a case has a line `=>`");
    let mut lines = input.lines();
    let name = lines.next().expect("a name");
    let as_of = day(lines.next().and_then(|line| line.strip_prefix("as of ")).expect("`as of DAY`"));
    let mut keys = vec![""];
    let mut entries = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let mut parts = line.splitn(3, ' ');
        let day = day(parts.next().unwrap_or_default());
        let amount: i64 = parts.next().unwrap_or_default().parse().expect("an amount");
        let key = parts.next().unwrap_or_default();
        let place = keys.iter().position(|known| *known == key).unwrap_or(keys.len());
        if place == keys.len() {
            keys.push(key);
        }
        entries.push(StreamEntry { day, amount: amount.abs(), is_credit: amount > 0, key: place as u32 });
    }
    Case { name, as_of, entries, keys, expected: expected.trim() }
}

fn describe(stream: &Stream) -> String {
    let iso = |day| Day::from_days(day).to_string();
    let rows: Vec<String> = stream.rows.iter().map(|row| (row + 1).to_string()).collect();
    format!(
        "{} {} {} a month {}, {} to {}, next {}, missed {}: {}",
        stream.period.name(),
        if stream.is_credit { '+' } else { '-' },
        stream.amount,
        stream.month_amount.unwrap_or_default(),
        iso(stream.first),
        iso(stream.last),
        iso(stream.next),
        stream.missed,
        rows.join(" ")
    )
}

#[test]
fn cases() {
    let text = include_str!("../../../testdata/recurring/cases.txt");
    let mut wrong = Vec::new();
    for text in text.split("\n## ").skip(1) {
        let case = case(text);
        let found = find_recurring_streams(&case.entries, &case.keys, case.as_of, TOLERANCE);
        let found: Vec<String> = found.iter().map(describe).collect();
        if found.join("\n") != case.expected {
            wrong.push(format!("## {}\nexpected\n{}\nfound\n{}", case.name, case.expected, found.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A stream of one payer: day of the month, amount, first month, months.
fn planted() -> impl Strategy<Value = (u32, i64, i32, i32)> {
    (1u32..=31, 1_000i64..1_000_000_000, 0i32..6, 4i32..20)
}

/// Records of payers who are not the planted one, on any day and of any amount.
fn noise() -> impl Strategy<Value = Vec<StreamEntry>> {
    let entry = (0i32..800, 1i64..2_000_000_000, any::<bool>(), 1u32..40);
    let entry = entry.prop_map(|(day, amount, is_credit, key)| StreamEntry { day: BASE + day, amount, is_credit, key });
    proptest::collection::vec(entry, 0..300)
}

/// 2024-01-01.
const BASE: i32 = 19_723;

fn plant((of_month, amount, from, months): (u32, i64, i32, i32)) -> Vec<StreamEntry> {
    let month = |at: i32| (2024 + (from + at) / 12, ((from + at) % 12 + 1) as u32);
    let day = |at: i32| {
        let (year, month) = month(at);
        (0..4).find_map(|less| Day::from_ymd(year, month, of_month - less)).expect("a day of the month").days()
    };
    (0..months).map(|at| StreamEntry { day: day(at), amount, is_credit: true, key: 0 }).collect()
}

fn key_texts() -> Vec<String> {
    (0..40u8).map(|at| format!("{}{} payer", char::from(b'a' + at % 26), char::from(b'a' + at / 26))).collect()
}

fn found_in(entries: &[StreamEntry]) -> Vec<Stream> {
    let texts = key_texts();
    let keys: Vec<&str> = texts.iter().map(String::as_str).collect();
    find_recurring_streams(entries, &keys, BASE + 800, TOLERANCE)
}

/// The streams without the entries' places: what each is made of.
fn contents(entries: &[StreamEntry], found: &[Stream]) -> Vec<String> {
    let mut contents: Vec<String> = found
        .iter()
        .map(|stream| {
            let mut rows: Vec<_> =
                stream.rows.iter().map(|row| entries[*row]).map(|row| (row.day, row.amount, row.key)).collect();
            rows.sort_unstable();
            format!("{rows:?} {:?}", Stream { rows: Vec::new(), ..stream.clone() })
        })
        .collect();
    contents.sort();
    contents
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_planted_stream_is_found_whatever_others_do(plan in planted(), others in noise()) {
        let mut entries = plant(plan);
        let planted = entries.len();
        entries.extend(others);
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|at| entries[*at].day);
        let sorted: Vec<StreamEntry> = order.iter().map(|at| entries[*at]).collect();
        let found = found_in(&sorted);
        let whole = found.iter().any(|stream| {
            let of_plan = stream.rows.iter().filter(|row| order[**row] < planted).count();
            stream.period == Period::Monthly && of_plan == planted
        });
        prop_assert!(whole, "{found:?}");
    }

    #[test]
    fn no_row_is_in_two_streams(plan in planted(), mut entries in noise()) {
        entries.extend(plant(plan));
        entries.sort_by_key(|entry| entry.day);
        let found = found_in(&entries);
        let mut rows: Vec<usize> = found.iter().flat_map(|stream| stream.rows.iter().copied()).collect();
        let all = rows.len();
        rows.sort_unstable();
        rows.dedup();
        prop_assert_eq!(rows.len(), all);
        for stream in &found {
            prop_assert!(stream.rows.len() >= 3 && (0.0..=1.0).contains(&stream.regularity.to_f64()));
            prop_assert!(stream.rows.iter().all(|row| entries[*row].is_credit == stream.is_credit));
            prop_assert!(stream.missed >= 0 && stream.next > stream.first && stream.is_live == (stream.missed <= 2));
        }
    }

    #[test]
    fn the_order_of_one_day_changes_nothing(plan in planted(), mut entries in noise(), seed in any::<u64>()) {
        entries.extend(plant(plan));
        entries.iter_mut().for_each(|entry| entry.day -= entry.day % 5);
        entries.sort_by_key(|entry| entry.day);
        let mut shuffled = entries.clone();
        let mix = |at: usize| (at as u64 ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|at| (entries[*at].day, mix(*at)));
        order.iter().enumerate().for_each(|(to, from)| shuffled[to] = entries[*from]);
        prop_assert_eq!(contents(&entries, &found_in(&entries)), contents(&shuffled, &found_in(&shuffled)));
    }

    #[test]
    fn no_amount_is_too_large(
        amounts in proptest::collection::vec(i64::MAX - 1_000..=i64::MAX, 3..9),
        days in 1i32..100,
    ) {
        let entries: Vec<StreamEntry> = amounts
            .iter()
            .enumerate()
            .map(|(at, amount)| StreamEntry { day: BASE + days * at as i32, amount: *amount, is_credit: false, key: 0 })
            .collect();
        for stream in found_in(&entries) {
            prop_assert!(stream.amount > 0 && stream.month_amount.is_none_or(|amount| amount > 0));
            // More than one payment per month overflows, so there is no amount.
            let is_frequent = matches!(stream.period, Period::Weekly | Period::Fortnightly);
            prop_assert!(!is_frequent || stream.month_amount.is_none());
        }
    }
}

/// Payments of one payer, some days apart, of few amounts.
fn payments_of_one() -> impl Strategy<Value = Vec<StreamEntry>> {
    let payment = (0i32..20, 1i64..6).prop_map(|(after, amount)| (after * after / 10, amount * 1_000));
    proptest::collection::vec(payment, 0..60).prop_map(|payments| {
        let mut day = BASE;
        let entry = |(after, amount)| {
            day += after;
            StreamEntry { day, amount, is_credit: true, key: 0 }
        };
        payments.into_iter().map(entry).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_amounts_are_in_the_order_of_few(
        amounts in proptest::collection::vec(prop_oneof![1i64..40, any::<i64>()], 0..1_000),
    ) {
        let payment = |amount: &i64| Payment { day: BASE, amount: *amount, rows: Default::default() };
        let payments: Vec<Payment> = amounts.iter().map(payment).collect();
        let mut sorted: Vec<(i64, usize)> = amounts.into_iter().zip(0..).collect();
        sorted.sort();
        prop_assert_eq!(by_amount(&payments), sorted);
    }

    #[test]
    fn what_comes_in_parts_is_put_together(entries in payments_of_one()) {
        let ledger = Ledger::new(&entries, &["acme foods"], TOLERANCE);
        let list: Vec<usize> = (0..ledger.rows.len()).collect();
        let row = |row: usize| &ledger.rows[row];
        let mut together: Vec<Vec<usize>> = Vec::new();
        for at in list.iter().copied() {
            match together.last_mut() {
                Some(open) if open.len() < 4 && row(at).day - row(open[0]).day <= 12 => open.push(at),
                _ => together.push(vec![at]),
            }
        }
        let sum = |rows: &[usize]| rows.iter().map(|at| row(*at).amount).sum::<i64>();
        let gap = |pair: &[Vec<usize>]| row(pair[1][0]).day - row(pair[0][pair[0].len() - 1]).day;
        let apart = together.windows(2).filter(|pair| gap(pair) > 12).count();
        let split = together.iter().filter(|rows| rows.len() > 1).count();
        let mut clusters: Vec<i64> = together.iter().map(|rows| sum(rows)).collect();
        clusters.sort_unstable();
        let similar = |one: &i64, other: &i64| (other - one) * 1_000 <= one * i64::from(TOLERANCE);
        let most = clusters.chunk_by(similar).map(<[i64]>::len);
        let most = most.filter(|length| *length >= 3).max().unwrap_or(0);
        let are_alike = are_similar(&entries.iter().map(|entry| entry.amount).collect::<Vec<i64>>(), TOLERANCE);
        let is_split = apart * 5 >= together.len().saturating_sub(1) * 4 && split >= 3 && split * 2 >= together.len();
        let expected = (is_split && most * 2 >= together.len() && !are_alike).then_some(together);
        let found = parts::bundle_split_payments(&ledger, &list);
        for payment in found.iter().flatten() {
            prop_assert_eq!((payment.day, payment.amount), (row(payment.rows[0]).day, sum(&payment.rows)));
        }
        let rows = found.map(|found| found.iter().map(|payment| payment.rows.to_vec()).collect::<Vec<_>>());
        prop_assert_eq!(rows, expected);
    }
}

/// Days of a beat that are early, late and left out, among days of no beat; ascending.
fn days() -> impl Strategy<Value = Vec<i32>> {
    let length = prop_oneof![Just(7.0), Just(14.0), Just(30.44), Just(91.31)];
    let near = (length, 0i32..90, proptest::collection::vec((-3i32..4, 0u32..4), 0..20));
    (near, proptest::collection::vec(0i32..700, 0..20)).prop_map(|((length, from, offs), others)| {
        let at = |cycle: usize| BASE + from + (cycle as f64 * length) as i32;
        let come = offs.iter().enumerate().filter(|(_, (_, left_out))| *left_out > 0);
        let mut days: Vec<i32> = come.map(|(cycle, (off, _))| at(cycle) + off / 2).collect();
        days.extend(others.iter().map(|day| BASE + day));
        days.sort_unstable();
        days
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_schedule_that_is_not_tried_is_not_the_best(days in days(), evidence_min in 20i64..200) {
        let days: Vec<When> = days.into_iter().map(When::new).collect();
        prop_assert_eq!(fit::fit_best_schedule(&days, 3, evidence_min), fit::best_of_all(&days, 3, evidence_min));
    }

    #[test]
    fn no_phase_has_more_days_near_to_it_than_are_counted(days in days()) {
        let days: Vec<When> = days.into_iter().map(When::new).collect();
        for period in Period::ALL.into_iter().filter(|period| *period != Period::Semimonthly) {
            for (counted, near) in fit::near_by_reach(&days, period) {
                // A short month's last days are near to several phases, which only says too much.
                prop_assert!((near..=2 * near + 2).contains(&counted), "{period:?}: {counted} counted, {near} near");
            }
        }
    }

    #[test]
    fn days_that_are_not_looked_at_hold_no_stream(days in days(), others in days(), evidence_min in 20i64..200) {
        let payment = |day: &i32| Payment { day: *day, amount: 1, rows: Default::default() };
        let mut all: Vec<Payment> = days.iter().chain(&others).map(payment).collect();
        all.sort_by_key(|payment| payment.day);
        let whens: Vec<When> = days.iter().copied().map(When::new).collect();
        let Some(found) = fit::fit_best_schedule(&whens, 3, evidence_min) else { return Ok(()) };
        let of_cycle = |wanted: i32| {
            let is_hit = move |when: &&When| {
                let (cycle, off) = found.schedule.nearest(**when);
                cycle == wanted && days_early_or_late(when.day - off, off) <= found.reach
            };
            whens.iter().filter(is_hit).map(|when| when.day)
        };
        // The latest payment of the first cycle and the earliest of the last: a run may have these.
        let (Some(first), Some(last)) = (of_cycle(found.first).max(), of_cycle(found.last).min()) else {
            return Err(TestCaseError::fail("the first and the last cycle are hits"));
        };
        let ends = (first, last);
        let penalty = SelectionPenalty::new(&all);
        let mut cluster: Vec<usize> = Vec::new();
        for day in &days {
            let from = cluster.last().map_or(0, |last| last + 1);
            cluster.extend((from..all.len()).find(|at| all[*at].day == *day));
        }
        prop_assert_eq!(cluster.len(), days.len());
        if penalty.evidence_after(found.evidence, ends, found.hits as usize) >= evidence_min {
            prop_assert!(penalty.needed(&cluster, evidence_min).is_some_and(|needed| needed <= found.evidence));
        }
    }
}

#[test]
fn amounts_of_nothing_and_unknown_keys_are_taken_as_they_are() {
    let odd = [
        StreamEntry { day: 0, amount: 0, is_credit: true, key: 9 },
        StreamEntry { day: 1, amount: -5, is_credit: true, key: 9 },
    ];
    assert_eq!(find_recurring_streams(&odd, &[], 10, TOLERANCE), []);
    assert_eq!(find_recurring_streams(&[], &[], 10, TOLERANCE), []);
}

/// A statement that is large enough for several threads, of payers with streams of their own and of records without a
/// name.
#[test]
fn many_threads_find_what_one_does() {
    let names: Vec<String> = (0..400).map(|at| format!("payer {at:04} ltd")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let mix = |at: i32| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let mut entries: Vec<StreamEntry> = (0..30_000)
        .map(|at| StreamEntry {
            day: BASE + at * 730 / 30_000,
            amount: 100 * (1 + mix(at) as i64 % 97),
            is_credit: mix(at) % 5 == 0,
            key: (mix(at + 7) % 500) as u32,
        })
        .collect();
    let monthly = |(payer, month): (u32, i32)| {
        let (day, amount) = (BASE + month * 30 + payer as i32 % 17, 250_000 + i64::from(payer) * 1_000);
        StreamEntry { day, amount, is_credit: payer % 2 == 0, key: payer }
    };
    entries.extend((0..200).flat_map(|payer| (0..20).map(move |month| (payer, month))).map(monthly));
    entries.sort_by_key(|entry| entry.day);
    let found = || find_recurring_streams(&entries, &keys, BASE + 730, TOLERANCE);
    let threads = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
    let together = threads.install(found);
    assert_eq!(together, alone(found));
    assert!(together.len() > 100, "{}", together.len());
}

/// Steps taken for a statement of so many records, over so many payers, in three years.
fn work(records: i32, payers: i32, amounts: i64) -> u64 {
    let keys: Vec<String> = (0..payers).map(|at| format!("payer {at:07} ltd")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let entries: Vec<StreamEntry> = (0..records)
        .map(|at| StreamEntry {
            day: BASE + (i64::from(at) * 1_096 / i64::from(records)) as i32,
            amount: 1_000 + i64::from(at) * 7_919 % amounts,
            is_credit: at % 3 == 0,
            key: (at % payers) as u32,
        })
        .collect();
    work_of(|| drop(find_recurring_streams(&entries, &keys, BASE + 1_096, TOLERANCE)))
}

#[test]
fn work_grows_with_the_records_and_no_faster() {
    for (name, small, large) in [
        ("one payer, any amount", work(5_000, 1, 1_000_000_000), work(80_000, 1, 1_000_000_000)),
        ("one payer, few amounts", work(5_000, 1, 50), work(80_000, 1, 50)),
        ("a payer for each record", work(5_000, 5_000, 1_000_000_000), work(80_000, 80_000, 1_000_000_000)),
        ("a payer for ten records", work(5_000, 500, 1_000_000), work(80_000, 8_000, 1_000_000)),
        ("a payer for forty records of one amount", work(5_000, 125, 1), work(80_000, 2_000, 1)),
    ] {
        // Sixteen times the records, and a logarithm of them. Of a few steps nothing follows.
        assert!(large <= 16 * 2 * small.max(2_000), "{name}: {small} steps for 5,000 records, {large} for 80,000");
    }
}
