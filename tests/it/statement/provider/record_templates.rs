//! Records like the one before are read by their differences, and a large list is read in parts. Neither may change the
//! result.

use std::fmt::Write;

use lendwright::generate::{Options, statement_json};
use lendwright::statement::EmptyAmount;
use polars::prelude::{Column, DataFrame};
use proptest::prelude::*;

use crate::fixtures::campaign;
use crate::statement::*;

/// One of a few values, as JSON; the last ones are rare and odd.
fn any_text() -> impl Strategy<Value = &'static str> {
    let usual = proptest::sample::select(vec![r#""NIP/ACME""#, r#""POS""#, r#""759""#, "null"]);
    let odd = proptest::sample::select(vec![
        r#""""#,
        r#""N/A""#,
        r#"" ""#,
        r#""a\"}\\,{\"id\":\"x""#,
        r#""half \ud800 pair""#,
        r#""ọlá""#,
        "7",
        "7.50",
    ]);
    prop_oneof![6 => usual, 1 => odd]
}

fn any_list() -> impl Strategy<Value = &'static str> {
    let usual = proptest::sample::select(vec!["[]", r#"["loan"]"#, "null"]);
    let odd = proptest::sample::select(vec![
        r#"["a","b"]"#,
        r#"[""]"#,
        r#"["N/A", "c"]"#,
        r#"[{"_id":"n1","x":[1,{}]},{"id":"n2"}]"#,
        r#"["\u001f"]"#,
        "[ ]",
    ]);
    prop_oneof![6 => usual, 1 => odd]
}

fn any_amount() -> impl Strategy<Value = &'static str> {
    let usual = proptest::sample::select(vec!["10", "12.5", "0", "99.99", "1000000"]);
    let odd = proptest::sample::select(vec![r#""3.25""#, "1e2", "100000000000000.01", "2.500"]);
    prop_oneof![8 => usual, 1 => odd]
}

/// The content of a record beside its id, and one of a few layouts.
type Said = ((u8, usize, u8), (&'static str, &'static str), (&'static str, &'static str), (&'static str, &'static str));

fn any_said() -> impl Strategy<Value = Said> {
    let texts = (any_text(), any_text());
    let lists = (any_list(), any_list());
    ((0_u8..12, 0_usize..5, 0_u8..20), texts, lists, (any_amount(), any_amount()))
}

fn written(number: usize, said: &Said, layout: u8) -> String {
    let ((day, customer, odd), (desc, branch), (topics, people), (amount, other)) = said;
    let notes = format!(r#""notes":{{"desc":{desc},"topics":{topics},"people":{people}}}"#);
    let date = format!(r#""trans_date":"2024-03-{:02}T10:00:00.000Z"{}"#, day / 3 + 1, cleared(*odd));
    let side = if day % 2 == 0 { format!(r#""credit":{amount},"debit":null"#) } else { format!(r#""debit":{other}"#) };
    let id = if *odd == 3 { format!(r#""_id":{{"_id":"r{number}"}}"#) } else { format!(r#""id":"r{number}""#) };
    let unknown = if *odd == 4 { r#","new":{"deep":[1,2]}"# } else { "" };
    let fixed = format!(r#""customer":"c{customer}","env":"live","owner":["o"],"bank":{{"_id":"b","name":"B"}}"#);
    match layout {
        0 => format!(r#"{{{id},{notes},{fixed},"branch":{branch},{side},{date}{unknown}}}"#),
        1 => format!(r#"{{ {id}, {date}, {side}, "branch": {branch}, {fixed}, {notes}{unknown} }}"#),
        2 => format!(r#"{{{id},{fixed},{side},{date},"desc":{desc},"topics":{topics},"reference":{branch}}}"#),
        3 => {
            let (created, updated) = (fetched("created_at", *day), fetched("last_updated", day / 4));
            format!(r#"{{{id},{notes},{fixed},{side},{date}{created}{updated}}}"#)
        }
        4 => {
            let created = fetched("created_at", day / 6);
            format!(r#"{{"last_updated":null{created},{id},{notes},{fixed},{side},{date}}}"#)
        }
        _ => {
            let created = format!(r#""created_at":"2024-04-0{}T00:00:00.00{}Z""#, day % 9 + 1, day % 7);
            format!(r#"{{{date},{side},{fixed},"code":{branch},{notes},{id},{created}{unknown}}}"#)
        }
    }
}

/// When a record was cleared: mostly in both forms, on one of two days. The first day also occurs in another form.
fn cleared(when: u8) -> String {
    let both =
        |iso: &str, bank: &str| format!(r#","cleared_date":"2024-03-{iso}.000Z","unformatted_cleared_date":"{bank}""#);
    match when {
        0..=7 => both("05T00:00:00", "05-03-2024"),
        8..=12 => both("06T00:00:00", "06-03-2024"),
        // In Lagos it is the next day already.
        13 | 14 => both("04T23:30:00", "05-03-2024"),
        15 => r#","cleared_date":"2024-03-05","unformatted_cleared_date":null"#.to_owned(),
        16 => r#","cleared_date":null,"unformatted_cleared_date":"05-03-2024""#.to_owned(),
        17 => r#","cleared_date":null,"unformatted_cleared_date":null"#.to_owned(),
        _ => String::new(),
    }
}

/// When a record was fetched: mostly as the one before, sometimes later, null or missing.
fn fetched(key: &str, when: u8) -> String {
    match when {
        6 | 7 => format!(r#","{key}":"2024-04-0{when}T06:07:08.09Z""#),
        8 => format!(r#","{key}":null"#),
        9 => String::new(),
        _ => format!(r#","{key}":"2024-04-05T06:07:08Z""#),
    }
}

/// Every value of a row by its id, except those that depend on other records.
fn by_id(frame: &DataFrame) -> Vec<(String, String)> {
    let kept: Vec<&Column> = frame.columns().iter().filter(|column| column.name() != "statement").collect();
    let id = frame.column("id").expect("ids");
    let mut rows: Vec<(String, String)> = (0..frame.height())
        .map(|row| {
            let text = kept.iter().fold(String::new(), |mut text, column| {
                let _ = write!(text, "{}={};", column.name(), column.get(row).expect("a value"));
                text
            });
            (id.get(row).expect("an id").to_string(), text)
        })
        .collect();
    rows.sort();
    rows
}

fn counts(statements: &Statements) -> [u64; 4] {
    let sum =
        |of: fn(&lendwright::statement::Quality) -> u64| statements.heads().iter().map(|head| of(&head.quality)).sum();
    [sum(|q| q.unknown_fields), sum(|q| q.text_repaired), sum(|q| q.placeholder_text), sum(|q| q.missing_desc)]
}

fn check(lines: &[String], whole: Result<Statements, String>, alone: impl Fn(&str) -> Result<Statements, String>) {
    let each: Result<Vec<Statements>, String> = lines.iter().map(|line| alone(line)).collect();
    let (whole, each) = match (whole, each) {
        (Ok(whole), Ok(each)) => (whole, each),
        (whole, each) => {
            assert_eq!(whole.is_err(), each.is_err(), "{:?} {:?}", whole.err(), each.err());
            return;
        }
    };
    let mut rows: Vec<(String, String)> = each.iter().flat_map(|one| by_id(one.frame())).collect();
    rows.sort();
    assert_eq!(by_id(whole.frame()), rows);
    let summed = each.iter().map(counts).fold([0; 4], |sum, one| std::array::from_fn(|at| sum[at] + one[at]));
    assert_eq!(counts(&whole), summed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(campaign::size(75, 300)))]

    #[test]
    fn a_record_reads_the_same_alone_and_after_others(
        said in proptest::collection::vec(any_said(), 1..60),
        layouts in proptest::collection::vec(0_u8..6, 1..4),
        run in 1_usize..12,
    ) {
        let layout = |number: usize| layouts[number / run % layouts.len()];
        let line = |(number, said): (usize, &Said)| written(number, said, layout(number));
        let lines: Vec<String> = said.iter().enumerate().map(line).collect();
        let ndjson = |body: &str| read_body(&lagos(), body.as_bytes());
        check(&lines, ndjson(&lines.join("\n")), ndjson);
        let one_customer: Vec<String> = said.iter().enumerate().map(|(number, said)| {
            let ((day, _, odd), texts, lists, amounts) = *said;
            written(number, &((day, 1, odd), texts, lists, amounts), layout(number))
        }).collect();
        check(&one_customer, read(&one_customer.join(",\n")), read);
    }
}

/// A dropped record does not count as the one before: what it shares with the next record still counts for the next.
#[test]
fn a_record_that_is_left_out_lends_nothing_to_the_next() {
    let reading = Reading { empty_amount: EmptyAmount::Drop, ..lagos() };
    let one = |id: usize, credit: &str| {
        let rest = concat!(
            r#""env":"live","code":"POS","created_at":"2024-05-05T00:00:00Z","#,
            r#""last_updated":"2024-05-06T00:00:00Z","cleared_date":"2024-03-06T00:00:00Z""#
        );
        record(&format!("r{id:02}"), &format!(r#""credit":{credit},{rest}"#))
    };
    let bare = |id: usize| record(&format!("r{id:02}"), r#""credit":7"#);
    // Which of eight records are dropped, including the first and several in a row; the third has fewer fields.
    for empty in 0_u8..=255 {
        let is_empty = |at: usize| empty >> at & 1 == 1;
        let all = (0..8).map(|at| match at {
            2 if !is_empty(at) => bare(at),
            _ => one(at, if is_empty(at) { "null" } else { "5" }),
        });
        let read = read_with(&reading, &all.collect::<Vec<_>>().join(",")).expect("a statement");
        let alone = (0..8).filter(|at| !is_empty(*at)).flat_map(|at| {
            let record = if at == 2 { bare(at) } else { one(at, "5") };
            by_id(read_with(&reading, &record).expect("a statement").frame())
        });
        assert_eq!(by_id(read.frame()), alone.collect::<Vec<_>>(), "{empty:08b}");
    }
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// Two megabytes, with text that looks like the beginning of a record.
fn large() -> Vec<u8> {
    let options = Options { records: 3_000, noise: 0.4, debits: true, ..Options::default() };
    let text = String::from_utf8(statement_json(11, 3, &options).expect("a statement")).expect("text");
    text.replace(r#""people":[]"#, r#""people":[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        .replace("NIP/", r#"\",{\"id\":\"x\"},{\"id\":"#)
        .into_bytes()
}

#[test]
fn a_large_list_reads_the_same_in_parts() {
    let body = large();
    assert!(body.len() > 2_000_000, "{} bytes are one part", body.len());
    let one = on_threads(1, || read_body(&lagos(), &body)).expect("a statement");
    for threads in [2, 3, 7] {
        let parts = on_threads(threads, || read_body(&lagos(), &body)).expect("a statement");
        assert_eq!((one.heads(), digests(&one)), (parts.heads(), digests(&parts)), "{threads} threads");
        assert!(one.frame().equals_missing(parts.frame()), "{threads} threads");
    }
}

#[test]
fn a_large_list_is_refused_the_same_in_parts() {
    let body = large();
    for part in (1..40).step_by(campaign::size(5, 1)) {
        let at = body.len() / 40 * part;
        for damage in [b'"', b'}', b'{', b',', 0xff, b'\\'] {
            let mut damaged = body.clone();
            damaged[at] = damage;
            let [one, parts] = [1, 3].map(|threads| on_threads(threads, || read_body(&lagos(), &damaged)));
            let content = |read: Statements| (read.heads().to_vec(), digests(&read));
            assert_eq!(one.map(content), parts.map(content), "byte {at}");
        }
    }
}

/// Long input is validated as it is read: invalid UTF-8 is reported before all else, wherever it is.
#[test]
fn bytes_that_are_no_text_are_found_wherever_they_stand() {
    let no_text = |body: &[u8], at: usize| {
        for threads in [1, 3] {
            let refused = on_threads(threads, || read_body(&lagos(), body)).expect_err("it is refused");
            assert_eq!(refused, format!("malformed JSON at byte {at}: these bytes are not UTF-8"));
        }
    };
    let small = envelope(
        &[r#"{"id":"a","trans_date":"2024-03-05","credit":5,"ner":{"x":["y"]},"notes":{"desc":"ẹ"}}"#; 3].join(","),
    );
    for at in 0..small.len() {
        // Half a letter is invalid, and so is a letter without its end.
        let at = if small.is_char_boundary(at) { at } else { continue };
        let mut damaged = small.clone().into_bytes();
        damaged[at] = 0xff;
        no_text(&damaged, at);
    }
    let mut body = large();
    let last = body.len() - 40;
    for part in (1..60).step_by(campaign::size(5, 1)) {
        let at = body.len() / 60 * part;
        for odd in [b'\xff', b'\x80', b'\xe1'] {
            let mut damaged = body.clone();
            damaged[at] = odd;
            no_text(&damaged, at);
            // Even after invalid JSON.
            damaged[at / 2] = b'\x01';
            no_text(&damaged, at);
        }
    }
    body[last] = 0xff;
    no_text(&body, last);
}

/// Letters of several bytes at all places of a text that is validated in pieces.
#[test]
fn letters_of_several_bytes_are_read_wherever_they_stand() {
    for shift in 0..7 {
        let record = |number: usize| {
            let desc = "ọ\u{1f4b0}é".repeat(number % 50 + 1);
            record(&format!("r{number:04}"), &format!(r#""credit":{number},"notes":{{"desc":"{desc}"}}"#))
        };
        let body = envelope(&(0..1_500).map(record).collect::<Vec<_>>().join(&format!(",{}", " ".repeat(shift))));
        let [one, parts] = [1, 3].map(|threads| on_threads(threads, || read_body(&lagos(), body.as_bytes())));
        let (one, parts) = (one.expect("a statement"), parts.expect("a statement"));
        assert!(one.frame().equals_missing(parts.frame()), "{shift}");
        let texts = one.frame().column("desc").expect("a column").str().expect("texts").clone();
        assert!((0..1_500).all(|row| texts.get(row).is_some_and(|text| text == "ọ\u{1f4b0}é".repeat(row % 50 + 1))));
    }
}

#[test]
fn a_repeated_id_is_placed_the_same_in_parts() {
    let record = |number: usize, amount: usize| {
        record(&format!("r{number}"), &format!(r#""credit":{amount},"notes":{{"desc":"{}"}}"#, "x".repeat(300)))
    };
    let mut records: Vec<String> = (0..6_000).map(|number| record(number, 5)).collect();
    records.push(record(17, 6));
    let body = envelope(&records.join(","));
    let [one, parts] =
        [1, 4].map(|threads| on_threads(threads, || read_body(&lagos(), body.as_bytes())).expect_err("it is refused"));
    assert_eq!(one, parts);
    assert!(one.contains("transactions[17]") && one.contains("transactions[6000]"), "{one}");
}
