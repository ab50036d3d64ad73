//! Judgement. A policy and a statement become a decision: outcome, reasons, score, offers. Pure: no clock, no
//! randomness, no environment, so that the same inputs always give the same bytes.

mod applications;
#[allow(dead_code, reason = "the lender's service uses it, which the feature `engine` lacks")]
pub(crate) mod approval;
mod case;
mod counter_offer;
mod coverage;
pub(crate) mod decide;
#[allow(dead_code, reason = "batches and tables in memory use it, which the feature `engine` lacks")]
pub(crate) mod decide_each;
mod error;
mod explain;
mod format;
mod merge;
mod offers;
mod policy_selection;
mod ready_metrics;
mod record;
mod record_flags;
pub(crate) mod request;
mod request_lists;
mod request_scale;
mod request_values;
mod schema;
pub(crate) mod toml_values;
mod what_if;

pub use crate::engine::metrics::reading;
pub use applications::{Application, ApplicationError, decide_many, decide_one};
#[doc(hidden)]
pub use coverage::{CoveredPart, PartOf, find_reached_parts, list_policy_parts, locate_policy_parts};
pub use decide::decide;
pub use error::{Error, ReadyError};
pub use explain::{
    Counted, CountedGroup, CountedGroups, CountedRecord, DayTotals, Due, Evidence, Explanation, Figure, ItemExplained,
    Making, Member, Named, NearMiss, Number, NumberKind, OfferExplained, Record, RequirementExplained, RowExplained,
    ScoreExplained, State, StatementSummary, Step, TableExplained, evidence, explain,
};
pub use merge::merge;
pub(crate) use ready_metrics::cache::ROWS as CACHE_ROWS;
pub(crate) use ready_metrics::cache::{
    CacheError, Judgement, MetricSource, MetricsCache, ReasonBits, minor_units_of_value, stored_nodes,
};
pub(crate) use ready_metrics::cache::{Changed, Supposing, WithChanges};
pub use ready_metrics::{Judged, ReadyPlan, ReadyRows};
pub use record::{CounterOffer, Decision, Digests, OfferRecord, Outcome, PointsLost, PolicyRecord, ReasonRecord};
#[doc(hidden)]
pub use record_flags::verdicts_explaining;
pub use record_flags::{FlagColumn, KINDS, RecordStream, Verdict, Verdicts, VerdictsAsked, VerdictsError, verdicts};
pub(crate) use request::NESTED_SOURCES;
pub use request::{Request, RequestError};
pub use schema::decision_schema;
pub(crate) use toml_values::{in_major, in_minor};
pub(crate) use what_if::{Supposed, decide_with_given_values, in_force};
