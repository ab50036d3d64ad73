//! The keys of cases files and their descriptions. Knows no keys of rule files.

use super::ValueShape::{Anything, Either, False, List, Names, Number, Row, Table, Tables, Text, Whole, Words};
use super::{KeySection, ValueShape, key, needed};

/// A cases file.
pub(in crate::authoring::editor) static CASES: KeySection = KeySection {
    name: "cases",
    keys: &[
        key("records", Names(&List(&Table(&RECORD))), "Records by name, for cases that share them."),
        needed("case", Tables(&CASE), "One person, and the expected decision."),
    ],
};

static RECORD: KeySection = KeySection {
    name: "record",
    keys: &[
        key("on", Text, "The day of one record."),
        key("from", Text, "The first day of several."),
        key("times", Whole, "The number of repetitions."),
        key(
            "every",
            Either(&[Whole, Words(&[("week", "every seven days"), ("month", "the same day of every month")])]),
            "How often: `week`, `month`, or a number of days.",
        ),
        key("credit", AMOUNT, "Money in, in major units."),
        key("debit", AMOUNT, "Money out, in major units."),
        key("balance", AMOUNT, "The balance after the record, in major units."),
        key("desc", Text, "The narration."),
        key("topics", List(&Text), "The notes' topics."),
    ],
};

const AMOUNT: ValueShape = Either(&[Number, Text]);

static CASE: KeySection = KeySection {
    name: "case",
    keys: &[
        needed("name", Text, "What the case shows."),
        key("as_of", Text, "The day of the decision. Without it, what depends on it is unknown."),
        key("statement", Text, "A statement file beside the cases file, instead of records."),
        key("records", List(&Text), "Names under `[records]`."),
        key("also", List(&Table(&RECORD)), "Records of this case only."),
        key("metrics", Names(&Anything), "Known metrics instead of records; money in major units, such as 1_250.50."),
        key("request", Names(&Anything), "Fields of the request; money in major units."),
        key("parameters", Names(&Text), "Parameters that this case overrides."),
        needed("expect", Table(&EXPECT), "The expected decision."),
    ],
};

static EXPECT: KeySection = KeySection {
    name: "expect",
    keys: &[
        key(
            "outcome",
            Words(&[
                ("offer", "something is offered"),
                ("refer", "a person looks at the case"),
                ("decline", "nothing is offered"),
            ]),
            "The outcome. A case without it is unfinished; `test --update` fills it in.",
        ),
        key("reasons", List(&Text), "The ids of all reasons, in order."),
        key("score", Number, "The score."),
        key("points_lost", List(&Text), "The codes of the points lost, in order."),
        key("grade", Names(&Anything), "Outputs of tables; money in major units."),
        key("metrics", Names(&Anything), "Metrics; money in major units."),
        key("unknown", Names(&Text), "Why metrics are unknown."),
        key("offers", List(&Row(3, &Number)), "Every offer: tenure, amount, amount payable; money in major units."),
        key("fees", List(&Number), "The fee of every offer, in major units."),
        key("paid_out", List(&Number), "What every offer pays out: the amount, without a fee that is deducted."),
        key("aprs", List(&Number), "The APR of every offer, in percent."),
        key("counter_offer", Either(&[False, Table(&COUNTER)]), "The counter-offer; `false` expects none."),
        key("tolerance", Number, "How far numbers may be off, relative to the expected number."),
    ],
};

static COUNTER: KeySection = KeySection {
    name: "counter_offer",
    keys: &[
        key("amount", Anything, "The amount offered, in major units."),
        key("tenure", Whole, "The tenure."),
        key(
            "limited_by",
            List(&Text),
            "What limits the amount, in order: `amount`, `cap: ...`, `exposure`, `step`, `tenure`.",
        ),
    ],
};
