//! The keys of rule files and their descriptions. Knows no keys of cases files.

use super::ValueShape::{
    Boolean, Cell, Date, Either, Expression, List, Names, Row, Sentence, Table, Tables, Text, Words,
};
use super::{KeySection, ValueShape, Word, key, needed};

/// A rule file.
pub(in crate::authoring::editor) static RULES: KeySection = KeySection {
    name: "rules",
    keys: &[
        key("policy", Table(&POLICY), "The header of a policy. A file that policies use has none."),
        key(
            "parameters",
            Names(&Either(&[Expression, Table(&PARAMETER)])),
            "Values that analysts adjust. Rules write `$name`; `--param name=4` changes it for a run.",
        ),
        key(
            "words",
            Names(&Either(&[List(&Text), Table(&WORDS)])),
            "Word lists for `mentions(name)` and `mentioned(name)`: whole words, in any case.",
        ),
        key(
            "list",
            Names(&Table(&LIST)),
            "Lists of keys in files of their own, such as blocked phones: `in_list(blocked, request.phone)`.",
        ),
        key("market", Table(&MARKET), "What a policy of this market has. For files that `market` of a policy names."),
        key(
            "kind",
            Names(&Table(&KIND)),
            "What a person may say that a record is, with the conditions of `[transaction]` that then hold.",
        ),
        key("use", USES, "Files, relative to this one, whose sections are added. For files that policies use."),
        key("request", INPUTS, "Fields that a request may have, with their types. Rules write `request.name`."),
        key("bureau", INPUTS, "Fields of a bureau's report, with their types. Rules write `bureau.name`."),
        key("own", INPUTS, "What the lender's book says of the customer, with types. Rules write `own.name`."),
        key(
            "input",
            Table(&ENTRIES),
            "Lists of entries of a request, a bureau or the lender's book: `[input.bureau.loans]` has the fields \
             of a loan.",
        ),
        key("transaction", DEFINITIONS, "One value per record."),
        key("month", DEFINITIONS, "One value per calendar month: aggregates of records."),
        key("week", DEFINITIONS, "One value per week, from Monday to Sunday: aggregates of records."),
        key("day", DEFINITIONS, "One value per calendar day: aggregates of records."),
        key("counterparty", DEFINITIONS, "One value per counterparty: aggregates of records."),
        key("stream", DEFINITIONS, "One value per recurring stream: aggregates of records."),
        key(
            "metric",
            Names(&Either(&[Expression, Table(&METRIC)])),
            "One value per statement: aggregates of records or of groups such as months; or given by the lender.",
        ),
        key("require", Tables(&REQUIRE), "What must hold."),
        key("score", Table(&SCORE), "Points that add up to `score`."),
        key("table", Names(&Table(&TABLE)), "Decision tables; their outputs are names that rules know."),
        key("offer", Tables(&OFFER), "What is offered, for each of its tenures."),
        key("exposure", Table(&EXPOSURE), "How much one customer may owe in total."),
        key("ask", Table(&ASK), "What the customer asked for. If it cannot be lent, the decision has a counter-offer."),
        key("property", Tables(&PROPERTY), "What is declared to be true of the policy, and checked."),
    ],
};

static MARKET: KeySection = KeySection {
    name: "market",
    keys: &[
        key("name", Text, "Its name, for people."),
        key("currency", Text, "The currency of its policies, ISO 4217 numeric."),
        key("time_zone", Text, "Their time zone, an IANA name."),
        key("apr_name", Text, "What the law calls the yearly cost of a loan; explanations use it."),
        key(
            "apr_rate",
            Words(&[("nominal", "twelve times the monthly rate"), ("effective", "with interest on interest")]),
            "Which rate that is; `\"nominal\"` by default.",
        ),
    ],
};

static LIST: KeySection = KeySection {
    name: "list",
    keys: &[
        needed("file", Text, "A CSV or Parquet file, relative to this one; its first line names its columns."),
        key("key", Text, "The column of the keys; the first one by default."),
        key("until", Text, "The column with the last day of each entry; an entry without one never ends."),
        key("ignore_case", Boolean, "Whether capital letters count as small ones; `false` by default."),
        key("doc", Text, "What it is, for people."),
    ],
};

