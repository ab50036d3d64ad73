//! zen-engine's side of the comparison over three decision tables. It takes its orders as lines on standard input.
//! Knows nothing of lendwright.

use std::io::{BufRead, Write};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zen_engine::model::DecisionContent;
use zen_engine::{Decision, Variable};

const MODEL: &str = include_str!("../tables.jdm.json");

fn main() {
    let rows = std::env::args().nth(1).expect("a file of rows, one JSON object a line");
    let rows: Vec<Value> = std::fs::read_to_string(rows)
        .expect("a file")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let mut decision = model();
    decision.compile();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("text");
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["values", path] => {
                let found: String =
                    rows.iter().map(|row| format!("{}\n", one(&runtime, &decision, row.into()))).collect();
                std::fs::write(path, found).expect("a file");
                writeln!(output, "written").expect("a reader");
            }
            ["time"] => writeln!(output, "{}", time(&runtime, &decision, &rows)).expect("a reader"),
            _ => panic!("not a request: {line:?}"),
        }
    }
}

fn model() -> Decision {
    match serde_json::from_str::<DecisionContent>(MODEL).expect("a model") {
        DecisionContent::Graph(graph) => Decision::from(graph),
        _ => panic!("the model is a graph"),
    }
}

/// The outputs of the three tables for a row.
fn one(runtime: &Runtime, decision: &Decision, row: Variable) -> Value {
    let response = runtime.block_on(decision.evaluate(row)).expect("a decision");
    let result = response.result.to_value();
    let of = |name: &str| result[name].clone();
    json!({ "grade": of("grade"), "rate": of("rate"), "fee_share": of("fee_share"), "cap": of("cap"),
        "tenure_max": of("tenure_max") })
}

/// Seconds for all rows. The rows are in zen's own form before the clock starts, and its results stay in that form.
fn time(runtime: &Runtime, decision: &Decision, rows: &[Value]) -> f64 {
    let rows: Vec<Variable> = rows.iter().map(Variable::from).collect();
    let began = Instant::now();
    runtime.block_on(async {
        for row in rows {
            std::hint::black_box(decision.evaluate(row).await.expect("a decision"));
        }
    });
    began.elapsed().as_secs_f64()
}
