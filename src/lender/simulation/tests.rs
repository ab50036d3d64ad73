//! The lender's servicing in a world of chance. The bounded runs of every day are here; the campaigns are larger.

use super::{Asked, Strides, every_death, run};

#[test]
fn no_money_is_sent_twice_lost_or_made() {
    let asked = Asked { seed: 1, loans: 600, each: 20, threads: 2 };
    let report = run(&asked);
    assert_eq!(report.violations, Vec::<String>::new());
    assert!(report.deaths > 100 && report.orders > 300, "{report:?}");
    for state in ["closed", "review", "declined", "expired", "funding_failed", "cancelled", "overpaid"] {
        assert!(report.ends.contains_key(state), "no loan ends {state}: {:?}", report.ends);
    }
    let again = run(&Asked { threads: 1, ..asked });
    assert_eq!(report.trace, again.trace, "the same seed gives the same world");
    let other = run(&Asked { seed: 77, loans: 20, ..asked });
    assert_ne!(report.trace, other.trace);
}

#[test]
fn a_process_may_die_at_any_moment() {
    let tried = every_death(Strides { fates: 5, seconds: 0 });
    assert_eq!(tried.violations, Vec::<String>::new());
    assert!(tried.deaths > 1_000, "{tried:?}");
}
