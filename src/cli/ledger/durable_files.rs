//! Folders and lines that survive a power cut. Knows nothing of what is in them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::run::whole_file::{folder_of, sync_folder};

/// Creates a folder and its missing parents. Each one is synced to disk in its parent before the next is created. Then
/// checks that the folder itself can be synced.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    let mut missing: Vec<&Path> = Vec::new();
    let mut next = Some(path);
    while let Some(folder) = next.filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        missing.push(folder);
        next = folder.parent();
    }
    for folder in missing.into_iter().rev() {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
            created => created?,
        }
        sync_folder(folder_of(folder))?;
    }
    match fs::metadata(path)?.is_dir() {
        true => sync_folder(path),
        false => Err(io::Error::from(ErrorKind::NotADirectory)),
    }
}

/// Appends a line and syncs it to disk. Ends an incomplete line before it.
pub(super) fn append_line(file: &mut File, line: &str) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let line_break = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{line_break}{line}\n").as_bytes())?;
    file.sync_all()
}

/// Opens an existing file, to read it and to append to it.
pub(super) fn open_for_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_line_does_not_swallow_the_next() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path().join("lines");
        fs::write(&path, "one\ntw")?;
        append_line(&mut open_for_append(&path)?, "three")?;
        append_line(&mut open_for_append(&path)?, "four")?;
        assert_eq!(fs::read_to_string(&path)?, "one\ntw\nthree\nfour\n");
        Ok(())
    }

    #[test]
    fn a_folder_is_created_with_its_parents() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let deep = place.path().join("a/b/c");
        create_folder(&deep)?;
        create_folder(&deep)?;
        assert!(deep.is_dir());
        fs::write(place.path().join("file"), "")?;
        assert!(create_folder(&place.path().join("file")).is_err());
        assert!(create_folder(&place.path().join("file/below")).is_err());
        Ok(())
    }
}
