//! The rate limit, beside a bucket of tokens counted in whole nanoseconds.

use std::time::Duration;

use lendwright::lender::hosted::{AddressMeters, Meter, Rate};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_meter_admits_what_a_bucket_of_tokens_admits(
        interval in 1_u64..50,
        burst in 1_u32..6,
        steps in prop::collection::vec(0_u64..40, 1..200),
    ) {
        let rate = Rate::new(1, Duration::from_nanos(interval), burst);
        let full = interval * u64::from(burst);
        let (mut meter, mut level, mut now) = (Meter::default(), full, 0_u64);
        for step in steps {
            now += step;
            level = full.min(level + step);
            let admitted = meter.admit(rate, now);
            prop_assert_eq!(admitted.is_ok(), level >= interval);
            match admitted {
                Ok(()) => level -= interval,
                Err(wait) => {
                    // Then, and not a moment earlier.
                    let wait = u64::try_from(wait.as_nanos()).unwrap();
                    prop_assert_eq!(level + wait, interval);
                    prop_assert!(meter.check(rate, now + wait).is_ok());
                    prop_assert!(meter.check(rate, now + wait - 1).is_err());
                }
            }
        }
    }
}

#[test]
fn addresses_beyond_the_bound_share_a_meter() {
    let rate = Rate::new(1, Duration::from_secs(1), 1);
    let meters = AddressMeters::default();
    let address = |number: u32| std::net::IpAddr::V4(number.into());
    for number in 0..20_000 {
        meters.count(address(number), rate, 1);
    }
    assert!(meters.check(address(5), rate, 2).is_err());
    assert!(meters.check(address(99_999), rate, 2).is_err());
    // A second later all may try again.
    assert!(meters.check(address(5), rate, 1_000_000_001).is_ok());
    meters.count(address(99_999), rate, 20_000_000_000_000);
    assert!(meters.check(address(99_999), rate, 20_000_000_000_001).is_err());
    assert!(meters.check(address(99_998), rate, 20_000_000_000_001).is_ok());
}

#[test]
fn a_network_of_ipv6_is_one_address() {
    let rate = Rate::new(1, Duration::from_secs(1), 1);
    let meters = AddressMeters::default();
    meters.count("2001:db8::1".parse().unwrap(), rate, 1);
    assert!(meters.check("2001:db8::ffff:2".parse().unwrap(), rate, 2).is_err());
    assert!(meters.check("2001:db8:0:1::1".parse().unwrap(), rate, 2).is_ok());
    meters.count("::ffff:10.0.0.1".parse().unwrap(), rate, 1);
    assert!(meters.check("10.0.0.1".parse().unwrap(), rate, 2).is_err());
}
