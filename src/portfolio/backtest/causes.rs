//! Which parts of two policies decided otherwise on a customer: requirements, items of the score, rows of tables.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::decisions::{Decisions, rows_with_new_outcome};
use super::summary::Cause;
use crate::engine::decision::{Judgement, MetricsCache, ReasonBits};
use crate::engine::metrics::{Bits, Data, ValueColumn};
use crate::rules::node_keys::NodeKey;
use crate::rules::program::{Requirement, Value};
use crate::rules::{Effect, Policy};

/// One policy, what it decided, and what it computed.
#[derive(Clone, Copy)]
pub struct PolicySide<'s> {
    pub policy: &'s Policy,
    pub judgement: &'s Judgement,
    pub decisions: &'s Decisions,
}

/// Finds the causes of changes, row by row.
pub struct Causes<'s> {
    reasons: Vec<ReasonPair<'s>>,
    items: Vec<ColumnPair<'s>>,
    tables: Vec<ColumnPair<'s>>,
}

/// A reason in both policies, by its id.
struct ReasonPair<'s> {
    id: &'s str,
    champion: Option<&'s ReasonBits>,
    challenger: Option<&'s ReasonBits>,
    /// How its effects differ, in words.
    effects: Option<String>,
}

/// A value of both policies: the points of an item, the row of a table.
struct ColumnPair<'s> {
    name: String,
    champion: Option<&'s [Arc<ValueColumn<'static>>]>,
    challenger: Option<&'s [Arc<ValueColumn<'static>>]>,
    is_table: bool,
    part_of: PartOf,
}

/// Which policies have an item or a table.
#[derive(Clone, Copy, PartialEq)]
enum PartOf {
    Both,
    ChampionOnly,
    ChallengerOnly,
}

impl<'s> Causes<'s> {
    pub fn new(cache: &'s MetricsCache, champion: PolicySide<'s>, challenger: PolicySide<'s>) -> Causes<'s> {
        Causes {
            reasons: reason_pairs(champion, challenger),
            items: item_pairs(cache, champion, challenger),
            tables: table_pairs(cache, champion, challenger),
        }
    }

    /// The parts that changed for a customer; `offer` if nothing but the offer's own formula did.
    pub fn of_row(&self, row: usize, is_outcome_changed: bool) -> Vec<String> {
        let mut causes = Vec::new();
        for pair in &self.reasons {
            let has = |reason: Option<&ReasonBits>| reason.is_some_and(|reason| reason.rows.get(row));
            match (has(pair.champion), has(pair.challenger)) {
                (true, false) => causes.push(format!("{} no longer applies", pair.id)),
                (false, true) => causes.push(format!("{} applies now", pair.id)),
                (true, true) if is_outcome_changed => {
                    causes.extend(pair.effects.as_ref().map(|how| format!("{} {how}", pair.id)));
                }
                _ => {}
            }
        }
        causes.extend(self.items.iter().chain(&self.tables).filter_map(|pair| pair.difference(row)));
        if causes.is_empty() {
            causes.push("offer".to_owned());
        }
        causes
    }
}

impl ColumnPair<'_> {
    /// How the value differs for a customer.
    fn difference(&self, row: usize) -> Option<String> {
        let value =
            |chunks: Option<&[Arc<ValueColumn<'static>>]>| chunks.and_then(|chunks| value_of_chunked_row(chunks, row));
        let (before, after) = (value(self.champion), value(self.challenger));
        (before != after).then(|| self.in_words(before, after))
    }

    fn in_words(&self, before: Option<Value>, after: Option<Value>) -> String {
        let shown = |value: Option<Value>| match value {
            None => "unknown".to_owned(),
            Some(Value::Int(row)) if self.is_table => format!("row {}", row + 1),
            Some(Value::List(rows)) => format!("{} rows", rows.len()),
            Some(value) => value.float().map_or("?".to_owned(), |points| format!("{points} points")),
        };
        match self.part_of {
            PartOf::Both => format!("{}: {} -> {}", self.name, shown(before), shown(after)),
            PartOf::ChallengerOnly => format!("{}: new, {}", self.name, shown(after)),
            PartOf::ChampionOnly => format!("{}: gone, {} before", self.name, shown(before)),
        }
    }
}

/// The value of a row of a column in chunks; points may be whole numbers in one policy and fractions in the other.
fn value_of_chunked_row(chunks: &[Arc<ValueColumn<'static>>], row: usize) -> Option<Value> {
    let size = crate::engine::decision::CACHE_ROWS;
    let value = chunks.get(row / size)?.value(row % size).ok()?;
    Some(match value {
        Value::Rational(value) => value.to_i64().map_or(Value::Rational(value), Value::Int),
        value => value,
    })
}

fn reason_pairs<'s>(champion: PolicySide<'s>, challenger: PolicySide<'s>) -> Vec<ReasonPair<'s>> {
    let ours = &challenger.decisions.reasons;
    let find = |reasons: &'s [ReasonBits], id: &str| reasons.iter().find(|reason| reason.id == id);
    let of_policy = |policy: &'s Policy, id: &str| policy.program.requirements.iter().find(|one| one.id == id);
    let gone = champion.decisions.reasons.iter().filter(|reason| find(ours, &reason.id).is_none());
    let pair = |reason: &'s ReasonBits| ReasonPair {
        id: &reason.id,
        champion: find(&champion.decisions.reasons, &reason.id),
        challenger: find(ours, &reason.id),
        effects: of_policy(champion.policy, &reason.id)
            .zip(of_policy(challenger.policy, &reason.id))
            .and_then(|(before, after)| describe_changed_effect(before, after)),
    };
    ours.iter().chain(gone).map(pair).collect()
}

fn describe_changed_effect(before: &Requirement, after: &Requirement) -> Option<String> {
    let word = |effect: Effect| match effect {
        Effect::Pass => "passes",
        Effect::Refer => "refers",
        Effect::Decline => "declines",
    };
    if before.otherwise != after.otherwise {
        return Some(format!("{} now, {} before", word(after.otherwise), word(before.otherwise)));
    }
    let differs = before.unknown != after.unknown;
    differs.then(|| format!("{} where unknown, {} before", word(after.unknown), word(before.unknown)))
}

/// Items of the score by their input.
fn item_pairs<'s>(
    cache: &'s MetricsCache,
    champion: PolicySide<'s>,
    challenger: PolicySide<'s>,
) -> Vec<ColumnPair<'s>> {
    let named = |side: PolicySide<'s>| {
        let items = side.policy.program.score_items.iter().zip(&side.judgement.items);
        items.map(|(item, key)| (format!("score, {}", item.text), *key)).collect::<Vec<_>>()
    };
    pair_differing_columns(cache, named(champion), named(challenger), false)
}

