"""Monte-Carlo tree search once more, plainly: an oracle for src/search/src/mcts.

    python3 tests/tools/mcts_oracle.py < tree

reads a tree of a search by Okapi's program and searches it again. The first line has the visits, the limit of search-contempt, seed and
key of the root; every further line a node: its number, leaf value (whole, 2^30 is 1), result (`-`, or `W`, `L`, `D` and plies), and
for each move its prior and the number of the node that it leads to (`-`: not in the tree). It prints number and visits of every node. A
search that goes where the other did not ends with an error.
"""

import math
import sys

ONE = 1 << 30
MASK = (1 << 64) - 1


class Stream:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31


class Node:
    def __init__(self, words):
        self.leaf, result, moves = int(words[1]), words[2], words[3:]
        self.own = None if result == "-" else (result[0], int(result[1:] or 0))
        self.proof = None
        self.moves = [(float(prior), child) for prior, child in (move.split(":") for move in moves)]
        self.visits, self.sum, self.frozen = 0, 0, None

    def mean(self):
        return self.sum / (float(ONE) * max(self.visits, 1))


class Search:
    def __init__(self, lines):
        visits, limit, seed, key = next(lines).split()
        self.visits, self.limit, self.seed, self.key = int(visits), int(limit), int(seed), int(key)
        self.nodes = {words[0]: Node(words) for words in map(str.split, lines)}

    def child(self, node, number):
        name = node.moves[number][1]
        if name == "-":
            raise SystemExit(f"move {number} of a node was not visited")
        return self.nodes[name]

    def run(self):
        for self.number in range(self.visits):
            self.stream = None
            self.visit(self.nodes["0"], 0)

    def visit(self, node, ply):
        """Visits a node; returns what it adds to the sum of the node, as value and correction, and whether its proof is new."""
        if (ply > 0 and node.proof) or node.visits == 0 or (node.own and ply > 0) or not node.moves:
            value, correction, proof = node.leaf, 0, node.own if ply > 0 else None
            if ply > 0 and node.proof:
                value, proof = exact(node.proof), node.proof
        else:
            below = self.child(node, self.choose(node, ply))
            value, correction, is_new = self.visit(below, ply + 1)
            value, correction = -value, -correction
            proof = self.solve(node) if is_new else None
        node.visits += 1
        node.sum += value + correction
        is_new = proof is not None and proof != node.proof
        if is_new:
            node.proof = proof
            added = exact(proof) * node.visits - node.sum
            node.sum += added
            correction += added
        return value, correction, is_new

    def choose(self, node, ply):
        if ply % 2 == 1 and node.visits - 1 >= self.limit:
            if node.frozen is None:
                node.frozen = [self.child(node, number).visits for number in range(self.visited(node))]
            if self.stream is None:
                name = Stream(Stream(self.seed).next() ^ self.key).next() ^ self.number
                self.stream = Stream(name)
            drawn = self.stream.next() * sum(node.frozen) >> 64
            for number, count in enumerate(node.frozen):
                drawn -= count
                if drawn < 0:
                    return number
        exploration = 1.745 + 3.894 * math.log((node.visits + 38739.0) / 38739.0)
        exploration *= math.sqrt(max(node.visits - 1.0, 1.0))
        best, greatest, seen = None, -math.inf, 0.0
        count = self.visited(node)
        for number in range(count):
            child, prior = self.child(node, number), node.moves[number][0]
            score = exploration * prior / (1.0 + child.visits) - child.mean()
            if score > greatest and not (child.proof and child.proof[0] in "WL"):
                best, greatest = number, score
            seen += prior
        if count < len(node.moves):
            score = node.mean() - 0.33 * math.sqrt(seen) + exploration * node.moves[count][0]
            if score > greatest:
                best = count
        return best

    def visited(self, node):
        count = 0
        while count < len(node.moves):
            name = node.moves[count][1]
            if name == "-" or self.nodes[name].visits == 0:
                break
            count += 1
        return count

    def solve(self, node):
        count = self.visited(node)
        proofs = [self.child(node, number).proof for number in range(count)]
        lost = [proof[1] for proof in proofs if proof and proof[0] == "L"]
        if lost:
            return "W", min(lost) + 1
        if count < len(node.moves) or None in proofs:
            return None
        if any(proof[0] == "D" for proof in proofs):
            return "D", 0
        return "L", max(proof[1] for proof in proofs) + 1


def exact(proof):
    return {"W": ONE, "L": -ONE, "D": 0}[proof[0]]


def main():
    search = Search(iter(sys.stdin))
    search.run()
    for name, node in search.nodes.items():
        print(name, node.visits)


if __name__ == "__main__":
    sys.setrecursionlimit(10_000)
    main()
