//! How often something may happen: the generic cell rate algorithm. Time is an argument, in nanoseconds since any
//! moment. Knows nothing of what happens.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A rate: one event per interval in the long run, and `burst` of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    interval_ns: u64,
    burst: u32,
}

impl Rate {
    /// A rate of `count` events per period, and `burst` of them at once. Both are at least 1.
    pub fn new(count: u32, period: Duration, burst: u32) -> Self {
        let interval_ns = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX) / u64::from(count.max(1));
        Rate { interval_ns: interval_ns.max(1), burst: burst.max(1) }
    }
}

/// What has happened so far under one rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meter {
    /// When the meter is empty again: as long before that as the burst allows, another event may happen.
    empty_at_ns: u64,
}

impl Meter {
    /// Whether an event may happen now. If not, how long until it may.
    ///
    /// # Errors
    /// The wait.
    pub fn check(&self, rate: Rate, now_ns: u64) -> Result<(), Duration> {
        let ahead = self.empty_at_ns.saturating_sub(now_ns);
        let allowed = rate.interval_ns.saturating_mul(u64::from(rate.burst - 1));
        match ahead <= allowed {
            true => Ok(()),
            false => Err(Duration::from_nanos(ahead - allowed)),
        }
    }

    /// Counts an event.
    pub fn count(&mut self, rate: Rate, now_ns: u64) {
        self.empty_at_ns = self.empty_at_ns.max(now_ns).saturating_add(rate.interval_ns);
    }

    /// Counts an event if it may happen.
    ///
    /// # Errors
    /// How long until it may.
    pub fn admit(&mut self, rate: Rate, now_ns: u64) -> Result<(), Duration> {
        self.check(rate, now_ns)?;
        self.count(rate, now_ns);
        Ok(())
    }
}

/// A meter for each address.
#[derive(Debug, Default)]
pub struct AddressMeters(Mutex<Addresses>);

#[derive(Debug, Default)]
struct Addresses {
    meters: HashMap<IpAddr, Meter>,
    /// Shared by all addresses for which there is no room.
    others: Meter,
}

/// How many addresses have a meter of their own.
const ADDRESSES_MAX: usize = 10_000;

impl AddressMeters {
    /// [`Meter::check`] for an address.
    ///
    /// # Errors
    /// The wait.
    pub fn check(&self, address: IpAddr, rate: Rate, now_ns: u64) -> Result<(), Duration> {
        let addresses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match addresses.meters.get(&network_of_address(address)) {
            Some(meter) => meter.check(rate, now_ns),
            None if addresses.meters.len() < ADDRESSES_MAX => Ok(()),
            None => addresses.others.check(rate, now_ns),
        }
    }

    /// [`Meter::count`] for an address.
    pub fn count(&self, address: IpAddr, rate: Rate, now_ns: u64) {
        let mut addresses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = network_of_address(address);
        if addresses.meters.len() >= ADDRESSES_MAX && !addresses.meters.contains_key(&address) {
            addresses.meters.retain(|_, meter| meter.empty_at_ns > now_ns);
        }
        match addresses.meters.len() < ADDRESSES_MAX || addresses.meters.contains_key(&address) {
            true => addresses.meters.entry(address).or_default().count(rate, now_ns),
            false => addresses.others.count(rate, now_ns),
        }
    }
}

/// One customer of an internet provider has a whole network of 64 bits in IPv6.
pub(super) fn network_of_address(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => IpAddr::V4(address),
            None => {
                let mut segments = address.segments();
                segments[4..].fill(0);
                IpAddr::V6(segments.into())
            }
        },
        address => address,
    }
}
