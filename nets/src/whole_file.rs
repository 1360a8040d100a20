//! Files that are written whole or not at all: a temporary file beside the place, flushed to the disk, and a rename.

#[cfg(unix)]
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// How the temporary files' names begin; what is left of them after a crash may be removed.
pub const TEMPORARY: &str = ".okapi-";

/// Puts `bytes` at `path`. Whatever fails, the file that was there stays as it was.
///
/// # Errors
/// What the system says.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // Temporary files are private by default; these are for whom the umask lets read them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.prefix(TEMPORARY).tempfile_in(folder)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The rename itself is on the disk only when the folder is.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}
