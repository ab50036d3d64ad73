//! What is tried on any bytes, one function per target. It returns if lendwright answers as it should, whatever the
//! answer, and panics if not. The same functions serve `cargo fuzz`, `cargo xtask fuzz` and the tests.

use std::path::PathBuf;

use lendwright::base::diagnostic::Refused;
use lendwright::decision::{Request, decide, reading};
use lendwright::portfolio::{Cases, try_cases};
use lendwright::statement::{
    Columns, LaidRow, Next, RowsRequest, TableBytes, TableFormat, Tables, each_row, statements_of,
};
use lendwright::{Policy, Statements, compile, read_json};

use crate::policy::campaign::{self, Tally};
use crate::random::Source;
use crate::ties::{self, Ties};

/// What is tried on an input.
pub type Target = fn(&[u8]);

/// Every target by its name, which is also its folder under `corpus/`.
pub const TARGETS: &[(&str, Target)] = &[
    ("rules", rules),
    ("expression", expression),
    ("cell", cell),
    ("cases", cases),
    ("request", request),
    ("statement", statement),
    ("table", table),
    ("policy", policy),
    ("metrics", metrics),
    ("ties", ties),
];

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";

/// Fields of every type, a score, a table and an offer.
const DECIDES: &str = r#"
[words]
salary = ["salary", "sal for"]
[request]
amount = "money"
months = "count"
until = "date"
purpose = "text"
agreed = "boolean"
share = "ratio"
[transaction]
is_salary = "credit > 0 AND mentions(salary)"
[month]
inflow = "SUM(credit)"
[metric]
records = "COUNT(*)"
income = "SUM(credit)"
steady = "needs_months(3, AVG(inflow))"
longest = "MAX_GAP(trans_date) FILTER (WHERE credit > 0)"
salaries = "COUNT(*) FILTER (WHERE is_salary AND within(90))"
left = "LAST(balance) - COALESCE(request.amount, 0)"
[[require]]
id = "R01"
when = "records >= 1 AND (request.agreed IS NOT FALSE OR request.until > as_of)"
reason = "{records} records, {request.amount} until {request.until}"
[score]
base = 300
[[score.item]]
on = "request.share"
points = [["< 0.5", 10], [">= 0.5", 50], ["unknown", 0]]
[table.grade]
hit = "first"
inputs = ["score", "request.purpose", "income"]
outputs = { grade = "text", cap = "money" }
rows = [
  [">= 350", "rent, school", "-", "A", 500000],
  ["-",      "-",            "-", "B", 100000],
]
[[offer]]
id = "o"
tenure = [30, 90]
amount = "round_down(LEAST(cap, income, COALESCE(request.amount, cap)), 500)"
interest = "CASE grade WHEN 'A' THEN 3 ELSE 5.5 END"
fee = "0.01 * amount"
"#;

const STATEMENT: &str = r#"{"status":"success","data":{"transactions":[
{"id":"1","customer":"c","trans_date":"2026-01-30","credit":2000.50,"notes":{"desc":"SALARY JAN"}},
{"id":"2","customer":"c","trans_date":"2026-02-27","credit":1000,"balance":77.10,"notes":{"desc":"TRF"}},
{"id":"3","customer":"c","trans_date":"2026-03-31","debit":12.34,"balance":-5,"notes":{"desc":"POS"}}]}}"#;

fn compiled(text: &str) -> Result<Policy, Refused> {
    compile("fuzzed.toml", text, &mut |_| Err("no files".to_owned()), &[])
}

/// Errors say what and where, within the text; the same text gives the same errors.
fn told(text: &str) -> Option<Policy> {
    let (once, again) = (compiled(text), compiled(text));
    match (once, again) {
        (Ok(policy), Ok(again)) => {
            assert_eq!(policy.digest(), again.digest());
            Some(policy)
        }
        (Err(refused), Err(again)) => {
            assert_eq!(refused.to_string(), again.to_string());
            assert!(!refused.diagnostics.is_empty(), "refused without a word");
            for found in &refused.diagnostics {
                let source = refused.sources.get(found.span).expect("a place in one of the files");
                let (start, end) = (found.span.start as usize, found.span.end as usize);
                assert!(source.text.get(start..end).is_some(), "{found:?} points outside or between letters");
                assert!(!found.message.is_empty(), "{found:?} says nothing");
            }
            None
        }
        _ => panic!("compiled once and refused once"),
    }
}

fn decided(policy: &Policy, statement: &[u8], request: &Request) -> Option<Vec<String>> {
    let statements: Statements = read_json(statement, "fuzzed", &reading(policy)).ok()?;
    let lines = |statements: &Statements| -> Vec<String> {
        let decisions = decide(policy, statements, request).expect("what was read can be decided");
        decisions.iter().map(|decision| decision.to_line()).collect()
    };
    let once = lines(&statements);
    assert_eq!(once, lines(&statements), "decided otherwise the second time");
    Some(once)
}

/// A rule file.
pub fn rules(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(policy) = told(&text) {
        decided(&policy, STATEMENT.as_bytes(), &Request::default());
    }
}

/// An expression, as a transaction's value, a month's and a statement's.
pub fn expression(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace("'''", "");
    for section in ["transaction", "month", "metric"] {
        let own = DECIDES.replacen(&format!("[{section}]\n"), &format!("[{section}]\nfuzzed = '''{text}'''\n"), 1);
        if let Some(policy) = told(&format!("{HEADER}{own}")) {
            decided(&policy, STATEMENT.as_bytes(), &Request::default());
        }
    }
}

