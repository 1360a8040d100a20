#!/usr/bin/env python3
"""Checks licenses and sources of all dependencies against deny.toml, as `cargo deny check licenses sources` does.

    python3 tests/tools/licenses.py

Compiling cargo-deny takes longer than everything else that .ci/run does; this script reads the same two tables. A license
expression passes if its `OR` and `AND` hold for the licenses that deny.toml allows.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def allowed(expression, licenses):
    """Whether an SPDX expression holds; crates of before 2018 write `/` for `OR`."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    python = {"OR": "or", "AND": "and", "(": "(", ")": ")"}
    text = re.sub(r"(\S+) WITH (\S+)", r"\1-WITH-\2", " ".join(words))
    return eval(" ".join(python.get(word) or str(word in licenses) for word in text.split()))


def main():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    licenses = set(rules["licenses"]["allow"])
    registries = {f"registry+{address}" for address in rules["sources"]["allow-registry"]}
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    faults = []
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        if not package["license"] or not allowed(package["license"], licenses):
            faults.append(f"{name}: license {package['license'] or 'unknown'} is not allowed by deny.toml")
        # A package of this workspace has no source.
        if package["source"] is not None and package["source"] not in registries:
            faults.append(f"{name}: source {package['source']} is not allowed by deny.toml")
    print("\n".join(faults + [f"{len(metadata['packages'])} packages, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
