#!/usr/bin/env python3
"""Reads many games with Okapi and with python-chess, and again after pgn-extract and Scid have rewritten them; also measures both readers.

    pip install chess==1.11.2
    pip download chess==1.11.2 --no-binary :all: --no-deps && tar xf chess-1.11.2.tar.gz
    apt-get install pgn-extract scid zstd
    cargo build --release -p pgn --example moves
    python3 tests/tools/pgn_sources.py ../shared/data/games/tcec.pgn.zst chess-1.11.2 --games 1000

An argument is a PGN file (.pgn, .pgn.zst) or a folder, of which every PGN file below is taken. Of each file the first --games games are
compared, move by move. A difference is printed with its game and what Okapi says of it. Of a rewritten file both readers read the
rewritten text, so that what the rewriter changed is no difference. A rewriter that is absent, or that refuses a file, is named. The exit
code is 1 if a difference is of neither kind that is explained: files with games of a variant that Okapi does not play, and null moves,
before which Okapi ends a game and which python-chess plays.

Then each reader reads the first --games games of the first file alone, in a process of its own: games a second and memory.
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chess.pgn

from pgn_compare import ours, theirs

# Tag values of Variant that are standard chess or Chess960.
PLAYED = ("", "standard", "chess", "normal", "from position", "chess960", "fischerandom", "fischerrandom", "chess 960")

SCID = """
set base [sc_base create SCID4 [lindex $argv 0]]
puts stderr [sc_base import $base [lindex $argv 1]]
for {set game 1} {$game <= [sc_base numGames $base]} {incr game} {
    sc_game load $game
    puts [sc_game pgn -tags 1 -comments 1 -var 1 -width 75]
}
exit 0
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", metavar="FILE|FOLDER")
    parser.add_argument("--games", type=int, default=1_000, metavar="N", help="the first N games of each file")
    parser.add_argument("--reader", default="target/release/examples/moves", metavar="PROGRAM")
    parser.add_argument("--read-alone", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read_alone:
        return read_alone(options.read_alone)
    if not options.sources:
        parser.error("there is nothing to read")
    unexplained = 0
    with tempfile.TemporaryDirectory() as folder:
        originals = [cut(path, options.games, Path(folder) / f"{number}.pgn") for number, path in enumerate(paths(options.sources))]
        print("| rewritten by | files | games | equal | a variant | a null move | different | files refused |\n" + "| --- " * 8 + "|")
        differences = []
        for rewriter, rewrite in (("nobody", None), ("pgn-extract", extract), ("Scid", scid)):
            counts = dict.fromkeys(("files", "games", "equal", "variant", "null", "different", "refused"), 0)
            for source, original in originals:
                path = original
                if rewrite:
                    path = rewrite(original, Path(folder) / f"{rewriter}-{original.name}")
                    if path is None:
                        counts["refused"] += 1
                        differences.append(f"{source}: {rewriter} is absent or refuses the file")
                        continue
                counts["files"] += 1
                compare(path, source, rewriter, options.reader, counts, differences, variant_of(original))
            print(f"| {rewriter} | " + " | ".join(str(count) for count in counts.values()) + " |", flush=True)
            unexplained += counts["different"]
        print("\n".join(["", *differences]))
        measure(originals[0][1], options.reader)
    sys.exit(unexplained > 0)


def paths(sources):
    for source in map(Path, sources):
        if source.is_dir():
            yield from sorted(source.rglob("*.pgn"))
        else:
            yield source


def cut(path, most, target):
    """The first games of a file, as they stand there; a whole file if it has no more."""
    data = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout if path.suffix == ".zst" else path.read_bytes()
    text = io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")
    for _ in range(most):
        if not chess.pgn.skip_game(text):
            break
    target.write_bytes(data[: len(data.decode("utf-8", "surrogateescape")[: text.tell()].encode("utf-8", "surrogateescape"))])
    return path, target


def extract(path, target):
    """pgn-extract's own spelling of the games."""
    program = program_of("pgn-extract")
    if program:
        subprocess.run([program, "-s", "--fixresulttags", f"-o{target}", path], stderr=subprocess.DEVNULL, check=False)
    return target if target.exists() and target.stat().st_size else None


def scid(path, target):
    """The games through a new database of Scid: its own import, and what its program scidpgn does."""
    program = program_of("tkscid")
    if not program:
        return None
    base, script = target.with_suffix(""), target.with_suffix(".tcl")
    script.write_text(SCID, encoding="utf-8")
    result = subprocess.run([program, script, base, path], capture_output=True, check=False)
    target.write_bytes(result.stdout)
    return target if result.returncode == 0 and result.stdout.strip() else None


def program_of(name):
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/games")


def compare(path, source, rewriter, reader, counts, differences, variant):
    expected = theirs(path, 1_000_000_000)
    found, faults = ours(reader, path, 1_000_000_000)
    unequal = [number for number, moves in enumerate(expected, 1) if found.get(number) != moves]
    counts["games"] += len(expected)
    counts["equal"] += len(expected) - len(unequal)
    if variant:
        counts["variant"] += len(unequal)
        differences.append(f"{source}, {rewriter}: {len(unequal)} of {len(expected)} games; the file has {variant}")
        return
    for number in unequal:
        moves, own = expected[number - 1], found.get(number, ["none"])
        is_null = "0000" in moves and own == moves[: moves.index("0000")]
        counts["null" if is_null else "different"] += 1
        what = f"a null move after {len(own)} moves" if is_null else f"\n  python-chess {' '.join(moves)}\n  Okapi        {' '.join(own)}"
        differences.append(f"{source}, {rewriter}, game {number}: {what}")
        differences.extend(f"  {fault}" for fault in faults if f"game {number} " in fault)
    for number in found.keys() - set(range(1, len(expected) + 1)):
        counts["different"] += 1
        differences.append(f"{source}, {rewriter}: Okapi reads a game {number}, python-chess does not")


def variant_of(path):
    """The first variant that Okapi does not play of the games of a file; empty if there is none."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            if headers.get("Variant", "").lower() not in PLAYED:
                return headers["Variant"]
    return ""


def read_alone(path):
    """Reads all games with python-chess, in a process of its own."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        begun, games = time.perf_counter(), 0
        while chess.pgn.read_game(file) is not None:
            games += 1
        print(games, time.perf_counter() - begun)


def measure(path, reader):
    """Games a second and memory of both readers; Okapi's process also prints the moves."""
    out = subprocess.run([sys.executable, __file__, "--read-alone", path], check=True, capture_output=True, text=True).stdout
    games, seconds = int(out.split()[0]), float(out.split()[1])
    memory = [peak([sys.executable, __file__, "--read-alone", path]), peak([reader, path])]
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run([reader, path], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - begun)
    print(f"\n| reader | games | s | games a second | memory, MB |\n{'| --- ' * 5}|")
    print(f"| python-chess {chess.__version__} | {games} | {seconds:.2f} | {games / seconds:.0f} | {memory[0]:.0f} |")
    print(f"| Okapi | {games} | {min(times):.3f} | {games / min(times):.0f} | {memory[1]:.0f} |")
    print(f"Okapi reads {seconds / min(times):.0f} times as many games a second.")


def peak(command):
    """The largest resident memory of a command, in MB."""
    # A child's children are counted when they have ended: a process between measures this command alone.
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    out = subprocess.run([sys.executable, "-c", code, *map(str, command)], check=True, capture_output=True, text=True).stdout
    return int(out) / 1_024


if __name__ == "__main__":
    main()
