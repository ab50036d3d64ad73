//! API keys: a file of names, scopes and hashes. A key itself is never stored. Knows nothing of what a key opens.

use axum::http::{HeaderMap, header};
use ring::digest::{SHA256, digest};

/// What a key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Decisions, alone and in batches.
    Decide,
    /// Explanations, metrics and records.
    Explain,
    /// The policies in force, and the counters of the service.
    Read,
}

impl Scope {
    /// All scopes, as `--new-key` gives them.
    pub(crate) const ALL: [Scope; 3] = [Scope::Decide, Scope::Explain, Scope::Read];

    /// The word in the file.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Scope::Decide => "decide",
            Scope::Explain => "explain",
            Scope::Read => "read",
        }
    }

    /// The scope with this word.
    pub(crate) fn parse(word: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.word() == word)
    }
}

/// A line of the file.
struct ApiKey {
    name: String,
    scopes: Vec<Scope>,
    /// SHA-256 of the key. blake3's type compares in constant time.
    hash: blake3::Hash,
}

/// The keys that are accepted.
pub(crate) struct ApiKeys(Vec<ApiKey>);

/// Why a caller is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyFault {
    /// No key, or more than one.
    Missing,
    /// The key is not in the file.
    Unknown,
    /// The key lacks this scope.
    Scope(Scope),
}

impl ApiKeys {
    /// Reads a file with a line for each key: `name scope[,scope] sha256-of-the-key`. `#` begins a comment.
    ///
    /// # Errors
    /// The number of the first wrong line, and what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<ApiKeys, String> {
        let mut keys: Vec<ApiKey> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let key = parse_key_line(line).map_err(|what| format!("line {number}: {what}"))?;
            if keys.iter().any(|other| other.name == key.name || other.hash == key.hash) {
                return Err(format!("line {number}: another line has the same name or the same key"));
            }
            keys.push(key);
        }
        match keys.is_empty() {
            true => Err("it has no key; `lendwright api --new-key NAME` makes one".to_owned()),
            false => Ok(ApiKeys(keys)),
        }
    }

    /// The name of the key that the headers carry, if it has the scope. All keys are compared, each in constant time.
    pub(super) fn admit(&self, headers: &HeaderMap, needed: Scope) -> Result<&str, KeyFault> {
        let given = bearer_key(headers).ok_or(KeyFault::Missing)?;
        let given = hash_key(given);
        let mut found = None;
        for key in &self.0 {
            if key.hash == given {
                found = Some(key);
            }
        }
        let key = found.ok_or(KeyFault::Unknown)?;
        match key.scopes.contains(&needed) {
            true => Ok(&key.name),
            false => Err(KeyFault::Scope(needed)),
        }
    }
}

fn parse_key_line(line: &str) -> Result<ApiKey, String> {
    let mut words = line.split_whitespace();
    let (Some(name), Some(scopes), Some(hash), None) = (words.next(), words.next(), words.next(), words.next()) else {
        return Err("write it as `name scope[,scope] sha256`".to_owned());
    };
    let scopes: Option<Vec<Scope>> = scopes.split(',').map(Scope::parse).collect();
    let scopes = scopes.ok_or("scopes are `decide`, `explain` and `read`, with commas between them")?;
    let hash = blake3::Hash::from_hex(hash.to_ascii_lowercase())
        .map_err(|_| "the third word is not a SHA-256 of 64 hexadecimal digits")?;
    Ok(ApiKey { name: name.to_owned(), scopes, hash })
}

/// The key of `Authorization: Bearer KEY`.
fn bearer_key(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(key.trim()).filter(|key| !key.is_empty())
}

fn hash_key(key: &str) -> blake3::Hash {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest(&SHA256, key.as_bytes()).as_ref());
    blake3::Hash::from_bytes(bytes)
}

/// A new key, and the line for the file of keys.
///
/// # Errors
/// A name that is not a word, or a system without random numbers.
pub(crate) fn new_key(name: &str, scopes: &[Scope]) -> Result<(String, String), String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_word) {
        return Err("a key's name has up to 64 ASCII letters, digits, `-`, `_` and `.`".to_owned());
    }
    let mut random = [0_u8; 32];
    getrandom::fill(&mut random).map_err(|error| format!("the system has no random numbers: {error}"))?;
    let key = format!("lw_{}", blake3::Hash::from_bytes(random).to_hex());
    let words: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
    let line = format!("{name} {} {}", words.join(","), hash_key(&key).to_hex());
    Ok((key, line))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_str(value).expect("a header"))])
    }

    #[test]
    fn a_new_key_is_admitted_by_its_line_and_scopes() {
        let (key, line) = new_key("till", &[Scope::Decide, Scope::Read]).expect("a key");
        assert!(!line.contains(&key));
        let keys = ApiKeys::parse(&format!("# ours\n\n{line} # the till\n")).expect("keys");
        let bearer = headers(&format!("bearer {key}"));
        assert_eq!(keys.admit(&bearer, Scope::Decide), Ok("till"));
        assert_eq!(keys.admit(&bearer, Scope::Explain), Err(KeyFault::Scope(Scope::Explain)));
        assert_eq!(keys.admit(&headers("Bearer lw_0"), Scope::Decide), Err(KeyFault::Unknown));
        assert_eq!(keys.admit(&headers("Basic eA=="), Scope::Decide), Err(KeyFault::Missing));
        assert_eq!(keys.admit(&HeaderMap::new(), Scope::Decide), Err(KeyFault::Missing));
    }

    #[test]
    fn the_hash_is_sha_256() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash_key("abc").to_hex().as_str(), known);
    }

    #[test]
    fn wrong_lines_are_named_by_their_number() {
        let hash = "0".repeat(64);
        for (text, wanted) in [
            ("".to_owned(), "no key"),
            ("a decide".to_owned(), "line 1: write it as"),
            (format!("\na decide,pay {hash}"), "line 2: scopes"),
            ("a read 12".to_owned(), "line 1: the third word"),
            (format!("a read {hash}\nb read {hash}"), "line 2: another"),
        ] {
            assert!(ApiKeys::parse(&text).err().is_some_and(|what| what.contains(wanted)), "{text}");
        }
    }
}
