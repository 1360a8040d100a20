//! `okapi net`: what a net file says of itself.

use clap::Subcommand;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(super) enum Net {
    /// Check a net file and print what it says of itself
    Info {
        /// The net file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

impl Net {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Info { file } => info(file),
        }
    }
}

fn info(path: &Path) -> anyhow::Result<()> {
    let (net, metadata) = nets::file::load(path)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "file        {}", path.display())?;
    writeln!(out, "format      {}", metadata.format)?;
    writeln!(out, "head        {}", metadata.head)?;
    writeln!(out, "topology    {}", metadata.topology)?;
    writeln!(out, "parameters  {}", net.params().values().len())?;
    writeln!(out, "layout      {:016x}", metadata.layout)?;
    writeln!(out, "sha256      {}", metadata.sha256)?;
    writeln!(out, "provenance  {}", metadata.provenance)?;
    Ok(())
}
