//! Files that are written whole or not at all: a temporary file in the same folder, flushed to the disk, then a rename.

use std::fs;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The prefix of temporary files' names; those that a crash left may be removed.
pub const TEMPORARY: &str = ".okapi-";

/// Puts `bytes` at `path`. If anything fails, the file that was there stays as it was.
///
/// # Errors
/// The system's error.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; these get the permissions that the umask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(TEMPORARY).tempfile_in(folder).map_err(without_name)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Waits until the names in a folder are on the disk: a new file, or a rename, is there only when its folder is.
///
/// # Errors
/// The system's error.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// The system's error without the name of a temporary file, which says nothing to a user.
pub fn without_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((why, _)) => io::Error::new(error.kind(), why.to_owned()),
        None => error,
    }
}

/// Whether `path` still leads to this open file: it does not when the file was removed, or another one took its place. `true` where
/// the system does not tell.
pub fn is_still_at(path: &Path, file: &fs::File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let places = [fs::metadata(path), file.metadata()].map(|facts| facts.map(|facts| (facts.dev(), facts.ino())));
        match places {
            [Ok(there), Ok(open)] => there == open,
            [Err(error), _] => error.kind() != io::ErrorKind::NotFound,
            [_, Err(_)] => true,
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (path, file);
        true
    }
}

/// What is said of a file that is not where it was opened.
pub const GONE: &str =
    "the file was removed or replaced while this program wrote it; put it back, or run the same command again";

/// The folder that `path` lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_stays_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = write(&folder.path().join("none/file"), b"").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with("No such file") && !error.to_string().contains(TEMPORARY), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_or_replaced_is_not_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let file = File::create(&path).unwrap();
        assert!(is_still_at(&path, &file));
        write(&path, b"another").unwrap();
        assert!(!is_still_at(&path, &file));
        let file = File::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!is_still_at(&path, &file));
    }
}
