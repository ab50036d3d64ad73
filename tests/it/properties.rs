//! What holds for any rule file and any statement. The engine is held equal to the reference evaluator, and a decision to
//! itself however its inputs were put together. More cases: set PROPTEST_CASES.

mod decisions;
mod evaluation;
mod generator;
mod money_and_dates;
mod operations;
mod reference;
mod tape;

/// Cases of a property: few enough for every run, or as many as PROPTEST_CASES says.
fn cases(usual: u32) -> proptest::test_runner::Config {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    proptest::test_runner::Config {
        cases: wanted.unwrap_or(usual),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Default::default()
    }
}
