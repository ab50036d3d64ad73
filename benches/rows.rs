//! Rows of ready metrics and the three decision tables that judge them, for lendwright and as JSON for others. Knows
//! nothing of statements.

use lendwright::decision::{Judged, ReadyPlan};
use lendwright::rules::Value;
use lendwright::{Decision, Policy, Request};
use polars::prelude::{AnyValue, DataFrame, df};
use serde_json::{Value as Json, json};

use crate::work;

/// The metrics that a row brings.
pub const METRICS: [&str; 5] = ["income", "stability", "full_months", "bounce_count", "segment"];

/// The outputs of the tables.
pub const OUTPUTS: [&str; 5] = ["grade", "rate", "fee_share", "cap", "tenure_max"];

/// Rows that are decided together.
const BATCH: usize = 1_000;

/// One row, amounts in major units.
#[derive(Clone, Debug)]
pub struct Row {
    income: i64,
    stability: f64,
    full_months: i64,
    bounce_count: i64,
    segment: &'static str,
}

/// Rows whose values reach every row of the tables; the same on every machine.
pub fn rows(count: usize) -> Vec<Row> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut draw = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let segments = ["salary", "trade", "service", "other"];
    (0..count)
        .map(|_| Row {
            income: draw(1_200_000) as i64,
            stability: draw(101) as f64 / 100.0,
            full_months: draw(13) as i64,
            bounce_count: draw(7) as i64,
            segment: segments[draw(4) as usize],
        })
        .collect()
}

impl Row {
    /// As zen-engine takes it.
    pub fn json(&self) -> Json {
        json!({
            "income": self.income,
            "stability": self.stability,
            "full_months": self.full_months,
            "bounce_count": self.bounce_count,
            "segment": self.segment,
        })
    }

    fn values(&self) -> Vec<Option<Value>> {
        vec![
            Some(Value::Int(self.income * 100)),
            Some(Value::Float(self.stability)),
            Some(Value::Int(self.full_months)),
            Some(Value::Int(self.bounce_count)),
            Some(Value::Text(self.segment.into())),
        ]
    }
}

/// The policy of three tables, `peers/zen/rules.toml`.
pub fn policy() -> Policy {
    work::policy("rules.toml", include_str!("peers/zen/rules.toml"))
}

/// Decides every row, a thousand at a time; `take` has each batch's decisions.
pub fn decide(plan: &ReadyPlan<'_>, rows: &[Row], mut take: impl FnMut(Vec<Decision>)) {
    let request = Request::default();
    for rows in rows.chunks(BATCH) {
        let mut batch = plan.rows();
        for row in rows {
            batch.push("row", None, row.values()).expect("it fits");
        }
        take(plan.decide(batch, &request).expect("decisions"));
    }
}

/// The same rows as columns.
pub fn frame(rows: &[Row]) -> DataFrame {
    let of = |value: &dyn Fn(&Row) -> i64| rows.iter().map(value).collect::<Vec<i64>>();
    df!(
        "income" => of(&|row| row.income * 100),
        "stability" => rows.iter().map(|row| row.stability).collect::<Vec<f64>>(),
        "full_months" => of(&|row| row.full_months),
        "bounce_count" => of(&|row| row.bounce_count),
        "segment" => rows.iter().map(|row| row.segment).collect::<Vec<&str>>(),
    )
    .expect("columns of one length")
}

/// Judges all rows by columns.
pub fn judge(plan: &ReadyPlan<'_>, frame: &DataFrame) -> Judged {
    plan.judge(frame, &Request::default()).expect("it has the columns")
}

/// The outputs of the tables for a row, in the form of the others.
pub fn outputs_of(judged: &Judged, row: usize) -> Json {
    let value = |name: &str| match judged.values.column(name).expect("an output").get(row).expect("a row") {
        AnyValue::String(text) => json!(text),
        AnyValue::Float64(value) => json!(value),
        AnyValue::Int64(value) => json!(value),
        _ => Json::Null,
    };
    OUTPUTS.iter().map(|name| ((*name).to_owned(), value(name))).collect()
}

/// The table outputs of a decision, in the form of the others.
pub fn outputs(decision: &Decision) -> Json {
    OUTPUTS.iter().map(|name| ((*name).to_owned(), decision.grade[*name].clone())).collect()
}
