//! The hit policies of decision tables: which of the rows that match count, and how they are combined.

/// Which row of a table counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HitPolicy {
    /// The first that matches.
    First,
    /// The only one that matches; more than one is unknown.
    Unique,
    /// Any of those that match; unknown if they differ.
    Any,
    /// The one whose outputs have the highest rank.
    Priority,
    /// All that match, in the order of the rows.
    RuleOrder,
    /// All that match, in the order of their outputs' ranks.
    OutputOrder,
    /// All that match, combined.
    Collect(Collected),
}

/// How the collected rows are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collected {
    List,
    Sum,
    Min,
    Max,
    Count,
}

/// The hit policies of DMN, by their words.
pub(in crate::rules) const HIT_POLICIES: [(&str, HitPolicy); 11] = [
    ("unique", HitPolicy::Unique),
    ("any", HitPolicy::Any),
    ("first", HitPolicy::First),
    ("priority", HitPolicy::Priority),
    ("rule_order", HitPolicy::RuleOrder),
    ("output_order", HitPolicy::OutputOrder),
    ("collect", HitPolicy::Collect(Collected::List)),
    ("collect_sum", HitPolicy::Collect(Collected::Sum)),
    ("collect_min", HitPolicy::Collect(Collected::Min)),
    ("collect_max", HitPolicy::Collect(Collected::Max)),
    ("collect_count", HitPolicy::Collect(Collected::Count)),
];

impl HitPolicy {
    /// The word used in rule files.
    pub(crate) fn word(self) -> &'static str {
        HIT_POLICIES.iter().find(|(_, policy)| *policy == self).map_or("first", |(word, _)| word)
    }

    /// Whether an output is a list, with one value per fitting row.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect(Collected::List))
    }

    /// Whether more than one row may count.
    pub(crate) fn is_many(self) -> bool {
        self.is_list() || matches!(self, HitPolicy::Collect(_))
    }
}
