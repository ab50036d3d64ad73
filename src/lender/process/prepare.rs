//! Everything that a configuration names, read and checked: passwords, keys, the policy, the connection. All mistakes
//! are listed. Starts nothing. Knows nothing of databases.

use std::path::Path;
use std::sync::Arc;

use super::clock::system_now;
use super::reload::{Locale, refuse_unfit_inputs};
use super::vault::BookVault;
use crate::base::date::Zone;
use crate::base::secret::Secret;
use crate::lender::config::{
    Config, ConfigMistake, Encryption, PasswordSource, PrivateFile, ProviderSettings, StoreSettings,
};
use crate::lender::hosted::{self, Credentials};
use crate::lender::runner::DecisionKeeper;
use crate::lender::sources::Sources;
use crate::lender::store::error::StoreError;
use crate::lender::store::seal::keys;
use crate::provider::client::{Client, Command, TokenSource, bill, reqwest, token_source};
use crate::provider::tls::is_this_machine;
use crate::provider::wire::{Settings, TokenSettings};
use crate::rules::{InputSource, PolicySet};
use crate::run::live_policy::LivePolicy;

/// What the service is made of.
pub(crate) struct Prepared {
    pub(crate) config: Config,
    pub(crate) settings: Settings,
    pub(crate) live: Arc<LivePolicy>,
    /// The policies that decide in the shadow, by name.
    pub(crate) shadows: Vec<(String, Arc<LivePolicy>)>,
    pub(crate) locale: Locale,
    pub(super) credentials: Credentials,
    pub(crate) vault: Arc<BookVault>,
    pub(super) client: Client,
    /// Where inputs come from that offer requests lack.
    pub(crate) sources: Option<Sources>,
    /// Where decisions go besides the book.
    pub(crate) keeper: Option<Arc<dyn DecisionKeeper>>,
    /// Queries whether bills were paid, if webhooks are received.
    pub(super) bills: Option<bill::Client>,
}

/// Looks up an environment variable.
pub(crate) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads what the configuration names. `settings` are those of the file `provider.settings`, or why it cannot be read.
///
/// # Errors
/// All mistakes.
pub(crate) async fn prepare_service(
    config: Config,
    settings: Result<Settings, String>,
    variable: Variable<'_>,
) -> Result<Prepared, Vec<ConfigMistake>> {
    let mut mistakes = Vec::new();
    let credentials = read_all_credentials(&config, variable, &mut mistakes).await;
    let keys = if config.store.keys_command.is_some() { "store.keys_command" } else { "store.keys_file" };
    let vault = note_config_mistake(keys, open_book_vault(&config.store), &mut mistakes);
    let policy = load_policy(&config, &mut mistakes);
    let settings = note_config_mistake("provider.settings", settings, &mut mistakes)
        .map(|settings| override_provider_settings(settings, &config));
    let client = match &settings {
        Some(settings) => {
            let is_clock_ahead = config.testing.clock_ahead.is_some();
            connect_client(settings, &config.provider, is_clock_ahead, variable, &mut mistakes).await
        }
        None => None,
    };
    let bills = match &settings {
        Some(settings) if config.pay_bill.is_on() => {
            connect_bill_client(settings, &config, variable, &mut mistakes).await
        }
        _ => None,
    };
    let shadows = match &policy {
        Some((_, locale)) => load_shadows(&config, locale, &mut mistakes),
        None => Vec::new(),
    };
    let sources = match &policy {
        Some((live, _)) => prepare_sources(&config, live, &shadows, &mut mistakes),
        None => None,
    };
    let (Some(credentials), Some(vault), Some((live, locale)), Some(settings), Some(client)) =
        (credentials, vault.map(Arc::new), policy, settings, client)
    else {
        return Err(mistakes);
    };
    match mistakes.is_empty() {
        true => Ok(Prepared {
            config,
            settings,
            live,
            shadows,
            locale,
            credentials,
            vault,
            client,
            sources,
            keeper: None,
            bills,
        }),
        false => Err(mistakes),
    }
}

