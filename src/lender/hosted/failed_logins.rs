//! Limits guesses at passwords: for each user name, a budget of wrong passwords for each address, and one for all of
//! them together. Knows nothing of how a password is compared.
//!
//! While a budget is used up, no password is compared, the right one neither: otherwise the answers would tell a guess
//! that hit from one that missed, and nothing would be limited. Refused attempts use up nothing, so a flood of them
//! cannot prolong the wait. The provider is not locked out by others: an address that has sent the right password has a
//! budget of its own, and one that never failed is not bound by what others did to the user name.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::answer::Failure;
use super::rate::{AddressMeters, Meter, Rate, network_of_address};
use crate::lender::config::CREDENTIALS_MAX;

/// How many addresses are remembered as having sent a right password. Only such a password adds one.
const KNOWN_MAX: usize = 1_024;
/// How many addresses are remembered as having failed. Beyond them, every address counts as one that did.
const FAILED_MAX: usize = 65_536;

/// Wrong passwords so far.
pub(super) struct FailedLogins {
    rate: Rate,
    /// By user name; the last one is for all names that are not configured, which so use up nothing of the others.
    names: [Mutex<NameBudget>; CREDENTIALS_MAX + 1],
}

/// The wrong passwords of one user name.
#[derive(Default)]
struct NameBudget {
    /// Of all addresses that failed before.
    shared: Meter,
    peers: AddressMeters,
    failed: HashSet<IpAddr>,
    /// Addresses that have sent the right password.
    known: HashMap<IpAddr, Meter>,
}

/// An attempt to log in.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoginAttempt {
    /// The number of the user name; [`CREDENTIALS_MAX`] for one that is not configured.
    pub(super) name: usize,
    pub(super) address: IpAddr,
    pub(super) now_ns: u64,
}

impl FailedLogins {
    /// So many wrong passwords a minute.
    pub(super) fn new(per_minute: u32) -> Self {
        let rate = Rate::new(per_minute, Duration::from_secs(60), per_minute);
        FailedLogins { rate, names: Default::default() }
    }

    /// Compares the password if the attempt may be made now, and counts it if it is wrong. Returns the credential.
    ///
    /// # Errors
    /// [`Failure::FailedLogins`] before the comparison, [`Failure::Unauthorized`] after it.
    pub(super) fn judge(
        &self,
        attempt: LoginAttempt,
        compare: impl FnOnce() -> Option<usize>,
    ) -> Result<usize, Failure> {
        // Each change is whole, so a panic elsewhere does no harm.
        let mut budget = self.names[attempt.name].lock().unwrap_or_else(PoisonError::into_inner);
        budget.check(attempt, self.rate).map_err(Failure::FailedLogins)?;
        match compare() {
            Some(credential) => {
                budget.remember_known(attempt.address);
                Ok(credential)
            }
            None => {
                budget.count(attempt, self.rate);
                Err(Failure::Unauthorized)
            }
        }
    }
}

impl NameBudget {
    fn check(&self, attempt: LoginAttempt, rate: Rate) -> Result<(), Duration> {
        let network = network_of_address(attempt.address);
        if let Some(meter) = self.known.get(&network) {
            return meter.check(rate, attempt.now_ns);
        }
        if !self.failed.contains(&network) && self.failed.len() < FAILED_MAX {
            return Ok(());
        }
        self.peers.check(attempt.address, rate, attempt.now_ns)?;
        self.shared.check(rate, attempt.now_ns)
    }

    fn count(&mut self, attempt: LoginAttempt, rate: Rate) {
        let network = network_of_address(attempt.address);
        if let Some(meter) = self.known.get_mut(&network) {
            meter.count(rate, attempt.now_ns);
            return;
        }
        self.peers.count(attempt.address, rate, attempt.now_ns);
        // Many addresses that fail for the first time must not make others wait for hours.
        let _ = self.shared.admit(rate, attempt.now_ns);
        if self.failed.len() < FAILED_MAX {
            self.failed.insert(network);
        }
    }

