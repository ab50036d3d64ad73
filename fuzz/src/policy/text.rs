//! A policy as a rule file, and a person as a request. Works nothing out.

use super::calendar::civil;
use super::model::{
    Bound, Cell, Condition, Effect, Expr, INPUTS, Kind, Member, Method, Output, Parameter, Person, Policy, Quota, Said,
    Table, Value,
};
use super::sql::sql;

/// The rule file.
pub fn rule_file(policy: &Policy) -> String {
    let mut out =
        String::from("[policy]\nname = \"random\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n");
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    policy.valid_from.iter().for_each(|day| line(format!("valid_from = \"{}\"", iso(*day))));
    policy.valid_to.iter().for_each(|day| line(format!("valid_to = \"{}\"", iso(*day))));
    if !policy.tenure_in_days {
        line("tenure_unit = \"months\"".into());
    }
    if policy.fee_deducted {
        line("fee_mode = \"deducted\"".into());
    }
    line("\n[parameters]".into());
    policy.parameters.iter().enumerate().for_each(|(at, one)| line(format!("p{at} = {}", parameter(one))));
    if policy.is_ready {
        line("\n[metric]".into());
        INPUTS.iter().zip(READY).for_each(|((name, _), metric)| line(format!("{name} = \"{metric}\"")));
    } else {
        for bureau in [false, true] {
            line(format!("\n[{}]", source(bureau)));
            for (at, (name, kind)) in INPUTS.iter().enumerate().filter(|(at, _)| policy.bureau[*at] == bureau) {
                let kind = declared(*kind);
                line(match policy.required[at] {
                    true => format!("{name} = {{ type = \"{kind}\", required = true }}"),
                    false => format!("{name} = \"{kind}\""),
                });
            }
        }
        line("\n[metric]".into());
    }
    for (at, metric) in policy.metrics.iter().enumerate() {
        line(format!("m{at} = \"\"\"{}\"\"\"", sql(policy, metric)));
    }
    sections(policy, &mut line);
    out
}

fn parameter(parameter: &Parameter) -> String {
    let Parameter { kind, value, dated, bounds, .. } = parameter;
    let said = |value: &Value| toml_value(*kind, value);
    // What is not whole is a number without being called one.
    if let (Kind::Number, Some(value), true, None) = (kind, value, dated.is_empty(), bounds) {
        return said(value);
    }
    let mut keys: Vec<String> = value.iter().map(|value| format!("value = {}", said(value))).collect();
    if !dated.is_empty() {
        let dated: Vec<String> =
            dated.iter().map(|(from, value)| format!("{} = {}", iso(*from), said(value))).collect();
        keys.push(format!("values = {{ {} }}", dated.join(", ")));
    }
    if let Some((min, max)) = bounds {
        keys.push(format!("min = {}, max = {}", said(min), said(max)));
    }
    keys.push(format!("unit = \"{}\"", unit(*kind)));
    format!("{{ {} }}", keys.join(", "))
}

/// The parameters that are given from outside.
pub fn given(policy: &Policy) -> Vec<(String, String)> {
    let given = |(at, one): (usize, &Parameter)| Some((format!("p{at}"), bare(one.kind, one.given.as_ref()?)));
    policy.parameters.iter().enumerate().filter_map(given).collect()
}

/// Who brings an input.
pub fn source(bureau: bool) -> &'static str {
    if bureau { "bureau" } else { "request" }
}

/// What the inputs could be worked out from, each of its kind: where they are given, nobody does.
const READY: [&str; 14] = [
    "SUM(credit)",
    "MAX(debit)",
    "COUNT(*)",
    "COUNT(*) FILTER (WHERE debit > 0)",
    "MAX_GAP(trans_date)",
    "AVG(length(desc))",
    "SUM(credit) FILTER (WHERE credit > 100) / SUM(credit)",
    "SUM(debit) / SUM(credit)",
    "MAX(trans_date)",
    "LAST(desc)",
    "LAST(bank)",
    "LAST(credit > 5)",
    "list_of(LAST(code), LAST(branch))",
    "list_of(COUNT(credit), COUNT(debit))",
];

