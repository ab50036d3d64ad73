//! The result of a backtest: what policies did on the same customers. Plain numbers, the same for text, JSON, tables
//! and pages.

use serde::Serialize;

pub use super::sweep_summary::{BestPoint, Bounds, SweepPoint, SweepSummary, TornadoRow};

/// What one policy did, or two on the same customers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// The engine that decided: `lendwright 0.1.0, time zones 2026f`.
    pub engine: String,
    /// What was read, in order.
    pub inputs: Vec<InputRecord>,
    /// How many customers were decided.
    pub customers: u64,
    /// The first and the last day that customers were decided for: `2026-10-31`.
    pub days: Option<(String, String)>,
    /// The currency of all amounts: its ISO 4217 number, and how many digits its minor unit has.
    pub currency: (String, u32),
    /// The policy alone, or the champion and then the challenger.
    pub policies: Vec<PolicySummary>,
    /// What changes, if there are two policies.
    pub swap_set: Option<SwapSet>,
    /// The champion, the challenger and others side by side, if there are others.
    pub contenders: Vec<Contender>,
    /// Every column that customers were divided by, in the order asked for; `month` is that of `as_of`.
    pub segments: Vec<Segmentation>,
    /// How outcomes that are known spread over decisions and scores.
    pub outcomes: Option<OutcomeStatistics>,
    /// How far the distribution of scores and metrics moved between two periods.
    pub stability: Vec<Stability>,
    /// Approval rates of groups that rules must not know.
    pub adverse_impact: Vec<AdverseImpact>,
    /// How the parameter of `--aim` was set.
    pub aim: Option<Aim>,
    /// What a reader must know before trusting the numbers.
    pub warnings: Vec<String>,
}

/// One of several policies, compared with the champion.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Contender {
    /// `champion`, `challenger`, or the file of another.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
    /// The customers with an offer.
    pub offered: GroupNumbers,
    /// Of them, those without an offer from the champion.
    pub gained: GroupNumbers,
    /// Those with an offer from the champion alone; the amount is zero.
    pub lost: GroupNumbers,
    /// The AUC of its score, if it has one and outcomes are known.
    pub auc: Option<Interval>,
}

/// Something that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputRecord {
    /// As named on the command line.
    pub name: String,
    /// The digest of its content.
    pub digest: String,
}

/// What one policy did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PolicySummary {
    /// `policy`, `champion` or `challenger`.
    pub role: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
    /// Parameters that were set to other values than the file's.
    pub parameters: Vec<(String, String)>,
    /// `offer`, `refer` and `decline`, in this order.
    pub outcomes: Vec<OutcomeRow>,
    /// The greatest amount offered to each customer with an offer, in minor units.
    pub amounts: Amounts,
    /// The tenure of that offer.
    pub tenures: Vec<TenureRow>,
    /// Reasons for no offer, in the policy's order.
    pub reasons: Vec<ReasonRow>,
    /// Scores, if the policy has one.
    pub scores: Option<Histogram>,
    /// Metrics that the policy uses and that are unknown for somebody, the most frequent first.
    pub unknown: Vec<UnknownRow>,
    /// Every decision table, row by row.
    pub tables: Vec<TableSummary>,
}

/// Some customers: how many, what they are offered, and how many are known to be bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct GroupNumbers {
    /// How many.
    pub customers: u64,
    /// Their share of all customers of the same table.
    pub share: Option<f64>,
    /// The sum of their greatest offers, in minor units.
    pub amount: i128,
    /// How many have an outcome.
    pub known: u64,
    /// How many of those are bad.
    pub bad: u64,
    /// `bad / known`.
    pub bad_rate: Option<f64>,
    /// The bad rate if everybody without an outcome is good, and if everybody without is bad.
    pub bad_rate_bounds: Option<(f64, f64)>,
}

/// The customers with one outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OutcomeRow {
    /// `offer`, `refer` or `decline`.
    pub outcome: String,
    /// The customers.
    #[serde(flatten)]
    pub group: GroupNumbers,
}

/// A distribution of amounts in minor units.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Amounts {
    /// How many there are.
    pub count: u64,
    /// Their sum.
    pub sum: i128,
    /// Their mean, rounded down.
    pub mean: Option<i64>,
    /// The least.
    pub least: Option<i64>,
    /// The quartiles: the value at rank ⌈n/4⌉, ⌈n/2⌉ and ⌈3n/4⌉.
    pub quartiles: Option<[i64; 3]>,
    /// The greatest.
    pub greatest: Option<i64>,
}

