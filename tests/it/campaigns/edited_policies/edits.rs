//! Random edits of a rule file, of named kinds. Knows no expected result.

use std::collections::BTreeMap;
use std::ops::Range;

use super::file::{Line, line_of, lines, words};

/// The known names, so that an edit can put a wrong one in a place.
pub(super) struct Names {
    /// Metrics and their units.
    pub(super) units: BTreeMap<String, &'static str>,
    pub(super) functions: Vec<&'static str>,
}

/// An edited file.
pub(super) struct Edit {
    pub(super) text: String,
    /// The lines that were touched, 1-based, in the edited file.
    pub(super) lines: Range<usize>,
    /// The line as it was, and as it is.
    pub(super) before: String,
    pub(super) after: String,
    /// The header of the section it stands in, as a line of the edited file.
    pub(super) section: usize,
}

/// Numbers from a seed.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }

    pub(super) fn one<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        if list.is_empty() { None } else { Some(list[self.below(list.len())].clone()) }
    }
}

/// Whether an edit of this kind is a mistake, or something that an analyst may well intend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Mistake,
    /// Another valid policy: a number, a sign, a text, an optional key.
    Meaning,
}

type Change = fn(&str, &[Line<'_>], &Names, &mut Chance) -> Option<(Range<usize>, String)>;

/// Every kind of edit.
pub(super) const KINDS: &[(&str, Sort, Change)] = &[
    ("a bracket dropped", Sort::Mistake, |text, lines, _, chance| sign_dropped(text, lines, chance, "()[]{}")),
    ("a quote dropped", Sort::Mistake, |text, lines, _, chance| sign_dropped(text, lines, chance, "\"'")),
    ("a comma dropped", Sort::Mistake, |text, lines, _, chance| sign_dropped(text, lines, chance, ",")),
    ("an equals sign dropped", Sort::Mistake, equals_dropped),
    ("a definition renamed", Sort::Mistake, definition_renamed),
    ("a name misspelt", Sort::Mistake, |text, lines, names, chance| {
        misspelt(text, lines, chance, &|word| names.units.contains_key(word) || word.starts_with("is_"))
    }),
    ("a function misspelt", Sort::Mistake, |text, lines, names, chance| {
        misspelt(text, lines, chance, &|word| names.functions.contains(&word.to_lowercase().as_str()))
    }),
    ("a key misspelt", Sort::Mistake, key_misspelt),
    ("a word misspelt", Sort::Mistake, word_misspelt),
    ("a section misspelt", Sort::Mistake, section_misspelt),
    ("another kind of operand", Sort::Mistake, other_operand),
    ("another unit of a parameter", Sort::Mistake, other_unit),
    ("another type of a field or output", Sort::Mistake, other_type),
    ("the file cut", Sort::Mistake, cut),
    ("a key doubled", Sort::Mistake, |_, lines, _, chance| doubled(lines, chance, false)),
    ("a definition doubled", Sort::Mistake, |_, lines, _, chance| doubled(lines, chance, true)),
    ("a needed key removed", Sort::Mistake, needed_removed),
    ("a parameter removed", Sort::Mistake, |_, lines, _, chance| removed(lines, chance, "parameters")),
    ("a word list removed", Sort::Mistake, |_, lines, _, chance| removed(lines, chance, "words")),
    ("an aggregate dropped", Sort::Mistake, aggregate_dropped),
    ("an argument dropped", Sort::Mistake, argument_dropped),
    ("a sign of another language", Sort::Mistake, other_sign),
    ("a number of another language", Sort::Mistake, other_number),
    ("a dollar dropped", Sort::Mistake, |text, lines, _, chance| sign_dropped(text, lines, chance, "$")),
    ("a text misspelt in an expression", Sort::Mistake, text_misspelt),
    ("a cell dropped", Sort::Mistake, cell_dropped),
    ("a cell miswritten", Sort::Mistake, cell_miswritten),
    ("a slip of the fingers in code", Sort::Mistake, slip),
    ("a share in percent", Sort::Mistake, in_percent),
    ("a unit behind a number", Sort::Mistake, with_unit),
    ("commas in a number", Sort::Mistake, with_comma),
    ("quotes where none belong, or none", Sort::Mistake, requoted),
    ("another number", Sort::Meaning, other_value),
    ("another comparison", Sort::Meaning, other_comparison),
    ("rows exchanged", Sort::Meaning, rows_exchanged),
    ("an optional key removed", Sort::Meaning, optional_removed),
];

/// One edit of a kind, where the file has a place for it.
pub(super) fn edit(text: &str, kind: usize, names: &Names, chance: &mut Chance) -> Option<Edit> {
    let read = lines(text);
    let (place, instead) = (KINDS[kind].2)(text, &read, names, chance)?;
    let edited = format!("{}{instead}{}", &text[..place.start], &text[place.end..]);
    if edited == text {
        return None;
    }
    let first = line_of(text, place.start);
    // A deleted line shows where the next one now is.
    let last = first + instead.trim_end_matches('\n').matches('\n').count();
    let at = |text: &str, line: usize| text.lines().nth(line - 1).unwrap_or("").to_owned();
    let section = read.iter().take(first).rposition(|line| line.code.starts_with('[') && !line.code.contains('"'));
    Some(Edit {
        lines: first..last + 1,
        before: at(text, first),
        after: at(&edited, first),
        section: section.map_or(0, |index| index + 1),
        text: edited,
    })
}

fn sign_dropped(text: &str, lines: &[Line], chance: &mut Chance, signs: &str) -> Option<(Range<usize>, String)> {
    let code = lines.iter().flat_map(|line| line.range.clone());
    // An apostrophe in a sentence is not a quote.
    let is_sentence =
        |at: usize| lines.iter().any(|line| line.range.contains(&at) && ["reason", "terms", "doc"].contains(&line.key));
    let places: Vec<usize> = code
        .filter(|at| {
            text[*at..].starts_with(|c| signs.contains(c)) && !(is_sentence(*at) && &text[*at..*at + 1] != "\"")
        })
        .collect();
    chance.one(&places).map(|at| (at..at + 1, String::new()))
}

/// The `=` between a key and its value; without the one in an expression, a comparison is another comparison.
fn equals_dropped(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let places: Vec<usize> = lines
        .iter()
        .filter(|line| !line.key.is_empty())
        .filter_map(|line| Some(line.range.start + line.code.find('=')?))
        .collect();
    chance.one(&places).map(|at| (at..at + 1, String::new()))
}

/// Two letters exchanged, one dropped, or one doubled.
fn mistyped(word: &str, chance: &mut Chance) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = chance.below(letters.len());
    match chance.below(3) {
        0 if at + 1 < letters.len() && letters[at] != letters[at + 1] => letters.swap(at, at + 1),
        1 if letters.len() > 2 => drop(letters.remove(at)),
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

fn misspelt(
    text: &str,
    lines: &[Line],
    chance: &mut Chance,
    meant: &dyn Fn(&str) -> bool,
) -> Option<(Range<usize>, String)> {
    let places = lines.iter().flat_map(Line::expressions).flat_map(|place| words(text, place));
    let places: Vec<Range<usize>> = places.filter(|word| meant(&text[word.clone()])).collect();
    chance.one(&places).map(|place| (place.clone(), mistyped(&text[place], chance)))
}

fn definition_renamed(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let named = lines.iter().filter(|line| line.is_named());
    let places: Vec<(usize, &str)> = named.map(|line| (line.range.start, line.key)).collect();
    chance.one(&places).map(|(start, key)| (start..start + key.len(), format!("my_{key}")))
}

fn key_misspelt(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let places: Vec<(usize, &str)> = lines
        .iter()
        .filter(|line| !line.key.is_empty() && !line.section.is_empty() && !line.is_named())
        .map(|line| (line.range.start, line.key))
        .collect();
    chance.one(&places).map(|(start, key)| (start..start + key.len(), mistyped(key, chance)))
}

/// Words that a key knows: effects, hit policies, methods, units.
fn word_misspelt(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let keys = ["else", "unknown", "hit", "method", "statement_unit", "tenure_unit", "currency", "time_zone"];
    let places = lines.iter().filter(|line| keys.contains(&line.key)).flat_map(Line::quoted);
    let places: Vec<Range<usize>> = places.collect();
    chance.one(&places).map(|place| (place.clone(), mistyped(&text[place], chance)))
}

fn section_misspelt(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let heads = lines.iter().filter(|line| line.code.starts_with('[') && !line.code.contains('"'));
    // The name of a table is free.
    let word = |line: &Line| words(text, line.range.clone()).first().cloned();
    let places: Vec<Range<usize>> = heads.filter_map(word).collect();
    chance.one(&places).map(|place| (place.clone(), mistyped(&text[place], chance)))
}

fn other_operand(text: &str, lines: &[Line], names: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    // A bare number takes the unit of whatever is beside it.
    let has_unit = |place: &Range<usize>| !text[place.clone()].ends_with(|sign: char| sign.is_ascii_digit());
    let compares = |place: &Range<usize>| {
        text[place.clone()].contains(['<', '>']) && !text[place.clone()].contains('(') && has_unit(place)
    };
    let places = lines.iter().filter(|line| line.key == "when").flat_map(Line::quoted).filter(compares);
    let places = places.flat_map(|place| words(text, place).first().cloned());
    let places: Vec<Range<usize>> = places.filter(|word| names.units.contains_key(&text[word.clone()])).collect();
    let place = chance.one(&places)?;
    let unit = names.units[&text[place.clone()]];
    // Counts, ratios and numbers may stand for each other.
    let plain = |unit: &str| ["count", "ratio", "number"].contains(&unit);
    let other = |found: &&str| *found != unit && !(plain(found) && plain(unit));
    let others: Vec<&String> = names.units.iter().filter(|(_, found)| other(found)).map(|(name, _)| name).collect();
    chance.one(&others).map(|name| (place, name.clone()))
}

fn other_unit(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let parameters: Vec<&Line> =
        lines.iter().filter(|line| line.section == "parameters" && line.code.contains('{')).collect();
    let line = chance.one(&parameters)?;
    match line.code.find(", unit = \"") {
        Some(at) if chance.below(2) == 0 => {
            let start = line.range.start + at;
            let length = text[start + 10..].find('"')? + 11;
            Some((start..start + length, String::new()))
        }
        Some(at) => {
            let start = line.range.start + at + 10;
            let end = start + text[start..].find('"')?;
            let others: Vec<&str> =
                ["money", "days", "text", "date"].into_iter().filter(|unit| *unit != &text[start..end]).collect();
            chance.one(&others).map(|unit| (start..end, unit.to_owned()))
        }
        None => {
            let end = line.range.start + line.code.rfind('}')?;
            chance.one(&["money", "days", "date"]).map(|unit| (end..end, format!(", unit = \"{unit}\" ")))
        }
    }
}

fn other_type(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let typed = lines.iter().filter(|line| line.section == "request" || line.key == "outputs");
    let places: Vec<Range<usize>> = typed.flat_map(Line::quoted).collect();
    let place = chance.one(&places)?;
    let others: Vec<&str> = ["money", "number", "text", "date", "boolean"]
        .into_iter()
        .filter(|kind| *kind != &text[place.clone()])
        .collect();
    chance.one(&others).map(|kind| (place, kind.to_owned()))
}

fn cut(text: &str, _: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    // A file that ends within a comment is whole: nobody can tell that more followed.
    let is_code = |at: &usize| {
        let line = text.get(..*at).and_then(|before| before.rsplit('\n').next());
        line.is_some_and(|line| !line.trim_start().starts_with('#'))
    };
    let at = (0..).map(|_| chance.below(text.len())).find(is_code)?;
    Some((at..text.len(), String::new()))
}

fn doubled(lines: &[Line], chance: &mut Chance, definitions: bool) -> Option<(Range<usize>, String)> {
    let places: Vec<&Line> = lines
        .iter()
        .filter(|line| !line.key.is_empty() && !line.code.ends_with('[') && line.is_definition() == definitions)
        .collect();
    chance.one(&places).map(|line| (line.range.end..line.range.end, format!("\n{}", line.code)))
}

fn needed_removed(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let needed: &[(&str, &[&str])] = &[
        ("policy", &["name", "version", "currency", "time_zone"]),
        ("require", &["id", "when", "reason"]),
        ("score", &["base"]),
        ("score.item", &["on", "points"]),
        ("offer", &["id", "tenure", "amount", "interest"]),
    ];
    let is_needed = |line: &&Line| {
        needed.iter().any(|(section, keys)| *section == line.section && keys.contains(&line.key))
            || line.section.starts_with("table.") && ["hit", "inputs", "outputs"].contains(&line.key)
    };
    let places: Vec<&Line> = lines.iter().filter(is_needed).collect();
    chance.one(&places).map(|line| (line.range.start..line.range.end, String::new()))
}

fn removed(lines: &[Line], chance: &mut Chance, section: &str) -> Option<(Range<usize>, String)> {
    let places: Vec<&Line> = lines.iter().filter(|line| line.section == section && !line.key.is_empty()).collect();
    chance.one(&places).map(|line| (line.range.start..line.range.end, String::new()))
}

fn aggregate_dropped(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for expression in
        lines.iter().filter(|line| line.section == "metric" || line.section == "month").flat_map(Line::expressions)
    {
        for word in words(text, expression.clone()) {
            let (name, rest) = (&text[word.clone()], &text[word.end..expression.end]);
            let is_aggregate = ["SUM", "MAX", "MIN", "AVG", "MEDIAN", "STDDEV", "LAST", "FIRST"].contains(&name);
            if let (true, Some(close)) = (is_aggregate && rest.starts_with('('), rest.find(')')) {
                // The argument alone, without its filter if it has one.
                let end = rest
                    .find("FILTER")
                    .and_then(|at| rest[at..].find("))").map(|close| at + close + 2))
                    .unwrap_or(close + 1);
                if !rest[1..close].contains('(') {
                    places.push((word.start..word.end + end, rest[1..close].to_owned()));
                }
            }
        }
    }
    chance.one(&places)
}

fn argument_dropped(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let mut places = Vec::new();
    for expression in lines.iter().flat_map(Line::expressions) {
        for word in words(text, expression.clone()) {
            let (name, rest) = (text[word.clone()].to_uppercase(), &text[word.end..expression.end]);
            if ["PRINCIPAL_FOR", "QUANTILE", "REGR_SLOPE", "ARG_MAX", "NEEDS_MONTHS", "ADD_MONTHS"]
                .contains(&name.as_str())
                && let (Some(comma), Some(close)) = (rest.find(','), rest.find(')'))
                && comma < close
            {
                places.push(word.end + 1..word.end + comma + 1);
            }
        }
    }
    chance.one(&places).map(|place| (place, String::new()))
}

/// Replaces something in an expression by what people write who think of another language.
fn instead(text: &str, lines: &[Line], chance: &mut Chance, habits: &[(&str, &str)]) -> Option<(Range<usize>, String)> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for expression in lines.iter().flat_map(Line::expressions) {
        for (here, there) in habits {
            let found = text[expression.clone()].match_indices(here);
            places.extend(
                found.map(|(at, _)| (expression.start + at..expression.start + at + here.len(), (*there).to_owned())),
            );
        }
    }
    chance.one(&places)
}

fn other_sign(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let habits = [
        (" >= ", " => "),
        (" <= ", " =< "),
        (" AND ", " && "),
        (" OR ", " || "),
        ("NOT ", "!"),
        (" >= ", " ≥ "),
        (" IN (", " IN ["),
        (" * ", " x "),
        (" / ", " : "),
    ];
    instead(text, lines, chance, &habits)
}

fn other_number(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let habits = [
        ("1000", "1,000"),
        ("1000", "1k"),
        ("10000", "10.000,00"),
        ("0.9", "90%"),
        ("0.1", "0,1"),
        ("0.01", ".01.0"),
        ("365", "365 days"),
        ("90", "90d"),
        ("500", "N500"),
    ];
    instead(text, lines, chance, &habits)
}

/// The numbers of code, without those in texts for people and in dates.
fn numbers(text: &str, lines: &[Line]) -> Vec<Range<usize>> {
    let is_code = |line: &&Line| {
        let is_cell = line.key == "points" || (line.section.starts_with("table.") && line.code.contains(','));
        !line.expressions().is_empty() || is_cell || line.section == "parameters"
    };
    let mut found = Vec::new();
    for line in lines.iter().filter(is_code) {
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || "_.".contains(sign);
        let mut at = line.range.start;
        while at < line.range.end {
            let rest = &text[at..line.range.end];
            let length = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
            let word = rest[..length].trim_end_matches('.');
            // A range is two numbers, a name holds none.
            if let Some(first) = word.split("..").next().filter(|first| !first.is_empty()) {
                let is_number = first.starts_with(|sign: char| sign.is_ascii_digit())
                    && first.chars().all(|sign| sign.is_ascii_digit() || sign == '.' || sign == '_');
                found.extend(is_number.then(|| at..at + first.len()));
                at += first.len();
            }
            at += text[at..line.range.end].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// `33` or `33%` for `0.33`, where the number is a share: beside a name or in a parameter that says so.
fn in_percent(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let is_share = |place: &Range<usize>| {
        let line = lines.iter().find(|line| line.range.contains(&place.start));
        let before = line.map_or("", |line| &text[line.range.start..place.start]);
        let before = before.trim_end_matches([' ', '=', '<', '>', '{', '"']).trim_end_matches("value");
        before.trim_end_matches([' ', '=', '{']).ends_with("share")
    };
    let shares =
        numbers(text, lines).into_iter().filter(|place| text[place.clone()].starts_with("0.") && is_share(place));
    let place = chance.one(&shares.collect::<Vec<_>>())?;
    let share: f64 = text[place.clone()].parse().ok()?;
    let percent = (share * 1_000.0).round() / 10.0;
    Some((place, if chance.below(2) == 0 { percent.to_string() } else { format!("{percent}%") }))
}

fn with_unit(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let place = chance.one(&numbers(text, lines))?;
    let unit = chance.one(&["d", " days", " NGN", "k", " months", "x"])?;
    Some((place.end..place.end, unit.to_owned()))
}

/// A decimal comma, or commas between thousands.
fn with_comma(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let places: Vec<(Range<usize>, String)> = numbers(text, lines)
        .into_iter()
        .filter_map(|place| {
            let number = &text[place.clone()];
            let plain = number.replace('_', "");
            match number.split_once('.') {
                Some((whole, decimals)) => Some((place, format!("{whole},{decimals}"))),
                None if plain.len() > 3 => {
                    let (before, thousands) = plain.split_at(plain.len() - 3);
                    Some((place, format!("{before},{thousands}")))
                }
                None => None,
            }
        })
        .collect();
    chance.one(&places)
}

/// A text of an expression without its quotes, or a number with some.
fn requoted(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    for expression in lines.iter().flat_map(Line::expressions) {
        let part = &text[expression.clone()];
        let quotes: Vec<usize> = part.match_indices('\'').map(|(at, _)| expression.start + at).collect();
        for pair in quotes.chunks_exact(2) {
            let inner = text[pair[0] + 1..pair[1]].to_owned();
            places.push((pair[0]..pair[1] + 1, inner.clone()));
            places.push((pair[0]..pair[1] + 1, format!("\\\"{inner}\\\"")));
        }
    }
    let in_expressions = |place: &Range<usize>| {
        lines.iter().flat_map(Line::expressions).any(|expression| expression.contains(&place.start))
    };
    for place in numbers(text, lines).into_iter().filter(in_expressions) {
        places.push((place.clone(), format!("'{}'", &text[place])));
    }
    chance.one(&places)
}

fn text_misspelt(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let mut places = Vec::new();
    for expression in lines.iter().flat_map(Line::expressions) {
        let quotes: Vec<usize> =
            text[expression.clone()].match_indices('\'').map(|(at, _)| expression.start + at).collect();
        // Nobody can know what a pattern was meant to find.
        let is_pattern = |at: usize| text[..at].ends_with("LIKE ");
        let texts = quotes.chunks_exact(2).filter(|pair| !is_pattern(pair[0]));
        places.extend(texts.map(|pair| pair[0] + 1..pair[1]));
    }
    chance.one(&places).map(|place| (place.clone(), mistyped(&text[place], chance)))
}

/// Lines that are rows of a table.
fn rows<'l, 't>(lines: &'l [Line<'t>]) -> Vec<&'l Line<'t>> {
    lines
        .iter()
        .filter(|line| line.section.starts_with("table.") && line.code.trim_start().starts_with('['))
        .filter(|line| line.code.contains(','))
        .collect()
}

fn cell_dropped(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let row = chance.one(&rows(lines))?;
    let commas: Vec<usize> =
        row.code.trim_end_matches([',', ' ']).match_indices(',').map(|(at, _)| row.range.start + at).collect();
    let open = row.range.start + text[row.range.clone()].find('[')? + 1;
    let at = chance.below(commas.len());
    Some((if at == 0 { open } else { commas[at - 1] + 1 }..commas[at] + 1, String::new()))
}

fn cell_miswritten(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let habits = [
        ("\">= ", "\"=> "),
        ("..", "."),
        ("..", "..."),
        ("\"< ", "\"lt "),
        ("\"-\"", "\"any\""),
        ("unknown\"", "unknwon\""),
        ("..", " to "),
        ("\"-\"", "\"\""),
    ];
    let mut places: Vec<(Range<usize>, String)> = Vec::new();
    let cells = lines.iter().filter(|line| line.key == "points").chain(rows(lines));
    for line in cells {
        for (here, there) in habits {
            let found = line.code.match_indices(here);
            places.extend(
                found.map(|(at, _)| (line.range.start + at..line.range.start + at + here.len(), there.to_owned())),
            );
        }
    }
    let _ = text;
    chance.one(&places)
}

/// Anywhere except in comments, numbers, and text that lendwright treats as text.
fn slip(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let is_text = |line: &&Line| {
        ["reason", "terms", "name", "version", "id", "description"].contains(&line.key)
            || ["words", "parameters"].contains(&line.section)
    };
    let code: Vec<usize> = lines.iter().filter(|line| !is_text(line)).flat_map(|line| line.range.clone()).collect();
    let at = (0..100).filter_map(|_| chance.one(&code)).find(|at| {
        text.is_char_boundary(*at) && text[*at..].starts_with(|c: char| !c.is_ascii_digit() && !" .<>=".contains(c))
    })?;
    let letter = text[at..].chars().next()?;
    let end = at + letter.len_utf8();
    Some(match chance.below(3) {
        0 => (at..end, String::new()),
        1 => (at..end, format!("{letter}{letter}")),
        _ => (at..end, chance.one(&['q', '(', '=', ';', '$', '-', '}', '.'])?.to_string()),
    })
}

fn other_value(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let digits = |at: &usize| text.as_bytes()[*at].is_ascii_digit();
    let code: Vec<usize> = lines
        .iter()
        .filter(|line| line.section != "policy")
        .flat_map(|line| line.range.clone())
        .filter(digits)
        .collect();
    let at = chance.one(&code)?;
    let other = (text.as_bytes()[at] - b'0' + 1 + chance.below(8) as u8) % 10;
    Some((at..at + 1, other.to_string()))
}

fn other_comparison(text: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let others = [
        (" >= ", " <= "),
        (" >= ", " > "),
        (" <= ", " >= "),
        (" <= ", " < "),
        (" > ", " < "),
        (" > ", " = "),
        (" = ", " >= "),
        (" AND ", " OR "),
    ];
    instead(text, lines, chance, &others)
}

fn rows_exchanged(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let rows = rows(lines);
    let at = chance.below(rows.len().checked_sub(1)?);
    let (one, other) = (rows[at], rows[at + 1]);
    (one.section == other.section).then(|| (one.range.start..other.range.end, format!("{}\n{}", other.code, one.code)))
}

fn optional_removed(_: &str, lines: &[Line], _: &Names, chance: &mut Chance) -> Option<(Range<usize>, String)> {
    let optional =
        ["else", "unknown", "instalments", "method", "fee", "valid_for_days", "part_payment", "terms", "tenure_unit"];
    let is_optional = |line: &&Line| optional.contains(&line.key) || line.key == "when" && line.section == "offer";
    let places: Vec<&Line> = lines.iter().filter(is_optional).collect();
    chance.one(&places).map(|line| (line.range.start..line.range.end, String::new()))
}