fn table_pairs<'s>(
    cache: &'s MetricsCache,
    champion: PolicySide<'s>,
    challenger: PolicySide<'s>,
) -> Vec<ColumnPair<'s>> {
    let named = |side: PolicySide<'s>| {
        let tables = side.policy.program.tables.iter().zip(&side.judgement.hits);
        tables.map(|(table, key)| (format!("table {}", table.name), *key)).collect::<Vec<_>>()
    };
    pair_differing_columns(cache, named(champion), named(challenger), true)
}

/// Pairs of values that differ in their formula. Two of one name are paired in order.
fn pair_differing_columns<'s>(
    cache: &'s MetricsCache,
    champion: Vec<(String, NodeKey)>,
    challenger: Vec<(String, NodeKey)>,
    is_table: bool,
) -> Vec<ColumnPair<'s>> {
    let mut before: HashMap<String, Vec<NodeKey>> = HashMap::new();
    let mut gone = Vec::new();
    for (name, key) in champion.into_iter().rev() {
        before.entry(name.clone()).or_default().push(key);
        gone.push(name);
    }
    let mut pairs = Vec::new();
    for (name, key) in challenger {
        let other = before.get_mut(&name).and_then(Vec::pop);
        if other != Some(key) {
            let (champion, challenger) = (other.and_then(|other| cache.column(other)), cache.column(key));
            let part_of = if other.is_some() { PartOf::Both } else { PartOf::ChallengerOnly };
            pairs.push(ColumnPair { name, champion, challenger, is_table, part_of });
        }
    }
    for name in gone.into_iter().rev() {
        if let Some(key) = before.get_mut(&name).and_then(Vec::pop) {
            let (champion, part_of) = (cache.column(key), PartOf::ChampionOnly);
            pairs.push(ColumnPair { name, champion, challenger: None, is_table, part_of });
        }
    }
    pairs
}

/// The rows whose change is a gain, a loss, or another.
struct Kinds([Bits; 3]);

impl Kinds {
    fn new(champion: &Decisions, challenger: &Decisions, changed: &Bits) -> Kinds {
        let [before, after] = [champion, challenger].map(|decisions| &decisions.outcomes[0]);
        let (gained, lost) = (changed.and(&after.without(before)), changed.and(&before.without(after)));
        let other = changed.without(&gained).without(&lost);
        Kinds([gained, lost, other])
    }

    fn count(&self, part: String, rows: &Bits) -> Cause {
        let [gained, lost, other] = [0, 1, 2].map(|kind| self.0[kind].and(rows).count(0..rows.len()) as u64);
        Cause { part, gained, lost, other }
    }
}