/// What a person needs to work on the book outside the service: its vault, and the time zone in which it ran last, or
/// of its policy if it never ran.
///
/// # Errors
/// All mistakes.
pub(crate) fn prepare_desk(config: &Config, known: Option<&str>) -> Result<(BookVault, Zone), Vec<ConfigMistake>> {
    let mut mistakes = Vec::new();
    let vault = note_config_mistake("store", open_book_vault(&config.store), &mut mistakes);
    // An edited policy may have mistakes that the service, which runs on with the last good one, does not see.
    let zone = match known.and_then(Zone::parse) {
        Some(zone) => Some(zone),
        None => load_policy(config, &mut mistakes).map(|(_, locale)| locale.zone),
    };
    vault.zip(zone).ok_or(mistakes)
}

/// A client of the provider that the configuration names. `settings` as for [`prepare_service`].
///
/// # Errors
/// All mistakes.
pub(crate) async fn connect_provider(
    config: &Config,
    settings: Result<Settings, String>,
    variable: Variable<'_>,
) -> Result<Client, Vec<ConfigMistake>> {
    let mut mistakes = Vec::new();
    let settings = note_config_mistake("provider.settings", settings, &mut mistakes)
        .map(|settings| override_provider_settings(settings, config));
    let connected = match &settings {
        Some(settings) => connect_client(settings, &config.provider, false, variable, &mut mistakes).await,
        None => None,
    };
    connected.ok_or(mistakes)
}

