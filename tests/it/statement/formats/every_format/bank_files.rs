//! The statement in the formats of banks.

use super::Way;
use super::tables::latin1;
use super::truth::{CUSTOMER, OPENING, Record, plain, records, written};

pub(crate) fn ways() -> Vec<Way> {
    let mut newest = records();
    newest.reverse();
    let mt940 = mt940();
    vec![
        Way::new("camt.053 version 2", "t.xml", camt("camt.053.001.02", "", &records(), false)),
        Way::new("camt.053 version 8 with a prefix", "t.xml", camt("camt.053.001.08", "n:", &records(), true)),
        Way::new("camt.053, newest first", "t.xml", camt("camt.053.001.14", "", &newest, true)),
        Way::new("mt940", "t.sta", mt940.clone()),
        Way::new("mt940 in windows-1252", "t.mt940", latin1(&mt940)),
        Way::new("mt940 in blocks", "t.sta", format!("{{1:F01X}}{{2:I940X}}{{4:\n{mt940}-}}").replace('\n', "\r\n")),
        Way::new("ofx 1", "t.ofx", ofx(false)).for_customer().without_balances(),
        Way::new("ofx 2", "t.qfx", ofx(true)).for_customer().without_balances(),
        Way::new("qif", "t.qif", qif())
            .columns("[dates]\ntrans_date = \"DD/MM/YYYY\"\n")
            .for_customer()
            .without_order(),
    ]
}

/// A statement of this version. From version 8 on, a status and a party have a level more.
fn camt(version: &str, prefix: &str, records: &[Record], is_new: bool) -> String {
    let tag = |name: &str, inside: &str| format!("<{prefix}{name}>{inside}</{prefix}{name}>\n");
    let amount = |minor: i64| {
        let side = if minor < 0 { "DBIT" } else { "CRDT" };
        format!("<{prefix}Amt Ccy=\"NGN\">{}</{prefix}Amt>{}", plain(minor.abs()), tag("CdtDbtInd", side))
    };
    let balance = |code: &str, day: &str, minor: i64| {
        let kind = tag("Tp", &tag("CdOrPrtry", &tag("Cd", code)));
        tag("Bal", &(kind + &amount(minor) + &tag("Dt", &tag("Dt", day))))
    };
    let entry = |record: &Record| {
        let status = if is_new { tag("Cd", "BOOK") } else { "BOOK".to_owned() };
        let day = tag("Dt", &record.iso());
        let details = tag("TxDtls", &tag("RmtInf", &tag("Ustrd", record.desc)));
        let rest = tag("Sts", &status) + &tag("BookgDt", &day) + &tag("AcctSvcrRef", &record.id);
        tag("Ntry", &(amount(record.amount()) + &rest + &tag("NtryDtls", &details)))
    };
    let closing = super::truth::records().last().expect("records").balance;
    let account = tag("Acct", &(tag("Id", &tag("Othr", &tag("Id", CUSTOMER))) + &tag("Ccy", "NGN")));
    let entries: String = records.iter().map(entry).collect();
    let balances = balance("OPBD", "2026-03-01", OPENING) + &balance("CLBD", "2026-06-30", closing);
    let statement = tag("Stmt", &(tag("Id", "S1") + &account + &balances + &entries));
    let namespace = format!("urn:iso:std:iso:20022:tech:xsd:{version}");
    let bound = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{}", prefix.trim_end_matches(':')) };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{prefix}Document {bound}=\"{namespace}\">{}</{prefix}Document>\n",
        tag("BkToCstmrStmt", &statement)
    )
}

fn mt940() -> String {
    let mark = |minor: i64| if minor < 0 { "D" } else { "C" };
    let amount = |minor: i64| written(minor.abs(), "", ",");
    let mut text = format!(":20:1\n:25:{CUSTOMER}\n:28C:1/1\n:60F:{}260301NGN{}\n", mark(OPENING), amount(OPENING));
    for record in records() {
        let day = format!("26{:02}{:02}{:02}{:02}", record.month, record.day, record.month, record.day);
        let moved = record.amount();
        text += &format!(":61:{day}{}{}NTRFNONREF//{}\n:86:{}\n", mark(moved), amount(moved), record.id, record.desc);
    }
    let closing = records().last().expect("records").balance;
    text + &format!(":62F:{}260630NGN{}\n", mark(closing), amount(closing))
}

fn ofx(is_new: bool) -> String {
    let leaf = |name: &str, value: &str| match is_new {
        true => format!("<{name}>{value}</{name}>\n"),
        false => format!("<{name}>{value}\n"),
    };
    let tag = |name: &str, inside: &str| format!("<{name}>\n{inside}</{name}>\n");
    let entry = |record: &Record| {
        let kind = if record.credit > 0 { "CREDIT" } else { "DEBIT" };
        let day = record.iso().replace('-', "");
        let inside = leaf("TRNTYPE", kind)
            + &leaf("DTPOSTED", &format!("{day}120000[1:WAT]"))
            + &leaf("TRNAMT", &plain(record.amount()))
            + &leaf("FITID", &record.id)
            + &leaf("MEMO", record.desc);
        tag("STMTTRN", &inside)
    };
    let entries: String = records().iter().map(entry).collect();
    let closing = plain(records().last().expect("records").balance);
    let account = leaf("BANKID", "058") + &leaf("ACCTID", CUSTOMER) + &leaf("ACCTTYPE", "CHECKING");
    let list = leaf("DTSTART", "20260301") + &leaf("DTEND", "20260630") + &entries;
    let statement = leaf("CURDEF", "NGN")
        + &tag("BANKACCTFROM", &account)
        + &tag("BANKTRANLIST", &list)
        + &tag("LEDGERBAL", &(leaf("BALAMT", &closing) + &leaf("DTASOF", "20260630")));
    let status = tag("STATUS", &(leaf("CODE", "0") + &leaf("SEVERITY", "INFO")));
    let body = tag("BANKMSGSRSV1", &tag("STMTTRNRS", &(leaf("TRNUID", "1") + &status + &tag("STMTRS", &statement))));
    let header = match is_new {
        true => {
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?OFX OFXHEADER=\"200\" VERSION=\"211\" SECURITY=\"NONE\" \
            OLDFILEUID=\"NONE\" NEWFILEUID=\"NONE\"?>\n"
                .to_owned()
        }
        false => "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:UTF-8\nCHARSET:NONE\n\
            COMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n"
            .to_owned(),
    };
    header + &tag("OFX", &body)
}

fn qif() -> String {
    let entry = |record: &Record| {
        let day = format!("{:02}/{:02}/{}", record.day, record.month, record.year);
        format!("D{day}\nT{}\nM{}\n^\n", plain(record.amount()), record.desc)
    };
    "!Type:Bank\n".to_owned() + &records().iter().map(entry).collect::<String>()
}
