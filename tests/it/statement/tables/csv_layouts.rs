//! CSV as banks write it: every layout that a columns file can declare gives the statement of the plain table, in each
//! way of reading, and a file that does not fit is refused in words that help.

use std::io::Cursor;

use crate::statement::*;
use lendwright::statement::{
    Columns, Error, LaidRow, Next, RowsRequest, TableBytes, TableFormat, Tables, each_row, read_csv, statements_of,
};
use proptest::prelude::*;

const COLUMNS: &str = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\namount = \"amount\"\ndesc = \"text\"\n\
    [amount]\npositive = \"credit\"\n";

const PLAIN: &str = "acct,date,amount,text\nK1,2026-03-02,337.00,SALARY\nK1,2026-03-05,-13.37,\"SHOP, MALL\"\n";

/// Reads a table as a whole and row by row, which must come to the same.
fn read_both(bytes: &[u8], label: &str, columns: &Columns) -> Result<Statements, Error> {
    let (whole, rows) = read_each_way(bytes, label, columns);
    if let (Err(whole), Err(rows)) = (&whole, &rows) {
        assert_eq!(whole.to_string(), rows.to_string());
    }
    whole
}

/// The same, where a table with several faults may be refused for any of them.
fn read_each_way(
    bytes: &[u8],
    label: &str,
    columns: &Columns,
) -> (Result<Statements, Error>, Result<Statements, Error>) {
    let whole = read_csv(bytes, label, &lagos(), columns);
    let rows = by_row(bytes, label, columns);
    match (&whole, &rows) {
        (Ok(whole), Ok(rows)) => assert_eq!(digests(whole), digests(rows)),
        (Err(_), Err(_)) => {}
        _ => panic!("{whole:?} but {rows:?}"),
    }
    (whole, rows)
}

