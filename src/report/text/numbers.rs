//! A number in a tree of text: its value, what it is made of, and the records or groups that were counted.

use super::{DEPTH_MAX, NARRATION_CHARS_MAX, Tree};
use crate::engine::decision::{Counted, CountedGroup, CountedGroups, CountedRecord, Named, NumberKind};
use crate::report::{decisive_first, format_report_money, has_own_place, plural_of_noun};

impl<'t> Tree<'t> {
    /// A number on one line.
    pub(super) fn brief(&mut self, name: &str, depth: usize) {
        let Some(number) = self.numbers.get(name).copied() else { return };
        let counted = match number.counted.as_slice() {
            [] => String::new(),
            [Counted::Records(records)] => {
                format!("  ({})", self.record_span(records.len(), records.iter().map(|one| one.row)))
            }
            [Counted::Groups(groups)] => format!("  ({})", group_span(groups)),
            many => format!("  ({} counts)", many.len()),
        };
        let formula = match number.kind {
            NumberKind::Metric if number.counted.is_empty() => format!("  = {}", number.formula),
            _ => String::new(),
        };
        let with = |named: &Named| format!("{} = {}", named.name, named.figure.text);
        let with: Vec<String> = number.parameters.iter().map(with).collect();
        let with = if with.is_empty() { String::new() } else { format!("  with {}", with.join(", ")) };
        let is = if number.figure.approximate { "is about" } else { "=" };
        self.line(depth, &format!("{} {is} {}{formula}{with}{counted}", number.name, number.figure.text));
    }

    /// How many records, and their first and last days.
    fn record_span(&self, count: usize, mut rows: impl DoubleEndedIterator<Item = usize>) -> String {
        let day = |row: Option<usize>| row.and_then(|row| self.records.get(&row)?.day);
        let first = day(rows.next());
        match (count, first, day(rows.next_back()).or(first)) {
            (0, ..) => "no records".to_owned(),
            (1, Some(first), _) => format!("1 record, {first}"),
            (_, Some(first), Some(last)) => format!("{count} records, {first} to {last}"),
            _ => format!("{count} records"),
        }
    }

    /// A number with what it is made of and what was counted.
    pub(super) fn number(&mut self, name: &str, depth: usize, listed: usize) {
        self.number_within(name, depth, depth + DEPTH_MAX, listed);
    }

    fn number_within(&mut self, name: &str, depth: usize, deepest: usize, listed: usize) {
        let Some((name, number)) = self.numbers.get_key_value(name).map(|(name, number)| (*name, *number)) else {
            return;
        };
        let is = if number.figure.approximate { "is about" } else { "=" };
        self.line(depth, &format!("{} {is} {}", number.name, number.figure.text));
        if has_own_place(number) {
            return;
        }
        if !self.shown.insert(name) {
            return self.line(depth + 1, "as above");
        }
        if number.kind == NumberKind::Metric {
            self.line(depth + 1, &format!("= {}", number.formula));
        }
        for named in &number.parameters {
            self.line(depth + 1, &format!("{} = {}", named.name, named.figure.text));
        }
        if depth >= deepest {
            return self.line(depth + 1, &format!("... --metric {} continues from here", number.name));
        }
        for counted in &number.counted {
            self.counted(counted, depth + 1, listed);
        }
        for part in &number.made_of {
            self.number_within(part, depth + 1, deepest, listed);
        }
    }

    /// Prints how many were counted and lists them, except where the same list is already above.
    fn counted(&mut self, counted: &'t Counted, depth: usize, listed: usize) {
        let (count, what) = match counted {
            Counted::Records(records) => (records.len(), "record"),
            Counted::Groups(counted) => (counted.groups.len(), &*counted.of),
        };
        let same = self.shown_lists.contains(&counted);
        let picked = match counted {
            Counted::Records(records) => records.iter().any(|record| record.decides),
            Counted::Groups(counted) => counted.groups.iter().any(|group| group.decides),
        };
        let many = plural_of_noun(what);
        let text = match count {
            0 => format!("no {many}"),
            1 if same => format!("the same {what}"),
            count if same => format!("the same {count} {many}"),
            1 if listed > 0 => format!("1 {what}:"),
            count if picked && count > listed && listed > 0 => format!("{count} {many}, {listed} of them:"),
            count if count > listed && listed > 0 => format!("{count} {many}, the last {listed} of them:"),
            count if listed > 0 => format!("{count} {many}:"),
            1 => format!("1 {what}"),
            count => format!("{count} {many}"),
        };
        self.line(depth, &text);
        if same || count == 0 {
            return;
        }
        self.shown_lists.push(counted);
        let lines: Vec<String> = match counted {
            Counted::Records(records) => {
                let listed = decisive_first(records, listed, |record| record.decides);
                listed.into_iter().map(|one| self.counted_record(one, records.len())).collect()
            }
            Counted::Groups(counted) => decisive_first(&counted.groups, listed, |group| group.decides)
                .into_iter()
                .map(|one| counted_group(one, counted.groups.len()))
                .collect(),
        };
        lines.iter().for_each(|line| self.line(depth + 1, line));
    }

    fn counted_record(&self, one: &CountedRecord, count: usize) -> String {
        let counts = one.counts.as_ref().map(|counts| format!("  -> {}", counts.text)).unwrap_or_default();
        format!("{}{counts}{}", self.record(one.row), mark(one.decides, count))
    }

    fn record(&self, row: usize) -> String {
        let Some(record) = self.records.get(&row) else { return String::new() };
        let mut amounts = Vec::new();
        amounts.extend(record.credit.map(|minor| format!("{} in", self.money(minor))));
        amounts.extend(record.debit.map(|minor| format!("{} out", self.money(minor))));
        let narration = record.narration.as_deref().unwrap_or("no narration");
        let shown: String = narration.chars().take(NARRATION_CHARS_MAX).collect();
        let more = if shown.len() < narration.len() { "..." } else { "" };
        let id = record.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        let day = record.day.map(|day| day.to_string()).unwrap_or_default();
        format!("{day}  {:>20}  {shown}{more}{id}", amounts.join(", "))
    }

    pub(super) fn money(&self, minor: i64) -> String {
        format_report_money(&self.currency, minor)
    }
}

fn mark(decides: bool, count: usize) -> &'static str {
    if decides && count > 1 { "  <- this one" } else { "" }
}

fn counted_group(group: &CountedGroup, count: usize) -> String {
    let counts = group.counts.as_ref().map(|counts| counts.text.as_str()).unwrap_or_default();
    let records = match group.rows.len() {
        0 => String::new(),
        1 => "1 record".to_owned(),
        count => format!("{count} records"),
    };
    format!("{}  {counts:>18}  {records}", group.name).trim_end().to_owned() + mark(group.decides, count)
}

/// How many groups, and the first and last of those in order of time.
fn group_span(CountedGroups { of: noun, groups }: &CountedGroups) -> String {
    match groups.as_slice() {
        [] => format!("no {}", plural_of_noun(noun)),
        [one] => format!("1 {noun}, {}", one.name),
        [first, .., last] if matches!(&**noun, "month" | "week" | "day") => {
            format!("{} {}, {} to {}", groups.len(), plural_of_noun(noun), first.name, last.name)
        }
        groups => format!("{} {}", groups.len(), plural_of_noun(noun)),
    }
}
