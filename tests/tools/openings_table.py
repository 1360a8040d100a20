#!/usr/bin/env python3
"""Makes the table of openings, src/pgn/data/openings.tsv.zst, from the files a.tsv to e.tsv of lichess-org/chess-openings (CC0):

    python3 tests/tools/openings_table.py FOLDER src/pgn/data/openings.tsv.zst

A line is ECO code, name, the plies that it shares with the line before, and the moves behind them in SAN; an empty name is that of the line
before. Needs the program zstd.
"""

import re
import subprocess
import sys
from pathlib import Path


def rows(folder):
    for volume in "abcde":
        for line in (Path(folder) / f"{volume}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            eco, name, pgn = line.split("\t")
            yield re.sub(r"\d+\. ", "", pgn).split(), eco, name


def table(folder):
    before, known, text = [], None, "# From github.com/lichess-org/chess-openings, dedicated to the public domain (CC0).\n"
    for moves, eco, name in sorted(rows(folder)):
        shared = next((ply for ply, (a, b) in enumerate(zip(before, moves)) if a != b), min(len(before), len(moves)))
        text += f"{eco}\t{'' if name == known else name}\t{shared}\t{' '.join(moves[shared:])}\n"
        before, known = moves, name
    return text


if __name__ == "__main__":
    compressed = subprocess.run(["zstd", "-19", "--no-check", "-c"], input=table(sys.argv[1]).encode(), stdout=subprocess.PIPE, check=True)
    Path(sys.argv[2]).write_bytes(compressed.stdout)
