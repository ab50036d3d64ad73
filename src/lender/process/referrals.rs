//! What deciding on referrals needs, from the configuration: the vault, the policies, and the codes. Knows nothing of
//! decisions.

use std::sync::Arc;

use crate::lender::config::Config;
use crate::lender::operations::{PolicyLoader, ReferralDesk};
use crate::lender::runner::Vault;
use crate::run::live_policy::LivePolicy;

/// A desk outside the service: it loads the policies when it needs them.
pub(crate) fn build_referral_desk(config: &Config, vault: Arc<dyn Vault>) -> ReferralDesk {
    let settings = config.policy.clone();
    let load = move || {
        let parameters: Vec<(String, String)> = settings.parameters.clone().into_iter().collect();
        let live = LivePolicy::load(&settings.path, &parameters).map_err(|error| error.to_string())?;
        Ok(live.current())
    };
    desk_with(config, vault, Arc::new(load))
}

/// A desk in the service: it has the policies in force.
pub(super) fn build_service_desk(config: &Config, vault: Arc<dyn Vault>, live: Arc<LivePolicy>) -> ReferralDesk {
    desk_with(config, vault, Arc::new(move || Ok(live.current())))
}

fn desk_with(config: &Config, vault: Arc<dyn Vault>, policies: PolicyLoader) -> ReferralDesk {
    ReferralDesk { vault, policies, decline_codes: config.operations.decline_codes.as_slice().into() }
}
