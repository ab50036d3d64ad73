//! The one way to write a file: whole, next to its place first, then on the disk, then under its name. So there is
//! never half a file, whenever the program, the system or the power ends. Knows nothing of what is in the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};

/// The name of a file that is not whole yet begins and ends so. A power cut may leave one.
const DRAFT: (&str, &str) = (".lendwright-", ".part");

/// Whether a file of this name is one that was not written to its end.
pub(crate) fn is_draft(name: &str) -> bool {
    name.starts_with(DRAFT.0) && name.ends_with(DRAFT.1)
}

/// Who may use a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Those who may use the file that it replaces, or a new file of any program.
    Usual,
    /// Its owner alone.
    Private,
}

/// A file that is being written. Without [`WholeFile::finish`] or its like, it is removed.
pub(crate) struct WholeFile {
    out: BufWriter<File>,
    /// `None` if the place is a device or a pipe: that is written to.
    draft: Option<TempPath>,
    place: PathBuf,
}

impl WholeFile {
    /// Begins a file for `place`. A link stays one, and the file that it leads to is replaced.
    pub(crate) fn begin(place: &Path, access: Access) -> io::Result<WholeFile> {
        let place = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
        let before = fs::metadata(&place).ok().filter(|before| !before.is_dir());
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            let device = OpenOptions::new().write(true).open(&place)?;
            return Ok(WholeFile { out: BufWriter::new(device), draft: None, place });
        }
        let mut builder = Builder::new();
        builder.prefix(DRAFT.0).suffix(DRAFT.1);
        #[cfg(unix)]
        if access == Access::Usual {
            // The system takes away what its user does not allow.
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        let (file, draft) = builder.tempfile_in(folder_of(&place))?.into_parts();
        if let Some(before) = before.filter(|_| access == Access::Usual) {
            keep_owner(&file, &before);
            // Some file systems have the same rights for all files, and refuse to set any.
            if file.metadata()?.permissions() != before.permissions() {
                file.set_permissions(before.permissions())?;
            }
        }
        Ok(WholeFile { out: BufWriter::with_capacity(1 << 16, file), draft: Some(draft), place })
    }

    /// Where the bytes are until the file is whole, for a writer that opens files itself.
    #[allow(dead_code, reason = "commands and the service use it, which the feature `engine` lacks")]
    pub(crate) fn draft(&self) -> &Path {
        self.draft.as_deref().unwrap_or(&self.place)
    }

    /// Puts the file in its place, in that of an earlier one.
    pub(crate) fn finish(self) -> io::Result<()> {
        let folder = folder_of(&self.place).to_owned();
        self.finish_unsynced()?;
        sync_name(&folder)
    }

    /// As [`WholeFile::finish`], for one of many files: [`sync_name`] then makes the names of all last.
    pub(crate) fn finish_unsynced(self) -> io::Result<()> {
        match self.sync()? {
            (Some(draft), place) => Ok(draft.persist(place)?),
            (None, _) => Ok(()),
        }
    }

    /// As [`WholeFile::finish`], and fails with `AlreadyExists` if something is there.
    #[allow(dead_code, reason = "commands and the service use it, which the feature `engine` lacks")]
    pub(crate) fn finish_new(self) -> io::Result<()> {
        let (Some(draft), place) = self.sync()? else { return Err(ErrorKind::AlreadyExists.into()) };
        match draft.persist_noclobber(&place) {
            Ok(()) => {}
            // Some file systems have neither links nor a way to rename that replaces nothing.
            Err(failed) if failed.error.kind() != ErrorKind::AlreadyExists && place.symlink_metadata().is_err() => {
                failed.path.persist(&place)?;
            }
            Err(failed) => return Err(failed.error),
        }
        // A new file that may be gone after a power cut is none.
        sync_name(folder_of(&place)).inspect_err(|_| drop(fs::remove_file(&place)))
    }

    fn sync(self) -> io::Result<(Option<TempPath>, PathBuf)> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if self.draft.is_some() {
            file.sync_all()?;
        }
        Ok((self.draft, self.place))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a file whole.
pub(crate) fn write_whole(place: &Path, access: Access, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::begin(place, access)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Writes a file whole. Fails with `AlreadyExists` if something is there.
#[allow(dead_code, reason = "only commands use it")]
pub(crate) fn write_new(place: &Path, access: Access, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::begin(place, access)?;
    file.write_all(bytes)?;
    file.finish_new()
}

/// The folder of a file.
pub(crate) fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in a folder last through a power cut.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// This system has no such call: its file systems write names to their journal when the file itself is synced.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// As [`sync_folder`], as far as the system and the folder's rights allow it.
pub(crate) fn sync_name(folder: &Path) -> io::Result<()> {
    match sync_folder(folder) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::PermissionDenied | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// A file that root replaces stays its owner's. Others cannot give files away, and need not.
#[cfg(unix)]
fn keep_owner(file: &File, before: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }

    #[test]
    fn a_file_is_there_when_it_is_whole_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        write_whole(&place, Access::Usual, b"first and long").unwrap();
        let mut file = WholeFile::begin(&place, Access::Usual).unwrap();
        file.write_all(b"second").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&place).unwrap(), b"first and long");
        let beside: Vec<String> = names(folder.path()).into_iter().filter(|name| is_draft(name)).collect();
        assert_eq!(beside.len(), 1);
        drop(file);
        assert_eq!(
            (names(folder.path()), fs::read(&place).unwrap()),
            (vec!["file".to_owned()], b"first and long".into())
        );
        write_whole(&place, Access::Usual, b"second").unwrap();
        assert_eq!((names(folder.path()), fs::read(&place).unwrap()), (vec!["file".to_owned()], b"second".into()));
    }

    #[test]
    fn a_new_file_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        write_new(&place, Access::Private, b"first").unwrap();
        let refused = write_new(&place, Access::Private, b"second").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!((names(folder.path()), fs::read(&place).unwrap()), (vec!["file".to_owned()], b"first".into()));
        assert!(write_whole(&folder.path().join("missing/file"), Access::Usual, b"x").is_err());
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(write_whole(&folder.path().join("folder"), Access::Usual, b"x").is_err());
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn rights_are_kept_or_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        let mode = || fs::metadata(&place).unwrap().permissions().mode() & 0o777;
        write_whole(&place, Access::Private, b"").unwrap();
        assert_eq!(mode(), 0o600);
        for wanted in [0o640, 0o666, 0o755] {
            fs::set_permissions(&place, fs::Permissions::from_mode(wanted)).unwrap();
            write_whole(&place, Access::Usual, b"").unwrap();
            assert_eq!(mode(), wanted);
        }
        write_whole(&place, Access::Private, b"").unwrap();
        assert_eq!(mode(), 0o600);
    }
}
