//! `okapi net`: what a net file says of itself.

use clap::Subcommand;
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
    println!("file        {}", path.display());
    println!("format      {}", metadata.format);
    println!("head        {}", metadata.head);
    println!("topology    {}", metadata.topology);
    println!("parameters  {}", net.params().values().len());
    println!("layout      {:016x}", metadata.layout);
    println!("sha256      {}", metadata.sha256);
    println!("provenance  {}", metadata.provenance);
    Ok(())
}
