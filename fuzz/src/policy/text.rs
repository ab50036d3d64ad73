//! A policy as a rule file, and a person as a request. Works nothing out.

use std::fmt::Write;

use super::calendar::civil;
use super::model::{
    Cell, Condition, Effect, Expr, INPUTS, Kind, Member, Method, Op, Output, Person, Policy, Quota, Said, Table, Value,
};

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
    for (at, (kind, value)) in policy.parameters.iter().enumerate() {
        line(format!("p{at} = {{ value = {}, unit = \"{}\" }}", toml_value(*kind, value), unit(*kind)));
    }
    if policy.is_ready {
        line("\n[metric]".into());
        INPUTS.iter().zip(READY).for_each(|((name, _), metric)| line(format!("{name} = \"{metric}\"")));
    } else {
        line("\n[request]".into());
        INPUTS.iter().for_each(|(name, kind)| line(format!("{name} = \"{}\"", unit(*kind))));
        line("\n[metric]".into());
    }
    for (at, metric) in policy.metrics.iter().enumerate() {
        line(format!("m{at} = \"\"\"{}\"\"\"", sql(metric)));
    }
    sections(policy, &mut line);
    out
}

/// What the inputs could be worked out from, each of its kind: where they are given, nobody does.
const READY: [&str; 12] = [
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
];

fn sections(policy: &Policy, line: &mut dyn FnMut(String)) {
    for (at, requirement) in policy.requirements.iter().enumerate() {
        line(format!("\n[[require]]\nid = \"R{at}\"\n{}", condition(&requirement.condition, "\n")));
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
            line(format!("[[score.item]]\non = {}\npoints = [{}]", quoted(&item.on), bins.join(", ")));
            item.weight.iter().for_each(|weight| line(format!("weight = {weight:?}")));
            if item.has_code {
                line(format!("code = \"S{at}\"\nreason = \"item {at}\""));
            }
        }
    }
    policy.tables.iter().enumerate().for_each(|(at, one)| table(at, one, line));
    if let Some((limit, existing)) = &policy.exposure {
        line(format!("\n[exposure]\nlimit = {}", quoted(limit)));
        existing.iter().for_each(|existing| line(format!("existing = {}", quoted(existing))));
    }
    if let Some((amount, tenure)) = &policy.ask {
        line("\n[ask]".into());
        amount.iter().for_each(|amount| line(format!("amount = {}", quoted(amount))));
        tenure.iter().for_each(|tenure| line(format!("tenure = {}", quoted(tenure))));
    }
    offers(policy, line);
}

