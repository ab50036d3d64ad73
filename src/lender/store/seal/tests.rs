//! Sealed values: what opens, and what does not.

use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::keys::{from_command, from_file};
use super::{KeyRing, Sealed, SealedPlace};
use crate::lender::store::database::{read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::sqlite::open_memory_database;
use crate::lender::store::tests::SCHEMA;

const PLACE: SealedPlace<'static> = SealedPlace { table: "accounts", column: "blob", row: "17" };

fn key(digit: char) -> String {
    String::from(digit).repeat(64)
}

fn written(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    std::fs::write(&path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    (folder, path)
}

fn ring(text: &str) -> Result<KeyRing, StoreError> {
    let (_folder, path) = written(text);
    from_file(&path)
}

fn one() -> KeyRing {
    ring(&format!("1:{}\nlookup:{}", key('a'), key('f'))).unwrap()
}

#[test]
fn what_is_sealed_opens_in_its_place_alone() {
    let keys = one();
    let sealed = keys.seal(PLACE, b"0803 123 4567").unwrap();
    assert_eq!(keys.open(PLACE, &sealed).unwrap(), b"0803 123 4567");
    assert_eq!(format!("{sealed:?} {keys:?}"), "[sealed] [keys]");
    assert_ne!(sealed, keys.seal(PLACE, b"0803 123 4567").unwrap(), "each has a nonce of its own");
    for place in [
        SealedPlace { row: "18", ..PLACE },
        SealedPlace { column: "name", ..PLACE },
        SealedPlace { table: "account", column: "sblob", ..PLACE },
        SealedPlace { column: "blob1", row: "7", ..PLACE },
    ] {
        let error = keys.open(place, &sealed).unwrap_err();
        assert!(matches!(error, StoreError::Sealed(_)), "{error:?}");
    }
    let error = keys.open(SealedPlace { row: "18", ..PLACE }, &sealed).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a sealed value cannot be read: a value of `accounts.blob` was changed, or moved from another row"
    );
}

#[test]
fn every_changed_byte_is_noticed() {
    let keys = one();
    let sealed = keys.seal(PLACE, b"abc").unwrap();
    assert_eq!(sealed.0.len(), 1 + 4 + 12 + 3 + 16);
    for at in 0..sealed.0.len() {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed.0[at] ^= 1 << bit;
            assert!(matches!(keys.open(PLACE, &changed), Err(StoreError::Sealed(_))), "byte {at}");
        }
        assert!(matches!(keys.open(PLACE, &Sealed::from_stored(&sealed.0[..at])), Err(StoreError::Sealed(_))));
    }
    let longer = [&sealed.0[..], &[0]].concat();
    assert!(matches!(keys.open(PLACE, &Sealed::from_stored(&longer)), Err(StoreError::Sealed(_))));
}

#[test]
fn keys_rotate() {
    let old = one();
    let sealed = old.seal(PLACE, b"abc").unwrap();
    assert!(!old.is_outdated(&sealed));
    let both = ring(&format!("# rotated\n2:{}\n\n 1 : {} \nlookup:{}\n", key('b'), key('a'), key('f'))).unwrap();
    assert!(both.is_outdated(&sealed));
    let again = both.seal(PLACE, &both.open(PLACE, &sealed).unwrap()).unwrap();
    assert!(!both.is_outdated(&again));
    let new = ring(&format!("2:{}\nlookup:{}", key('b'), key('f'))).unwrap();
    assert_eq!(new.open(PLACE, &again).unwrap(), b"abc");
    let error = new.open(PLACE, &sealed).unwrap_err();
    assert!(error.to_string().ends_with("a value is sealed with key 1, which is not given"), "{error}");
    assert!(matches!(old.open(PLACE, &again), Err(StoreError::Sealed(_))));
    // Another key under the same number does not open it.
    let other = ring(&format!("1:{}\nlookup:{}", key('c'), key('f'))).unwrap();
    assert!(matches!(other.open(PLACE, &sealed), Err(StoreError::Sealed(_))));
    // Digests outlive the keys.
    assert_eq!(old.digest("phone", b"0803"), new.digest("phone", b"0803"));
}

#[test]
fn digests_depend_on_key_purpose_and_value() {
    let keys = one();
    let digest = keys.digest("phone", b"0803");
    let other = ring(&format!("1:{}\nlookup:{}", key('a'), key('e'))).unwrap();
    for different in [
        keys.digest("phone", b"0804"),
        keys.digest("phon", b"e0803"),
        other.digest("phone", b"0803"),
        *blake3::hash(b"0803").as_bytes(),
    ] {
        assert_ne!(different, digest);
    }
}