fn by_row(bytes: &[u8], label: &str, columns: &Columns) -> Result<Statements, Error> {
    let mut rows = Vec::new();
    let asked = RowsRequest { label, columns, given: &[], rows: &|_| true, memory: 1 << 30 };
    let table = each_row(TableFormat::Csv, TableBytes::Stream(&mut Cursor::new(bytes)), &asked, |row| {
        rows.push((row.ordinal, row.bytes.to_vec()));
        Next::Row
    })?;
    let tables = Tables { tables: &[table], columns, reading: &lagos(), name_tables: false };
    let laid = rows.iter().map(|(ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(laid, &tables, |_| label.to_owned())
}

fn columns(text: &str) -> Columns {
    Columns::parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"))
}

fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn semicolons(text: &str) -> String {
    text.replace("\"SHOP, MALL\"", "SHOP  MALL").replace(',', ";").replace("SHOP  MALL", "SHOP, MALL")
}

#[test]
fn every_layout_gives_the_statement_of_the_plain_table() {
    let plain = read_both(PLAIN.as_bytes(), "t", &columns(COLUMNS)).expect("the plain table");
    assert_eq!(numbers(&plain, "credit"), [Some(33_700), None]);
    let (header, rows) = PLAIN.split_once('\n').expect("a header");
    let trailing = PLAIN.replace('\n', ",\n");
    let wide = PLAIN.replace('\n', ",,\n").replace("text,,", "text,currency_code,currency_code");
    let table = |text: &str| text.as_bytes().to_vec();
    let cases: [(&str, Vec<u8>, &str); 27] = [
        ("semicolons", table(&semicolons(PLAIN)), "delimiter = \";\""),
        ("tabs", table(&semicolons(PLAIN).replace(';', "\t")), "delimiter = \"tab\""),
        ("a note on separators", table(&format!("sep=;\n{}", semicolons(PLAIN))), ""),
        ("a note on commas", table(&format!("sep=,\r\n{PLAIN}")), "delimiter = \",\""),
        ("a mark of the encoding", table(&format!("\u{feff}{PLAIN}")), "encoding = \"utf-8\""),
        ("UTF-16 by its mark", utf16(PLAIN), ""),
        ("UTF-16", utf16(PLAIN)[2..].to_vec(), "encoding = \"utf-16\""),
        ("Windows-1252", table(PLAIN), "encoding = \"windows-1252\""),
        ("lines before the header", table(&format!("Account:,0012\n\nx \"y\n{PLAIN}")), "skip_lines = 3"),
        ("a header by its names", table(&format!("Account:,0012\n\n{PLAIN}")), "header = [\"amount\", \"acct\"]"),
        ("a footer", table(&format!("{PLAIN}Total,,323.63,\n***END \"OF FILE***\n")), "footer = [\"Total\", \"***\"]"),
        ("a footer of fewer fields", table(&format!("{PLAIN}***END OF FILE***\n")), "footer = [\"***\"]"),
        ("a footer with a date", table(&format!("{PLAIN}Closing,2026-03-31,,\n")), "footer = [\"Closing\"]"),
        ("comments", table(&format!("# x\n{header}\n# \"y\n{rows}#")), "comment = \"#\""),
        ("a comment's mark of two letters", table(&format!("//x\n{header}\n//y\n{rows}")), "comment = \"//\""),
        ("CRLF", table(&PLAIN.replace('\n', "\r\n")), ""),
        ("CR", table(&PLAIN.replace('\n', "\r")), ""),
        ("commas at each end", table(&trailing), ""),
        ("a comma at the end of rows", table(&format!("{header}\n{}", rows.replace('\n', ",\n"))), ""),
        ("a comma at the end of the header", table(&format!("{header},\n{rows}")), ""),
        ("two blank names", table(&PLAIN.replace('\n', ",,\n")), ""),
        ("a name twice that nothing reads", table(&wide), ""),
        ("rows of commas", table(&PLAIN.replace("\nK1", "\n,,,\nK1")), ""),
        ("blanks around names", table(&PLAIN.replace("date,amount", " date , amount\t")), ""),
        ("a name of two lines", table(&PLAIN.replace("acct", "\"a\r\n  c\"")), "footer = [\"a c\"]"),
        ("blank lines", table(&PLAIN.replace('\n', "\n\n")), ""),
        (
            "all at once",
            utf16(&format!("x;y\n\n{}Total;1\n", semicolons(PLAIN))),
            "delimiter = \";\"\nheader = [\"text\"]\nfooter = [\"Total\"]",
        ),
    ];
    for (name, bytes, layout) in cases {
        let file = format!("{COLUMNS}[file]\n{layout}\n").replace("footer = [\"a c\"]", "");
        let file = if layout.contains("a c") { file.replace("\"acct\"", "\" a c \"") } else { file };
        let read = read_both(&bytes, "t", &columns(&file)).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        assert_eq!(digests(&read), digests(&plain), "{name}");
    }
    let tabs = semicolons(PLAIN).replace(';', "\t");
    for label in ["in/t.tsv", "t.TSV", "t.tsv.gz"] {
        let read = read_both(tabs.as_bytes(), label, &columns(COLUMNS)).expect("tabs by the file's ending");
        assert_eq!(digests(&read), digests(&plain), "{label}");
    }
}

#[test]
fn windows_letters_are_decoded() {
    let bytes = b"acct,date,amount,text\nK1,2026-03-02,337.00,F\xdcR 5 \x80 CAF\xc9\n";
    let file = format!("{COLUMNS}[file]\nencoding = \"windows-1252\"\n");
    let read = read_both(bytes, "t", &columns(&file)).expect("a statement");
    assert_eq!(texts(&read, "desc"), [Some("FÜR 5 € CAFÉ".to_owned())]);
}

#[test]
fn a_label_above_the_header_names_the_customer() {
    let table = "Holder:,Mary\nAccount:,,0012\n\ndate,amount\n2026-03-02,337.00\n";
    let file = "[columns]\ntrans_date = \"date\"\namount = \"amount\"\n[amount]\npositive = \"credit\"\n[file]\n\
        header = [\"date\"]\n[customer]\nafter = \"Account:\"\n";
    let read = read_both(table.as_bytes(), "t", &columns(file)).expect("a statement");
    assert_eq!(read.heads()[0].customer.as_deref(), Some("0012"));
    let wrong = read_both(table.replace("Account", "IBAN").as_bytes(), "t", &columns(file)).expect_err("no label");
    assert!(wrong.to_string().contains("[customer] after = \"Account:\": above the header"), "{wrong}");
}

/// Tables that do not fit: each with its layout, and with what the message says or, after `!`, must not say.
const MISFITS: [(&str, &str, &[&str]); 26] = [
    (
        "acct;date;amount;text\nK1;2026-03-02;1,5;x\n",
        "",
        &["no column `acct`", "separated by semicolons: declare delimiter = \";\"", "`date`, `amount`", COMMAND],
    ),
    ("acct\tdate\tamount\ttext\nK1\t2026-03-02\t5\tx\n", "", &["tabs: declare delimiter = \"tab\""]),
    (
        "\"Account:\",\"12345\"\n\"Mary Smith\"\n\nacct,date,amount,text\nK1,2026-03-02,5,x\n",
        "",
        &["line 4 looks like the header: declare skip_lines = 3", COMMAND, "!Mary", "!12345"],
    ),
    (
        "x\r\n\r\nacct;date;amount;text\r\nK1;2026-03-02;5;x\r\n",
        "",
        &["semicolons", "line 3 looks like the header: declare skip_lines = 2"],
    ),
    ("K1,2026-03-02,5,MARY SMITH\nK1,2026-03-03,5,x\n", "", &[COMMAND, "!MARY", "!K1", "!2026"]),
    ("Mary Smith,Long Road\nJoe,Lagos\n", "", &[COMMAND, "!Mary"]),
    (
        "Konto,Buchungstag,Betrag\nK1,02.03.2026,5\n",
        "",
        &["the file's columns are `Konto`, `Buchungstag`, `Betrag`", COMMAND],
    ),
    ("acct,date,sum,text\nK1,2026-03-02,5,x\n", "", &["no column `amount`", "its columns are `acct`, `date`, `sum`"]),
    ("acct,date,amout,text\n", "", &["did you mean `amout`?", "!lendwright columns"]),
    ("a\0c\0c\0t\0", "", &["encoding = \"utf-16\""]),
    ("acct,date,amount,text\nK1,2026-03-02,5,x,y\n", "", &["row 1: 5 fields where the header has 4"]),
    ("acct,date,amount,text\nK1,2026-03-02,5\n", "", &["row 1: 3 fields where the header has 4"]),
    ("acct,date,amount,text\nK1,2026-03-02,5,x\n***END***\n", "", &["row 2: 1 fields where the header has 4"]),
    (
        "acct,date,amount,text\nK1,2026-03-02,5,x\nTotal,,5,\nK1,2026-03-03,5,x\n",
        "footer = [\"Total\"]",
        &["row 3: it has a date, but `Total` in row 2 ended the table"],
    ),
    (
        "acct,date,amount,text\nTotal Gas,2026-03-02,5,x\n",
        "footer = [\"Total\"]",
        &["row 1: it begins with `Total`", "has a date and an amount as a record has"],
    ),
    (
        "acct,date,amount,text\nK1,2026-03-02,5,x\nEnd\n\"x\nK1,2026-03-03,5,x\n\",,,\n",
        "footer = [\"End\"]",
        &["row 3: a quote opened in this row is not closed before the next rows begin"],
    ),
    ("acct;date;amount;text\nK1;2026-03-02;5;\"x\nK1;2026-03-03;5;y\"\n", "delimiter = \";\"", &["row 1: a quote"]),
    ("acct,date,amount,text,text\nK1,2026-03-02,5,x,y\n", "", &["two columns `text`"]),
    ("acct,date,amount,text, text \nK1,2026-03-02,5,x,y\n", "", &["two columns `text`"]),
    ("sep=;\nacct;date\n", "delimiter = \",\"", &["first line says that `;` separates", "delimiter = \",\""]),
    ("acct,date,amount,text\n", "skip_lines = 9", &["skip_lines = 9, but the file has only 1 lines"]),
    (
        "acct,date,amount,text\n",
        "header = [\"acct\", \"Saldo\"]",
        &["line 1 has all but `Saldo`", "lendwright columns"],
    ),
    ("acct,date,amount,text\nK1,2026-03-02,5,\u{feff}x\n", "encoding = \"utf-16\"", &["does not begin as UTF-16"]),
    ("\u{feff}acct,date\n", "encoding = \"windows-1252\"", &["begins with the mark of UTF-8"]),
    (
        "acct,date,amount,text\nK1,2026-03-02,5,\u{10d}\n",
        "encoding = \"windows-1252\"",
        &["line 2", "not Windows-1252"],
    ),
    (",,,\n", "", &["it has no header"]),
];

const COMMAND: &str = "`lendwright columns FILE` writes a columns file";

#[test]
fn a_table_that_does_not_fit_is_explained() {
    for (table, layout, says) in MISFITS {
        let file = columns(&format!("{COLUMNS}[file]\n{layout}\n"));
        let wrong = read_both(table.as_bytes(), "t", &file).expect_err(table).to_string();
        for text in says {
            let fits = text.strip_prefix('!').map_or(wrong.contains(text), |unwanted| !wrong.contains(unwanted));
            assert!(fits, "{table:?} {layout}\n{wrong}\nnot as wanted: {text}");
        }
    }
    let wrong = read_both(b"a\nf\xfcr\n", "t", &columns(COLUMNS)).expect_err("not UTF-8").to_string();
    assert!(
        wrong.contains("line 2: the bytes from byte 3 on are not UTF-8") && wrong.contains("windows-1252"),
        "{wrong}"
    );
}

#[test]
fn a_wrong_layout_is_refused_with_the_columns_file() {
    for (layout, says) in [
        ("delimiter = \"semicolon\"", "columns: [file] delimiter = \"semicolon\": write \";\""),
        ("encoding = \"latin1\"", "columns: [file] encoding = \"latin1\" is not known"),
        ("skip_lines = 1\nheader = [\"a\"]", "columns: [file] `skip_lines` and `header` both say"),
        ("lines = 1", "unknown field `lines`"),
    ] {
        let wrong = Columns::parse(&format!("{COLUMNS}[file]\n{layout}\n")).expect_err(layout).to_string();
        assert!(wrong.contains(says), "{wrong}");
    }
}

/// A way to write a table.
#[derive(Clone, Debug)]
struct Dialect {
    delimiter: char,
    notes_delimiter: bool,
    encoding: usize,
    has_mark: bool,
    preamble: Vec<String>,
    counts_lines: bool,
    footer: Vec<String>,
    comment: Option<&'static str>,
    line_break: &'static str,
    quotes_all: bool,
    trailing: bool,
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let lines = || proptest::collection::vec("[a-z :;,|\"]{0,12}", 0..4);
    let text = (prop_oneof![Just(','), Just(';'), Just('\t'), Just('|'), Just('^')], any::<bool>(), 0..4_usize);
    let around = (lines(), any::<bool>(), lines(), prop_oneof![Just(None), Just(Some("#")), Just(Some("%%"))]);
    let marks = (prop_oneof![Just("\n"), Just("\r\n"), Just("\r")], any::<bool>(), any::<bool>(), any::<bool>());
    (text, around, marks).prop_map(|(text, around, marks)| Dialect {
        delimiter: text.0,
        notes_delimiter: text.1,
        encoding: text.2,
        has_mark: marks.3,
        preamble: around.0,
        counts_lines: around.1,
        footer: around.2.into_iter().filter(|line| !line.contains('"')).collect(),
        comment: around.3,
        line_break: marks.0,
        quotes_all: marks.1,
        trailing: marks.2,
    })
}

impl Dialect {
    fn write(&self, rows: &[Vec<String>]) -> Vec<u8> {
        let mut lines: Vec<String> = Vec::new();
        if self.notes_delimiter {
            lines.push(format!("sep={}", self.delimiter));
        }
        lines.extend(self.preamble.iter().cloned());
        let delimiter = self.delimiter.to_string();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| self.cell(cell)).collect();
            cells.join(&delimiter) + if self.trailing { &delimiter } else { "" }
        };
        lines.push(line(&["acct", "date", "amount", "text"].map(str::to_owned)));
        for row in rows {
            lines.extend(self.comment.map(|mark| format!("{mark} a \"comment")));
            lines.push(line(row));
        }
        lines.push("~end".to_owned());
        lines.extend(self.footer.iter().cloned());
        let text = lines.join(self.line_break);
        let mark = if self.has_mark || self.encoding == 2 { "\u{feff}" } else { "" };
        match self.encoding {
            0 => format!("{mark}{text}").into_bytes(),
            1 => text.chars().map(|letter| if letter == 'é' { 0xe9 } else { letter as u8 }).collect(),
            2 => format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => format!("{mark}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }

    fn cell(&self, text: &str) -> String {
        let needs = text.starts_with(['#', '%']) || text.contains([self.delimiter, '"', '\n', '\r']);
        if needs || self.quotes_all { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    }

    fn layout(&self) -> String {
        let mut layout = format!("{COLUMNS}[file]\nfooter = [\"~end\"]\n");
        if !self.notes_delimiter {
            let delimiter = if self.delimiter == '\t' { "tab".to_owned() } else { self.delimiter.to_string() };
            layout += &format!("delimiter = \"{delimiter}\"\n");
        }
        match self.encoding {
            1 => layout += "encoding = \"windows-1252\"\n",
            3 if !self.has_mark => layout += "encoding = \"utf-16be\"\n",
            _ => {}
        }
        if let Some(mark) = self.comment {
            layout += &format!("comment = \"{mark}\"\n");
        }
        let lines = self.preamble.len() + usize::from(self.notes_delimiter);
        match self.counts_lines {
            true => layout + &format!("skip_lines = {lines}\n"),
            false => layout + "header = [\"acct\", \"amount\"]\n",
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<Vec<String>>> {
    let row = (1..29_u32, 1..99_999_u32, "[a-zé,;|\"#%\n^ \t]{0,9}[a-zé]").prop_map(|(day, minor, text)| {
        let amount = format!("{}.{:02}", minor / 100, minor % 100);
        vec!["K1".to_owned(), format!("2026-03-{day:02}"), amount, text]
    });
    proptest::collection::vec(row, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_table_in_any_dialect_is_the_plain_table(dialect in dialect(), rows in rows()) {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["acct", "date", "amount", "text"]).expect("memory");
        rows.iter().for_each(|row| writer.write_record(row).expect("memory"));
        let plain = read_both(&writer.into_inner().expect("memory"), "t", &columns(COLUMNS)).expect("the plain table");
        let read = read_both(&dialect.write(&rows), "t", &columns(&dialect.layout())).expect("the same table");
        prop_assert_eq!(digests(&read), digests(&plain));
    }

    #[test]
    fn damage_never_panics(
        dialect in dialect(),
        rows in rows(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..4),
    ) {
        let mut bytes = dialect.write(&rows);
        for (at, byte, how) in damage {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, byte),
            }
        }
        // Whatever comes of it, both ways of reading agree.
        let _ = read_each_way(&bytes, "t", &columns(&dialect.layout()));
    }
}
