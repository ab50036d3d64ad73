//! How the lender's service is set up: the TOML file of `lendwright serve`, its defaults and its checks. All mistakes
//! are listed, each with its key and what to do. Knows nothing of what is done with it.

mod http;
mod password;
mod sections;

pub(crate) use http::fits_header;
pub use http::{
    AnswerSettings, Answers, CREDENTIALS_MAX, CredentialSettings, LimitSettings, ListenSettings, OperationsSettings,
};
pub use password::PasswordSource;
pub use sections::Mistake;

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
}

impl Config {
    /// Reads a configuration from the text of its file.
    ///
    /// # Errors
    /// All mistakes.
    pub fn read(text: &str) -> Result<Config, Vec<Mistake>> {
        let mut sections = Sections::read(text).map_err(|mistake| vec![mistake])?;
        let config = Config {
            listen: sections.section("listen"),
            operations: sections.section("operations"),
            credentials: sections.list("credentials"),
            limits: sections.section("limits"),
            answers: sections.section("answers"),
        };
        let mut mistakes = sections.finish();
        // A value that was not read is a mistake already, and its default has none.
        config.check(&mut mistakes);
        match mistakes.is_empty() {
            true => Ok(config),
            false => Err(mistakes),
        }
    }

    fn check(&self, mistakes: &mut Vec<Mistake>) {
        self.listen.check(mistakes);
        self.operations.check(&self.listen, mistakes);
        http::check_credentials(&self.credentials, mistakes);
        self.limits.check(mistakes);
        self.answers.check(&self.limits, mistakes);
    }
}