static KIND: KeySection = KeySection {
    name: "kind",
    keys: &[
        key(
            "credit",
            List(&Text),
            "The conditions of `[transaction]` that hold of money that came in and is of this kind.",
        ),
        key("debit", List(&Text), "Those that hold of money that went out."),
        key("doc", Text, "What it is, for people."),
    ],
};

static WORDS: KeySection = KeySection {
    name: "words",
    keys: &[
        key("add", List(&Text), "Words to add to the list of a used file."),
        key("remove", List(&Text), "Words to remove from it."),
    ],
};

const DEFINITIONS: ValueShape = Names(&Either(&[Expression, Table(&DEFINITION)]));

static POLICY: KeySection = KeySection {
    name: "policy",
    keys: &[
        needed("name", Text, "The policy's name, which is in every decision."),
        needed("version", Text, "The policy's version, which is in every decision."),
        key("currency", Text, "ISO 4217 numeric, as text: `\"566\"` is the naira. Needed unless a market has it."),
        key(
            "time_zone",
            Text,
            "An IANA name. The statement's days are days in this zone. Needed unless a market has it.",
        ),
        key(
            "statement_unit",
            Words(&[
                ("major", "a bare amount of the statement counts whole units"),
                ("minor", "it counts the smallest coin"),
            ]),
            "What a bare amount of the statement counts; `\"major\"` by default.",
        ),
        key(
            "tenure_unit",
            Words(&[("days", "days"), ("weeks", "weeks"), ("months", "months")]),
            "What a tenure counts; `\"days\"` by default.",
        ),
        key(
            "date_conflict",
            Words(&[
                ("error", "refuse the statement"),
                ("prefer_iso", "the ISO form counts"),
                ("prefer_unformatted", "the DD-MM-YYYY form counts"),
            ]),
            "When a record's two dates disagree; `\"error\"` by default.",
        ),
        key(
            "record_day",
            Words(&[
                ("trans_date", "the day of the transaction"),
                ("cleared_date", "the day on which it cleared, for balances that run by it"),
            ]),
            "Which of its dates is a record's day; `\"trans_date\"` by default.",
        ),
        key(
            "negative_amount",
            Words(&[
                ("error", "refuse the statement"),
                ("swap_sides", "a negative credit is a debit, and the reverse"),
                ("same_side", "a negative debit is a debit"),
            ]),
            "What a negative amount means; `\"error\"` by default.",
        ),
        key(
            "empty_amount",
            Words(&[("error", "refuse the statement"), ("drop", "drop the record and count it")]),
            "What a record with neither credit nor debit means; `\"error\"` by default.",
        ),
        key(
            "as_of",
            Words(&[
                ("optional", "without it what depends on the day of the decision is unknown"),
                ("required", "without it every case is referred (`INPUT_MISSING`)"),
            ]),
            "Whether the day of the decision must be given; `\"optional\"` by default.",
        ),
        key(
            "fee_mode",
            Words(&[
                ("added", "the fee is repaid with the loan"),
                ("deducted", "the fee is taken from what is paid out"),
            ]),
            "How a fee is paid; `\"added\"` by default.",
        ),
        key("valid_from", Date, "The first day of the policy; before it every case is referred."),
        key("valid_to", Date, "The last day of the policy; after it every case is referred."),
        key("use", USES, "Files, relative to this one, whose sections are added."),
        key(
            "market",
            Text,
            "The market: `\"kenya\"` uses `markets/kenya.toml` in the folder of this file, with its currency and zone.",
        ),
        key("corrections", Text, "A file of what people said of records, .toml or .csv, relative to this one."),
        key("challenger", Table(&CHALLENGER), "Another version that is tried on a share of the customers."),
        key("description", Text, "For people."),
    ],
};

