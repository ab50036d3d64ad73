//! Floor 3: judgement. A policy and a statement become a decision: outcome, reasons, score, offers. Pure: no clock, no
//! randomness, no environment, so that the same inputs give the same bytes for ever.

mod chosen;
mod columns;
mod counter;
mod decide;
mod explain;
mod many;
mod offers;
mod reached;
mod reading;
mod ready;
mod record;
mod request;
mod say;
mod suppose;

pub use columns::Judged;
pub use decide::{Error, decide};
pub use explain::{
    Counted, CountedGroup, CountedGroups, CountedRecord, DayTotals, Due, Evidence, Explanation, Figure, ItemExplained,
    Making, Member, Named, NearMiss, Number, NumberKind, OfferExplained, Record, RequirementExplained, RowExplained,
    ScoreExplained, State, Step, TableExplained, evidence, explain,
};
pub use many::{Application, ApplicationError, decide_many, decide_one};
pub use reached::{Part, PartOf, parts, places, reached};
pub use reading::{merge, reading};
pub use ready::{ReadyError, ReadyPlan, ReadyRows};
pub use record::{CounterOffer, Decision, Digests, Outcome, PointsLost, PolicyRecord, ReasonRecord};
pub use request::{Request, RequestError};
pub(crate) use suppose::{Supposed, in_force, suppose};
