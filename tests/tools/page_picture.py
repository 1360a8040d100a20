#!/usr/bin/env python3
"""Draws docs/analysis.png: the page that `okapi analyse` makes of docs/immortal-game.pgn, in a headless browser.

    python3 tests/tools/page_picture.py

The command of the page is the one in README.md. The picture carries the SHA-256 of the page, without the line that names the program's
commit, as the PNG text `page-sha256`; tests/documents.rs runs the same command and compares. Needs Debian's chromium and a font with
the chess pieces (fonts-dejavu-core).
"""

import argparse
import hashlib
import re
import shlex
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

COMMAND = re.compile(r"^ {4}target/release/okapi (analyse docs/.*--html \S+.*)$", re.MULTILINE)
SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The position shown: after so many plies. White is about to play 18. Bd6.
PLIES = 34


def page(engine, folder):
    """The page that README's command writes, without the program's name."""
    command = COMMAND.search(Path("README.md").read_text(encoding="utf-8"))
    words = shlex.split(command.group(1))
    words[words.index("--html") + 1] = folder
    words[words.index("--pgn") + 1] = f"{folder}/annotated.pgn"
    subprocess.run([engine, *words], check=True, stdout=subprocess.DEVNULL)
    text = (Path(folder) / "1.html").read_text(encoding="utf-8")
    return re.sub(r'"annotator":"[^"]*"', '"annotator":""', text)


def with_text(png, key, value):
    """The PNG with a text chunk behind its header chunk, which is 25 bytes long."""
    data = key + b"\0" + value
    chunk = struct.pack(">I", len(data)) + b"tEXt" + data + struct.pack(">I", zlib.crc32(b"tEXt" + data))
    place = len(SIGNATURE) + 25
    return png[:place] + chunk + png[place:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/okapi", metavar="PROGRAM")
    parser.add_argument("--browser", default="chromium", metavar="PROGRAM")
    parser.add_argument("--out", default="docs/analysis.png", metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = page(options.engine, folder)
        shown, picture = Path(folder) / "shown.html", Path(folder) / "shown.png"
        shown.write_text(f"{text}<script>show({PLIES})</script>\n", encoding="utf-8")
        subprocess.run(
            [options.browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1120,932",
             f"--user-data-dir={folder}/profile", f"--screenshot={picture}", shown.as_uri()],
            check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=120,
        )
        png = picture.read_bytes()
    if not png.startswith(SIGNATURE):
        raise SystemExit(f"{options.browser} made no PNG")
    digest = hashlib.sha256(text.encode()).hexdigest().encode()
    Path(options.out).write_bytes(with_text(png, b"page-sha256", digest))
    print(f"{options.out}: {len(png)} bytes, page {digest.decode()}")


if __name__ == "__main__":
    main()