const TYPES: [Word; 12] = [
    ("money", "an exact amount: in major units in rules, cases and TOML requests, in minor units in JSON"),
    ("number", "an exact number, which may have a fraction"),
    ("count", "a whole number"),
    ("ratio", "one quantity over another of its kind, exact: 0.05 is 5 %"),
    ("days", "a whole number of days"),
    ("months", "a whole number of months"),
    ("duration", "a length of time by the clock, such as PT1H30M"),
    ("date", "a day"),
    ("time", "a time of day, such as 22:30"),
    ("timestamp", "a moment with its offset from UTC, such as 2026-01-31T22:30:00+01:00"),
    ("text", "text"),
    ("boolean", "true or false"),
];

static PARAMETER: KeySection = KeySection {
    name: "parameter",
    keys: &[
        key("value", Expression, "The value in force."),
        key("values", Names(&Expression), "Values by the day from which each holds."),
        key("min", Expression, "It may not be less."),
        key("max", Expression, "It may not be more."),
        key("unit", Words(&TYPES), "What it measures; a number by default."),
        key("currency", Text, "ISO 4217 numeric: what its amounts are in. A policy in another currency is warned."),
        key(
            "override",
            Either(&[Expression, Names(&Expression)]),
            "Another value for a parameter of a used file, or values by date.",
        ),
        key("doc", Text, "For people."),
    ],
};

const USES: ValueShape = List(&Either(&[Text, Table(&USE)]));

static USE: KeySection = KeySection {
    name: "use",
    keys: &[
        needed("file", Text, "The file, relative to this one."),
        key("as", Text, "The namespace of its names: `b.name`, `$b.name`."),
        key("digest", Text, "The digest that it must have; `lendwright check --digests` prints it."),
    ],
};

static CHALLENGER: KeySection = KeySection {
    name: "challenger",
    keys: &[
        needed("file", Text, "The other version, relative to this file."),
        needed("share", Expression, "The share of the customers that it decides on."),
        needed("salt", Text, "Makes this trial's choice of customers differ from that of others."),
    ],
};

const INPUTS: ValueShape = Names(&Either(&[Words(DECLARED_TYPES), Table(&INPUT)]));

/// The fields of each entry of a list.
const FIELDS: ValueShape = Names(&Names(&Either(&[Words(DECLARED_TYPES), Table(&FIELD)])));

static ENTRIES: KeySection = KeySection {
    name: "entries",
    keys: &[
        key("request", FIELDS, "Lists of the request. Rules aggregate them: `SUM(request.cards.used)`."),
        key("bureau", FIELDS, "Lists of a bureau's report. Rules aggregate them: `SUM(bureau.loans.amount)`."),
        key("own", FIELDS, "Lists of the lender's book. Rules aggregate them: `SUM(own.loans.amount)`."),
    ],
};

static FIELD: KeySection = KeySection {
    name: "field",
    keys: &[needed("type", Words(DECLARED_TYPES), "What it measures."), key("doc", Text, "For people.")],
};

static INPUT: KeySection = KeySection {
    name: "input",
    keys: &[
        needed("type", Words(DECLARED_TYPES), "What it measures."),
        key("required", Boolean, "Whether it must be given."),
        key("doc", Text, "For people."),
    ],
};

/// A unit, or a list of one.
static DECLARED_TYPES: &[Word] = &{
    let mut all = [("", ""); TYPES.len() + LISTS.len()];
    let (units, lists) = all.split_at_mut(TYPES.len());
    units.copy_from_slice(&TYPES);
    lists.copy_from_slice(&LISTS);
    all
};

const LISTS: [Word; 12] = [
    ("list of money", "several amounts"),
    ("list of number", "several numbers"),
    ("list of count", "several whole numbers"),
    ("list of ratio", "several ratios"),
    ("list of days", "several numbers of days"),
    ("list of months", "several numbers of months"),
    ("list of duration", "several lengths of time"),
    ("list of date", "several days"),
    ("list of time", "several times of day"),
    ("list of timestamp", "several moments"),
    ("list of text", "several texts"),
    ("list of boolean", "several truth values"),
];

