#!/usr/bin/env bash
# Makes target/debian/okapi_VERSION_ARCH.deb: the program of the profile dist with its manual pages and completions.
# Needs cargo-deb (cargo install cargo-deb). Tested by installing it in a clean root, see docs/clients.md.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --locked --profile dist
program=target/dist/okapi
made=target/packaging
rm -rf "$made"
mkdir -p "$made/man" "$made/completions"
"$program" man "$made/man"
"$program" completions bash > "$made/completions/okapi"
"$program" completions zsh > "$made/completions/_okapi"
"$program" completions fish > "$made/completions/okapi.fish"
cargo deb --locked --no-build --profile dist "$@"
ls -l "$program" target/debian/*.deb
