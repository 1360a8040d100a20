#!/usr/bin/env python3
"""Checks games that `okapi match --adjudicate-tables` ended against the tables as python-chess reads them.

    pip download chess==1.11.2 --no-binary :all: --no-deps && tar xf chess-1.11.2.tar.gz
    okapi match --player "okapi name=a nodes=300" --player "okapi name=b nodes=200" --games 200 --adjudicate-tables chess-1.11.2/data/syzygy/regular --pgn games.pgn
    python3 tests/tools/adjudicated.py games.pgn chess-1.11.2/data/syzygy/regular

A game must end at its first position after a capture or pawn move that the tables know, with their result, the fifty-move rule included,
unless the rules end it there; and no other game may say that tables ended it. The exit code is 1 if one does not. Needs PyPI's chess.
"""

import argparse
import sys
from pathlib import Path

import chess
import chess.pgn
import chess.syzygy

BY_TABLES = "by the endgame tables"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", metavar="GAMES.pgn")
    parser.add_argument("tables", metavar="FOLDER")
    options = parser.parse_args()
    tables = chess.syzygy.open_tablebase(options.tables)
    most = max(len(path.stem) - 1 for path in Path(options.tables).glob("*.rtbw"))
    counts, failed = {}, 0
    with open(options.games, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            expected, found = by_tables(game, tables, most), said(game)
            counts[found or "not by tables"] = counts.get(found or "not by tables", 0) + 1
            if expected != found:
                failed += 1
                print(f"game {game.headers['Round']}: {found} instead of {expected}")
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) + f"; {failed} wrong")
    sys.exit(failed > 0)


def said(game):
    """The result if the game's last comment says that tables ended it."""
    return game.headers["Result"] if BY_TABLES in " ".join(game.end().comment.split()) else None


def by_tables(game, tables, most):
    """The result that the tables give the game, where it must end; None if they never do, or if it goes on."""
    for node in game.mainline():
        board = node.board()
        # Moves of the opening are not the players'.
        if board.halfmove_clock or board.castling_rights or "book" in node.comment or board.is_game_over(claim_draw=False):
            continue
        # Of larger positions it knows those that a capture wins.
        if chess.popcount(board.occupied) > most:
            continue
        wdl = tables.get_wdl(board)
        if wdl is None:
            continue
        if node is not game.end():
            return "an end earlier"
        if abs(wdl) < 2:
            return "1/2-1/2"
        return "1-0" if (wdl > 0) == board.turn else "0-1"
    return None


if __name__ == "__main__":
    main()