fn sections(policy: &Policy, line: &mut dyn FnMut(String)) {
    for (at, requirement) in policy.requirements.iter().enumerate() {
        line(format!("\n[[require]]\nid = \"R{at}\"\n{}", condition(policy, &requirement.condition, "\n")));
        requirement.otherwise.iter().for_each(|effect| line(format!("else = \"{}\"", word(*effect))));
        requirement.unknown.iter().for_each(|effect| line(format!("unknown = \"{}\"", word(*effect))));
        line(format!("reason = \"number {at}\""));
    }
    if let Some(score) = &policy.score {
        line(format!("\n[score]\nbase = {:?}", score.base));
        score.reasons.iter().for_each(|reasons| line(format!("reasons = {reasons}")));
        if let Some((points, odds, pdo)) = score.scale {
            line(format!("scale = {{ points = {points:?}, odds = {odds:?}, pdo = {pdo:?} }}"));
        }
        for (at, item) in score.items.iter().enumerate() {
            let bin = |(test, points): &(Cell, f64)| format!("[\"{}\", {points:?}]", cell(item.on.kind, test));
            let bins: Vec<String> = item.bins.iter().map(bin).collect();
            line(format!("[[score.item]]\non = {}\npoints = [{}]", quoted(policy, &item.on), bins.join(", ")));
            item.weight.iter().for_each(|weight| line(format!("weight = {weight:?}")));
            if item.has_code {
                line(format!("code = \"S{at}\"\nreason = \"item {at}\""));
            }
        }
    }
    policy.tables.iter().enumerate().for_each(|(at, one)| table(policy, at, one, line));
    if let Some((limit, existing)) = &policy.exposure {
        line(format!("\n[exposure]\nlimit = {}", quoted(policy, limit)));
        existing.iter().for_each(|existing| line(format!("existing = {}", quoted(policy, existing))));
    }
    if let Some((amount, tenure)) = &policy.ask {
        line("\n[ask]".into());
        amount.iter().for_each(|amount| line(format!("amount = {}", quoted(policy, amount))));
        tenure.iter().for_each(|tenure| line(format!("tenure = {}", quoted(policy, tenure))));
    }
    offers(policy, line);
}

fn table(policy: &Policy, at: usize, table: &Table, line: &mut dyn FnMut(String)) {
    let inputs: Vec<String> = table.inputs.iter().map(|input| quoted(policy, input)).collect();
    let output = |(column, output): (usize, &Output)| {
        let kind = unit(output.kind);
        let values: Vec<String> = output.values.iter().map(|value| toml_value(output.kind, value)).collect();
        match values.is_empty() {
            true => format!("t{at}_{column} = \"{kind}\""),
            false => format!("t{at}_{column} = {{ type = \"{kind}\", values = [{}] }}", values.join(", ")),
        }
    };
    let outputs: Vec<String> = table.outputs.iter().enumerate().map(output).collect();
    line(format!("\n[table.t{at}]\nhit = \"{}\"\ninputs = [{}]", table.hit.word(), inputs.join(", ")));
    line(format!("outputs = {{ {} }}\nrows = [", outputs.join(", ")));
    let said = |said: &[Said]| -> Vec<String> {
        let cells = said.iter().zip(&table.outputs).map(|(said, output)| match said {
            Said::Value(value) => toml_value(output.kind, value),
            Said::Worked(expr) => format!("\"\"\"= {}\"\"\"", sql(policy, expr)),
        });
        cells.collect()
    };
    for (cells, values) in &table.rows {
        let cells = cells.iter().zip(&table.inputs).map(|(test, input)| format!("\"{}\"", cell(input.kind, test)));
        line(format!("  [{}],", cells.chain(said(values)).collect::<Vec<_>>().join(", ")));
    }
    line("]".into());
    table.otherwise.iter().for_each(|otherwise| line(format!("otherwise = [{}]", said(otherwise).join(", "))));
}

fn offers(policy: &Policy, line: &mut dyn FnMut(String)) {
    for (at, offer) in policy.offers.iter().enumerate() {
        line(format!("\n[[offer]]\nid = \"o{at}\"\ntenure = {:?}", offer.tenures));
        let mut written = |key: &str, expr: &Expr| line(format!("{key} = {}", quoted(policy, expr)));
        offer.when.iter().for_each(|when| written("when", when));
        offer.instalments.iter().for_each(|count| written("instalments", count));
        written("amount", &offer.amount);
        offer.step.iter().for_each(|step| written("step", step));
        offer.floor.iter().for_each(|floor| written("floor", floor));
        written("interest", &offer.interest);
        offer.fee.iter().for_each(|fee| written("fee", fee));
        match offer.caps.as_slice() {
            [] => {}
            [cap] => line(format!("cap = {}", quoted(policy, cap))),
            caps => {
                line(format!("cap = [{}]", caps.iter().map(|cap| quoted(policy, cap)).collect::<Vec<_>>().join(", ")))
            }
        }
        match offer.method {
            Method::Flat => {}
            Method::Reducing => line("method = \"reducing\"".into()),
            Method::Bullet => line("method = \"bullet\"".into()),
        }
        offer.valid_for_days.iter().for_each(|days| line(format!("valid_for_days = {days}")));
    }
}

/// `when = ...` or a block, its parts parted by `between`.
fn condition(policy: &Policy, condition: &Condition, between: &str) -> String {
    match condition {
        Condition::When(expr) => format!("when = {}", quoted(policy, expr)),
        Condition::Block(least, quota, members) => {
            let members: Vec<String> = members.iter().map(|one| member(policy, one)).collect();
            let members = members.join(", ");
            match quota {
                Quota::All => format!("all = [{members}]"),
                Quota::Any => format!("any = [{members}]"),
                Quota::AtLeast => format!("at_least = {least}{between}of = [{members}]"),
            }
        }
    }
}

