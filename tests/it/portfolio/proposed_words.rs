//! `learn --words`: what labels and corrections speak for, and what they do not.

use crate::fixtures::desk::Desk;

const POLICY: &str = r#"
[policy]
name = "words"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
corrections = "said.csv"

[words]
salary = ["salary"]
narration_channels = ["nip"]
banks = []
wallets = []
forwarders = []
lending_banks = []
narration_remarks = ["food"]
narration_extras = []
narration_places = []
narration_codes = []
narration_headings = []
narration_terminals = []
legal_forms = []

[kind]
salary = { credit = ["is_salary"] }
gift = { credit = ["is_gift"] }

[transaction]
is_salary = "credit > 0 AND mentions(salary)"
is_gift = "credit > 0 AND desc LIKE '%GIFT%'"
"#;

/// Records of several people: `NETPAY ADVICE` is pay, and no list has it; FOOD is a gift of one customer alone.
fn table() -> (String, String) {
    let mut table = "customer,id,trans_date,credit,desc\n".to_owned();
    let mut labels = "customer,id,label\n".to_owned();
    for (number, customer) in ["ada", "obi", "chi"].iter().enumerate() {
        for month in 1..=8 {
            let rows = [
                ("p", format!("ACME{number} MILLS/NETPAY ADVICE {month}"), "salary"),
                ("s", "SALARY JUNE".to_owned(), "salary"),
                ("m", format!("NIP/ZED OKON/{}", ["MONEY", "THANKS"][month % 2]), ["gift", "salary"][month / 5]),
            ];
            for (sign, narration, label) in rows {
                table += &format!("{customer},{sign}{month},2026-0{month}-05,1000,{narration}\n");
                labels += &format!("{customer},{sign}{month},{label}\n");
            }
        }
    }
    for month in 1..=8 {
        table += &format!("ada,f{month},2026-0{month}-09,500,NIP/IFE OBI/FOOD\n");
        labels += &format!("ada,f{month},gift\n");
    }
    (table, labels)
}

fn desk() -> Desk {
    let desk = Desk::new();
    let (table, labels) = table();
    desk.write("words.toml", POLICY);
    desk.write("said.csv", "");
    desk.write("people.csv", &table);
    desk.write("labels.csv", &labels);
    desk
}

const ARGS: [&str; 7] = ["learn", "--policy", "words.toml", "--words", "--as-of", "2026-09-01", "people.csv"];

#[test]
fn words_that_labels_speak_for_are_proposed_with_their_precision() {
    let desk = desk();
    let said = desk.run(&[&ARGS[..], &["--labels", "labels.csv"]].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    insta::assert_snapshot!("proposed_words", said.out);
    // What is proposed compiles, where the policy has the list.
    let lists: Vec<&str> = said.out.lines().filter(|line| !line.starts_with('#')).collect();
    desk.write("lists.toml", "[words]\nsalary = [\"salary\"]\n");
    let head =
        "[policy]\nname = \"w\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\nuse = [\"lists.toml\"]\n";
    let counted = "[metric]\nn = \"COUNT(*) FILTER (WHERE mentions(salary))\"\n";
    desk.write("new.toml", &format!("{head}{}\n{counted}", lists.join("\n")));
    let checked = desk.run(&["check", "new.toml"]);
    assert_eq!(checked.status, 0, "{checked:?}");
    let json = desk.run(&[&ARGS[..], &["--labels", "labels.csv", "--format", "json"]].concat());
    let found: Vec<serde_json::Value> = serde_json::from_str(&json.out).unwrap();
    assert!(found.iter().all(|word| word["precision"][1].as_f64().unwrap() >= 0.8), "{found:#?}");
    let one = desk
        .run(&[&ARGS[..], &["--labels", "labels.csv", "--least-customers", "1", "--least-precision", "0.6"]].concat());
    assert!(one.out.contains("\"food\""), "{}", one.out);
}

#[test]
fn corrections_speak_too() {
    let desk = desk();
    let none = desk.run(&ARGS);
    assert_eq!(none.status, 1);
    assert!(none.err.contains("no record has a label, and no correction gives one a kind"), "{}", none.err);
    desk.write("said.csv", "narration,kind,by,on,why\nnetpay,salary,amina,2026-11-02,payslips\n");
    let said = desk.run(&ARGS);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("\"netpay\",  # 24 of 24 are salary"), "{}", said.out);
}
