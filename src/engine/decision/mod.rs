//! Judgement. A policy and a statement become a decision: outcome, reasons, score, offers. Pure: no clock, no
//! randomness, no environment, so that the same inputs always give the same bytes.

mod applications;
mod case;
mod counter_offer;
mod coverage;
mod decide;
mod entries;
mod error;
mod explain;
mod format;
mod offers;
mod policy_selection;
mod precomputed;
mod reading;
mod record;
mod request;
mod request_scale;
mod schema;
mod verdicts;
mod what_if;
mod written;

pub use applications::{Application, ApplicationError, decide_many, decide_one};
#[doc(hidden)]
pub use coverage::{Part, PartOf, parts, places, reached};
pub use decide::decide;
pub(crate) use decide::decide_each;
pub use error::{Error, ReadyError};
pub use explain::{
    Counted, CountedGroup, CountedGroups, CountedRecord, DayTotals, Due, Evidence, Explanation, Figure, ItemExplained,
    Making, Member, Named, NearMiss, Number, NumberKind, OfferExplained, Record, RequirementExplained, RowExplained,
    ScoreExplained, State, StatementSummary, Step, TableExplained, evidence, explain,
};
pub(crate) use precomputed::cache::ROWS as CACHE_ROWS;
pub(crate) use precomputed::cache::{CacheError, Judgement, MetricSource, MetricsCache, ReasonBits, stored_nodes};
pub(crate) use precomputed::cache::{Changed, Supposing, WithChanges};
pub use precomputed::{Judged, ReadyPlan, ReadyRows};
pub use reading::{merge, reading};
pub use record::{CounterOffer, Decision, Digests, OfferRecord, Outcome, PointsLost, PolicyRecord, ReasonRecord};
pub use request::{Request, RequestError};
pub use schema::decision_schema;
#[doc(hidden)]
pub use verdicts::verdicts_explaining;
pub use verdicts::{FlagColumn, KINDS, RecordStream, Verdict, Verdicts, VerdictsAsked, VerdictsError, verdicts};
pub(crate) use what_if::{Supposed, in_force, suppose};
pub(crate) use written::{in_major, in_minor};
