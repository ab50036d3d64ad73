//! How the commands reach the provider: settings, provider code, token. The one place that reads the token from the
//! environment.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::client::blocking::Client;
use crate::client::{File, TokenSource, token_source};
use crate::wire::Settings;
use crate::words::secret::Secret;

/// The environment variable that holds the access token.
pub const TOKEN_VARIABLE: &str = "LENDWRIGHT_TOKEN";

/// Options of all commands that call the provider.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Connection")]
pub struct ConnectionArgs {
    /// The provider's address; takes the place of `base_url` (or `iqr.base_url`, `bill.base_url`) in the settings
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The lender's provider code; takes the place of `provider_code` in the settings
    #[arg(long, value_name = "CODE")]
    pub provider_code: Option<String>,
    /// A file that holds the access token; without it the environment variable LENDWRIGHT_TOKEN is read, then `token` in
    /// the settings
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// A TOML file with the connection's settings: addresses, layouts, timeouts, limits
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

/// Which hosts a command calls: where `--base-url` belongs.
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
    /// The settings of the file with the options over them, for the lending service.
    pub fn settings(&self) -> Result<Settings, String> {
        self.settings_of(Area::Lending)
    }

    /// The same for any area.
    pub fn settings_of(&self, area: Area) -> Result<Settings, String> {
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
            return Err(format!("no provider to call; give `--base-url URL`, or `{key}` in the file of `--settings`"));
        }
        if let Some(provider_code) = &self.provider_code {
            settings.provider_code.clone_from(provider_code);
        }
        Ok(settings)
    }

    /// Makes sure that a lender is named, for calls that say which one it is.
    pub(crate) fn check_lender(&self) -> Result<(), String> {
        match self.settings()?.provider_code.trim().is_empty() {
            true => Err("no provider code, by which the provider knows the lender; give `--provider-code CODE`, or \
                         `provider_code` in the file of `--settings`"
                .to_owned()),
            false => Ok(()),
        }
    }

    /// A client for the lending service.
    pub fn client(&self) -> Result<Client, String> {
        // The token last: a wrong file of settings should not look like a missing token.
        let settings = self.settings()?;
        let token = self.token(&settings)?;
        Client::new(settings, token).map_err(|error| error.to_string())
    }

    /// A client that will not send anything, for showing requests.
    pub fn dry_client(&self) -> Result<Client, String> {
        Client::new(self.settings()?, Self::no_token()).map_err(|error| error.to_string())
    }

    /// What stands for a token where nothing is sent.
    pub(crate) fn no_token() -> Box<dyn TokenSource> {
        Box::new(Secret::new("dry-run"))
    }

    /// Where the access token comes from: the option, then the environment, then the settings.
    pub(crate) fn token(&self, settings: &Settings) -> Result<Box<dyn TokenSource>, String> {
        if let Some(path) = &self.token_file {
            // Read once here, so that a wrong file is told before anything else is done; then again when it runs out.
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
    let text = match path.as_os_str() == "-" {
        true => {
            std::io::read_to_string(std::io::stdin()).map_err(|error| format!("cannot read standard input: {error}"))?
        }
        false => read(path)?,
    };
    match text.trim() {
        "" => Err(format!("`{}` is empty", path.display())),
        secret => Ok(Secret::new(secret)),
    }
}

/// Reads a file of settings.
pub fn read_settings(path: &Path) -> Result<Settings, String> {
    parse_toml(path)
}

/// Reads a TOML file into a value; an error names the file, the place and the problem, and no value of the file: any may be
/// a secret that stands in the wrong place.
pub(crate) fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let text = read(path)?;
    toml::from_str(&text).map_err(|error| {
        // The parser's long form quotes the line.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let is_toml = text.parse::<toml::Table>().is_ok();
        format!("{}:{line}:{column}: {}", path.display(), without_values(error.message(), is_toml))
    })
}

/// The parser's message as far as it is of names and kinds. Those about fields name keys alone. Those about values end with
/// what is expected, and say what is there before that. What is no TOML is told in fixed words.
fn without_values(message: &str, is_toml: bool) -> String {
    const OF_KEYS: [&str; 5] =
        ["unknown field ", "missing field ", "duplicate field ", "unexpected keys in table", "wanted string or table"];
    const OF_VALUES: [&str; 4] = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "];
    let starts = |list: &[&str]| list.iter().any(|start| message.starts_with(start));
    if starts(&OF_KEYS) || (!is_toml && !starts(&OF_VALUES)) {
        return message.to_owned();
    }
    match message.rsplit_once(", expected ") {
        // A type of ours is no word for those who write settings.
        Some((_, expected)) if expected.contains("struct ") => "expected a table".to_owned(),
        Some((_, expected)) => format!("expected {expected}"),
        None => "this value cannot be taken here".to_owned(),
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{parse_toml, read_settings};
    use crate::sandbox::{Behaviour, Faults};

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
