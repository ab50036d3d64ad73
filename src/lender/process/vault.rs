//! Encryption of the personal data in the loan book, by the key ring; or none, where the configuration has it so. Knows
//! nothing of what the data is.

use crate::lender::runner::Vault;
use crate::lender::store::error::StoreError;
use crate::lender::store::seal::{KeyRing, Sealed, SealedPlace};
use crate::lender::store::value::SqlValue;

/// The first byte of a value that was stored readable. No sealed value begins with it.
const READABLE: u8 = 0;

/// The vault of a book.
pub(crate) enum BookVault {
    /// Encrypts.
    Keys(Box<KeyRing>),
    /// Does not.
    Readable,
}

/// The place of a context such as `loans.private/REF-1`.
fn place_of_context(context: &str) -> Result<SealedPlace<'_>, String> {
    let parts = context.split_once('/').and_then(|(column, row)| Some((column.split_once('.')?, row)));
    let ((table, column), row) = parts.ok_or("INVARIANT: a context names table, column and row")?;
    Ok(SealedPlace { table, column, row })
}

impl Vault for BookVault {
    fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            BookVault::Readable => Ok([&[READABLE], plain].concat()),
            BookVault::Keys(keys) => {
                let sealed =
                    keys.seal(place_of_context(context)?, plain).map_err(|error: StoreError| error.to_string())?;
                match SqlValue::from(sealed) {
                    SqlValue::Bytes(bytes) => Ok(bytes),
                    _ => Err("INVARIANT: a sealed value is bytes".to_owned()),
                }
            }
        }
    }

    fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, String> {
        match (self, sealed.split_first()) {
            (BookVault::Readable, Some((&READABLE, plain))) => Ok(plain.to_vec()),
            (BookVault::Readable, _) => Err("a value is encrypted, and no keys are given".to_owned()),
            // Otherwise a person who can write to the database could put a value of their own there.
            (BookVault::Keys(_), Some((&READABLE, _))) => {
                Err("a value was stored readable, before keys were given; it is not trusted".to_owned())
            }
            (BookVault::Keys(keys), _) => {
                keys.open(place_of_context(context)?, &Sealed::from_stored(sealed)).map_err(|error| error.to_string())
            }
        }
    }

    fn is_outdated(&self, sealed: &[u8]) -> bool {
        match self {
            BookVault::Readable => false,
            BookVault::Keys(keys) => keys.is_outdated(&Sealed::from_stored(sealed)),
        }
    }

    fn digest(&self, purpose: &str, plain: &[u8]) -> Option<[u8; 32]> {
        match self {
            BookVault::Readable => None,
            BookVault::Keys(keys) => Some(keys.digest(purpose, plain)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BookVault;
    use crate::lender::runner::Vault;
    use crate::lender::store::seal::keys;

    #[test]
    fn a_value_opens_at_its_place_and_by_its_own_kind_of_vault() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        std::fs::write(&path, format!("1:{}\nlookup:{}\n", "ab".repeat(32), "cd".repeat(32))).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let with_keys = BookVault::Keys(Box::new(keys::from_file(&path).unwrap()));
        let (here, there) = ("loans.private/REF-1", "loans.private/REF-2");
        for vault in [&with_keys, &BookVault::Readable] {
            let sealed = vault.seal(here, b"0123456789").unwrap();
            assert_eq!(vault.open(here, &sealed).unwrap(), b"0123456789");
            assert!(vault.open(here, b"").is_err());
        }
        let (sealed, readable) = (with_keys.seal(here, b"x").unwrap(), BookVault::Readable.seal(here, b"x").unwrap());
        assert!(with_keys.open(there, &sealed).is_err());
        assert!(with_keys.open(here, &readable).is_err());
        assert!(BookVault::Readable.open(here, &sealed).is_err());
        assert!(with_keys.seal("nowhere", b"x").is_err());
    }
}