/// The customers whose greatest offer has one tenure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TenureRow {
    /// The tenure, in the policy's unit.
    pub tenure: u32,
    /// How many customers.
    pub customers: u64,
    /// The sum of their greatest offers, in minor units.
    pub amount: i128,
}

/// How often a reason kept customers from an offer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReasonRow {
    /// The requirement's id, or `NO_OFFER`, `OFFER_UNKNOWN`, `POLICY_DATES`, `INPUT_MISSING`.
    pub id: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Customers with it, alone or among others.
    pub any: u64,
    /// Customers whose first reason it is.
    pub first: u64,
    /// Customers who have no other reason: it alone decides.
    pub only: u64,
    /// Of `any`, those for whom its condition is unknown.
    pub unknown: u64,
}

/// How many values lie in each interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Histogram {
    /// The ends of the intervals: one more than there are intervals. A value belongs to the interval that it starts;
    /// the last end belongs to the last interval.
    pub edges: Vec<f64>,
    /// How many customers are in each interval.
    pub customers: Vec<u64>,
    /// Of them, how many get an offer.
    pub offered: Vec<u64>,
    /// Of them, how many have an outcome, and how many of those are bad.
    pub known: Vec<u64>,
    /// See `known`.
    pub bad: Vec<u64>,
    /// How many customers have no value.
    pub unknown: u64,
}

/// A metric that is unknown for some.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UnknownRow {
    /// Its name.
    pub metric: String,
    /// For how many customers.
    pub customers: u64,
    /// Their share of all.
    pub share: f64,
}

/// Which rows of a decision table customers fell into.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TableSummary {
    /// The table's name.
    pub table: String,
    /// Its rows; one past the last is `otherwise`.
    pub rows: Vec<TableRow>,
    /// Customers for whom no row was found, because an input is unknown or nothing fits.
    pub undecided: u64,
}

/// One row of a decision table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TableRow {
    /// Its number from 1.
    pub row: usize,
    /// Its conditions as written.
    pub conditions: Vec<String>,
    /// The customers.
    #[serde(flatten)]
    pub group: GroupNumbers,
}

/// What two policies do differently.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SwapSet {
    /// All nine cells: by the champion's outcome (offer, refer, decline), then by the challenger's.
    pub cells: Vec<SwapCell>,
    /// Customers with an offer from both whose greatest offer is raised.
    pub raised: AmountChange,
    /// See `raised`.
    pub lowered: AmountChange,
    /// What caused flips, the most frequent first. A flip may have several causes, and counts for each.
    pub causes: Vec<Cause>,
    /// What each change of the rules does alone and left out, where the rule files could be taken apart.
    pub effects: Option<ChangeEffects>,
    /// Where the change is concentrated: for each segment, how many of its customers have another outcome.
    pub concentration: Vec<Concentration>,
    /// How many customers have another outcome, or another greatest offer.
    pub changed: u64,
    /// The first of these customers, in order; all of them are in the file of `--flips`.
    pub flips: Vec<FlipRow>,
}

/// What the changes from one policy to the other do, one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChangeEffects {
    /// Each change, in the order of the rule files.
    pub changes: Vec<ChangeEffect>,
    /// All of them: the challenger compared with the champion.
    pub whole: OfferEffect,
    /// Customers who gain an offer by all changes, and by no single one.
    pub together_gained: u64,
    /// Customers who lose their offer by all changes, and by no single one.
    pub together_lost: u64,
}

/// One change.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChangeEffect {
    /// What changed: `require R06`, `parameters.max_betting_share`.
    pub change: String,
    /// The champion with this change alone, compared with the champion; `None` if it does not compile alone, or a
    /// table of metrics cannot tell.
    pub alone: Option<OfferEffect>,
    /// The challenger compared with the challenger without this change; `None` as above.
    pub left_out: Option<OfferEffect>,
}

/// Offers under one policy compared with those under another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OfferEffect {
    /// Customers who get an offer under this one alone.
    pub gained: u64,
    /// Customers who get an offer under the other alone.
    pub lost: u64,
    /// By how much the sum of greatest offers is greater, in minor units.
    pub amount: i128,
}

/// One cell of the swap set.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SwapCell {
    /// The champion's outcome.
    pub champion: String,
    /// The challenger's outcome.
    pub challenger: String,
    /// The customers; the amount is the challenger's.
    #[serde(flatten)]
    pub group: GroupNumbers,
    /// The sum of the champion's greatest offers, in minor units.
    pub champion_amount: i128,
}