static DEFINITION: KeySection = KeySection {
    name: "definition",
    keys: &[needed("is", Expression, "The expression."), key("doc", Text, "For people.")],
};

static METRIC: KeySection = KeySection {
    name: "metric",
    keys: &[
        key("is", Expression, "The expression."),
        key("given", Words(DECLARED_TYPES), "In place of `is`: the type of a metric that the lender has already."),
        key("column", Text, "The column of a table that has a given metric; by default that of its name."),
        key("doc", Text, "For people."),
    ],
};

static OUTCOMES: &[Word] = &[("decline", "the case is declined"), ("refer", "a person looks at the case")];

static UNKNOWN_OUTCOMES: &[Word] = &[
    ("decline", "the case is declined"),
    ("refer", "a person looks at the case"),
    ("pass", "an unknown is let through"),
];

static REQUIRE: KeySection = KeySection {
    name: "require",
    keys: &[
        needed("id", Text, "What names it in decisions."),
        key("title", Text, "What it asks for in a few words, for people: shown beside the id."),
        key("when", Expression, "What must hold."),
        key("all", List(&ONE_MEMBER), "All of these must hold."),
        key("any", List(&ONE_MEMBER), "One of these must hold."),
        key("at_least", Expression, "How many of `of` must hold."),
        key("of", List(&ONE_MEMBER), "The conditions that `at_least` counts."),
        key("else", Words(OUTCOMES), "What follows if it does not hold; `\"decline\"` by default."),
        key("unknown", Words(UNKNOWN_OUTCOMES), "What follows if it is unknown; `\"refer\"` by default."),
        needed(
            "reason",
            Sentence,
            "The reason for the customer. It may contain `{name}`, `{$parameter}` and `{request.field}`.",
        ),
    ],
};

// Conditions hold conditions.
static ONE_MEMBER: ValueShape = Either(&[Text, Table(&MEMBER)]);

static MEMBER: KeySection = KeySection {
    name: "condition",
    keys: &[
        key("when", Expression, "What must hold."),
        key("all", List(&ONE_MEMBER), "All of these must hold."),
        key("any", List(&ONE_MEMBER), "One of these must hold."),
        key("at_least", Expression, "How many of `of` must hold."),
        key("of", List(&ONE_MEMBER), "The conditions that `at_least` counts."),
        key(
            "unknown",
            Words(&[("holds", "an unknown counts as true"), ("fails", "an unknown counts as false")]),
            "What an unknown counts as; without it the block is unknown, unless the others decide it.",
        ),
    ],
};

static SCORE: KeySection = KeySection {
    name: "score",
    keys: &[
        needed("base", Expression, "The points to begin with."),
        key("reasons", Expression, "How many reasons for lost points a decision names."),
        key("scale", Table(&SCALE), "The score at which the odds are `odds` to one, and how many points double them."),
        key("item", Tables(&ITEM), "What gives points."),
    ],
};

static SCALE: KeySection = KeySection {
    name: "scale",
    keys: &[
        needed("points", Expression, "The score at which the odds are `odds`."),
        needed("odds", Expression, "Good to bad, to one."),
        needed("pdo", Expression, "How many points double the odds."),
    ],
};

static ITEM: KeySection = KeySection {
    name: "item",
    keys: &[
        needed("on", Expression, "The value that the bins test."),
        key("weight", Expression, "What its points are multiplied by."),
        key("code", Text, "The code of the reason where it loses points."),
        key("reason", Sentence, "The reason where it loses points."),
        key("points", List(&Row(2, &Cell)), "Bins: a cell and the points it gives, such as `[\">= 0.30\", 40]`."),
    ],
};

static HIT_POLICIES: &[Word] = &[
    ("unique", "never two rows match: `check` refuses rows that overlap"),
    ("any", "rows that match must agree: `check` refuses rows that overlap and differ"),
    ("first", "the first row that matches counts"),
    ("priority", "the matching row whose output has the highest rank"),
    ("rule_order", "all rows that match, in the order of the table: outputs are lists"),
    ("output_order", "all rows that match, by the rank of their outputs: outputs are lists"),
    ("collect", "all rows that match: outputs are lists"),
    ("collect_sum", "the sum over the rows that match"),
    ("collect_min", "the least of the rows that match"),
    ("collect_max", "the greatest of the rows that match"),
    ("collect_count", "how many rows match, in every output"),
];

