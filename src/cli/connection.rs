//! Options for calling the provider: settings, provider code, token. Only this file reads the token from the
//! environment.

use std::path::{Path, PathBuf};

use clap::Args;
use zeroize::Zeroizing;

use crate::base::secret::Secret;
use crate::provider::client::blocking::Client;
use crate::provider::client::{File, TokenSource, token_source};
use crate::provider::wire::Settings;

/// The environment variable that holds the access token.
pub const TOKEN_VARIABLE: &str = "LENDWRIGHT_TOKEN";

/// Options of all commands that call the provider.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionArgs {
    /// The provider's address; overrides `base_url` (or `iqr.base_url`, `bill.base_url`) in the settings
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The lender's provider code; overrides `provider_code` in the settings
    #[arg(long, value_name = "CODE")]
    pub provider_code: Option<String>,
    /// A file with the access token; without it, the token is the environment variable LENDWRIGHT_TOKEN, or else
    /// `token` in the settings
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A TOML file with the settings of the connection: addresses, layouts, timeouts, limits
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

/// Which host a command calls. It decides which setting `--base-url` overrides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// The lending service, E1 to E9.
    Lending,
    /// iQR issuing, I1 to I5.
    Iqr,
    /// Pay Bill, P1 and P2.
    Bill,
}

impl ConnectionArgs {
    /// The settings for the lending service, from the file and the options. Options override the file.
    pub fn settings(&self) -> Result<Settings, String> {
        self.settings_for(Area::Lending)
    }

    /// The settings for an area, from the file and the options.
    pub fn settings_for(&self, area: Area) -> Result<Settings, String> {
        let mut settings = match &self.settings {
            Some(path) => read_settings(path)?,
            None => Settings::default(),
        };
        let (base_url, key) = match area {
            Area::Lending => (&mut settings.base_url, "base_url"),
            Area::Iqr => (&mut settings.iqr.base_url, "iqr.base_url"),
            Area::Bill => (&mut settings.bill.base_url, "bill.base_url"),
        };
        if let Some(given) = &self.base_url {
            base_url.clone_from(given);
        }
        if base_url.is_empty() {
            return Err(format!("no provider to call; give `--base-url URL`, or `{key}` in the `--settings` file"));
        }
        if let Some(provider_code) = &self.provider_code {
            settings.provider_code.clone_from(provider_code);
        }
        Ok(settings)
    }

    /// Checks that there is a provider code, for calls that send it.
    pub(crate) fn check_lender(&self) -> Result<(), String> {
        match self.settings()?.provider_code.trim().is_empty() {
            true => Err("no provider code, which identifies the lender; give `--provider-code CODE`, or \
                         `provider_code` in the `--settings` file"
                .to_owned()),
            false => Ok(()),
        }
    }

    /// A client for the lending service.
    pub fn client(&self) -> Result<Client, String> {
        // The token comes last, so that a wrong settings file does not look like a missing token.
        let settings = self.settings()?;
        let token = self.token(&settings)?;
        Client::new(settings, token).map_err(|error| error.to_string())
    }

    /// A client for `--dry-run`, which sends nothing.
    pub fn dry_client(&self) -> Result<Client, String> {
        Client::new(self.settings()?, Self::no_token()).map_err(|error| error.to_string())
    }

    /// A placeholder for the token when nothing is sent.
    pub(crate) fn no_token() -> Box<dyn TokenSource> {
        Box::new(Secret::new("dry-run"))
    }

    /// Where the access token comes from: the option, then the environment, then the settings.
    pub(crate) fn token(&self, settings: &Settings) -> Result<Box<dyn TokenSource>, String> {
        if let Some(path) = &self.token_file {
            // Read here once, so that a wrong file is reported early. The client reads it again when the token expires.
            read_secret(path)?;
            return Ok(Box::new(File::new(path)));
        }
        if let Ok(text) = std::env::var(TOKEN_VARIABLE) {
            return match text.trim() {
                "" => Err(format!("the access token in the environment variable `{TOKEN_VARIABLE}` is empty")),
                token => Ok(Box::new(Secret::new(token))),
            };
        }
        let source = token_source(settings).map_err(|error| error.to_string())?;
        source.ok_or_else(|| {
            format!("no access token; set `{TOKEN_VARIABLE}`, give `--token-file FILE`, or `token` in the settings")
        })
    }
}

/// Reads a secret from a file, or from standard input for `-`.
pub(crate) fn read_secret(path: &Path) -> Result<Secret, String> {
    let text = Zeroizing::new(match path.as_os_str() == "-" {
        true => {
            std::io::read_to_string(std::io::stdin()).map_err(|error| format!("cannot read standard input: {error}"))?
        }
        false => read_text_to_end(path)?,
    });
    match text.trim() {
        "" => Err(format!("`{}` is empty", path.display())),
        secret => Ok(Secret::new(secret)),
    }
}

/// Reads a settings file.
pub fn read_settings(path: &Path) -> Result<Settings, String> {
    parse_toml(path)
}

