#!/usr/bin/env python3
"""The value of a position by a value network's file, with Python alone (docs/formats.md):

    okapi eval FEN --features | python3 docs/net_value.py value.safetensors FEN

Reads the 363 inputs from standard input and prints the value in [-1, 1] for the side to move, and of a network with a second output how drawn
the position is (q). The network that plays is the same with integers: its value differs in the third decimal.
"""

import json
import math
import struct
import sys


def load(path):
    """The metadata, and each tensor as (rows, columns, numbers)."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        begin, end = (8 + length + offset for offset in tensor["data_offsets"])
        shape = tensor["shape"]
        tensors[name] = (shape[0], shape[-1], struct.unpack(f"<{(end - begin) // 4}f", data[begin:end]))
    return metadata, tensors


def layer(tensors, name, inputs):
    """relu(inputs . weight + bias)"""
    _, outputs, weight = tensors[f"{name}.weight"]
    sums = list(tensors[f"{name}.bias"][2])
    for number, x in enumerate(inputs):
        if x:
            for output in range(outputs):
                sums[output] += x * weight[number * outputs + output]
    return [max(0.0, total) for total in sums]


def views(fen, buckets):
    """The rows of the piece placement as the side to move and as the other side see them."""
    board, mover = fen.split()[:2]
    pieces = []
    for rank, row in enumerate(board.split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces.append((letter.isupper(), "pnbrqk".index(letter.lower()), (7 - rank) * 8 + file))
                file += 1
    rows = []
    for white in [mover == "w", mover != "w"]:
        king = next(square for own, kind, square in pieces if kind == 5 and own == white)
        mirror = (0 if white else 56) | (7 if king & 4 else 0)
        rank, file = divmod(king ^ mirror, 8)
        bucket = 0 if buckets == 1 else {0: int(file > 1), 1: 2}.get(rank, 3)
        rows.append([bucket * 768 + ((0 if own == white else 6) + kind) * 64 + (square ^ mirror) for own, kind, square in pieces])
    return rows


def value(path, fen, features):
    metadata, tensors = load(path)
    first, at = [], 0
    for name in ["global", "piece", "square"]:
        inputs = tensors[f"{name}.weight"][0]
        first += layer(tensors, name, features[at : at + inputs])
        at += inputs
    hidden = layer(tensors, "hidden", first)
    last = list(hidden)
    if "placement.weight" in tensors:
        size = tensors["placement.weight"][0]
        rows = views(fen, size // 768)
        for view in rows:
            inputs = [0] * size
            for row in view:
                inputs[row] = 1
            last += layer(tensors, "placement", inputs)
    weights = tensors["output.weight"][2]
    if len(weights) > len(last):
        # Eight buckets of weights, by the number of pieces: 1 to 4, 5 to 8, ...
        bucket = (len(rows[0]) - 1) // 4
        weights = weights[bucket * len(last) : (bucket + 1) * len(last)]
    logit = tensors["output.bias"][2][0] + sum(x * w for x, w in zip(last, weights))
    if "draw.weight" not in tensors:
        return math.tanh(logit), None
    drawn = tensors["draw.bias"][2][0] + sum(x * w for x, w in zip(hidden, tensors["draw.weight"][2]))
    return math.tanh(logit), 1 / (1 + math.exp(-drawn))


if __name__ == "__main__":
    numbers = [float(line.rsplit("\t", 1)[1]) for line in sys.stdin]
    found, drawn = value(sys.argv[1], " ".join(sys.argv[2:]), numbers)
    print(f"value {found:+.4f}" + ("" if drawn is None else f", draw if even {drawn:.4f}"))
