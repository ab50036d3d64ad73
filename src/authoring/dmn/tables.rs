//! Translates decision tables of DMN. An entry that no cell can express becomes a condition in a column of its own.

use super::expression::{as_list, expect_scalar};
use super::feel::{self, Feel, InputEntry, Test};
use super::model::{DmnOutput, DmnTable};
use super::translate::{Scope, Translated, Translator};
use super::value::{Scalar, Ty, Val};
use crate::base::rational::Rational;
use crate::base::toml_text::quote_toml_text;

/// The hit policy by its name in DMN.
fn translate_hit_policy(table: &DmnTable) -> Translated<&'static str> {
    Ok(match (table.hit.to_uppercase().as_str(), table.aggregation.as_deref()) {
        ("UNIQUE", _) => "unique",
        ("ANY", _) => "any",
        ("FIRST", _) => "first",
        ("PRIORITY", _) => "priority",
        ("RULE ORDER", _) => "rule_order",
        ("OUTPUT ORDER", _) => "output_order",
        ("COLLECT", None) => "collect",
        ("COLLECT", Some("SUM")) => "collect_sum",
        ("COLLECT", Some("MIN")) => "collect_min",
        ("COLLECT", Some("MAX")) => "collect_max",
        ("COLLECT", Some("COUNT")) => "collect_count",
        (other, _) => return Err(format!("the hit policy `{other}` is not known")),
    })
}

/// A column of a rule file's table: the tested expression, and one cell per rule.
struct TestedColumn {
    tested: String,
    cells: Vec<String>,
}

/// Writes the table and returns its outputs.
pub(super) fn translate_dmn_table(
    translator: &mut Translator,
    written: &DmnTable,
    scope: &Scope,
    hint: &str,
) -> Translated<Val> {
    let hit = translate_hit_policy(written)?;
    if written.rules.is_empty() || written.outputs.is_empty() {
        return Err("the decision table has no rules or no outputs".to_owned());
    }
    let mut columns = Vec::new();
    let mut constant = None;
    for (index, (text, _)) in written.inputs.iter().enumerate() {
        let tested = as_list(translator.text(text, scope, hint)?);
        let entries: Vec<&str> =
            written.rules.iter().map(|(inputs, _)| inputs.get(index).map_or("-", String::as_str)).collect();
        columns.extend(translate_table_input(translator, &tested, &entries, scope)?);
        if let Val::Scalar(scalar) = tested {
            constant = Some(scalar.bare().to_owned());
        }
    }
    if columns.is_empty() {
        let tested = constant.unwrap_or_else(|| "TRUE".to_owned());
        columns.push(TestedColumn { tested, cells: vec!["-".to_owned(); written.rules.len()] });
    }
    let mut outputs = Vec::new();
    for (index, output) in written.outputs.iter().enumerate() {
        let entries: Vec<&str> =
            written.rules.iter().map(|(_, outputs)| outputs.get(index).map_or("", String::as_str)).collect();
        outputs.push(translate_output_cells(translator, output, &entries, scope, hint)?);
    }
    let single = outputs.len() == 1;
    let mut names = Vec::new();
    for output in &written.outputs {
        let name = output.name.as_deref().filter(|_| !single).unwrap_or("");
        names.push(translator.unique(&format!("{hint} {name}")));
    }
    emit_rule_table(translator, (hit, written.label.as_deref()), hint, &columns, &names, &outputs)?;
    let many = matches!(hit, "collect" | "rule_order" | "output_order");
    if single {
        let (name, ty) = (names.remove(0), if hit == "collect_count" { Ty::Number } else { outputs[0].ty });
        return Ok(if many { Val::ListOf(name, ty) } else { Val::Scalar(Scalar::named(name, ty)) });
    }
    let titled = written.outputs.iter().zip(names).enumerate();
    let title =
        |index: usize, output: &DmnOutput| output.name.clone().unwrap_or_else(|| format!("output {}", index + 1));
    Ok(match many {
        true => Val::Rows(titled.map(|(index, (output, name))| (title(index, output), name)).collect()),
        false => Val::Context(
            titled
                .map(|(index, (output, name))| {
                    (title(index, output), Val::Scalar(Scalar::named(name, outputs[index].ty)))
                })
                .collect(),
        ),
    })
}

