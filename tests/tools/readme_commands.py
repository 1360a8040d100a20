#!/usr/bin/env python3
"""Runs the commands of README.md in order, as a newcomer who pastes them: in the root of a fresh clone, by hand and nightly.

    python3 tests/tools/readme_commands.py [--skip WORDS] [README.md]

Each indented block is given to bash as it stands. A line that has the words of --skip is left out, so that tests (`cargo test`) or the build
need not run again. Status 3 of `okapi learn` says that nothing was learned, which is no failure. The last line is `N passed, M failed`.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path


def blocks(text):
    """The indented blocks, without their indent."""
    found = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return ["".join(line[4:] for line in block.splitlines(keepends=True)) for block in found]


def accepted(line, status):
    return status == 0 or status == 3 and " learn " in line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", nargs="?", default="README.md")
    parser.add_argument("--skip", action="append", default=[], metavar="WORDS")
    options = parser.parse_args()
    passed = failed = 0
    for block in blocks(Path(options.document).read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if any(words in line for words in options.skip):
                continue
            began = time.monotonic()
            status = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, check=False).returncode
            good = accepted(line, status)
            passed, failed = passed + good, failed + (not good)
            print(f"{'ok' if good else 'FAILED'} {status} {time.monotonic() - began:.1f} s: {line}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