static TABLE: KeySection = KeySection {
    name: "table",
    keys: &[
        key("title", Text, "What it decides in a few words, for people: shown beside the name."),
        needed("hit", Words(HIT_POLICIES), "The hit policy: what counts if several rows match."),
        needed("inputs", List(&Expression), "The expressions that the cells of each row test, in this order."),
        needed(
            "outputs",
            Names(&Either(&[Words(DECLARED_TYPES), Table(&OUTPUT)])),
            "Names and types of what a row gives, in this order.",
        ),
        key(
            "rows",
            Either(&[Text, List(&List(&Cell))]),
            "The cells of inputs, then of outputs; or a CSV file beside this one.",
        ),
        key("otherwise", List(&Cell), "The outputs if no row matches."),
    ],
};

static OUTPUT: KeySection = KeySection {
    name: "output",
    keys: &[
        needed("type", Words(DECLARED_TYPES), "What it measures."),
        key("values", List(&Cell), "All its values, the highest rank first."),
    ],
};

static METHODS: &[Word] = &[
    ("flat", "interest on the whole principal for every period, equal instalments"),
    ("reducing", "interest on what is still owed, equal instalments"),
    ("bullet", "everything is repaid once, at the end"),
];

static OFFER: KeySection = KeySection {
    name: "offer",
    keys: &[
        needed("id", Text, "Names it, together with the tenure."),
        key("when", Expression, "When it is made; always by default."),
        needed(
            "tenure",
            Either(&[Expression, List(&Expression)]),
            "How long, in the policy's `tenure_unit`; one offer for each.",
        ),
        key("instalments", Expression, "How many instalments; 1 by default."),
        needed("amount", Expression, "The most that can be lent."),
        key("cap", Either(&[Expression, List(&Expression)]), "It is never more than any of these."),
        key("floor", Expression, "Below it no offer is made."),
        key("step", Expression, "The amount is rounded down to whole steps."),
        needed("interest", Expression, "In percent per period."),
        key("method", Words(METHODS), "How it is priced; `\"flat\"` by default."),
        key("fee", Expression, "Money, once."),
        key("valid_for_days", Expression, "How long the offer is open; 7 days by default."),
        key("part_payment", Boolean, "Whether it may be repaid in parts."),
        key("terms", Text, "Text that comes with the offer."),
    ],
};

static EXPOSURE: KeySection = KeySection {
    name: "exposure",
    keys: &[
        needed("limit", Expression, "The most that one customer may owe in total."),
        key("existing", Expression, "What the customer owes already."),
    ],
};

static ASK: KeySection = KeySection {
    name: "ask",
    keys: &[
        key("amount", Expression, "What was asked for, such as `request.amount`."),
        key("tenure", Expression, "The tenure that was asked for."),
    ],
};

static PROPERTY: KeySection = KeySection {
    name: "property",
    keys: &[
        key("increasing", Text, "With more of this metric or input, `of` never falls."),
        key("decreasing", Text, "With more of this metric or input, `of` never rises."),
        needed("of", Text, "A metric, `score`, an output, a requirement's id, `OFFER.amount` or `outcome`."),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Unit;

    #[test]
    fn every_unit_can_be_written() {
        let units: Vec<&str> = Unit::ALL.iter().map(|unit| unit.word()).collect();
        assert_eq!(TYPES.iter().map(|(word, _)| *word).collect::<Vec<_>>(), units);
        let lists = units.iter().map(|unit| format!("list of {unit}"));
        let inputs: Vec<String> = units.iter().map(|unit| (*unit).to_owned()).chain(lists).collect();
        assert_eq!(DECLARED_TYPES.iter().map(|(word, _)| (*word).to_owned()).collect::<Vec<_>>(), inputs);
    }
}
