//! The statement as tables of text, and as JSON.

use super::Way;
use super::truth::{CUSTOMER, MONTHS, Record, plain, records, serial, written};

/// Rows of a text, joined by a delimiter. Fields with the delimiter, a quote or a line break are quoted.
fn text(delimiter: char, header: &[&str], row: impl Fn(&Record) -> Vec<String>) -> String {
    let quoted = |field: &str| match field.contains([delimiter, '"', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    };
    let line = |fields: &[String]| fields.iter().map(|field| quoted(field)).collect::<Vec<_>>();
    let mut lines = vec![header.iter().map(|name| quoted(name)).collect::<Vec<_>>()];
    lines.extend(records().iter().map(|record| line(&row(record))));
    lines.into_iter().map(|fields| fields.join(&delimiter.to_string()) + "\n").collect()
}

fn or_empty(minor: i64, write: impl Fn(i64) -> String) -> String {
    if minor == 0 { String::new() } else { write(minor) }
}

const HEADER: [&str; 7] = ["acct", "id", "date", "details", "out", "in", "bal"];

/// The usual columns, with these ways to write days and amounts.
fn usual(delimiter: char, day: impl Fn(&Record) -> String, amount: impl Fn(i64) -> String, empty: &str) -> String {
    let side = |minor: i64| if minor == 0 { empty.to_owned() } else { amount(minor) };
    text(delimiter, &HEADER, |record| {
        vec![
            CUSTOMER.to_owned(),
            record.id.clone(),
            day(record),
            record.desc.to_owned(),
            side(record.debit),
            side(record.credit),
            amount(record.balance),
        ]
    })
}

const USUAL: &str = "[columns]\ncustomer = \"acct\"\nid = \"id\"\ntrans_date = \"date\"\ndesc = \"details\"\n\
    debit = \"out\"\ncredit = \"in\"\nbalance = \"bal\"\n";

const SIGNED: &str = "[columns]\ncustomer = \"acct\"\nid = \"id\"\ntrans_date = \"date\"\ndesc = \"details\"\n\
    amount = \"amount\"\nbalance = \"bal\"\n";

/// One column of amounts, in this notation.
fn signed(delimiter: char, amount: impl Fn(i64) -> String, balance: impl Fn(i64) -> String) -> String {
    text(delimiter, &["acct", "id", "date", "details", "amount", "bal"], |record| {
        vec![
            CUSTOMER.to_owned(),
            record.id.clone(),
            record.iso(),
            record.desc.to_owned(),
            amount(record.amount()),
            balance(record.balance),
        ]
    })
}

fn dotted(record: &Record) -> String {
    format!("{:02}.{:02}.{}", record.day, record.month, record.year)
}

fn utf16(text: &str) -> Vec<u8> {
    [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// All its characters are in Latin-1.
pub(crate) fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("a letter of Latin-1")).collect()
}

/// `1337000` as `13,37,000`.
fn lakh(minor: i64) -> String {
    let text = plain(minor.abs());
    let (whole, decimals) = text.split_once('.').expect("decimals");
    let (head, tail) = whole.split_at(whole.len().saturating_sub(3));
    let mut groups: Vec<String> = Vec::new();
    let mut rest = head;
    while !rest.is_empty() {
        let (before, group) = rest.split_at(rest.len().saturating_sub(2));
        groups.insert(0, group.to_owned());
        rest = before;
    }
    groups.push(tail.to_owned());
    let sign = if minor < 0 { "-" } else { "" };
    format!("{sign}{}.{decimals}", groups.join(","))
}

fn side(minor: i64, credit: &str, debit: &str) -> String {
    let mark = if minor < 0 { debit } else { credit };
    format!("{}{mark}", written(minor.abs(), ",", "."))
}

pub(crate) fn ways() -> Vec<Way> {
    let mut ways = vec![
        Way::new("csv with own names", "t.csv", own_names(',')),
        Way::new("ndjson with own names", "t.ndjson", lines_with_own_names()),
        Way::new("provider's JSON", "t.json", provider()).for_customer(),
    ];
    ways.extend(layouts());
    ways.extend(notations());
    ways.extend(days());
    ways.extend(customers());
    ways.extend(states());
    ways.extend(json());
    ways
}

fn own_names(delimiter: char) -> String {
    text(delimiter, &["customer", "id", "trans_date", "desc", "debit", "credit", "balance"], |record| {
        vec![
            CUSTOMER.to_owned(),
            record.id.clone(),
            record.iso(),
            record.desc.to_owned(),
            or_empty(record.debit, plain),
            or_empty(record.credit, plain),
            plain(record.balance),
        ]
    })
}

fn lines_with_own_names() -> String {
    let line = |record: &Record| {
        format!(
            "{{\"customer\":\"{CUSTOMER}\",\"id\":\"{}\",\"trans_date\":\"{}\",\"desc\":\"{}\",\"credit\":{},\
             \"debit\":{},\"balance\":{}}}\n",
            record.id,
            record.iso(),
            record.desc,
            if record.credit == 0 { "null".to_owned() } else { plain(record.credit) },
            if record.debit == 0 { "null".to_owned() } else { plain(record.debit) },
            plain(record.balance)
        )
    };
    records().iter().map(line).collect()
}

fn provider() -> String {
    let item = |record: &Record| {
        let (side, minor) = if record.credit > 0 { ("credit", record.credit) } else { ("debit", record.debit) };
        format!(
            "{{\"id\":\"{}\",\"trans_date\":\"{}\",\"{side}\":{},\"balance\":{},\"notes\":{{\"desc\":\"{}\"}}}}",
            record.id,
            record.iso(),
            plain(minor),
            plain(record.balance),
            record.desc
        )
    };
    let items: Vec<String> = records().iter().map(item).collect();
    format!("{{\"status\":\"success\",\"data\":{{\"transactions\":[{}]}}}}", items.join(","))
}

/// Delimiters, encodings, and what stands around the table.
fn layouts() -> Vec<Way> {
    let plain_table = || usual(',', Record::iso, plain, "");
    let preamble = "\"Account:\",\"12345\"\n\"From:\",\"01.03.2026\"\n\n";
    let footer = "Total,,,,1,2,3\nThis is no offer of credit\n";
    let commented = plain_table().replacen('\n', "\n# exported for you\n", 1);
    let trailing: String = plain_table().lines().map(|line| format!("{line},\n")).collect();
    vec![
        Way::new("csv", "t.csv", plain_table()).columns(USUAL),
        Way::new("csv with a mark of its order of bytes", "t.csv", format!("\u{feff}{}", plain_table())).columns(USUAL),
        Way::new("csv with CRLF", "t.csv", plain_table().replace('\n', "\r\n")).columns(USUAL),
        Way::new("semicolons", "t.csv", usual(';', dotted, |minor| written(minor, ".", ","), "")).columns(format!(
            "{USUAL}[file]\ndelimiter = \";\"\n[amount]\ndecimal = \",\"\nthousands = [\".\"]\n[dates]\n\
             trans_date = \"DD.MM.YYYY\"\n"
        )),
        Way::new("tabs", "t.csv", usual('\t', Record::iso, plain, ""))
            .columns(format!("{USUAL}[file]\ndelimiter = \"tab\"\n")),
        Way::new("tabs by ending", "t.tsv", usual('\t', Record::iso, plain, "")).columns(USUAL),
        Way::new("a line for spreadsheets", "t.csv", format!("sep=;\n{}", usual(';', Record::iso, plain, "")))
            .columns(USUAL),
        Way::new("preamble by count", "t.csv", format!("{preamble}{}", plain_table()))
            .columns(format!("{USUAL}[file]\nskip_lines = 3\n")),
        Way::new("preamble by names", "t.csv", format!("{preamble}{}", plain_table()))
            .columns(format!("{USUAL}[file]\nheader = [\"date\", \"bal\"]\n")),
        Way::new("footer", "t.csv", format!("{}{footer}", plain_table()))
            .columns(format!("{USUAL}[file]\nfooter = [\"Total\"]\n")),
        Way::new("comments", "t.csv", commented).columns(format!("{USUAL}[file]\ncomment = \"#\"\n")),
        Way::new("commas at the end", "t.csv", trailing).columns(USUAL),
        Way::new("utf-16", "t.csv", utf16(&plain_table())).columns(format!("{USUAL}[file]\nencoding = \"utf-16\"\n")),
        Way::new("windows-1252", "t.csv", latin1(&plain_table()))
            .columns(format!("{USUAL}[file]\nencoding = \"windows-1252\"\n")),
    ]
}

/// Ways to write an amount.
fn notations() -> Vec<Way> {
    let csv = |name, bytes: String, more: &str| Way::new(name, "t.csv", bytes).columns(format!("{SIGNED}{more}"));
    let comma = |minor: i64| written(minor, ",", ".");
    let minus = "positive = \"credit\"\n";
    let grouped = |thousands: &'static str| move |minor: i64| written(minor, thousands, ",").replace('-', "\u{2212}");
    let parens = |minor: i64| if minor < 0 { format!("({})", comma(-minor)) } else { comma(minor) };
    let trailing = |minor: i64| if minor < 0 { format!("{}-", comma(-minor)) } else { comma(minor) };
    let suffix = |minor: i64| side(minor, " CR", " DR");
    let apostrophe = |minor: i64| written(minor, "'", ".");
    let naira = |minor: i64| format!("₦{}", comma(minor.abs()));
    let type_column = text(',', &["acct", "id", "date", "details", "amount", "side", "bal"], |record| {
        vec![
            CUSTOMER.to_owned(),
            record.id.clone(),
            record.iso(),
            record.desc.to_owned(),
            naira(record.amount()),
            if record.credit > 0 { "CR" } else { "DR" }.to_owned(),
            naira(record.balance),
        ]
    });
    vec![
        csv("commas between thousands", signed(',', comma, comma), &format!("[amount]\n{minus}thousands = [\",\"]\n")),
        csv(
            "parentheses",
            signed(',', parens, parens),
            &format!("[amount]\n{minus}thousands = [\",\"]\nminus = [\"parentheses\"]\n"),
        ),
        csv(
            "trailing minus",
            signed(',', trailing, trailing),
            &format!("[amount]\n{minus}thousands = [\",\"]\nminus = [\"trailing\"]\n"),
        ),
        csv(
            "no-break spaces and U+2212",
            signed(';', grouped("\u{a0}"), grouped("\u{a0}")),
            &format!("[file]\ndelimiter = \";\"\n[amount]\n{minus}decimal = \",\"\nthousands = [\"space\"]\n"),
        ),
        csv(
            "narrow no-break spaces",
            signed(';', grouped("\u{202f}"), grouped("\u{202f}")),
            &format!("[file]\ndelimiter = \";\"\n[amount]\n{minus}decimal = \",\"\nthousands = [\"space\"]\n"),
        ),
        csv("apostrophes", signed(',', apostrophe, apostrophe), &format!("[amount]\n{minus}thousands = [\"'\"]\n")),
        csv("lakh", signed(',', lakh, lakh), &format!("[amount]\n{minus}thousands = [\",\"]\ngrouping = \"lakh\"\n")),
        csv(
            "DR and CR behind the amount",
            signed(',', suffix, suffix),
            "[amount]\nthousands = [\",\"]\ncredit_suffix = [\"CR\"]\ndebit_suffix = [\"DR\"]\n",
        ),
        csv(
            "a plus",
            signed(',', |minor| format!("{}{}", if minor > 0 { "+" } else { "" }, plain(minor)), plain),
            &format!("[amount]\n{minus}"),
        ),
        Way::new("naira and a column of sides", "t.csv", type_column).columns(format!(
            "{SIGNED}type = \"side\"\n[type]\ncredit = [\"CR\"]\ndebit = [\"DR\"]\n[amount]\nthousands = [\",\"]\n\
             marks = [\"₦\"]\n"
        )),
        Way::new("a mark for nothing", "t.csv", usual(',', Record::iso, plain, "-"))
            .columns(format!("empty = [\"-\"]\n{USUAL}")),
    ]
}

/// Ways to write a day.
fn days() -> Vec<Way> {
    let csv = |name, day: &dyn Fn(&Record) -> String, pattern: &str| {
        Way::new(name, "t.csv", usual(',', day, plain, ""))
            .columns(format!("{USUAL}[dates]\ntrans_date = \"{pattern}\"\n"))
    };
    let month = |record: &Record| MONTHS[record.month as usize - 1];
    vec![
        csv("names of months", &|record| format!("{:02}-{}-{}", record.day, month(record), record.year), "DD-MMM-YYYY"),
        csv(
            "days without zeros, and a time",
            &|record| format!("{}/{}/{} 14:22", record.day, record.month, record.year),
            "D/M/YYYY hh:mm",
        ),
        csv("serial days", &|record| serial(record).to_string(), "EXCEL"),
        csv("midnight as a day", &|record| format!("{}T00:00:00.000Z", record.iso()), "ISO day"),
    ]
}

/// Where the customer is named.
fn customers() -> Vec<Way> {
    let nameless = || {
        text(',', &["id", "date", "details", "out", "in", "bal"], |record| {
            vec![
                record.id.clone(),
                record.iso(),
                record.desc.to_owned(),
                or_empty(record.debit, plain),
                or_empty(record.credit, plain),
                plain(record.balance),
            ]
        })
    };
    let columns = USUAL.replace("customer = \"acct\"\n", "");
    vec![
        Way::new("the customer on the command line", "t.csv", nameless()).columns(columns.clone()).for_customer(),
        Way::new("the customer by the file's name", "K1.csv", nameless())
            .columns(format!("{columns}[customer]\nfrom = \"file_name\"\n")),
        Way::new("the customer above the header", "t.csv", format!("Account:,K1\n\n{}", nameless()))
            .columns(format!("{columns}[customer]\nafter = \"Account:\"\n[file]\nheader = [\"date\", \"bal\"]\n")),
        Way::new("the customer by the folder", "customer=K1/t.csv", nameless())
            .columns(format!("{columns}customer = \"customer\"\n")),
    ]
}

/// Rows that are no records, fees, and the newest first.
fn states() -> Vec<Way> {
    let lines = |rows: Vec<String>| rows.join("\n") + "\n";
    let header = "acct,id,date,details,amount,fee,bal,state";
    let mut rows = vec![header.to_owned()];
    for record in records() {
        // A fee of 50 kobo is part of each debit above a naira.
        let fee = if record.debit > 100 { 50 } else { 0 };
        let amount = if record.debit > 0 { -(record.debit - fee) } else { record.credit };
        let (id, day, desc, bal) = (&record.id, record.iso(), record.desc, plain(record.balance));
        rows.push(format!("{CUSTOMER},{id},{day},{desc},{},{},{bal},COMPLETED", plain(amount), plain(fee)));
        rows.push(format!("{CUSTOMER},P{id},{day},{desc},{},0.00,,PENDING", plain(amount)));
    }
    let fees = lines(rows);
    let newest = usual(',', Record::iso, plain, "");
    let (header, body) = newest.split_once('\n').expect("a header");
    let newest = body.lines().rev().fold(format!("{header}\n"), |text, line| text + line + "\n");
    vec![
        Way::new("fees and states", "t.csv", fees).columns(format!(
            "skip = \"state IN ('PENDING', 'REVERTED')\"\n{SIGNED}fee = \"fee\"\n[amount]\npositive = \"credit\"\n"
        )),
        Way::new("newest first", "t.csv", newest).columns(format!("order = \"newest_first\"\n{USUAL}")),
    ]
}

/// JSON in other shapes than the provider's.
fn json() -> Vec<Way> {
    let berlin = |record: &Record| {
        format!(
            "{{\"transactionId\":\"{}\",\"bookingDate\":\"{}\",\"transactionAmount\":{{\"amount\":\"{}\",\
             \"currency\":\"NGN\"}},\"remittanceInformationUnstructured\":\"{}\",\
             \"balanceAfterTransaction\":{{\"balanceAmount\":{{\"amount\":\"{}\"}}}}}}",
            record.id,
            record.iso(),
            plain(record.amount()),
            record.desc,
            plain(record.balance)
        )
    };
    let booked: Vec<String> = records().iter().map(berlin).collect();
    let berlin = format!("{{\"transactions\":{{\"booked\":[{}]}},\"account\":{{\"iban\":\"K1\"}}}}", booked.join(","));
    let flat = |record: &Record| {
        format!(
            "{{\"acct\":\"{CUSTOMER}\",\"key\":\"{}\",\"date\":\"{}\",\"amount\":{{\"value\":{}}},\"is_credit\":{},\
             \"text\":\"{}\",\"balance\":{}}}",
            record.id,
            record.iso(),
            plain(record.amount().abs()),
            record.credit > 0,
            record.desc,
            plain(record.balance)
        )
    };
    let rows: Vec<String> = records().iter().map(flat).collect();
    let names = "[columns]\ncustomer = \"acct\"\nid = \"key\"\ntrans_date = \"date\"\namount = \"amount.value\"\n\
        type = \"is_credit\"\ndesc = \"text\"\nbalance = \"balance\"\n[type]\ncredit = [\"true\"]\n\
        debit = [\"false\"]\n";
    vec![
        Way::new("JSON by paths", "t.json", berlin).columns(
            "[columns]\ncustomer = \"account.iban\"\nid = \"transactions.booked[].transactionId\"\n\
             trans_date = \"transactions.booked[].bookingDate\"\n\
             amount = \"transactions.booked[].transactionAmount.amount\"\n\
             currency = \"transactions.booked[].transactionAmount.currency\"\n\
             desc = \"transactions.booked[].remittanceInformationUnstructured\"\n\
             balance = \"transactions.booked[].balanceAfterTransaction.balanceAmount.amount\"\n\
             [amount]\npositive = \"credit\"\n",
        ),
        Way::new("a JSON array", "t.json", format!("[{}]", rows.join(",\n"))).columns(names),
        Way::new("JSON lines", "t.ndjson", rows.join("\n")).columns(names),
    ]
}
