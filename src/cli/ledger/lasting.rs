//! Folders and lines that outlast a power cut. Knows nothing of what is in them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Makes a folder and those above it that lack, each of them on disk in the one above before the next is made; then
/// makes sure that names in it can be brought to disk.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    let mut lacking: Vec<&Path> = Vec::new();
    let mut above = Some(path);
    while let Some(folder) = above.filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        lacking.push(folder);
        above = folder.parent();
    }
    for folder in lacking.into_iter().rev() {
        match fs::create_dir(folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made?,
        }
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        synced(parent.unwrap_or(Path::new(".")))?;
    }
    match fs::metadata(path)?.is_dir() {
        true => synced(path),
        false => Err(io::Error::from(ErrorKind::NotADirectory)),
    }
}

/// Brings the names in a folder to disk.
#[cfg(unix)]
pub(super) fn synced(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// This system has no such call: its file systems write names to their journal when the file itself is brought to disk.
#[cfg(not(unix))]
pub(super) fn synced(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Adds a line and brings it to disk. A line before it that broke off is ended first.
pub(super) fn add(file: &mut File, line: &str) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    let begin = if last == [b'\n'] { "" } else { "\n" };
    file.write_all(format!("{begin}{line}\n").as_bytes())?;
    file.sync_all()
}

/// A file that is there, to read and to add to.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_broke_off_does_not_swallow_the_next() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let path = place.path().join("lines");
        fs::write(&path, "one\ntw")?;
        add(&mut open(&path)?, "three")?;
        add(&mut open(&path)?, "four")?;
        assert_eq!(fs::read_to_string(&path)?, "one\ntw\nthree\nfour\n");
        Ok(())
    }

    #[test]
    fn folders_are_made_down_to_the_last() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let deep = place.path().join("a/b/c");
        folder(&deep)?;
        folder(&deep)?;
        assert!(deep.is_dir());
        fs::write(place.path().join("file"), "")?;
        assert!(folder(&place.path().join("file")).is_err());
        assert!(folder(&place.path().join("file/below")).is_err());
        Ok(())
    }
}
