//! Documents as banks write them, random ones written in both versions and read back, and damaged ones.

use proptest::prelude::*;

use super::open_ofx_file;
use crate::statement::formats::entry::at;
use crate::statement::formats::tests::{Trial, damaged};

const OFX: Trial = Trial(open_ofx_file);

const HEADER: &str = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\n\
    COMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n";

/// A statement with these elements in it.
fn document(entries: &str) -> String {
    format!(
        "<OFX><BANKMSGSRSV1><STMTTRNRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>USD\n<BANKACCTFROM>\
         <BANKID>12<ACCTID>77<ACCTTYPE>CHECKING</BANKACCTFROM>\n<BANKTRANLIST><DTSTART>20260101<DTEND>20260131\n\
         {entries}\n</BANKTRANLIST><LEDGERBAL><BALAMT>10.50<DTASOF>20260131</LEDGERBAL></STMTRS></STMTTRNRS>\
         </BANKMSGSRSV1></OFX>"
    )
}

fn entry(elements: &str) -> String {
    document(&format!("<STMTTRN><DTPOSTED>20260102<TRNAMT>-5.00{elements}</STMTTRN>"))
}

#[test]
fn both_versions_say_the_same() {
    let sgml = "<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>20260102233000.000[-5:EST]\n<DTAVAIL>20260105\n<TRNAMT>-12.5\n\
        <FITID>F1\n<CHECKNUM>0\n<REFNUM>R7\n<NAME>ADA &amp; OBI\n<MEMO>Rent &lt;March&gt; A&B &#8364;\n</STMTTRN>";
    let closed = |text: &str| {
        let lines = text.lines().map(|line| match line.strip_prefix('<').and_then(|line| line.split_once('>')) {
            Some((name, value)) if !value.is_empty() => format!("<{name}>{value}</{name}>"),
            _ => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let xml =
        format!("<?xml version=\"1.0\"?>\n<?OFX OFXHEADER=\"200\" VERSION=\"211\"?>\n{}", document(&closed(sgml)));
    let one_line = document(&sgml.replace('\n', "")).replace('\n', "");
    let lower = {
        let text = document(sgml);
        let mut inside = false;
        let letter = |letter: char| {
            inside = letter == '<' || inside && letter != '>';
            if inside { letter.to_ascii_lowercase() } else { letter }
        };
        text.chars().map(letter).collect::<String>()
    };
    let cdata = sgml.replace("ADA &amp; OBI", "<![CDATA[ADA & OBI]]></NAME>");
    let expected = [
        "12/77|F1|2026-01-02|2026-01-05||12.5||USD|||DEBIT||R7|ADA & OBI Rent <March> A&B €|ADA & OBI|",
        "12/77||2026-01-31||||10.5|USD|closing|||||||",
    ];
    let every: Vec<usize> = (0..16).collect();
    for text in [
        format!("{HEADER}{}", document(sgml)),
        format!("{}{}", HEADER.replace('\n', "\r\n"), document(sgml).replace('\n', "\r\n")),
        format!("{}{one_line}", HEADER.replace('\n', " ")),
        xml,
        lower,
        document(&cdata),
        document(&format!("<!-- a comment <STMTTRN> -->{sgml}")),
    ] {
        assert_eq!(OFX.cells(&text, &every), expected, "{text}");
    }
}

#[test]
fn an_id_that_entries_share_identifies_none() {
    let entry =
        |id: &str, amount: &str| format!("<STMTTRN><DTPOSTED>20260102<TRNAMT>{amount}<FITID>{id}<NAME>x</STMTTRN>");
    let ids = |entries: &[(&str, &str)]| {
        let entries: String = entries.iter().map(|(id, amount)| entry(id, amount)).collect();
        OFX.cells(&document(&entries), &[at::ID]).join("|")
    };
    assert_eq!(ids(&[("A", "-100"), ("A", "-1.50"), ("B", "5")]), "||B|");
    assert_eq!(ids(&[("0", "-100"), ("0", "-100"), ("000", "5")]), "|||");
    assert_eq!(ids(&[("A", "-100"), ("A", "-100")]), "A|A|");
}

#[test]
fn empty_elements_are_empty_with_and_without_an_end() {
    for elements in
        ["<NAME><MEMO>Pay<CHECKNUM>", "<NAME></NAME><MEMO>Pay</MEMO><CHECKNUM></CHECKNUM>", "<NAME/><MEMO>Pay"]
    {
        assert_eq!(OFX.cells(&entry(elements), &[at::DEBIT, at::REFERENCE, at::DESC, at::PEOPLE])[0], "5||Pay|");
    }
}

#[test]
fn names_and_memos_make_a_whole_narration() {
    let read = |elements: &str| OFX.cells(&entry(elements), &[at::DESC, at::PEOPLE])[0].clone();
    assert_eq!(read("<NAME>ADA  OBI<MEMO>Rent"), "ADA OBI Rent|ADA OBI");
    assert_eq!(read("<NAME>SHOPRITE<MEMO>POS SHOPRITE IKEJA"), "POS SHOPRITE IKEJA|SHOPRITE");
    // A name cut off from the memo is no name.
    assert_eq!(read("<NAME>DIVIDEND FOR MAR<MEMO>DIVIDEND FOR MARCH 2026"), "DIVIDEND FOR MARCH 2026|");
    assert_eq!(read("<PAYEE><NAME>ADA OBI<CITY>Lagos</PAYEE><MEMO>ADA OBI rent"), "ADA OBI rent|ADA OBI");
    assert_eq!(read("<NAME>ADA O<EXTDNAME>ADA OBI NWOSU<MEMO>x"), "ADA OBI NWOSU x|ADA OBI NWOSU");
}

#[test]
fn amounts_currencies_and_kinds_are_what_the_bank_says() {
    let read = |amount: &str| {
        let entries = format!("<STMTTRN><DTPOSTED>20260102<TRNAMT>{amount}</STMTTRN>");
        OFX.cells(&document(&entries), &[at::CREDIT, at::DEBIT])[0].clone()
    };
    for (amount, expected) in [("+00012.50", "12.5|"), ("-12,50", "|12.5"), ("0", "0|"), (".5", "0.5|"), ("-7", "|7")] {
        assert_eq!(read(amount), expected, "{amount}");
    }
    let foreign = entry("<CURRENCY><CURRATE>1.2<CURSYM>EUR</CURRENCY>");
    assert_eq!(OFX.cells(&foreign, &[at::CURRENCY]), ["EUR", "USD"]);
    assert_eq!(OFX.cells(&entry("<ORIGCURRENCY><CURSYM>EUR</ORIGCURRENCY>"), &[at::CURRENCY]), ["USD", "USD"]);
    let pending = document(
        "</BANKTRANLIST><BANKTRANLISTP><STMTTRNP><TRNTYPE>POS<DTTRAN>20260103<TRNAMT>-1</STMTTRNP></BANKTRANLISTP>\
         <BANKTRANLIST>",
    );
    assert_eq!(OFX.cells(&pending, &[at::DEBIT, at::STATUS, at::STATED_BALANCE]), ["1|pending|", "||closing"]);
}

#[test]
fn each_account_is_named_with_its_bank() {
    let card = "<CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>EUR<CCACCTFROM><ACCTID>4111</CCACCTFROM>\
        <LEDGERBAL><BALAMT>-3<DTASOF>20260131</LEDGERBAL></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>";
    let both = entry("").replace("</OFX>", card);
    assert_eq!(
        OFX.cells(&both, &[at::ACCOUNT, at::BALANCE, at::CURRENCY]),
        ["12/77||USD", "12/77|10.5|USD", "4111|-3|EUR"]
    );
    let branch = entry("").replace("<ACCTID>", "<BRANCHID>001<ACCTID>");
    assert_eq!(OFX.cells(&branch, &[at::ACCOUNT])[0], "12/001/77");
}

#[test]
fn a_balance_that_is_no_amount_stays_as_written() {
    let read =
        |balance: &str| OFX.cells(&entry("").replace("10.50", balance), &[at::BALANCE, at::STATED_BALANCE])[1].clone();
    assert_eq!(read(" "), "|closing");
    assert_eq!(read("n/a"), "n/a|closing");
    assert_eq!(read("-1,5"), "-1.5|closing");
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    let twice = entry("").replace("</OFX>", &entry("").replace("<OFX>", "").replace("CHECKING", "SAVINGS"));
    for (text, message) in [
        (
            entry("").replace("20260102", "20260230"),
            "line 4, column 10: <DTPOSTED>: `20260230` is not a day written \
            YYYYMMDD, with or without a time",
        ),
        (entry("").replace("<DTPOSTED>20260102", ""), "line 4, column 1: the entry has no `<DTPOSTED>`"),
        (
            entry("").replace("-5.00", "$5"),
            "line 4, column 28: <TRNAMT>: `$5` is not an amount, such as `-12.50` or \
            `-12,50`",
        ),
        (
            entry("").replace("-5.00", "1,234.50"),
            "line 4, column 28: <TRNAMT>: `1,234.50` is not an amount, such as \
            `-12.50` or `-12,50`",
        ),
        (
            entry("").replace("-5.00", "1,500"),
            "line 4, column 28: <TRNAMT>: `1,500` may have a comma before thousands or before decimals",
        ),
        (entry("<TRNAMT>6"), "line 4, column 41: `<TRNAMT>` is there twice in an entry"),
        (
            entry("<CORRECTFITID>F0<CORRECTACTION>REPLACE"),
            "line 4, column 41: <CORRECTFITID>: the entry corrects an \
            earlier one; ask the bank for a statement with corrections applied",
        ),
        (
            entry("").replace("<ACCTID>77", "<ACCTID>"),
            "line 1, column 69: the statement has no `<ACCTID>`, so whose \
            account it is of is unknown",
        ),
        (
            entry("").replace("INFO", "ERROR<MESSAGE>Locked").replace("<CODE>0", "<CODE>15500"),
            "line 1, column 50: the \
            bank reports error 15500: Locked",
        ),
        (
            entry("").replace("<BANKTRANLIST>", "<INVSTMTRS></INVSTMTRS><BANKTRANLIST>"),
            "line 3, column 1: statements \
            of investments are not read; those of accounts and cards are",
        ),
        (
            twice,
            "line 5, column 167: two accounts of different `<ACCTTYPE>` have the number `12/77`; export each to a \
            file of its own",
        ),
        ("<OFX></OFX>".to_owned(), ": there is no statement of an account (`<STMTRS>`) or a card (`<CCSTMTRS>`)"),
        ("<html></html>".to_owned(), ": there is no `<OFX>`, so this is no OFX or QFX"),
        ("<OFX><STMTTRN></STMTTRN></OFX>".to_owned(), "line 1, column 6: the entry is in no statement of an account"),
        ("<OFX><STMTRS></OFX>".to_owned(), "line 1, column 14: `</OFX>` is where `</STMTRS>` belongs"),
        ("<OFX></NAME></OFX>".to_owned(), "line 1, column 6: `</NAME>` is where `</OFX>` belongs"),
        (
            "<OFX><STMTRS><CURDEF>USD".to_owned(),
            "line 1, column 6: `<STMTRS>` is never closed; the file may be cut off",
        ),
        ("<OFX>5</OFX>".to_owned(), "line 1, column 6: `5` is in `<OFX>`, which holds elements"),
        ("<OFX></OFX><OFX></OFX>".to_owned(), "line 1, column 12: `<OFX>` follows `</OFX>`"),
        (
            "<OFX><NAME>a<b</OFX>".to_owned(),
            "line 1, column 13: the tag that begins here is not closed before the next; \
            a `<` in a text is written `&lt;`",
        ),
        ("<OFX><![CDATA[".to_owned(), "line 1, column 6: what begins here is never closed"),
        (format!("<OFX>{}", "<AB>".repeat(99)) + "</AB>", "line 1, column 258: elements are nested too deeply"),
    ] {
        assert_eq!(OFX.fault(&text), message, "{text}");
    }
}

/// Entries to be written: cents, the day of January, the identifier, the name and the memo.
type Entries = Vec<(i64, u32, String, String, String)>;

fn write(accounts: &[(String, Entries)], is_xml: bool) -> String {
    let element = |name: &str, value: &str| {
        let value = value.replace('&', "&amp;").replace('<', "&lt;");
        if is_xml { format!("<{name}>{value}</{name}>") } else { format!("<{name}>{value}\n") }
    };
    let mut text = format!("{}<OFX><BANKMSGSRSV1>", if is_xml { "<?OFX OFXHEADER=\"200\"?>" } else { HEADER });
    for (account, entries) in accounts {
        text += "<STMTTRNRS><STMTRS>";
        text += &format!("{}<BANKACCTFROM>{}</BANKACCTFROM>", element("CURDEF", "NGN"), element("ACCTID", account));
        text += "<BANKTRANLIST>";
        for (cents, day, id, name, memo) in entries {
            let amount = format!("{}{}.{:02}", if *cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100);
            text += "<STMTTRN>";
            text += &element("DTPOSTED", &format!("202601{day:02}120000[+1:WAT]"));
            text +=
                &(element("TRNAMT", &amount) + &element("FITID", id) + &element("NAME", name) + &element("MEMO", memo));
            text += "</STMTTRN>";
        }
        text += "</BANKTRANLIST></STMTRS></STMTTRNRS>\n";
    }
    text + "</BANKMSGSRSV1></OFX>"
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        accounts in prop::collection::vec(
            ("[0-9]{4,12}", prop::collection::vec(
                (
                    -10_000_000_i64..10_000_000, 1_u32..=31, "([A-Z][A-Z0-9]{9})?", "[A-Zü&'][a-z]{0,9}",
                    "[A-Z<][a-z&;]{0,9}",
                ),
                0..6,
            )),
            1..4,
        ),
        is_xml in any::<bool>(),
    ) {
        let rows = OFX.rows(write(&accounts, is_xml).as_bytes()).expect("rows");
        let written: Vec<_> =
            accounts.iter().flat_map(|(account, entries)| entries.iter().map(move |entry| (account, entry))).collect();
        prop_assert_eq!(rows.len(), written.len());
        for ((_, row), (account, (cents, day, id, name, memo))) in rows.iter().zip(written) {
            let side = if *cents < 0 { at::DEBIT } else { at::CREDIT };
            let amount = format!("{}.{:02}", cents.abs() / 100, cents.abs() % 100);
            let amount = crate::statement::formats::exact::Exact::read(&amount, '.').expect("digits").to_string();
            prop_assert_eq!((&row[at::ACCOUNT], &row[at::ID], &row[side]), (account, id, &amount));
            prop_assert_eq!(&row[at::TRANS_DATE], &format!("2026-01-{day:02}"));
            prop_assert!(row[at::DESC].contains(name.as_str()) && row[at::DESC].contains(memo.trim()));
        }
    }
}

#[test]
fn damage_is_refused_with_its_place_or_changes_no_number_of_entries() {
    let entries = "<STMTTRN>\n<TRNTYPE>DEBIT\n<DTPOSTED>20260102233000[-5:EST]\n<TRNAMT>-12.5\n<FITID>F1\n\
        <NAME>ADA &amp; OBI\n<MEMO>Rent\n</STMTTRN>\n<STMTTRN><TRNTYPE>CREDIT</TRNTYPE>\
        <DTPOSTED>20260103</DTPOSTED><TRNAMT>7</TRNAMT><NAME><![CDATA[X]]></NAME></STMTTRN>";
    let whole = format!("{HEADER}{}", document(entries));
    damaged(whole.as_bytes(), b"<>/&;-\n!", 24, |round, bytes| match OFX.rows(bytes) {
        Err(fault) => assert!(
            fault.place.is_some()
                || fault.what.contains("no `<OFX>`")
                || fault.what.starts_with("there is no statement"),
            "{round}: {fault:?}"
        ),
        Ok(rows) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let entries = rows.iter().filter(|(_, row)| row[at::STATED_BALANCE].is_empty()).count();
            assert_eq!(entries, 2, "{round}: {text}");
        }
    });
}

#[test]
fn a_time_may_be_followed_by_its_zone_in_letters() {
    let day = |written: &str| {
        let text = entry("").replace("20260102", written);
        OFX.cells(&text, &[at::TRANS_DATE])[0].clone()
    };
    for written in ["20260303120000.000 GMT", "20260303120000 UTC", "202603031200", "20260303235959.000[0:GMT]"] {
        assert_eq!(day(written), "2026-03-03", "{written}");
    }
    for written in ["20260303120000 PST", "20260303 noon"] {
        let text = entry("").replace("20260102", written);
        assert!(OFX.fault(&text).contains("is not a day written YYYYMMDD"), "{written}");
    }
}