/// The value, or a mistake at this key.
fn note_config_mistake<T, E: ToString>(
    path: &str,
    result: Result<T, E>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<T> {
    result
        .map_err(|error| mistakes.push(ConfigMistake::new(path, format!("cannot be used: {}", error.to_string()))))
        .ok()
}

async fn read_all_credentials(
    config: &Config,
    variable: Variable<'_>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<Credentials> {
    let mut pairs = Vec::new();
    for (index, credential) in config.credentials.iter().enumerate() {
        let Some(source) = &credential.password else { continue };
        let password =
            note_config_mistake(&format!("credentials[{index}].password"), source.read(variable).await, mistakes)?;
        pairs.push((credential.username.clone(), password));
    }
    note_config_mistake("credentials", Credentials::new(&pairs), mistakes)
}

fn open_book_vault(store: &StoreSettings) -> Result<BookVault, String> {
    let ring = match (store.encryption, &store.keys_file, &store.keys_command) {
        (Encryption::None, ..) => return Ok(BookVault::Readable),
        (Encryption::Keys, Some(path), _) => keys::from_file(path),
        (Encryption::Keys, None, Some(command)) => keys::from_command(command),
        (Encryption::Keys, None, None) => return Err("no keys are given".to_owned()),
    };
    ring.map(|ring| BookVault::Keys(Box::new(ring))).map_err(|error| match error {
        StoreError::Unsuitable(why) => why,
        other => other.to_string(),
    })
}

fn load_policy(config: &Config, mistakes: &mut Vec<ConfigMistake>) -> Option<(Arc<LivePolicy>, Locale)> {
    let parameters: Vec<(String, String)> =
        config.policy.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let live = note_config_mistake("policy.path", LivePolicy::load(&config.policy.path, &parameters), mistakes)?;
    let policies = live.current();
    let first = policies.policies().first().map(|policy| policy.header());
    let first = first.map(|header| Locale { currency: header.currency, zone: header.zone.clone() });
    let locale = note_config_mistake("policy.path", first.ok_or("it holds no policy"), mistakes)?;
    if !locale.is_of_all(&policies) {
        let problem = "has versions with different currencies or time zones; the loans of a service have one of each";
        mistakes.push(ConfigMistake::new("policy.path", problem));
        return None;
    }
    note_config_mistake("policy.path", refuse_unfit_inputs(&policies), mistakes)?;
    Some((Arc::new(live), locale))
}

/// The policies that decide in the shadow. They have the currency and the time zone of the service.
fn load_shadows(config: &Config, locale: &Locale, mistakes: &mut Vec<ConfigMistake>) -> Vec<(String, Arc<LivePolicy>)> {
    let mut shadows = Vec::new();
    for (name, path) in &config.decisions.shadows {
        let key = format!("decisions.shadows.{name}");
        let Some(live) = note_config_mistake(&key, LivePolicy::load(path, &[]), mistakes) else { continue };
        let policies = live.current();
        if !locale.is_of_all(&policies) {
            let problem = "has another currency or time zone than the policy of the service";
            mistakes.push(ConfigMistake::new(&key, problem));
        }
        note_config_mistake(&key, refuse_unfit_inputs(&policies), mistakes);
        shadows.push((name.clone(), Arc::new(live)));
    }
    shadows
}

/// The sources of inputs, held against the policy. What the book knows comes from there alone.
fn prepare_sources(
    config: &Config,
    live: &LivePolicy,
    shadows: &[(String, Arc<LivePolicy>)],
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<Sources> {
    if config.sources.is_empty() {
        return None;
    }
    let sources = Sources::new(&config.sources, system_now).map_err(|wrong| mistakes.extend(wrong)).ok()?;
    if sources.give(InputSource::Own) {
        mistakes.push(ConfigMistake::new("source", "gives inputs of `own`, which are those of the loan book"));
    }
    let all = [live].into_iter().chain(shadows.iter().map(|(_, live)| &**live));
    let policies: Vec<_> = all.map(LivePolicy::current).collect();
    sources.check(&policies).map_err(|wrong| mistakes.extend(wrong)).ok()?;
    Some(sources)
}

fn override_provider_settings(mut settings: Settings, config: &Config) -> Settings {
    if let Some(base_url) = &config.provider.base_url {
        settings.base_url.clone_from(base_url);
    }
    if let Some(provider_code) = &config.provider.provider_code {
        settings.provider_code.clone_from(provider_code);
    }
    settings
}

/// Whether an address is of this machine.
fn is_on_this_machine(url: &str) -> bool {
    let parsed = reqwest::Url::parse(url).ok();
    parsed.as_ref().and_then(reqwest::Url::host_str).is_some_and(is_this_machine)
}

async fn connect_client(
    settings: &Settings,
    provider: &ProviderSettings,
    is_clock_ahead: bool,
    variable: Variable<'_>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<Client> {
    if settings.base_url.trim().is_empty() {
        let problem = "is missing here and in the settings of the connection; give the provider's address";
        mistakes.push(ConfigMistake::new("provider.base_url", problem));
        return None;
    }
    note_config_mistake("provider.settings", hosted::check_settings(settings), mistakes)?;
    if is_clock_ahead && !is_on_this_machine(&settings.base_url) {
        let problem = "is for a provider on this machine, such as the sandbox; remove it";
        mistakes.push(ConfigMistake::new("testing.clock_ahead", problem));
    }
    let token = choose_token_source(settings, provider, variable).await;
    let token = note_config_mistake("provider.token", token, mistakes)?;
    note_config_mistake("provider.settings", Client::new(settings.clone(), token), mistakes)
}

/// The client of Pay Bill, and the folder of the bills.
async fn connect_bill_client(
    settings: &Settings,
    config: &Config,
    variable: Variable<'_>,
    mistakes: &mut Vec<ConfigMistake>,
) -> Option<bill::Client> {
    if !config.pay_bill.bills.is_dir() {
        mistakes.push(ConfigMistake::new("pay_bill.bills", "is not a folder; make it, and store bills there"));
    }
    // What is wrong with the token is known from the other client.
    let token = choose_token_source(settings, &config.provider, variable).await.ok()?;
    note_config_mistake("pay_bill.webhook_path", bill::Client::new(settings.clone(), token), mistakes)
}

/// The source of the access token. What is on this machine is read once, so that a mistake shows before the first call.
async fn choose_token_source(
    settings: &Settings,
    provider: &ProviderSettings,
    variable: Variable<'_>,
) -> Result<Box<dyn TokenSource>, String> {
    match &provider.token {
        Some(source) => {
            let secret: Secret = source.read(variable).await?;
            Ok(match source {
                PasswordSource::Env(_) => Box::new(secret),
                PasswordSource::File(path) => Box::new(PrivateFile::new(path)),
                PasswordSource::Command(command) => {
                    Box::new(Command::new(command, None).map_err(|error| error.to_string())?)
                }
            })
        }
        None => {
            if let Some(TokenSettings::File { path }) = &settings.token {
                let file = PrivateFile::new(Path::new(path));
                file.fetch().await.map_err(|error| error.problem)?;
                return Ok(Box::new(file));
            }
            let source = token_source(settings).map_err(|error| error.to_string())?;
            source.ok_or_else(|| "there is none here, and no `token` in the settings of the connection".to_owned())
        }
    }
}
