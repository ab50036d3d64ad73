//! The collected cases of narrations, payers and pay: what the shipped metrics say of each.

use crate::campaigns::collected_cases::{hold, right};

#[test]
fn what_the_bank_gives_back_own_savings_and_pay_without_a_verb() {
    hold(
        "31-narrations",
        |_| {},
        &[
            right(
                "explain --policy rules/starter.toml --metric reversal_count c5_bank_gives_back.json",
                &["reversal_count = 2"],
            ),
            right(
                "explain --policy rules/starter.toml --metric own_transfer_total c6_own_savings.json",
                &["own_transfer_total = NGN 20,000.00"],
            ),
            right(
                "explain --policy rules/starter.toml --metric salary_count c9_sal_no_verb.json",
                &["salary_count = 6"],
            ),
        ],
    );
}

#[test]
fn a_rail_is_nobodys_largest_payer() {
    hold(
        "32-payers-and-rails",
        |_| {},
        &[
            right(
                "explain --policy rules/starter.toml --metric top_source_share moniepoint.json",
                &["top_source_share = unknown (no_records)"],
            ),
            right(
                "explain --policy rules/starter.toml --metric source_hhi shop.json",
                &["source_hhi = unknown (no_records)"],
            ),
            right("explain --policy rules/starter.toml --metric sales_days_90d shop.json", &["sales_days_90d = 90"]),
        ],
    );
}

#[test]
fn equal_monthly_payments_that_name_the_month_are_pay() {
    hold(
        "33-who-gets-an-offer",
        |_| {},
        &[right(
            "explain --policy rules/starter.toml --metric salary_count statement-000012.json",
            &["salary_count = 9"],
        )],
    );
}