/// Counts the causes of all changes, the most frequent first. The same causes as those of each row.
pub fn count_change_causes(
    causes: &Causes,
    champion: &Decisions,
    challenger: &Decisions,
    changed: &Bits,
) -> Vec<Cause> {
    let kinds = Kinds::new(champion, challenger, changed);
    let rows = changed.len();
    let none = Bits::all(rows, false);
    let moved = rows_with_new_outcome(champion, challenger);
    let mut touched = none.clone();
    let mut counts: Vec<Cause> = Vec::new();
    for pair in &causes.reasons {
        let [before, after] =
            [pair.champion, pair.challenger].map(|reason| reason.map_or(&none, |reason| &reason.rows));
        if before == after && pair.effects.is_none() {
            continue;
        }
        let mut add = |how: String, with: Bits| {
            touched = touched.or(&with);
            counts.push(kinds.count(format!("{} {how}", pair.id), &with));
        };
        add("no longer applies".to_owned(), before.without(after));
        add("applies now".to_owned(), after.without(before));
        if let Some(how) = &pair.effects {
            add(how.clone(), before.and(after).and(&moved));
        }
    }
    for pair in causes.items.iter().chain(&causes.tables) {
        let mut of_pair: BTreeMap<String, Cause> = BTreeMap::new();
        for ((before, after), mut cause) in pair.count(&kinds, changed, &mut touched) {
            cause.part = pair.in_words(before, after);
            let sum = of_pair.entry(cause.part.clone()).or_default();
            sum.part = cause.part;
            (sum.gained, sum.lost, sum.other) =
                (sum.gained + cause.gained, sum.lost + cause.lost, sum.other + cause.other);
        }
        counts.extend(of_pair.into_values());
    }
    counts.push(kinds.count("offer".to_owned(), &changed.without(&touched)));
    let all = |cause: &Cause| cause.gained + cause.lost + cause.other;
    counts.retain(|cause| all(cause) > 0);
    counts.sort_by(|one, other| all(other).cmp(&all(one)).then_with(|| one.part.cmp(&other.part)));
    counts
}

/// The values before and after, as numbers that are equal only for equal values.
type ValueChange = (Option<u64>, Option<u64>);

/// The values before and after.
type ValuePair = (Option<Value>, Option<Value>);

impl ColumnPair<'_> {
    /// Counts the changes of a value, and marks their rows.
    fn count(&self, kinds: &Kinds, changed: &Bits, touched: &mut Bits) -> Vec<(ValuePair, Cause)> {
        let size = crate::engine::decision::CACHE_ROWS;
        let mut counts: HashMap<ValueChange, (usize, Cause)> = HashMap::new();
        for chunk in 0..changed.len().div_ceil(size) {
            let rows = chunk * size..changed.len().min((chunk + 1) * size);
            let before = self.champion.and_then(|chunks| chunks.get(chunk)).map(numbers_of_column);
            let after = self.challenger.and_then(|chunks| chunks.get(chunk)).map(numbers_of_column);
            for row in changed.ones(rows.clone()) {
                let number = |of: &Option<Numbers>| of.as_ref().and_then(|number| number(row - rows.start));
                let change = (number(&before), number(&after));
                if change.0 == change.1 {
                    continue;
                }
                touched.set(row);
                let (_, cause) = counts.entry(change).or_insert_with(|| (row, Cause::default()));
                match kinds.0.iter().position(|kind| kind.get(row)) {
                    Some(0) => cause.gained += 1,
                    Some(1) => cause.lost += 1,
                    _ => cause.other += 1,
                }
            }
        }
        let values = |row: usize| {
            let value = |chunks: Option<&[Arc<ValueColumn<'static>>]>| {
                chunks.and_then(|chunks| value_of_chunked_row(chunks, row))
            };
            (value(self.champion), value(self.challenger))
        };
        counts.into_values().map(|(row, cause)| (values(row), cause)).collect()
    }
}

type Numbers<'c> = Box<dyn Fn(usize) -> Option<u64> + 'c>;

/// A number for each value of a column, equal for equal values.
fn numbers_of_column<'c>(column: &'c Arc<ValueColumn<'static>>) -> Numbers<'c> {
    if matches!(column.data, Data::Int(_)) {
        let ints = column.known_ints();
        return Box::new(move |row| ints(row).map(|value| (value as f64).to_bits()));
    }
    Box::new(|row| {
        let value = column.value(row).ok()?;
        Some(match (&value, value.float()) {
            (Value::List(list), _) => list
                .iter()
                .filter_map(Value::int)
                .fold(list.len() as u64, |all, row| all.wrapping_mul(1_000_003).wrapping_add(row as u64)),
            (_, Some(value)) => value.to_bits(),
            _ => 0,
        })
    })
}
