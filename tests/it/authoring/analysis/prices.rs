//! Prices out of order: a better grade that costs more is reported with both rows and an example, and nothing is
//! reported if prices are in order.

use lendwright::analysis::analyse;
use lendwright::compile;

const HEADER: &str = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n[metric]\n\
    records = \"COUNT(*)\"\nincome = \"SUM(credit)\"\n";
const GRADES: &str = "\n[table.grades]\nhit = \"first\"\ninputs = [\"records\"]\n\
                      outputs = { grade = { type = \"text\", values = [\"A\", \"B\", \"C\"] } }\n\
                      rows = [[\">= 50\", \"A\"], [\">= 20\", \"B\"], [\"-\", \"C\"]]\n";

/// The findings about prices. No others are allowed, except gaps.
fn told(rules: &str) -> Vec<String> {
    let text = format!("{HEADER}{rules}");
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let found = analyse(&policy).into_iter().filter(|finding| finding.code == "price-order");
    found.map(|finding| finding.message).collect()
}

fn table(inputs: &str, outputs: &str, rows: &str) -> String {
    format!("\n[table.prices]\nhit = \"first\"\ninputs = [{inputs}]\noutputs = {{ {outputs} }}\nrows = [{rows}]\n")
}

const BY_RATE: &str = "\n[[offer]]\nid = \"line\"\ntenure = 30\namount = \"income\"\ninterest = \"rate\"\n";

#[test]
fn a_better_grade_with_a_higher_rate_is_told() {
    let rate = |rows: &str| told(&format!("{GRADES}{}{BY_RATE}", table("\"grade\"", "rate = \"number\"", rows)));
    assert_eq!(rate("[\"A\", 2], [\"B\", 3], [\"C\", 3]"), Vec::<String>::new());
    let found = rate("[\"A\", 2], [\"B\", 4], [\"C\", 3]");
    assert_eq!(
        found,
        ["a better `grade` may get a higher `rate`: row 2 (`B`) has 4, row 3 (`C`) has 3; \
             for example at grade = 'B' and grade = 'C'"]
    );
    // Rows in no order, and cells with several values.
    assert_eq!(rate("[\"C\", 5], [\"not(C)\", 3]"), Vec::<String>::new());
    assert_eq!(rate("[\"C\", 3], [\"A, B\", 5]").len(), 1);
    // An earlier row takes this value from a later one.
    assert_eq!(rate("[\"A\", 2], [\"B\", 3], [\"A, C\", 4]"), Vec::<String>::new());
}

#[test]
fn grade_and_price_of_one_table_are_compared() {
    let rate = |inputs: &str, rows: &str| {
        let outputs = "grade = { type = \"text\", values = [\"A\", \"B\"] }, rate = \"number\"";
        told(&format!("{}{BY_RATE}", table(inputs, outputs, rows)))
    };
    assert_eq!(rate("\"records\"", "[\">= 50\", \"A\", 3], [\"-\", \"B\", 5]"), Vec::<String>::new());
    assert_eq!(
        rate("\"records\"", "[\">= 50\", \"A\", 6], [\"-\", \"B\", 5]"),
        ["a better `grade` gets a higher `rate`: row 1 (`A`) has 6, row 2 (`B`) has 5"]
    );
    // A second column may be the reason.
    let both = "\"records\", \"income\"";
    let apart = "[\">= 50\", \">= 9\", \"A\", 3], [\"< 50\", \">= 9\", \"B\", 4], [\">= 50\", \"< 9\", \"A\", 6], \
        [\"< 50\", \"< 9\", \"B\", 7]";
    assert_eq!(rate(both, apart), Vec::<String>::new());
    assert_eq!(rate(both, &apart.replace("\"A\", 6", "\"A\", 8")).len(), 1);
}

#[test]
fn rows_are_compared_where_everything_else_is_the_same() {
    let rate = |rows: &str| {
        let prices = table("\"grade\", \"income\"", "rate = \"number\", most = \"money\"", rows);
        let offer =
            "\n[[offer]]\nid = \"line\"\ntenure = 30\namount = \"LEAST(income, most)\"\ninterest = \"rate / 2 + 1\"\n";
        told(&format!("{GRADES}{prices}{offer}"))
    };
    let apart = "[\"A\", \"< 1000\", 5, 10], [\"A\", \"-\", 2, 90], [\"B\", \"< 1000\", 6, 10], [\"B\", \"-\", 4, 20], \
        [\"C\", \"-\", 7, 10]";
    assert_eq!(rate(apart), Vec::<String>::new());
    let found = rate("[\"A\", \"< 1000\", 5, 10], [\"A\", \"-\", 2, 90], [\"B\", \"-\", 4, 90], [\"C\", \"-\", 7, 10]");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("row 1 (`A`) has 5, row 3 (`B`) has 4") && found[0].contains("with income = "),
        "{found:?}"
    );
    assert!(found[1].contains("smaller `most`: row 1 (`A`) has 10.00, row 3 (`B`) has 90.00"), "{found:?}");
}