/// Offers that changed in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AmountChange {
    /// How many customers.
    pub customers: u64,
    /// By how much in total, in minor units; never negative.
    pub amount: i128,
}

/// A part of the policies that decided otherwise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cause {
    /// The part: `R03 no longer met`, `score: income_cv 0.10..0.30`, `grade row 2 -> row 3`.
    pub part: String,
    /// Customers who get an offer now and did not before, and for whom this part changed.
    pub gained: u64,
    /// Customers who got an offer before and do not now.
    pub lost: u64,
    /// Customers whose outcome changed in another way, or whose offer is raised or lowered.
    pub other: u64,
}

/// How much of a segment changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Concentration {
    /// The column.
    pub by: String,
    /// Its value.
    pub value: String,
    /// Customers in the segment.
    pub customers: u64,
    /// Of them, how many have another outcome.
    pub changed: u64,
    /// The share of the segment that changed, beside the share of all customers that did: above 1 is concentrated.
    pub lift: Option<f64>,
}

/// One customer whose decision changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlipRow {
    /// The customer.
    pub customer: String,
    /// The champion's outcome.
    pub champion: String,
    /// The challenger's outcome.
    pub challenger: String,
    /// The champion's greatest offer, in minor units.
    pub champion_amount: Option<i64>,
    /// The challenger's.
    pub challenger_amount: Option<i64>,
    /// The ids of the champion's reasons.
    pub champion_reasons: Vec<String>,
    /// The ids of the challenger's reasons.
    pub challenger_reasons: Vec<String>,
    /// The parts that changed for this customer.
    pub causes: Vec<String>,
    /// Whether the customer is known to be bad.
    pub bad: Option<bool>,
}

/// Customers divided by one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Segmentation {
    /// The column: a metric, another column of the input, or `month`.
    pub by: String,
    /// The role of the policy that gives the value, `challenger`, if the two policies give some customer another.
    pub value_of: Option<String>,
    /// Its values in order; numbers with many values are cut into intervals.
    pub rows: Vec<SegmentRow>,
}

/// The customers with one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SegmentRow {
    /// The value, or the interval; `unknown` where there is none.
    pub value: String,
    /// How many customers.
    pub customers: u64,
    /// For each policy, those who get an offer.
    pub offered: Vec<GroupNumbers>,
}

/// How outcomes spread over a policy's decisions and scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OutcomeStatistics {
    /// Customers with an outcome, and how many of them are bad.
    pub known: u64,
    /// See `known`.
    pub bad: u64,
    /// For each policy with a score, how well it separates; in the order of the policies.
    pub discrimination: Vec<Discrimination>,
    /// How the two scores' AUC differ, if both policies have one.
    pub auc_difference: Option<Difference>,
    /// Profit over the cut-off of the score, under declared economics; for each policy with a score.
    pub profit: Vec<ProfitCurve>,
    /// Cumulative bad rates by cohort, if outcomes have dates.
    pub vintages: Vec<VintageCurve>,
    /// Loans in no cohort, because it is not known from when until when they were observed.
    pub undated_loans: u64,
}

/// A value with its confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The level: 0.95.
    pub level: f64,
}

/// A difference with its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Challenger less champion.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The two-sided p value; `None` if the standard error is 0, as of scores that rank alike.
    pub p: Option<f64>,
}

/// How well a score separates good from bad.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Discrimination {
    /// The role of the policy.
    pub role: String,
    /// Customers with a score and an outcome.
    pub customers: u64,
    /// Of them, how many are bad.
    pub bad: u64,
    /// The area under the curve.
    pub auc: Option<Interval>,
    /// `2 auc - 1`.
    pub gini: Option<f64>,
    /// The greatest distance of the two distributions, and the score where it is.
    pub ks: Option<(f64, f64)>,
    /// Share of the good (x) and of the bad (y) that are at or below each score, from (0, 0) to (1, 1).
    pub curve: Vec<(f64, f64)>,
    /// The score in bands from the worst to the best.
    pub bands: Vec<ScoreBand>,
    /// Predicted beside observed bad rates, if a metric predicts them.
    pub calibration: Option<Calibration>,
}

/// A band of scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScoreBand {
    /// The least score in it.
    pub low: f64,
    /// The greatest score in it.
    pub high: f64,
    /// Customers with an outcome.
    pub customers: u64,
    /// Of them, how many are bad.
    pub bad: u64,
    /// The bad rate with Wilson's interval.
    pub bad_rate: Interval,
    /// The share of all bad customers that are in this band or a worse one: the gain.
    pub cumulative_bad: f64,
    /// The bad rate of this band, divided by that of all.
    pub lift: f64,
    /// The bad rate of this band and all worse ones, divided by that of all.
    pub cumulative_lift: f64,
}