#[test]
fn mistakes_in_keys_are_named_and_not_shown() {
    let good = key('a');
    for (text, message) in [
        (String::new(), "` has no line `lookup:key`"),
        (format!("lookup:{good}"), "` has no line `number:key`"),
        (format!("1:{good}"), "` has no line `lookup:key`"),
        (format!("lookup:{}\n1:{good}0", key('b')), "`:2: a key has 64 hexadecimal digits"),
        (format!("1:{}", good.replacen('a', "+", 1)), "`:1: a key has 64 hexadecimal digits"),
        (format!("1:{good}\n1:{}", key('b')), "`:2: this number stands in the list before"),
        (format!("1:{good}\n2:{}", good.to_uppercase()), "`:2: this key stands in the list before: each is used once"),
        (format!("-1:{good}"), "`:1: a line is `number:key` or `lookup:key`"),
        (good.clone(), "`:1: a line is `number:key` or `lookup:key`"),
    ] {
        let error = ring(&text).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
        assert!(!error.contains("aaaa"), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn keys_that_others_can_read_are_refused() {
    let (_folder, path) = written(&format!("1:{}\nlookup:{}", key('a'), key('f')));
    for mode in [0o640, 0o604, 0o660] {
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let error = from_file(&path).unwrap_err().to_string();
        assert!(error.ends_with(&format!("(mode {mode:o}): run `chmod 600` on it")), "{error}");
    }
    assert!(matches!(from_file(&path.with_extension("missing")), Err(StoreError::File { .. })));
}

#[test]
#[cfg(unix)]
fn a_program_prints_keys() {
    let command = |parts: &[&str]| from_command(&parts.iter().map(ToString::to_string).collect::<Vec<_>>());
    let text = format!("1:{}\nlookup:{}\n", key('a'), key('f'));
    let keys = command(&["printf", "%s", &text]).unwrap();
    let sealed = one().seal(PLACE, b"abc").unwrap();
    assert_eq!(keys.open(PLACE, &sealed).unwrap(), b"abc");
    for (parts, message) in [
        (&["false"][..], "the keys' command `false` failed: exit status: 1"),
        (&[], "the command for the keys names no program"),
        (&["printf", "1:x"], "`printf`:1: a key has 64 hexadecimal digits"),
        (&["printf", "\\377"], "the keys' command `printf` printed what is not text"),
    ] {
        let error = command(parts).unwrap_err().to_string();
        assert!(error.ends_with(message), "{error}");
    }
    assert!(command(&["no-such-program-anywhere"]).unwrap_err().to_string().contains("cannot be run: "));
}

#[test]
#[cfg(unix)]
fn keys_beyond_the_limit_are_refused_and_not_cut_off() {
    // The newest key comes after the limit: cut off, an older one would seal.
    let text = format!("1:{}\nlookup:{}\n{}2:{}\n", key('a'), key('f'), "#\n".repeat(40_000), key('b'));
    let (_folder, path) = written(&text);
    let printed = ["cat".to_owned(), path.display().to_string()];
    let error = from_command(&printed).unwrap_err().to_string();
    assert!(error.ends_with("the keys' command `cat` printed more than 64 KiB"), "{error}");
    let error = from_file(&path).unwrap_err().to_string();
    assert!(error.ends_with("has more than 64 KiB; keys take less, so this is another file"), "{error}");
}

#[tokio::test]
#[cfg(unix)]
async fn a_program_prints_keys_while_a_runtime_runs() {
    let command = ["printf".to_owned(), format!("1:{}\nlookup:{}\n", key('a'), key('f'))];
    assert!(from_command(&command).is_ok());
}

#[test]
fn a_sealed_value_is_stored_and_read_back() {
    let (keys, database) = (one(), open_memory_database(SCHEMA, 1).unwrap());
    let sealed = keys.seal(PLACE, b"abc").unwrap();
    let sql = "INSERT INTO accounts (id, blob) VALUES (17, $1)";
    write_transaction(&database, |tx| tx.execute(sql, &[sealed.clone().into()])).unwrap();
    let rows = read_transaction(&database, |tx| tx.query("SELECT blob FROM accounts", &[])).unwrap();
    let stored = Sealed::from_stored(rows[0].bytes("blob").unwrap());
    assert_eq!(keys.open(PLACE, &stored).unwrap(), b"abc");
}

proptest! {
    #[test]
    fn any_value_round_trips(plain in prop::collection::vec(any::<u8>(), 0..300), row in ".*") {
        let keys = one();
        let place = SealedPlace { row: &row, ..PLACE };
        let sealed = keys.seal(place, &plain).unwrap();
        prop_assert_eq!(keys.open(place, &sealed).unwrap(), plain);
    }
}