/// Reads a TOML file into a value. An error names the file, the place and the problem, but no value of the file,
/// because any value may be a secret in the wrong place.
pub(crate) fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = read_text_to_end(path)?;
    toml::from_str(&text).map_err(|error| {
        // The place is computed here, because the parser's own text with a place quotes the line.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let is_toml = text.parse::<toml::Table>().is_ok();
        format!("{}:{line}:{column}: {}", path.display(), without_values(error.message(), is_toml))
    })
}

/// The parser's message without values of the file. Messages about fields contain only keys. Messages about values
/// first quote the value, and end with what is expected. Messages about invalid TOML have fixed texts.
fn without_values(message: &str, is_toml: bool) -> String {
    const ABOUT_KEYS: [&str; 5] =
        ["unknown field ", "missing field ", "duplicate field ", "unexpected keys in table", "wanted string or table"];
    const ABOUT_VALUES: [&str; 4] = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    let starts = |list: &[&str]| list.iter().any(|start| message.starts_with(start));
    if starts(&ABOUT_KEYS) || (!is_toml && !starts(&ABOUT_VALUES)) {
        return message.to_owned();
    }
    match message.rsplit_once(", expected ") {
        // The name of a Rust type means nothing to people who write settings.
        Some((_, expected)) if expected.contains("struct ") => "expected a table".to_owned(),
        Some((_, expected)) => format!("expected {expected}"),
        None => "this value is not allowed here".to_owned(),
    }
}

fn read_text_to_end(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{parse_toml, read_settings};
    use crate::provider::sandbox::{Behaviour, Faults};

    #[test]
    fn an_error_in_settings_shows_what_is_expected_and_no_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("provider.toml");
        let variants = "expected one of `file`, `command`, `client_credentials`";
        let cases = [
            ("token = \"TOKCANARY\"", format!("1:9: {variants}")),
            ("token = { TOKCANARY = { path = 1 } }", format!("1:11: {variants}")),
            ("token = 918273645", "1:9: wanted string or table".to_owned()),
            ("token = { client_credentials = \"TOKCANARY\" }", "1:32: expected a table".to_owned()),
            ("[token.client_credentials]\nclient_secret = 918273645", "2:17: expected a string".to_owned()),
            (
                "[token.client_credentials]\nclient_secrt = \"TOKCANARY\"",
                "2:1: unexpected keys in table: client_secrt".to_owned(),
            ),
            ("token = { client_credentials = { client_id = \"TOKCANARY\" } }", "missing field".to_owned()),
            ("[token.command]\ncommand = \"TOKCANARY, expected TOKCANARY\"", "2:11: expected a sequence".to_owned()),
            ("[token.command]\ncommand = [\"x\"]\nlifetime_s = \"TOKCANARY\"", "3:14: expected u64".to_owned()),
            ("[token.command]\ncommand = [\"x\"]\nlifetime_s = -918273645", "3:14: expected u64".to_owned()),
            ("proxy = 918273645", "1:9: expected a string".to_owned()),
            ("proxy = 9182.73645", "1:9: expected a string".to_owned()),
            ("proxy = { password = \"TOKCANARY\" }", "1:9: expected a string".to_owned()),
            ("proxy = TOKCANARY", "1:9: ".to_owned()),
            ("proxy = \"TOKCANARY", "1:".to_owned()),
            ("proxy = \"TOKCANARY\" TOKCANARY", "1:".to_owned()),
            ("TOKCANARY", "1:".to_owned()),
            ("proxy = \"\\TOKCANARY\"", "1:".to_owned()),
            ("proxy = 91827364591827364591827364500000", "1:9: ".to_owned()),
            ("proxy = 1\nproxy = \"TOKCANARY\"", "2:1: duplicate key".to_owned()),
            ("allow_plain_http = \"TOKCANARY\"", "1:20: expected a boolean".to_owned()),
            ("[limits]\nattempts_max = \"TOKCANARY\"", "2:16: expected u32".to_owned()),
            ("[send_offers]\nlayout = \"TOKCANARY\"", "2:10: expected one of `repeated`".to_owned()),
            ("[limits]\nretries = \"TOKCANARY\"", "2:1: unknown field `retries`, expected one of".to_owned()),
        ];
        for (text, expected) in cases {
            std::fs::write(&path, text).unwrap();
            let problem = read_settings(&path).map(|_| ()).unwrap_err();
            assert!(problem.contains("provider.toml:") && problem.contains(&expected), "{text}\n{problem}");
            assert!(!problem.contains("CANARY") && !problem.contains("9182"), "{text}\n{problem}");
        }
        std::fs::write(&path, "accept = \"TOKCANARY\"").unwrap();
        let problem = parse_toml::<Behaviour>(&path).map(|_| ()).unwrap_err();
        assert!(problem.contains("1:10: expected one of `loan`") && !problem.contains("CANARY"), "{problem}");
        std::fs::write(&path, "[requery]\nstatus = \"TOKCANARY\"").unwrap();
        let problem = parse_toml::<Faults>(&path).map(|_| ()).unwrap_err();
        assert!(problem.contains("2:10: expected u16") && !problem.contains("CANARY"), "{problem}");
    }
}
