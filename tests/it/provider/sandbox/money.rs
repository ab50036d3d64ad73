//! Money moves once, whatever is repeated, and the books balance.

use lendwright::sandbox::SandboxLoanState;
use proptest::prelude::*;
use serde_json::json;

use crate::fixtures::sandbox::{Desk, changed, said};

#[tokio::test]
async fn a_loan_is_funded_once() {
    let desk = Desk::new().await;
    let loan = desk.loan("").await;
    let body = desk.fund_body(&loan, "FUND-1");
    let first = desk.fund(&loan, body.clone()).await;
    assert_eq!(desk.fund(&loan, body.clone()).await, first, "the same call, the same receipt");
    let again = desk.fund(&loan, desk.fund_body(&loan, "FUND-2")).await;
    assert_eq!(said(&again), (409, "the loan has been funded by another transaction"));
    let other = desk.fund(&loan, changed(&body, "amount", json!(1))).await;
    assert_eq!(said(&other), (409, "`transactionId` has been used with another body"));
    assert_eq!(said(&desk.debit(&loan, "FUND-1", 100).await), (409, "`transactionId` has been used with another body"));
    assert_eq!(desk.only_loan().ledger.len(), 1);
}

#[tokio::test]
async fn only_the_loan_that_was_accepted_is_funded() {
    let desk = Desk::new().await;
    let loan = desk.loan("").await;
    let body = |id: &str| desk.fund_body(&loan, id);
    let cases = [
        (
            changed(&body("A"), "amount", json!(5_000_001)),
            409,
            "`amount` is neither the amount offered nor that less the fee",
        ),
        (changed(&body("B"), "amount", json!(5_000_000.5)), 409, "`amount` is not a whole number of minor units"),
        (changed(&body("C"), "currencyCode", json!("840")), 409, "`currencyCode` is not the offer's currency"),
        (
            changed(&body("D"), "loanReferenceId", json!("x")),
            409,
            "`loanReferenceId` is not the one that the offer was accepted under",
        ),
        (changed(&body("E"), "customerId", json!("nobody")), 404, "no loan with this `loanId` and `customerId`"),
        (changed(&body("F"), "loanId", json!("LN-0")), 400, "`loanId` differs from the path"),
        (
            changed(&body("G"), "providerCode", json!("X")),
            400,
            "`providerCode` is not the one that the sandbox was started with",
        ),
        (changed(&body("H"), "amount", json!(0)), 400, "`amount` is not above zero and up to 1000000000000000"),
        (changed(&body("I"), "amount", json!("5000000")), 400, "`amount` is not a number"),
    ];
    for (body, status, words) in cases {
        assert_eq!(said(&desk.fund(&loan, body).await), (status, words));
    }
    assert_eq!(said(&desk.debit(&loan, "J", 100).await), (409, "the loan has not been funded"));
    assert_eq!(desk.only_loan().state, SandboxLoanState::Accepted);
    assert_eq!(desk.requery(&loan, "A").await, "FAILED");
    assert_eq!(desk.requery(&loan, "E").await, "NOT_FOUND");
    // What is deducted from the payment is the fee.
    assert_eq!(desk.fund(&loan, changed(&body("K"), "amount", json!(4_950_000))).await.0, 200);
}

#[tokio::test]
async fn amounts_are_in_the_unit_of_the_settings() {
    use lendwright::base::money::AmountUnit;
    let desk = Desk::with(|config| config.settings.money.amount_unit = AmountUnit::Major).await;
    let loan = desk.loan("").await;
    let body = desk.fund_body(&loan, "A");
    assert_eq!(desk.fund(&loan, body.clone()).await.0, 409, "5,000,000 naira were not offered");
    let body = changed(&changed(&body, "amount", json!(50_000.00)), "transactionId", json!("B"));
    assert_eq!(desk.fund(&loan, body).await.0, 200);
}

#[tokio::test]
async fn part_payments_are_for_offers_that_allow_them() {
    let desk = Desk::new().await;
    let loan = desk.loan("isPartPaymentAllowed=false").await;
    assert_eq!(desk.fund(&loan, desk.fund_body(&loan, "F")).await.0, 200);
    let part = desk.debit(&loan, "A", 5_199_999).await;
    assert_eq!(said(&part), (409, "`amount` is less than what remains, and the offer allows no part payment"));
    assert_eq!(said(&desk.debit(&loan, "B", 5_200_001).await), (409, "`amount` is more than what remains"));
    assert_eq!(desk.debit(&loan, "C", 5_200_000).await.0, 200);
}

#[tokio::test]
async fn fifty_equal_calls_at_once_move_money_once() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    let calls = (0..50).map(|_| desk.debit(&loan, "D", 1_000));
    let answers = futures_util::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 200));
    assert_eq!(desk.only_loan().remaining, 5_199_000);
}

#[derive(Debug, Clone)]
enum Step {
    Fund(u8),
    Debit(u8, i64),
    Repay(i64),
}

fn step() -> impl Strategy<Value = Step> {
    let amount = prop_oneof![1..2_000_000_i64, Just(5_200_000)];
    prop_oneof![
        (0..3_u8).prop_map(Step::Fund),
        (0..12_u8, amount.clone()).prop_map(|(id, amount)| Step::Debit(id, amount)),
        amount.prop_map(Step::Repay),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    /// After any operations, in any order and repeated: what is owed equals what remains plus what was collected, and
    /// each id counts once.
    #[test]
    fn the_books_balance(steps in proptest::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let desk = Desk::new().await;
            let loan = desk.loan("").await;
            let (mut funded, mut remaining) = (false, 0);
            let mut seen = std::collections::HashMap::new();
            for step in &steps {
                let (status, amount) = match step {
                    Step::Fund(id) => {
                        let fresh = seen.insert(format!("F{id}"), ()).is_none();
                        let status = desk.fund(&loan, desk.fund_body(&loan, &format!("F{id}"))).await.0;
                        if fresh {
                            assert_eq!(status == 200, !funded);
                            remaining = if funded { remaining } else { 5_200_000 };
                            funded = true;
                        }
                        continue;
                    }
                    Step::Debit(id, amount) => {
                        let fresh = seen.insert(format!("D{id}"), ()).is_none();
                        let status = desk.debit(&loan, &format!("D{id}"), *amount).await.0;
                        if !fresh {
                            continue;
                        }
                        (status, *amount)
                    }
                    Step::Repay(amount) => {
                        let status = desk.press("/sandbox/repay", &format!("loan={loan}&amount={amount}")).await;
                        (if status == 303 { 200 } else { status }, *amount)
                    }
                };
                let expected = funded && amount <= remaining;
                assert_eq!(status == 200, expected, "{step:?}");
                if expected {
                    remaining -= amount;
                }
                assert_eq!(desk.only_loan().remaining, remaining);
            }
        });
    }
}
