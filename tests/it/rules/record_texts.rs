//! Texts of a policy that are compared with texts of records: a text copied from a statement is found, whatever blanks
//! and invisible letters it has.

use lendwright::base::digest::Digest;
use lendwright::compile;
use lendwright::decision::{Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;

const HEADER: &str =
    "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\ntime_zone = \"UTC\"\n";

const RECORDS: &str = r#"[
    {"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 10, "notes": {"desc": "  SAL  ARY\u00a0JUNE "}},
    {"id": "2", "customer": "c", "trans_date": "2026-06-11", "credit": 10, "notes": {"desc": "cafe\u0301 visit"}},
    {"id": "3", "customer": "c", "trans_date": "2026-06-12", "credit": 10, "notes": {"desc": "P\u200bAY ROLL"}}
]"#;

fn policy(body: &str) -> Policy {
    compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|refused| panic!("{refused}"))
}

fn metrics(body: &str) -> lendwright::decision::Decision {
    let policy = policy(body);
    let statements = read_json(RECORDS.as_bytes(), "inline", &reading(&policy)).unwrap();
    decide(&policy, &statements, &Request::from_json(&policy, b"{}").unwrap()).unwrap().remove(0)
}

#[test]
fn a_text_is_found_as_it_is_copied() {
    let conditions = [
        "desc = '  SAL  ARY JUNE'",
        "desc IN ('x', 'SAL\u{a0}ARY JUNE ')",
        "desc LIKE '%SAL  ARY%'",
        "desc LIKE '  SAL%'",
        "desc LIKE '%JUNE  '",
        "desc ILIKE '%cafe\u{301}%'",
        "desc LIKE 'P\u{200b}AY%'",
        "starts_with(desc, '  SAL  ')",
        "contains(desc, 'AR\u{200b}Y')",
        "ends_with(desc, ' JUNE ')",
        "UPPER(desc) = 'CAFE\u{301} VISIT'",
        "COALESCE(desc, '') = 'P\u{200b}AY ROLL'",
        "CASE desc WHEN 'P\u{200b}AY ROLL' THEN TRUE ELSE FALSE END",
    ];
    for condition in conditions {
        let body = format!("[metric]\nn = \"COUNT(*) FILTER (WHERE {condition})\"\n");
        assert_eq!(metrics(&body).metrics["n"], 1, "{condition}");
    }
    for entry in ["sal  ary", "cafe\u{301}", "p\u{200b}ay", "\u{feff}visit"] {
        let body = format!("[words]\nlist = [\"{entry}\"]\n[metric]\nn = \"COUNT(*) FILTER (WHERE mentions(list))\"\n");
        assert_eq!(metrics(&body).metrics["n"], 1, "{entry:?}");
    }
}

#[test]
fn a_cell_finds_a_text_as_it_is_copied() {
    let cells = [
        "  SAL  ARY\u{a0}JUNE",
        "'  SAL  ARY JUNE'",
        "starts_with(' SAL  ')",
        "contains('L  A')",
        "x, 'SAL  ARY JUNE'",
    ];
    for cell in cells {
        let body = format!(
            "[metric]\nfirst = \"FIRST(desc)\"\n[table.t]\nhit = \"first\"\ninputs = [\"first\"]\n\
             outputs = {{ n = \"count\" }}\nrows = [[\"{cell}\", \"1\"], [\"-\", \"0\"]]\n\
             [[require]]\nid = \"R\"\nwhen = \"n = 1\"\nreason = \"{{n}}\"\n\
             [[offer]]\nid = \"o\"\ntenure = 30\namount = \"SUM(credit)\"\ninterest = 3\n"
        );
        assert_eq!(metrics(&body).reasons.len(), 0, "{cell}: {:?}", metrics(&body).reasons);
    }
}

/// A part of a narration may begin or end at a blank. Blanks alone match as before.
#[test]
fn only_what_nobody_sees_is_left_out() {
    for (condition, count) in [
        ("contains(desc, ' VISIT')", 0),
        ("contains(desc, ' visit')", 1),
        ("starts_with(desc, 'SAL ')", 1),
        ("starts_with(desc, 'P ')", 0),
        ("desc LIKE '%  %'", 0),
        ("desc LIKE '% %'", 3),
        ("contains(desc, '  ')", 0),
        ("desc = ' '", 0),
        ("REPLACE(desc, ' ', '  ') = 'SAL  ARY  JUNE'", 1),
        ("substring(desc, 4, 2) = ' A'", 1),
    ] {
        let body = format!("[metric]\nn = \"COUNT(*) FILTER (WHERE {condition})\"\n");
        assert_eq!(metrics(&body).metrics["n"], count, "{condition}");
    }
}

/// A text of the request is compared as it came, and a policy keeps its digest however it is read.
#[test]
fn other_texts_stay_as_they_are() {
    let body = "[request]\nname = \"text\"\n[metric]\nx = \"request.name = 'A  B'\"\n";
    let policy = policy(body);
    let statements = read_json(RECORDS.as_bytes(), "inline", &reading(&policy)).unwrap();
    let asked = |name: &str| {
        let request = Request::from_json(&policy, format!("{{\"name\": \"{name}\"}}").as_bytes()).unwrap();
        decide(&policy, &statements, &request).unwrap().remove(0).metrics["x"].clone()
    };
    assert_eq!((asked("A  B"), asked("A B")), (true.into(), false.into()));
    let digest_of = |text: &str| -> Digest {
        let body = format!("[metric]\nn = \"COUNT(*) FILTER (WHERE desc = '{text}')\"\n");
        self::policy(&body).digest()
    };
    assert_ne!(digest_of("A  B"), digest_of("A B"));
}
