//! The lender's servicing in a world of chance. The bounded runs of every day are here; the campaigns are larger.

use super::{SimulationOptions, Strides, run_simulation, try_every_death};

#[test]
fn no_money_is_sent_twice_lost_or_made() {
    let options = SimulationOptions { seed: 1, loans: 600, each: 20, threads: 2 };
    let report = run_simulation(&options);
    assert_eq!(report.violations, Vec::<String>::new());
    assert!(report.deaths > 100 && report.orders > 300, "{report:?}");
    for state in ["closed", "review", "declined", "expired", "funding_failed", "cancelled", "overpaid"] {
        assert!(report.ends.contains_key(state), "no loan ends {state}: {:?}", report.ends);
    }
    let again = run_simulation(&SimulationOptions { threads: 1, ..options });
    assert_eq!(report.trace, again.trace, "the same seed gives the same world");
    let other = run_simulation(&SimulationOptions { seed: 77, loans: 20, ..options });
    assert_ne!(report.trace, other.trace);
}

#[test]
fn a_process_may_die_at_any_moment() {
    let tried = try_every_death(Strides { fates: 20, seconds: 0 });
    assert_eq!(tried.violations, Vec::<String>::new());
    assert!(tried.deaths > 250, "{tried:?}");
}
