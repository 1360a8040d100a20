#!/usr/bin/env python3
"""Reads kept games, shards of `okapi train play`, with Python alone (docs/kept-games.md): python3 docs/kept_games.py SHARD ...

Prints what `okapi train data` prints first: games, positions, labeled, quiet (of the labeled), mates, those with visits. `games(path)` gives the games.
"""

import json
import struct
import sys
import zlib

PROMOTIONS = ["", "n", "b", "r", "q"]


def square(number):
    return "abcdefgh"[number % 8] + str(number // 8 + 1)


def notation(move):
    return square(move & 63) + square(move >> 6 & 63) + PROMOTIONS[move >> 12]


def games(path):
    """Yields (FEN, result for White, [(move in UCI notation, castling as king takes rook, value, flags)], visits) of a shard.

    visits: {move: visits} of each ply, or nothing.
    """
    with open(path, "rb") as file:
        data = file.read()
    magic, version, length = struct.unpack_from("<8sII", data)
    assert magic == b"OKAPIGMS" and version in (1, 2) and data.endswith(b"OKAPIEND"), f"{path} is no shard of version 1 or 2"
    json.loads(data[16 : 16 + length])
    places_at, count, _ = struct.unpack_from("<III", data, len(data) - 20)
    places = [*struct.unpack_from(f"<{count}I", data, places_at), places_at]
    for begin, end in zip(places, places[1:]):
        game = data[begin : end - 4]
        assert zlib.crc32(game) == struct.unpack_from("<I", data, end - 4)[0], f"a game of {path} is damaged"
        at = 1 + game[0]
        fen = game[1:at].decode()
        result, plies = struct.unpack_from("<BH", game, at)
        line = []
        at += 3
        for move, value, flags in struct.iter_unpack("<HhB", game[at : at + 5 * plies]):
            line.append((notation(move), value / 32767, flags))
        visits, at = [], at + 5 * plies
        while at < len(game):
            words = struct.unpack_from(f"<{2 * struct.unpack_from('<H', game, at)[0]}H", game, at + 2)
            visits.append({notation(move): count for move, count in zip(words[::2], words[1::2])})
            at += 2 + 2 * len(words)
        assert len(line) == plies and len(visits) in (0, plies)
        yield fen, result - 1, line, visits


if __name__ == "__main__":
    every = [game for path in sys.argv[1:] for game in games(path)]
    flags = [ply[2] for _, _, line, _ in every for ply in line]
    labeled = [flag for flag in flags if flag & 2]
    print("games", len(every), "positions", len(flags), "labeled", len(labeled))
    print("quiet", sum(flag & 1 for flag in labeled), "mates", sum(flag & 4 > 0 for flag in labeled))
    print("visited", sum(bool(found) for *_, visits in every for found in visits))
