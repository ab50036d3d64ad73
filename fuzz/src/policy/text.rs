//! A policy as its files. Computes no values.

use lendwright::base::digest::Digest;

use super::entries::{FIELDS, LIST};
use super::model::{
    Condition, Expr, INPUTS, Kind, Method, Offer, Op, Output, Parameter, Policy, Said, Score, Table, Value,
};
use super::names::Sort;
use super::sql::Writer;
use super::values::{bare, declared, digits, iso, source, toml_value, unit};

/// The files of a policy by their paths from its folder, the policy itself last. `challenger` is the header's entry for
/// one.
pub fn files(policy: &Policy, challenger: Option<&str>) -> Vec<(String, String)> {
    let mut written: Vec<(String, String)> = Vec::new();
    for file in policy.order() {
        let mut text = if file == 0 { head(policy) } else { String::new() };
        let uses: Vec<String> = policy.used_by(file).iter().map(|used| use_of(policy, file, *used, &written)).collect();
        if !uses.is_empty() {
            text += &format!("use = [{}]\n", uses.join(", "));
        }
        if let Some(challenger) = challenger.filter(|_| file == 0) {
            text += &format!("challenger = {challenger}\n");
        }
        let mut writer = FileWriter { policy, file, text, rows: Vec::new() };
        writer.definitions();
        writer.sections();
        let FileWriter { text, rows, .. } = writer;
        written.extend(rows);
        written.push((policy.files[file].path.clone(), text));
    }
    written
}

fn head(policy: &Policy) -> String {
    let version = &policy.version;
    let mut head =
        format!("[policy]\nname = \"random\"\nversion = \"{version}\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n");
    let mut line = |key: &str, value: &str| head += &format!("{key} = \"{value}\"\n");
    policy.valid_from.iter().for_each(|day| line("valid_from", &iso(*day)));
    policy.valid_to.iter().for_each(|day| line("valid_to", &iso(*day)));
    if policy.tenure_unit != "days" {
        line("tenure_unit", policy.tenure_unit);
    }
    if policy.fee_deducted {
        line("fee_mode", "deducted");
    }
    head
}

/// The `use` entry for a file that is already written.
fn use_of(policy: &Policy, by: usize, used: usize, written: &[(String, String)]) -> String {
    let file = &policy.files[used];
    let path = path_from(&policy.files[by].path, &file.path);
    let space = file.space.filter(|_| file.by == by);
    if space.is_none() && !file.locked {
        return format!("\"{path}\"");
    }
    let space = space.map(|space| format!(", as = \"{space}\"")).unwrap_or_default();
    let text = written.iter().find(|(path, _)| *path == file.path).map(|(_, text)| text);
    let digest =
        text.filter(|_| file.locked).map(|text| format!(", digest = \"{}\"", Digest::compute(text.as_bytes())));
    format!("{{ file = \"{path}\"{space}{} }}", digest.unwrap_or_default())
}

/// Both relative to the policy's folder, at most one folder deep.
fn path_from(by: &str, path: &str) -> String {
    match (by.split_once('/'), path.split_once('/')) {
        (Some((here, _)), Some((there, name))) if here == there => name.to_owned(),
        (Some(_), _) => format!("../{path}"),
        (None, _) => path.to_owned(),
    }
}

/// The parameters that are given from outside.
pub fn given(policy: &Policy) -> Vec<(String, String)> {
    let given = |(at, one): (usize, &Parameter)| {
        Some((policy.whole_name(Sort::Parameter, at), bare(one.kind, one.given.as_ref()?)))
    };
    policy.parameters.iter().enumerate().filter_map(given).collect()
}

/// Expressions that could compute the inputs, each of its kind. If the inputs are given, they are never evaluated.
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

/// One file.
struct FileWriter<'p> {
    policy: &'p Policy,
    file: usize,
    text: String,
    /// Tables whose rows are in files beside it, by path.
    rows: Vec<(String, String)>,
}

