//! `records --correct` and `corrections`: what a person knows better is written, shown and counted.

use crate::fixtures::desk::Desk;

const POLICY: &str = r#"
[policy]
name = "corrected"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
tenure_unit = "days"
corrections = "said.toml"

[words]
salary = ["salary"]
narration_channels = ["nip"]

[kind]
salary = { credit = ["is_salary"] }
gift = { credit = ["is_gift"] }

[transaction]
is_salary = "credit > 0 AND mentions(salary)"
is_gift = "credit > 0 AND NOT mentions(salary)"

[metric]
salaries = "SUM(credit) FILTER (WHERE is_salary)"

[[require]]
id = "R01"
when = "salaries >= 1000"
else = "decline"
unknown = "refer"
reason = "Salaries of {salaries}"

[[offer]]
id = "30d"
tenure = 30
amount = "round_down(salaries * 0.1, 10)"
interest = 3.0
method = "flat"
valid_for_days = 7
terms = "One repayment"
"#;

const TABLE: &str = "\
customer,id,trans_date,credit,desc
ada,a1,2026-01-05,2000,NIP/ADA OBI/SALARY
ada,a2,2026-02-05,3000,NIP/BAYO OKON/SALARY
obi,o1,2026-01-05,700,NIP/ZED STORES/STIPEND
obi,o2,2026-02-05,700,NIP/ZED STORES/STIPEND
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("corrected.toml", POLICY);
    desk.write("people.csv", TABLE);
    desk
}

const SAID: [&str; 6] = ["--by", "amina", "--because", "a payslip, seen", "--on", "2026-11-02"];

fn correct(desk: &Desk, about: &[&str]) -> crate::fixtures::desk::Said {
    let mut args = vec!["records", "--policy", "corrected.toml", "people.csv", "--as-of", "2026-03-01", "--correct"];
    args.extend(about);
    args.extend(SAID);
    desk.run(&args)
}

#[test]
fn a_correction_is_written_and_shown_and_counts_from_then_on() {
    let desk = desk();
    let said = correct(&desk, &["payer=Zed Stores", "--to-kind", "salary"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    insta::assert_snapshot!("correct_written", said.out);
    insta::assert_snapshot!("correct_file", desk.read("said.toml"));
    let more =
        correct(&desk, &["id=a2", "--to-kind", "gift", "--to-payer", "Bayo Okon & Sons", "--of-customer", "ada"]);
    assert_eq!(more.status, 0, "{more:?}");
    let decided = desk.run(&["decide", "--policy", "corrected.toml", "people.csv", "--as-of", "2026-03-01"]);
    let lines: Vec<serde_json::Value> = decided.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["metrics"]["salaries"], 200_000);
    assert_eq!((&lines[1]["metrics"]["salaries"], &lines[1]["outcome"]), (&140_000.into(), &"offer".into()));
    assert!(lines[0]["policy"]["corrections"].is_string());
    // A decision is replayed with its corrections, and not without them.
    desk.write("one.json", decided.out.lines().last().unwrap());
    let replayed = |desk: &Desk| desk.run(&["replay", "one.json", "people.csv", "--policy", "corrected.toml"]);
    assert_eq!(replayed(&desk).status, 0, "{:?}", replayed(&desk));
    desk.write("said.toml", "");
    assert_eq!(replayed(&desk).status, 1);
}

#[test]
fn what_would_change_nothing_is_not_written() {
    let desk = desk();
    desk.write("said.toml", "# ours\n");
    let cases: [(&[&str], &str); 5] = [
        (&["id=zz", "--to-kind", "gift"], "id `zz` is about no record of these inputs; nothing was written"),
        (&["id=a1", "--to-kind", "gifts"], "the policy has no kind `gifts`"),
        (&["id=a1"], "say what the records are: --to-kind, --to-payer, or both"),
        (&["narration=to", "--to-kind", "gift"], "so few letters are in many narrations"),
        (&["about=a1", "--to-kind", "gift"], "write id=TEXT, payer=NAME or narration=WORDS"),
    ];
    for (about, wanted) in cases {
        let said = correct(&desk, about);
        assert_ne!(said.status, 0, "{about:?}");
        assert!(said.err.contains(wanted), "{about:?}: {}", said.err);
        assert_eq!(desk.read("said.toml"), "# ours\n");
    }
    assert_eq!(correct(&desk, &["id=a1", "--to-kind", "gift"]).status, 0);
    let again = correct(&desk, &["id=a1", "--to-kind", "salary"]);
    assert!(again.err.contains("these records are a `salary` here and a `gift` elsewhere"), "{}", again.err);
    desk.write("corrected.toml", &POLICY.replace("corrections =", "# corrections ="));
    let none = correct(&desk, &["id=a1", "--to-kind", "gift"]);
    assert!(none.err.contains("add to its [policy]: corrections = \"corrections.toml\""), "{}", none.err);
}

#[test]
fn each_correction_is_summed_up() {
    let desk = desk();
    let entry = |text: &str| format!("[[correction]]\n{text}\nby = \"amina\"\non = 2026-11-02\nwhy = \"seen\"\n\n");
    let said: String = [
        "payer = \"zed stores\"\nkind = \"salary\"",
        "narration = \"stipend\"\nkind = \"gift\"",
        "id = \"a1\"\nkind = \"salary\"",
        "id = \"a9\"\nkind = \"salary\"",
        "narration = \"salary\"\nkind = \"gift\"",
    ]
    .map(entry)
    .concat();
    desk.write("said.toml", &said);
    let args = ["corrections", "--policy", "corrected.toml", "people.csv", "--as-of", "2026-03-01"];
    let told = desk.run(&args);
    assert_eq!((told.status, told.err.as_str()), (0, ""));
    insta::assert_snapshot!("corrections_text", told.out);
    let json = desk.run(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(json.out.lines().count(), 5);
    insta::assert_snapshot!("corrections_json", json.out.lines().next().unwrap());
    assert_eq!(desk.run(&[&args[..], &["--strict"]].concat()).status, 1);
    desk.write("said.toml", &entry("payer = \"zed stores\"\nkind = \"salary\""));
    assert_eq!(desk.run(&[&args[..], &["--strict"]].concat()).status, 0);
}
