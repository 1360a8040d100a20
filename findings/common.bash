# What every finding shares: a temporary folder that goes at the end, checked packages, and a comparison that fails.
# Source it first: `source "$(dirname "$0")/common.bash"`. Exit status: 0 as described, 1 changed, 2 cannot run here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Debian's chess programs are in /usr/games, which is not on every PATH.
export PATH="$PATH:/usr/games" CARGO_TARGET_DIR="$folder/target" PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONPATH="$here"
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS

# debian PACKAGE=VERSION...: prints each version; root installs what is absent. Another version ends the script.
debian() {
    local wanted package version
    for wanted in "$@"; do
        package=${wanted%%=*}
        if ! dpkg -s "$package" > /dev/null 2>&1; then
            if [ "$(id -u)" != 0 ] || ! apt-get install -y --no-install-recommends "$wanted" > apt.log 2>&1; then
                echo "needs Debian 12's $wanted: apt-get install $wanted"
                exit 2
            fi
        fi
        version=$(dpkg-query -W -f '${Version}' "$package")
        echo "$package $version"
        [ "$package=$version" = "$wanted" ] || { echo "found with $wanted; not checked with $version"; exit 2; }
    done
}

# python PACKAGE==VERSION...: a virtual environment with these packages; then `python3` is its interpreter.
python() {
    python3 -m venv environment
    export PATH="$folder/environment/bin:$PATH"
    pip install --quiet "$@"
    pip list --format=freeze | grep -v -E '^(pip|setuptools)='
}

# crate NAME==VERSION...: a package `finding` that depends on exactly these; its source goes to src/main.rs.
crate() {
    mkdir -p src
    printf '[package]\nname = "finding"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n' > Cargo.toml
    local wanted
    for wanted in "$@"; do
        printf '%s = "=%s"\n' "${wanted%%==*}" "${wanted##*==}" >> Cargo.toml
        echo "${wanted/==/ }"
    done
}

# holds WHAT COMMAND...: reports whether the command succeeds, and ends the script where it does not.
holds() {
    local what=$1
    shift
    if "$@"; then echo "as described: $what"; else echo "CHANGED: $what"; exit 1; fi
}

# same WHAT EXPECTED SEEN: holds, and shows both texts where they differ.
same() {
    [ "$2" = "$3" ] || printf 'expected:\n%s\nseen:\n%s\n' "$2" "$3"
    holds "$1" [ "$2" = "$3" ]
}