/// The rank of a priority says which row wins. It is an order of prices only if some go against it and some with it.
#[test]
fn a_rank_may_begin_with_the_worst() {
    let risk = GRADES
        .replace("\"first\"", "\"priority\"")
        .replace("\"A\"", "\"high\"")
        .replace("\"B\"", "\"middle\"")
        .replace("\"C\"", "\"low\"");
    let rate = |rows: &str| told(&format!("{risk}{}{BY_RATE}", table("\"grade\"", "rate = \"number\"", rows)));
    assert_eq!(rate("[\"high\", 9], [\"middle\", 6], [\"low\", 3]"), Vec::<String>::new());
    assert_eq!(rate("[\"high\", 3], [\"middle\", 6], [\"low\", 9]"), Vec::<String>::new());
    assert_eq!(rate("[\"high\", 3], [\"middle\", 9], [\"low\", 6]").len(), 1);
    // If a higher score gives a later value, the last value is the best.
    let by_score = "\n[score]\nbase = 0\n\n[[score.item]]\non = \"records\"\n\
                    points = [[\"< 20\", 0], [\"< 50\", 50], [\"-\", 100]]\n\n[table.grades]\n\
                    hit = \"first\"\ninputs = [\"score\"]\n\
                    outputs = { grade = { type = \"text\", values = [\"high\", \"low\"] } }\n\
                    rows = [[\"< 50\", \"high\"], [\"-\", \"low\"]]\n";
    let rate = |rows: &str| told(&format!("{by_score}{}{BY_RATE}", table("\"grade\"", "rate = \"number\"", rows)));
    assert_eq!(rate("[\"high\", 9], [\"low\", 3]"), Vec::<String>::new());
    assert_eq!(rate("[\"high\", 3], [\"low\", 9]").len(), 1);
}

#[test]
fn offers_by_grade_are_compared() {
    let offer = |id: &str, when: &str, interest: &str, more: &str| {
        format!(
            "\n[[offer]]\nid = \"{id}\"\nwhen = \"{when}\"\ntenure = 30\namount = \"income\"\ninterest = {interest}\n\
             {more}"
        )
    };
    let two = |a: &str, b: &str, more: &str| {
        told(&format!(
            "{GRADES}{}{}",
            offer("prime", "grade = 'A'", a, ""),
            offer("standard", "grade = 'B' OR grade = 'C'", b, more)
        ))
    };
    assert_eq!(two("3", "5", ""), Vec::<String>::new());
    assert_eq!(two("5", "5", ""), Vec::<String>::new());
    let found = two("5", "3", "");
    assert_eq!(
        found,
        ["a better `grade` gets a worse price for tenure 30: `prime` charges 5 percent at grade = 'A', \
             `standard` charges 3 percent at grade = 'B'"]
    );
    // Another method or another fee is another price.
    assert_eq!(two("5", "3", "method = \"bullet\"\n"), Vec::<String>::new());
    assert_eq!(two("5", "3", "fee = \"amount * 0.1\"\n"), Vec::<String>::new());
    assert_eq!(two("5", "3", "instalments = 2\n"), Vec::<String>::new());
    // Made on another condition too, so the choice is not certain.
    let found = told(&format!(
        "{GRADES}{}{}",
        offer("prime", "grade = 'A'", "5", ""),
        offer("standard", "grade = 'B' AND income > 5000", "3", "")
    ));
    assert_eq!(found, Vec::<String>::new());
    // The better grade may take the cheaper offer as well.
    let found =
        told(&format!("{GRADES}{}{}", offer("prime", "grade = 'A'", "5", ""), offer("all", "records >= 0", "3", "")));
    assert_eq!(found, Vec::<String>::new());
    let cases = offer("line", "income > 5000", "\"CASE grade WHEN 'A' THEN 5 WHEN 'B' THEN 3 ELSE 9 END\"", "");
    assert_eq!(told(&format!("{GRADES}{cases}")).len(), 0, "made on a condition of its own");
    let cases = offer("line", "records >= 0", "\"CASE grade WHEN 'A' THEN 5 WHEN 'B' THEN 3 ELSE 9 END\"", "");
    assert_eq!(told(&format!("{GRADES}{cases}")).len(), 1);
}

#[test]
fn offers_by_score_are_compared() {
    let rules = |low: u32, high: u32| {
        told(&format!(
            "\n[score]\nbase = 0\n\n[[score.item]]\non = \"records\"\npoints = [[\"< 20\", 0], [\"-\", 100]]\n\n\
             [[offer]]\nid = \"good\"\nwhen = \"score >= 50\"\n\
             tenure = 30\namount = \"income\"\ninterest = {high}\n\n[[offer]]\nid = \"poor\"\nwhen = \"score < 50\"\n\
             tenure = 30\namount = \"income\"\n\
             interest = {low}\n"
        ))
    };
    assert_eq!(rules(5, 3), Vec::<String>::new());
    let found = rules(3, 5);
    assert!(
        found.len() == 1
            && found[0].contains("`good` charges 5 percent at score = 5")
            && found[0].contains("`poor` charges 3"),
        "{found:?}"
    );
}

/// Neither the shipped policies nor the pieces of the cookbook have prices out of order.
#[test]
fn what_ships_is_in_order() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["starter", "salary-advance", "small-business"] {
        let policy = lendwright::files::load_policy(root.join(format!("rules/{name}.toml")), &[]).unwrap();
        assert!(analyse(&policy).iter().all(|finding| finding.code != "price-order"), "{name}");
    }
    let page = std::fs::read_to_string(root.join("docs/guides/cookbook.md")).unwrap();
    let mut looked_at = 0;
    for block in page.split("\n```toml").skip(1) {
        let block = block.split("\n```").next().unwrap().split_once('\n').unwrap().1;
        let head = HEADER.split("\n[metric]").next().unwrap();
        let text = if block.contains("[policy]") { block.to_owned() } else { format!("{head}\n{block}") };
        let Ok(policy) = compile("p.toml", &text, &mut |_| Err("no files".into()), &[]) else { continue };
        let found = analyse(&policy);
        assert!(found.iter().all(|finding| finding.code != "price-order"), "{found:?}\n{block}");
        looked_at += 1;
    }
    assert!(looked_at > 5, "{looked_at}");
}