impl<'p> FileWriter<'p> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn writer(&self) -> Writer<'p> {
        Writer { policy: self.policy, file: self.file }
    }

    /// The entries of a list that belong to this file, by index.
    fn here<T>(&self, homes: &[usize], list: &'p [T]) -> Vec<(usize, &'p T)> {
        let here = homes.iter().zip(list).enumerate().filter(|(_, (home, _))| **home == self.file);
        here.map(|(at, (_, one))| (at, one)).collect()
    }

    /// The parameters of this file. The policy's own file overrides some of the others.
    fn parameters(&mut self) {
        let policy = self.policy;
        let home = |at: usize| policy.homes.parameters[at];
        let all = || policy.parameters.iter().enumerate();
        let own = all().filter(|(at, _)| home(*at) == self.file).map(|(at, one)| {
            let said = if self.file != 0 && one.is_overridden { replaced(one.kind) } else { parameter(one) };
            format!("{} = {said}", policy.own_name(Sort::Parameter, at))
        });
        let changed = all().filter(|(at, one)| self.file == 0 && home(*at) != 0 && one.is_overridden);
        let changed = changed.map(|(at, one)| {
            let name = policy.whole_name(Sort::Parameter, at);
            let name = if at % 2 == 0 && name.contains('.') { format!("\"{name}\"") } else { name };
            format!("{name} = {}", overriding(one))
        });
        let lines: Vec<String> = own.chain(changed).collect();
        if !lines.is_empty() {
            self.line("\n[parameters]");
        }
        lines.iter().for_each(|line| self.line(line));
    }

    fn definitions(&mut self) {
        let policy = self.policy;
        self.parameters();
        let inputs = self.here(&policy.homes.inputs, &INPUTS);
        for bureau in [false, true].into_iter().filter(|_| !policy.is_ready) {
            let inputs: Vec<_> =
                inputs.iter().filter(|(at, _)| policy.declared[*at] && policy.bureau[*at] == bureau).collect();
            if !inputs.is_empty() {
                self.line(&format!("\n[{}]", source(bureau)));
            }
            for (at, (name, kind)) in inputs {
                let kind = declared(*kind);
                self.line(&match policy.required[*at] {
                    true => format!("{name} = {{ type = \"{kind}\", required = true }}"),
                    false => format!("{name} = \"{kind}\""),
                });
            }
        }
        if self.file == 0 && !policy.is_ready {
            let (source, list) = LIST.split_once('.').expect("a source and a name");
            self.line(&format!("\n[input.{source}.{list}]"));
            FIELDS.iter().for_each(|(name, kind)| self.line(&format!("{name} = \"{}\"", declared(*kind))));
        }
        let metrics = self.here(&policy.homes.metrics, &policy.metrics);
        let is_ready = policy.is_ready && self.file == 0;
        if is_ready || !metrics.is_empty() {
            self.line("\n[metric]");
        }
        if is_ready {
            INPUTS.iter().zip(READY).for_each(|((name, _), metric)| self.line(&format!("{name} = '''{metric}'''")));
        }
        for (at, metric) in metrics {
            let quoted = self.writer().quoted(metric);
            self.line(&format!("{} = {quoted}", policy.own_name(Sort::Metric, at)));
        }
    }

    fn sections(&mut self) {
        let (policy, writer) = (self.policy, self.writer());
        for (at, requirement) in self.here(&policy.homes.requirements, &policy.requirements) {
            self.line(&format!("\n[[require]]\nid = \"R{at}\"\n{}", writer.condition(&requirement.condition, "\n")));
            requirement.otherwise.iter().for_each(|effect| self.line(&format!("else = \"{}\"", effect.word())));
            requirement.unknown.iter().for_each(|effect| self.line(&format!("unknown = \"{}\"", effect.word())));
            let told = match &requirement.condition {
                Condition::When(Expr { op: Op::Compare(_, sides), .. }) if requirement.is_told => {
                    format!(": {{{}}} beside {{{}}}", writer.sql(&sides[0]), writer.sql(&sides[1]))
                }
                _ => String::new(),
            };
            self.line(&format!("reason = \"number {at}{told}\""));
        }
        if let Some(score) = policy.score.as_ref().filter(|_| policy.homes.score == self.file) {
            self.score(score);
        }
        self.here(&policy.homes.tables, &policy.tables).into_iter().for_each(|(at, one)| self.table(at, one));
        if let Some((limit, existing)) = policy.exposure.as_ref().filter(|_| policy.homes.exposure == self.file) {
            self.line(&format!("\n[exposure]\nlimit = {}", writer.quoted(limit)));
            existing.iter().for_each(|existing| self.line(&format!("existing = {}", writer.quoted(existing))));
        }
        if let Some((amount, tenure)) = policy.ask.as_ref().filter(|_| policy.homes.ask == self.file) {
            self.line("\n[ask]");
            amount.iter().for_each(|amount| self.line(&format!("amount = {}", writer.quoted(amount))));
            tenure.iter().for_each(|tenure| self.line(&format!("tenure = {}", writer.quoted(tenure))));
        }
        self.here(&policy.homes.offers, &policy.offers).into_iter().for_each(|(at, one)| self.offer(at, one));
    }

    fn score(&mut self, score: &Score) {
        let writer = self.writer();
        self.line(&format!("\n[score]\nbase = {}", digits(&score.base)));
        score.reasons.iter().for_each(|reasons| self.line(&format!("reasons = {reasons}")));
        if let Some((points, odds, pdo)) = score.scale {
            self.line(&format!("scale = {{ points = {points:?}, odds = {odds:?}, pdo = {pdo:?} }}"));
        }
        for (at, item) in score.items.iter().enumerate() {
            let bins = item
                .bins
                .iter()
                .map(|(test, points)| format!("[\"{}\", {}]", writer.cell(item.on.kind, test), digits(points)));
            let bins = bins.collect::<Vec<_>>().join(", ");
            self.line(&format!("[[score.item]]\non = {}\npoints = [{bins}]", writer.quoted(&item.on)));
            item.weight.iter().for_each(|weight| self.line(&format!("weight = {}", digits(weight))));
            if item.has_code {
                self.line(&format!("code = \"S{at}\"\nreason = \"item {at}\""));
            }
        }
    }

    fn table(&mut self, at: usize, table: &Table) {
        let (policy, writer) = (self.policy, self.writer());
        let name = policy.own_name(Sort::Table, at);
        let inputs: Vec<String> = table.inputs.iter().map(|input| writer.quoted(input)).collect();
        let output = |(column, output): (usize, &Output)| {
            let kind = declared(output.kind);
            let values: Vec<String> = output.values.iter().map(|value| toml_value(output.kind, value)).collect();
            match values.is_empty() {
                true => format!("{name}_{column} = \"{kind}\""),
                false => format!("{name}_{column} = {{ type = \"{kind}\", values = [{}] }}", values.join(", ")),
            }
        };
        let outputs: Vec<String> = table.outputs.iter().enumerate().map(output).collect();
        self.line(&format!("\n[table.{name}]\nhit = \"{}\"\ninputs = [{}]", table.hit.word(), inputs.join(", ")));
        self.line(&format!("outputs = {{ {} }}", outputs.join(", ")));
        let said = |said: &[Said]| -> Vec<String> {
            let cells = said.iter().zip(&table.outputs).map(|(said, output)| match said {
                Said::Value(value) => toml_value(output.kind, value),
                Said::Worked(expr) => format!("'''= {}'''", writer.sql(expr)),
            });
            cells.collect()
        };
        if table.in_csv {
            self.csv(at, table);
        } else {
            self.line("rows = [");
            for (cells, values) in &table.rows {
                let tests = cells.iter().zip(&table.inputs);
                let tests = tests.map(|(test, input)| format!("\"{}\"", writer.cell(input.kind, test)));
                self.line(&format!("  [{}],", tests.chain(said(values)).collect::<Vec<_>>().join(", ")));
            }
            self.line("]");
        }
        table.otherwise.iter().for_each(|one| self.line(&format!("otherwise = [{}]", said(one).join(", "))));
    }

    /// The rows in a file beside this one.
    fn csv(&mut self, at: usize, table: &Table) {
        let (policy, writer) = (self.policy, self.writer());
        let name = policy.own_name(Sort::Table, at);
        let titles = table.inputs.iter().map(|input| writer.sql(input));
        let titles = titles.chain((0..table.outputs.len()).map(|column| format!("{name}_{column}")));
        let mut lines: Vec<Vec<String>> = vec![titles.collect()];
        for (cells, values) in &table.rows {
            let tests = cells.iter().zip(&table.inputs).map(|(test, input)| writer.cell(input.kind, test));
            let said = values.iter().zip(&table.outputs).map(|(said, output)| match said {
                Said::Value(value) => bare(output.kind, value),
                Said::Worked(expr) => format!("= {}", writer.sql(expr)),
            });
            lines.push(tests.chain(said).collect());
        }
        let cell = |text: &String| match text.contains([',', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let end = if at.is_multiple_of(2) { "\n" } else { "\r\n" };
        let line = |cells: &Vec<String>| cells.iter().map(cell).collect::<Vec<_>>().join(",") + end;
        let path = format!("{}.t{at}.csv", policy.files[self.file].path);
        self.line(&format!("rows = \"{}\"", path_from(&policy.files[self.file].path, &path)));
        self.rows.push((path, lines.iter().map(line).collect()));
    }

    fn offer(&mut self, at: usize, offer: &Offer) {
        let writer = self.writer();
        self.line(&format!("\n[[offer]]\nid = \"o{at}\"\ntenure = {:?}", offer.tenures));
        let keys = [
            ("when", offer.when.as_ref()),
            ("instalments", offer.instalments.as_ref()),
            ("amount", Some(&offer.amount)),
            ("step", offer.step.as_ref()),
            ("floor", offer.floor.as_ref()),
            ("interest", Some(&offer.interest)),
            ("fee", offer.fee.as_ref()),
        ];
        for (key, expr) in keys {
            expr.iter().for_each(|expr| self.line(&format!("{key} = {}", writer.quoted(expr))));
        }
        let caps: Vec<String> = offer.caps.iter().map(|cap| writer.quoted(cap)).collect();
        match caps.as_slice() {
            [] => {}
            [cap] => self.line(&format!("cap = {cap}")),
            caps => self.line(&format!("cap = [{}]", caps.join(", "))),
        }
        match offer.method {
            Method::Flat => {}
            Method::Reducing => self.line("method = \"reducing\""),
            Method::Bullet => self.line("method = \"bullet\""),
        }
        if offer.part_payment {
            self.line("part_payment = true");
        }
        if !offer.terms.is_empty() {
            self.line(&format!("terms = \"{}\"", offer.terms));
        }
        offer.valid_for_days.iter().for_each(|days| self.line(&format!("valid_for_days = {days}")));
    }
}

/// A value that the policy replaces. An amount of another file may be in any currency.
fn replaced(kind: Kind) -> String {
    let (value, currency) = match kind {
        Kind::Money | Kind::MoneyMean => ("7", ", currency = \"826\""),
        Kind::Count | Kind::Days => ("7", ""),
        Kind::Number | Kind::Ratio => ("0.7", ""),
        Kind::Date => ("2026-01-31", ""),
        Kind::Text | Kind::List(_) => ("\"other\"", ""),
        Kind::Truth => ("false", ""),
    };
    format!("{{ value = {value}, unit = \"{}\"{currency} }}", unit(kind))
}

/// The value that the policy gives to a parameter of a used file.
fn overriding(parameter: &Parameter) -> String {
    let Parameter { kind, value, dated, bounds, .. } = parameter;
    let said = |value: &Value| toml_value(*kind, value);
    let value = match value {
        Some(value) => said(value),
        None => {
            let dated = dated.iter().map(|(from, value)| format!("{} = {}", iso(*from), said(value)));
            format!("{{ {} }}", dated.collect::<Vec<_>>().join(", "))
        }
    };
    let bounds = bounds.iter().map(|(min, max)| format!(", min = {}, max = {}", said(min), said(max)));
    format!("{{ override = {value}{} }}", bounds.collect::<String>())
}

fn parameter(parameter: &Parameter) -> String {
    let Parameter { kind, value, dated, bounds, .. } = parameter;
    let said = |value: &Value| toml_value(*kind, value);
    // A number that is not whole needs no declared type.
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
        keys.extend((*kind == Kind::Money).then(|| "currency = \"566\"".to_owned()));
    }
    keys.push(format!("unit = \"{}\"", unit(*kind)));
    format!("{{ {} }}", keys.join(", "))
}
