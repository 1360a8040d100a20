//! Build script of every package with tests that read `../shared`, the data beside the checkout: it sets `cfg(shared_data)`
//! where the data is present. Elsewhere libtest reports those tests as ignored.

use std::path::{Path, PathBuf};

/// Sets `cfg(shared_data)`.
pub fn main() {
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets the package's folder"));
    let workspace = package.ancestors().find(|folder| folder.join("Cargo.lock").exists());
    // A watched path must exist: cargo rebuilds a package at every call while one is missing.
    match workspace.and_then(Path::parent).map(|beside| beside.join("shared/data")) {
        Some(data) if data.exists() => {
            println!("cargo::rustc-cfg=shared_data");
            println!("cargo::rerun-if-changed={}", data.display());
        }
        _ => println!("cargo::rerun-if-changed=Cargo.toml"),
    }
}
