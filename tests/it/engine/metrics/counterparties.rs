//! Words in the place of names before several names: a bank's codes, and nobody. And word lists without which names are
//! not found.

use lendwright::compile;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::{Columns, read_csv};
use serde_json::{Value, json};

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"minor\"\n\
    time_zone = \"Africa/Lagos\"\n";
const NAMES: &str = "[metric]\nparties = \"COUNT(DISTINCT counterparty)\"\nfirst = \"FIRST(counterparty)\"\n\
    last = \"LAST(counterparty)\"\n";

fn shipped(name: &str) -> Result<String, String> {
    let file = name.rsplit('/').next().unwrap_or_default();
    std::fs::read_to_string(format!("{}/rules/{file}", env!("CARGO_MANIFEST_DIR"))).map_err(|error| error.to_string())
}

fn policy(rules: &str) -> Policy {
    let text = format!("{HEADER}{rules}");
    compile("x.toml", &text, &mut shipped, &[]).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

fn with_words() -> Policy {
    policy(&format!("use = [\"words.toml\"]\n{NAMES}"))
}

/// Narrations, each of a credit on its own day, or of a debit after a `-`.
fn decided(policy: &Policy, narrations: &[&str]) -> Decision {
    let of = |narration: &str| match narration.strip_prefix('-') {
        Some(narration) => format!(",100,{narration},\n"),
        None => format!("100,,{narration},\n"),
    };
    let rows: Vec<String> = narrations.iter().map(|narration| of(narration)).collect();
    of_rows(policy, &rows)
}

/// Rows of `credit,debit,desc,people`.
fn of_rows(policy: &Policy, rows: &[String]) -> Decision {
    let row = |(day, row): (usize, &String)| format!("K1,2026-{:02}-{:02},{row}", 1 + day / 28 % 12, 1 + day % 28);
    let rows: String = rows.iter().enumerate().map(row).collect();
    let table = format!("customer,trans_date,credit,debit,desc,people\n{rows}");
    let statements = read_csv(table.as_bytes(), "t", &reading(policy), &Columns::default()).unwrap();
    decide(policy, &statements, &Request::default()).unwrap().remove(0)
}

fn codes(policy: &Policy) -> Vec<(&str, &str)> {
    policy.warnings().iter().map(|warning| (warning.code, warning.message.as_str())).collect()
}

const MOB: [&str; 5] = [
    "MOB/QXA/RIDWAN OYEBODE/church/100001",
    "MOB/QXA/BETTY ORJI/rent share/100002",
    "MOB/QXA/CHINWE ADEKOYA/SELF/100003",
    "-MOB/QWO/FEMI ADAGUN/for the shoes/100004",
    "-MOB/QWO/RENMONEY MFB/LOAN REPAYMENT/100005",
];

#[test]
fn one_loan_and_one_own_transfer_behind_a_code_say_nothing_of_the_others() {
    // The customer is no payer of the customer.
    let policy = policy("use = [\"metrics.toml\"]\n");
    let amounts = ["50000,", "60000,", "7000,", ",9000", ",20000"];
    let rows: Vec<String> =
        MOB.iter().zip(amounts).map(|(desc, amount)| format!("{amount},{},\n", desc.trim_start_matches('-'))).collect();
    let mut backwards = rows.clone();
    backwards.reverse();
    for rows in [rows, backwards] {
        let decision = of_rows(&policy, &rows);
        let metrics = ["income_total", "own_transfer_total", "loan_debit_total", "source_count"];
        assert_eq!(metrics.map(|name| decision.metrics[name].clone()), [110_000, 7_000, 20_000, 2].map(Value::from));
        let codes: Vec<&String> = decision.quality.warnings.iter().filter(|warning| warning.contains('`')).collect();
        assert!(
            codes.len() == 2
                && codes[0].starts_with("2 records have `qwo`")
                && codes[1].starts_with("3 records have `qxa`"),
            "{codes:?}"
        );
    }
}

#[test]
fn who_stands_behind_a_code_is_the_counterparty() {
    let decision = decided(&with_words(), &MOB);
    assert_eq!(
        [&decision.metrics["parties"], &decision.metrics["first"], &decision.metrics["last"]],
        [&json!(5), &json!("ridwan oyebode"), &json!("renmoney mfb")]
    );
    // A code without a name behind it is nobody.
    let decision = decided(&with_words(), &[&MOB[..3], &["MOB/QXA/100009"]].concat());
    assert_eq!([&decision.metrics["parties"], &decision.metrics["last"]], [&json!(3), &json!("chinwe adekoya")]);
    assert!(decision.quality.warnings[0].starts_with("4 records have `qxa`"), "{:?}", decision.quality.warnings);
}

#[test]
fn codes_in_a_row_and_codes_of_several_words_are_nobody() {
    let names = ["RIDWAN OYEBODE", "BETTY ORJI", "CHINWE ADEKOYA", "FEMI ADAGUN", "KUNLE ABASS", "UCHE NWANNA"];
    let more = ["TOPE BALOGUN", "SADE AFOLABI"];
    let of = |code: &str, names: &[&str]| {
        let remarks = ["church", "rent share", "food", "red bags"];
        let one = |(at, name): (usize, &&str)| format!("{code}/{name}/{}/10000{at}", remarks[at % remarks.len()]);
        names.iter().enumerate().map(one).collect::<Vec<String>>()
    };
    let all = [&names[..], &more].concat();
    for (code, names, told) in [
        ("MOB/QXA/ZAP", &names[..3], &["qxa", "zap"][..]),
        ("MOB:QXA:ZAP", &names[..3], &["qxa", "zap"]),
        ("MOB/QXA/0001/ZAP/GTB", &names[..3], &["qxa", "zap"]),
        ("QXA/ZAP/WIV", &names[..4], &["qxa", "zap", "wiv"]),
        ("QXA ZAPPER", &all, &["qxa zapper"]),
    ] {
        let narrations = of(code, names);
        let narrations: Vec<&str> = narrations.iter().map(String::as_str).collect();
        let decision = decided(&with_words(), &narrations);
        let last = names.last().unwrap().to_lowercase();
        assert_eq!(
            [&decision.metrics["parties"], &decision.metrics["first"], &decision.metrics["last"]],
            [&json!(names.len()), &json!("ridwan oyebode"), &json!(last)],
            "{code}"
        );
        for word in told {
            assert!(decision.quality.warnings.iter().any(|warning| warning.contains(&format!("`{word}`"))), "{word}");
        }
    }
}

/// Who keeps the name, and for how many records.
#[test]
fn a_name_is_no_code_for_what_is_said_behind_it() {
    let policy = with_words();
    let one: [&[&str]; 10] = [
        &["ACME/INV 1", "ACME/INV 2", "ACME/INV 3"],
        &[
            "NIP/GTB/ACME /JAN SALARY/1",
            "NIP/GTB/ACME /FEB PAY/2",
            "NIP/GTB/ACME /13TH MONTH/3",
            "NIP/GTB/ACME /LEAVE BONUS/4",
        ],
        // Remarks that could be names, now and then.
        &[
            "TRF/BOLAJI/black shoes",
            "TRF/BOLAJI/birthday cake",
            "TRF/BOLAJI/school books",
            "TRF/BOLAJI/food",
            "TRF/BOLAJI/food",
            "TRF/BOLAJI",
        ],
        &["TRF/BOLAJI/black shoes/1", "TRF/BOLAJI/birthday cake/2"],
        // Its own name after it, again and again.
        &["TRF/BOLAJI/ADA OBI/a/1", "TRF/BOLAJI/ADA OBI/b/2", "TRF/BOLAJI/ADA OBI/c/3"],
        // Some list has it.
        &["WEB/DSTV/COMPACT PLUS/ADA", "DSTV/PREMIUM BOUQUET/ADA", "DSTV/FAMILY PACK/ADA"],
        &["NIP/GTB/ADA OBI /black shoes/ok", "NIP/GTB/ADA OBI /red bags/ok", "NIP/GTB/ADA OBI /green hats/ok"],
        // A name of several words, which almost always has a remark of several words.
        &[
            "NIP/GTB/ADA OBI /black shoes",
            "NIP/GTB/ADA OBI /red bags",
            "NIP/GTB/ADA OBI /green hats",
            "NIP/GTB/ADA OBI /school books",
            "NIP/GTB/ADA OBI /birthday cake",
            "NIP/GTB/ADA OBI /cement blocks",
            "NIP/GTB/ADA OBI /roof nails",
            "NIP/GTB/ADA OBI /wedding cloth",
            "NIP/GTB/ADA OBI /lunch",
        ],
        // The places of a terminal.
        &["POS/CHICKENHUT/ALLEN AVENUE/KOSOFE", "POS/CHICKENHUT/BODIJA MARKET/X", "POS/CHICKENHUT/GARKI AREA/X"],
        &["MOB/QXA/RIDWAN OYEBODE/church/1", "MOB/QXA/RIDWAN OYEBODE/food/2"],
    ];
    for narrations in one {
        let decision = decided(&policy, narrations);
        assert_eq!(decision.metrics["parties"], 1, "{narrations:?}");
        assert!(decision.quality.warnings.is_empty(), "{:?}", decision.quality.warnings);
    }
}

#[test]
fn whom_the_provider_names_is_somebody() {
    let policy = with_words();
    let rows: Vec<String> = MOB[..3].iter().map(|desc| format!("100,,{desc},Qxa\n")).collect();
    let decision = of_rows(&policy, &rows);
    assert_eq!([&decision.metrics["parties"], &decision.metrics["first"]], [&json!(1), &json!("qxa")]);
    // Next to such a record the others are judged without it.
    let rows: Vec<String> = [
        &["100,,MOB/QXA/ADA OBI/food/1,Qxa\n".to_owned()][..],
        &MOB[..3].iter().map(|desc| format!("100,,{desc},\n")).collect::<Vec<_>>(),
    ]
    .concat();
    let decision = of_rows(&policy, &rows);
    assert_eq!([&decision.metrics["parties"], &decision.metrics["first"]], [&json!(4), &json!("qxa")]);
    assert!(decision.quality.warnings[0].starts_with("3 records have `qxa`"), "{:?}", decision.quality.warnings);
}

/// The names of a large statement are found in parts, by several threads.
#[test]
fn a_large_statement_has_the_codes_of_a_small_one() {
    let policy = with_words();
    let name = |number: usize| {
        format!("{}{} OBI", "ABCDEFGHIJ".chars().nth(number % 10).unwrap(), ["DA", "KIN", "BIODUN"][number / 10 % 3])
    };
    let row = |number: usize| format!("100,,MOB/QXA/{}/remark/{number},\n", name(number));
    for count in [30, 600, 40_000] {
        let rows: Vec<String> = (0..count).map(row).collect();
        let decision = of_rows(&policy, &rows);
        assert_eq!(
            [&decision.metrics["parties"], &decision.metrics["first"]],
            [&json!(30), &json!("ada obi")],
            "{count}"
        );
        assert!(decision.quality.warnings.last().unwrap().starts_with(&format!("{count} records have `qxa`")));
    }
}

#[test]
fn statements_are_looked_at_each_by_itself() {
    let policy = with_words();
    let row = |customer: usize| format!("K{customer},2026-01-05,100,{}\n", MOB[customer]);
    let table = format!("customer,trans_date,credit,desc\n{}", (0..3).map(row).collect::<String>());
    let statements = read_csv(table.as_bytes(), "t", &reading(&policy), &Columns::default()).unwrap();
    for decision in decide(&policy, &statements, &Request::default()).unwrap() {
        assert_eq!(decision.metrics["first"], "qxa");
        assert!(decision.quality.warnings.is_empty());
    }
}

#[test]
fn counterparties_without_word_lists_are_told() {
    let payers = "[counterparty]\npaid = \"SUM(credit)\"\n[metric]\npayers = \"COUNT(*) FILTER (WHERE paid > 0)\"\n\
        last = \"LAST(counterparty)\"\n";
    let narrations = ["NIP/GTB/ADA OBI /UPKEEP", "NIP/GTB/MUSA BELLO /RICE", "NIP/GTB/ACME MILLS LTD /AUG PAY"];
    for lists in ["use = [\"words.toml\"]\n", "use = [{ file = \"words.toml\", as = \"w\" }]\n"] {
        let policy = policy(&format!("{lists}{payers}"));
        assert_eq!(codes(&policy), [], "{lists}");
        let decision = decided(&policy, &narrations);
        assert_eq!([&decision.metrics["payers"], &decision.metrics["last"]], [&json!(3), &json!("acme mills")]);
    }
    let missing = policy(payers);
    assert!(
        matches!(*codes(&missing), [("missing-words", message)] if message.contains("no word lists")),
        "{:?}",
        codes(&missing)
    );
    let partly = policy(&format!("[words]\nbanks = [\"gtb\"]\nnarration_channels = [\"nip\"]\n{payers}"));
    assert!(
        matches!(
            *codes(&partly),
            [("missing-words", message)] if message.contains("`wallets`") && !message.contains("`banks`")
        ),
        "{:?}",
        codes(&partly)
    );
    // A policy that asks for no names needs no lists.
    assert_eq!(
        codes(&policy("[words]\npay = [\"salary\"]\n[metric]\nx = \"COUNT(*) FILTER (WHERE mentions(pay))\"\n")),
        []
    );
}

#[test]
fn entries_that_no_name_can_have_are_told() {
    let told = |entries: &str, asks: &str| {
        let policy = policy(&format!(
            "use = [\"words.toml\"]\n[words]\nseen = [{entries}]\n[metric]\nx = \"COUNT(*) FILTER (WHERE {asks})\"\n"
        ));
        let of = |warning: &lendwright::base::diagnostic::Diagnostic| {
            (warning.code, warning.message.split('"').nth(1).unwrap_or_default().to_owned())
        };
        policy.warnings().iter().map(of).collect::<Vec<_>>()
    };
    for entry in ["c24 limited", "ACME LTD", "2024", "bet 9ja", "cash loan", "rev-"] {
        assert_eq!(told(&format!("\"{entry}\""), "named(seen)"), [("never-found", entry.to_owned())]);
        assert_eq!(told(&format!("\"{entry}\""), "named(seen) OR mentions(seen)"), []);
    }
    let fine = "\"CREDIT DIRECT\", \"m kopa\", \"m-kopa\", \"bet-king\", \"football.com\", \"9credit\", \"22bet\", \
        \"cash connect\", \"FAST CASH LOAN\", \"fair money\", \"bet9ja\", \"9mobile\", \"o pay\", \"uber\", \"gtb\", \
        \"renmoney mfb\"";
    assert_eq!(told(fine, "named(seen)"), []);
    assert_eq!(codes(&policy("use = [\"metrics.toml\"]\n")), []);
}

#[test]
fn a_lender_keeps_the_words_of_its_name() {
    let policy = policy(
        "use = [\"metrics.toml\"]\n[metric]\nwho = \"LAST(counterparty)\"\n\
         is_named = \"COUNT(*) FILTER (WHERE named(lenders))\"\n",
    );
    for desc in
        ["NIP/GTB/CREDIT DIRECT LTD /9001", "TRF/CREDIT DIRECT/1", "-TRF/X/FRM ADA OBI TO CREDIT DIRECT LIMITED"]
    {
        let decision = decided(&policy, &[desc]);
        assert_eq!(
            [&decision.metrics["who"], &decision.metrics["is_named"]],
            [&json!("credit direct"), &json!(1)],
            "{desc}"
        );
    }
    assert_eq!(decided(&policy, &["NIP/GTB/DIRECT MOTORS /CREDIT"]).metrics["who"], "direct motors");
}

#[test]
fn an_entry_of_words_that_names_lose_is_found_in_names() {
    let entries = ["m-kopa", "bet-king", "9credit", "cash connect", "fast cash loan", "money merit", "loan.ng shop"];
    for entry in entries {
        let policy = policy(&format!(
            "use = [\"words.toml\"]\n[words]\nseen = [\"{entry}\"]\n[metric]\n\
             is_named = \"COUNT(*) FILTER (WHERE named(seen))\"\nparties = \"COUNT(DISTINCT counterparty)\"\n"
        ));
        assert_eq!(codes(&policy), [], "{entry}");
        let name = entry.to_uppercase();
        let narrations = [
            format!("NIP/GTB/{name} LTD /9001"),
            format!("TRF/{name}/1"),
            format!("TRF/X/FRM {name} LIMITED TO ADA OBI"),
            format!("FIP:GTB/{name}/food"),
            format!("-NIP TRANSFER TO WEMA - {name}"),
            format!("-MC Loc Web Prch-000123--PSK*{name} LANG-"),
            name.clone(),
        ];
        let narrations: Vec<&str> = narrations.iter().map(String::as_str).collect();
        let decision = decided(&policy, &narrations);
        let metrics = [&decision.metrics["is_named"], &decision.metrics["parties"]];
        assert_eq!(metrics, [&json!(narrations.len()), &json!(1)], "{entry}");
    }
}
