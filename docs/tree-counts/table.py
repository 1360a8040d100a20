#!/usr/bin/env python3
"""What the search does with its nodes, by the depth equivalent d of a node's budget, as a Markdown table.

    python3 docs/tree-counts/table.py okapi-with-counts base.json --nodes 30000 --count 200

The engine is built with counts.patch; the positions are those of a file of choices of tests/tools/chosen_moves.py.
"""

import argparse
import json
import subprocess

CUTOFFS = (48, 64, 80, 96)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("choices")
    parser.add_argument("--nodes", type=int, default=30_000)
    parser.add_argument("--count", type=int, default=200, help="positions")
    options = parser.parse_args()
    with open(options.choices, encoding="utf-8") as file:
        positions = list(json.load(file))[: options.count]
    print_table(search(options, positions))


def search(options, positions):
    """The counts after all searches."""
    engine = subprocess.Popen([options.engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    counts = []
    for fen in positions:
        engine.stdin.write(f"ucinewgame\nposition fen {fen}\ngo nodes {options.nodes}\n")
        engine.stdin.flush()
        while not (line := engine.stdout.readline()).startswith("bestmove"):
            if not line:
                raise SystemExit(f"{options.engine} ended")
            if line.startswith("COUNTS "):
                counts = [int(number) for number in line[7:].split(",")]
    engine.communicate("quit\n")
    return counts


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def print_table(counts):
    nodes = counts[263]
    print(f"{nodes} nodes; quiescence is asked {counts[256] / nodes:.2f} times a node, {percent(counts[257], counts[256])} % of them answered by")
    print(f"the table, and makes {percent(counts[258], nodes)} % of the nodes. Root: {percent(counts[260], nodes)} % of the nodes in windows that failed")
    print(f"low, {percent(counts[261], nodes)} % high, {percent(counts[262], nodes)} % in those that held, the rest in the last, unfinished one.\n")
    print("| d | null-window nodes | cutoff by the table, % | pruned, % | cutoff by the first move, %, second, third to fifth, later | moves before the cutoff, % of the nodes | nodes of a cutoff node | moves tried, nodes of a node without cutoff | re-searches, % of all nodes |")
    print("| --- " * 9 + "|")
    for d in range(16):
        of = lambda base: counts[base + d]
        cutoffs = sum(of(base) for base in CUTOFFS)
        if not of(0):
            continue
        places = ", ".join(percent(of(base), cutoffs) for base in CUTOFFS)
        spent = of(128) + of(144)
        tried = f"{of(272) / of(112):.1f}, {of(160) / of(112):.0f}" if of(112) else ""
        mean = f"{spent / cutoffs:.0f}" if cutoffs else ""
        row = [d, of(0), percent(of(16), of(0)), percent(of(32), of(0)), places, percent(of(128), spent), mean, tried]
        print("| " + " | ".join(map(str, [*row, percent(of(224), nodes)])) + " |")


if __name__ == "__main__":
    main()
