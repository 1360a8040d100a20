#!/usr/bin/env python3
"""What the tree search (Search=mcts) does in a second, how fast it stops, and what memory it takes.

    python3 tests/tools/tree_search.py target/release/okapi

Visits a second with each leaf and number of threads, and beside them the nodes a second of the default search, on three positions in turn; the
time from `stop` to `bestmove` of --stops searches; the bytes of the tree for each visit; and the resident memory of a search whose tree is
full, beside what docs/uci-options.md states. Times mean something on an idle machine only; the last line says if this one is not.
"""

import argparse
import random
import re
import shlex
import statistics
import time

from start_cost import DOCS, POSITIONS, STATED, machine, resident
from uci_engine import Engine


def rates(command, options, seconds):
    """(position): nodes a second in a new process each."""
    found = []
    for position in POSITIONS:
        engine = Engine(command, options)
        answer = engine.search(position, f"movetime {1000 * seconds}", seconds + 20)
        found.append(answer.nodes / answer.seconds)
        engine.close()
    return found


def stops(command, threads, number):
    """The milliseconds from `stop` to `bestmove` of so many searches."""
    engine, found = Engine(command, [("Search", "mcts"), ("Hash", 256), ("Threads", threads)]), []
    for turn in range(number):
        engine.send(f"position {POSITIONS[turn % len(POSITIONS)]}")
        engine.send("go infinite")
        time.sleep(random.uniform(0.05, 0.6))
        begun = time.perf_counter()
        engine.send("stop")
        for _ in engine.lines_until("bestmove", 20):
            pass
        found.append(1000 * (time.perf_counter() - begun))
    engine.close()
    return found


def visit_bytes(command):
    """(position): the bytes of the tree for each of 131,072 visits."""
    engine, found = Engine(command, [("Search", "mcts"), ("Hash", 64)]), []
    for position in POSITIONS:
        engine.new_game()
        engine.send(f"position {position}")
        engine.send("go nodes 131072")
        told = [re.search(r" nodes (\d+) .*hashfull (\d+)", line) for line in engine.lines_until("bestmove", 600)]
        nodes, share = map(int, [match for match in told if match][-1].groups())
        # A sixteenth of Hash is a table for the leaves.
        found.append(share / 1000 * 64 * 15 / 16 * 2**20 / nodes)
    engine.close()
    return found


def full(command, hash_megabytes, threads):
    """The resident memory, in MB, of a search three seconds after its tree is full."""
    engine = Engine(command, [("Search", "mcts"), ("Hash", hash_megabytes), ("Threads", threads)])
    engine.send("position startpos")
    engine.send("go infinite")
    for line in engine.lines_until("info", 600):
        pass
    while not re.search(r" hashfull 1000\b", line):
        for line in engine.lines_until("info", 600):
            pass
    time.sleep(3)
    found = resident(engine)
    engine.send("stop")
    engine.close()
    return found


def main():
    """See the description of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("okapi", nargs="?", default="target/release/okapi", help="the engine's program")
    parser.add_argument("--seconds", type=int, default=5, metavar="S", help="of each search")
    parser.add_argument("--stops", type=int, default=40, metavar="N")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--hash", type=int, nargs="+", default=[16, 64, 256], metavar="MB")
    arguments = parser.parse_args()
    where, command = machine(), shlex.quote(arguments.okapi)
    searches = {f"mcts, leaf {leaf}": [("Search", "mcts"), ("Leaf", leaf)] for leaf in ("quiescence", "static")}
    for name, options in {**searches, "depth": [("Search", "depth")]}.items():
        one = None
        for threads in arguments.threads:
            found = rates(command, [*options, ("Hash", 1024), ("Threads", threads)], arguments.seconds)
            one = one or found
            times = statistics.geometric_mean(now / before for now, before in zip(found, one))
            each = ", ".join(f"{rate:,.0f}" for rate in found)
            print(f"{name}, {threads} threads: {each} nodes a second, {times:.2f} times those of {arguments.threads[0]}", flush=True)
    for threads in arguments.threads:
        found = stops(command, threads, arguments.stops)
        print(f"stop, {threads} threads: median {statistics.median(found):.2f} ms, longest {max(found):.2f} ms", flush=True)
    print(f"the tree: {', '.join(f'{size:.0f}' for size in visit_bytes(command))} bytes a visit", flush=True)
    with open(DOCS, encoding="utf-8") as file:
        program, share = map(float, STATED.search(file.read()).groups())
    for hash_megabytes in arguments.hash:
        for threads in arguments.threads:
            found, stated = full(command, hash_megabytes, threads), hash_megabytes + program + threads * share
            print(f"Hash {hash_megabytes}, {threads} threads: {found:.1f} MB, stated {stated:.1f} ({100 * (found / stated - 1):+.1f} %)", flush=True)
    print(where)


if __name__ == "__main__":
    main()