/// The columns of one input: one of cells, and one for each entry that no cell can express.
fn translate_table_input(
    translator: &mut Translator,
    tested: &Val,
    entries: &[&str],
    scope: &Scope,
) -> Translated<Vec<TestedColumn>> {
    let mut cells = vec!["-".to_owned(); entries.len()];
    let mut columns: Vec<TestedColumn> = Vec::new();
    let mut scope = scope.clone();
    scope.push(("?".to_owned(), tested.clone()));
    let scope = &scope;
    for (row, text) in entries.iter().enumerate() {
        let entry = translator.entry(text, scope)?;
        if let Val::Scalar(tested) = tested
            && let Some(cell) = translate_entry_cell(translator, tested, &entry, scope)?
        {
            cells[row] = cell;
            continue;
        }
        if let (Val::Scalar(tested), InputEntry::OneOf(tests)) = (tested, &entry)
            && let [test] = tests.as_slice()
            && let Some((difference, cell)) = distance(translator, tested, test, scope)?
        {
            set_column_cell(&mut columns, difference, row, cell, entries.len());
            continue;
        }
        let (tests, holds) = match entry {
            InputEntry::Anything => continue,
            InputEntry::OneOf(tests) => (tests, "true"),
            InputEntry::NoneOf(tests) => (tests, "false"),
        };
        let condition = translator.tests(tested, &tests, scope)?.bare().to_owned();
        set_column_cell(&mut columns, condition, row, holds.to_owned(), entries.len());
    }
    if let (Val::Scalar(tested), true) = (tested, cells.iter().any(|cell| cell != "-")) {
        columns.insert(0, TestedColumn { tested: tested.bare().to_owned(), cells });
    }
    Ok(columns)
}

/// Sets a cell in the column that tests `tested`. Creates the column if needed.
fn set_column_cell(columns: &mut Vec<TestedColumn>, tested: String, row: usize, cell: String, rows: usize) {
    let known = columns.iter().position(|column| column.tested == tested);
    let at = known.unwrap_or_else(|| {
        columns.push(TestedColumn { tested, cells: vec!["-".to_owned(); rows] });
        columns.len() - 1
    });
    columns[at].cells[row] = cell;
}

/// Translates a comparison with a variable into a test of the difference. Rows that test on which side a value is then
/// share a column, so the checker sees that they do not overlap.
fn distance(
    translator: &mut Translator,
    tested: &Scalar,
    test: &Test,
    scope: &Scope,
) -> Translated<Option<(String, String)>> {
    let (sign, feel) = match test {
        Test::Compare(sign, feel) => (*sign, feel),
        Test::Value(feel) => ("=", feel),
        Test::Interval(..) => return Ok(None),
    };
    let Val::Scalar(other) = super::expression::translate_expression(translator, feel, scope, "cell")? else {
        return Ok(None);
    };
    let zero = super::times::zero_difference(tested.ty).filter(|_| other.ty == tested.ty);
    Ok(zero.map(|zero| (format!("{} - {}", tested.text, other.text), format!("{sign} {zero}"))))
}

/// An entry as a cell; `None` if no cell can express it.
fn translate_entry_cell(
    translator: &mut Translator,
    tested: &Scalar,
    entry: &InputEntry,
    scope: &Scope,
) -> Translated<Option<String>> {
    let (tests, none) = match entry {
        InputEntry::Anything => return Ok(Some("-".to_owned())),
        InputEntry::OneOf(tests) => (tests, false),
        InputEntry::NoneOf(tests) => (tests, true),
    };
    let mut parts = Vec::new();
    for test in tests {
        let part = match test {
            Test::Compare(sign, feel) => {
                known(translator, feel, tested.ty, scope)?.map(|value| format!("{sign} {value}"))
            }
            Test::Value(Feel::Null) => Some("unknown".to_owned()),
            Test::Value(feel) => known(translator, feel, tested.ty, scope)?,
            Test::Interval(low, low_belongs, high, high_belongs) => {
                let (low, high) =
                    (known(translator, low, tested.ty, scope)?, known(translator, high, tested.ty, scope)?);
                if low
                    .as_ref()
                    .zip(high.as_ref())
                    .is_some_and(|(low, high)| is_empty_interval(tested.ty, low, high, *low_belongs && *high_belongs))
                {
                    return Err(format!(
                        "no value is from {} to {}: the interval is empty; exchange its ends, or remove the rule",
                        low.unwrap_or_default(),
                        high.unwrap_or_default()
                    ));
                }
                let (open, close) = (if *low_belongs { '[' } else { '(' }, if *high_belongs { ']' } else { ')' });
                low.zip(high).filter(|_| tested.ty != Ty::Text).map(|(low, high)| format!("{open}{low}..{high}{close}"))
            }
        };
        let Some(part) = part else { return Ok(None) };
        parts.push(part);
    }
    let list = parts.join(", ");
    Ok(Some(if none { format!("not({list})") } else { list }))
}

/// Whether no value is between two literals. `has_ends` says that both belong.
fn is_empty_interval(ty: Ty, low: &str, high: &str, has_ends: bool) -> bool {
    let order = match ty {
        Ty::Number => Rational::parse(low).zip(Rational::parse(high)).map(|(low, high)| low.cmp(&high)),
        // Days and times of one form are in the order of their letters.
        Ty::Date | Ty::Time if low.len() == high.len() => Some(low.cmp(high)),
        _ => None,
    };
    order.is_some_and(|order| order.is_gt() || order.is_eq() && !has_ends)
}