fn table(at: usize, table: &Table, line: &mut dyn FnMut(String)) {
    let inputs: Vec<String> = table.inputs.iter().map(quoted).collect();
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
            Said::Worked(expr) => format!("\"\"\"= {}\"\"\"", sql(expr)),
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
        let mut written = |key: &str, expr: &Expr| line(format!("{key} = {}", quoted(expr)));
        offer.when.iter().for_each(|when| written("when", when));
        offer.instalments.iter().for_each(|count| written("instalments", count));
        written("amount", &offer.amount);
        offer.step.iter().for_each(|step| written("step", step));
        offer.floor.iter().for_each(|floor| written("floor", floor));
        written("interest", &offer.interest);
        offer.fee.iter().for_each(|fee| written("fee", fee));
        match offer.caps.as_slice() {
            [] => {}
            [cap] => line(format!("cap = {}", quoted(cap))),
            caps => line(format!("cap = [{}]", caps.iter().map(quoted).collect::<Vec<_>>().join(", "))),
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
fn condition(condition: &Condition, between: &str) -> String {
    match condition {
        Condition::When(expr) => format!("when = {}", quoted(expr)),
        Condition::Block(least, quota, members) => {
            let members: Vec<String> = members.iter().map(member).collect();
            let members = members.join(", ");
            match quota {
                Quota::All => format!("all = [{members}]"),
                Quota::Any => format!("any = [{members}]"),
                Quota::AtLeast => format!("at_least = {least}{between}of = [{members}]"),
            }
        }
    }
}

fn member(member: &Member) -> String {
    let unknown = match member.unknown_holds {
        None => "",
        Some(true) => ", unknown = \"holds\"",
        Some(false) => ", unknown = \"fails\"",
    };
    match &member.condition {
        Condition::When(expr) if unknown.is_empty() => quoted(expr),
        other => format!("{{ {}{unknown} }}", condition(other, ", ")),
    }
}

fn quoted(expr: &Expr) -> String {
    format!("\"\"\"{}\"\"\"", sql(expr))
}

/// The day alone, as a request.
pub fn day(as_of: Option<i64>) -> String {
    as_of.map_or("{}".into(), |day| format!("{{\"as_of\":\"{}\"}}", iso(day)))
}

/// What a person brings, as the JSON of a request.
pub fn request(person: &Person) -> String {
    let as_of = person.as_of.map(|day| format!("\"as_of\":\"{}\",", iso(day)));
    let mut out = format!("{{{}", as_of.unwrap_or_default());
    for ((name, kind), value) in INPUTS.iter().zip(&person.inputs) {
        let Some(value) = value else { continue };
        let text = match value {
            Value::Whole(days) if *kind == Kind::Date => format!("\"{}\"", iso(*days)),
            Value::Whole(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Truth(value) => value.to_string(),
            Value::Text(text) => format!("\"{text}\""),
            Value::List(_) => panic!("nobody brings a list"),
        };
        let _ = write!(out, "\"{name}\":{text},");
    }
    out.truncate(out.trim_end_matches(',').len());
    out.push('}');
    out
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Pass => "pass",
        Effect::Refer => "refer",
        Effect::Decline => "decline",
    }
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

fn bare(kind: Kind, value: &Value) -> String {
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

fn cell(kind: Kind, test: &Cell) -> String {
    let list = |cells: &[Cell]| cells.iter().map(|part| cell(kind, part)).collect::<Vec<_>>().join(", ");
    match test {
        Cell::Anything => "-".into(),
        Cell::Unknown => "unknown".into(),
        Cell::Sign("=", value) => bare(kind, value),
        Cell::Sign(sign, value) => format!("{sign} {}", bare(kind, value)),
        Cell::Range(low, true, high, false) => format!("{}..{}", bare(kind, low), bare(kind, high)),
        Cell::Range(low, low_in, high, high_in) => {
            let (open, close) = (if *low_in { '[' } else { '(' }, if *high_in { ']' } else { ')' });
            format!("{open}{}..{}{close}", bare(kind, low), bare(kind, high))
        }
        Cell::Any(cells) => list(cells),
        Cell::None(cells) => format!("not({})", list(cells)),
    }
}

/// An expression as it is written, with brackets around everything.
pub fn sql(expr: &Expr) -> String {
    let list = |parts: &[Expr]| parts.iter().map(sql).collect::<Vec<_>>().join(", ");
    let joined = |parts: &[Expr], sign: &str| format!("({})", parts.iter().map(sql).collect::<Vec<_>>().join(sign));
    match &expr.op {
        Op::Input(at) => format!("request.{}", INPUTS[*at].0),
        Op::Given(at) => INPUTS[*at].0.into(),
        Op::Metric(at) => format!("m{at}"),
        Op::Output(table, column) => format!("t{table}_{column}"),
        Op::ListLength(table, column) => format!("list_length(t{table}_{column})"),
        Op::ListContains(table, column, item) => format!("list_contains(t{table}_{column}, {})", sql(item)),
        Op::Score => "score".into(),
        Op::Parameter(at) => format!("$p{at}"),
        Op::AsOf => "as_of".into(),
        Op::Own(name) => (*name).into(),
        Op::Literal(value) => match (expr.kind, value) {
            (Kind::Date, value) => format!("DATE '{}'", bare(Kind::Date, value)),
            (Kind::Text, value) => format!("'{}'", bare(Kind::Text, value)),
            (kind, value) => bare(kind, value),
        },
        Op::Arithmetic(sign, parts) => joined(parts, &format!(" {sign} ")),
        Op::Negate(inner) => format!("(- {})", sql(inner)),
        Op::Compare(sign, parts) => joined(parts, &format!(" {sign} ")),
        Op::And(parts) => joined(parts, " AND "),
        Op::Or(parts) => joined(parts, " OR "),
        Op::Not(inner) => format!("(NOT {})", sql(inner)),
        Op::Between(parts) => format!("({} BETWEEN {} AND {})", sql(&parts[0]), sql(&parts[1]), sql(&parts[2])),
        Op::In(parts) => format!("({} IN ({}))", sql(&parts[0]), list(&parts[1..])),
        Op::Like(text, pattern, any_case) => {
            format!("({} {} '{pattern}')", sql(text), if *any_case { "ILIKE" } else { "LIKE" })
        }
        Op::IsNull(inner, true) => format!("({} IS NULL)", sql(inner)),
        Op::IsNull(inner, false) => format!("({} IS NOT NULL)", sql(inner)),
        Op::IsTruth(inner, wanted) => format!("({} IS {})", sql(inner), if *wanted { "TRUE" } else { "FALSE" }),
        Op::Case(arms, otherwise) => {
            let mut text = String::from("CASE");
            for (when, then) in arms {
                let _ = write!(text, " WHEN {} THEN {}", sql(when), sql(then));
            }
            if let Some(otherwise) = otherwise {
                let _ = write!(text, " ELSE {}", sql(otherwise));
            }
            format!("({text} END)")
        }
        Op::Call(name, parts) => format!("{name}({})", list(parts)),
    }
}
