//! Files that only their owner may use: the database, and secrets. Knows nothing of what is in them.

use std::fs::{File, Metadata};
use std::path::Path;

use super::error::StoreError;

/// Where systemd puts the credentials of a service (`LoadCredential=`), for this process and nothing else.
const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";

/// Refuses a file that others than its owner can read or change.
pub(super) fn require_private(metadata: &Metadata, path: &Path) -> Result<(), StoreError> {
    match mode_of_file(metadata) {
        mode if mode & 0o077 == 0 => Ok(()),
        mode => Err(used_by_others(path, mode)),
    }
}

/// [`require_private`] for a key, a token or a password. A credential of systemd is readable by a group on paper: mode
/// 0440 is the mask of the access list by which the service's own user reads it.
pub(crate) fn require_private_secret(file: &File, path: &Path) -> Result<(), StoreError> {
    let folder = std::env::var_os(CREDENTIALS_DIRECTORY).filter(|folder| !folder.is_empty());
    require_secret_below(file, path, folder.as_ref().map(Path::new))
}

fn require_secret_below(file: &File, path: &Path, credentials: Option<&Path>) -> Result<(), StoreError> {
    match mode_of_file(&file.metadata().map_err(StoreError::file(path))?) {
        mode if mode & 0o077 == 0 => Ok(()),
        mode if mode & 0o037 == 0 && credentials.is_some_and(|folder| is_below(path, folder)) => Ok(()),
        mode => Err(used_by_others(path, mode)),
    }
}

/// Links are followed, so that none leads out of the folder.
fn is_below(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    }
}

fn used_by_others(path: &Path, mode: u32) -> StoreError {
    StoreError::Unsuitable(format!(
        "others than its owner may use `{}` (mode {mode:o}): run `chmod 600` on it",
        path.display()
    ))
}

#[cfg(unix)]
fn mode_of_file(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o777
}

/// Other systems have no such modes.
#[cfg(not(unix))]
fn mode_of_file(_: &Metadata) -> u32 {
    0
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(unix)]
    fn a_credential_of_systemd_may_have_mode_0440_and_no_other_file_may() {
        use std::fs::{self, File, Permissions};
        use std::os::unix::fs::PermissionsExt;

        use super::require_secret_below;
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("credentials");
        fs::create_dir(&folder).unwrap();
        let (inside, outside) = (folder.join("token"), outer.path().join("token"));
        let link = folder.join("link");
        fs::write(&inside, "secret").unwrap();
        fs::write(&outside, "secret").unwrap();
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        let is_taken = |path: &std::path::Path, mode: u32, credentials: bool| {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            let folder = credentials.then_some(folder.as_path());
            require_secret_below(&File::open(path).unwrap(), path, folder).is_ok()
        };
        for (mode, below, elsewhere) in [(0o400, true, true), (0o440, true, false), (0o444, false, false)] {
            assert_eq!(is_taken(&inside, mode, true), below, "{mode:o}");
            assert_eq!(is_taken(&inside, mode, false), elsewhere, "{mode:o}");
            assert_eq!(is_taken(&outside, mode, true), elsewhere, "{mode:o}");
            assert_eq!(is_taken(&link, mode, true), elsewhere, "{mode:o}");
        }
        assert!(!is_taken(&inside, 0o460, true), "its group may write");
    }
}
