//! How well the shipped words of each market tell generated statements of its banks: the share of records, and of
//! money, that the rules take for what they are.

use std::collections::{BTreeMap, HashMap, HashSet};

use lendwright::Policy;
use lendwright::generate::{Market, Options, Plan, csv_header, labels_header};
use lendwright::rules::compile;

use super::{counted, page_has, root, seeds, told};

/// What a record is, as far as income and commitments go, with the metric of testdata/rules/detected.toml that selects
/// it. The first that selects a record decides.
const CLASSES: [(&str, &str); 8] = [
    ("loan", "told_loan_proceeds"),
    ("repayment", "told_repayment"),
    ("own", "told_own_transfer"),
    ("own", "told_own_transfer_out"),
    ("bet", "told_winnings"),
    ("bet", "told_stake"),
    ("returned", "told_reversal"),
    ("returned", "told_refund"),
];

/// The columns of the page.
const COLUMNS: [&str; 6] = ["income", "loan", "repayment", "own", "bet", "returned"];

/// A record: its true class, the class by the rules, and its amount.
struct Judged {
    truth: &'static str,
    told: &'static str,
    amount: f64,
}

/// The policy of testdata/rules/detected.toml in a market.
fn policy_of_market(market: Market) -> Policy {
    let detected = std::fs::read_to_string(root().join("testdata/rules/detected.toml")).expect("detected.toml");
    let metrics = &detected[detected.find("[stream]").expect("streams")..];
    let head = "[policy]\nname = \"m\"\nversion = \"1\"\nstatement_unit = \"major\"\ntenure_unit = \"days\"\n";
    let text = format!("{head}market = \"{}\"\n\n{metrics}", market.name());
    let mut read = |path: &str| std::fs::read_to_string(root().join("rules").join(path)).map_err(|e| e.to_string());
    compile("m.toml", &text, &mut read, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn class_of_label(label: &str, came_in: bool) -> &'static str {
    match label {
        "loan_proceeds" => "loan",
        "loan_repayment" => "repayment",
        "own_transfer" => "own",
        "betting_win" | "betting_stake" => "bet",
        "reversal" | "refund" => "returned",
        _ if came_in => "income",
        _ => "spending",
    }
}

/// Every record of a hundred people, once.
fn judged_records(market: Market) -> Vec<Judged> {
    let options = Options { records: 200, debits: true, market, ..Options::default() };
    let (mut labels, mut table) = (labels_header().into_bytes(), csv_header(&options).into_bytes());
    for seed in seeds() {
        let plan = Plan::new(seed, 0, &options).expect("options");
        plan.write_labels("one", &mut labels).expect("memory");
        plan.write_csv(&mut table).expect("memory");
    }
    let mut classes: HashMap<(String, String), &'static str> = HashMap::new();
    let mut income: HashSet<(String, String)> = HashSet::new();
    for one in &told(&policy_of_market(market), &table) {
        let customer = one.customer.clone().expect("a customer");
        for (class, metric) in CLASSES {
            for id in counted(one, metric) {
                classes.entry((customer.clone(), id.to_owned())).or_insert(class);
            }
        }
        income.extend(counted(one, "told_income").iter().map(|id| (customer.clone(), (*id).to_owned())));
    }
    let rows = |bytes: &[u8]| -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(bytes).into_records().map(|row| row.expect("csv")).collect()
    };
    let sides: HashMap<(String, String), (bool, f64)> = rows(&table)
        .iter()
        .map(|row| {
            let amount = if row[4].is_empty() { &row[5] } else { &row[4] };
            ((row[0].to_owned(), row[1].to_owned()), (!row[4].is_empty(), amount.parse().expect("an amount")))
        })
        .collect();
    rows(&labels)
        .iter()
        .map(|row| {
            let key = (row[1].to_owned(), row[2].to_owned());
            let (came_in, amount) = sides[&key];
            let other = if income.contains(&key) { "income" } else { "spending" };
            let told = classes.get(&key).copied().unwrap_or(other);
            Judged { truth: class_of_label(&row[3], came_in), told, amount }
        })
        .collect()
}

/// A row of the page: the share of what is right, and precision and recall of each class.
fn table_row(name: &str, records: &[Judged], weight: impl Fn(&Judged) -> f64) -> String {
    let sum = |is: &dyn Fn(&Judged) -> bool| records.iter().filter(|one| is(one)).map(&weight).sum::<f64>();
    let share = |part: f64, whole: f64| if whole == 0.0 { "-".to_owned() } else { format!("{:.3}", part / whole) };
    let right = sum(&|one| one.truth == one.told);
    let cells = COLUMNS.map(|class| {
        let both = sum(&|one| one.truth == class && one.told == class);
        let precision = share(both, sum(&|one| one.told == class));
        format!("{precision}, {}", share(both, sum(&|one| one.truth == class)))
    });
    format!("| {name} | {} | {} |\n", share(right, sum(&|_| true)), cells.join(" | "))
}

#[test]
fn the_page_shows_how_well_each_market_is_told() {
    let mut table = String::from("| market | right | income | loans | repayments | own money | bets | returned |\n");
    table += &format!("|{}\n", "---|".repeat(8));
    let mut confused: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for market in Market::ALL {
        let records = judged_records(market);
        table += &table_row(&format!("{}, records", market.name()), &records, |_| 1.0);
        table += &table_row(&format!("{}, money", market.name()), &records, |one| one.amount);
        for one in records.iter().filter(|one| one.truth != one.told) {
            *confused.entry((market.name(), one.truth, one.told)).or_default() += 1;
        }
    }
    println!("{table}\n{confused:?}");
    page_has(&table);
}