/// Predicted bad rates beside what happened.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Calibration {
    /// The metric that predicts.
    pub metric: String,
    /// Bins of equal size: the mean prediction, and the observed rate with Wilson's interval.
    pub bins: Vec<(f64, u64, Interval)>,
    /// The mean squared error of the prediction.
    pub brier: f64,
    /// Hosmer and Lemeshow's statistic and its p value.
    pub hosmer_lemeshow: Option<(f64, f64)>,
    /// The intercept and the slope of the outcome over the prediction's log odds; 0 and 1 are perfect.
    pub line: Option<(f64, f64)>,
}

/// Profit over the cut-off of a score.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProfitCurve {
    /// The role of the policy.
    pub role: String,
    /// What was declared: loss given default, margin, funding cost, cost of a loan.
    pub economics: Vec<(String, String)>,
    /// For each cut-off, from the lowest.
    pub points: Vec<ProfitPoint>,
    /// The index of the most profitable point.
    pub best: Option<usize>,
    /// The cut-off that the policy has, if a parameter or a requirement says so.
    pub present: Option<f64>,
    /// Customers with a score whose outcome is not known; they count nowhere in the curve.
    pub without_outcome: u64,
}

/// Approvals and profit if everybody from this score on is approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ProfitPoint {
    /// The least score that is approved.
    pub cutoff: f64,
    /// Customers approved.
    pub approved: u64,
    /// Their share.
    pub approval_rate: f64,
    /// Their bad rate.
    pub bad_rate: Option<f64>,
    /// What the bad loans among them lost, in minor units.
    pub loss: f64,
    /// What a metric predicted that they would lose, in minor units, if one was named and is known for all of them.
    pub expected_loss: Option<f64>,
    /// The profit, in minor units.
    pub profit: f64,
}

/// The cumulative bad rate of one cohort.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VintageCurve {
    /// The month of its loans: `2026-03`.
    pub cohort: String,
    /// How many loans.
    pub loans: u64,
    /// The cumulative bad rate after 0, 1, 2, ... full months on book, as far as every loan was observed.
    pub bad_rates: Vec<f64>,
    /// Of `loans`, how many went bad later than that, where others are no longer observed: not in `bad_rates`.
    pub later_bad: u64,
    /// Bad loans of this month that have no day of going bad, or one before the loan: not among `loans`.
    pub undated_bad: u64,
}

/// How far a distribution moved between two periods.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Stability {
    /// `score`, or a metric.
    pub of: String,
    /// The population stability index.
    pub index: f64,
    /// `stable`, `shifted` or `unstable`.
    pub verdict: String,
    /// What was added to each count, so that empty bins are finite.
    pub smoothing: f64,
    /// Each bin: its name, the customers in the base period, those in the other, and what it adds to the index.
    pub bins: Vec<(String, u64, u64, f64)>,
}

/// Approval rates by groups that rules must not know.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AdverseImpact {
    /// The protected column.
    pub by: String,
    /// The role of the policy.
    pub role: String,
    /// Its groups.
    pub groups: Vec<ImpactGroup>,
}

/// One group.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImpactGroup {
    /// The value of the column.
    pub value: String,
    /// Customers.
    pub customers: u64,
    /// Of them, how many get an offer.
    pub offered: u64,
    /// The approval rate.
    pub rate: Option<f64>,
    /// Its ratio to the group of reference, which has 1, with its interval; `None` where the group is too small.
    pub ratio: Option<Interval>,
    /// Whether this is the group of reference.
    pub is_reference: bool,
    /// Whether the ratio is below four fifths.
    pub is_below_four_fifths: bool,
    /// The p value of the difference to the group of reference.
    pub p: Option<f64>,
}

/// How `--aim` set a parameter of the challenger.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Aim {
    /// `same-approvals` or `same-bad-rate`.
    pub aim: String,
    /// The parameter.
    pub parameter: String,
    /// The value in the file.
    pub from: String,
    /// The value that meets the aim best.
    pub to: String,
    /// What the champion reaches, and what the challenger reaches at that value.
    pub reached: (f64, f64),
    /// For `same-bad-rate`: the bad rates of both if everybody without an outcome is good, and if everybody is bad.
    pub reached_bounds: Option<((f64, f64), (f64, f64))>,
    /// For `same-bad-rate`: the value that customers with an outcome alone would allow, if it is another one.
    pub by_known_outcomes: Option<String>,
}
