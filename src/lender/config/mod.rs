//! How the lender's service is set up: the TOML file of `lendwright serve`, its defaults and its checks. All mistakes
//! are listed, each with its key and what to do. Knows nothing of what is done with it.

mod decisions;
mod http;
mod lending;
mod password;
mod pay_bill;
mod sections;
mod sources;
mod store;

pub use decisions::DecisionSettings;
pub(crate) use http::fits_header;
pub use http::{
    AnswerSettings, Answers, CREDENTIALS_MAX, CredentialSettings, LimitSettings, ListenSettings, OperationsSettings,
};
pub use lending::{
    AcceptanceSettings, CallSettings, CollectionSettings, MessageSettings, NotFound, PolicySettings, ProviderSettings,
    RetrySettings, TestingSettings, TransactionSettings, Verification,
};
pub use password::PasswordSource;
pub(crate) use password::PrivateFile;
pub use pay_bill::PayBillSettings;
pub use sections::ConfigMistake;
pub(crate) use sources::ENTRIES;
pub use sources::{FieldSetting, HeaderSetting, MoneyUnit, SourceMethod, SourceSettings, read_sources};
pub use store::{Encryption, StoreSettings};

use std::collections::BTreeMap;
use std::path::Path;

use sections::Sections;

/// The configuration of the lender's service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// `[listen]`: where the provider reaches the service.
    pub listen: ListenSettings,
    /// `[operations]`: where health, metrics and the OpenAPI document are.
    pub operations: OperationsSettings,
    /// `[[credentials]]`: what the provider's calls must carry; two during a rotation.
    pub credentials: Vec<CredentialSettings>,
    /// `[limits]`: what one provider may use.
    pub limits: LimitSettings,
    /// `[answers]`: when offer requests are answered.
    pub answers: AnswerSettings,
    /// `[store]`: where the loan book is.
    pub store: StoreSettings,
    /// `[policy]`: what decides.
    pub policy: PolicySettings,
    /// `[decisions]`: where decisions are kept, and what decides in the shadow.
    pub decisions: DecisionSettings,
    /// `[provider]`: how the provider is called.
    pub provider: ProviderSettings,
    /// `[acceptance]`: which offers may be accepted, and when the account is verified.
    pub acceptance: AcceptanceSettings,
    /// `[money]`: what follows if the outcome of a transaction is not known.
    pub money: TransactionSettings,
    /// `[collection]`: when payments are collected.
    pub collection: CollectionSettings,
    /// `[messages]`: what customers are sent.
    pub messages: MessageSettings,
    /// `[calls]`: how often the provider is called.
    pub calls: CallSettings,
    /// `[pay_bill]`: the receiver of webhooks.
    pub pay_bill: PayBillSettings,
    /// `[source.NAME]`: where inputs come from that neither statement nor request has.
    pub sources: BTreeMap<String, SourceSettings>,
    /// `[testing]`: what a provider on this machine allows.
    pub testing: TestingSettings,
}

/// What the texts of `[messages]` may show.
pub const PLACEHOLDERS: [&str; 4] = ["{amount}", "{owed}", "{due}", "{loan}"];

impl Config {
    /// Reads a configuration from the text of its file.
    ///
    /// # Errors
    /// All mistakes.
    pub fn read(text: &str) -> Result<Config, Vec<ConfigMistake>> {
        let mut sections = Sections::read(text).map_err(|mistake| vec![mistake])?;
        let config = Config {
            listen: sections.section("listen"),
            operations: sections.section("operations"),
            credentials: sections.list("credentials"),
            limits: sections.section("limits"),
            answers: sections.section("answers"),
            store: sections.section("store"),
            policy: sections.section("policy"),
            decisions: sections.section("decisions"),
            provider: sections.section("provider"),
            acceptance: sections.section("acceptance"),
            money: sections.section("money"),
            collection: sections.section("collection"),
            messages: sections.section("messages"),
            calls: sections.section("calls"),
            pay_bill: sections.section("pay_bill"),
            sources: sections.named(sources::SECTION),
            testing: sections.section("testing"),
        };
        let mut mistakes = sections.finish();
        // A value that was not read is a mistake already, and its default has none.
        config.check(&mut mistakes);
        match mistakes.is_empty() {
            true => Ok(config),
            false => Err(mistakes),
        }
    }

    fn check(&self, mistakes: &mut Vec<ConfigMistake>) {
        self.listen.check(mistakes);
        self.operations.check(&self.listen, mistakes);
        http::check_credentials(&self.credentials, mistakes);
        self.limits.check(mistakes);
        self.answers.check(&self.limits, mistakes);
        self.store.check(mistakes);
        self.policy.check(mistakes);
        self.decisions.check(mistakes);
        self.provider.check(mistakes);
        self.acceptance.check(&self.limits, mistakes);
        self.money.check(mistakes);
        self.collection.check(mistakes);
        self.messages.check(&PLACEHOLDERS, mistakes);
        self.calls.check(mistakes);
        self.pay_bill.check(mistakes);
        self.sources.iter().for_each(|(name, source)| source.check(name, mistakes));
        self.testing.check(mistakes);
    }

    /// The configuration with relative paths that count from this folder, which is that of its file.
    pub fn below(mut self, folder: &Path) -> Config {
        self.store.below(folder);
        self.policy.below(folder);
        self.decisions.below(folder);
        self.provider.below(folder);
        self.pay_bill.below(folder);
        self.sources.values_mut().for_each(|source| source.below(folder));
        for source in self.credentials.iter_mut().filter_map(|credential| credential.password.as_mut()) {
            source.below(folder);
        }
        self
    }
}