/// A literal of the tested type.
fn known(translator: &mut Translator, feel: &Feel, ty: Ty, scope: &Scope) -> Translated<Option<String>> {
    let value = super::expression::translate_expression(translator, feel, scope, "cell")?;
    Ok(match value {
        Val::Scalar(scalar) if scalar.ty == ty => scalar.constant,
        _ => None,
    })
}

/// The cells of an output, their type, the values by rank, and the default if no row fits.
struct Cells {
    ty: Ty,
    cells: Vec<String>,
    values: Vec<String>,
    otherwise: Option<String>,
}

fn translate_output_cells(
    translator: &mut Translator,
    output: &DmnOutput,
    entries: &[&str],
    scope: &Scope,
    hint: &str,
) -> Translated<Cells> {
    let mut ty = None;
    let mut cells = Vec::new();
    let otherwise = output.otherwise.as_deref();
    for text in entries.iter().copied().chain(otherwise) {
        let value =
            expect_scalar(translator.text(text, scope, hint)?).map_err(|why| format!("the output `{text}`: {why}"))?;
        if *ty.get_or_insert(value.ty) != value.ty {
            return Err(format!("the output `{text}` is of another type than those above it"));
        }
        cells.push(value.constant.clone().unwrap_or_else(|| format!("= {}", value.bare())));
    }
    let otherwise = otherwise.and_then(|_| cells.pop());
    let ty = ty.ok_or("the table has no rules")?;
    let mut values = Vec::new();
    if let Some(text) = &output.values {
        for value in feel::parse_value_list(text).unwrap_or_default() {
            let value = super::expression::translate_expression(translator, &value, scope, hint)?;
            if let Val::Scalar(Scalar { constant: Some(constant), .. }) = value {
                values.push(constant);
            }
        }
    }
    Ok(Cells { ty, cells, values, otherwise })
}

fn emit_rule_table(
    translator: &mut Translator,
    (hit, label): (&str, Option<&str>),
    hint: &str,
    columns: &[TestedColumn],
    names: &[String],
    outputs: &[Cells],
) -> Translated<()> {
    let ranked = matches!(hit, "priority" | "output_order");
    if ranked && outputs.iter().all(|output| output.values.is_empty()) {
        return Err(format!("the table of `{hint}` does not say which output comes first"));
    }
    let own = translator.unique(&format!("{hint} table"));
    let inputs: Vec<String> = columns.iter().map(|column| quote_toml_text(&column.tested)).collect();
    let mut declared = Vec::new();
    for (name, output) in names.iter().zip(outputs) {
        let unquoted = |value: &String| quote_toml_text(value.trim_matches('\''));
        let values: Vec<String> = output.values.iter().map(unquoted).collect();
        declared.push(match ranked && !values.is_empty() {
            true => format!("{name} = {{ type = \"{}\", values = [{}] }}", output.ty.word(), values.join(", ")),
            false => format!("{name} = \"{}\"", output.ty.word()),
        });
    }
    let title = label.map(|label| format!("title = {}\n", quote_toml_text(label))).unwrap_or_default();
    let mut text = format!(
        "[table.{own}]\n{title}hit = \"{hit}\"\ninputs = [{}]\noutputs = {{ {} }}\nrows = [\n",
        inputs.join(", "),
        declared.join(", ")
    );
    let rows = outputs.first().map_or(0, |output| output.cells.len());
    for row in 0..rows {
        let cells = columns.iter().map(|column| quote_toml_text(&column.cells[row]));
        let cells: Vec<String> =
            cells.chain(outputs.iter().map(|output| quote_toml_text(&output.cells[row]))).collect();
        text += &format!("  [{}],\n", cells.join(", "));
    }
    text += "]\n";
    let otherwise: Option<Vec<String>> =
        outputs.iter().map(|output| output.otherwise.as_deref().map(quote_toml_text)).collect();
    match otherwise {
        Some(cells) => text += &format!("otherwise = [{}]\n", cells.join(", ")),
        // The sum of no rows is null in DMN, but 0 in a rule file.
        None if hit == "collect_sum" && outputs.iter().all(|output| output.otherwise.is_none()) => {
            let cells = vec![quote_toml_text("= NULLIF(0, 0)"); outputs.len()];
            text += &format!("otherwise = [{}]\n", cells.join(", "));
        }
        None if outputs.iter().any(|output| output.otherwise.is_some()) => {
            return Err(format!("the table of `{hint}` has a default for some outputs and not for others"));
        }
        None => {}
    }
    translator.tables.push(text);
    Ok(())
}