fn member(policy: &Policy, member: &Member) -> String {
    let unknown = match member.unknown_holds {
        None => "",
        Some(true) => ", unknown = \"holds\"",
        Some(false) => ", unknown = \"fails\"",
    };
    match &member.condition {
        Condition::When(expr) if unknown.is_empty() => quoted(policy, expr),
        other => format!("{{ {}{unknown} }}", condition(policy, other, ", ")),
    }
}

fn quoted(policy: &Policy, expr: &Expr) -> String {
    format!("\"\"\"{}\"\"\"", sql(policy, expr))
}

/// The day alone, as a request.
pub fn day(as_of: Option<i64>) -> String {
    as_of.map_or("{}".into(), |day| format!("{{\"as_of\":\"{}\"}}", iso(day)))
}

/// What a person brings, as the JSON of a request.
pub fn request(policy: &Policy, person: &Person) -> String {
    let mut keys: Vec<String> = person.as_of.iter().map(|day| format!("\"as_of\":\"{}\"", iso(*day))).collect();
    let brought = |bureau: bool| -> Vec<String> {
        let inputs = INPUTS.iter().zip(&person.inputs).enumerate().filter(|(at, _)| policy.bureau[*at] == bureau);
        let said = |((name, kind), value): (&(&str, Kind), &Option<Value>)| {
            value.as_ref().map(|value| format!("\"{name}\":{}", json(*kind, value)))
        };
        inputs.filter_map(|(_, input)| said(input)).collect()
    };
    keys.extend(brought(false));
    let bureau = brought(true);
    if !bureau.is_empty() {
        keys.push(format!("\"bureau\":{{{}}}", bureau.join(",")));
    }
    format!("{{{}}}", keys.join(","))
}

fn json(kind: Kind, value: &Value) -> String {
    match value {
        Value::Whole(days) if kind == Kind::Date => format!("\"{}\"", iso(*days)),
        Value::Whole(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => format!("\"{text}\""),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(|value| json(kind.item().unwrap_or(kind), value)).collect();
            format!("[{}]", values.join(","))
        }
    }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Pass => "pass",
        Effect::Refer => "refer",
        Effect::Decline => "decline",
    }
}

/// A type as it is declared.
fn declared(kind: Kind) -> String {
    kind.item().map_or_else(|| unit(kind).to_owned(), |item| format!("list of {}", unit(item)))
}

fn unit(kind: Kind) -> &'static str {
    match kind {
        Kind::Money | Kind::MoneyMean => "money",
        Kind::Count => "count",
        Kind::Days => "days",
        Kind::Number => "number",
        Kind::Ratio => "ratio",
        Kind::Date => "date",
        Kind::Text => "text",
        Kind::Truth => "boolean",
        Kind::List(item) => unit(*item),
    }
}

fn iso(days: i64) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Minor units as people write them.
fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let (whole, coins) = (minor.unsigned_abs() / 100, minor.unsigned_abs() % 100);
    if coins == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{coins:02}") }
}

/// A float by its digits, without an exponent.
fn digits(value: f64) -> String {
    let text = format!("{value}");
    if text.contains('.') { text } else { format!("{text}.0") }
}

pub fn bare(kind: Kind, value: &Value) -> String {
    match value {
        Value::Whole(days) if kind == Kind::Date => iso(*days),
        Value::Whole(minor) if kind == Kind::Money => major(*minor),
        Value::Whole(value) => value.to_string(),
        // Money as a float is minor units; a cell asks in major units.
        Value::Float(minor) if matches!(kind, Kind::Money | Kind::MoneyMean) => major(*minor as i64),
        Value::Float(value) => digits(*value),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(_) => panic!("nobody writes a list"),
    }
}

fn toml_value(kind: Kind, value: &Value) -> String {
    match kind {
        Kind::Text | Kind::Date => format!("\"{}\"", bare(kind, value)),
        _ => bare(kind, value),
    }
}

fn bound(kind: Kind, bound: &Bound) -> String {
    match bound {
        Bound::Here(value) => bare(kind, value),
        Bound::Parameter(at) => format!("$p{at}"),
    }
}

fn cell(kind: Kind, test: &Cell) -> String {
    let list = |cells: &[Cell]| cells.iter().map(|part| cell(kind, part)).collect::<Vec<_>>().join(", ");
    match test {
        Cell::Anything => "-".into(),
        Cell::Unknown => "unknown".into(),
        Cell::Sign("=", value) => bound(kind, value),
        Cell::Sign(sign, value) => format!("{sign} {}", bound(kind, value)),
        Cell::Range(low, true, high, false) => format!("{}..{}", bound(kind, low), bound(kind, high)),
        Cell::Range(low, low_in, high, high_in) => {
            let (open, close) = (if *low_in { '[' } else { '(' }, if *high_in { ']' } else { ')' });
            format!("{open}{}..{}{close}", bound(kind, low), bound(kind, high))
        }
        Cell::Any(cells) => list(cells),
        Cell::None(cells) => format!("not({})", list(cells)),
    }
}
