//! The keys of cases files and their descriptions. Knows no keys of rule files.

use super::Shape::{Anything, Either, False, List, Names, Number, Row, Table, Tables, Text, Whole, Words};
use super::{Section, Shape, key, needed};

/// A cases file.
pub(in crate::editor) static CASES: Section = Section {
    name: "cases",
    keys: &[
        key("records", Names(&List(&Table(&RECORD))), "Records by name, for cases that share them."),
        needed("case", Tables(&CASE), "One person, and what is expected."),
    ],
};

static RECORD: Section = Section {
    name: "record",
    keys: &[
        key("on", Text, "The day of one record."),
        key("from", Text, "The first day of several."),
        key("times", Whole, "How many of them."),
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

const AMOUNT: Shape = Either(&[Number, Text]);

static CASE: Section = Section {
    name: "case",
    keys: &[
        needed("name", Text, "What it is about."),
        key("as_of", Text, "The day to decide for; without it what depends on it is unknown."),
        key("statement", Text, "A statement's file, beside the cases file, instead of records."),
        key("records", List(&Text), "Names under `[records]`."),
        key("also", List(&Table(&RECORD)), "Records of this case alone."),
        key("metrics", Names(&Anything), "Metrics that are known already, instead of records; money in minor units."),
        key("request", Names(&Anything), "Fields of the request; money in minor units."),
        key("parameters", Names(&Text), "Parameters that this case sets otherwise."),
        needed("expect", Table(&EXPECT), "What must come out."),
    ],
};

static EXPECT: Section = Section {
    name: "expect",
    keys: &[
        key(
            "outcome",
            Words(&[
                ("offer", "something is offered"),
                ("refer", "a person looks at the case"),
                ("decline", "nothing is offered"),
            ]),
            "What is decided; without it the case is not finished, and `test --update` writes it.",
        ),
        key("reasons", List(&Text), "Every reason's id, in order."),
        key("score", Number, "The score."),
        key("points_lost", List(&Text), "The codes of the points lost, in order."),
        key("grade", Names(&Anything), "Outputs of tables."),
        key("metrics", Names(&Anything), "Metrics; money in minor units."),
        key("unknown", Names(&Text), "Why metrics are unknown."),
        key("offers", List(&Row(3, &Whole)), "Every offer: tenure, amount, to pay back; money in minor units."),
        key(
            "counter_offer",
            Either(&[False, Table(&COUNTER)]),
            "What is offered instead of what was asked for; `false` where nothing is.",
        ),
        key("tolerance", Number, "How far numbers may be off, relative to what is expected."),
    ],
};

static COUNTER: Section = Section {
    name: "counter_offer",
    keys: &[
        key("amount", Anything, "The most that is offered, in minor units."),
        key("tenure", Whole, "Over which tenure."),
        key(
            "limited_by",
            List(&Text),
            "What stands in the way, in order: `amount`, `cap: ...`, `exposure`, `step`, `tenure`.",
        ),
    ],
};