/// A cell of a table, beside inputs of every type.
pub fn cell(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).replace("'''", "");
    for input in ["income", "records", "steady", "request.until", "request.purpose", "request.agreed", "request.share"]
    {
        let table = format!(
            "[table.fuzzed]\nhit = \"first\"\ninputs = [\"{input}\"]\noutputs = {{ n = \"count\" }}\n\
             rows = [['''{text}''', 1], [\"-\", 2]]\n"
        );
        if let Some(policy) = told(&format!("{HEADER}{DECIDES}{table}")) {
            decided(&policy, STATEMENT.as_bytes(), &Request::default());
        }
    }
}

/// A cases file beside a policy.
pub fn cases(bytes: &[u8]) {
    let folder = Folder::new();
    let (rules, cases) = (folder.0.join("p.toml"), folder.0.join("p.cases.toml"));
    std::fs::write(&rules, format!("{HEADER}{DECIDES}")).expect("a folder to write to");
    std::fs::write(&cases, bytes).expect("a folder to write to");
    if let Ok(read) = Cases::read(&cases) {
        // A case that makes no sense is an error like any other.
        let _ = try_cases(&rules, &cases, &read);
    }
}

/// A folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let thread = format!("{:?}", std::thread::current().id());
        let name = format!("lendwright-fuzz-{}-{}", std::process::id(), thread.replace(['(', ')'], "-"));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder to write to");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A request.
pub fn request(bytes: &[u8]) {
    let policy = compiled(&format!("{HEADER}{DECIDES}")).expect("the policy here is right");
    if let Ok(request) = Request::from_json(&policy, bytes) {
        decided(&policy, STATEMENT.as_bytes(), &request);
    }
}

/// A statement as the provider sends it.
pub fn statement(bytes: &[u8]) {
    let policy = compiled(&format!("{HEADER}{DECIDES}")).expect("the policy here is right");
    decided(&policy, bytes, &Request::default());
}

/// A file in one of the other formats. The input is a line with the format, a columns file, a line `---`, the file.
pub fn table(bytes: &[u8]) {
    let Some((head, file)) = split(bytes, b"\n---\n") else { return };
    let head = String::from_utf8_lossy(head);
    let (format, columns) = head.split_once('\n').unwrap_or((&head, ""));
    let Some((_, format)) = FORMATS.iter().find(|(name, _)| *name == format) else { return };
    let columns = match Columns::parse(columns) {
        Ok(columns) => columns,
        Err(wrong) => return assert!(!wrong.to_string().is_empty()),
    };
    let once = rows(*format, &columns, file);
    assert_eq!(once, rows(*format, &columns, file), "read otherwise the second time");
    assert!(once.is_ok_and(|text| !text.is_empty()), "read or refused without a word");
}

const FORMATS: [(&str, TableFormat); 8] = [
    ("csv", TableFormat::Csv),
    ("lines", TableFormat::Lines),
    ("workbook", TableFormat::Workbook),
    ("json", TableFormat::Json),
    ("camt", TableFormat::Camt),
    ("mt940", TableFormat::Mt940),
    ("ofx", TableFormat::Ofx),
    ("qif", TableFormat::Qif),
];

fn split<'b>(bytes: &'b [u8], at: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let found = bytes.windows(at.len()).position(|window| window == at)?;
    Some((bytes.get(..found)?, bytes.get(found + at.len()..)?))
}

/// What was read, or why nothing was, as text. Statements come only from a file that was read to its end.
fn rows(format: TableFormat, columns: &Columns, file: &[u8]) -> Result<String, String> {
    let reading = reading(&compiled(&format!("{HEADER}{DECIDES}")).expect("the policy here is right"));
    let given = [("customer".to_owned(), "c".to_owned())];
    let asked = RowsRequest { label: "fuzzed", columns, given: &given, rows: &|_| true, memory: 1 << 24 };
    let mut rows: Vec<(String, u32, Vec<u8>)> = Vec::new();
    let table = each_row(format, TableBytes::Stream(&mut &*file), &asked, |row| {
        rows.push((row.customer.to_owned(), row.ordinal, row.bytes.to_vec()));
        Next::Row
    });
    let table = match table {
        Ok(table) => table,
        Err(wrong) => return Ok(wrong.to_string()),
    };
    if let Some((customer, ..)) = rows.iter().find(|(customer, ..)| customer.trim().is_empty()) {
        return Err(format!("a row of nobody: `{customer}`"));
    }
    rows.sort_by(|left, right| left.0.cmp(&right.0));
    let tables = Tables { tables: &[table], columns, reading: &reading, name_tables: false };
    let laid = rows.iter().map(|(_, ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    match statements_of(laid, &tables, |_| "fuzzed".to_owned()) {
        Ok(statements) => Ok(format!("{:?} {:?}", statements.frame(), statements.heads())),
        Err(wrong) => Ok(wrong.to_string()),
    }
}

/// A policy and people spelt out by the bytes, decided by lendwright and by the reference.
pub fn policy(bytes: &[u8]) {
    let mut tally = Tally::default();
    if let Err(different) = campaign::one(&mut Source::spelt(bytes), 4, &mut tally) {
        panic!("{different}");
    }
}

/// Metrics over records spelt out by the bytes, by lendwright and by the reference.
pub fn metrics(bytes: &[u8]) {
    let numbers: Vec<u32> = bytes.iter().map(|byte| u32::from(*byte)).collect();
    if let Err(different) = crate::metrics::compare(&numbers) {
        panic!("{different}");
    }
}

/// A policy, or rules of metrics, with people and statements at its limits: the bytes are the first choices.
pub fn ties(bytes: &[u8]) {
    if let Err(different) = ties::one(&mut Source::begun(bytes), 60, &mut Ties::default()) {
        panic!("{different}");
    }
}