    fn remember_known(&mut self, address: IpAddr) {
        let network = network_of_address(address);
        if self.known.len() >= KNOWN_MAX && !self.known.contains_key(&network) {
            let any = self.known.keys().next().copied();
            self.known.retain(|known, _| Some(*known) != any);
        }
        self.known.entry(network).or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILED_MAX, FailedLogins, KNOWN_MAX, LoginAttempt};
    use crate::lender::config::CREDENTIALS_MAX;
    use crate::lender::hosted::answer::Failure;

    fn attempt(address: u32, now_ns: u64) -> LoginAttempt {
        LoginAttempt { name: 0, address: std::net::IpAddr::V4(address.into()), now_ns }
    }

    fn guess(logins: &FailedLogins, attempt: LoginAttempt) -> bool {
        match logins.judge(attempt, || None) {
            Err(Failure::Unauthorized) => true,
            Err(Failure::FailedLogins(_)) => false,
            other => panic!("{other:?}"),
        }
    }

    /// A thousand addresses guess for an hour, a thousand times a second.
    #[test]
    fn guesses_from_many_addresses_share_the_budget_of_the_user_name() {
        let logins = FailedLogins::new(30);
        let hour = 3_600_000_u64;
        let compared = (0..hour).filter(|ms| {
            let address = u32::try_from(ms % 1_000).unwrap();
            guess(&logins, attempt(address, ms * 1_000_000))
        });
        // One for each address, and thirty a minute.
        let compared = compared.count();
        assert!((1_800..=1_000 + 30 + 1_800).contains(&compared), "{compared}");
    }

    #[test]
    fn a_right_password_is_not_compared_while_the_budget_is_used_up_and_a_flood_does_not_prolong_that() {
        let logins = FailedLogins::new(2);
        let second = 1_000_000_000;
        assert_eq!([0, 0, 0].map(|now| guess(&logins, attempt(7, now))), [true, true, false]);
        let mut was_compared = false;
        let right = logins.judge(attempt(7, 1), || {
            was_compared = true;
            Some(0)
        });
        assert!(matches!(right, Err(Failure::FailedLogins(_))) && !was_compared);
        for now in 0..29 {
            assert!(!guess(&logins, attempt(7, now * second)));
        }
        assert_eq!(logins.judge(attempt(7, 30 * second), || Some(0)), Ok(0));
    }

    #[test]
    fn the_provider_gets_in_whatever_other_addresses_do() {
        let logins = FailedLogins::new(30);
        let provider = attempt(1, 0);
        for address in 100..10_000 {
            guess(&logins, attempt(address, 0));
            guess(&logins, attempt(address, 0));
        }
        // It has just been started, and has never heard of the provider's address.
        assert_eq!(logins.judge(provider, || Some(0)), Ok(0));
        for address in 10_000..(FAILED_MAX as u32 + 20_000) {
            guess(&logins, attempt(address, 0));
        }
        assert_eq!(logins.judge(provider, || Some(0)), Ok(0));
        assert!(!guess(&logins, attempt(u32::MAX, 0)));
        // Its own mistakes are limited, too.
        assert_eq!((0..100).filter(|_| guess(&logins, provider)).count(), 30);
    }

    /// Such as programs that look for open doors through the provider's own proxy.
    #[test]
    fn other_user_names_use_up_nothing_of_the_provider() {
        let logins = FailedLogins::new(30);
        for name in [1, CREDENTIALS_MAX] {
            for _ in 0..100 {
                guess(&logins, LoginAttempt { name, ..attempt(1, 0) });
            }
        }
        assert_eq!(logins.judge(attempt(1, 0), || Some(0)), Ok(0));
        assert!(!guess(&logins, LoginAttempt { name: CREDENTIALS_MAX, ..attempt(1, 0) }));
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let logins = FailedLogins::new(30);
        for address in 0..10_000 {
            assert_eq!(logins.judge(attempt(address, 0), || Some(0)), Ok(0));
        }
        for address in 1_000_000..1_200_000 {
            guess(&logins, attempt(address, 0));
        }
        let budget = logins.names[0].lock().unwrap();
        assert_eq!((budget.known.len(), budget.failed.len()), (KNOWN_MAX, FAILED_MAX));
    }
}
