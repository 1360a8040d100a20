#!/usr/bin/env python3
"""Measures what an engine costs before it thinks: the time to `uciok` and to the first move, and its resident memory.

    python3 tests/tools/start_cost.py target/release/okapi

Times are from the start of the program, medians of --runs: to `uciok`, and to the `bestmove` of `go nodes 1000`. The memory is that of a search
that has filled its table, with several sizes of Hash and numbers of threads, beside what docs/uci-options.md states: Hash, the program with
its networks, and each thread's share. The last line names the machine. The exit code is 1 if a time exceeds its limit or the memory is
more than 5 % off. Times mean something on an idle machine only; it is said if this one is not.
"""

import argparse
import datetime
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
import time

from uci_engine import Engine

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "uci-options.md")
STATED = re.compile(r"Memory: `Hash`, (\d+(?:\.\d+)?) MB for the program with its networks, and (\d+(?:\.\d+)?) MB for each thread")
# As many nodes as fill the table: entries are 16 bytes, and pages of 4 KB have 256 of them.
POSITIONS = (
    "startpos",
    "fen r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 6 8",
    "fen 8/5pk1/6p1/7p/1R5P/6P1/r4PK1/8 w - - 0 40",
)


def until(command, lines, word):
    """Seconds from the start of a program that is sent these lines to the line that begins with `word`."""
    begun = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(lines.encode())
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith(word.encode()):
                took = time.perf_counter() - begun
                break
        else:
            sys.exit(f"start_cost: {shlex.join(command)} ended before it said {word}")
        process.stdin.write(b"quit\n")
        process.stdin.flush()
        process.stdout.read()
    return took


def resident(engine):
    """The resident memory of an engine's process in MB."""
    with open(f"/proc/{engine.process.pid}/status", encoding="utf-8") as file:
        kilobytes = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    return kilobytes / 1024


def memory(command, hash_megabytes, threads, seconds):
    """The greatest resident memory, in MB, of searches of some positions that have so long together."""
    engine, most = Engine(command, [("Hash", hash_megabytes), ("Threads", threads)]), 0.0
    for position in POSITIONS:
        engine.send(f"position {position}")
        engine.send("go infinite")
        end = time.monotonic() + seconds / len(POSITIONS)
        while time.monotonic() < end:
            time.sleep(0.05)
            most = max(most, resident(engine))
        engine.send("stop")
        for _ in engine.lines_until("bestmove", 20):
            pass
    engine.close()
    return most


def machine():
    """The processor, its cores, the system, and how busy it is."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    load = os.getloadavg()[0]
    busy = "" if load < 0.3 else ": it is busy, and its times say little"
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {platform.system()} {platform.release()}, {today}, load {load:.2f}{busy}"


def main():
    """See the description of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi", nargs="?", default="target/release/okapi", help="the engine's program")
    parser.add_argument("--runs", type=int, default=21, metavar="N", help="starts of each kind")
    parser.add_argument("--uciok", type=float, default=30, metavar="MS", help="the limit of the time to uciok")
    parser.add_argument("--bestmove", type=float, default=45, metavar="MS", help="the limit of the time to the first move")
    parser.add_argument("--hash", type=int, nargs="+", default=[16, 64, 256], metavar="MB")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2, 8], metavar="N")
    parser.add_argument("--seconds", type=float, default=9, metavar="S", help="of each search whose memory is measured")
    arguments = parser.parse_args()
    # Before the measurements make the machine busy.
    where, failed = machine(), False
    for what, lines, word, limit in (
        ("uciok", "uci\n", "uciok", arguments.uciok),
        ("bestmove of go nodes 1000", "uci\nposition startpos\ngo nodes 1000\n", "bestmove", arguments.bestmove),
    ):
        times = [1000 * until([arguments.okapi], lines, word) for _ in range(arguments.runs)]
        median = statistics.median(times)
        failed |= median > limit
        print(f"{what}: {median:.1f} ms ({min(times):.1f} to {max(times):.1f}), at most {limit:.0f}", flush=True)
    with open(DOCS, encoding="utf-8") as file:
        program, share = map(float, STATED.search(file.read()).groups())
    print("| Hash | threads | resident, MB | stated, MB | difference |\n| --- | --- | --- | --- | --- |")
    for hash_megabytes in arguments.hash:
        for threads in arguments.threads:
            found = memory(shlex.quote(arguments.okapi), hash_megabytes, threads, arguments.seconds)
            stated = hash_megabytes + program + threads * share
            failed |= abs(found / stated - 1) > 0.05
            print(f"| {hash_megabytes} | {threads} | {found:.1f} | {stated:.1f} | {100 * (found / stated - 1):+.1f} % |", flush=True)
    print(where)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
